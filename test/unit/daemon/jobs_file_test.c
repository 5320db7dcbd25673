/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void capacity(void **state)
{
	struct jobs_spec *s =
		parse(HEAD "{\"symbol\":\"e\",\"event\":\"enqueue\",\"job\":\"arg1\",\"queue\":\"arg0\","
			   "\"capacity\":\"arg0->0x30\"},"
			   "{\"symbol\":\"s\",\"event\":\"start\",\"job\":\"arg1\"}]}");
	struct job_rule rule = rule_of(s, 0);

	assert_int_equal(rule.capacity.reg, 1 + JOB_DI);
	assert_int_equal(rule.capacity.off, 0x30);
	assert_int_equal(rule.capacity.deref, 1);
	assert_int_equal(rule_of(s, 1).capacity.reg, 0);
	free(s);
}

/* An end of the job "called" takes the place of probes on returns. */
static void called(void **state)
{
	struct jobs_spec *s =
		parse(HEAD "{\"symbol\":\"s\",\"event\":\"start\",\"job\":\"arg0\",\"end\":\"return\"},"
			   "{\"symbol\":\"i\",\"event\":\"start\",\"job\":\"arg1\"},"
			   "{\"symbol\":\"d\",\"event\":\"end\",\"job\":\"called\"}]}");
	struct job_rule start = rule_of(s, 0), idle = rule_of(s, 1), end = rule_of(s, 2);

	assert_int_equal(start.flags, 0);
	assert_true(start.called);
	/* nothing tells the end of this one */
	assert_int_equal(idle.flags, JOB_LOOSE);
	assert_false(idle.called);
	assert_int_equal(end.flags, 0);
	assert_int_equal(end.job.reg, JOB_CALLED);
	assert_true(!jobs_spec_has_returns(s) && jobs_spec_has_called(s));
	s->n_functions = 2;
	start = rule_of(s, 0);
	assert_int_equal(start.flags, JOB_RETURNS);
	assert_false(start.called);
	assert_true(jobs_spec_has_returns(s) && !jobs_spec_has_called(s));
	free(s);
}

/* Events of a display server. */
static void inputs(void **state)
{
	struct jobs_spec *s =
		parse(HEAD "{\"symbol\":\"e\",\"event\":\"input\",\"layout\":\"qt5\",\"at\":\"arg2+8\"},"
			   "{\"symbol\":\"d\",\"event\":\"draw\"}]}");
	struct job_rule rule = rule_of(s, 0);

	assert_int_equal(rule.flags, JOB_INPUT);
	assert_int_equal(rule.event, JOB_LAYOUT_QT5);
	assert_int_equal(rule.rec_flags, CT_IF_DRAWS);
	assert_int_equal(rule.job.reg, 1 + JOB_DX);
	assert_int_equal(rule.job.off, 8);
	rule = rule_of(s, 1);
	assert_int_equal(rule.flags, JOB_INPUT);
	assert_int_equal(rule.event, JOB_LAYOUT_DRAW);
	s->n_functions = 1;
	assert_int_equal(rule_of(s, 0).rec_flags, 0);
	free(s);
}

static void calls(void **state)
{
	struct jobs_spec *s =
		parse(HEAD "{\"symbol\":\"f\",\"event\":\"call\"},"
			   "{\"symbol\":\"g\",\"event\":\"call\",\"as\":\"query\",\"text\":\"arg1\"}]}");
	struct job_rule plain = rule_of(s, 0), text = rule_of(s, 1);

	assert_int_equal(plain.flags, JOB_MARK);
	assert_int_equal(plain.event, CT_MARK_POINT);
	assert_int_equal(plain.rec_flags, CT_MF_CALL);
	assert_int_equal(plain.job.reg, 0);
	assert_string_equal(plain.name, "f");
	assert_int_equal(plain.name_len, 1);
	assert_int_equal(CT_OBJ_KIND(plain.mark), CT_OBJ_MARK);
	assert_int_equal(text.flags, JOB_MARK | JOB_TEXT);
	assert_int_equal(text.rec_flags, CT_MF_CALL);
	assert_int_equal(text.job.reg, 1 + JOB_SI);
	assert_string_equal(text.name, "query: ");
	assert_int_equal(text.name_len, 7);
	assert_int_not_equal(text.mark, plain.mark);
	free(s);
}

