/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/jobs/jobs_load.h"
#include "daemon/jobs/jobs_mark.h"
#include "daemon/jobs/jobs_address.h"
#include "daemon/jobs/jobs_spec.h"
#include "lib/cleanup.h"

#define HEAD  "{\"schema\":\"ctrace.framework/1\",\"name\":\"x\",\"binaries\":[\"libx.so\"],\"functions\":["
#define START "\"event\":\"start\",\"job\":\"arg0\""
#define BEGIN                                                                                                \
	"{\"event\":\"transaction-begin\",\"as\":\"order\",\"id\":\"arg0\",\"part\":\"arg2\",\"zero\":\"arg3\"}"
#define END "\"event\":\"end\",\"job\":\"arg0\""

#define END_QUEUED "{\"symbol\":\"q\",\"queued\":true," END "}"

static void values(void **state)
{
	static const struct {
		const char *text;
		struct jobs_arg arg;
	} good[] = {
		{ "arg0", { 0 } },
		{ "arg5", { .arg = 5 } },
		{ "arg1+0x58", { .arg = 1, .off = 0x58 } },
		{ "arg2+-8", { .arg = 2, .off = -8 } },
		{ "arg0->0", { .deref = true } },
		{ "arg3->-0x10", { .arg = 3, .deref = true, .off = -16 } },
		{ "arg3->2147483647", { .arg = 3, .deref = true, .off = INT32_MAX } },
		{ "thread", { .arg = JOBS_SPEC_THREAD } },
		{ "arg0->0->0x10", { .deref = 2, .off2 = 16 } },
		{ "arg0->0+8", { .deref = true, .off2 = 8 } },
		{ "arg2->8+-0x8000", { .arg = 2, .deref = true, .off = 8, .off2 = INT16_MIN } },
		{ "arg2->0x30->-0x8000", { .arg = 2, .deref = 2, .off = 48, .off2 = INT16_MIN } },
		{ "go0", { .arg = JOBS_SPEC_GO } },
		{ "go3->8", { .arg = JOBS_SPEC_GO + 3, .deref = true, .off = 8 } },
		{ "goroutine", { .arg = JOBS_SPEC_GOROUTINE } },
	};
	static const char *const bad[] = { "",
					   "arg",
					   "arg6",
					   "arg-1",
					   "arg00",
					   "arg0->",
					   "arg0->x",
					   "arg0->0x",
					   "arg0-> 1",
					   "arg0->1x",
					   "arg0+",
					   "arg0++1",
					   "arg0-1",
					   "Arg0",
					   "arg0->2147483648",
					   "arg0 + 1",
					   "thread0",
					   "thread->0",
					   "arg0->0->",
					   "arg0->0->x",
					   "arg0->0->32768",
					   "arg0->0->0->0",
					   "arg0->0+",
					   "arg0->0+8+8",
					   "arg0->0+8->0",
					   "arg0->0->0+8",
					   "arg0->0+32768",
					   "arg0+8->0",
					   "arg0->99999999999999999999",
					   "go",
					   "go4",
					   "go0x",
					   "goroutine+8" };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct jobs_arg a = { .arg = 99 };

		assert_int_equal(jobs_spec_arg(good[i].text, &a), 0);
		assert_int_equal(a.arg, good[i].arg.arg);
		assert_int_equal(a.deref, good[i].arg.deref);
		assert_int_equal(a.off, good[i].arg.off);
		assert_int_equal(a.off2, good[i].arg.off2);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct jobs_arg a = { .arg = 99 };

		assert_int_equal(jobs_spec_arg(bad[i], &a), -EINVAL);
		assert_int_equal(a.arg, 99);
	}
}

