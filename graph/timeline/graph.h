/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph.h - the timelines of a window, one for each task, and look-up tables of its records.
 *
 * A timeline is a list of intervals. In an interval, the task runs, is runnable (run queue
 * latency), is blocked (off-CPU) or is folded, or its state is unknown. causal.h builds the causal
 * graph on top of the timelines.
 *
 * Pure: no I/O, no globals. After graph_build(), a graph changes only in `scans` and `repeats`,
 * which are safe for several threads. So several threads may read one graph. The graph refers to
 * the window, so the window must live longer than the graph.
 */
#ifndef CTRACE_GRAPH_TIMELINE_GRAPH_H
#define CTRACE_GRAPH_TIMELINE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/fields.h"
#include "lib/map.h"
#include "trace/words/cgroup_name.h"
#include "trace/format/window.h"

#define GRAPH_NONE     UINT32_MAX
#define GRAPH_CPUS_MAX FORMAT_CPUS_MAX

/* The kinds of records from which graphs and analyses are made, for reader_want_kinds(). On a busy
 * machine, a fifth of the records are of other kinds. */
#define GRAPH_KINDS (~(1ULL << CT_READY | 1ULL << CT_BLK_ISSUE | 1ULL << CT_BLK_DONE))

/* The key of a futex in graph.owned. The two words in one aligned unit of 8 bytes have one key. The
 * tasks that wait for a read-write lock wait on two such words, and only one of these words has an
 * owner at a time. */
#define GRAPH_FUTEX_KEY(obj) ((obj) >> 3)

enum interval_state {
	INTERVAL_UNKNOWN =
		0, /* before the first record of a task, in a gap, under a cap, or if a record is missing */
	INTERVAL_RUNNING = 1,
	INTERVAL_RUNNABLE = 2, /* the task is on a run queue */
	INTERVAL_BLOCKED = 3,  /* the task blocks: interval.wait says why */
	INTERVAL_FOLDED = 4,   /* the task runs and waits briefly, and its switches are left out
				  (CT_LACK_SWITCHES); interval_sums() says how long it ran */
};
#define INTERVAL_SUMS 0x80 /* in interval.flags of a FOLDED interval: its sums are known */

/* One interval [from_ns, to_ns) of one task in one state. */
struct interval {
	uint64_t from_ns, to_ns;
	uint64_t obj;  /* BLOCKED: the object of the wait, as in the record; FOLDED: the sums,
			  see interval_sums() */
	uint32_t task; /* index into graph.tasks */
	union {
		uint32_t wake;     /* BLOCKED: index of the CT_WAKE event that ended the wait; GRAPH_NONE: the
				      wait has not ended, or the record is lost */
		uint32_t switches; /* FOLDED with INTERVAL_SUMS: number of switches */
	};
	uint16_t nr;   /* BLOCKED: the system call; RUNNABLE after a yield: the call that yielded */
	uint16_t cpu;  /* RUNNING: the CPU; other states: the last CPU; FORMAT_CPU_NONE: not known */
	uint8_t state; /* enum interval_state */
	uint8_t wait;  /* BLOCKED: CT_W_*; RUNNABLE: CT_W_YIELD after a yield */
	uint8_t flags; /* CT_SF_*; FOLDED: INTERVAL_SUMS */
	uint8_t st;    /* BLOCKED: CT_ST_* */
};

/* Facts that are known about few waits only. graph_visit() and graph_futex_owner() return these
 * facts. */
struct interval_look {
	/* index in graph.intervals */
	uint32_t interval;
	uint32_t visit; /* index of the CT_VISIT event with the stack of the wait, or GRAPH_NONE */
	uint32_t owner; /* tid of the owner of the futex for which the task waits; 0: not known */
};

/* The place of a record that graph_build_lean() has dropped. */
struct graph_dropped {
	uint32_t next;     /* index of the first event behind the record */
	uint32_t since_ns; /* the time from the event before the record to the record */
};

