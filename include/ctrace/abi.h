/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi.h - the records that BPF programs give to the daemon, and that traces hold. Numbers are
 * little-endian. A value of an enum never gets a new meaning. New values come at the end. Times are
 * CLOCK_BOOTTIME nanoseconds, unless a comment names another clock. Task ids are of the initial pid
 * namespace. The idle task of CPU n has tid 0 in records; readers call it -(n+1).
 */
#ifndef CTRACE_ABI_H
#define CTRACE_ABI_H

#ifndef __bpf__
#include <stdint.h>
typedef uint8_t ct_u8;
typedef uint16_t ct_u16;
typedef uint32_t ct_u32;
typedef uint64_t ct_u64;
typedef int16_t ct_s16;
typedef int32_t ct_s32;
#else
typedef unsigned char ct_u8;
typedef unsigned short ct_u16;
typedef unsigned int ct_u32;
typedef unsigned long long ct_u64;
typedef short ct_s16;
typedef int ct_s32;
#endif

/*
 * Record kinds. Kinds 1..63 are fixed records: a struct ct_rec, then CT_KIND_WORDS() words x[] of
 * 64 bits. Kinds 64..127 are blobs, which begin with struct ct_blob. A field that a kind's comment
 * does not name is 0. Exception: an nr that the comment does not name is 0 or CT_NR_NONE.
 */