static void spec(void **state)
{
	static const char text[] = HEAD
		"{\"symbol\":\"f\",\"event\":\"enqueue\",\"job\":\"arg1\",\"function\":\"arg2\",\"if\":\"g\","
		"\"unless\":\"h\",\"calls\":{\"job\":\"arg0\",\"end\":\"return\",\"queued\":true}},"
		"{\"note\":\"p:n\"," START ",\"queue\":\"arg1\"}],\"about\":\"why\"}";
	char err[JOBS_SPEC_ERR_MAX] = "";
	const struct jobs_function *f;
	struct jobs_spec *s = NULL;

	assert_int_equal(jobs_spec_parse(text, sizeof(text) - 1, &s, err), 0);
	assert_string_equal(s->name, "x");
	assert_int_equal(s->n_binaries, 1);
	assert_string_equal(s->binaries[0], "libx.so");
	assert_true(jobs_spec_names(s, "/usr/lib/libx.so") && jobs_spec_names(s, "/libx.so.1.2"));
	assert_false(jobs_spec_names(s, "/usr/lib/libx.sox") || jobs_spec_names(s, "/usr/libx.so/y"));
	assert_false(jobs_spec_names(s, "/usr/lib/alibx.so") || jobs_spec_names(s, "/usr/lib/libx"));
	assert_int_equal(s->n_functions, 2);
	f = &s->functions[0];
	assert_int_equal(f->event, CT_JOB_ENQUEUE);
	assert_string_equal(f->need, "g");
	assert_string_equal(f->unless, "h");
	assert_int_equal(f->values.queue.arg, -1);
	assert_true(f->has_calls && f->calls.returns && f->calls.queued && !f->values.returns);
	f = &s->functions[1];
	assert_true(f->note && !f->has_calls && !f->values.returns);
	assert_string_equal(f->symbol, "p:n");
	assert_int_equal(f->values.queue.arg, 1);
	free(s);
}

static void locks(void **state)
{
	static const char text[] =
		"{\"schema\":\"ctrace.framework/1\",\"name\":\"x\",\"programs\":\"go\",\"functions\":["
		"{\"symbol\":\"w\",\"event\":\"lock-wait\",\"lock\":\"go0\",\"strand\":\"goroutine\","
		"\"again\":\"go1\"},"
		"{\"symbol\":\"r\",\"event\":\"lock-release\",\"lock\":\"go0+4\",\"strand\":\"goroutine\"}]}";
	char err[JOBS_SPEC_ERR_MAX] = "";
	const struct jobs_function *f;
	struct jobs_spec *s = NULL;

	assert_int_equal(jobs_spec_parse(text, sizeof(text) - 1, &s, err), 0);
	assert_true(s->go && !s->n_binaries && !jobs_spec_names(s, "/x"));
	assert_false(jobs_spec_is_private(s) || jobs_spec_has_returns(s));
	f = s->functions;
	assert_int_equal(f[0].event, JOBS_SPEC_LOCK_WAIT);
	assert_int_equal(f[0].values.job.arg, JOBS_SPEC_GOROUTINE);
	assert_int_equal(f[0].values.queue.arg, JOBS_SPEC_GO);
	assert_int_equal(f[0].values.part.arg, JOBS_SPEC_GO + 1);
	assert_int_equal(f[1].event, JOBS_SPEC_LOCK_RELEASE);
	assert_int_equal(f[1].values.queue.off, 4);
	assert_int_equal(f[1].values.part.arg, -1);
	free(s);
}

/* Calls of functions are no jobs. Only a framework that reports texts is private. */
static void calls(void **state)
{
	static const char text[] =
		HEAD "{\"symbol\":\"f\",\"event\":\"call\"},"
		     "{\"note\":\"db:query__start\",\"event\":\"call\",\"text\":\"arg0->8\"},"
		     "{\"symbol\":\"_ZN1a1bEv\",\"event\":\"call\",\"as\":\"a::b\",\"if\":\"g\","
		     "\"contains\":{\"at\":\"arg2->0+16\",\"has\":\"xyz\"}}]}";
	char err[JOBS_SPEC_ERR_MAX] = "";
	const struct jobs_function *f;
	struct jobs_spec *s = NULL;

	assert_int_equal(jobs_spec_parse(text, sizeof(text) - 1, &s, err), 0);
	f = s->functions;
	assert_true(f[0].event == JOBS_SPEC_CALL && f[0].values.job.arg < 0);
	assert_string_equal(f[0].values.call, "f");
	assert_true(f[1].note && f[1].values.job.deref == 1 && f[1].values.job.off == 8);
	assert_string_equal(f[1].values.call, "query__start");
	assert_string_equal(f[2].values.call, "a::b");
	assert_string_equal(f[2].need, "g");
	assert_string_equal(f[2].values.text.has, "xyz");
	assert_true(jobs_spec_is_private(s));
	s->functions[1] = s->functions[0];
	assert_false(jobs_spec_is_private(s));
	free(s);
}

