/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph.h - the timelines of a window, one for each task, and look-up tables of its records. A
 * timeline is a list of intervals. causal.h builds the causal graph on top of them. Pure: no I/O,
 * no globals. Several threads may read one graph. The window must live longer than its graph.
 */
#ifndef CTRACE_GRAPH_TIMELINE_GRAPH_H
#define CTRACE_GRAPH_TIMELINE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/fields.h"
#include "lib/map.h"
#include "trace/format/window.h"
#include "trace/words/selector.h"

#define GRAPH_NONE     UINT32_MAX
#define GRAPH_CPUS_MAX FORMAT_CPUS_MAX

/* The kinds of records that a graph needs, for reader_want_kinds(). */
#define GRAPH_KINDS (~(1ULL << CT_READY))

/* The key of a futex in graph.owned. Tasks wait for a read-write lock of glibc on one of its two
 * futexes. Both lie in one aligned unit of 8 bytes, so they have the same key. */
#define GRAPH_FUTEX_KEY(obj) ((obj) >> 3)

enum interval_state {
	INTERVAL_UNKNOWN = 0, /* a gap, a cap, or missing records */
	INTERVAL_RUNNING = 1,
	INTERVAL_RUNNABLE = 2,
	INTERVAL_BLOCKED = 3,
	INTERVAL_FOLDED = 4, /* runs and short waits; switches are not recorded */
};
#define INTERVAL_SUMS 0x80 /* in interval.flags: the sums of the FOLDED interval are known */

struct interval {
	uint64_t from_ns, to_ns;
	uint64_t obj; /* BLOCKED: object of the wait; FOLDED: packed times, which interval_sums() reads */
	uint32_t task;
	union {
		uint32_t wake; /* BLOCKED: CT_WAKE event that ended the wait, or GRAPH_NONE */
		uint32_t switches;
	};
	uint16_t nr;  /* BLOCKED: the system call; RUNNABLE after a yield: the call that yielded */
	uint16_t cpu; /* RUNNING: the CPU; else: the last CPU, or FORMAT_CPU_NONE */
	uint8_t state;
	uint8_t wait;  /* BLOCKED: CT_W_*; RUNNABLE: CT_W_YIELD after a yield */
	uint8_t flags; /* CT_SF_*; FOLDED: INTERVAL_SUMS */
	uint8_t st;    /* BLOCKED: CT_ST_* */
};

/* Facts about a few waits: see graph_visit() and graph_futex_owner(). */
struct interval_look {
	uint32_t interval;
	uint32_t visit;
	uint32_t owner;
	uint32_t futex; /* the CT_FUTEX event that shows the owner, or GRAPH_NONE */
};

/* Says where a record was in window.events before graph_build_lean() dropped it. */
struct graph_dropped {
	uint32_t next;     /* index of the next event that is kept */
	uint32_t since_ns; /* time from the last kept event to the dropped record */
};

struct graph_task {
	uint32_t tid;
	uint32_t tgid;
	uint32_t parent;   /* the task that forked this one, or GRAPH_NONE */
	uint32_t ptgid;    /* 0: not known */
	uint32_t ancestor; /* the task whose tid was ptgid at born_ns, or GRAPH_NONE */
	uint32_t first_interval;
	uint32_t n_intervals;
	uint64_t born_ns; /* 0: before the window, or not known */
	uint64_t exit_ns; /* UINT64_MAX: no exit was seen */
	/* Several tasks may have the same tid, one after the other. From one of them to the next,
	 * from_ns never falls: it is the smallest born_ns of this task and of the later ones. For a
	 * task whose born_ns is 0, the time of its first record counts. born_ns may fall. */
	uint64_t from_ns;
	uint32_t exit_code; /* as wait(2) returns it; also 0 if no exit was seen */
	uint16_t prio;      /* kernel priority when last seen running, 0..139 */
	bool kthread;
	bool tracer; /* the task belongs to ctrace itself */
};

