/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * baseline.h - the profiles of some runs of one command, and the machine that ran it. The
 * documents that it reads (ctrace.baseline/1) may be hostile. Only baseline_write() does I/O. One
 * thread for each baseline.
 */
#ifndef CTRACE_CLI_COMPARE_BASELINE_H
#define CTRACE_CLI_COMPARE_BASELINE_H

#include <stdio.h>

#include "analysis/patterns/counts.h"
#include "analysis/profile/profile.h"

#define BASELINE_SCHEMA      "ctrace.baseline/1"
#define BASELINE_ERR_MAX     256
#define BASELINE_BYTES_MAX   (8u << 20) /* bytes of a file */
#define BASELINE_RUNS_MAX    1000
#define BASELINE_ROWS_MAX    16384        /* parts in a file */
#define BASELINE_TEXTS_MAX   (256u << 20) /* bytes of memory for the texts of the parts */
#define BASELINE_NS_MAX      (1ULL << 60)
#define BASELINE_MACHINE_MAX 128 /* bytes of a text about the machine, with its 0 */

/* "" or 0: not known */
struct baseline_machine {
	char kernel[BASELINE_MACHINE_MAX];
	char arch[BASELINE_MACHINE_MAX]; /* as `uname -m` prints it */
	char model[BASELINE_MACHINE_MAX];
	char governor[BASELINE_MACHINE_MAX];
	/* The limits of the command's control group, as a text. In older traces: those of ctraced's group. */
	char cgroup[BASELINE_MACHINE_MAX];
	unsigned cpus;
	unsigned allowed_cpus; /* CPUs that the command may use */
};

/* Times of runs, measured around the command; ns. */
struct baseline_clocks {
	uint64_t *v;
	size_t n, cap;
};

struct baseline {
	char command[PART_TEXT_MAX];       /* the command line of the first run; safe to print */
	char other_command[PART_TEXT_MAX]; /* command line of a run of another command; "": none */
	/* What a run is, if it is not a command: "a transaction 'order'". Safe to print. */
	char unit[PART_TEXT_MAX];
	/* The frameworks that the recordings of `ctrace check` had, without their directories. "": none, or
	 * not known. */
	char frameworks[PART_TEXT_MAX];
	struct baseline_machine machine;
	bool mixed; /* the runs come from several machines; `machine` is that of the first run */
	struct profile **runs;
	size_t n_runs;
	size_t n_failed;
	struct baseline_clocks traced;   /* times of the runs in `runs`; may be empty */
	struct baseline_clocks untraced; /* times of runs without a recording; not in `runs` */
	struct counts counts;            /* of the runs in `runs` that have all their records */
};

/* Adds a run. Takes over p, except after an error; copies machine and command. Returns 0, -ENOMEM, or -E2BIG
 * if b already has BASELINE_RUNS_MAX runs. */
int baseline_add(struct baseline *b, struct profile *p, const struct baseline_machine *machine,
		 const char *command);
/* Call this before a run is added. unit: as in struct baseline. Returns 0, or -EINVAL if b has runs of
 * another unit. */
int baseline_unit(struct baseline *b, const char *unit);
/* Returns "a command" for the unit "". */
const char *baseline_unit_words(const char *unit);
/* Adds the time of one run. Returns 0, -ENOMEM, or -E2BIG if c already has the times of BASELINE_RUNS_MAX
 * runs. */
int baseline_clock(struct baseline_clocks *c, uint64_t ns);
/* Adds the runs of a document, and the times of `traced` and `untraced`. Returns 0, -ENOMEM, or:
 * - -EBADMSG: the document is wrong, or has more than BASELINE_RUNS_MAX runs, or more than
 *   BASELINE_RUNS_MAX times in one of these two lists;
 * - -E2BIG: with the runs and times that b already has, there are more than BASELINE_RUNS_MAX runs,
 *   or more than BASELINE_RUNS_MAX times in one list.
 * After an error, err has a sentence, and b may have some of the runs. */
int baseline_parse(struct baseline *b, const char *text, size_t size, char err[BASELINE_ERR_MAX]);
/* Writes a line for each part, sorted, so that two files can be compared by lines. Returns 0, -ENOMEM, or
 * -EIO after a failed write. */
int baseline_write(const struct baseline *b, FILE *f);
void baseline_done(struct baseline *b);

/* Returns true if two command lines differ at most in numbers and in directories of paths, or
 * if one is not known (""). */
bool baseline_alike(const char *command, const char *other);

/* Writes the known facts in which two machines differ, such as "kernel 6.1 and 6.12, number of CPUs
 * 2 and 4". Writes "" if there is no such fact. Returns buf. */
const char *baseline_differ(const struct baseline_machine *a, const struct baseline_machine *b, char *buf,
			    size_t size);

#endif
