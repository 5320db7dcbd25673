// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare/baseline.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

__attribute__((format(printf, 2, 3))) static int refuse(char err[BASELINE_ERR_MAX], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err, BASELINE_ERR_MAX, fmt, ap);
	va_end(ap);
	return -EBADMSG;
}

static int parse_document(const char *text, size_t size, json_t **ret, char err[BASELINE_ERR_MAX])
{
	const char *schema;
	int r = text_parse_json(text, size, BASELINE_BYTES_MAX, ret, err);

	if (r)
		return r;
	schema = json_string_value(json_object_get(*ret, "schema"));
	if (!schema || strncmp(schema, "ctrace.baseline/", 16))
		return refuse(err, "its \"schema\" is not \"" BASELINE_SCHEMA "\"");
	if (strcmp(schema, BASELINE_SCHEMA))
		return refuse(err,
			      "its version is not " BASELINE_SCHEMA ", the version that this program reads");
	return 0;
}

static int get_text(const json_t *o, const char *key, char *buf, size_t size, char err[BASELINE_ERR_MAX])
{
	const json_t *v = json_object_get(o, key);

	buf[0] = '\0';
	if (!v)
		return 0;
	if (!json_is_string(v))
		return refuse(err, "\"%s\" must be a string", key);
	if (json_string_length(v) >= size)
		return refuse(err, "\"%s\" has more than %zu bytes", key, size - 1);
	describe_clean(json_string_value(v), buf, size);
	return 0;
}

static int get_cpus(const json_t *o, const char *key, unsigned *ret, char err[BASELINE_ERR_MAX])
{
	const json_t *v = json_object_get(o, key);

	if (!v)
		return 0;
	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > FORMAT_CPUS_MAX)
		return refuse(err, "\"%s\" must be a number of CPUs", key);
	*ret = (unsigned)json_integer_value(v);
	return 0;
}

static int get_machine(const json_t *doc, struct baseline_machine *m, char err[BASELINE_ERR_MAX])
{
	const json_t *o = json_object_get(doc, "machine");
	int r;

	if (!json_is_object(o))
		return refuse(err, "\"machine\" must be an object");
	r = get_text(o, "kernel", m->kernel, sizeof(m->kernel), err);
	r = r ? r : get_text(o, "arch", m->arch, sizeof(m->arch), err);
	r = r ? r : get_text(o, "model", m->model, sizeof(m->model), err);
	r = r ? r : get_text(o, "governor", m->governor, sizeof(m->governor), err);
	r = r ? r : get_text(o, "cgroup", m->cgroup, sizeof(m->cgroup), err);
	r = r ? r : get_cpus(o, "cpus", &m->cpus, err);
	return r ? r : get_cpus(o, "allowed_cpus", &m->allowed_cpus, err);
}

static int get_number(const json_t *v, const char *key, uint64_t *ret, char err[BASELINE_ERR_MAX])
{
	if (!json_is_integer(v) || json_integer_value(v) < 0 ||
	    (uint64_t)json_integer_value(v) > BASELINE_NS_MAX)
		return refuse(err, "\"%s\" must have whole numbers from 0 to 2^60", key);
	*ret = (uint64_t)json_integer_value(v);
	return 0;
}

static int get_array(const json_t *o, const char *key, size_t n, const json_t **ret,
		     char err[BASELINE_ERR_MAX])
{
	*ret = json_object_get(o, key);
	if (!json_is_array(*ret) || json_array_size(*ret) != n)
		return refuse(err, "\"%s\" must be an array with a number for each run", key);
	return 0;
}

struct reading {
	struct profile **runs;
	size_t n;
	size_t bytes; /* of memory, for the texts of all parts */
	char *err;
};

/* p->parts must have room for one more part. */
static int add_part(struct reading *k, struct profile *p, const struct profile_part *words, uint64_t ns,
		    uint64_t count)
{
	struct profile_part *part = &p->parts[p->n_parts];

	k->bytes += strlen(words->key) + strlen(words->detail) + strlen(words->text) + 3;
	if (k->bytes > BASELINE_TEXTS_MAX)
		return refuse(k->err, "the texts of its parts are too long for %zu runs", k->n);
	*part = (struct profile_part){ .key = strdup(words->key),
				       .detail = strdup(words->detail),
				       .text = strdup(words->text),
				       .ns = ns,
				       .count = count,
				       .class = words->class };
	p->n_parts++; /* so that profile_free() frees the strings */
	return part->key && part->detail && part->text ? 0 : -ENOMEM;
}

