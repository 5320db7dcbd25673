// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "cli/export/request_metrics.h"

static char *text_of(const struct request_metrics *m)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	request_metrics_print(f, m);
	assert_int_equal(fclose(f), 0);
	return text;
}

static struct request_metrics *sample(void)
{
	struct request_metrics *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->until_real_ns = 1764432000123456789ULL;
	m->window_ns = 30000000000ULL;
	m->skipped_ns = 1;
	m->n = 2;
	strcpy(m->v[0].name, "shop");
	strcpy(m->v[0].address, "a\"b\\c\nd");
	m->v[0].buckets[0] = 3;
	m->v[0].buckets[REQUEST_METRICS_BUCKETS - 1] = 2;
	m->v[0].sum_ns = 40000000007ULL;
	strcpy(m->v[1].name, "db");
	m->v[1].buckets[5] = 1;
	return m;
}

static void read_again(void **state)
{
	struct request_metrics *m = sample(), *again = calloc(1, sizeof(*again));
	char *text = text_of(m), *second;

	assert_int_equal(request_metrics_read(again, text), 0);
	second = text_of(again);
	assert_string_equal(text, second);
	assert_memory_equal(m, again, sizeof(*m));
	free(second);
	free(text);
	free(again);
	free(m);
}

/* The text has one service more than struct request_metrics has rows. This service is read into
 * `others`. */
static void too_many(void **state)
{
	struct request_metrics *m = sample(), *again = calloc(1, sizeof(*again));
	char *text, *all;
	size_t size;
	FILE *f = open_memstream(&all, &size);

	m->n = METRICS_SERVICES;
	for (size_t i = 2; i < m->n; i++)
		snprintf(m->v[i].name, sizeof(m->v[i].name), "service%zu", i);
	m->others.buckets[0] = 7;
	text = text_of(m);
	fprintf(f,
		"%sctrace_request_duration_seconds_bucket{service=\"one\",address=\"more\",le=\"+Inf\"} 20\n",
		text);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(request_metrics_read(again, all), 0);
	assert_int_equal(again->n, METRICS_SERVICES);
	assert_int_equal(again->others.buckets[0], 7);
	/* the buckets of a row are cumulative */
	assert_int_equal(again->others.buckets[REQUEST_METRICS_BUCKETS - 1], 13);
	free(all);
	free(text);
	free(again);
	free(m);
}

/* A service may be called "(others)", as the histogram of all services without a row is. */
static void named_others(void **state)
{
	struct request_metrics *m = sample(), *again = calloc(1, sizeof(*again));
	char *text;

	strcpy(m->v[0].name, "(others)");
	m->others.buckets[2] = 4;
	text = text_of(m);
	assert_int_equal(request_metrics_read(again, text), 0);
	assert_memory_equal(m, again, sizeof(*m));
	free(text);
	free(again);
	free(m);
}

static void bad_texts(void **state)
{
	static const char *const texts[] = {
		"",
		"ctrace_up 1\n",
		"ctrace_requests_until_timestamp_seconds 12\n",
		"ctrace_requests_until_timestamp_seconds 1.5\n",
		"ctrace_requests_until_timestamp_seconds 99999999999999999999.000000000\n",
		"ctrace_requests_until_timestamp_seconds 1.000000000\nctrace_request_duration_seconds_bucket{",
		"ctrace_requests_until_timestamp_seconds 1.000000000\n"
		"ctrace_request_duration_seconds_bucket{service=\"a\",address=\"b\",le=\"3\"} 1\n",
		"ctrace_requests_until_timestamp_seconds 1.000000000\n"
		"ctrace_request_duration_seconds_bucket{service=\"a\",address=\"b\\",
		"ctrace_requests_until_timestamp_seconds 1.000000000\n"
		"ctrace_request_duration_seconds_bucket{service=\"a\",address=\"b\",le=\"0.0001\"} 2\n"
		"ctrace_request_duration_seconds_bucket{service=\"a\",address=\"b\",le=\"0.00025\"} 1\n",
		"ctrace_requests_until_timestamp_seconds 1.000000000\n"
		"ctrace_request_duration_seconds_sum{service=\"a name that is longer than any name\",address=\"\"} 1.0\n",
	};
	struct request_metrics *m = calloc(1, sizeof(*m));

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (request_metrics_read(m, texts[i]) != -EBADMSG)
			fail_msg("accepted: %s", texts[i]);
	free(m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_again),
		cmocka_unit_test(too_many),
		cmocka_unit_test(named_others),
		cmocka_unit_test(bad_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
