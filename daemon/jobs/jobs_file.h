/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_file.h - one program or library file that has a framework in it. Finds the functions that
 * the description of the framework (jobs_spec.h) names, and puts probes on them. Only one thread at
 * a time may call the functions.
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
	char path[PATH_MAX]; /* the path at which the file was found */
	struct stat st;      /* of the time at which the file was probed */
	VEC(struct jobs_link *) links;
	/* n_wanted: functions of the description that apply to this file; n_found: those of them
	 * that have a probe */
	unsigned n_wanted, n_found;
	unsigned n_marks, n_refused; /* marks that have a probe, and marks without one */
	char why[128];               /* why the last function that failed has no probe; "": none failed */
	/* Set by the caller. named: the path still leads to the file. mapped: a process has mapped
	 * the file. by_mapping: the file was found in the mappings of a process, so the daemon must
	 * not follow its path. */
	bool named, mapped, by_mapping;
};

/* Looks for the functions of spec in the file that fd has open, and puts probes on those that it
 * finds. If the file cannot be read, the result is still 0, and *ret has no probes and a reason in
 * `why`. In the rule of a probe, `calls` is spec_no * JOBS_SPEC_FUNCTIONS_MAX plus the index of the
 * function in spec->functions. Returns 0 or -ENOMEM. Borrows spec until jobs_file_free(). The
 * caller still closes fd. */
int jobs_file_new(struct jobs_probe *probe, const struct jobs_spec *spec, uint32_t spec_no, const char *path,
		  int fd, const struct stat *st, struct jobs_file **ret);
/* Removes the probes of the file, and frees f. */
void jobs_file_free(struct jobs_probe *probe, struct jobs_file *f);
/* jobs_file_is(): true if st describes this file. jobs_file_changed(): true if st, the present
 * state of this file, shows that the file was written to after it was probed. */
bool jobs_file_is(const struct jobs_file *f, const struct stat *st);
bool jobs_file_changed(const struct jobs_file *f, const struct stat *st);

/* Makes the rule for the probe at the beginning of a function. code: the first n bytes of the
 * function. *ret_at: the offset of the probe in these bytes. */
struct job_rule jobs_file_rule(const struct jobs_spec *spec, uint8_t event, const struct jobs_values *v,
			       const uint8_t *code, size_t n, size_t *ret_at);

#endif
