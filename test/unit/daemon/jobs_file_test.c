/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/jobs/jobs_file.h"
#include "daemon/jobs/jobs_note.h"
#include "lib/cleanup.h"

#define HEAD "{\"schema\":\"ctrace.framework/1\",\"name\":\"x\",\"binaries\":[\"libx.so\"],\"functions\":["

static struct jobs_spec *parse(const char *text)
{
	char err[JOBS_SPEC_ERR_MAX] = "";
	struct jobs_spec *s;

	if (jobs_spec_parse(text, strlen(text), &s, err))
		fail_msg("%s", err);
	return s;
}

static struct job_rule rule_of(const struct jobs_spec *s, size_t fn)
{
	size_t at;

	return jobs_file_rule(s, s->functions[fn].event, &s->functions[fn].values, NULL, 0, &at);
}

/* A description without enqueues. */
static void starts(void **state)
{
	struct jobs_spec *s =
		parse(HEAD "{\"symbol\":\"s\",\"event\":\"start\",\"job\":\"thread\"},"
			   "{\"symbol\":\"d\",\"event\":\"end\",\"job\":\"thread\",\"queued\":true}]}");

	assert_int_equal(rule_of(s, 0).flags, JOB_NOTED);
	assert_int_equal(rule_of(s, 1).flags, JOB_QUEUED);
	s->functions[1].values.queued = false;
	assert_int_equal(rule_of(s, 0).flags, 0);
	assert_int_equal(rule_of(s, 1).flags, 0);
	free(s);
}

/* Which events wait for which others, by the descriptions. */
static void flags(void **state)
{
	static const struct {
		const char *text;
		uint8_t enqueue, start, end;
	} cases[] = {
		{ HEAD "{\"symbol\":\"e\",\"event\":\"enqueue\",\"job\":\"arg0\"},"
		       "{\"symbol\":\"s\",\"event\":\"start\",\"job\":\"arg0\"},"
		       "{\"symbol\":\"d\",\"event\":\"end\",\"job\":\"arg0\"}]}",
		  0, 0, 0 },
		{ HEAD "{\"symbol\":\"e\",\"event\":\"enqueue\",\"job\":\"arg0\"},"
		       "{\"symbol\":\"s\",\"event\":\"start\",\"job\":\"arg0\",\"queued\":true},"
		       "{\"symbol\":\"d\",\"event\":\"end\",\"job\":\"arg0\"}]}",
		  JOB_NOTED, JOB_QUEUED, 0 },
		{ HEAD "{\"symbol\":\"e\",\"event\":\"enqueue\",\"job\":\"arg0\"},"
		       "{\"symbol\":\"s\",\"event\":\"start\",\"job\":\"arg0\",\"queued\":true},"
		       "{\"symbol\":\"d\",\"event\":\"end\",\"job\":\"arg0\",\"queued\":true}]}",
		  JOB_NOTED, JOB_QUEUED | JOB_ENDED, JOB_QUEUED },
		{ HEAD
		  "{\"symbol\":\"e\",\"event\":\"enqueue\",\"job\":\"arg0\"},"
		  "{\"symbol\":\"s\",\"event\":\"start\",\"job\":\"arg0\",\"queued\":true,\"end\":\"return\"},"
		  "{\"symbol\":\"d\",\"event\":\"end\",\"job\":\"arg0\",\"queued\":true}]}",
		  JOB_NOTED, JOB_QUEUED | JOB_RETURNS, JOB_QUEUED },
		{ HEAD "{\"symbol\":\"e\",\"event\":\"enqueue\",\"job\":\"arg0\"},"
		       "{\"symbol\":\"s\",\"event\":\"start\",\"job\":\"arg0\"},"
		       "{\"symbol\":\"d\",\"event\":\"end\",\"job\":\"arg0\",\"queued\":true}]}",
		  JOB_NOTED, 0, JOB_QUEUED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct jobs_spec *s = parse(cases[i].text);

		assert_int_equal(rule_of(s, 0).flags, cases[i].enqueue);
		assert_int_equal(rule_of(s, 1).flags, cases[i].start);
		assert_int_equal(rule_of(s, 2).flags, cases[i].end);
		free(s);
	}
}

static void places(void **state)
{
	struct jobs_spec *s = parse(HEAD "{\"symbol\":\"f\",\"event\":\"start\",\"job\":\"thread\","
					 "\"queue\":\"arg1->8->-16\",\"function\":\"arg2+4\"}]}");
	struct job_rule rule = rule_of(s, 0);

	assert_int_equal(rule.flags, JOB_LOOSE);
	assert_int_equal(rule.job.reg, JOB_THREAD);
	assert_int_equal(rule.job.deref, 0);
	assert_int_equal(rule.queue.reg, jobs_note_arg_reg(1));
	assert_int_equal(rule.queue.deref, 2);
	assert_int_equal(rule.queue.off, 8);
	assert_int_equal(rule.queue.off2, -16);
	assert_int_equal(rule.function.reg, jobs_note_arg_reg(2));
	assert_int_equal(rule.function.deref, 0);
	assert_int_equal(rule.function.off, 4);
	free(s);
}

#if defined(__x86_64__)
/* The probe lies behind a store only if no value is read from memory. */
static void stores(void **state)
{
	static const uint8_t code[] = { 0x48, 0x89, 0x07, 0x55 }; /* mov %rax,(%rdi); push */
	static const struct {
		const char *job;
		size_t at;
	} cases[] = { { "arg0", 3 }, { "thread", 3 }, { "arg0->0", 0 }, { "arg1->0->8", 0 } };
	struct jobs_spec *s = parse(HEAD "{\"symbol\":\"f\",\"event\":\"start\",\"job\":\"arg0\"}]}");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t at;

		assert_int_equal(jobs_spec_arg(cases[i].job, &s->functions[0].values.job), 0);
		jobs_file_rule(s, CT_JOB_START, &s->functions[0].values, code, sizeof(code), &at);
		assert_int_equal(at, cases[i].at);
	}
	free(s);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags),
		cmocka_unit_test(starts),
		cmocka_unit_test(places),
#if defined(__x86_64__)
		cmocka_unit_test(stores),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
