/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.h - rules for probes. A probe is on a function of a framework, on the function of a job, or on a
 * note of ctrace-jobs.h or ctrace-marks.h. The rule of a probe says which event the probe stands for,
 * and where the values of the event lie. The cookie of a probe is the index of its rule. daemon/jobs/
 * makes the rules, and bpf/uprobe.bpf.c applies them.
 */
#ifndef CTRACE_JOB_H
#define CTRACE_JOB_H

#include "ctrace/abi.h"

#define JOB_RULES_MAX 512 /* limited: a rule takes up to four file descriptors of the daemon */
#define JOB_SPECS_MAX 64  /* descriptions of frameworks */
#define JOB_NAME_MAX  24  /* bytes of a framework's name, with the final 0; a multiple of 8 */
#define JOB_LABEL_MAX 56  /* bytes of job_rule.name: the name of a framework, a mark or a function */
#define JOB_HAS_MAX   16  /* bytes of job_text.has */
/* A capacity that is 0, negative or larger than this counts as not known: either there is no limit, or the
 * value is something else. */
#define JOB_CAPACITY_MAX 65535

/*
 * The way to a value of 64 bits. deref says how often memory is read:
 * - 0: the value is the register plus off, and off2 is 0
 * - 1: the value is the 64 bits at this address, plus off2
 * - 2: the 64 bits at this address, plus off2, are the address of the value
 */
struct job_value {
	ct_u8 reg; /* 1 + enum job_reg; 0: the value is 0; JOB_THREAD: the value is the thread's id */
	ct_u8 deref;
	ct_s16 off2;
	ct_s32 off;
};
_Static_assert(sizeof(struct job_value) == 8, "job_value");
#define JOB_THREAD 255
#define JOB_CALLED                                                                                           \
	254 /* only for the job of an end: the job whose function the caller has called, and which runs */

/* x86-64: the registers in the order of DWARF. arm64: the numbers 0 to 30 stand for x0 to x30. */
enum job_reg {
	JOB_AX,
	JOB_DX,
	JOB_CX,
	JOB_BX,
	JOB_SI,
	JOB_DI,
	JOB_BP,
	JOB_SP,
	JOB_R8,
	JOB_R9,
	JOB_R10,
	JOB_R11,
	JOB_R12,
	JOB_R13,
	JOB_R14,
	JOB_R15,
	JOB_REGS
};

#define JOB_RETURNS 0x01 /* a start at the entry of a function, whose return ends the job */
#define JOB_CALLS   0x02 /* an enqueue or JOB_FUNCTION; the daemon then probes the job's function */
#define JOB_TEXT    0x02 /* with JOB_MARK: a call with a text, whose address is `job` */
/* An enqueue that has to come before a rule with JOB_QUEUED. Or a start that has to come before an end with
 * JOB_QUEUED: it is recorded only if the job does not run already. With JOB_MARK: the begin of a transaction,
 * which is always recorded. */
#define JOB_NOTED  0x04
#define JOB_QUEUED 0x08 /* a start or an end, recorded only once for each enqueue or begin with JOB_NOTED */
#define JOB_LOOSE  0x10 /* a start; no probe sees the end, so BPF adds a CT_JOB_END with CT_JF_LOOSE */
#define JOB_MARK   0x20 /* no job, but a mark: `job` is the id of the transaction */
#define JOB_INPUT  0x80 /* no job, but a CT_INPUT: `job` is the address of the event, `event` its layout */
#define JOB_ENDED  0x40 /* a start with JOB_QUEUED, whose end has another rule with JOB_QUEUED */

/* job_rule.event of a function that only gives the program's function to the framework (JOB_CALLS) */
#define JOB_FUNCTION 255

/* job_rule.event of a function with which a strand waits for a lock or releases one (CT_LOCK). `queue` is the
 * lock, and `job` the strand. JOB_LOCK_WAIT: if the low 8 bits of `part` are not 0, it is a CT_LOCK_AGAIN. */
