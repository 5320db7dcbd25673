/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_spec.h - reads the description of a framework (schema ctrace.framework/1): the binaries, the
 * functions that report jobs or whose calls are recorded, and the places of the values. The text may be
 * hostile, so each part has a limit. Pure.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_SPEC_H
#define CTRACE_DAEMON_JOBS_JOBS_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctrace/job.h"

#define JOBS_SPEC_ERR_MAX       256
#define JOBS_SPEC_BYTES_MAX     (256u << 10)
#define JOBS_SPEC_BINARIES_MAX  32
#define JOBS_SPEC_FUNCTIONS_MAX 64
#define JOBS_SPEC_ARGS          6
#define JOBS_SPEC_THREAD        JOBS_SPEC_ARGS       /* jobs_arg.arg */
#define JOBS_SPEC_CALLED        (JOBS_SPEC_ARGS + 1) /* jobs_arg.arg */
#define JOBS_SPEC_GO            (JOBS_SPEC_ARGS + 2) /* jobs_arg.arg: the first argument of a Go function */
#define JOBS_SPEC_GO_ARGS       4
#define JOBS_SPEC_GOROUTINE     (JOBS_SPEC_GO + JOBS_SPEC_GO_ARGS) /* jobs_arg.arg */
/* jobs_function.event: no job, but an event of a display server, or a drawing */
#define JOBS_SPEC_INPUT UINT8_MAX
/* jobs_function.event: no job, but a call of a function */
#define JOBS_SPEC_CALL (UINT8_MAX - 1)
/* jobs_function.event: no job, but the begin or the end of a transaction */
#define JOBS_SPEC_BEGIN  (UINT8_MAX - 2)
#define JOBS_SPEC_FINISH (UINT8_MAX - 3)
/* jobs_function.event: the program gives the framework a function, whose calls are the events */
#define JOBS_SPEC_FUNCTION (UINT8_MAX - 4)
/* jobs_function.event: no job, but a strand that waits for a lock or releases one (CT_LOCK). values.job is
 * the strand, values.queue the lock, and values.part says whether the strand waits again */
#define JOBS_SPEC_LOCK_WAIT    (UINT8_MAX - 5)
#define JOBS_SPEC_LOCK_RELEASE (UINT8_MAX - 6)

/*
 * Where a value of a job lies; arg < 0: nowhere. Arguments count from 0. Nine forms:
 * - "thread": the id of the thread (JOBS_SPEC_THREAD)
 * - "called", only for the job of an end: the job whose function the caller has called (JOBS_SPEC_CALLED)
 * - "go1": argument 1 of a function of Go 1.18 or later, which gets its arguments in registers
 *   (JOBS_SPEC_GO + 1). The forms with "+" and "->" exist too
 * - "goroutine": the address of the runtime's description of the goroutine (JOBS_SPEC_GOROUTINE)
 * - "arg2": argument 2 of the function
 * - "arg1+0x58": argument 1 plus 0x58
 * - "arg0->0x18": the 64 bits in memory at the address (argument 0 plus 0x18)
 * - "arg0->0x18+0x10": the value of "arg0->0x18" plus 0x10
 * - "arg0->0x18->0x10": the 64 bits at the address (the value of "arg0->0x18" plus 0x10)
 */
struct jobs_arg {
	int8_t arg;
	uint8_t deref; /* how often memory is read: 0 to 2 */
	int16_t off2;
	int32_t off;
};

/* The event counts only if the text at `at` has the bytes `has`; "": it always counts. */
struct jobs_text {
	struct jobs_arg at, length;
	char has[JOB_HAS_MAX + 1];
};