/* One life of a tid. */
struct graph_task {
	uint32_t tid;
	uint32_t tgid;
	uint32_t parent;         /* index of the task that forked this one, or GRAPH_NONE */
	uint32_t ptgid;          /* tgid of the parent process; 0: not known */
	uint32_t ancestor;       /* index of the task that had the tid ptgid at born_ns, or GRAPH_NONE */
	uint32_t first_interval; /* index of the task's first interval; the others follow it */
	uint32_t n_intervals;
	uint64_t born_ns;   /* when the task was born; 0: before the window, or not known */
	uint64_t exit_ns;   /* when the task exited; UINT64_MAX: no exit was seen */
	uint64_t from_ns;   /* the smallest born_ns of this life and the later lives of the tid */
	uint32_t exit_code; /* the exit status, as wait(2) returns it; also 0 if no exit was seen */
	uint16_t prio;      /* kernel priority when last seen running, 0..139 */
	bool kthread;
	bool tracer; /* the task belongs to ctrace itself: CT_TF_TRACER */
};

enum edge_kind {
	EDGE_WAKE = 1,    /* a wake-up whose object is not the object of the wait */
	EDGE_LOCK = 2,    /* the handoff of a mutex */
	EDGE_POST = 3,    /* a post on a futex that has no owner: a condition variable, semaphore
			     or barrier */
	EDGE_MESSAGE = 4, /* through a socket: bytes, a new connection, or the end of a
			     connection */
	EDGE_PIPE = 5,
	EDGE_EVENTFD = 6,
	EDGE_EXIT = 7, /* from the task that exits, to the parent or thread that waited for this
			  exit */
	EDGE_SIGNAL = 8,
	EDGE_FORK = 9,
	EDGE_FILELOCK = 10,
	EDGE_TIMER = 11,
	EDGE_IRQ = 12, /* interrupt: device or network */
	EDGE_FUSE = 13,
	EDGE_KERNEL_LOCK = 14,
	EDGE_VFORK = 15,
	/* The task tries to take a file lock again and again, and a timer ends each sleep between
	 * two tries. The edge is from the owner of the lock. */
	EDGE_POLLED = 16,
	/* No task ended the wait. The edge is from the owner of the object of the wait, or from the
	 * task at the other end of this object. */
	EDGE_OWNER = 17,
	EDGE_CPU = 18, /* from the task that had the CPU, to the task that was runnable
			  meanwhile */
	EDGE_STOP = 19,
	EDGE_DISK = 20,       /* the edge is from the task that kept the device busy */
	EDGE_FLAG = 21,       /* a variable in memory: from the task that wrote it to the task
				 that read it next */
	EDGE_JOB = 22,        /* from the enqueue of a job to its start */
	EDGE_ANSWER = 23,     /* inside one process: from the receive of a request to the send of
				 its answer */
	EDGE_NEIGHBOUR = 24,  /* two segments of one task, one after the other */
	EDGE_EXEC = 25,       /* from the program before an exec to the program after it */
	EDGE_LOCK_ORDER = 26, /* from an unlock to the next task that took the lock without a
				 wait */
};
/* Strong: the records show that the origin of the edge is the cause. Weak: the origin may be the
 * cause. Boosted: the origin may be the cause, and another sign supports this, such as stacks of
 * the two segments that are alike. */
enum edge_strength { EDGE_WEAK = 0, EDGE_BOOSTED = 1, EDGE_STRONG = 2 };

/* An entry of a graph_index: the position in window.events of a record that is about the key (an
 * object, a task or a process). In some indices, it is the position of a task or object instead:
 * see struct graph. */
struct graph_ref {
	uint32_t event;
};
struct graph_index {
	struct graph_ref *v; /* sorted by (key, event) */
	size_t n;
	uint64_t *keys; /* sorted; each key is there once */
	struct map at;  /* from a key to its index in keys. Most searches are for one key, and a
			   map is faster than a binary search */
	size_t n_keys;
	uint32_t *first; /* v[first[k] .. first[k + 1]) are the references of keys[k] */
};

