/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi.h - every byte that the kernel side hands up.
 *
 * Shared by the BPF programs, the daemon and every reader of a trace: the
 * fixed records below are stored in the trace column by column and come back
 * from the reader unchanged.  Values are append-only; little-endian.
 *
 * Times are CLOCK_BOOTTIME nanoseconds.  Task ids are those of the initial pid
 * namespace.  The idle task of CPU n has tid 0 in records; readers call it
 * -(n+1).
 */
#ifndef CTRACE_ABI_H
#define CTRACE_ABI_H

#ifndef __bpf__
#include <stdint.h>
typedef uint8_t ct_u8;
typedef uint16_t ct_u16;
typedef uint32_t ct_u32;
typedef uint64_t ct_u64;
typedef int32_t ct_s32;
#else
typedef unsigned char ct_u8;
typedef unsigned short ct_u16;
typedef unsigned int ct_u32;
typedef unsigned long long ct_u64;
typedef int ct_s32;
#endif

/*
 * Record kinds.  1..63 are fixed records (struct ct_rec, followed by
 * CT_KIND_WORDS() extra 64-bit words); 64..127 are blobs (struct ct_blob).
 * After each: what the fields of struct ct_rec hold; a field not named is 0.
 */
enum ct_kind {
	/*
	 * A context switch.  tid: previous task, peer: next task, state: state
	 * of the previous task (CT_ST_*), wait: why it blocked (CT_W_*),
	 * flags: CT_SF_*, nr: its system call (CT_NR_NONE: none), obj: what it
	 * waits for, aux: priority of previous (low byte) and next (high byte)
	 * as the kernel's task->prio (0..139).
	 */
	CT_SWITCH = 1,
	/*
	 * A wake-up (sched_waking).  tid: the task woken, peer: the task on the
	 * CPU at that moment, state: context (CT_CTX_*), wait: softirq vector
	 * or 0, flags: CT_WF_*, nr: the waker's system call, obj: the object the
	 * waker acted on; with CT_WF_READY the socket (of the wakee's side) that
	 * became readable; in CT_CTX_TIMER the address of the timer function.
	 * aux: low byte the wait kind CT_W_* of the waker's system call.
	 */
	CT_WAKE = 2,
	/* First wake of a new task.  tid: new task, peer: the creator. */
	CT_WAKE_NEW = 3,
	/*
	 * Detail of a futex wait; precedes its CT_SWITCH; only where there is an
	 * owner.  tid: waiter, peer: owner read from user memory (glibc mutex or
	 * rwlock, PI or robust futex, or the thread that a join waits for), obj:
	 * the futex, x[0]: user address, x[1]: op | word at address << 32.
	 */
	CT_FUTEX = 4,
	/*
	 * One of the descriptors that a poll/ppoll/select waits on; written when
	 * the set changes, at most CT_WAITFD_MAX, and again once a second.
	 * tid: waiter, peer: fd, state: index in the set, wait: size of the set
	 * (255: or more), aux: poll events asked for, obj: the object.
	 */
	CT_WAITFD = 5,
	CT_FORK = 6, /* tid: parent, peer: child, obj: child's tgid; flags CT_LF_THREAD */
	CT_EXEC = 7, /* tid: the task, peer: its tid before the exec */
	/* tid: the task, peer: exit status as wait(2) has it, flags: CT_LF_GROUP_DEAD; obj: its tgid */
	CT_EXIT = 8,
	/* tid: sender (with CT_GF_KERNEL whoever was on the CPU), peer: target tid, state: signal, flags:
	 * CT_GF_*, nr: sender's syscall, obj: target's tgid, aux: low 16 bits of si_code */
	CT_SIGNAL = 9,
	CT_SIGDELIVER = 10, /* tid: target, state: signal, flags: CT_GF_FATAL */
	/* tid, peer: bytes, obj: the socket (of the sender's side).  Written when the call is done: the
	 * receiver may have been woken, and have received, before. */
	CT_SEND = 11,
	CT_RECV = 12,  /* tid, peer: bytes, obj: the socket (of the receiver's side) */
	CT_READY = 13, /* obj: tcp/udp socket that became readable, state: CT_CTX_* */
	/*
	 * Block request issued to / completed by the device.  tid: on CPU then,
	 * peer: bytes, state: 0 read 1 write 2 flush 3 discard 4 other,
	 * obj: the device (CT_OBJ_BLOCKDEV), x[0]: sector, x[1]: file
	 * (CT_OBJ_FILE id) whose page is in the request, 0 if not known.
	 */
	CT_BLK_ISSUE = 14,
	CT_BLK_DONE = 15,
	/*
	 * A file lock was asked for.  tid: the task, obj: the file, state: 0
	 * read 1 write 2 unlock, wait: 0 posix 1 flock 2 ofd, x[0]: start,
	 * x[1]: end (inclusive), peer: result as s32 (0 granted, -errno;
	 * 1 = FILE_LOCK_DEFERRED: it waits).
	 */
	CT_FLOCK = 16,
	/*
	 * Found at start, in a checkpoint or a snapshot, not an event:
	 * CT_HELD: a lock in /proc/locks; fields as CT_FLOCK, tid: holder's pid;
	 *          flags 1: it waits for the lock (is not a holder).
	 * CT_FD:   fd table entry; tid: tgid, peer: fd, obj: the object, flags: CT_FF_*.
	 * CT_EPMEMBER: member of an epoll set; tid: tgid, peer: fd, obj: the
	 *          member, x[0]: the epoll object, x[1]: events.
	 */
	CT_HELD = 17,
	CT_FD = 18,
	CT_EPMEMBER = 19,
	/*
	 * A long run was sampled.  tid: the task, nr: its system call, flags:
	 * CT_PF_KERNEL, obj: user instruction pointer, x[0]: stack id
	 * (CT_STACK blob) or 0, x[1]: ns on the CPU without blocking.
	 */
	CT_SAMPLE = 20,
	/*
	 * A long wait was inspected.  tid: the task, nr: its system call, state,
	 * wait: as CT_SWITCH, obj: the object, x[0]: stack id, x[1]: ns blocked.
	 */
	CT_VISIT = 21,
	/* Records lost.  tid: CPU (CT_GAP_ALL_CPUS: any), peer: how many (saturating; 0: not known),
	 * state: cause (CT_LOSS_*), x[0]: first, x[1]: last time at which it can have happened. ts = x[1]. */
	CT_GAP = 22,
	/*
	 * A watched variable was written or read.  tid: the task, state: 0 written, 1 read (without a
	 * change), aux: its length in bytes, obj: the variable (CT_OBJ_DATA), x[0]: its value afterwards,
	 * x[1]: stack id (CT_STACK blob) or 0.  Reads: only the first by each task after each change.
	 */
	CT_ACCESS = 23,
	/*
	 * A task that spins was looked at: a variable that it may be polling.  tid: the task, obj: the
	 * variable (CT_OBJ_DATA), flags: CT_QF_*, x[0]: its value then, x[1]: its address.
	 */
	CT_POLLED = 24,
	/*
	 * A framework's queue reports on a job.  tid: the task, state: CT_JOB_*, flags: CT_JF_*, obj: the
	 * queue (CT_OBJ_QUEUE) or 0, x[0]: the job (an address; with the tgid it names one job while that
	 * lives), x[1]: the function that it runs, 0 not known.
	 */
	CT_JOB = 25,
	/*
	 * The daemon noticed a hang by itself.  tid: who hangs, state: by which rule (CT_HANG_*), wait: as
	 * CT_SWITCH (CT_W_NONE: it runs or wants to run), nr: its system call, peer: the first task that it
	 * waits for, 0 not known, obj: what it waits for, x[0]: since when, x[1]: the rule's threshold in ns.
	 */
	CT_HANG = 26,
	/*
	 * The tracer changed how much it records, to keep its own cost within the budget.  state: the step
	 * now in force (CT_SHED_*; each includes those before it), wait: the step before, flags: CT_GV_*,
	 * tid: with CT_GV_CAP the task whose records are capped, else 0; peer: with CT_GV_CAP how many of its
	 * records were left out (saturating) since x[0], else 0; x[0]: since when the step before was in
	 * force, x[1]: the tracer's cost when it was decided, in millionths of the machine's CPU time.
	 * While a step is in force it is written again every few seconds, with state equal to wait.
	 * With CT_GV_CAP: a first record when the cap begins (x[0] equal to ts), one when it ends; that has
	 * what was found the task does then: aux: CT_W_*, and its state in the high byte (0: runs or wants
	 * to), nr, obj.  In between records about that task alone, or it and the idle task, are missing.
	 * With CT_GV_GROUP alone: the records of all tasks of a user, or of a control group, are left out.
	 * obj: the user id, or with CT_GV_CGROUP the control group's id; state, wait: the step in force; x[0]
	 * equal to ts: it begins, else it ended; peer: how many records were left out since x[0]
	 * (saturating; of several groups at a time the first has the number of all).  A task of the group
	 * that makes a record meanwhile has two of its own, with CT_GV_CAP and CT_GV_GROUP: at the first
	 * record that is left out, and when it ended.
	 */
	CT_SHED = 27,
	CT_KIND_LAST = CT_SHED,