enum edge_kind {
	EDGE_WAKE = 1, /* a wake-up by a task, if no other kind fits */
	EDGE_LOCK = 2,
	EDGE_POST = 3,    /* futex without a known owner, such as a semaphore */
	EDGE_MESSAGE = 4, /* through a socket: bytes, or the begin or end of a connection */
	EDGE_PIPE = 5,
	EDGE_EVENTFD = 6,
	EDGE_EXIT = 7,
	EDGE_SIGNAL = 8,
	EDGE_FORK = 9,
	EDGE_FILELOCK = 10,
	EDGE_TIMER = 11,
	EDGE_IRQ = 12, /* by an interrupt, for example of a device */
	EDGE_FUSE = 13,
	EDGE_KERNEL_LOCK = 14,
	EDGE_VFORK = 15,
	/* from the owner of a file lock to a task that polls for the lock */
	EDGE_POLLED = 16,
	/* No task ended the wait. The edge is from a task that could have ended it, such as the
	 * owner of the object. */
	EDGE_OWNER = 17,
	EDGE_CPU = 18,
	EDGE_STOP = 19,
	EDGE_DISK = 20,
	EDGE_FLAG = 21, /* from the writer of a variable to a task that then uses it */
	EDGE_JOB = 22,
	EDGE_ANSWER = 23, /* in one process: from the request to its answer */
	EDGE_NEIGHBOUR = 24,
	EDGE_EXEC = 25,
	EDGE_LOCK_ORDER = 26, /* from the unlock of a file to a task that then locks it without a wait */
};
/* Strong: records show that the edge begins at the cause. Weak: it may begin at the cause. Boosted:
 * weak, but another sign supports the edge, such as stacks that are alike. */
enum edge_strength { EDGE_WEAK = 0, EDGE_BOOSTED = 1, EDGE_STRONG = 2 };

/* `event` is a position in window.events. In some indices, it is the position of a task or object:
 * see struct graph. */
struct graph_ref {
	uint32_t event;
};
struct graph_index {
	struct graph_ref *v;
	size_t n;
	uint64_t *keys; /* sorted; each key once */
	struct map at;  /* from a key to its index in keys */
	size_t n_keys;
	uint32_t *first; /* v[first[k] .. first[k + 1]) have the key keys[k] */
	/* Only in sends and recvs: the tid of all records with the key keys[k]. 0: they have several, and
	 * graph.sharers has all of these. */
	uint32_t *only;
};

/* A time in which records may be missing. */
struct graph_span {
	uint64_t from_ns, to_ns;
	uint32_t tid;
};
struct graph_spans {
	struct graph_span *v; /* sorted by to_ns */
	size_t n;
	/* A binary tree of `from_ns`: least[leaves + i] is that of v[i], and least[i] is the smaller one of
	 * least[2 * i] and least[2 * i + 1]. */
	uint64_t *least;
	size_t leaves;
};

struct graph {
	const struct window *w;
	struct graph_task *tasks; /* sorted by tid; tasks with the same tid: in order of time */
	size_t n_tasks;
	struct tids *first_of;      /* [tid]: its first task; private to graph/ (tids.h) */
	struct interval *intervals; /* sorted by (task, from_ns) */
	size_t n_intervals;
	size_t n_waits; /* BLOCKED intervals */
	struct interval_look *looks;
	size_t n_looks;
	struct graph_dropped *dropped;
	size_t n_dropped;
	uint32_t **runs; /* [cpu]: the RUNNING intervals of this CPU in order of time */
	size_t *n_runs;
	uint32_t n_cpus;
	uint32_t *disk_waits; /* uninterruptible waits of programs for a file or block device */
	size_t n_disk_waits;

