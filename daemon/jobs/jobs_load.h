/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_load.h - reads the descriptions that the setting "frameworks" names. Not thread-safe. */
#ifndef CTRACE_DAEMON_JOBS_JOBS_LOAD_H
#define CTRACE_DAEMON_JOBS_JOBS_LOAD_H

#include <stddef.h>

#include "daemon/jobs/jobs_spec.h"

#define JOBS_LOAD_MAX      JOB_SPECS_MAX
#define JOBS_LOAD_ERR_MAX  512
#define JOBS_LOAD_LEFT_MAX 8

/* A file in JOBS_LOAD_ETC replaces the file of the same name in JOBS_LOAD_USR. */
#define JOBS_LOAD_ETC CTRACE_SYSCONFDIR "/ctrace/frameworks"
#define JOBS_LOAD_USR CTRACE_DATADIR "/ctrace/frameworks"

struct jobs_specs {
	size_t n;
	struct jobs_spec *v[JOBS_LOAD_MAX];
	bool is_auto; /* probes that cost too much are detached (jobs_auto.h) */
	/* Why descriptions in the two directories are left out, one sentence each; those beyond
	 * JOBS_LOAD_LEFT_MAX are only counted. */
	size_t n_left_out;
	char left_out[JOBS_LOAD_LEFT_MAX][JOBS_LOAD_ERR_MAX];
};

/*
 * Loads the descriptions that `list` names. "no" and "": none. "yes" and "auto": all in the two
 * directories, except those with private records (jobs_spec_is_private()), and those that cannot be read: a
 * link to nowhere must not keep the daemon from starting. With "auto", also sets ret->is_auto, and leaves out
 * descriptions that need probes on returns (jobs_spec_has_returns()), are wrong, or are more than
 * JOBS_LOAD_MAX.
 * Otherwise `list` has entries, separated by commas or spaces. An entry is one of these:
 * - the name of a framework
 * - the path of a description (it ends in ".json")
 * - the path of a program or library that reports with ctrace-jobs.h or has marks of ctrace-marks.h
 *
 * Returns 0, or -errno with a sentence in err. -EINVAL: the list or a description is wrong. After
 * success, the caller calls jobs_load_done(). After an error, *ret is unchanged.
 */
int jobs_load(const char *list, struct jobs_specs *ret, char err[JOBS_LOAD_ERR_MAX]);
void jobs_load_done(struct jobs_specs *s);

#endif
