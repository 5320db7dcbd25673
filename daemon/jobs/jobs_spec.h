/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_spec.h - what a file of the schema ctrace.framework/1 says: in which binaries a framework is, which of
 * their functions tell of its jobs, and where the values lie.  The text is hostile: everything has a limit.
 * Pure; any thread.
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

/* "arg2", "arg1+0x58", "arg0->0x18": an argument, what lies at a distance from it, or the 64 bits there.
 * arg < 0: not given. */
struct jobs_arg {
	int8_t arg;
	bool deref;
	int32_t off;
};

struct jobs_values {
	struct jobs_arg job, queue, function;
	bool returns; /* the job ends when the function returns */
	bool queued;  /* a start that counts only of a job that was seen to be enqueued */
};

struct jobs_function {
	char symbol[128];
	char need[128];   /* "": none; only in a binary that has this symbol too */
	char unless[128]; /* "": none; left out in a binary that has this symbol */
	bool note; /* symbol is "provider:name" of a note (sys/sdt.h), its arguments are arg0, arg1, ... */
	uint8_t event; /* enum ct_job */
	struct jobs_values values;
	bool has_calls; /* the job runs values.function: that one begins it, with these values */
	struct jobs_values calls;
};

struct jobs_spec {
	char name[JOB_NAME_MAX];
	size_t n_binaries, n_functions;
	char binaries[JOBS_SPEC_BINARIES_MAX][256]; /* names of files; with a '/': paths */
	struct jobs_function functions[JOBS_SPEC_FUNCTIONS_MAX];
};

/* 0; -EINVAL with a sentence in err; -ENOMEM.  *ret is freed with free(). */
int jobs_spec_parse(const char *text, size_t n, struct jobs_spec **ret, char err[JOBS_SPEC_ERR_MAX]);
/* "arg0->0x18"; 0 or -EINVAL. */
int jobs_spec_arg(const char *s, struct jobs_arg *ret);
/* What one binary reports with ctrace-jobs.h; the framework has its name.  NULL: out of memory, or the path
 * is too long. */
struct jobs_spec *jobs_spec_own(const char *binary);

#endif