	/* Indices of records, tasks and objects. The key is:
	 * - the object: sends, recvs, flocks (CT_FLOCK and CT_HELD), fds, accesses (CT_ACCESS), blocks
	 *   (CT_BLK_ISSUE and CT_BLK_DONE)
	 * - the tid: waitfds, samples, locktries (CT_FLOCK), polled, hangs
	 * - in the other indices: as their own comments say */
	struct graph_index sends;
	struct graph_index recvs;
	struct tids *sharers; /* [tid]: set, if other tids use one of its sockets; private to graph/ */
	struct graph_index flocks;
	struct graph_index fds;
	struct graph_index tables; /* CT_FD by tgid */
	/* The first CT_FD of each descriptor table, by tgid; .event is an index in tables.v (tables.h) */
	struct graph_index table_begins;
	uint32_t last_table; /* the first record of the table that begins last, of any process */
	struct graph_index members; /* CT_EPMEMBER by epoll object */
	struct graph_index waitfds;
	struct graph_index samples;
	struct graph_index signals; /* CT_SIGNAL by tgid of the target */
	struct graph_index locktries;
	/* CT_FUTEX that looks like a read-write lock with an owner, by GRAPH_FUTEX_KEY() */
	struct graph_index owned;
	struct graph_index joins;     /* CT_FUTEX that looks like a join of a thread, by tid */
	struct graph_index own_locks; /* CT_FUTEX of a task that owns the futex itself, by tid */
	struct graph_index polled;
	struct graph_index hangs;
	struct graph_index accesses;
	struct graph_index blocks;
	struct graph_index wakes;        /* CT_WAKE with an object, by object: see index_event() */
	struct graph_index last_wakes;   /* CT_WAKE by a task that exits, by the tid of this task */
	struct graph_index gaps;         /* CT_GAP; the key is 0 */
	struct graph_index sheds;        /* CT_SHED of steps of the governor; the key is 0 */
	struct graph_index caps;         /* CT_SHED of single tasks, by tid */
	struct graph_index groups;       /* CT_SHED of groups of tasks; the key is 0 */
	struct graph_spans lost;         /* gaps, but none that lack only names of objects; tid is 0 */
	struct graph_spans grouped;      /* caps of groups of tasks; tid is 0 */
	struct graph_spans capped;       /* caps of single tasks */
	struct graph_index process_caps; /* those of `caps`, by tgid (0: not known), not in order of time */
	/* In the next three indices, .event is an index in `tasks`. */
	struct graph_index children; /* main threads, by tgid of the parent */
	struct graph_index threads;  /* all tasks, by tgid */
	struct graph_index called;   /* all tasks, by hash_text() of graph_last_comm() */
	/* Waits to read a socket, by socket, in order of their begin; .event is an index in `intervals`. */
	struct graph_index reads;
	uint32_t lacks_first; /* CT_LACK_* before the first record of `sheds` */
	/* In the next four indices, .event is an index in window.objects. */
	struct graph_index tuples;    /* IP sockets, by hash of both addresses */
	struct graph_index accepted;  /* accepted unix sockets, by id of the peer */
	struct graph_index addresses; /* IP sockets, by hash of their own address */
	struct graph_index listening; /* see graph_listening() */
	/* A hash table: 1 + the index in window.objects, or 0. At most half of the entries are used. Object
	 * `o` is at map_hash(o.id) & objects_mask, or at the next free entry after it. */
	uint32_t *objects;
	size_t objects_mask; /* the number of entries - 1 */

	struct graph_scans *scans;
	struct repeats **repeats;
	struct bytes_gone **gone; /* by index in window.objects (graph/wake/bytes_unread.c) */
	struct received **received; /* one pointer (graph/timeline/received.c) */
};

static inline const struct interval *graph_run(const struct graph *g, uint32_t cpu, size_t i)
{
	return &g->intervals[g->runs[cpu][i]];
}

/* Sums of a FOLDED interval: the time in which the task ran, the time in which it waited for a CPU,
 * and the number of its switches. In the rest of the interval, the task was in waits shorter than
 * CT_COARSE_NS. */
struct interval_sums {
	uint64_t ran_ns, queued_ns;
	uint32_t switches;
};

/* Sets *ret to the sums of a range in the FOLDED interval s: a share in proportion to the length of
 * the range. Returns false, with sums of 0, if the sums are not known or the range is empty. */
bool interval_sums(const struct interval *s, uint64_t from_ns, uint64_t to_ns, struct interval_sums *ret);
/* Returns how long the task ran in the interval: its whole length if it is FOLDED without sums. */
static inline uint64_t interval_ran_ns(const struct interval *s)
{
	struct interval_sums sums;

	if (s->state == INTERVAL_FOLDED && interval_sums(s, s->from_ns, s->to_ns, &sums))
		return sums.ran_ns;
	return s->state == INTERVAL_RUNNING || s->state == INTERVAL_FOLDED ? s->to_ns - s->from_ns : 0;
}

/* The caller frees *ret with graph_free(). Returns 0, -ENOMEM, or -E2BIG if there are more than
 * 2^32-2 intervals. */
int graph_build(const struct window *w, struct graph **ret);
/* Calls a(arg) and b(arg), perhaps in two threads. Returns after both calls have returned. */
typedef void (*graph_both_fn)(void (*a)(void *arg), void (*b)(void *arg), void *arg);
/* Like graph_build(), but lets `both` call parts of the work, of which two may run at the same time. */
int graph_build_both(const struct window *w, graph_both_fn both, struct graph **ret);
/* Like graph_build_both(), but frees the CPUs of the records (window_drop_cpus()) as early as it can. So it
 * needs less memory. */
int graph_build_frugal(struct window *w, graph_both_fn both, struct graph **ret);
/* Like graph_build(), but removes most CT_SWITCH records from the window. For each removed record,
 * graph.dropped has a struct graph_dropped. A CT_SWITCH is kept if the previous kept record is more
 * than UINT32_MAX ns (4.3 s) older, or if there is none. causal_build() must not get such a graph.
 * After an error, the caller can only free the window. */