/* The begin and the end of a transaction: at a function, and at a function that the program gives away. */
static void transactions(void **state)
{
	static const char text[] = HEAD
		"{\"symbol\":\"give\",\"event\":\"function\",\"function\":\"arg1->8\",\"calls\":" BEGIN "},"
		"{\"symbol\":\"f\",\"event\":\"transaction-end\",\"as\":\"order\",\"id\":\"arg1\"}]}";
	char err[JOBS_SPEC_ERR_MAX] = "";
	const struct jobs_function *f;
	struct jobs_spec *s = NULL;

	if (jobs_spec_parse(text, sizeof(text) - 1, &s, err))
		fail_msg("%s", err);
	f = s->functions;
	assert_true(f[0].event == JOBS_SPEC_FUNCTION && f[0].has_calls);
	assert_true(f[0].values.function.arg == 1 && f[0].values.function.off == 8 &&
		    f[0].values.job.arg < 0);
	assert_int_equal(f[0].calls_event, JOBS_SPEC_BEGIN);
	assert_string_equal(f[0].calls.call, "order");
	assert_true(f[0].calls.job.arg == 0 && f[0].calls.part.arg == 2 && f[0].calls.zero.arg == 3);
	assert_true(f[1].event == JOBS_SPEC_FINISH && !f[1].has_calls);
	assert_true(f[1].values.job.arg == 1 && f[1].values.part.arg < 0 && f[1].values.zero.arg < 0);
	assert_false(jobs_spec_is_private(s));
	free(s);
}