enum ct_kind {
	/*
	 * A context switch.
	 *   tid    the previous task
	 *   peer   the next task
	 *   state  state of the previous task (CT_ST_*)
	 *   wait   why the previous task blocked (CT_W_*)
	 *   flags  CT_SF_*
	 *   nr     system call of the previous task; CT_NR_NONE: none
	 *   obj    the object that the previous task waits for
	 *   aux    priority of the previous task (low byte) and the next (high byte), as task->prio
	 *          of the kernel (0..139)
	 */
	CT_SWITCH = 1,
	/*
	 * A wake-up (sched_waking).
	 *   tid    the wakee
	 *   peer   the task that was on the CPU on which the wake-up happened
	 *   state  context (CT_CTX_*)
	 *   wait   softirq vector, or 0
	 *   flags  CT_WF_*
	 *   nr     system call of peer, if this call may be the cause of the wake; else CT_NR_NONE
	 *   obj    the object that this call acts on. With CT_WF_READY: the socket that has input
	 *          for the wakee. In CT_CTX_TIMER: the address of the timer function
	 *   aux    low byte: the wait kind (CT_W_*) of the system call nr
	 */
	CT_WAKE = 2,
	/* The first wake of a new task. tid: the new task, peer: the creator. */
	CT_WAKE_NEW = 3,
	/*
	 * A futex wait. If the owner is known when the wait begins, the record comes just before the
	 * CT_SWITCH of the waiter. An inspection of the wait writes a CT_FUTEX too, even if the owner
	 * is not known.
	 *   tid    the waiter
	 *   peer   the owner, read from user memory: the owner of a glibc mutex or rwlock, the
	 *          owner of a PI or robust futex, or the thread that a join waits for. 0: not known
	 *   nr     system call of the waiter, if an inspection wrote the record
	 *   obj    the futex
	 *   x[0]   user address of the futex
	 *   x[1]   low 32 bits: futex operation; high 32 bits: the value of the futex
	 */
	CT_FUTEX = 4,
	/*
	 * One of the first CT_WAITFD_MAX descriptors that a poll, ppoll, select or pselect waits
	 * on. A set is written in these cases:
	 * 1. A wait for the set begins.
	 * 2. A wait of CT_COARSE_NS or more for the set ends, at a time when shorter waits of the task
	 *    are not recorded (see CT_COARSE_NS).
	 * 3. The task iterator reads the state of the waiter.
	 * 4. An inspection finds that the wait for the set began before the daemon started.
	 * In cases 1 to 3, two kinds of sets are left out:
	 * - a repeat of the waiter's last set, less than a second after the set was written
	 * - a set of one descriptor: its object is obj of the CT_SWITCH. But an inspection writes it if
	 *   aux has no event of CT_POLL_DATA
	 *   tid    the waiter
	 *   peer   the descriptor, or CT_FD_NONE
	 *   state  index in the set
	 *   wait   size of the set; 255: 255 or more. Not exact with peer CT_FD_NONE, and for a
	 *          select of more than CT_WAITFD_MAX
	 *   aux    poll events asked for
	 *   obj    the object
	 */
	CT_WAITFD = 5,
	CT_FORK = 6, /* tid: parent, peer: child, obj: tgid of the child, flags: CT_LF_THREAD */
	CT_EXEC = 7, /* tid: the task, peer: its tid before the exec */
	/* tid: the task, peer: exit status as of wait(2), flags: CT_LF_GROUP_DEAD, obj: its tgid */
	CT_EXIT = 8,
	/*
	 * A signal is sent.
	 *   tid    the sender; with CT_GF_KERNEL the task that was on the CPU
	 *   peer   tid of the target
	 *   state  the signal
	 *   flags  CT_GF_*
	 *   nr     system call of the sender
	 *   obj    tgid of the target
	 *   aux    low 16 bits of si_code
	 */
	CT_SIGNAL = 9,
	CT_SIGDELIVER = 10, /* tid: target, state: signal, flags: CT_GF_FATAL */
	/*
	 * A send. The record is written at the end of the send, so the records of the receiver can come
	 * before it.
	 *   tid    the task
	 *   peer   bytes
	 *   obj    the socket on the sender's side
	 *   state  the destination of a datagram (enum ct_dest). The next fields are 0 if it is not known
	 *   nr     its port
	 *   aux, wait, flags  its address: aux has the low 16 bits, wait the next 8 bits, flags the high 8
	 *          bits. IPv4: the bytes of the address, the first one lowest. IPv6: 1 for ::1, 0 for any
	 *          other address
	 *   nr, flags, wait, aux  with CT_DEST_UNIX, 48 bits instead: a hash of its name (CT_DEST_NAME_ADD)
	 */
	CT_SEND = 11,
	/*
	 * Receives: one, or a run of them (since 1.12). In a run, the only thread of a process receives again
	 * and again from one stream socket, and its CPU makes no other record. A run takes at most 50 us. The
	 * time is that of the last receive.
	 *   tid    the task
	 *   peer   bytes
	 *   obj    the socket on the receiver's side
	 *   state  CT_RECV_STRAND: the thread runs a strand, such as a goroutine (see CT_LOCK). Since
	 *          version 1.12 of the format
	 *   nr, flags, wait, aux  with CT_RECV_STRAND: the low 48 bits of the strand, of which nr has the
	 *          high 16 bits, flags the next 8 bits, wait the next 8 bits
	 */
	CT_RECV = 12,
	/* obj: the TCP or UDP socket that became readable, state: CT_CTX_*. Only in traces up to
	 * version 1.3 of the format. Later traces have CT_WF_READY in CT_WAKE. */
	CT_READY = 13,
	/*
	 * A request was issued to a block device, or the device completed it.
	 *   tid    the task on the CPU then
	 *   peer   bytes
	 *   state  0 read, 1 write, 2 flush, 3 discard, 4 other
	 *   obj    the device (CT_OBJ_BLOCKDEV)
	 *   x[0]   sector
	 *   x[1]   the file (CT_OBJ_FILE) to which the first page of the request belongs; 0: not known, or
	 *          the page belongs to no file
	 */
	CT_BLK_ISSUE = 14,
	CT_BLK_DONE = 15,
	/*
	 * A task asked for a file lock, or released one.
	 *   tid    the task
	 *   obj    the file
	 *   state  0 read, 1 write, 2 unlock
	 *   wait   0 posix, 1 flock, 2 ofd
	 *   peer   result as a signed number: 0 granted, -errno, or 1 (FILE_LOCK_DEFERRED: the task waits)
	 *   x[0]   first byte
	 *   x[1]   last byte (inclusive)
	 */
	CT_FLOCK = 16,
	/*
	 * These three records are states, not events. The daemon records them for a snapshot. It
	 * also reads /proc/locks at its start, and the descriptor tables of inspected processes.
	 * - CT_HELD: a line of /proc/locks. Fields as CT_FLOCK, but tid is the pid in that line (0:
	 *   an ofd lock, which has none), and peer is 0. flags 0: the process owns the lock; 1: the
	 *   process waits for the lock.
	 * - CT_FD: an entry of a descriptor table. tid: the process (tgid), peer: the descriptor,
	 *   obj: the object, flags: CT_FF_*.
	 * - CT_EPMEMBER: a member of an epoll set. tid: the process (tgid), peer: the descriptor
	 *   with which the member was added, obj: the member, x[0]: the epoll, x[1]: the events.
	 */
	CT_HELD = 17,
	CT_FD = 18,
	CT_EPMEMBER = 19,
	/*
	 * A sample of a long run.
	 *   tid    the task
	 *   nr     its system call
	 *   flags  CT_PF_KERNEL
	 *   obj    user instruction pointer
	 *   x[0]   stack id (CT_STACK blob), or 0
	 *   x[1]   ns on the CPU without blocking
	 */
	CT_SAMPLE = 20,
	/*
	 * An inspection of a long wait, or of one of many short waits in a loop.
	 *   tid    the task
	 *   nr     its system call
	 *   state, wait, flags  as CT_SWITCH
	 *   obj    the object that the task waits for
	 *   aux    CT_VL_*: the lock that the program shows in its memory, or the object of System V
	 *   peer   the owner of this lock; 0: not known, or there is no such lock
	 *   x[0]   stack id (CT_STACK blob), or 0
	 *   x[1]   how long the task has been blocked, in ns; 0: not known
	 */
	CT_VISIT = 21,
	/*
	 * Records were lost. ts is equal to x[1].
	 *   tid    the CPU whose records were lost; CT_GAP_ALL_CPUS: records of any CPU may be lost
	 *   peer   the number of lost records (saturating); 0: not known
	 *   state  cause (CT_LOSS_*)
	 *   flags  CT_GF_*
	 *   x[0]   the first time at which the loss can have happened
	 *   x[1]   the last such time
	 */
	CT_GAP = 22,
	/*
	 * A task wrote or read the variable of a watchpoint. If a task reads the variable several
	 * times between two changes, at most the first of these reads is recorded.
	 *   tid    the task
	 *   state  0 written, 1 read
	 *   aux    length of the variable in bytes
	 *   obj    the variable (CT_OBJ_DATA)
	 *   x[0]   its value after the access
	 *   x[1]   stack id (CT_STACK blob), or 0
	 */
	CT_ACCESS = 23,
	/*
	 * An inspection of a task found a variable that the task may be polling. The task spins, or
	 * sleeps in a loop.
	 *   tid    the task
	 *   obj    the variable (CT_OBJ_DATA)
	 *   flags  CT_QF_*
	 *   x[0]   the value of the variable at that time
	 *   x[1]   the address of the variable
	 */
	CT_POLLED = 24,
	/*
	 * A framework reports a job.
	 *   tid    the task
	 *   state  CT_JOB_*
	 *   flags  CT_JF_*
	 *   aux    the framework: a number made of its name; 0: not known
	 *   obj    the queue (CT_OBJ_QUEUE), or 0
	 *   x[0]   the job: an address, which together with the tgid names one job while that job lives
	 *   x[1]   the function that the job runs; 0: not known
	 * With CT_JOB_OFF and CT_JOB_ON, which the daemon writes:
	 *   tid    0
	 *   aux    the framework
	 *   obj    an object with the framework's name (CT_OBJ_QUEUE)
	 *   ts     CT_JOB_OFF: after the detaching; CT_JOB_ON: after the attaching
	 *   flags  CT_JF_AGAIN
	 *   x[0]   since when the jobs of the framework are not recorded
	 *   x[1]   0
	 */
	CT_JOB = 25,
	/*
	 * The daemon noticed a hang.
	 *   tid    the task that hangs
	 *   state  the rule (CT_HANG_*)
	 *   wait   as CT_SWITCH; CT_W_NONE: the task runs or is runnable
	 *   nr     its system call
	 *   peer   the task that can end the wait of tid. With CT_HANG_SERVICE: the task that does
	 *          not read from the other end of the socket. 0: not known
	 *   obj    the object that tid waits for
	 *   x[0]   since when tid hangs
	 *   x[1]   threshold of the rule in ns
	 */
	CT_HANG = 26,
	/*
	 * The tracer changed how much it records, to keep its own cost within the budget.
	 *   state  the step now in force (enum ct_shed)
	 *   wait   the step that was in force before. While a step or CT_GV_BLIND is in force, the
	 *          record is written again every few seconds: then `wait` is equal to `state`
	 *   flags  CT_GV_*
	 *   x[0]   since when the step in `wait` was in force
	 *   x[1]   cost of the tracer at the decision, in millionths of the machine's CPU time
	 *
	 * With CT_GV_CAP: the cap of one task begins or ends. In between, most records of this task
	 * are missing. A record that is also about another task is missing only if the other task
	 * is capped too, or is the idle task. These kinds of records can be missing:
	 * CT_SWITCH, CT_FUTEX, CT_WAITFD, CT_WAKE, CT_WAKE_NEW, CT_SIGNAL, CT_SIGDELIVER, CT_SEND,
	 * CT_RECV, CT_FLOCK, and the CT_TASK of a rename. A wait of CT_COARSE_NS or more still has
	 * its CT_FOUND and its CT_WAKE. The CT_SWITCH with which the task ends is still recorded,
	 * except in a coarse step.
	 *   tid    the capped task
	 *   state, wait  the step in force
	 *   x[0]   begin: equal to ts; end: when the cap began
	 *   peer   end: how many records of the task were left out since x[0] (saturating)
	 *   aux    end: high byte: state of the task (0: it runs or is runnable); low byte: CT_W_*
	 *   nr, obj  end: the system call and the object of the task at that time
	 *
	 * With CT_GV_GROUP but without CT_GV_CAP: the cap of a group begins or ends. A group is
	 * described at govern_group(). In between, each task of the group is capped when its first
	 * record is left out. The caps of all groups end together, each with a CT_SHED of its own.
	 *   obj    the user id; with CT_GV_CGROUP the id of the control group
	 *   state, wait  the step in force
	 *   x[0]   begin: equal to ts; end: when the cap began
	 *   peer   end: for the group that was capped first, how many records of all groups were
	 *          left out since x[0] (saturating); for the other groups, 0
	 *
	 * With CT_GV_CAP and CT_GV_GROUP: the cap of one task of a capped group begins or ends. A
	 * task that makes no records while the group is capped has no such CT_SHED. If the fork of
	 * a task is left out, all records of this task can be missing, also its CT_TASK, its execs
	 * and its end.
	 *   peer   0, because the records that were left out are counted for the group
	 *   x[0]   begin: equal to ts; end: when the first of the capped groups was capped
	 *   x[1]   begin: 0
	 */
	CT_SHED = 27,
	/*
	 * Says what a task does, and since when, while the switches of the task are not recorded.
	 * - The daemon writes such records in a coarse step (CT_SHED_COARSE or CT_SHED_PAUSES), and
	 *   at the end of a coarse step.
	 * - In a coarse step or under a cap, a BPF program writes a CT_FOUND_WAITED when a wait of
	 *   CT_COARSE_NS or more ends.
	 *   tid    the task
	 *   aux    what the task does (enum ct_found)
	 *   state, wait, flags, nr, obj  with CT_FOUND_BLOCKED and CT_FOUND_WAITED: as CT_SWITCH
	 *   flags  with CT_FOUND_QUEUED: CT_SF_THROTTLED or 0
	 *   peer   the number of context switches of the task so far (low 32 bits)
	 *   x[0]   since when the task does this; CT_FOUND_FOLDED: equal to ts
	 *   x[1]   low 32 bits: CPU time of the task so far; high 32 bits: its time in the queues of
	 *          CPUs so far. Both count units of CT_FOUND_UNIT_NS, modulo 2^32
	 */
	CT_FOUND = 28,
	/*
	 * A program or a script marks a moment (ctrace mark, ctrace-marks.h), or a task calls a function
	 * that a framework describes (CT_MF_CALL). Since version 1.7 of the format.
	 *   tid    the task that made the mark
	 *   state  CT_MARK_*
	 *   flags  CT_MF_*
	 *   aux    with CT_MF_STREAM: the framework, as in a CT_JOB
	 *   obj    the name of the mark (CT_OBJ_MARK)
	 *   x[0]   the id of the transaction; 0: none
	 *   x[1]   when the mark was made; not after ts
	 */
	CT_MARK = 29,
	/*
	 * A task takes an event of the display server, such as a key press, or draws an update of the
	 * display. Since version 1.11 of the format. There is no record of which key or button it was.
	 *   tid    the task
	 *   state  CT_INPUT_*
	 *   flags  CT_IF_*
	 *   aux    the framework: as in a CT_JOB
	 *   x[0]   when the display server says that the input happened: ns since boot, in steps of
	 *          a millisecond; 0: not known
	 *   x[1]   0
	 */
	CT_INPUT = 30,
	/*
	 * The stack of a task that enqueues a job. Only some enqueues have one (bpf/uprobe.bpf.c). Since
	 * version 1.12 of the format.
	 *   ts     that of the CT_JOB of the enqueue
	 *   tid    the task
	 *   aux    the framework: as in a CT_JOB
	 *   obj    the queue (CT_OBJ_QUEUE), or 0
	 *   x[0]   the job: as in a CT_JOB
	 *   x[1]   stack id (CT_STACK blob)
	 */
	CT_JOB_STACK = 31,
	/*
	 * A strand waits for a lock, or releases one. A strand is what the runtime of a language runs on its
	 * threads, such as a goroutine. Only calls that wait, or that may end a wait, have a record. Since
	 * version 1.12 of the format. Some releases also have a CT_JOB_STACK, with the strand as its job.
	 *   tid    the task
	 *   state  CT_LOCK_*
	 *   aux    the framework: as in a CT_JOB
	 *   obj    the lock (CT_OBJ_QUEUE)
	 *   x[0]   the strand: an address, which together with the tgid names one strand while that strand
	 *          lives
	 *   x[1]   0
	 */
	CT_LOCK = 32,
	CT_KIND_LAST = CT_LOCK,