#define JOB_LOCK_WAIT    254
#define JOB_LOCK_RELEASE 253

/* What an event of a display server looks like in memory. */
enum job_layout {
	JOB_LAYOUT_DRAW = 0, /* there is no event: the program draws */
	JOB_LAYOUT_XLIB = 1, /* XEvent */
	JOB_LAYOUT_GDK3 = 2, /* GdkEvent of GTK 3; an expose event means that the program draws */
	/* QWindowSystemInterfacePrivate::WindowSystemEvent of Qt 5.15 and of Qt 6.4 */
	JOB_LAYOUT_QT5 = 3,
	JOB_LAYOUT_QT6 = 4,
	JOB_LAYOUTS
};

/* The event counts only if the text has these bytes, before a byte 0 and in the first bytes of the text
 * (bpf/uprobe.bpf.c). */
struct job_text {
	struct job_value at;     /* the address of the text; reg 0: the event always counts */
	struct job_value length; /* reg 0: the text ends with a byte 0 */
	/* At most JOB_HAS_MAX bytes. The lowest 8 bits of has[0] are the last byte, those of has[1] the byte
	 * 8 places before it. mask: ~0 for the bits of each byte, and 0 above them. */
	ct_u64 has[2], mask[2];
};
_Static_assert(sizeof(struct job_text) == 48, "job_text");

struct job_rule {
	/* capacity: with an enqueue, the number of jobs that the queue allows to run at one time; its low 32
	 * bits count */
	struct job_value job, queue, function, capacity;
	/* with JOB_MARK and CT_MF_HASHED: the low 32 bits of `part` are a part of the id of the transaction
	 */
	struct job_value part;
	struct job_value zero; /* the event counts only if the low 32 bits of this value are 0 */
	ct_u8 event;           /* enum ct_job; with JOB_MARK: enum ct_mark; with JOB_INPUT: enum job_layout */
	ct_u8 flags;
	ct_u8 name_len;
	/* How often the probes of the framework were attached anew, modulo 256. What the BPF programs
	 * remember of an earlier attachment does not count. */
	ct_u8 attached;
	/* with JOB_CALLS: the number of the probed function (daemon/jobs/jobs_file.h). BPF copies
	 * it into struct job_call */
	ct_u32 calls;
	ct_u64 mark;      /* with JOB_MARK: the object for the name of the mark */
	ct_u16 framework; /* for ct_rec.aux of a CT_JOB or CT_INPUT */
	ct_u8 rec_flags;  /* ct_rec.flags; with JOB_INPUT: CT_IF_*; with JOB_MARK: CT_MF_* */
	/* A start at the entry of a function, whose end is the next event with the job JOB_CALLED. Or another
	 * end of the framework: if the thread has begun this job in that way, it is the job's end. */
	ct_u8 called;
	ct_u8 spec; /* number of the description, for enum job_switch */
	ct_u8 pad[3];
	/* With called: the start counts only if code at [caller_from, caller_to) calls the function; 0: any
	 * caller. A program may also call the function of a job by itself. */
	ct_u64 caller_from, caller_to;
	char name[JOB_LABEL_MAX];
	struct job_text text;
};
_Static_assert(sizeof(struct job_rule) == 192, "job_rule");

/* What the daemon allows the probes of one description. The BPF programs read it at each hit. So it works at
 * once, while the kernel may let the daemon wait before it takes a probe away. */
enum job_switch {
	JOB_ON = 0,
	JOB_NO_STACKS = 1, /* an enqueue is recorded without its stack */
	JOB_OFF = 2,       /* a hit is only counted */
};

/* What happened at one probe so far. */
struct job_count {
	ct_u64 hits;
	ct_u64 stacks; /* of enqueues */
};

/* A BPF program sends this to the daemon when a process enqueues its first job with `function`, and about
 * once in a minute later: the daemon may not have been able to probe the function. */
struct job_call {
	ct_u64 function;
	ct_u32 tgid;
	ct_u32 calls;
};

#endif