	/* blobs */
	CT_TASK = 64,      /* struct ct_task_blob */
	CT_OBJECT = 65,    /* struct ct_object_blob */
	CT_STACK = 66,     /* struct ct_stack_blob: in files only */
	CT_RAWSTACK = 67,  /* struct ct_rawstack_blob: kernel to daemon only */
	CT_RAWACCESS = 68, /* struct ct_rawaccess_blob: kernel to daemon only */
};

/* Fixed records: 32 bytes, then CT_KIND_WORDS(kind) words of 8 bytes. */
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

/* The number of 64-bit words that follow a fixed record of this kind. */
#define CT_KIND_WORDS(kind)                                                                                  \
	((kind) == CT_FUTEX || (kind) == CT_BLK_ISSUE || (kind) == CT_BLK_DONE || (kind) == CT_FLOCK ||      \
			 (kind) == CT_HELD || (kind) == CT_EPMEMBER || (kind) == CT_SAMPLE ||                \
			 (kind) == CT_VISIT || (kind) == CT_GAP || (kind) == CT_ACCESS ||                    \
			 (kind) == CT_POLLED || (kind) == CT_JOB || (kind) == CT_HANG || (kind) == CT_SHED   \
		 ? 2                                                                                         \
		 : 0)
#define CT_KIND_IS_BLOB(kind) ((kind) >= 64)

