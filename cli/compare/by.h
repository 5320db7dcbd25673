/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * by.h - `ctrace compare --by`: groups runs by the settings under which they were recorded, and shows
 * the groups as text and as JSON. One thread.
 */
#ifndef CTRACE_CLI_COMPARE_BY_H
#define CTRACE_CLI_COMPARE_BY_H

#include "analysis/delta/study.h"
#include "cli/compare/baseline.h"

enum by_key { BY_CPUS, BY_GOVERNOR, BY_CGROUP, BY_KERNEL, BY_KEYS };

struct by {
	enum by_key keys[BY_KEYS];
	size_t n;
};

#define BY_VALUE_MAX BASELINE_MACHINE_MAX
#define BY_LABEL_MAX (BY_KEYS * (BY_VALUE_MAX + 16))

/* Parses keys such as "cpus,cgroup". Returns 0, or -EINVAL: a key is unknown, missing, or comes twice. */
int by_parse(const char *text, struct by *ret);
const char *by_key_name(enum by_key k);
/* Writes the value of a setting; "": not known. */
const char *by_value(const struct baseline_machine *m, enum by_key k, char buf[BY_VALUE_MAX]);
/* Writes all settings of `by`: "cpus 2, cgroup none". Returns true if all of them are known. */
bool by_label(const struct baseline_machine *m, const struct by *by, char buf[BY_LABEL_MAX]);

struct by_view {
	const struct study *study;
	const struct by *by;
	const struct baseline_machine *const *machines; /* of each run */
	/* for warnings: only the commands, n_runs and n_failed are set */
	const struct baseline *all;
	enum delta_metric metric;
};

/* Reads the files, groups their runs, and prints the table or ctrace.study/1. Returns an exit
 * code, and prints errors. */
int by_files(char **files, int n, const struct by *by, enum delta_metric metric, bool json);
/* Returns the first line of the answer; the caller frees it. NULL: out of memory. */
char *by_sentence(const struct by_view *v);
void by_print(FILE *f, const struct by_view *v, const char *sentence);
/* Returns an exit code of ctrace. */
int by_print_json(const struct by_view *v, const char *sentence);

#endif