/* Adds the part o to the profile of each run in which its time is not 0. */
static int get_part(struct reading *k, const json_t *o)
{
	char *err = k->err;
	char key[PART_TEXT_MAX], detail[PART_TEXT_MAX], text[PART_TEXT_MAX], kind[32];
	const json_t *ns, *counts;
	uint64_t x = 0, count = 0;
	struct profile_part words = { .key = key, .detail = detail, .text = text };
	int r = get_text(o, "key", key, sizeof(key), err);

	r = r ? r : get_text(o, "detail", detail, sizeof(detail), err);
	r = r ? r : get_text(o, "text", text, sizeof(text), err);
	r = r ? r : get_text(o, "kind", kind, sizeof(kind), err);
	r = r ? r : get_array(o, "ns", k->n, &ns, err);
	r = r ? r : get_array(o, "count", k->n, &counts, err);
	if (r)
		return r;
	words.class = part_class_of(kind);
	if (!key[0] || !text[0] || words.class == PART_CLASSES)
		return refuse(err, "it needs \"key\", \"text\" and a known \"kind\"");
	for (size_t i = 0; i < k->n && !r; i++) {
		r = get_number(json_array_get(ns, i), "ns", &x, err);
		r = r ? r : get_number(json_array_get(counts, i), "count", &count, err);
		if (!r && x)
			r = add_part(k, k->runs[i], &words, x, count);
	}
	return r;
}

static int part_cmp(const void *a, const void *b)
{
	return part_order(a, b);
}

static int check_run(struct profile *p, size_t i, char err[BASELINE_ERR_MAX])
{
	uint64_t left = p->total_ns;

	if (p->n_parts)
		qsort(p->parts, p->n_parts, sizeof(*p->parts), part_cmp);
	for (size_t k = 0; k < p->n_parts; k++) {
		if (k && !part_order(&p->parts[k - 1], &p->parts[k]))
			return refuse(err, "two parts have the same \"key\" and \"detail\"");
		if (p->parts[k].ns > left)
			return refuse(err, "the parts of run %zu are longer than its \"total_ns\"", i + 1);
		left -= p->parts[k].ns;
	}
	return left ? refuse(err, "the parts of run %zu are shorter than its \"total_ns\"", i + 1) : 0;
}

static int get_runs(const json_t *doc, struct profile **runs, size_t n, char err[BASELINE_ERR_MAX])
{
	const json_t *totals = json_object_get(doc, "total_ns"), *parts = json_object_get(doc, "parts"), *o;
	char why[BASELINE_ERR_MAX - 32];
	struct reading k = { .runs = runs, .n = n, .err = err };
	size_t i;
	int r = 0;

	if (!json_is_array(parts) || json_array_size(parts) > BASELINE_ROWS_MAX)
		return refuse(err, "\"parts\" must be an array of at most %d parts", BASELINE_ROWS_MAX);
	/* For each part and run, the document has two numbers of at least two bytes each. So parts
	 * times runs is at most BASELINE_BYTES_MAX / 4. */
	if (json_array_size(parts) * n > BASELINE_BYTES_MAX / 4)
		return refuse(err, "it has too many parts for its number of runs");
	for (i = 0; i < n && !r; i++) {
		runs[i] = calloc(1, sizeof(**runs));
		if (runs[i])
			runs[i]->parts = calloc(json_array_size(parts) + 1, sizeof(*runs[i]->parts));
		if (!runs[i] || !runs[i]->parts)
			return -ENOMEM;
		r = get_number(json_array_get(totals, i), "total_ns", &runs[i]->total_ns, err);
	}
	if (r)
		return r;
	json_array_foreach (parts, i, o) {
		r = get_part(&k, o);
		if (r == -EBADMSG) {
			snprintf(why, sizeof(why), "%.*s", (int)sizeof(why) - 1, err);
			return refuse(err, "part %zu: %s", i + 1, why);
		}
		if (r)
			return r;
	}
	for (i = 0; i < n && !r; i++)
		r = check_run(runs[i], i, err);
	return r;
}

static int get_clocks(const json_t *doc, const char *key, struct baseline_clocks *c,
		      char err[BASELINE_ERR_MAX])
{
	const json_t *v = json_object_get(doc, key), *o;
	uint64_t ns = 0;
	size_t i;
	int r;

	if (v && (!json_is_array(v) || json_array_size(v) > BASELINE_RUNS_MAX))
		return refuse(err, "\"%s\" must be an array of at most %d numbers", key, BASELINE_RUNS_MAX);
	json_array_foreach (v, i, o) {
		r = get_number(o, key, &ns, err);
		r = r ? r : baseline_clock(c, ns);
		if (r)
			return r;
	}
	return 0;
}

static int get_failed(const json_t *doc, size_t n, struct baseline *b, char err[BASELINE_ERR_MAX])
{
	const json_t *v = json_object_get(doc, "failed");

	if (!v)
		return 0;
	if (!json_is_integer(v) || json_integer_value(v) < 0 || (size_t)json_integer_value(v) > n)
		return refuse(err, "\"failed\" must be a number of runs, at most %zu", n);
	b->n_failed += (size_t)json_integer_value(v);
	return 0;
}