#define CT_GAP_ALL_CPUS 0xffffffff

#define CT_NR_NONE    0xffff /* not in a system call */
#define CT_WAITFD_MAX 8

/* Task states, as the low bits of the kernel's task->__state. */
#define CT_ST_RUNNING 0x00
#define CT_ST_SLEEP   0x01 /* interruptible */
#define CT_ST_DISK    0x02 /* uninterruptible */
#define CT_ST_STOPPED 0x04
#define CT_ST_TRACED  0x08
#define CT_ST_PARKED  0x40
#define CT_ST_DEAD    0x80

/* Why a task blocked: a class of system call, or of what is not one. */
enum ct_wait {
	CT_W_NONE = 0,     /* did not block: preempted or yielded */
	CT_W_FUTEX = 1,    /* obj: futex */
	CT_W_READ = 2,     /* obj: what is read or received from */
	CT_W_WRITE = 3,    /* obj: what is written or sent to */
	CT_W_POLL = 4,     /* poll, select; obj: the only fd, or 0 with CT_WAITFD records */
	CT_W_EPOLL = 5,    /* obj: the epoll */
	CT_W_ACCEPT = 6,   /* obj: listening socket */
	CT_W_CONNECT = 7,  /* obj: socket */
	CT_W_SLEEP = 8,    /* nanosleep and kin, or a poll of nothing; obj 0 */
	CT_W_CHILD = 9,    /* wait4, waitid; obj: CT_OBJ_TASK of the pid asked for, 0: any */
	CT_W_VFORK = 10,   /* parent of a vfork; obj 0 */
	CT_W_SIGNAL = 11,  /* pause, sigsuspend, sigtimedwait */
	CT_W_FLOCK = 12,   /* flock, fcntl(F_SETLKW); obj: file */
	CT_W_SYNC = 13,    /* fsync and kin; obj: file */
	CT_W_FILE = 14,    /* another call on a descriptor (ioctl, getdents, ...); obj: it */
	CT_W_OPEN = 15,    /* calls that take a path */
	CT_W_SYSVIPC = 16, /* semop, msgrcv, mq_*; aux not used; obj 0 */
	CT_W_FAULT = 17,   /* page fault from user mode */
	CT_W_STOPPED = 18, /* stopped, traced or frozen */
	CT_W_EXITED = 19,  /* dead */
	CT_W_KTHREAD = 20, /* a kernel thread of its own doing */
	CT_W_URING = 21,   /* io_uring_enter; obj: the ring */
	CT_W_OTHER = 22,   /* another system call */
	CT_W_YIELD = 23,   /* not blocked: sched_yield */
};

