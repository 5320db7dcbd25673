// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/export/request_metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#define DURATION "ctrace_request_duration_seconds"
#define OTHERS   "(others)"

/* The upper limit of each bucket except the last one. le: the limit as text, in seconds. */
static const struct {
	uint64_t ns;
	const char *le;
} limits[REQUEST_METRICS_BUCKETS - 1] = {
	{ 100000, "0.0001" },  { 250000, "0.00025" }, { 500000, "0.0005" },  { 1000000, "0.001" },
	{ 2500000, "0.0025" }, { 5000000, "0.005" },  { 10000000, "0.01" },  { 25000000, "0.025" },
	{ 50000000, "0.05" },  { 100000000, "0.1" },  { 250000000, "0.25" }, { 500000000, "0.5" },
	{ 1000000000, "1" },   { 2500000000, "2.5" }, { 5000000000, "5" },   { 10000000000, "10" },
};

static const char *le_of(size_t bucket)
{
	return bucket < ARRAY_SIZE(limits) ? limits[bucket].le : "+Inf";
}

static struct request_metrics_row *row_of(struct request_metrics *m, const char *name, const char *address,
					  const char *container)
{
	struct request_metrics_row *x;

	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->v[i].name, name) && !strcmp(m->v[i].address, address) &&
		    !strcmp(m->v[i].container, container))
			return &m->v[i];
	if (m->n == METRICS_SERVICES)
		return &m->others;
	x = &m->v[m->n++];
	*x = (struct request_metrics_row){ 0 };
	snprintf(x->name, sizeof(x->name), "%s", name);
	snprintf(x->address, sizeof(x->address), "%s", address);
	snprintf(x->container, sizeof(x->container), "%s", container);
	return x;
}

static void add_request(struct request_metrics_row *x, uint64_t ns)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(limits) && ns > limits[i].ns)
		i++;
	x->buckets[i]++;
	x->sum_ns += ns;
}

static void add_service(struct request_metrics *m, const struct services *s, uint32_t service)
{
	struct request_metrics_row *x = NULL;

	for (uint32_t i = 0; i < s->requests.n; i++) {
		const struct request *q = &s->requests.v[i];

		if (s->of[i] != service || q->answered == GRAPH_NONE || !services_counts(s, i))
			continue;
		if (!x)
			x = row_of(m, s->v[service].name, s->v[service].address, s->v[service].container);
		add_request(x, request_to_ns(s->g, q) - request_from_ns(s->g, q));
	}
}

void request_metrics_add(struct request_metrics *m, const struct services *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i].count)
			add_service(m, s, i);
}

static void put_labels(FILE *f, const char *suffix, const struct request_metrics_row *x)
{
	fprintf(f, DURATION "%s{service=", suffix);
	clean_label(f, x->name[0] ? x->name : OTHERS);
	fputs(",address=", f);
	clean_label(f, x->address);
	if (x->container[0]) {
		fputs(",container=", f);
		clean_label(f, x->container);
	}
}

static void put_seconds(FILE *f, uint64_t ns)
{
	fprintf(f, "%llu.%09llu\n", ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

static void put_row(FILE *f, const struct request_metrics_row *x)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < REQUEST_METRICS_BUCKETS; i++) {
		sum += x->buckets[i];
		put_labels(f, "_bucket", x);
		fprintf(f, ",le=\"%s\"} %" PRIu64 "\n", le_of(i), sum);
	}
	put_labels(f, "_sum", x);
	fputs("} ", f);
	put_seconds(f, x->sum_ns);
	put_labels(f, "_count", x);
	fprintf(f, "} %" PRIu64 "\n", sum);
}

static bool is_used(const struct request_metrics_row *x)
{
	for (size_t i = 0; i < REQUEST_METRICS_BUCKETS; i++)
		if (x->buckets[i])
			return true;
	return false;
}

static const struct figure {
	const char *name, *type, *help;
	size_t at;
} figures[] = {
	{ "ctrace_requests_until_timestamp_seconds", "gauge",
	  "The end of the window of the trace from which the requests were read last.",
	  offsetof(struct request_metrics, until_real_ns) },
	{ "ctrace_requests_window_seconds", "gauge", "The length of this window.",
	  offsetof(struct request_metrics, window_ns) },
	{ "ctrace_requests_skipped_seconds_total", "counter",
	  "The time between windows, of which the requests are missing.",
	  offsetof(struct request_metrics, skipped_ns) },
	{ "ctrace_requests_lacking_seconds_total", "counter",
	  "The time in the windows in which the daemon left out messages, so requests are missing.",
	  offsetof(struct request_metrics, lacking_ns) },
};