/* first: the index in c of the first run of this document. */
static int get_count(struct counts *c, const json_t *o, size_t first, char err[BASELINE_ERR_MAX])
{
	char text[COUNTS_TEXT_MAX];
	const json_t *v;
	uint64_t n = 0;
	int r = get_text(o, "text", text, sizeof(text), err);

	if (!r && !text[0])
		return refuse(err, "each of its \"counts\" needs a \"text\"");
	r = r ? r : get_array(o, "n", c->n_runs - first, &v, err);
	for (size_t i = 0; first + i < c->n_runs && !r; i++) {
		r = get_number(json_array_get(v, i), "n", &n, err);
		r = r || !n ? r : counts_add(c, first + i, text, n);
		if (r == -E2BIG)
			return refuse(err, "\"n\" must have counts up to 2^40");
	}
	return r;
}

static int get_counts(const json_t *doc, size_t n_runs, struct counts *c, char err[BASELINE_ERR_MAX])
{
	const json_t *runs = json_object_get(doc, "counted_runs"), *v = json_object_get(doc, "counts"), *o;
	size_t i, first = c->n_runs;
	int r;

	if (!runs && !v)
		return 0;
	if (!json_is_integer(runs) || json_integer_value(runs) < 0 ||
	    (size_t)json_integer_value(runs) > n_runs)
		return refuse(err, "\"counted_runs\" must be a number of runs, at most %zu", n_runs);
	if (!json_is_array(v) || json_array_size(v) > COUNTS_ROWS_MAX)
		return refuse(err, "\"counts\" must be an array of at most %d events", COUNTS_ROWS_MAX);
	r = counts_begin(c, (size_t)json_integer_value(runs));
	json_array_foreach (v, i, o) {
		r = r ? r : get_count(c, o, first, err);
		if (r)
			return r;
	}
	return r;
}

static int parse_runs(struct baseline *b, const json_t *doc, char err[BASELINE_ERR_MAX])
{
	const json_t *totals = json_object_get(doc, "total_ns");
	size_t n = json_array_size(totals), added = 0;
	struct baseline_machine machine = { 0 };
	char command[PART_TEXT_MAX], unit[PART_TEXT_MAX], frameworks[PART_TEXT_MAX];
	_cleanup_free_ struct profile **runs = NULL;
	int r;

	if (!json_is_array(totals) || n > BASELINE_RUNS_MAX ||
	    (!n && !json_array_size(json_object_get(doc, "untraced_clock_ns"))))
		return refuse(err, "\"total_ns\" must be an array of 1 to %d numbers", BASELINE_RUNS_MAX);
	r = get_text(doc, "command", command, sizeof(command), err);
	r = r ? r : get_text(doc, "unit", unit, sizeof(unit), err);
	if (!r && baseline_unit(b, unit))
		return refuse(err, "its runs are each %.80s, and the runs before them each %.80s",
			      baseline_unit_words(unit), baseline_unit_words(b->unit));
	r = r ? r : get_text(doc, "frameworks", frameworks, sizeof(frameworks), err);
	r = r ? r : get_machine(doc, &machine, err);
	r = r ? r : get_failed(doc, n, b, err);
	r = r ? r : get_clocks(doc, "traced_clock_ns", &b->traced, err);
	r = r ? r : get_clocks(doc, "untraced_clock_ns", &b->untraced, err);
	if (r)
		return r;
	if (!n && !b->n_runs) {
		b->machine = machine;
		snprintf(b->command, sizeof(b->command), "%s", command);
	}
	if (!b->n_runs)
		snprintf(b->frameworks, sizeof(b->frameworks), "%s", frameworks);
	runs = calloc(n + 1, sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	r = get_runs(doc, runs, n, err);
	r = r ? r : get_counts(doc, n, &b->counts, err);
	for (; added < n && !r; added += !r)
		r = baseline_add(b, runs[added], &machine, command);
	for (size_t i = added; i < n; i++)
		profile_free(runs[i]);
	return r;
}

int baseline_parse(struct baseline *b, const char *text, size_t size, char err[BASELINE_ERR_MAX])
{
	_cleanup_json_ json_t *doc = NULL;
	int r = parse_document(text, size, &doc, err);

	if (!r)
		r = parse_runs(b, doc, err);
	if (r == -ENOMEM)
		snprintf(err, BASELINE_ERR_MAX, "out of memory");
	if (r == -E2BIG)
		snprintf(err, BASELINE_ERR_MAX, "there are more than %d runs in all", BASELINE_RUNS_MAX);
	return r;
}