/* flags of CT_SWITCH */
#define CT_SF_PREEMPT  0x01 /* previous task was preempted */
#define CT_SF_IOWAIT   0x02 /* in_iowait */
#define CT_SF_TIMEOUT  0x04 /* the wait has a time limit */
#define CT_SF_COMPAT   0x08 /* 32-bit system call: nr and obj not decoded */
#define CT_SF_IDLE     0x10 /* TASK_IDLE: uninterruptible but counts as idle */
#define CT_SF_KTHREAD  0x20
#define CT_SF_ZEROWAIT 0x40 /* a poll with a time limit of zero */

/* context of a wake */
enum ct_ctx { CT_CTX_TASK = 0, CT_CTX_SOFTIRQ = 1, CT_CTX_HARDIRQ = 2, CT_CTX_TIMER = 3, CT_CTX_IPI = 4 };

/* flags of CT_WAKE */
#define CT_WF_READY   0x01 /* obj is the socket that became readable */
#define CT_WF_SELF    0x02 /* the wakee is the current task */
#define CT_WF_KTHREAD 0x04 /* the waker is a kernel thread */
#define CT_WF_EXITING 0x08 /* the waker is exiting */
#define CT_WF_FROZEN  0x20 /* the wakee was frozen: this is the thaw, not what it waited for */
#define CT_WF_IDLE    0x10 /* the waker is the idle task (so an interrupt, whatever ctx says) */

#define CT_LF_THREAD     0x01 /* fork: a thread of the same process */
#define CT_LF_GROUP_DEAD 0x02 /* exit: the last thread of its process */

#define CT_GF_FATAL   0x01 /* default action is to kill and there is no handler */
#define CT_GF_IGNORED 0x02 /* ignored or already pending */
#define CT_GF_GROUP   0x04 /* to the process, not to a thread */
#define CT_GF_KERNEL  0x08 /* sent by the kernel, not by kill and kin */

#define CT_FF_READ  0x01 /* fd: open for reading */
#define CT_FF_WRITE 0x02 /* fd: open for writing */

#define CT_PF_KERNEL 0x01 /* sample: was in the kernel */

#define CT_QF_REG  0x01 /* polled: the address was in a register of every sample */
#define CT_QF_CODE 0x02 /* polled: the code that it runs names the address */
#define CT_QF_SPIN                                                                                           \
	0x04 /* polled: it did nothing but that, or yield, at every look, and the value did not change */

enum ct_job { CT_JOB_ENQUEUE = 0, CT_JOB_START = 1, CT_JOB_END = 2 };
/* End of a job: its function has returned, or nothing will tell of its end (then with the start).  What the
 * task does next (handing the result on) still belongs to the job, until it begins another one or idles. */
#define CT_JF_LOOSE 0x01

/* rules by which the daemon notices a hang */
enum ct_hang {
	CT_HANG_LOOP = 0,     /* used to return to its event loop, and has not: it is blocked elsewhere */
	CT_HANG_BUSY = 1,     /* the same, but it runs */
	CT_HANG_STARVED = 2,  /* the same, or any task: it wants to run and gets no CPU */
	CT_HANG_DISK = 3,     /* uninterruptible for too long */
	CT_HANG_DEADLOCK = 4, /* a cycle of tasks that wait for each other's locks */
	CT_HANG_SERVICE = 5,  /* a socket has unread bytes and its reader, who used to answer, does not */
	CT_HANG_RULES = 6,
};

/* What the tracer leaves out, in this order, to keep within its budget. */
enum ct_shed {
	CT_SHED_NONE = 0,
	CT_SHED_SAMPLES = 1,  /* no samples of long runs */
	CT_SHED_STACKS = 2,   /* no inspections of long waits, no polled variables */
	CT_SHED_MESSAGES = 3, /* no CT_SEND, CT_RECV, CT_READY */
	CT_SHED_WAKES = 4,    /* wakes without what the waker acted on */
	CT_SHED_WAITS = 5,    /* waits without object, owner and descriptor set */
	CT_SHED_PAUSE = 6,    /* for parts of the time nothing is recorded: CT_GAP with CT_LOSS_SHED */
	CT_SHED_STEPS = 7,
};
#define CT_GV_CAP    0x01 /* not a step, but the records of one task */
#define CT_GV_GROUP  0x02 /* not a step, but a user's or a control group's tasks; with CT_GV_CAP one of those */
#define CT_GV_CGROUP 0x04 /* with CT_GV_GROUP: of a control group's */

