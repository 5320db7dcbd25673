// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare/by.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compare/baseline_file.h"
#include "lib/cleanup.h"
#include "lib/vec.h"
#include "trace/words/words.h"

static const char *const names[BY_KEYS] = { "cpus", "governor", "cgroup", "kernel" };

const char *by_key_name(enum by_key k)
{
	return names[k];
}

int by_parse(const char *text, struct by *ret)
{
	struct by by = { .n = 0 };

	for (const char *word = text;; word++) {
		size_t n = strcspn(word, ","), k = 0;

		while (k < BY_KEYS && (strlen(names[k]) != n || strncmp(names[k], word, n)))
			k++;
		if (k == BY_KEYS)
			return -EINVAL;
		for (size_t i = 0; i < by.n; i++)
			if (by.keys[i] == (enum by_key)k)
				return -EINVAL;
		by.keys[by.n++] = (enum by_key)k;
		word += n;
		if (!*word)
			break;
	}
	*ret = by;
	return 0;
}

const char *by_value(const struct baseline_machine *m, enum by_key k, char buf[BY_VALUE_MAX])
{
	buf[0] = '\0';
	switch (k) {
	case BY_CPUS:
		if (m->allowed_cpus)
			snprintf(buf, BY_VALUE_MAX, "%u", m->allowed_cpus);
		break;
	case BY_GOVERNOR:
		snprintf(buf, BY_VALUE_MAX, "%s", m->governor);
		break;
	case BY_CGROUP:
		snprintf(buf, BY_VALUE_MAX, "%s", m->cgroup);
		break;
	case BY_KERNEL:
		snprintf(buf, BY_VALUE_MAX, "%s", m->kernel);
		break;
	case BY_KEYS:
		break;
	}
	return buf;
}

bool by_label(const struct baseline_machine *m, const struct by *by, char buf[BY_LABEL_MAX])
{
	char value[BY_VALUE_MAX];
	bool known = true;
	int at = 0;

	for (size_t i = 0; i < by->n; i++) {
		by_value(m, by->keys[i], value);
		known &= value[0] != '\0';
		at += snprintf(buf + at, BY_LABEL_MAX - (size_t)at, "%s%s %s", i ? ", " : "",
			       names[by->keys[i]], value[0] ? value : "not known");
	}
	return known;
}

char *by_sentence(const struct by_view *v)
{
	const struct study_group *g = &v->study->groups[v->study->furthest];
	const struct delta_row *why = study_reason(g);
	int64_t ns = g->delta->difference_ns;
	char label[BY_LABEL_MAX], base[BY_LABEL_MAX];
	struct words t = { 0 };

	by_label(v->machines[v->study->groups[0].first], v->by, base);
	by_label(v->machines[g->first], v->by, label);
	if (v->study->n_groups == 1)
		words_add(&t, "All runs have the same settings (%s): record the command under others too",
			  base);
	else if (!ns)
		words_add(&t, "The runs are equally long under all %zu settings", v->study->n_groups);
	if (!ns)
		return words_take(&t);
	words_add(&t, "%s: ", label);
	words_duration(&t, (uint64_t)llabs(ns));
	words_add(&t, " %s", ns > 0 ? "slower" : "faster");
	if (g->delta->old.value_ns)
		words_add(&t, " (%+.1f %%)", (double)ns * 100 / (double)g->delta->old.value_ns);
	words_add(&t, " than %s", base);
	if (why) {
		words_add(&t, ": %s", ns > 0 ? "+" : "-");
		words_duration(&t, (uint64_t)llabs(why->difference_ns));
		words_add(&t, " %s", why->text);
	}
	return words_take(&t);
}

struct all_runs {
	struct baseline *of; /* the runs of each file */
	int n_files;
	struct study_run *runs;
	const struct baseline_machine **machines; /* of each run */
	char (*labels)[BY_LABEL_MAX];             /* of each file */
	size_t n;
	struct baseline sum; /* of all files: only the commands, n_runs and n_failed */
};

static void all_runs_done(struct all_runs *a)
{
	for (int i = 0; a->of && i < a->n_files; i++)
		baseline_done(&a->of[i]);
	free(a->of);
	free(a->runs);
	free(a->machines);
	free(a->labels);
}

static void add_sum(struct baseline *sum, const struct baseline *b)
{
	const char *other = b->other_command[0] ? b->other_command : b->command;

	if (!sum->n_runs)
		snprintf(sum->command, sizeof(sum->command), "%s", b->command);
	if (!sum->other_command[0] && !baseline_alike(sum->command, other))
		snprintf(sum->other_command, sizeof(sum->other_command), "%s", other);
	sum->n_runs += b->n_runs;
	sum->n_failed += b->n_failed;
}

static int read_files(struct all_runs *a, char **files)
{
	int r = CLI_OK;

	for (int i = 0; i < a->n_files && !r; i++) {
		cli_progress_count("Reading", (size_t)i, (size_t)a->n_files);
		r = baseline_file_add(&a->of[i], files[i], NULL);
		if (!r && !a->of[i].n_runs)
			r = cli_error(
				"%s: its runs were not recorded, so they have no parts; leave the file out",
				files[i]);
		if (!r && a->sum.n_runs + a->of[i].n_runs > BASELINE_RUNS_MAX)
			r = cli_error("there are more than %d runs in all; compare fewer at a time",
				      BASELINE_RUNS_MAX);
		if (!r)
			add_sum(&a->sum, &a->of[i]);
	}
	cli_progress_count("Reading", (size_t)a->n_files, (size_t)a->n_files);
	return r;
}

static int label_runs(struct all_runs *a, const struct by *by)
{
	a->runs = calloc(a->sum.n_runs, sizeof(*a->runs));
	a->machines = calloc(a->sum.n_runs, sizeof(*a->machines));
	a->labels = calloc((size_t)a->n_files, sizeof(*a->labels));
	if (!a->runs || !a->machines || !a->labels)
		return cli_error("out of memory");
	for (int i = 0; i < a->n_files; i++) {
		bool known = by_label(&a->of[i].machine, by, a->labels[i]);

		for (size_t k = 0; k < a->of[i].n_runs; k++, a->n++) {
			a->machines[a->n] = &a->of[i].machine;
			a->runs[a->n] = (struct study_run){ a->of[i].runs[k], a->labels[i], known };
		}
	}
	return CLI_OK;
}

static int print(const struct by_view *v, bool json)
{
	_cleanup_free_ char *sentence = by_sentence(v);

	if (!sentence)
		return cli_error("out of memory");
	if (json)
		return by_print_json(v, sentence);
	by_print(stdout, v, sentence);
	return CLI_OK;
}

int by_files(char **files, int n, const struct by *by, enum delta_metric metric, bool json)
{
	_cleanup_(all_runs_done) struct all_runs a = { .n_files = n, .of = calloc((size_t)n, sizeof(*a.of)) };
	struct by_view v = { .by = by, .all = &a.sum, .metric = metric };
	struct study *s = NULL;
	int r = a.of ? read_files(&a, files) : cli_error("out of memory");

	r = r ? r : label_runs(&a, by);
	if (r)
		return r;
	r = study_new(a.runs, a.n, metric, &s);
	if (r)
		return cli_error("cannot compare: %s", strerror(-r));
	v.study = s;
	v.machines = a.machines;
	r = print(&v, json);
	study_free(s);
	return r;
}