int graph_build_lean(struct window *w, struct graph **ret);
void graph_free(struct graph *g);

/* Returns the task that has the tid at ts_ns, or else the last one before ts_ns, or else the first
 * one after it. Returns GRAPH_NONE if there is no such tid. */
uint32_t graph_task_at(const struct graph *g, uint32_t tid, uint64_t ts_ns);
/* Returns the first interval of the task that ends after ts_ns, or GRAPH_NONE. */
uint32_t graph_interval_at(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Like graph_interval_at(), but fast if `near` is the result for a moment shortly before ts_ns.
 * near may be any number. */
uint32_t graph_interval_near(const struct graph *g, uint32_t task, uint64_t ts_ns, uint32_t near);
/* Returns true if the task's process descends from the process tgid, by at most ANCESTORS_MAX
 * generations. Always returns false for tgid 1 (init). */
bool graph_descends_from(const struct graph *g, uint32_t task, uint32_t tgid);
/* Returns "?" if the name is not known. */
const char *graph_comm(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Returns the last name that the task has in the window. */
const char *graph_last_comm(const struct graph *g, uint32_t task);
bool graph_is_called(const struct graph *g, uint32_t task, uint64_t ts_ns, const char *comm);
/* Like window_cmdline(). */
const char *graph_cmdline(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* The fields are "" if they are not known, or if task is GRAPH_NONE. */
struct cgroup_name graph_place(const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Like selector_fits(). Returns false if task is GRAPH_NONE. */
bool graph_fits(const struct graph *g, uint32_t task, const struct selector *s, uint64_t ts_ns);
size_t graph_dropped_before(const struct graph *g, uint64_t ts_ns);
/* In the next three functions, interval is an element of g->intervals. */
/* Returns the CT_VISIT event of the wait, or GRAPH_NONE. */
uint32_t graph_visit(const struct graph *g, const struct interval *interval);
/* Returns a tid, or 0 if the owner is not known. */
uint32_t graph_futex_owner(const struct graph *g, const struct interval *interval);
/* Returns the time at which the task of graph_futex_owner() was the owner. */
uint64_t graph_futex_owner_ns(const struct graph *g, const struct interval *interval);
/* Returns the id of the stack that an inspection of the wait found, or 0. */
uint64_t graph_visit_stack(const struct graph *g, const struct interval *interval);
/* Returns what the governor left out at ns (CT_LACK_*). */
uint32_t graph_lacks_at(const struct graph *g, uint64_t ns);
/* Returns what the governor left out at some time in [from_ns, to_ns] (CT_LACK_*). */
uint32_t graph_lacks_within(const struct graph *g, uint64_t from_ns, uint64_t to_ns);
/*
 * Returns true if records may be missing in [from_ns, to_ns]:
 * - The governor left out one of `lacks` (CT_LACK_*).
 * - Records were lost. The names of objects do not count.
 * - A group of tasks was capped. A task that is born then may have no record at all.
 */
bool graph_may_lack(const struct graph *g, uint32_t lacks, uint64_t from_ns, uint64_t to_ns);
/* Returns true if the task with this tid was capped at some time in [from_ns, to_ns]. */
bool graph_was_capped(const struct graph *g, uint32_t tid, uint64_t from_ns, uint64_t to_ns);
/* Like graph_was_capped(), for any thread of the process. Also returns true if the budget of scan.h is spent.
 */
bool graph_process_was_capped(const struct graph *g, uint32_t tgid, uint64_t from_ns, uint64_t to_ns);
/* Returns the index of the first span of s, from the index `at` on, that has a part in [from_ns, to_ns], or
 * s->n. */
size_t graph_span_within(const struct graph_spans *s, size_t at, uint64_t from_ns, uint64_t to_ns);
/* Returns for how long in [from_ns, to_ns) the governor left out all of `lacks` (CT_LACK_*). */
uint64_t graph_lacked_ns(const struct graph *g, uint32_t lacks, uint64_t from_ns, uint64_t to_ns);
/* Returns how often a search ended early: the budget of scan.h was spent, or a table of repeats.h
 * got no memory. */
uint64_t graph_scans_refused(const struct graph *g);
/* The results of the next functions belong to the graph. The records of one key are in order of
 * time. */
const struct graph_ref *graph_refs(const struct graph_index *ix, uint64_t key, size_t *ret_n);
/* Returns the references of the keys `first` to `last`, both included. */
const struct graph_ref *graph_refs_range(const struct graph_index *ix, uint64_t first, uint64_t last,
					 size_t *ret_n);
/* Returns the last reference whose event has ts <= ts_ns, or NULL. */
const struct graph_ref *graph_ref_before(const struct graph *g, const struct graph_index *ix, uint64_t key,
					 uint64_t ts_ns);
/* Returns the references whose events have ts >= from_ns. */
const struct graph_ref *graph_refs_from(const struct graph *g, const struct graph_index *ix, uint64_t key,
					uint64_t from_ns, size_t *ret_n);
/* Like window_object(), but faster. */
static inline const struct window_object *graph_object(const struct graph *g, uint64_t id)
{
	for (size_t i = map_hash(id) & g->objects_mask; g->objects[i]; i = (i + 1) & g->objects_mask) {
		const struct window_object *o = &g->w->objects[g->objects[i] - 1];

		if (o->id == id)
			return o;
	}
	return NULL;
}
/* Returns sockets that may listen at `name` (AF_UNIX) or at `port`, as indices into window.objects.
 * The result may also have sockets that do not, so the caller compares the addresses. */
const struct graph_ref *graph_listening(const struct graph *g, uint16_t family, uint16_t type, uint16_t port,
					const char *name, size_t *ret_n);
/* Returns unix sockets with the name whose hash is `name` (ct_send_name()), as indices into window.objects.
 */
const struct graph_ref *graph_named(const struct graph *g, uint64_t name, size_t *ret_n);
/* How well a listening socket matches the address that a connection asks for, the worst first. */
enum listens {
	LISTENS_NOT,
	LISTENS_MAPPED, /* the socket listens at all IPv6 addresses, which include IPv4 */
	LISTENS_ANYWHERE,
	LISTENS_ELSEWHERE, /* as LISTENS_EXACTLY, but in another network namespace */
	LISTENS_EXACTLY,   /* same address and port, or same name of a unix socket */
};
/* l is the listening socket. o is the socket that asks for a connection. */
enum listens graph_listens_for(const struct graph *g, const struct window_object *l,
			       const struct window_object *o);
/* Writes the address without the prefix that an IPv4 address has in an IPv6 socket (::ffff:10.0.0.1): the 4
 * bytes of an IPv4 address and zeros, or the 16 bytes of an IPv6 address. Returns true for IPv4. */
bool graph_plain_address(uint16_t family, const uint8_t in[16], uint8_t out[16]);
/* Returns true if the remote address is a loopback address, or the local address of a socket in the
 * trace. */
bool graph_is_local(const struct graph *g, uint64_t sock);
/* Like graph_is_local(), for a description of a socket. o may be NULL. */
bool graph_is_local_end(const struct graph *g, const struct window_object *o);
/* Returns the socket at the other end of the connection, or 0 if it is not known. A socket in the same
 * network namespace comes first. If several sockets fit equally well, none is known to be the other end. For
 * one side of a pseudo terminal, returns the other side. */
uint64_t graph_peer_object(const struct graph *g, uint64_t sock);
/* Returns true if a socket is, or may be, the other end of an IP socket with this description. */
bool graph_has_inet_peer(const struct graph *g, const struct window_object *o);
/* Returns true for the accepted end of a connection: a unix socket that has a name, or an IP socket
 * at whose local port a socket of the trace listens. */
bool graph_is_accepted(const struct graph *g, uint64_t sock);
/* Return the words that the JSON has ("lock", "strong", ...). */
const char *edge_kind_name(uint8_t kind);
const char *edge_strength_name(uint8_t strength);
/* Returns true if the futex of the wait has a known owner. A read-write lock counts too if its owner
 * was known in another wait. */
bool edge_is_lock(const struct graph *g, const struct interval *interval);
/* Returns true if a timer ended the wait. An interrupt of unknown kind counts as a timer in these
 * cases:
 * - The wait is a sleep, or is for a timerfd.
 * - The wait has a time limit, and is on a futex, a pipe or a unix socket, or for a signal. */
bool edge_by_timer(const struct graph *g, const struct interval *interval, const struct window_event *wake);
/* Returns true if the interval is a sleep or a wait with a time limit, and a timer ended it. A timer may also
 * be an event that the task awaits, such as a timerfd: then this returns false. */
bool edge_is_timed_out(const struct graph *g, const struct interval *interval);
/* Finds the kind and the strength of the edge of `wake`, the record that ended the interval. Looks
 * at fewer records than wake_cause() (graph/wake/cause.h). */
void edge_classify(const struct graph *g, const struct interval *interval, const struct window_event *wake,
		   uint8_t *ret_kind, uint8_t *ret_strength);

#endif