	CT_TASK = 64,
	CT_OBJECT = 65,
	CT_STACK = 66,      /* in files only */
	CT_RAWSTACK = 67,   /* struct ct_rawstack_blob, from the kernel to the daemon */
	CT_RAWACCESS = 68,  /* struct ct_rawaccess_blob, from the kernel to the daemon */
	CT_CMDLINE = 69,    /* in files only; since version 1.6 of the format */
	CT_RAWCMDLINE = 70, /* struct ct_rawcmdline_blob, from the kernel to the daemon */
	CT_RAWCRASH = 71,   /* struct ct_rawcrash_blob, from the kernel to the daemon */
	CT_RAWJOB = 72,     /* struct ct_rawjob_blob, from the kernel to the daemon */
};

struct ct_rec {
	ct_u64 ts;
	ct_u8 kind;
	ct_u8 state;
	ct_u8 wait;
	ct_u8 flags;
	ct_u32 tid;
	ct_u32 peer;
	ct_u16 nr;
	ct_u16 aux;
	ct_u64 obj;
};
_Static_assert(sizeof(struct ct_rec) == 32, "ct_rec");

#define CT_KIND_WORDS(kind)                                                                                  \
	((kind) == CT_FUTEX || (kind) == CT_BLK_ISSUE || (kind) == CT_BLK_DONE || (kind) == CT_FLOCK ||      \
			 (kind) == CT_HELD || (kind) == CT_EPMEMBER || (kind) == CT_SAMPLE ||                \
			 (kind) == CT_VISIT || (kind) == CT_GAP || (kind) == CT_ACCESS ||                    \
			 (kind) == CT_POLLED || (kind) == CT_JOB || (kind) == CT_HANG ||                     \
			 (kind) == CT_SHED || (kind) == CT_FOUND || (kind) == CT_MARK ||                     \
			 (kind) == CT_INPUT || (kind) == CT_JOB_STACK || (kind) == CT_LOCK                   \
		 ? 2                                                                                         \
		 : 0)