static void refusals(void **state)
{
	static const struct {
		const char *text, *say;
	} bad[] = {
		{ "", "line 1" },
		{ "[]", "schema" },
		{ "{\"schema\":\"ctrace.framework/2\"}", "ctrace.framework/1" },
		{ "{\"schema\":\"ctrace.framework/1\"}", "name" },
		{ "{\"schema\":\"ctrace.framework/1\",\"name\":\"a name that is too long for it\"}",
		  "too long" },
		{ "{\"schema\":\"ctrace.framework/1\",\"name\":\"a\\nb\"}", "printable" },
		{ "{\"schema\":\"ctrace.framework/1\",\"name\":\"x\",\"binaries\":[1]}", "binaries" },
		{ "{\"schema\":\"ctrace.framework/1\",\"name\":\"x\",\"binaries\":[],\"functions\":[]}",
		  "functions" },
		{ "{\"schema\":\"ctrace.framework/1\",\"schema\":\"ctrace.framework/1\"}", "duplicate" },
		{ HEAD "1]}", "functions" },
		{ HEAD "{}]}", "symbol" },
		{ HEAD "{\"symbol\":\"f\"}]}", "in f: \"event\"" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"begin\",\"job\":\"arg0\"}]}",
		  "enqueue, start, end, input, draw, call, function" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"transaction-begin\",\"id\":\"arg0\"}]}",
		  "\"as\" must be" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"transaction-end\",\"as\":\"a\"}]}", "\"id\" must be" },
		{ HEAD
		  "{\"symbol\":\"f\",\"event\":\"transaction-end\",\"as\":\"a\",\"id\":\"arg0\",\"job\":\"arg0\"}]}",
		  "\"job\" is not known" },
		{ HEAD "{\"symbol\":\"f\",\"part\":\"arg1\"," START "}]}", "\"part\" is not known" },
		{ HEAD "{\"symbol\":\"f\",\"stream\":true," START "}]}", "\"stream\" is not known" },
		{ HEAD
		  "{\"symbol\":\"f\",\"event\":\"transaction-end\",\"as\":\"a\",\"id\":\"arg0\",\"stream\":1}]}",
		  "\"stream\" must be true or false" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"function\",\"calls\":" BEGIN "}]}",
		  "\"function\" must be" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"function\",\"function\":\"arg1\"}]}",
		  "must be the event transaction-begin or transaction-end" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"function\",\"function\":\"arg1\",\"calls\":{" START
		       "}}]}",
		  "must be the event transaction-begin or transaction-end" },
		{ HEAD "{\"note\":\"p:n\",\"event\":\"function\",\"function\":\"arg1\",\"calls\":" BEGIN
		       "}]}",
		  "\"note\" is not known" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"call\",\"job\":\"arg0\"}]}", "\"job\" is not known" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"call\",\"text\":\"thread\"}]}", "address of a text" },
		{ HEAD "{\"symbol\":\"f\",\"text\":\"arg1\"," START "}]}", "\"text\" is not known" },
		{ HEAD
		  "{\"symbol\":\"f\",\"event\":\"call\",\"text\":\"arg1\",\"contains\":{\"at\":\"arg2\",\"has\":\"a\"}}]}",
		  "excludes \"text\"" },
		{ HEAD "{\"note\":\"p:\",\"event\":\"call\"}]}", "\"as\" is missing" },
		{ HEAD
		  "{\"symbol\":\"1234567890123456789012345678901234567890123456789\",\"event\":\"call\"}]}",
		  "\"as\" is missing" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"input\",\"at\":\"arg0\"}]}", "in f: \"layout\"" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"input\",\"layout\":\"xlib\"}]}", "in f: \"at\"" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"input\",\"layout\":\"x\",\"at\":\"arg0\"}]}",
		  "xlib, gdk3" },
		{ HEAD
		  "{\"symbol\":\"f\",\"event\":\"input\",\"layout\":\"xlib\",\"at\":\"arg0\",\"job\":\"arg1\"}]}",
		  "\"job\" is not known" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"draw\",\"at\":\"arg0\"}]}", "no \"layout\"" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"lock-wait\",\"lock\":\"go0\"}]}", "in f: \"strand\"" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"lock-release\",\"strand\":\"go0\"}]}",
		  "in f: \"lock\"" },
		{ HEAD
		  "{\"symbol\":\"f\",\"event\":\"lock-release\",\"strand\":\"go0\",\"lock\":\"go1\",\"again\":\"go2\"}]}",
		  "for the event lock-wait" },
		{ HEAD
		  "{\"symbol\":\"f\",\"event\":\"lock-wait\",\"strand\":\"go0\",\"lock\":\"go1\",\"job\":\"go2\"}]}",
		  "\"job\" is not known" },
		{ "{\"schema\":\"ctrace.framework/1\",\"name\":\"x\",\"programs\":\"c\",\"functions\":[]}",
		  "must be go" },
		{ HEAD "{\"note\":\"p:n\",\"event\":\"draw\"}]}", "\"note\" is not known" },
		{ HEAD "{\"symbol\":\"f\"," START ",\"layout\":\"xlib\"}]}", "\"layout\" is not known" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"start\"}]}", "in f: \"job\"" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"start\",\"job\":0}]}", "must be a text" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"start\",\"job\":\"rdi\"}]}", "arg0 to arg5" },
		{ HEAD "{\"symbol\":\"f\",\"jobb\":\"arg0\"," START "}]}", "\"jobb\" is not known" },
		{ HEAD "{\"note\":\"f\"," START "}]}", "provider:name" },
		{ HEAD "{\"note\":\"p:n\",\"symbol\":\"f\"," START "}]}", "provider:name" },
		{ HEAD "{\"note\":\"p:n\",\"end\":\"return\"," START "}]}", "at a symbol" },
		{ HEAD "{\"symbol\":\"f\",\"end\":\"later\"," START "}]}", "return" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"enqueue\",\"job\":\"arg0\",\"end\":\"return\"}]}",
		  "start of a job" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"enqueue\",\"job\":\"arg0\",\"queued\":true}]}",
		  "start or the end of a job" },
		{ HEAD "{\"symbol\":\"f\",\"queued\":1," START "}]}", "true or false" },
		{ HEAD "{\"symbol\":\"f\",\"queue\":\"arg0\",\"capacity\":\"arg0->8\"," START "}]}",
		  "for an enqueue with a queue" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"enqueue\",\"job\":\"arg0\",\"capacity\":\"arg0->8\"}]}",
		  "for an enqueue with a queue" },
		{ HEAD "{\"symbol\":\"f\",\"calls\":{}," START "}]}", "enqueue with a function" },
		{ HEAD "{\"symbol\":\"f\",\"contains\":\"a\"," START "}]}", "must be an object" },
		{ HEAD "{\"symbol\":\"f\",\"contains\":{\"has\":\"a\"}," START "}]}", "in f: \"at\"" },
		{ HEAD "{\"symbol\":\"f\",\"contains\":{\"at\":\"arg0\"}," START "}]}", "in f: \"has\"" },
		{ HEAD "{\"symbol\":\"f\",\"contains\":{\"at\":\"arg0\",\"has\":\"12345678901234567\"}," START
		       "}]}",
		  "too long" },
		{ HEAD "{\"symbol\":\"f\",\"contains\":{\"at\":\"arg0\",\"has\":\"a\\n\"}," START "}]}",
		  "printable" },
		{ HEAD "{\"symbol\":\"f\",\"contains\":{\"at\":\"thread\",\"has\":\"a\"}," START "}]}",
		  "not at a thread" },
		{ HEAD "{\"symbol\":\"f\",\"contains\":{\"at\":\"arg0\",\"has\":\"a\",\"x\":1}," START "}]}",
		  "\"x\" is not known" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"draw\",\"contains\":{}}]}",
		  "\"contains\" is not known" },
		{ HEAD
		  "{\"symbol\":\"f\",\"event\":\"enqueue\",\"job\":\"arg0\",\"calls\":{\"job\":\"arg0\"}}]}",
		  "enqueue with a function" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"enqueue\",\"job\":\"arg0\",\"function\":\"arg1\","
		       "\"calls\":{}}]}",
		  "job" },
		{ HEAD "{\"symbol\":\"f\"," START "}," END_QUEUED ",{\"symbol\":\"e\"," END "}]}",
		  "in e: \"queued\" is missing: all ends" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"start\",\"job\":\"called\"}]}", "cannot be called" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"end\",\"job\":\"arg0\",\"queue\":\"called\"}]}",
		  "cannot be called" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"enqueue\",\"job\":\"arg0\",\"function\":\"arg1\","
		       "\"calls\":{\"job\":\"called\"}}]}",
		  "cannot be called" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"end\",\"job\":\"called\",\"queued\":true}]}",
		  "called excludes" },
		{ HEAD "{\"symbol\":\"f\",\"end\":\"return\"," START "}," END_QUEUED "]}",
		  "in f: \"queued\" is missing: an end has it" },
		{ HEAD "{\"symbol\":\"f\",\"event\":\"enqueue\",\"job\":\"arg0\",\"function\":\"arg1\","
		       "\"calls\":{\"job\":\"arg0\",\"end\":\"return\"}}," END_QUEUED "]}",
		  "in f: \"queued\" is missing: an end has it" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char err[JOBS_SPEC_ERR_MAX] = "";
		struct jobs_spec *s = NULL;

		assert_int_equal(jobs_spec_parse(bad[i].text, strlen(bad[i].text), &s, err), -EINVAL);
		assert_null(s);
		if (!strstr(err, bad[i].say))
			fail_msg("%s: \"%s\" lacks \"%s\"", bad[i].text, err, bad[i].say);
	}
}

static void functions_at_most(void **state)
{
	static char text[65536];
	struct jobs_spec *s = NULL;
	char err[JOBS_SPEC_ERR_MAX];

	for (int n = JOBS_SPEC_FUNCTIONS_MAX; n <= JOBS_SPEC_FUNCTIONS_MAX + 1; n++) {
		size_t at = (size_t)sprintf(text, HEAD);

		for (int i = 0; i < n; i++)
			at += (size_t)sprintf(text + at, "%s{\"symbol\":\"f%d\"," START "}", i ? "," : "", i);
		at += (size_t)sprintf(text + at, "]}");
		assert_int_equal(jobs_spec_parse(text, at, &s, err),
				 n > JOBS_SPEC_FUNCTIONS_MAX ? -EINVAL : 0);
	}
	assert_int_equal(s->n_functions, JOBS_SPEC_FUNCTIONS_MAX);
	free(s);
}

static void own(void **state)
{
	struct jobs_spec *s = jobs_spec_own("/opt/my-server");
	char longer[300];

	assert_non_null(s);
	assert_string_equal(s->name, "my-server");
	assert_string_equal(s->binaries[0], "/opt/my-server");
	assert_int_equal(s->n_functions, 3);
	free(s);
	s = jobs_spec_own("/a-name-of-more-than-twenty-three-characters");
	assert_string_equal(s->name, "a-name-of-more-than-twe");
	free(s);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	assert_null(jobs_spec_own(longer));
}

/* "auto" detaches a part of a framework by itself. */
static void apart(void **state)
{
	static const char text[] =
		HEAD "{\"symbol\":\"f\"," START "},{\"symbol\":\"g\",\"apart\":\"idle\"," START
		     "},{\"symbol\":\"h\"," START "},{\"symbol\":\"i\",\"apart\":\"idle\"," START "}]}";
	static const char all[] = HEAD "{\"symbol\":\"f\",\"apart\":\"idle\"," START "}]}";
	char err[JOBS_SPEC_ERR_MAX] = "";
	struct jobs_spec *s, *part;

	assert_int_equal(jobs_spec_parse(text, sizeof(text) - 1, &s, err), 0);
	assert_int_equal(s->n_functions, 4);
	assert_int_equal(jobs_spec_split(s, &part), 0);
	assert_string_equal(s->name, "x");
	assert_int_equal(s->n_functions, 2);
	assert_string_equal(s->functions[0].symbol, "f");
	assert_string_equal(s->functions[1].symbol, "h");
	assert_string_equal(part->name, "x-idle");
	assert_int_equal(part->n_functions, 2);
	assert_string_equal(part->functions[0].symbol, "g");
	assert_string_equal(part->functions[1].symbol, "i");
	assert_string_equal(part->binaries[0], "libx.so");
	free(part);
	assert_int_equal(jobs_spec_split(s, &part), 0);
	assert_null(part);
	free(s);
	assert_int_equal(jobs_spec_parse(all, sizeof(all) - 1, &s, err), -EINVAL);
	assert_non_null(strstr(err, "apart"));
}

static void load(void **state)
{
	char path[] = "/tmp/ctrace-spec-XXXXXX.json", list[200], err[JOBS_LOAD_ERR_MAX] = "";
	static const char text[] = HEAD "{\"symbol\":\"f\"," START "}]}";
	struct jobs_specs s = { 0 };
	int fd = mkstemps(path, 5);

	assert_true(fd >= 0 && write(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
	snprintf(list, sizeof(list), "%s, /opt/server", path);
	assert_int_equal(jobs_load(list, &s, err), 0);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.v[0]->name, "x");
	assert_string_equal(s.v[1]->name, "server");
	jobs_load_done(&s);
	assert_int_equal(s.n, 0);
	assert_int_equal(jobs_load("no", &s, err), 0);
	assert_int_equal(jobs_load("", &s, err), 0);
	assert_int_equal(s.n, 0);
	assert_int_equal(jobs_load("/opt/a,relative/b", &s, err), -EINVAL);
	assert_non_null(strstr(err, "relative/b"));
	assert_int_equal(jobs_load("no-such-framework", &s, err), -EINVAL);
	assert_non_null(strstr(err, "no-such-framework"));
	assert_int_equal(ftruncate(fd, 10), 0);
	assert_int_equal(jobs_load(path, &s, err), -EINVAL);
	assert_non_null(strstr(err, path));
	assert_int_equal(s.n, 0);
	close(fd);
	unlink(path);
	assert_int_equal(jobs_load(path, &s, err), -ENOENT);
}

#if defined(__x86_64__)
#define MEMORY JOBS_ADDRESS_MEMORY
#define GO     JOBS_ADDRESS_GO

static void place(void **state)
{
	static const struct {
		uint8_t code[16];
		size_t n;
		unsigned args;
		size_t at;
	} cases[] = {
		{ { 0x55 }, 1, 7, 0 },                                     /* push %rbp */
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x55 }, 5, 7, 4 },             /* endbr64; push */
		{ { 0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x57 }, 6, 7, 4 },       /* endbr64; push %r15 */
		{ { 0x48, 0x85, 0xd2, 0x0f, 0x84, 0, 0, 0, 0 }, 9, 7, 3 }, /* test %rdx,%rdx; je */
		{ { 0x48, 0x89, 0xf8, 0x74, 0 }, 5, 7, 3 },                /* mov %rdi,%rax; je */
		{ { 0x48, 0x89, 0xf7, 0x74, 0 }, 5, 1, 0 },                /* mov %rsi,%rdi: arg0 is lost */
		{ { 0x48, 0x89, 0xf7, 0x74, 0 }, 5, 2, 3 },                /* arg0 is lost, but not needed */
		{ { 0x49, 0x89, 0xc8, 0x74, 0 }, 5, 0x10, 0 },             /* mov %rcx,%r8: arg4 is lost */
		{ { 0x48, 0x8b, 0x47, 0xf0, 0xeb, 0 }, 6, 7, 4 },          /* mov -0x10(%rdi),%rax; jmp */
		{ { 0x48, 0x8b, 0x44, 0x24, 0x08, 0x90 }, 6, 7, 5 },       /* mov 8(%rsp),%rax; nop */
		{ { 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0, 0x90 }, 9, 7, 8 }, /* mov 0x0,%rax; nop */
		{ { 0x48, 0x8d, 0x05, 0, 0, 0, 0, 0x90 }, 8, 7, 7 },       /* lea 0(%rip),%rax; nop */
		{ { 0x83, 0xff, 0x01, 0x74, 0 }, 5, 7, 3 },                /* cmp $1,%edi; je */
		{ { 0x83, 0xef, 0x01, 0x74, 0 }, 5, 7, 0 },                /* sub $1,%edi */
		{ { 0x48, 0x83, 0xec, 0x18, 0x55 }, 5, 7, 0 },             /* sub $0x18,%rsp */
		{ { 0x48, 0x8b, 0xe0, 0x55 }, 4, 0, 0 },                   /* mov %rax,%rsp */
		{ { 0x48, 0x89, 0x07, 0x55 }, 4, 7, 3 },                   /* mov %rax,(%rdi): a store */
		{ { 0x48, 0x89, 0x07, 0x55 }, 4, 7 | MEMORY, 0 },          /* memory is needed */
		{ { 0x48, 0x83, 0xc0, 0x10, 0x55 }, 5, 7, 4 },             /* add $0x10,%rax */
		{ { 0x48, 0x83, 0xc7, 0x10, 0x55 }, 5, 7, 0 },             /* add $0x10,%rdi: arg0 is lost */
		{ { 0x49, 0x83, 0xc0, 0x10, 0x55 }, 5, 7, 4 },             /* add $0x10,%r8 */
		{ { 0x83, 0x07, 0x01, 0x55 }, 4, 7, 0 },                   /* addl $1,(%rdi) */
		{ { 0xba, 1, 0, 0, 0, 0xe9, 0, 0, 0, 0 }, 10, 3, 5 },      /* mov $1,%edx; jmp */
		{ { 0xba, 1, 0, 0, 0, 0xe9, 0, 0, 0, 0 }, 10, 7, 0 },      /* arg2 is lost */
		{ { 0x41, 0xb9, 1, 0, 0, 0, 0x55 }, 7, 0x1f, 6 },          /* mov $1,%r9d; push */
		{ { 0x41, 0xb9, 1, 0, 0, 0, 0x55 }, 7, 0x20, 0 },          /* arg5 is lost */
		{ { 0x48, 0xba, 1, 0, 0, 0, 0x55 }, 7, 3, 0 },             /* mov of 64 bits */
		{ { 0xba, 1, 0, 0, 0 }, 5, 3, 0 },                         /* cut off */
		{ { 0x80, 0x7f, 0x0a, 0, 0x74, 0 }, 6, 7, 4 },             /* cmpb $0,0xa(%rdi); je */
		{ { 0x80, 0xc7, 0x0a, 0x74, 0 }, 5, 7, 0 },                /* add $0xa,%bh */
		{ { 0xf6, 0x47, 0x12, 0x01, 0x74, 0 }, 6, 7, 4 },          /* testb $1,0x12(%rdi); je */
		{ { 0xf6, 0x57, 0x12, 0x55 }, 4, 7, 0 },                   /* notb 0x12(%rdi) */
		{ { 0xf6, 0x47, 0x12 }, 3, 7, 0 },                         /* cut short */
		{ { 0xff, 0xe0, 0x55 }, 3, 7, 0 },                         /* jmp *%rax */
		{ { 0x31, 0xc0, 0xe8, 0, 0, 0, 0 }, 7, 7, 2 },             /* xor %eax,%eax; call */
		{ { 0x48, 0x85 }, 2, 7, 0 },                               /* cut short */
		{ { 0x48 }, 1, 7, 0 },
		{ { 0x48, 0x8b, 0x84 }, 3, 7, 0 },
		{ { 0 }, 0, 7, 0 },
		{ { 0x49, 0x3b, 0x66, 0x10, 0x76, 0x31 }, 6, GO, 4 }, /* cmp 0x10(%r14),%rsp; jbe */
		{ { 0x4c, 0x8d, 0x64, 0x24, 0x80, 0x55 }, 6, GO, 5 }, /* lea -0x80(%rsp),%r12; push */
		{ { 0x48, 0x89, 0xc3, 0x55 }, 4, GO, 0 },             /* mov %rax,%rbx: an argument is lost */
		{ { 0x48, 0x8b, 0x04, 0x24, 0x55 }, 5, GO, 0 },       /* mov (%rsp),%rax */
		{ { 0x49, 0x89, 0xc6, 0x55 }, 4, GO, 0 }, /* mov %rax,%r14: the goroutine is lost */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (jobs_address(cases[i].code, cases[i].n, cases[i].args) != cases[i].at)
			fail_msg("case %zu: %zu instead of %zu", i,
				 jobs_address(cases[i].code, cases[i].n, cases[i].args), cases[i].at);
	/* An instruction that was searched for is one that the kernel emulates. */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (cases[i].at &&
		    !jobs_address_is_cheap(cases[i].code + cases[i].at, cases[i].n - cases[i].at))
			fail_msg("case %zu is not cheap", i);
	assert_true(jobs_address_is_cheap(cases[0].code, cases[0].n));
	assert_false(jobs_address_is_cheap(cases[1].code, cases[1].n));   /* endbr64 */
	assert_false(jobs_address_is_cheap(cases[3].code, cases[3].n));   /* test */
	assert_false(jobs_address_is_cheap(cases[30].code, cases[30].n)); /* cut short */
	assert_false(jobs_address_is_cheap(cases[32].code, cases[32].n));
}

static struct jobs_note notes[4];
static unsigned n_notes;

static void note_seen(void *arg, const struct jobs_note *n)
{
	if (n_notes < ARRAY_SIZE(notes))
		notes[n_notes++] = *n;
}

static size_t note_put(uint8_t *buf, size_t at, const char *owner, uint32_t type, const char *args)
{
	uint32_t head[3] = { (uint32_t)strlen(owner) + 1, 0, type };
	uint64_t addr[3] = { 0x1234, 0, 0x5678 };
	size_t begin = at;

	at += sizeof(head);
	at += (size_t)sprintf((char *)buf + at, "%s", owner) + 1;
	at = (at + 3) & ~3UL;
	head[1] = (uint32_t)at;
	memcpy(buf + at, addr, sizeof(addr));
	at += sizeof(addr);
	at += (size_t)sprintf((char *)buf + at, "prov%cname%c%s", 0, 0, args) + 1;
	head[1] = (uint32_t)at - head[1];
	memcpy(buf + begin, head, sizeof(head));
	return (at + 3) & ~3UL;
}

static void note(void **state)
{
	uint8_t buf[512] = { 0 };
	size_t n = note_put(buf, 0, "stapsdt", 3, "8@%rdi -8@%r15 8@-24(%rbp) 8@(%rax) 4@%esi 8@$5");
	const struct job_value *a = notes[0].args;

	n = note_put(buf, n, "other", 3, "");
	n = note_put(buf, n, "stapsdt", 4, "");
	n = note_put(buf, n, "stapsdt", 3, "");
	n_notes = 0;
	assert_int_equal(jobs_note_each(buf, n, note_seen, NULL), 0);
	assert_int_equal(n_notes, 2);
	assert_string_equal(notes[0].provider, "prov");
	assert_string_equal(notes[0].name, "name");
	assert_int_equal(notes[0].vaddr, 0x1234);
	assert_int_equal(notes[0].semaphore, 0x5678);
	assert_int_equal(a[0].reg, 1 + JOB_DI);
	assert_int_equal(a[0].deref, 0);
	assert_int_equal(a[1].reg, 1 + JOB_R15);
	assert_int_equal(a[2].reg, 1 + JOB_BP);
	assert_int_equal(a[2].deref, 1);
	assert_int_equal(a[2].off, -24);
	assert_int_equal(a[3].reg, 1 + JOB_AX);
	assert_int_equal(a[3].off, 0);
	assert_int_equal(a[4].reg, 0);
	assert_int_equal(a[5].reg, 0);
	assert_int_equal(notes[1].args[0].reg, 0);
	for (size_t k = 1; k < n; k++) {
		uint8_t *copy = malloc(k);

		memcpy(copy, buf, k);
		n_notes = 0;
		jobs_note_each(copy, k, note_seen, NULL);
		assert_true(n_notes <= (k >= n - 3) + 1u);
		free(copy);
	}
}
#endif

static void mark(void **state)
{
	static const struct {
		const char *provider, *name;
		int event; /* -1: no mark */
	} cases[] = {
		{ "ctrace_marks", "begin:checkout", CT_MARK_BEGIN },
		{ "ctrace_marks", "end:checkout", CT_MARK_END },
		{ "ctrace_marks", "point:checkout", CT_MARK_POINT },
		{ "ctrace_marks", "begin:123456789012345678901234567890123456789012345678", CT_MARK_BEGIN },
		{ "ctrace_marks", "begin:1234567890123456789012345678901234567890123456789", -1 },
		{ "ctrace_marks", "begin:", -1 },
		{ "ctrace_marks", "begin", -1 },
		{ "ctrace_marks", "begin:a\nb", -1 },
		{ "ctrace_jobs", "begin:checkout", -1 },
		{ "ctrace_marksx", "begin:checkout", -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct jobs_note n = { .provider = cases[i].provider,
				       .name = cases[i].name,
				       .args = { { .reg = 1 + JOB_DI } } };
		struct job_rule rule;
		bool is_mark = jobs_mark_rule(&n, &rule);

		assert_int_equal(is_mark, cases[i].event >= 0);
		if (!is_mark)
			continue;
		assert_int_equal(rule.event, cases[i].event);
		assert_int_equal(rule.flags, JOB_MARK);
		assert_int_equal(rule.job.reg, 1 + JOB_DI);
		assert_string_equal(rule.name, strchr(cases[i].name, ':') + 1);
		assert_int_equal(rule.name_len, strlen(rule.name));
		assert_int_equal(CT_OBJ_KIND(rule.mark), CT_OBJ_MARK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(spec),
		cmocka_unit_test(locks),
		cmocka_unit_test(calls),
		cmocka_unit_test(transactions),
		cmocka_unit_test(refusals),
		cmocka_unit_test(functions_at_most),
		cmocka_unit_test(own),
		cmocka_unit_test(apart),
		cmocka_unit_test(load),
		cmocka_unit_test(mark),
#if defined(__x86_64__)
		cmocka_unit_test(place),
		cmocka_unit_test(note),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