enum ct_loss {
	CT_LOSS_RING_FULL = 0, /* per-CPU ring had no room */
	CT_LOSS_STORAGE = 1,   /* no task storage could be had: the reason of a wait is missing */
	CT_LOSS_OBJECTS = 2,   /* an object could not be named (table full) */
	CT_LOSS_DAEMON = 3,    /* the daemon refused a record (table or queue full, bad size) */
	CT_LOSS_DISK = 4,      /* a segment could not be written */
	CT_LOSS_SLOT = 5,      /* reader: a slot of the file is torn or corrupt */
	CT_LOSS_DOWN = 6,      /* reader: the daemon did not run */
	CT_LOSS_SHED = 7,      /* left out on purpose, to keep within the budget */
	CT_LOSS_CAUSES = 8,
};

/*
 * Objects.  An id is kind << 59 | 59 bits of identity:
 *   SOCK, PIPE   inode number (as in socket:[N], pipe:[N]);
 *                a SOCK that has no inode yet (not accepted): hash of its address | CT_OBJ_NOT_ACCEPTED
 *   FILE, BLOCKDEV, CHARDEV   CT_OBJ_HASH(kernel dev, inode number); BLOCKDEV: the dev_t
 *   EVENTFD .. ANON   low 59 bits of file->private_data
 *   FUTEX        user address (47 bits) | low 12 bits of the tgid << 47
 *   TASK         tid
 *   CGROUP       its id (the inode number of its directory); name: its path below the root; peer: 0, or an
 *                object of its own, CT_OBJ_CONTAINER_ID(), whose name is what its container is called
 *   DATA, QUEUE  as FUTEX; DATA: name is the symbol ("flag (a.out)") where it is known
 *
 * Two processes whose numbers are a multiple of 4096 apart, and that use the same address at the same time, share
 * an id of FUTEX, DATA or QUEUE (without address randomisation, or a parent and a child forked 4096 processes later).
 * Their waits look like waits on one object.  Wakes are joined by task, so no task is blamed for a wake of the other
 * process; but the last owner, or the other waiters, of an object may be those of the other process.
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
	CT_OBJ_FUSEDEV = 17, /* an open /dev/fuse: private_data */
	CT_OBJ_TTY = 18,     /* a terminal; CT_OBJ_HASH(dev, ino) */
	CT_OBJ_FIFO = 19,    /* a named pipe; CT_OBJ_HASH(dev, ino) */
	CT_OBJ_DATA = 20,    /* a variable in a process */
	CT_OBJ_QUEUE = 21,   /* a framework's queue of jobs */
	CT_OBJ_CGROUP = 22,
};
#define CT_OBJ_SHIFT           59
#define CT_OBJ_MASK            ((1ULL << CT_OBJ_SHIFT) - 1)
#define CT_OBJ_ID(kind, ident) ((ct_u64)(kind) << CT_OBJ_SHIFT | ((ct_u64)(ident)&CT_OBJ_MASK))
#define CT_OBJ_KIND(id)        ((enum ct_obj_kind)((id) >> CT_OBJ_SHIFT))
/* dev is the kernel's encoding (major << 20 | minor); see ct_kdev() in lib/. */
#define CT_OBJ_HASH(dev, ino) (((ct_u64)(ino) ^ ((ct_u64)(dev)*0x9e3779b97f4a7c15ULL)) & CT_OBJ_MASK)
/* Of what a process names by an address: FUTEX, DATA, QUEUE. */
#define CT_OBJ_USER_ID(kind, tgid, uaddr)                                                                    \
	CT_OBJ_ID(kind, ((ct_u64)(uaddr) & ((1ULL << 47) - 1)) | (ct_u64)((tgid)&0xfff) << 47)
#define CT_OBJ_FUTEX_ID(tgid, uaddr) CT_OBJ_USER_ID(CT_OBJ_FUTEX, tgid, uaddr)

/* Set in the id of a SOCK that nobody has accepted yet. */
#define CT_OBJ_NOT_ACCEPTED         (1ULL << 58)
#define CT_OBJ_CONTAINER_ID(cgroup) CT_OBJ_ID(CT_OBJ_CGROUP, (ct_u64)(cgroup) | 1ULL << 58)

/* Every blob starts with this.  size: whole blob, a multiple of 8. */
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
#define CT_TF_EXEC    0x02 /* flags of the blob: written because of exec / fork / rename / found at start */
#define CT_TF_FORK    0x04
#define CT_TF_RENAME  0x08
#define CT_TF_FOUND   0x10
/* Who a task is.  Written at fork, exec, rename and for tasks found at start. */
struct ct_task_blob {
	struct ct_blob h; /* h.tid: the task; h.flags: CT_TF_* */
	ct_u32 tgid;
	ct_u32 ppid; /* tgid of the parent */
	ct_u64 cgroup_id;
	ct_u64 start_ns; /* boot time */
	ct_u32 uid;
	ct_u32 pidns; /* inode number of its pid namespace */
	char comm[CT_COMM_LEN];
};
_Static_assert(sizeof(struct ct_task_blob) == 64, "ct_task_blob");

