/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * patterns EVENTS...
 *
 * Measures patterns_find() with made-up sequences of EVENTS events in 100 transactions:
 *   rows      a query for each row; each transaction has more rows than the one before
 *   random    100 symbols without any order: few repetitions, and many rules in the grammar
 *             (analysis/patterns/sequitur.h)
 *   copies    copies of earlier pieces: long repetitions that are not side by side
 *   binary    two symbols without any order: the patterns have the most nested loops
 * Prints key=value lines: seconds of CPU time of one thread, the number of patterns, the first
 * pattern, and the most memory so far. The exit status is 1 if a sequence takes longer than limits[] allows.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/patterns/patterns.h"

#define TRANSACTIONS 100

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Each function in kinds[] returns the symbol of event `at` of a transaction of n events. */
static uint32_t rows(const struct sequence *q, uint64_t *seed, size_t at, size_t n)
{
	return at == 0 ? 0 : at + 1 == n ? 1 : 2 + at % 3;
}

static uint32_t random_100(const struct sequence *q, uint64_t *seed, size_t at, size_t n)
{
	return (uint32_t)(next_random(seed) % 100);
}

static uint32_t binary(const struct sequence *q, uint64_t *seed, size_t at, size_t n)
{
	return (uint32_t)(next_random(seed) % 2);
}

static uint32_t copies(const struct sequence *q, uint64_t *seed, size_t at, size_t n)
{
	static size_t from, left;

	if (q->events.n < 1000 || next_random(seed) % 50 == 0)
		return random_100(q, seed, at, n);
	if (!left || from >= q->events.n) {
		left = 20 + next_random(seed) % 200;
		from = next_random(seed) % (q->events.n - 300);
	}
	left--;
	return q->events.v[from++].symbol;
}

static const struct {
	const char *name;
	uint32_t (*make)(const struct sequence *q, uint64_t *seed, size_t at, size_t n);
} kinds[] = { { "rows", rows }, { "random", random_100 }, { "copies", copies }, { "binary", binary } };

static void must(int r, const char *what)
{
	if (!r)
		return;
	fprintf(stderr, "patterns: %s: %s\n", what, strerror(-r));
	exit(1);
}

/* The most seconds for a sequence of at most so many events. */
static const struct {
	size_t events;
	double seconds;
} limits[] = { { 16000, 2 }, { 1000000, 60 } };

static bool in_time(const char *kind, size_t n, double seconds)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (n > limits[i].events)
			continue;
		if (seconds <= limits[i].seconds)
			return true;
		fprintf(stderr, "patterns: %s: %zu events took %.1f s, more than %.0f s\n", kind, n, seconds,
			limits[i].seconds);
		return false;
	}
	return true; /* no limit */
}

static bool measure(size_t kind, size_t n)
{
	struct sequence q = { 0 };
	struct patterns *p;
	struct rusage usage;
	uint64_t seed = 1;
	char name[32];
	double t;

	for (uint32_t i = 0, symbol; i < 100; i++) {
		snprintf(name, sizeof(name), "send to port %u", i);
		must(sequence_symbol(&q, name, "", &symbol), "symbol");
	}
	for (uint32_t i = 0; i < TRANSACTIONS; i++) {
		size_t mine = n * (i + 1) * 2 / (TRANSACTIONS * (TRANSACTIONS + 1));

		must(sequence_begin(&q, i), "strand");
		for (size_t k = 0; k < mine; k++)
			must(sequence_add(&q, kinds[kind].make(&q, &seed, k, mine), 1000), "event");
	}
	t = cpu_seconds();
	must(patterns_find(&q, 2, &p), "patterns");
	t = cpu_seconds() - t;
	getrusage(RUSAGE_SELF, &usage);
	printf("%s_%zu_s=%.3f\n%s_%zu_patterns=%zu\n%s_%zu_first=%.60s\n%s_%zu_mib=%ld\n", kinds[kind].name,
	       n, t, kinds[kind].name, n, p->n, kinds[kind].name, n, p->n ? p->v[0].text : "",
	       kinds[kind].name, n, usage.ru_maxrss / 1024);
	patterns_free(p);
	sequence_done(&q);
	return in_time(kinds[kind].name, n, t);
}

int main(int argc, char **argv)
{
	bool ok = true;

	for (int i = 1; i < argc; i++)
		for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
			ok &= measure(kind, strtoul(argv[i], NULL, 10));
	return argc == 1 ? 2 : !ok;
}