#define CT_KIND_IS_BLOB(kind) ((kind) >= 64)

#define CT_GAP_ALL_CPUS 0xffffffff

#define CT_NR_NONE    0xffff
#define CT_WAITFD_MAX 8
/* POLLIN, POLLPRI, POLLOUT, POLLRDNORM, POLLRDBAND, POLLWRNORM, POLLWRBAND: a poll without any of them is
 * ended by an error, the end of the connection, a signal or its time limit alone. */
#define CT_POLL_DATA 0x3c7
#define CT_FD_NONE    0xffffffffu /* the object is known, but not its descriptor */

/* Task states, as the low bits of the kernel's task->__state. */
#define CT_ST_RUNNING 0x00
#define CT_ST_SLEEP   0x01 /* interruptible */
#define CT_ST_DISK    0x02 /* uninterruptible */
#define CT_ST_STOPPED 0x04
#define CT_ST_TRACED  0x08
#define CT_ST_PARKED  0x40
#define CT_ST_DEAD    0x80

/* Why a task blocked. */
enum ct_wait {
	CT_W_NONE = 0, /* did not block; sched_yield has CT_W_YIELD */
	CT_W_FUTEX = 1,
	CT_W_READ = 2,
	CT_W_WRITE = 3,
	CT_W_POLL = 4, /* obj: the object of the only descriptor; 0: see CT_WAITFD */
	CT_W_EPOLL = 5,
	CT_W_ACCEPT = 6,
	CT_W_CONNECT = 7,
	CT_W_SLEEP = 8, /* nanosleep and its relatives, or a poll of nothing; obj 0 */
	CT_W_CHILD = 9, /* obj: the child (TASK or PIDFD); 0: any, or not known */
	CT_W_VFORK = 10,
	CT_W_SIGNAL = 11, /* pause, sigsuspend, sigtimedwait */
	CT_W_FLOCK = 12,
	CT_W_SYNC = 13, /* obj: file; 0: sync, msync */
	CT_W_FILE = 14,
	CT_W_OPEN = 15,    /* a call that takes a path */
	CT_W_SYSVIPC = 16, /* semop, msgrcv, mq_*; obj 0 */
	CT_W_FAULT = 17,   /* page fault from user mode */
	CT_W_STOPPED = 18, /* stopped, traced or frozen */
	CT_W_EXITED = 19,
	CT_W_KTHREAD = 20, /* a kernel thread; the reason is not known */
	CT_W_URING = 21,   /* io_uring_enter; obj: the ring */
	CT_W_OTHER = 22,
	CT_W_YIELD = 23, /* did not block: sched_yield */
	/* The kernel holds the task up until there is memory: the limit memory.high of its control
	 * group is reached, or the kernel frees pages. Since version 1.6 of the format. */
	CT_W_MEMORY = 24,
};

/* flags of CT_SWITCH */
#define CT_SF_PREEMPT  0x01
#define CT_SF_IOWAIT   0x02 /* task->in_iowait of the kernel is set */
#define CT_SF_TIMEOUT  0x04 /* the wait has a time limit */
#define CT_SF_COMPAT   0x08 /* a 32-bit system call; nr and obj are not decoded */
#define CT_SF_IDLE     0x10 /* TASK_IDLE: uninterruptible, but not counted in the load */
#define CT_SF_KTHREAD  0x20
#define CT_SF_ZEROWAIT 0x40
/* The task is runnable, but its control group, or a parent of it, has used up its CPU quota. Since
 * version 1.5 of the format. */
#define CT_SF_THROTTLED 0x80

enum ct_ctx {
	CT_CTX_TASK = 0,
	CT_CTX_SOFTIRQ = 1,
	CT_CTX_HARDIRQ = 2,
	CT_CTX_TIMER = 3,
	CT_CTX_IPI = 4, /* an interrupt from another CPU */
	CT_CTX_IRQ = 5, /* an interrupt or softirq of unknown kind */
};

enum ct_found {
	CT_FOUND_FOLDED = 0, /* the task runs, or waits for less than CT_COARSE_NS */
	CT_FOUND_QUEUED = 1,
	CT_FOUND_BLOCKED = 2,
	CT_FOUND_WAITED = 3, /* the task blocked from x[0] until ts; its CT_WAKE follows */
};
#define CT_FOUND_UNIT_NS 1024

/* Shorter waits are not recorded in the steps CT_SHED_COARSE and CT_SHED_PAUSES, nor while their task
 * has a cap (CT_GV_CAP). */
#define CT_COARSE_NS 8000000ULL

/* flags of CT_WAKE */
/* obj is a socket that has bytes or a connection for the wakee. */
#define CT_WF_READY   0x01
#define CT_WF_SELF    0x02
#define CT_WF_KTHREAD 0x04 /* the task on the CPU is a kernel thread or an io_uring worker */
#define CT_WF_EXITING 0x08 /* the task on the CPU is exiting */
#define CT_WF_FROZEN  0x20 /* the wake-up ends a freeze of the wakee, not a wait */
/* The idle task was on the CPU, so an interrupt woke the wakee, whatever `state` says. */
#define CT_WF_IDLE 0x10

#define CT_LF_THREAD     0x01 /* fork: the new task is a thread of the same process */
#define CT_LF_GROUP_DEAD 0x02 /* exit: the task was the last thread of its process */

#define CT_GF_FATAL   0x01 /* the default action is to kill, and there is no handler */
#define CT_GF_IGNORED 0x02 /* the target ignores the signal, has it pending, or has a full queue */
#define CT_GF_GROUP   0x04 /* sent to the process, not to one thread */
#define CT_GF_KERNEL  0x08 /* the kernel sent the signal, not a call such as kill() */

#define CT_FF_READ  0x01
#define CT_FF_WRITE 0x02
#define CT_FF_LOCK  0x04 /* the open file has a lock of flock(), or an OFD lock; set by the daemon */

