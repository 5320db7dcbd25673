/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.h - rules for the probes on functions of frameworks and on marks: which event a probe stands
 * for, and where its values lie. The cookie of a probe is the index of its rule.
 *
 * daemon/jobs/ makes the rules out of descriptions of frameworks, and bpf/uprobe.bpf.c applies
 * them. This header has no functions and no state.
 */
#ifndef CTRACE_JOB_H
#define CTRACE_JOB_H

#include "ctrace/abi.h"

#define JOB_RULES_MAX 512 /* the probes of a rule take up to four file descriptors of the daemon */
#define JOB_NAME_MAX  24  /* of a framework: bytes, with the final 0; a multiple of 8 */
#define JOB_LABEL_MAX 56  /* of a framework or a mark: bytes, with the final 0; a multiple of 8 */

/* A value is the sum of a register and off. If deref is set, this sum is an address, and the value
 * is the 64 bits at this address. */
struct job_value {
	ct_u8 reg; /* 0: none, the value is 0; else 1 + an enum job_reg */
	ct_u8 deref;
	ct_u16 pad;
	ct_s32 off;
};
_Static_assert(sizeof(struct job_value) == 8, "job_value");

/*
 * Registers that can hold a value. x86-64: in the order of their numbers in DWARF. arm64: x0 to
 * x30.
 */
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

#define JOB_RETURNS 0x01 /* a start, at the entry of a function; the return of the function is the end */
#define JOB_CALLS   0x02 /* an enqueue; BPF reports the job's function, and the daemon probes it */
#define JOB_NOTED   0x04 /* an enqueue that is remembered, because rules with JOB_QUEUED need it */
#define JOB_QUEUED  0x08 /* a start that counts only if an enqueue of the job was seen before */
#define JOB_LOOSE   0x10 /* a start of a job for whose end there is no event: CT_JF_LOOSE */
#define JOB_MARK    0x20 /* no job, but a mark: `job` is the id of the transaction */

struct job_rule {
	struct job_value job, queue, function;
	ct_u8 event; /* enum ct_job; with JOB_MARK: enum ct_mark */
	ct_u8 flags; /* JOB_* */
	ct_u8 name_len;
	ct_u8 pad;
	/* with JOB_CALLS: number of the probed function (daemon/jobs/jobs_file.h); BPF passes it
	 * back in struct job_call */
	ct_u32 calls;
	ct_u64 mark;              /* with JOB_MARK: the object for the name of the mark */
	char name[JOB_LABEL_MAX]; /* name of the framework, which its queues get; or of the mark */
};
_Static_assert(sizeof(struct job_rule) == 96, "job_rule");

/* BPF sends this to the daemon when the process tgid enqueues its first job that runs this
 * function. */
struct job_call {
	ct_u64 function;
	ct_u32 tgid;
	ct_u32 calls;
};

#endif