struct graph {
	const struct window *w;
	struct graph_task *tasks; /* sorted by (tid, born_ns) */
	size_t n_tasks;
	struct interval *intervals; /* sorted by (task, from_ns) */
	size_t n_intervals;
	struct interval_look *looks; /* sorted by interval; each interval at most once */
	size_t n_looks;
	struct graph_dropped *dropped; /* in the order of the records */
	size_t n_dropped;
	uint32_t **runs; /* [cpu]: the RUNNING intervals on this CPU, in order of time: see
			    graph_run() */
	size_t *n_runs;
	uint32_t n_cpus;
	uint32_t *disk_waits; /* indices of intervals: the uninterruptible waits for a file or
				 block device, without those of kernel threads, sorted by (task,
				 from_ns) */
	size_t n_disk_waits;

	/* An index lists records, or, if its comment says so, tasks or objects. The word after
	 * "by" names the key. */
	struct graph_index sends;     /* CT_SEND by object */
	struct graph_index recvs;     /* CT_RECV by object */
	struct graph_index flocks;    /* CT_FLOCK and CT_HELD by object */
	struct graph_index fds;       /* CT_FD by object */
	struct graph_index members;   /* CT_EPMEMBER by epoll object */
	struct graph_index waitfds;   /* CT_WAITFD by tid */
	struct graph_index samples;   /* CT_SAMPLE by tid */
	struct graph_index signals;   /* CT_SIGNAL by tgid of the target */
	struct graph_index locktries; /* CT_FLOCK by tid */
	struct graph_index owned;     /* CT_FUTEX with an owner, of waits with FUTEX_WAIT_BITSET
					 (read-write locks and joins), by GRAPH_FUTEX_KEY() of the
					 futex */
	struct graph_index joins;     /* CT_FUTEX of waits that look like a join of a thread, by tid */
	struct graph_index own_locks; /* CT_FUTEX of a task that owns the futex itself, by tid */
	struct graph_index polled;    /* CT_POLLED by tid */
	struct graph_index hangs;     /* CT_HANG by tid */
	struct graph_index accesses;  /* CT_ACCESS by object */
	struct graph_index wakes;     /* CT_WAKE by object, if the record has a waker and an object, but not
					 CT_WF_READY, CT_CTX_TIMER or CT_CTX_IRQ */
	struct graph_index gaps;      /* CT_GAP, all with key 0 */
	struct graph_index sheds;     /* CT_SHED of steps of the governor, all with key 0 */
	struct graph_index caps;      /* CT_SHED of single tasks, by tid */
	struct graph_index groups;    /* CT_SHED of groups of tasks, all with key 0 */
	struct graph_index children;  /* the main threads of child processes: index of the task (in
					 .event), by tgid of the parent process */
	struct graph_index threads;   /* all tasks: index of the task (in .event), by tgid */
	uint32_t lacks_first;         /* what the governor left out before the first record of
					 `sheds`, as bits CT_LACK_* */
	struct graph_index tuples;    /* index of a TCP or UDP socket (in .event), by hash of its
					 two addresses and ports */
	struct graph_index accepted;  /* index of an accepted unix socket (in .event), by id of its
					 peer */
	struct graph_index addresses; /* index of a TCP or UDP socket (in .event), by hash of its own
					 address without the port */
	struct graph_index listening; /* index of a socket (in .event): see graph_listening() */

	/* Only the parts below change after graph_build(). */
	struct graph_scans *scans; /* see scan.h */
	struct repeats **repeats;  /* [task]: see graph/wake/repeats.h; NULL: not made yet */
};

/* Returns the RUNNING interval number i on cpu. i is smaller than g->n_runs[cpu]. */
static inline const struct interval *graph_run(const struct graph *g, uint32_t cpu, size_t i)
{
	return &g->intervals[g->runs[cpu][i]];
}

/* The parts of a FOLDED interval: the time on the CPU, the time in the queue of a CPU, and the
 * number of switches. The rest of the interval was spent in waits shorter than CT_COARSE_NS. */
struct interval_sums {
	uint64_t ran_ns, queued_ns;
	uint32_t switches;
};

/* Sets *ret to the parts of the range [from_ns, to_ns) of a FOLDED interval. Only the sums of
 * the whole interval are known, so the range gets a share of the sums in proportion to its
 * length. Returns false if the sums are not known, or if the range is empty; then all parts are
 * 0. */