#define CT_PF_KERNEL 0x01
/* The signals that dump core by default; bit 0 is signal 1. SIG_KERNEL_COREDUMP_MASK of
 * include/linux/signal.h: QUIT, ILL, TRAP, ABRT, BUS, FPE, SEGV, XCPU, XFSZ, SYS */
#define CT_SIGNAL_BIT(sig) (1ULL << ((sig)-1))
#define CT_CORE_SIGNALS                                                                                      \
	(CT_SIGNAL_BIT(3) | CT_SIGNAL_BIT(4) | CT_SIGNAL_BIT(5) | CT_SIGNAL_BIT(6) | CT_SIGNAL_BIT(7) |      \
	 CT_SIGNAL_BIT(8) | CT_SIGNAL_BIT(11) | CT_SIGNAL_BIT(24) | CT_SIGNAL_BIT(25) | CT_SIGNAL_BIT(31))

/* A signal that dumps core was delivered to the task at this moment. The stack has only user frames,
 * and x[1] is 0. Since version 1.9 of the format. */
#define CT_PF_FATAL 0x02

/* aux of CT_VISIT: the lock for which the task waits. 0: no lock of these kinds was found. */
#define CT_VL_DATABASE 0x01 /* the lock manager of a database has the lock */
#define CT_VL_NO_TASK  0x02 /* the owner is no task: a prepared transaction */
#define CT_VL_JAVA     0x04 /* a monitor or a lock of java.util.concurrent of a Java virtual machine */
#define CT_VL_MONITOR  0x08 /* with CT_VL_JAVA: a monitor */
/* With CT_VL_JAVA: no lock, but the end of a FutureTask, which the owner runs. With CT_VL_MONITOR too:
 * Object.wait() for a Thread, as in Thread.join(); the owner is this thread. Since version 1.11 of the
 * format. */
#define CT_VL_TASK 0x20
/* A semaphore or a message queue of System V. The owner is a process: the last one that took the semaphore,
 * or the one that has to receive from the queue or to send to it (procfs/procqueue.h). */
#define CT_VL_SYSV 0x10

/* flags of CT_POLLED */
/* The address of the variable is the content of a register plus a number. The register had the same content
 * each time that the daemon looked at the task. */
#define CT_QF_REG  0x01
#define CT_QF_CODE 0x02 /* an instruction of the program seems to read the variable */
#define CT_QF_SPIN 0x04 /* the task does not sleep between two reads of the variable */

/* The address to which a datagram was sent on a socket that is not connected. Since version 1.10 of the
 * format. An IPv4 address of all zeros counts as the address to which the sending socket is bound, or
 * else as the loopback address: the kernel sends there. Also, :: counts as ::1. */
enum ct_dest {
	CT_DEST_NONE = 0, /* the socket is connected, or the address is not known */
	CT_DEST_IPV4 = 1, /* also an IPv4 address on a socket of IPv6 */
	CT_DEST_IPV6 = 2,
	CT_DEST_UNIX = 3,
};
/*
 * The hash of the name of a unix socket, in the form of ct_object_blob.name: zeros fill the name up to
 * CT_DEST_NAME_WORDS words of 64 bits. The hash starts at 0, and takes in word by word. Its high 48
 * bits count.
 */
#define CT_DEST_NAME_WORDS           14
#define CT_DEST_NAME_ADD(hash, word) (((hash) ^ (word)) * 0x9e3779b97f4a7c15ULL ^ ((hash) ^ (word)) >> 29)

enum ct_job {
	CT_JOB_ENQUEUE = 0,
	CT_JOB_START = 1,
	CT_JOB_END = 2,
	/* The probes of a framework are detached. Repeated until they are attached again. */
	CT_JOB_OFF = 3,
	/* The probes are attached again. At its start, the daemon writes one for each framework, with x[0]
	 * equal to ts: an earlier daemon may have ended after a CT_JOB_OFF. */
	CT_JOB_ON = 4,
};
/*
 * Flag of a CT_JOB_END: the framework does not report the ends of jobs. So this record comes with
 * the start of the job, or when the probed function returns. The next work of the task still
 * belongs to the job, until the task begins another job or idles.
 */
#define CT_JF_LOOSE 0x01
#define CT_JF_AGAIN 0x02 /* flag of a CT_JOB_OFF that repeats an earlier one */

#define CT_RECV_STRAND 1 /* state of a CT_RECV */

enum ct_lock {
	CT_LOCK_WAIT = 0,  /* the strand begins to wait, behind the others that wait for this lock */
	CT_LOCK_AGAIN = 1, /* the strand was woken, did not get the lock, and waits before all others */
	CT_LOCK_RELEASE = 2,
};

enum ct_input {
	CT_INPUT_OTHER = 0, /* an event that is no input, such as that a window is visible now */
	CT_INPUT_KEY = 1,
	CT_INPUT_KEY_UP = 2,
	CT_INPUT_BUTTON = 3, /* of a pointer, such as a mouse */
	CT_INPUT_BUTTON_UP = 4,
	CT_INPUT_MOTION = 5,
	CT_INPUT_TOUCH = 6,
	CT_INPUT_TOUCH_UP = 7,
	CT_INPUT_DRAW = 8, /* no event: the task draws an update of the display */
};
#define CT_IF_DRAWS 0x01 /* the framework of this record also reports CT_INPUT_DRAW */

enum ct_mark { CT_MARK_POINT = 0, CT_MARK_BEGIN = 1, CT_MARK_END = 2 };
#define CT_MF_PARENT 0x01 /* the mark is about the task that started tid, such as a shell */
#define CT_MF_HASHED 0x02 /* x[0] is a hash: the id is no number, or 0, or too long, or redacted */
/* The task calls a function. obj: the name of the function, or "NAME: TEXT" if the call has a text. */
#define CT_MF_CALL 0x04
/* The begin or the end of a request that shares its connection with others, as a stream of HTTP/2. The begin
 * belongs to the connection from which the task has received last. */
#define CT_MF_STREAM 0x08
/*
 * The names of calls that report an exception or an error for which the program has no handler
 * (doc/crashes.md):
 * - CT_CALL_EXCEPTION ends the thread. Only that of the first thread ends the process.
 * - CT_CALL_FATAL and CT_CALL_ERROR end the process, whichever thread reports them.
 */
#define CT_CALL_EXCEPTION "uncaught exception"
#define CT_CALL_FATAL     "fatal exception"
#define CT_CALL_ERROR     "fatal error"