/* The end of a transaction counts only after its begin. */
static void transactions(void **state)
{
	struct jobs_spec *s = parse(
		HEAD
		"{\"symbol\":\"give\",\"event\":\"function\",\"function\":\"arg1\",\"calls\":{\"event\":"
		"\"transaction-begin\",\"as\":\"order\",\"id\":\"arg0\",\"part\":\"arg1->8\",\"zero\":\"arg2\",\"stream\":true}},"
		"{\"symbol\":\"f\",\"event\":\"transaction-end\",\"as\":\"order\",\"id\":\"arg0\",\"contains\":{\"at\":\"arg1\",\"has\":\"ok\"}}]}");
	struct job_rule gives = rule_of(s, 0), ends = rule_of(s, 1), begins;
	size_t at;

	begins = jobs_file_rule(s, s->functions[0].calls_event, &s->functions[0].calls, NULL, 0, &at);
	assert_int_equal(gives.event, JOB_FUNCTION);
	assert_int_equal(gives.flags, 0); /* file_add() adds JOB_CALLS */
	assert_int_equal(gives.function.reg, 1 + JOB_SI);
	assert_int_equal(begins.event, CT_MARK_BEGIN);
	assert_int_equal(begins.flags, JOB_MARK | JOB_NOTED);
	assert_int_equal(begins.rec_flags, CT_MF_HASHED | CT_MF_STREAM);
	assert_int_equal(ends.rec_flags, CT_MF_HASHED);
	assert_int_equal(begins.part.deref, 1);
	assert_int_equal(begins.zero.reg, 1 + JOB_DX);
	assert_int_equal(ends.event, CT_MARK_END);
	assert_int_equal(ends.flags, JOB_MARK | JOB_QUEUED);
	assert_int_equal(ends.part.reg, 0);
	assert_int_equal(begins.text.at.reg, 0);
	assert_int_equal(ends.text.at.reg, 1 + JOB_SI);
	assert_int_equal(ends.text.has[0], 'o' << 8 | 'k');
	assert_string_equal(ends.name, "order");
	assert_int_equal(ends.name_len, 5);
	assert_int_equal(ends.framework, begins.framework);
	assert_int_not_equal(ends.framework, 0);
	assert_int_equal(ends.mark, begins.mark);
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

/* The bytes that a text has to have, the last one lowest. */
static void text(void **state)
{
	struct jobs_spec *s = parse(
		HEAD
		"{\"symbol\":\"f\",\"event\":\"start\",\"job\":\"thread\",\"contains\":{\"at\":\"arg1\","
		"\"length\":\"arg2\",\"has\":\"abc\"}},"
		"{\"symbol\":\"g\",\"event\":\"end\",\"job\":\"thread\",\"contains\":{\"at\":\"arg0->8\","
		"\"has\":\"0123456789abcdef\"}},"
		"{\"symbol\":\"h\",\"event\":\"end\",\"job\":\"thread\"},"
		"{\"symbol\":\"i\",\"event\":\"call\",\"contains\":{\"at\":\"arg2->0+16\",\"has\":\"abc\"}}]}");
	struct job_rule rule = rule_of(s, 0);

	assert_int_equal(rule.text.at.reg, jobs_note_arg_reg(1));
	assert_int_equal(rule.text.length.reg, jobs_note_arg_reg(2));
	assert_true(rule.text.has[0] == 0x616263 && rule.text.mask[0] == 0xffffff);
	assert_true(!rule.text.has[1] && !rule.text.mask[1]);
	rule = rule_of(s, 1);
	assert_int_equal(rule.text.at.deref, 1);
	assert_int_equal(rule.text.length.reg, 0);
	assert_true(rule.text.has[0] == 0x3839616263646566 && rule.text.has[1] == 0x3031323334353637);
	assert_true(rule.text.mask[0] == UINT64_MAX && rule.text.mask[1] == UINT64_MAX);
	assert_int_equal(rule_of(s, 2).text.at.reg, 0);
	rule = rule_of(s, 3);
	assert_true(rule.text.has[0] == 0x616263 && rule.flags == JOB_MARK);
	assert_true(rule.text.at.deref == 1 && !rule.text.at.off && rule.text.at.off2 == 16);
	free(s);
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

static void locks(void **state)
{
	struct jobs_spec *s = parse(HEAD "{\"symbol\":\"w\",\"event\":\"lock-wait\",\"lock\":\"go0\","
					 "\"strand\":\"goroutine\",\"again\":\"go1\"},"
					 "{\"symbol\":\"r\",\"event\":\"lock-release\",\"lock\":\"go2->8\","
					 "\"strand\":\"goroutine\"}]}");
	struct job_rule rule = rule_of(s, 0);

	assert_int_equal(rule.event, JOB_LOCK_WAIT);
	assert_int_equal(rule.flags, 0);
	assert_int_equal(rule.framework, jobs_spec_number(s));
	assert_string_equal(rule.name, "x");
	assert_int_equal(rule.job.reg, jobs_note_goroutine_reg());
	assert_int_equal(rule.queue.reg, jobs_note_go_reg(0));
	assert_int_equal(rule.part.reg, jobs_note_go_reg(1));
	rule = rule_of(s, 1);
	assert_int_equal(rule.event, JOB_LOCK_RELEASE);
	assert_int_equal(rule.queue.reg, jobs_note_go_reg(2));
	assert_int_equal(rule.queue.deref, 1);
	assert_int_equal(rule.part.reg, 0);
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

/* The file of this test has 70 notes t:many. The argument of t:memory is in memory, and that of t:half has
 * 32 bits. */
#define NOTE(name, arg)                                                                                      \
	"990: nop\n"                                                                                         \
	".pushsection .note.stapsdt,\"\",\"note\"\n"                                                         \
	".balign 4\n"                                                                                        \
	".4byte 992f-991f, 994f-993f, 3\n"                                                                   \
	"991: .asciz \"stapsdt\"\n"                                                                          \
	"992: .balign 4\n"                                                                                   \
	"993: .8byte 990b, 0, 0\n"                                                                           \
	".asciz \"t\", \"" name "\", \"" arg "\"\n"                                                          \
	"994: .balign 4\n"                                                                                   \
	".popsection\n"
__asm__(".text\n"
	".rept 70\n" NOTE("many", "-8@%rax") ".endr\n" NOTE("memory", "-8@16(%rsp)") NOTE("half", "-4@%eax"));
__asm__(".data\n"
	".type t_variable, @object\n"
	".size t_variable, 8\n"
	"t_variable: .8byte 0\n"
	".text\n");

static unsigned n_probes;

/* Instead of daemon/jobs/jobs_probe.c, which needs the kernel. */
int jobs_probe_add(struct jobs_probe *p, pid_t pid, const char *path, struct jobs_place at,
		   const struct job_rule *rule, uint32_t price_ns, struct jobs_link **ret)
{
	n_probes++;
	*ret = NULL;
	return 0;
}

void jobs_probe_del(struct jobs_probe *p, struct jobs_link *l)
{
	n_probes--;
}

static struct jobs_file *own_file(struct jobs_spec *s)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct jobs_file *f = NULL;
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(jobs_file_new(NULL, s, 0, 0, "x", fd, &st, false, &f), 0);
	close(fd);
	return f;
}

/* `if` and `unless` may name a variable, but a probe is only on a function. */
static void variables(void **state)
{
	static const struct {
		const char *names;
		unsigned wanted, probes;
	} cases[] = {
		{ "\"symbol\":\"main\",\"if\":\"t_variable\"", 1, 1 },
		{ "\"symbol\":\"main\",\"if\":\"t_absent\"", 0, 0 },
		{ "\"symbol\":\"main\",\"unless\":\"t_variable\"", 0, 0 },
		{ "\"symbol\":\"t_variable\"", 1, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[256];
		struct jobs_spec *s;
		struct jobs_file *f;

		snprintf(text, sizeof(text), HEAD "{%s,\"event\":\"start\",\"job\":\"arg0\"}]}",
			 cases[i].names);
		s = parse(text);
		f = own_file(s);
		assert_int_equal(f->n_wanted, cases[i].wanted);
		assert_int_equal(n_probes, cases[i].probes);
		jobs_file_free(NULL, f);
		free(s);
	}
}

static void notes_at_most(void **state)
{
	struct jobs_spec *s = parse(HEAD "{\"note\":\"t:many\",\"event\":\"start\",\"job\":\"arg0\"}]}");
	struct jobs_file *f = own_file(s);

	assert_int_equal(n_probes, JOBS_NOTES_MAX);
	assert_int_equal(f->n_refused, 70 - JOBS_NOTES_MAX);
	assert_string_equal(f->why, "6 notes more than can be watched");
	jobs_file_free(NULL, f);
	assert_int_equal(n_probes, 0);
	free(s);
}

static void note_arguments(void **state)
{
	static const struct {
		const char *note, *job, *why;
	} cases[] = {
		{ "t:memory", "arg0", "" },
		{ "t:memory", "arg0->-32768", "" },
		{ "t:memory", "arg0->-32769", "in memory" },
		{ "t:memory", "arg0+8", "in memory" },
		{ "t:memory", "arg0->0->8", "in memory" },
		{ "t:memory", "arg0->0+8", "in memory" },
		{ "t:memory", "arg1", "not 64 bits" },
		{ "t:half", "arg0", "not 64 bits" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[256];
		struct jobs_spec *s;
		struct jobs_file *f;

		snprintf(text, sizeof(text), HEAD "{\"note\":\"%s\",\"event\":\"start\",\"job\":\"%s\"}]}",
			 cases[i].note, cases[i].job);
		s = parse(text);
		f = own_file(s);
		assert_int_equal(n_probes, !*cases[i].why);
		if (!strstr(f->why, cases[i].why) || (*f->why && !*cases[i].why))
			fail_msg("%s of %s: \"%s\"", cases[i].job, cases[i].note, f->why);
		jobs_file_free(NULL, f);
		free(s);
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags),
		cmocka_unit_test(inputs),
		cmocka_unit_test(calls),
		cmocka_unit_test(transactions),
		cmocka_unit_test(starts),
		cmocka_unit_test(capacity),
		cmocka_unit_test(called),
		cmocka_unit_test(places),
		cmocka_unit_test(locks),
		cmocka_unit_test(text),
#if defined(__x86_64__)
		cmocka_unit_test(stores),
		cmocka_unit_test(variables),
		cmocka_unit_test(notes_at_most),
		cmocka_unit_test(note_arguments),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