#define CT_OBJ_NAME_MAX 160
/* What an object is.  Written when it is first seen, and again when what was
 * missing (peer, remote address) has become known. */
struct ct_object_blob {
	struct ct_blob h; /* h.tid: the task that was seen using it */
	ct_u64 id;
	ct_u64 ino;
	ct_u64 peer; /* unix: object id of the other end; 0 unknown */
	ct_u32 dev;  /* kernel encoding of the inode's file system; CHARDEV, TTY, FUSEDEV: of the device */
	ct_u32 fs_magic;
	ct_u16 family;  /* sockets: AF_* */
	ct_u16 type;    /* sockets: SOCK_* */
	ct_u8 protocol; /* IPPROTO_* */
	ct_u8 state;    /* tcp: TCP_* state when seen */
	ct_u16 lport;   /* host byte order */
	ct_u16 rport;
	ct_u16 name_len;
	ct_u32 netns;    /* inode number of the network namespace */
	ct_u8 laddr[16]; /* IPv4 in the first 4 bytes, network order */
	ct_u8 raddr[16];
	ct_u64 x; /* SOCK: address of struct sock; PIDFD: the pid; else 0 */
	/* name_len bytes of: path (leading components may be missing, then it
	 * starts with ".../"), unix socket path ('@' first for abstract), device
	 * or anonymous inode name; padded with 0 to a multiple of 8 */
	char name[];
};
_Static_assert(sizeof(struct ct_object_blob) == 104, "ct_object_blob");

/* A stack with names, as stored in a file: n_frames strings, each 0-terminated:
 * "function+0x12 (module)" or "0x7f.. (module)", innermost first.  Kernel
 * frames first, each with a "k:" prefix. */
struct ct_stack_blob {
	struct ct_blob h; /* h.tid 0 */
	ct_u64 id;        /* a hash of the frames, never 0 */
	ct_u16 n_frames;
	ct_u16 pad[3];
	char frames[];
};
_Static_assert(sizeof(struct ct_stack_blob) == 32, "ct_stack_blob");

/* A sampled stack, addresses only: n_kernel kernel frames, then n_user. */
#define CT_RAWSTACK_MAX 48
struct ct_rawstack_blob {
	struct ct_blob h;
	ct_u64 ran_ns; /* on the CPU without blocking; other tasks may have had turns in between */
	ct_u16 nr;
	ct_u8 n_kernel;
	ct_u8 n_user;
	ct_u32 tgid;
	ct_u64 ip[];
};
_Static_assert(sizeof(struct ct_rawstack_blob) == 32, "ct_rawstack_blob");

/* An access to a watched variable, which becomes a CT_ACCESS.  h.flags: its state; then n_user addresses. */
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
 * What the task iterator writes for one task (found at start, or inspected).
 * A stream of these structures, back to back.
 */
#define CT_ITER_KSTACK 32
struct ct_iter_task {
	struct ct_task_blob task;
	struct ct_rec wait; /* kind CT_SWITCH: tid, state, wait, flags, nr, obj as if it blocked now; peer:
			     * the CPU that it has, plus 1, 0: none */
	ct_u32 futex_owner; /* as CT_FUTEX.peer */
	ct_u32 n_kstack;
	ct_u64 sched_since; /* boot ns when it left the CPU, 0 if not known */
	ct_u64 args[6];     /* of its system call */
	/* x86-64: r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp ss;
	 * arm64: x0..x30 sp pc; the rest 0.  All 0 for kernel threads. */
	ct_u64 regs[34];
	ct_u64 kstack[CT_ITER_KSTACK];
};
/* What the task_file iterator writes: CT_FD and CT_EPMEMBER records (the latter 48
 * bytes) and CT_OBJECT blobs, back to back.  Distinguish by the kind byte at offset 8. */

/* Per-CPU counters of the kernel side. */
struct ct_cpu_stats {
	ct_u64 lost[CT_LOSS_CAUSES];
	ct_u64 lost_first_ns[CT_LOSS_CAUSES]; /* since the daemon last reset it to 0 */
	ct_u64 lost_last_ns[CT_LOSS_CAUSES];
};

#endif
