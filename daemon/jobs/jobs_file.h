/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_file.h - one file of a framework: finds the functions of the description in it and puts probes on
 * them. One thread.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_FILE_H
#define CTRACE_DAEMON_JOBS_JOBS_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "daemon/jobs/jobs_probe.h"
#include "daemon/jobs/jobs_spec.h"
#include "lib/vec.h"

struct jobs_file {
	const struct jobs_spec *spec;
	uint32_t spec_no;
	char path[PATH_MAX]; /* where it was found */
	struct stat st;
	VEC(struct jobs_link *) links;
	unsigned n_wanted, n_found; /* functions of the description */
	char why[128];              /* what was in the way of the last one that failed, "": nothing */
	/* for the caller: the path still leads to it; a process runs it; it was found in a process, and its
	 * path is not to be walked */
	bool named, mapped, by_mapping;
};

/* Puts probes on what is found in the file that fd has open; the rest is told by the counts and why.  0 or
 * -ENOMEM.  rule.calls is spec_no * JOBS_SPEC_FUNCTIONS_MAX and the number of the function. */
int jobs_file_new(struct jobs_probe *probe, const struct jobs_spec *spec, uint32_t spec_no, const char *path,
		  int fd, const struct stat *st, struct jobs_file **ret);
void jobs_file_free(struct jobs_probe *probe, struct jobs_file *f);
/* Whether what was stat'ed is this file, and whether it has been written to since. */
bool jobs_file_is(const struct jobs_file *f, const struct stat *st);
bool jobs_file_changed(const struct jobs_file *f, const struct stat *st);

/* The rule for one value set at the beginning of a function, and where to put the probe: code is its first n
 * bytes, *ret_at the offset in them. */
struct job_rule jobs_file_rule(const struct jobs_spec *spec, uint8_t event, const struct jobs_values *v,
			       const uint8_t *code, size_t n, size_t *ret_at);

#endif