enum ct_hang {
	CT_HANG_LOOP = 0,    /* the task has not returned to its event loop as usual */
	CT_HANG_BUSY = 1,    /* as CT_HANG_LOOP, but the task runs */
	CT_HANG_STARVED = 2, /* the task is runnable, but gets no CPU */
	CT_HANG_DISK = 3,    /* the task is uninterruptible */
	CT_HANG_DEADLOCK = 4,
	CT_HANG_SERVICE = 5, /* a socket has unread bytes; its reader no longer answers as usual */
	/* no hang: a signal that dumps core ends the process of tid. x[0]: when tid got the signal */
	CT_HANG_CRASH = 6,
	/* no hang: the process ends with an exit status other than 0 after tid had reported an exception; or
	 * tid, which is not the first thread, ends after it. x[0]: when tid reported it */
	CT_HANG_EXCEPTION = 7,
	CT_HANG_RULES = 8,
};

/*
 * Steps by which the tracer records less. The present tracer uses NONE and 7 to 9. Steps 1 to 6 are
 * of traces up to version 1.3 of the format. A step from 1 to 6 includes the lower steps. A step
 * from 7 to 9 includes the lower steps down to 7. ct_shed_lacks() says what is missing.
 */
enum ct_shed {
	CT_SHED_NONE = 0,
	CT_SHED_SAMPLES = 1,
	CT_SHED_STACKS = 2,
	CT_SHED_MESSAGES = 3,
	CT_SHED_WAKES = 4,
	CT_SHED_WAITS = 5,
	CT_SHED_PAUSE = 6,
	/* No CT_SEND and CT_RECV. If an interrupt other than a timer wakes a task, the CT_WAKE has
	 * CT_CTX_IRQ. But if the task waited for CT_COARSE_NS or more, the CT_WAKE often has the kind
	 * of the interrupt. */
	CT_SHED_HOOKS = 7,
	/* Also no CT_SWITCH and CT_WAKE_NEW, and CT_FUTEX only from inspections. A wait of
	 * CT_COARSE_NS or more has a CT_FOUND and a CT_WAKE. If it is a wait for a set of
	 * descriptors, it may also have CT_WAITFD. Shorter waits have only sums in CT_FOUND. */
	CT_SHED_COARSE = 8,
	CT_SHED_PAUSES = 9, /* at times, nothing is recorded: a CT_GAP with CT_LOSS_SHED says when */
	CT_SHED_STEPS = 10,
};
/* Without CT_GV_CAP and CT_GV_GROUP, a CT_SHED is about a step. Otherwise, it is about a cap:
 * - CT_GV_CAP alone: the cap of one task
 * - CT_GV_GROUP alone: the cap of a group (govern_group())
 * - both: the cap of one task, because its group is capped */
#define CT_GV_CAP    0x01
#define CT_GV_GROUP  0x02
#define CT_GV_CGROUP 0x04
#define CT_GV_BLIND  0x08 /* no inspections (stacks of long waits, polled variables), whatever the step */

enum ct_loss {
	CT_LOSS_RING_FULL = 0,
	CT_LOSS_STORAGE = 1, /* no memory for the struct task_state (bpf/maps.h) of a new task */
	CT_LOSS_OBJECTS = 2, /* no room to note that an object's name is recorded */
	CT_LOSS_DAEMON = 3,  /* the daemon refused a malformed record, or had no memory */
	CT_LOSS_DISK = 4,
	CT_LOSS_SLOT = 5, /* found by the reader: a file segment is damaged or missing */
	CT_LOSS_DOWN = 6, /* found by the reader: the daemon did not run */
	CT_LOSS_SHED = 7, /* left out on purpose, to keep within the budget */
	CT_LOSS_CAUSES = 8,
};
/* Only from the kernel to the daemon: the side ring was full (bpf/emit.h). In the trace, this is a
 * CT_LOSS_RING_FULL with CT_GF_SIDE. */
#define CT_LOSS_SIDE    CT_LOSS_CAUSES
#define CT_LOSS_COUNTED (CT_LOSS_CAUSES + 1)
/* flags of a CT_GAP: only records of probes (jobs, marks, inputs) or stacks of crashes are lost */
#define CT_GF_SIDE 0x01

/*
 * Objects. An id is kind << 59 | 59 bits of identity:
 *   SOCK, PIPE     inode number, as in socket:[N] and pipe:[N]. A SOCK without an inode (not
 *                  accepted yet, or closed): low 58 bits of its address | CT_OBJ_NOT_ACCEPTED
 *   FILE, DIR      CT_OBJ_HASH(device, inode number), device as the kernel encodes it
 *   CHARDEV, TTY   as FILE; the master side of a pseudo terminal (/dev/ptmx): the id of its slave side
 *                  (/dev/pts/N) ^ CT_OBJ_PTY_MASTER
 *   BLOCKDEV       the dev_t
 *   EVENTFD..ANON  low 59 bits of file->private_data; PIDFD since Linux 6.9: of inode->i_private
 *   FUTEX          user address (47 bits) | low 12 bits of the tgid << 47
 *   TASK           tid
 *   CGROUP         inode number of its directory. In its CT_OBJECT, name is the path below the root
 *                  of the hierarchy. peer is 0, or the object CT_OBJ_CONTAINER_ID(), whose name is
 *                  the name of the container. Or CT_OBJ_QUOTA_ID(), or CT_OBJ_MEMORY_ID(): see there
 *   DATA, QUEUE    as FUTEX
 *   MARK           a hash of the name (CT_MARK_NAME_MAX)
 * The name of FUTEX and DATA is the symbol, such as "flag (a.out)", where known.
 *
 * Two processes share an id of FUTEX, DATA or QUEUE if their pids are a multiple of 4096 apart and
 * they use the same address at the same time. This can happen without address randomisation, or to
 * a parent and a child that was forked 4096 processes later. Their waits then look like waits on
 * one object. Wake-ups stay right, because the record of a wake-up names the two tasks. But the
 * last owner of such an object, or its other waiters, may belong to the other process.
 */
