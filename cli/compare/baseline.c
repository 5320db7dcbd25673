// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare/baseline.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "lib/cleanup.h"
#include "lib/vec.h"
#include "trace/words/texts.h"

static bool same_machine(const struct baseline_machine *a, const struct baseline_machine *b)
{
	char differ[BASELINE_MACHINE_MAX];

	return !*baseline_differ(a, b, differ, sizeof(differ));
}

/* Copies a command line without the directories of its paths, and with '#' for each number. */
static void without_places(const char *command, char buf[PART_TEXT_MAX])
{
	size_t word = 0, n = 0;

	for (const char *p = command; *p && n + 1 < PART_TEXT_MAX; p++) {
		if (*p == '/') {
			n = word;
			continue;
		}
		if (isdigit((unsigned char)*p)) {
			if (n == word || buf[n - 1] != '#')
				buf[n++] = '#';
			continue;
		}
		buf[n++] = *p;
		if (*p == ' ')
			word = n;
	}
	buf[n] = '\0';
}

bool baseline_alike(const char *command, const char *other)
{
	char a[PART_TEXT_MAX], b[PART_TEXT_MAX];

	without_places(command, a);
	without_places(other, b);
	return !*command || !*other || !strcmp(a, b);
}

int baseline_add(struct baseline *b, struct profile *p, const struct baseline_machine *machine,
		 const char *command)
{
	struct profile **more;

	if (b->n_runs >= BASELINE_RUNS_MAX)
		return -E2BIG;
	more = realloc(b->runs, (b->n_runs + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	b->runs = more;
	if (!b->n_runs) {
		b->machine = *machine;
		snprintf(b->command, sizeof(b->command), "%s", command);
	} else {
		b->mixed |= !same_machine(&b->machine, machine);
		if (!b->other_command[0] && !baseline_alike(b->command, command))
			snprintf(b->other_command, sizeof(b->other_command), "%s", command);
	}
	b->runs[b->n_runs++] = p;
	return 0;
}

int baseline_unit(struct baseline *b, const char *unit)
{
	if (b->n_runs || b->untraced.n)
		return strcmp(b->unit, unit) ? -EINVAL : 0;
	snprintf(b->unit, sizeof(b->unit), "%s", unit);
	return 0;
}

const char *baseline_unit_words(const char *unit)
{
	return *unit ? unit : "a command";
}

int baseline_clock(struct baseline_clocks *c, uint64_t ns)
{
	return c->n >= BASELINE_RUNS_MAX ? -E2BIG : VEC_PUSH(c, ns);
}

void baseline_done(struct baseline *b)
{
	VEC_FREE(&b->traced);
	VEC_FREE(&b->untraced);
	for (size_t i = 0; i < b->n_runs; i++)
		profile_free(b->runs[i]);
	free(b->runs);
	counts_done(&b->counts);
	*b = (struct baseline){ 0 };
}

static void differ(const char *what, const char *a, const char *b, char *buf, size_t size)
{
	size_t at = strlen(buf);

	if (a[0] && b[0] && strcmp(a, b))
		snprintf(buf + at, size - at, "%s%s%s%s and %s", at ? ", " : "", what, *what ? " " : "", a,
			 b);
}

static void differ_number(const char *what, unsigned a, unsigned b, char *buf, size_t size)
{
	char x[TEXT_NUMBER_MAX] = "", y[TEXT_NUMBER_MAX] = "";

	if (a)
		snprintf(x, sizeof(x), "%u", a);
	if (b)
		snprintf(y, sizeof(y), "%u", b);
	differ(what, x, y, buf, size);
}

const char *baseline_differ(const struct baseline_machine *a, const struct baseline_machine *b, char *buf,
			    size_t size)
{
	buf[0] = '\0';
	differ("kernel", a->kernel, b->kernel, buf, size);
	differ_number("number of CPUs", a->cpus, b->cpus, buf, size);
	differ_number("CPUs for the command", a->allowed_cpus, b->allowed_cpus, buf, size);
	differ("", a->arch, b->arch, buf, size);
	differ("CPU", a->model, b->model, buf, size);
	differ("governor", a->governor, b->governor, buf, size);
	differ("limits", a->cgroup, b->cgroup, buf, size);
	return buf;
}

static void put_pair(FILE *f, const char *key, const char *value)
{
	fprintf(f, "\"%s\":", key);
	text_put_json(f, value);
}

static void put_machine(const struct baseline_machine *m, FILE *f)
{
	fputs("\"machine\":{", f);
	put_pair(f, "kernel", m->kernel);
	fputc(',', f);
	put_pair(f, "arch", m->arch);
	fprintf(f, ",\"cpus\":%u,", m->cpus);
	put_pair(f, "model", m->model);
	fputc(',', f);
	put_pair(f, "governor", m->governor);
	fputc(',', f);
	put_pair(f, "cgroup", m->cgroup);
	if (m->allowed_cpus)
		fprintf(f, ",\"allowed_cpus\":%u", m->allowed_cpus);
	fputs("},\n", f);
}

static void put_line(const struct baseline *b, const struct profile_part *part,
		     const struct profile_part *const *of, FILE *f)
{
	fputc('{', f);
	put_pair(f, "key", part->key);
	fputc(',', f);
	put_pair(f, "detail", part->detail);
	fputc(',', f);
	put_pair(f, "text", part->text);
	fprintf(f, ",\"kind\":\"%s\",\"ns\":[", part_class_name(part->class));
	for (size_t i = 0; i < b->n_runs; i++)
		fprintf(f, "%s%llu", i ? "," : "", of[i] ? (unsigned long long)of[i]->ns : 0ULL);
	fputs("],\"count\":[", f);
	for (size_t i = 0; i < b->n_runs; i++)
		fprintf(f, "%s%llu", i ? "," : "", of[i] ? (unsigned long long)of[i]->count : 0ULL);
	fputs("]}", f);
}

/* Merges the sorted parts of all runs. *ret: the next part. of[i]: *ret in run i, or NULL. at[i]: how many
 * parts of run i are merged. Returns false at the end. */
static bool next_line(const struct baseline *b, size_t *at, const struct profile_part **of,
		      const struct profile_part **ret)
{
	const struct profile_part *least = NULL;

	for (size_t i = 0; i < b->n_runs; i++) {
		const struct profile *p = b->runs[i];

		if (at[i] < p->n_parts && (!least || part_order(&p->parts[at[i]], least) < 0))
			least = &p->parts[at[i]];
	}
	for (size_t i = 0; i < b->n_runs && least; i++) {
		const struct profile *p = b->runs[i];

		of[i] = at[i] < p->n_parts && !part_order(&p->parts[at[i]], least) ? &p->parts[at[i]++]
										   : NULL;
	}
	*ret = least;
	return least;
}

static void put_clocks(const char *key, const struct baseline_clocks *c, FILE *f)
{
	if (!c->n)
		return;
	fprintf(f, "\"%s\":[", key);
	for (size_t i = 0; i < c->n; i++)
		fprintf(f, "%s%llu", i ? "," : "", (unsigned long long)c->v[i]);
	fputs("],\n", f);
}

static int row_cmp(const void *a, const void *b)
{
	const struct counts_row *const *x = a, *const *y = b;

	return texts_order((*x)->text, (*y)->text);
}

static int put_counts(const struct counts *c, FILE *f)
{
	_cleanup_free_ const struct counts_row **rows = calloc(c->rows.n + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	if (!c->n_runs || c->refused)
		return 0;
	for (size_t i = 0; i < c->rows.n; i++)
		rows[i] = &c->rows.v[i];
	qsort(rows, c->rows.n, sizeof(*rows), row_cmp);
	fprintf(f, ",\n\"counted_runs\":%zu,\n\"counts\":[", c->n_runs);
	for (size_t i = 0; i < c->rows.n; i++) {
		fputs(i ? ",\n{" : "\n{", f);
		put_pair(f, "text", rows[i]->text);
		fputs(",\"n\":[", f);
		for (size_t k = 0; k < c->n_runs; k++)
			fprintf(f, "%s%" PRIu64, k ? "," : "", k < rows[i]->n.n ? rows[i]->n.v[k] : 0);
		fputs("]}", f);
	}
	fputs("\n]", f);
	return 0;
}

int baseline_write(const struct baseline *b, FILE *f)
{
	_cleanup_free_ const struct profile_part **of = calloc(b->n_runs + 1, sizeof(*of));
	_cleanup_free_ size_t *at = calloc(b->n_runs + 1, sizeof(*at));
	const struct profile_part *part;
	const char *before = "\n";
	int r;

	if (!of || !at)
		return -ENOMEM;
	fputs("{\"schema\":\"" BASELINE_SCHEMA "\",\n", f);
	put_pair(f, "command", b->command);
	fputs(",\n", f);
	if (b->unit[0]) {
		put_pair(f, "unit", b->unit);
		fputs(",\n", f);
	}
	if (b->frameworks[0]) {
		put_pair(f, "frameworks", b->frameworks);
		fputs(",\n", f);
	}
	put_machine(&b->machine, f);
	if (b->n_failed)
		fprintf(f, "\"failed\":%zu,\n", b->n_failed);
	put_clocks("traced_clock_ns", &b->traced, f);
	put_clocks("untraced_clock_ns", &b->untraced, f);
	fputs("\"total_ns\":[", f);
	for (size_t i = 0; i < b->n_runs; i++)
		fprintf(f, "%s%llu", i ? "," : "", (unsigned long long)b->runs[i]->total_ns);
	fputs("],\n\"parts\":[", f);
	while (next_line(b, at, of, &part)) {
		fputs(before, f);
		put_line(b, part, of, f);
		before = ",\n";
	}
	fputs("\n]", f);
	r = put_counts(&b->counts, f);
	if (r)
		return r;
	fputs("}\n", f);
	return fflush(f) || ferror(f) ? -EIO : 0;
}