static uint64_t *figure_of(struct request_metrics *m, const struct figure *x)
{
	return (uint64_t *)(void *)((char *)m + x->at);
}

void request_metrics_print(FILE *f, const struct request_metrics *m)
{
	struct request_metrics copy = *m;

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		const struct figure *x = &figures[i];

		fprintf(f, "# HELP %s %s\n# TYPE %s %s\n%s ", x->name, x->help, x->name, x->type, x->name);
		put_seconds(f, *figure_of(&copy, x));
	}
	if (!m->n && !is_used(&m->others))
		return;
	fprintf(f,
		"# HELP " DURATION
		" How long answered requests took, by service, from windows of the trace: see ctrace_requests_until_timestamp_seconds.\n"
		"# TYPE " DURATION " histogram\n");
	for (size_t i = 0; i < m->n; i++)
		put_row(f, &m->v[i]);
	if (is_used(&m->others))
		put_row(f, &m->others);
}

static const char *take(const char *p, const char *word)
{
	size_t n = strlen(word);

	return p && !strncmp(p, word, n) ? p + n : NULL;
}

static const char *take_quoted(const char *p, char *buf, size_t size)
{
	size_t n = 0;

	p = take(p, "\"");
	while (p && *p && *p != '"' && *p != '\n') {
		char c = *p++;

		if (c == '\\') {
			c = *p == 'n' ? '\n' : *p;
			if (!*p++)
				return NULL;
		}
		if (n + 1 == size)
			return NULL;
		buf[n++] = c;
	}
	buf[n] = '\0';
	return take(p, "\"");
}

static const char *take_number(const char *p, uint64_t *ret)
{
	char *end;

	if (!p || *p < '0' || *p > '9')
		return NULL;
	errno = 0;
	*ret = strtoull(p, &end, 10);
	return errno ? NULL : end;
}

static const char *take_seconds(const char *p, uint64_t *ret)
{
	uint64_t s, ns;
	const char *dot = take(take_number(p, &s), "."), *end = take_number(dot, &ns);

	/* the text has always nine digits after the point */
	if (!end || end - dot != 9 || s > UINT64_MAX / NSEC_PER_SEC - 1)
		return NULL;
	*ret = s * NSEC_PER_SEC + ns;
	return end;
}

static const char *take_labels(struct request_metrics *m, const char *p, struct request_metrics_row **ret)
{
	char name[sizeof(m->v[0].name)], address[sizeof(m->v[0].address)];
	char container[sizeof(m->v[0].container)] = "";

	p = take_quoted(take(p, "{service="), name, sizeof(name));
	p = take_quoted(take(p, ",address="), address, sizeof(address));
	if (take(p, ",container="))
		p = take_quoted(take(p, ",container="), container, sizeof(container));
	if (p)
		*ret = strcmp(name, OTHERS) || *address ? row_of(m, name, address, container) : &m->others;
	return p;
}

/* Reads the sample of a bucket. The text has the buckets of a row in order. */
static const char *read_bucket(struct request_metrics *m, const char *p)
{
	struct request_metrics_row *x;
	char le[16];
	uint64_t n, before = 0;
	size_t i = 0;

	p = take_labels(m, p, &x);
	p = take_number(take(take_quoted(take(p, ",le="), le, sizeof(le)), "} "), &n);
	if (!p)
		return NULL;
	while (i < REQUEST_METRICS_BUCKETS && strcmp(le_of(i), le))
		before += x->buckets[i++];
	if (i == REQUEST_METRICS_BUCKETS || n < before)
		return NULL;
	x->buckets[i] = n - before;
	return p;
}

static const char *read_sum(struct request_metrics *m, const char *p)
{
	struct request_metrics_row *x;

	p = take(take_labels(m, p, &x), "} ");
	return p ? take_seconds(p, &x->sum_ns) : NULL;
}

static bool read_line(struct request_metrics *m, const char *line)
{
	const char *p;

	p = take(line, DURATION "_bucket");
	if (p)
		return read_bucket(m, p);
	p = take(line, DURATION "_sum");
	if (p)
		return read_sum(m, p);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		p = take(take(line, figures[i].name), " ");
		if (p)
			return take_seconds(p, figure_of(m, &figures[i]));
	}
	return true;
}

int request_metrics_read(struct request_metrics *m, const char *text)
{
	*m = (struct request_metrics){ 0 };
	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!read_line(m, line))
			return -EBADMSG;
	}
	return m->until_real_ns ? 0 : -EBADMSG;
}