enum ct_obj_kind {
	CT_OBJ_NONE = 0,
	CT_OBJ_FUTEX = 1,
	CT_OBJ_PIPE = 2,
	CT_OBJ_SOCK = 3,
	CT_OBJ_FILE = 4,
	CT_OBJ_DIR = 5,
	CT_OBJ_BLOCKDEV = 6,
	CT_OBJ_CHARDEV = 7,
	CT_OBJ_EVENTFD = 8,
	CT_OBJ_EPOLL = 9,
	CT_OBJ_TIMERFD = 10,
	CT_OBJ_SIGNALFD = 11,
	CT_OBJ_INOTIFY = 12,
	CT_OBJ_PIDFD = 13,
	CT_OBJ_URING = 14,
	CT_OBJ_ANON = 15, /* another anonymous inode */
	CT_OBJ_TASK = 16,
	CT_OBJ_FUSEDEV = 17, /* an open /dev/fuse; low 59 bits of file->private_data */
	CT_OBJ_TTY = 18,
	CT_OBJ_FIFO = 19, /* a named pipe; CT_OBJ_HASH(dev, ino) */
	CT_OBJ_DATA = 20, /* a variable in a process */
	CT_OBJ_QUEUE = 21,
	CT_OBJ_CGROUP = 22,
	CT_OBJ_MARK = 23,
};
#define CT_OBJ_SHIFT           59
#define CT_OBJ_MASK            ((1ULL << CT_OBJ_SHIFT) - 1)
#define CT_OBJ_ID(kind, ident) ((ct_u64)(kind) << CT_OBJ_SHIFT | ((ct_u64)(ident)&CT_OBJ_MASK))
#define CT_OBJ_KIND(id)        ((enum ct_obj_kind)((id) >> CT_OBJ_SHIFT))
/* dev: major << 20 | minor, as inside the kernel */
#define CT_OBJ_HASH(dev, ino) (((ct_u64)(ino) ^ ((ct_u64)(dev)*0x9e3779b97f4a7c15ULL)) & CT_OBJ_MASK)
/* For things that a process names by an address: FUTEX, DATA, QUEUE. */
#define CT_OBJ_USER_ID(kind, tgid, uaddr)                                                                    \
	CT_OBJ_ID(kind, ((ct_u64)(uaddr) & ((1ULL << 47) - 1)) | (ct_u64)((tgid)&0xfff) << 47)
#define CT_OBJ_FUTEX_ID(tgid, uaddr) CT_OBJ_USER_ID(CT_OBJ_FUTEX, tgid, uaddr)

#define CT_OBJ_NOT_ACCEPTED         (1ULL << 58)
#define CT_OBJ_PTY_MASTER           (1ULL << 58)
#define CT_OBJ_CONTAINER_ID(cgroup) CT_OBJ_ID(CT_OBJ_CGROUP, (ct_u64)(cgroup) | 1ULL << 58)
/* The CPU quota that the task has used up. name is the control group with the quota: that of the task, or one
 * above it. x: the CPU time in us that the group may use in each period; dev: the period in us. */
#define CT_OBJ_QUOTA_ID(tid) CT_OBJ_ID(CT_OBJ_CGROUP, (ct_u64)(tid) | 1ULL << 57)
/* The smallest memory limit of a task that waited for memory. name is the control group with the limit: that
 * of the task, or one above it. x: the limit in bytes. */
#define CT_OBJ_MEMORY_ID(tid) CT_OBJ_ID(CT_OBJ_CGROUP, (ct_u64)(tid) | 1ULL << 56)

/* The start of every blob. size: bytes of the whole blob, a multiple of 8. */
struct ct_blob {
	ct_u64 ts;
	ct_u8 kind;
	ct_u8 flags;
	ct_u16 size;
	ct_u32 tid;
};
_Static_assert(sizeof(struct ct_blob) == 16, "ct_blob");

#define CT_COMM_LEN   16
#define CT_TF_KTHREAD 0x01
#define CT_TF_EXEC    0x02
#define CT_TF_FORK    0x04
#define CT_TF_RENAME  0x08
#define CT_TF_FOUND   0x10
#define CT_TF_TRACER  0x20 /* set by the daemon: the task belongs to ctrace */
/* The identity of a task. Written at fork, exec and rename, and for tasks that the task iterator
 * finds. */
struct ct_task_blob {
	struct ct_blob h; /* h.tid: the task; h.flags: CT_TF_* */
	ct_u32 tgid;
	ct_u32 ppid; /* tgid of the parent */
	ct_u64 cgroup_id;
	ct_u64 start_ns;
	ct_u32 uid;
	ct_u32 pidns; /* inode number */
	char comm[CT_COMM_LEN];
};
_Static_assert(sizeof(struct ct_task_blob) == 64, "ct_task_blob");

#define CT_CMDLINE_MAX 256
/*
 * The command line of a process. Written in four cases:
 * - at an exec
 * - when the daemon has read the command line in /proc
 * - after a fork, as a copy of the parent's command line
 * - when the daemon notices an exec that was not recorded; len is 0
 */
struct ct_cmdline_blob {
	struct ct_blob h; /* h.tid: the process (tgid); h.ts: since when the command line is known */
	ct_u16 len;
	ct_u16 pad[3];
	/* len bytes, padded with 0 to a multiple of 8: the arguments with spaces in between. "..."
	 * stands for arguments that were left out. */
	char text[];
};
_Static_assert(sizeof(struct ct_cmdline_blob) == 24, "ct_cmdline_blob");

/*
 * The arguments of an exec as they lie in memory, each with a 0 at its end. If they are longer than
 * CT_RAWCMDLINE_MAX, args has CT_RAWCMDLINE_HEAD bytes from their start, and then bytes from their
 * end.
 */
#define CT_RAWCMDLINE_MAX  1024
#define CT_RAWCMDLINE_HEAD 768
struct ct_rawcmdline_blob {
	struct ct_blob h;
	ct_u32 bytes;
	ct_u32 exec_id; /* as ct_iter_task.exec_id */
	char args[CT_RAWCMDLINE_MAX];
};
_Static_assert(sizeof(struct ct_rawcmdline_blob) == 24 + CT_RAWCMDLINE_MAX, "ct_rawcmdline_blob");

#define CT_OBJ_NAME_MAX  160
#define CT_MARK_NAME_MAX 48
/*
 * The description of an object. Written when the object is first seen, and again when a missing
 * part (peer, remote address) is known, or the socket's state or the inode's generation has
 * changed.
 */
struct ct_object_blob {
	struct ct_blob h; /* h.tid: a task that used it */
	ct_u64 id;
	ct_u64 ino;
	/* unix: id of the other end; CGROUP: see Objects above; 0: not known */
	ct_u64 peer;
	/* number of the device (CHARDEV, TTY, FUSEDEV) or file system (others), in kernel
	 * encoding; CGROUP: see Objects above */
	ct_u32 dev;
	ct_u32 fs_magic;
	ct_u16 family;
	ct_u16 type;
	ct_u8 protocol;
	ct_u8 state;  /* of a socket, also a unix socket: its state (TCP_*) when the blob was written */
	ct_u16 lport; /* host byte order */
	ct_u16 rport;
	ct_u16 name_len;
	ct_u32 netns;    /* inode number of the network namespace */
	ct_u8 laddr[16]; /* IPv4 in the first 4 bytes, network order */
	ct_u8 raddr[16];
	/* SOCK: address of struct sock; PIDFD: the pid; FUSEDEV: device number of its mount;
	 * CGROUP: see Objects above */
	ct_u64 x;
	/*
	 * name_len bytes, padded with 0 to a multiple of 8: a path, a unix socket path ('@' first
	 * if abstract), or another name. A path that has lost its first parts starts with ".../".
	 */
	char name[];
};
_Static_assert(sizeof(struct ct_object_blob) == 104, "ct_object_blob");