bool interval_sums(const struct interval *s, uint64_t from_ns, uint64_t to_ns, struct interval_sums *ret);
/* Returns for how long the task ran in the interval. If the sums of a FOLDED interval are not
 * known, returns the length of the interval. */
static inline uint64_t interval_ran_ns(const struct interval *s)
{
	struct interval_sums sums;

	if (s->state == INTERVAL_FOLDED && interval_sums(s, s->from_ns, s->to_ns, &sums))
		return sums.ran_ns;
	return s->state == INTERVAL_RUNNING || s->state == INTERVAL_FOLDED ? s->to_ns - s->from_ns : 0;
}

/* Builds the graph of w. The caller frees *ret with graph_free(). Returns 0, -ENOMEM, or -E2BIG
 * if there are more than 2^32-2 intervals. */
int graph_build(const struct window *w, struct graph **ret);
/* Like graph_build(), but takes less memory: drops CT_SWITCH records from the window, and keeps
 * only their places. A few CT_SWITCH records stay: the first record of the window, and a record
 * that comes more than 4.3 s after the record before it. On a busy machine, a quarter of the
 * records are CT_SWITCH. causal_build() does not accept such a graph. After an error, the caller
 * can only free the window. */
int graph_build_lean(struct window *w, struct graph **ret);
void graph_free(struct graph *g);

/* Returns the index of the task with this tid at ts_ns. The kernel reuses tids, so a tid may
 * have several lives: the result is the life at ts_ns. If no task has the tid at ts_ns, the
 * result is the last life before ts_ns, or else the first life after it. Returns GRAPH_NONE if
 * there is no such tid. */
