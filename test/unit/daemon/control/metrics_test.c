// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/control/metrics.h"

static char *render(const char *status, int64_t boot_to_real_ns)
{
	json_t *o = json_loads(status, 0, NULL);
	char *text;

	assert_non_null(o);
	text = metrics_text(o, boot_to_real_ns);
	json_decref(o);
	assert_non_null(text);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in:\n%s", part, text);
}

static void empty_status(void **state)
{
	char *t = render("{}", 0);

	assert_string_equal(t, "# HELP ctrace_up Whether the daemon answers.\n"
			       "# TYPE ctrace_up gauge\n"
			       "ctrace_up 1\n"
			       "# HELP ctrace_build_info The version of the daemon.\n"
			       "# TYPE ctrace_build_info gauge\n"
			       "ctrace_build_info{version=\"unknown\"} 1\n");
	free(t);
}

static void times(void **state)
{
	char *t = render("{\"uptime_ns\":1000000001,\"beat_ns\":5000000007,"
			 "\"file\":{\"oldest_ns\":0,\"newest_ns\":1}}",
			 1700000000000000000);

	assert_has(t, "\nctrace_uptime_seconds 1.000000001\n");
	assert_has(t, "\nctrace_last_beat_timestamp_seconds 1700000005.000000007\n");
	assert_has(t, "\nctrace_trace_newest_timestamp_seconds 1700000000.000000001\n");
	/* a time of 0 (oldest_ns) has no sample, and so no line "# TYPE" */
	assert_null(strstr(t, "oldest"));
	free(t);
}

static void families(void **state)
{
	char *t = render(
		"{\"losses\":{\"ring_full\":3,\"disk\":9007199254740993,\"cpus\":[{\"cpu\":1}]},"
		"\"tables\":{\"objects\":7,\"streams_refused\":2},\"governor\":{\"cost_percent\":0.5}}",
		0);

	assert_has(t, "# TYPE ctrace_lost_records_total counter\n"
		      "ctrace_lost_records_total{cause=\"ring_full\"} 3\n"
		      "ctrace_lost_records_total{cause=\"disk\"} 9007199254740993\n#");
	assert_has(t, "# TYPE ctrace_table_entries gauge\nctrace_table_entries{table=\"objects\"} 7\n#");
	assert_has(t, "# TYPE ctrace_refused_total counter\nctrace_refused_total{what=\"streams\"} 2\n#");
	assert_has(t, "\nctrace_cost_ratio 0.005\n");
	free(t);
}

static void quoting(void **state)
{
	char *t = render("{\"version\":\"a\\\"b\\\\c\\nd\",\"losses\":{\"x\\\"\":1}}", 0);

	assert_has(t, "ctrace_build_info{version=\"a\\\"b\\\\c\\nd\"} 1\n");
	assert_has(t, "ctrace_lost_records_total{cause=\"x\\\"\"} 1\n");
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_status),
		cmocka_unit_test(times),
		cmocka_unit_test(families),
		cmocka_unit_test(quoting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