/*
 * A stack with names: n_frames strings, each with a 0 at its end, innermost frame first. Kernel
 * frames come first, with the prefix "k:". trace/words/frame.h lists the forms of a frame.
 */
struct ct_stack_blob {
	struct ct_blob h;
	ct_u64 id; /* a hash of the frames, never 0 */
	ct_u16 n_frames;
	ct_u16 pad[3];
	char frames[];
};
_Static_assert(sizeof(struct ct_stack_blob) == 32, "ct_stack_blob");

#define CT_RAWSTACK_MAX 48
struct ct_rawstack_blob {
	struct ct_blob h;
	ct_u64 ran_ns; /* CPU time since the task last blocked */
	ct_u16 nr;
	ct_u8 n_kernel;
	ct_u8 n_user;
	ct_u32 tgid;
	ct_u64 ip[]; /* of n_kernel kernel frames, then of n_user user frames */
};
_Static_assert(sizeof(struct ct_rawstack_blob) == 32, "ct_rawstack_blob");

#define CT_CRASH_MAPS  48
#define CT_CRASH_STACK 8192
/* An executable mapping. */
struct ct_crash_map {
	ct_u64 start, end, off;
	ct_u64 ino;
	ct_u32 dev; /* in kernel encoding; 0: no file */
	ct_u32 pad;
	char path[CT_OBJ_NAME_MAX]; /* with a 0 at its end; "": no file */
};
_Static_assert(sizeof(struct ct_crash_map) == 200, "ct_crash_map");
/*
 * A task at the delivery of a signal that ends its process. With these members, the daemon finds the
 * stack of the task after the process is gone. The daemon turns the blob into a CT_SAMPLE with
 * CT_PF_FATAL.
 */
struct ct_rawcrash_blob {
	struct ct_blob h; /* h.flags: the signal */
	ct_u32 tgid;
	ct_u32 ppid; /* tgid of the parent */
	ct_u16 nr;   /* system call of the task */
	ct_u16 n_maps;
	ct_u32 n_stack;                          /* bytes in `stack` */
	ct_u64 regs[34];                         /* as ct_iter_task.regs */
	struct ct_crash_map maps[CT_CRASH_MAPS]; /* in order of address */
	char stack[CT_CRASH_STACK];              /* the memory from the stack pointer on */
};
_Static_assert(sizeof(struct ct_rawcrash_blob) == 16 + 16 + 34 * 8 + CT_CRASH_MAPS * 200 + CT_CRASH_STACK,
	       "ct_rawcrash_blob");

#define CT_RAWJOB_STACK 8192
/* A task that enqueues a job. The daemon finds the stack with these members, and turns the blob into a
 * CT_JOB_STACK. */
struct ct_rawjob_blob {
	struct ct_blob h; /* h.ts: that of the CT_JOB */
	ct_u32 tgid;
	ct_u16 framework;
	ct_u16 n_stack; /* bytes in `stack` */
	ct_u64 queue;   /* as CT_JOB_STACK.obj */
	ct_u64 job;
	ct_u64 regs[34]; /* as ct_iter_task.regs */
	char stack[];    /* the memory from the stack pointer on, at most CT_RAWJOB_STACK bytes */
};
_Static_assert(sizeof(struct ct_rawjob_blob) == 40 + 34 * 8, "ct_rawjob_blob");

/*
 * An access to the variable of a watchpoint. n_user stack addresses follow. The daemon turns this
 * blob into a CT_ACCESS, with h.flags as its state.
 */
struct ct_rawaccess_blob {
	struct ct_blob h;
	ct_u64 addr;
	ct_u64 value;
	ct_u32 tgid;
	ct_u8 len;
	ct_u8 n_user;
	ct_u16 pad;
	ct_u64 ip[];
};
_Static_assert(sizeof(struct ct_rawaccess_blob) == 40, "ct_rawaccess_blob");

/*
 * The task iterator writes a struct ct_iter_task for each task, back to back. If only states are
 * needed, the iterator leaves out args and the members that follow args.
 */
#define CT_ITER_KSTACK 32
#define CT_ITER_SEMS   8
struct ct_iter_task {
	struct ct_task_blob task;
	/*
	 * A CT_SWITCH, as if the task blocked now. aux: priority of the task. peer: 1 + the CPU
	 * on which the task runs; 0: it runs on none.
	 */
	struct ct_rec wait;
	/* self_exec_id of the kernel (low 32 bits): changes with each exec, and a fork copies it. 0
	 * for kernel threads. */
	ct_u32 exec_id;
	ct_u32 n_kstack; /* the iterator writes 0; the daemon counts the frames */
	/* boot time when the task blocked, or began to wait for a CPU; if it runs: when the kernel
	 * last updated its CPU time; 0: not known */
	ct_u64 sched_since;
	ct_u64 times;    /* as CT_FOUND.x[1] */
	ct_u64 switches; /* as CT_FOUND.peer */
	/* ns of the scheduler's clock; 0: not known. Of a real-time task: when it last got a CPU. Of
	 * another task: when it last left the CPU; if it runs: when the kernel last updated its CPU
	 * time */
	ct_u64 sched_left;
	ct_u64 jiffies;
	ct_u64 args[6];
	/*
	 * x86-64: r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp ss.
	 * arm64: x0..x30 sp pc. The rest is 0. All are 0 for kernel threads.
	 */
	ct_u64 regs[34];
	ct_u64 kstack[CT_ITER_KSTACK];
	/* If the task waits in a system call for semaphores of System V: the first ones of its set. Each
	 * one has its value in the high 32 bits. The low 32 bits have the id of the process that changed
	 * it last, or waited until it was 0; 0: none, or it is gone. Otherwise all are 0, or without
	 * a meaning. */
	ct_u64 sems[CT_ITER_SEMS];
};
/*
 * The task_file iterator writes CT_FD and CT_EPMEMBER records and CT_OBJECT blobs, back to back.
 * The kind byte at offset 8 tells them apart.
 */

struct ct_cpu_stats {
	ct_u64 lost[CT_LOSS_COUNTED];
	/* time of the first loss since the daemon last wrote 0 here */
	ct_u64 lost_first_ns[CT_LOSS_COUNTED];
	ct_u64 lost_last_ns[CT_LOSS_COUNTED];
};

#endif