struct jobs_values {
	struct jobs_arg job, queue, function, capacity;
	bool returns; /* the job ends when the function returns (jobs_spec_has_called()) */
	bool queued;  /* a start or an end counts only if an earlier event of the job was seen */
	/* with JOBS_SPEC_INPUT: enum job_layout of the event whose address `job` is */
	uint8_t layout;
	/* with JOBS_SPEC_CALL: the name of the call; `job` is the address of its text, or nowhere.
	 * With JOBS_SPEC_BEGIN and JOBS_SPEC_FINISH: the name of the transaction */
	char call[CT_MARK_NAME_MAX + 1];
	/* with JOBS_SPEC_BEGIN and JOBS_SPEC_FINISH: see struct job_rule. arg < 0: nowhere */
	struct jobs_arg part, zero;
	bool stream; /* with JOBS_SPEC_BEGIN and JOBS_SPEC_FINISH: CT_MF_STREAM */
	struct jobs_text text;
};

struct jobs_function {
	char symbol[128];
	char need[128];   /* probed only in binaries that have this symbol; "": in all */
	char unless[128]; /* probed only in binaries without this symbol; "": in all */
	/* symbol is the "provider:name" of a note (sys/sdt.h) */
	bool note;
	char apart[12]; /* a part of the framework that "auto" detaches by itself; "": no such part */
	uint8_t event;  /* enum ct_job, or JOBS_SPEC_* */
	struct jobs_values values;
	/* has_calls: values.function gives the address of the function that does the job, or of another
	 * function of the program. A call of this function is the event calls_event: CT_JOB_START,
	 * JOBS_SPEC_BEGIN or JOBS_SPEC_FINISH. calls: where the values lie at this call. */
	bool has_calls;
	uint8_t calls_event;
	struct jobs_values calls;
};

struct jobs_spec {
	char name[JOB_NAME_MAX];
	bool marks; /* the binaries may have marks of ctrace-marks.h */
	bool go;    /* all programs for which elf_go_is() is true, in addition to the binaries */
	size_t n_binaries, n_functions;
	char binaries[JOBS_SPEC_BINARIES_MAX][256]; /* names of files; paths if they have a '/' */
	struct jobs_function functions[JOBS_SPEC_FUNCTIONS_MAX];
};

/* Returns 0, or -EINVAL or -ENOMEM with a sentence in err. The caller frees *ret with free(). */
int jobs_spec_parse(const char *text, size_t n, struct jobs_spec **ret, char err[JOBS_SPEC_ERR_MAX]);
/* Moves the functions of one part (jobs_function.apart) into a description of its own, with the name of the
 * framework,
 * "-" and that of the part. *ret: NULL if there are no more parts. The caller frees *ret with free(). Returns
 * 0 or -ENOMEM. */
int jobs_spec_split(struct jobs_spec *spec, struct jobs_spec **ret);
/* Reads a value such as "arg0->0x18". Returns 0 or -EINVAL. */
int jobs_spec_arg(const char *s, struct jobs_arg *ret);
/* Returns true if the framework reports the events of a display server, or the texts of calls. */
bool jobs_spec_is_private(const struct jobs_spec *spec);
/* Returns true if an end of the framework is for the job "called". Then this end takes the place of all
 * probes on returns (jobs_values.returns). */
bool jobs_spec_has_called(const struct jobs_spec *spec);
/* Returns true if the framework needs probes on returns. */
bool jobs_spec_has_returns(const struct jobs_spec *spec);
/* Returns true if spec->binaries has the last part of the path, which has a '/'. A library that is called
 * libx.so.1 may be in the file libx.so.1.2.3. */
bool jobs_spec_names(const struct jobs_spec *spec, const char *path);
/* Returns true if the framework reports when it draws. */
bool jobs_spec_draws(const struct jobs_spec *spec);
/* Returns the number of the framework in the records of its jobs (ct_job_framework()), not 0. Two names
 * hardly ever have the same number. */
uint16_t jobs_spec_number(const struct jobs_spec *spec);
/* Makes the description of a binary that uses ctrace-jobs.h or ctrace-marks.h. The caller frees it.
 * NULL: out of memory, or the path is too long. */
struct jobs_spec *jobs_spec_own(const char *binary);

#endif
