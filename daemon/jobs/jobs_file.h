/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_file.h - one program or library file with a framework in it, and the probes on the functions
 * that the description (jobs_spec.h) names. Not thread-safe. */
#ifndef CTRACE_DAEMON_JOBS_JOBS_FILE_H
#define CTRACE_DAEMON_JOBS_JOBS_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "daemon/jobs/jobs_probe.h"
#include "daemon/jobs/jobs_spec.h"
#include "lib/vec.h"

/* how many notes of one file get a probe, besides marks; each probe takes descriptors of the daemon */
#define JOBS_NOTES_MAX 64

struct jobs_file {
	uint64_t id;      /* set by the caller */
	uint8_t attached; /* job_rule.attached */
	const struct jobs_spec *spec;
	uint32_t spec_no;
	char path[PATH_MAX];
	struct stat st; /* from the time when the probes were made */
	VEC(struct jobs_link *) links;
	/* n_wanted: functions of the description for this file; n_found: those with a probe */
	unsigned n_wanted, n_found;
	/* marks with a probe; other notes that the description names; notes of both kinds without a probe
	 * because of a limit or, for a mark, an error */
	unsigned n_marks, n_notes, n_refused;
	char why[128];
	bool passes; /* a probe is missing for a reason that may pass, such as a lack of memory */
	/*
	 * Set by the caller.
	 * - named: the path still leads to the file
	 * - mapped: a process has mapped the file. pid: the first one that was found, mostly the oldest
	 * - by_mapping: the file was found in the mappings of a process, so its path must not be
	 *   followed
	 */
	bool named, mapped, by_mapping;
	uint32_t pid;
	int pidfd; /* of pid, if by_mapping is set; -1: none. Closed by jobs_file_free() */
};

/*
 * Probes the functions of spec, and the marks if spec->marks is set, in the open file fd. The
 * caller still closes fd. Returns 0 or -ENOMEM.
 * - A file that cannot be read gives 0, no probes, and a reason in `why`.
 * - `calls` of a probe's rule is spec_no * JOBS_SPEC_FUNCTIONS_MAX + the function's index in spec.
 * - spec is borrowed until jobs_file_free().
 * - attached: see struct job_rule.
 * - held: jobs_find_is_held(). Then no probe is put.
 */
int jobs_file_new(struct jobs_probe *probe, const struct jobs_spec *spec, uint32_t spec_no, uint8_t attached,
		  const char *path, int fd, const struct stat *st, bool held, struct jobs_file **ret);
void jobs_file_free(struct jobs_probe *probe, struct jobs_file *f);
bool jobs_file_is(const struct jobs_file *f, const struct stat *st);
/* Returns true if the file was written to since the probing. st: the file's present state. */
bool jobs_file_changed(const struct jobs_file *f, const struct stat *st);

/* Makes the rule for a probe at the beginning of a function. code: the first n bytes of the
 * function. *ret_at: offset of the probe. */
struct job_rule jobs_file_rule(const struct jobs_spec *spec, uint8_t event, const struct jobs_values *v,
			       const uint8_t *code, size_t n, size_t *ret_at);

/* Returns the CPU time of a hit of a probe on the first instruction of code[0..n), in ns, without a probe at
 * the return. */
uint32_t jobs_file_price(const uint8_t *code, size_t n);

#endif