uint32_t graph_task_at(const struct graph *g, uint32_t tid, uint64_t ts_ns);
/* Returns the index of the first interval of the task that ends after ts_ns, or GRAPH_NONE. */
uint32_t graph_interval_at(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Like graph_interval_at(). near may be any number. The search is fast if near is the result for
 * a moment shortly before ts_ns. */
uint32_t graph_interval_near(const struct graph *g, uint32_t task, uint64_t ts_ns, uint32_t near);
/* Returns true if the task belongs to a child of the process tgid, or to a descendant of such a
 * child, at most ANCESTORS_MAX generations away. Always returns false for tgid 1 (init). */
bool graph_descends_from(const struct graph *g, uint32_t task, uint32_t tgid);
/* Returns the name of the task at ts_ns, or "?" if it is not known. */
const char *graph_comm(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Returns true if comm is the name of the task at ts_ns, as graph_comm() gives it. */
bool graph_is_called(const struct graph *g, uint32_t task, uint64_t ts_ns, const char *comm);
/* Returns the command line of the task's process at ts_ns, like window_cmdline(). */
const char *graph_cmdline(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Returns the control group and container of the task at ts_ns. All fields are "" if they are
 * not known, or if task is GRAPH_NONE. */
struct cgroup_name graph_place(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Returns the number of dropped records (graph_build_lean()) that are earlier than ts_ns. */
size_t graph_dropped_before(const struct graph *g, uint64_t ts_ns);
/* In the next three functions, interval points to an element of g->intervals. */
/* Returns the index of the CT_VISIT event that has the stack of the wait, or GRAPH_NONE if the
 * wait was not inspected. */
uint32_t graph_visit(const struct graph *g, const struct interval *interval);
/* Returns the tid of the owner of the futex for which the task waits, or 0 if the owner is not
 * known. The owner comes from the record of the block, or from an inspection of the wait. */
uint32_t graph_futex_owner(const struct graph *g, const struct interval *interval);
/* Returns the id of the stack that an inspection of the wait found, or 0 if the wait was not
 * inspected. */
uint64_t graph_visit_stack(const struct graph *g, const struct interval *interval);
/* Returns what the governor left out at ns, as bits CT_LACK_*. */
uint32_t graph_lacks_at(const struct graph *g, uint64_t ns);
/* Returns what the governor left out at some time in [from_ns, to_ns], as bits CT_LACK_*. */
uint32_t graph_lacks_within(const struct graph *g, uint64_t from_ns, uint64_t to_ns);
/* Returns for how long in [from_ns, to_ns) the governor left out all that `lacks` (CT_LACK_*)
 * names. */
uint64_t graph_lacked_ns(const struct graph *g, uint32_t lacks, uint64_t from_ns, uint64_t to_ns);
/* Returns how often a walk ended early because the budget of scan.h was spent. */
uint64_t graph_scans_refused(const struct graph *g);
/* Returns the references of a key, in order of time. *ret_n is their number. Here and in the
 * functions below, the graph owns the references. */
const struct graph_ref *graph_refs(const struct graph_index *ix, uint64_t key, size_t *ret_n);
/* Returns the references of the keys from `first` to `last`, both included. *ret_n is their
 * number. */
const struct graph_ref *graph_refs_range(const struct graph_index *ix, uint64_t first, uint64_t last,
					 size_t *ret_n);
/* Returns the last reference of key whose event has ts <= ts_ns, or NULL. */
const struct graph_ref *graph_ref_before(const struct graph *g, const struct graph_index *ix, uint64_t key,
					 uint64_t ts_ns);
/* Returns the references of key whose events have ts >= from_ns. *ret_n is their number. */
const struct graph_ref *graph_refs_from(const struct graph *g, const struct graph_index *ix, uint64_t key,
					uint64_t from_ns, size_t *ret_n);
/* Returns the sockets of a type that may listen at an address: for AF_UNIX at `name`, for other
 * families at `port`. In the references, .event is an index into window.objects. The list may
 * have other sockets too, so the caller compares the addresses. */
const struct graph_ref *graph_listening(const struct graph *g, uint16_t family, uint16_t type, uint16_t port,
					const char *name, size_t *ret_n);
/* How well a listening socket matches the address that a connection asks for. The values go from
 * the least to the most certain match. */
enum listens {
	LISTENS_NOT,
	LISTENS_MAPPED,    /* the connection asks for an IPv4 address; the socket listens on the
			      same port, at all IPv6 addresses of its network namespace, which
			      include the IPv4 addresses */
	LISTENS_ANYWHERE,  /* the socket listens on the same port, at all addresses of its
			      network namespace */
	LISTENS_ELSEWHERE, /* the same address and port, in another network namespace */
	LISTENS_EXACTLY,   /* the same address and port, or the same path of a unix socket */
};
/* Returns how well the listening socket l matches the connection that socket o asks for. */
enum listens graph_listens_for(const struct graph *g, const struct window_object *l,
			       const struct window_object *o);
/* Returns true if the remote address of the socket shows that the other end of the connection is
 * on this host: it is a loopback address, or the address of another socket in the trace. */
bool graph_is_local(const struct graph *g, uint64_t sock);
/* Returns the socket at the other end of the connection, if that socket is on this host. For one
 * side of a pseudo terminal, returns the other side. Returns 0 if the other end is not known. */
uint64_t graph_peer_object(const struct graph *g, uint64_t sock);
/* Returns true if the socket is the accepted end of its connection, and not the end that
 * connected. */
bool graph_is_accepted(const struct graph *g, uint64_t sock);
/* Return the words that the JSON has for an enum edge_kind ("lock", "message", ...) and for an
 * enum edge_strength. */
const char *edge_kind_name(uint8_t kind);
const char *edge_strength_name(uint8_t strength);
/* Returns true if the interval is a wait for a lock: a wait for a futex, in one of two cases. The
 * owner of the futex is known; or the futex belongs to a read-write lock that had a known owner in
 * another wait of the window. */
bool edge_is_lock(const struct graph *g, const struct interval *interval);
/* Returns true if a timer ended the wait. An interrupt of unknown kind counts as a timer in
 * three cases: the wait is a sleep; the wait is for a timerfd; the wait has a time limit, and no
 * device and no network can end it. */
bool edge_by_timer(const struct graph *g, const struct interval *interval, const struct window_event *wake);
/* Finds the kind and strength of the edge that the wake-up makes. `wake` is the record that
 * ended the interval. Looks at no other records. */
void edge_classify(const struct graph *g, const struct interval *interval, const struct window_event *wake,
		   uint8_t *ret_kind, uint8_t *ret_strength);

#endif
