/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_file.h - one program or library file that has a framework in it. Puts probes on the
 * functions that the framework's description (jobs_spec.h) names. Only one thread at a time may
 * call the functions.
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
	char path[PATH_MAX];
	struct stat st; /* at the time of the probing */
	VEC(struct jobs_link *) links;
	/* n_wanted: functions of the description that apply to this file; n_found: those with a
	 * probe */
	unsigned n_wanted, n_found;
	unsigned n_marks, n_refused; /* n_marks: marks with a probe; n_refused: marks without */
	char why[128];
	/*
	 * Set by the caller.
	 * - named: the path still leads to the file
	 * - mapped: a process has mapped the file
	 * - by_mapping: found in the mappings of a process, so the path must not be followed
	 */
	bool named, mapped, by_mapping;
};

/*
 * Probes the functions of spec in the file that fd has open, and if spec->marks is set also the
 * marks. Returns 0 or -ENOMEM.
 * - A file that cannot be read gives 0, no probes, and a reason in `why`.
 * - `calls` of a probe's rule is spec_no * JOBS_SPEC_FUNCTIONS_MAX + the function's index in spec.
 * - spec is borrowed until jobs_file_free(). The caller still closes fd.
 */
int jobs_file_new(struct jobs_probe *probe, const struct jobs_spec *spec, uint32_t spec_no, const char *path,
		  int fd, const struct stat *st, struct jobs_file **ret);
void jobs_file_free(struct jobs_probe *probe, struct jobs_file *f);
/* Returns true if st is from this file. */
bool jobs_file_is(const struct jobs_file *f, const struct stat *st);
/* Returns true if the file was written to after it was probed. st: present state of the file. */
bool jobs_file_changed(const struct jobs_file *f, const struct stat *st);

/* Makes the rule for a probe at the beginning of a function. code: the first n bytes of the
 * function. *ret_at: the offset of the probe. */
struct job_rule jobs_file_rule(const struct jobs_spec *spec, uint8_t event, const struct jobs_values *v,
			       const uint8_t *code, size_t n, size_t *ret_at);

#endif
