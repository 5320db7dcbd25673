// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_spec.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/hash.h"

static const char jobs_spec_own_text[] =
	"{\"schema\":\"ctrace.framework/1\",\"name\":\"ctrace-jobs\",\"binaries\":[],\"functions\":[{\"note\":\"ctrace_jobs:enqueue\",\"event\":\"enqueue\",\"queue\":\"arg0\",\"job\":\"arg1\"},{\"note\":\"ctrace_jobs:start\",\"event\":\"start\",\"queue\":\"arg0\",\"job\":\"arg1\"},{\"note\":\"ctrace_jobs:end\",\"event\":\"end\",\"queue\":\"arg0\",\"job\":\"arg1\"}]}";

static void jobs_spec_json_free(json_t **j)
{
	json_decref(*j);
}
#define _cleanup_json_ _cleanup_(jobs_spec_json_free)

/* Reads an offset from min to max at s. Returns the text behind it, or NULL. */
static const char *jobs_spec_off(const char *s, long min, long max, long *ret)
{
	char *end;

	if (!isdigit((unsigned char)*s) && *s != '-')
		return NULL;
	errno = 0;
	*ret = strtol(s, &end, 0);
	return errno || end == s || *ret < min || *ret > max ? NULL : end;
}

/* Reads "arg2" or "go1" at s. Returns the text behind it, or NULL. */
static const char *jobs_spec_argument(const char *s, int8_t *ret)
{
	bool go = !strncmp(s, "go", 2);
	unsigned n = (unsigned)(s[go ? 2 : strncmp(s, "arg", 3) ? 0 : 3] - '0');

	if ((!go && strncmp(s, "arg", 3) != 0) || n >= (go ? JOBS_SPEC_GO_ARGS : JOBS_SPEC_ARGS))
		return NULL;
	*ret = (int8_t)(go ? JOBS_SPEC_GO + n : n);
	return s + (go ? 3 : 4);
}

int jobs_spec_arg(const char *s, struct jobs_arg *ret)
{
	struct jobs_arg a = { 0 };
	long off = 0, off2 = 0;

	if (!strcmp(s, "thread")) {
		*ret = (struct jobs_arg){ .arg = JOBS_SPEC_THREAD };
		return 0;
	}
	if (!strcmp(s, "called")) {
		*ret = (struct jobs_arg){ .arg = JOBS_SPEC_CALLED };
		return 0;
	}
	if (!strcmp(s, "goroutine")) {
		*ret = (struct jobs_arg){ .arg = JOBS_SPEC_GOROUTINE };
		return 0;
	}
	s = jobs_spec_argument(s, &a.arg);
	if (!s)
		return -EINVAL;
	if (*s) {
		a.deref = !strncmp(s, "->", 2);
		if (!a.deref && *s != '+')
			return -EINVAL;
		s = jobs_spec_off(s + 1 + a.deref, INT_MIN, INT_MAX, &off);
	}
	if (s && a.deref && !strncmp(s, "->", 2)) {
		a.deref = 2;
		s = jobs_spec_off(s + 2, INT16_MIN, INT16_MAX, &off2);
	} else if (s && a.deref && *s == '+') {
		s = jobs_spec_off(s + 1, INT16_MIN, INT16_MAX, &off2);
	}
	if (!s || *s)
		return -EINVAL;
	a.off = (int32_t)off;
	a.off2 = (int16_t)off2;
	*ret = a;
	return 0;
}

struct jobs_spec_at {
	const char *function;
	char *err;
};

static int jobs_spec_bad(const struct jobs_spec_at *at, const char *key, const char *why)
{
	snprintf(at->err, JOBS_SPEC_ERR_MAX, "%s%.100s%s\"%.40s\" %.80s", at->function ? "in " : "",
		 at->function ?: "", at->function ? ": " : "", key, why);
	return -EINVAL;
}

static int jobs_spec_text(const struct jobs_spec_at *at, const json_t *o, const char *key, bool must,
			  char *ret, size_t cap)
{
	const json_t *v = json_object_get(o, key);

	*ret = 0;
	if (!v && !must)
		return 0;
	if (!json_is_string(v) || !json_string_length(v))
		return jobs_spec_bad(at, key, "must be a text");
	if (json_string_length(v) >= cap)
		return jobs_spec_bad(at, key, "is too long");
	for (const char *s = json_string_value(v); *s; s++)
		if (!isprint((unsigned char)*s))
			return jobs_spec_bad(at, key, "must have only printable ASCII characters");
	strcpy(ret, json_string_value(v));
	return 0;
}

static int jobs_spec_known(const struct jobs_spec_at *at, json_t *o, const char *const known[])
{
	const char *key;
	json_t *v;

	json_object_foreach (o, key, v) {
		size_t i;

		for (i = 0; known[i] && strcmp(known[i], key); i++)
			;
		if (!known[i])
			return jobs_spec_bad(at, key, "is not known here");
	}
	return 0;
}

static int jobs_spec_value(const struct jobs_spec_at *at, const json_t *o, const char *key, bool must,
			   struct jobs_arg *ret)
{
	char s[64];
	int r = jobs_spec_text(at, o, key, must, s, sizeof(s));

	*ret = (struct jobs_arg){ .arg = -1 };
	if (r || !*s)
		return r;
	if (!strcmp(s, "called") && strcmp(key, "job") != 0)
		return jobs_spec_bad(at, key, "cannot be called: only the job of an end can");
	return jobs_spec_arg(s, ret)
		       ? jobs_spec_bad(
				 at, key,
				 "must be arg0 to arg5, thread, arg1+0x58, arg0->0x18, arg0->0+8, go0 or such")
		       : 0;
}

static bool jobs_spec_is_called(const struct jobs_function *f)
{
	return f->event == CT_JOB_END && f->values.job.arg == JOBS_SPEC_CALLED;
}

static int jobs_spec_check_called(const struct jobs_spec_at *at, const struct jobs_function *f)
{
	bool called = f->values.job.arg == JOBS_SPEC_CALLED;

	if ((called && f->event != CT_JOB_END) || (f->has_calls && f->calls.job.arg == JOBS_SPEC_CALLED))
		return jobs_spec_bad(at, "job", "cannot be called: only the job of an end can");
	if (!called)
		return 0;
	return f->values.queued || f->values.queue.arg >= 0 || f->values.function.arg >= 0
		       ? jobs_spec_bad(at, "job", "called excludes \"queue\", \"function\" and \"queued\"")
		       : 0;
}

static int jobs_spec_contains(const struct jobs_spec_at *at, json_t *o, struct jobs_text *ret)
{
	static const char *const known[] = { "at", "length", "has", NULL };
	int r;

	if (!o)
		return 0;
	if (!json_is_object(o))
		return jobs_spec_bad(at, "contains", "must be an object");
	r = jobs_spec_known(at, o, known);
	if (!r)
		r = jobs_spec_value(at, o, "at", true, &ret->at);
	if (!r)
		r = jobs_spec_value(at, o, "length", false, &ret->length);
	if (!r)
		r = jobs_spec_text(at, o, "has", true, ret->has, sizeof(ret->has));
	if (!r && (ret->at.arg == JOBS_SPEC_THREAD || ret->length.arg == JOBS_SPEC_THREAD))
		return jobs_spec_bad(at, "contains", "is not at a thread");
	return r;
}

static int jobs_spec_values(const struct jobs_spec_at *at, const json_t *o, struct jobs_values *ret)
{
	const json_t *queued = json_object_get(o, "queued");
	char end[16] = "";
	int r = jobs_spec_value(at, o, "job", true, &ret->job);

	ret->part.arg = ret->zero.arg = -1;
	if (!r)
		r = jobs_spec_value(at, o, "queue", false, &ret->queue);
	if (!r)
		r = jobs_spec_value(at, o, "function", false, &ret->function);
	if (!r)
		r = jobs_spec_value(at, o, "capacity", false, &ret->capacity);
	if (!r)
		r = jobs_spec_text(at, o, "end", false, end, sizeof(end));
	if (!r && *end && strcmp(end, "return"))
		return jobs_spec_bad(at, "end", "can only be \"return\"");
	ret->returns = *end;
	ret->queued = json_is_true(queued);
	if (!r && queued && !json_is_boolean(queued))
		return jobs_spec_bad(at, "queued", "must be true or false");
	return r;
}

static const struct jobs_values jobs_spec_nowhere = {
	.job = { .arg = -1 },
	.queue = { .arg = -1 },
	.function = { .arg = -1 },
	.capacity = { .arg = -1 },
	.part = { .arg = -1 },
	.zero = { .arg = -1 },
};

/* "event" is "input" or "draw". */
static int jobs_spec_input(const struct jobs_spec_at *at, json_t *o, bool draw, struct jobs_function *f)
{
	static const char *const known[] = { "symbol", "if", "unless", "event", "layout", "at", NULL };
	static const char *const layouts[JOB_LAYOUTS] = {
		[JOB_LAYOUT_XLIB] = "xlib",
		[JOB_LAYOUT_GDK3] = "gdk3",
		[JOB_LAYOUT_QT5] = "qt5",
		[JOB_LAYOUT_QT6] = "qt6",
	};
	char s[16];
	int r = jobs_spec_known(at, o, known);

	f->event = JOBS_SPEC_INPUT;
	f->values = jobs_spec_nowhere;
	f->values.layout = JOB_LAYOUT_DRAW;
	if (!r && draw)
		return json_object_get(o, "layout") || json_object_get(o, "at")
			       ? jobs_spec_bad(at, "draw", "has no \"layout\" and no \"at\"")
			       : 0;
	if (!r)
		r = jobs_spec_text(at, o, "layout", true, s, sizeof(s));
	if (!r)
		r = jobs_spec_value(at, o, "at", true, &f->values.job);
	for (uint8_t i = JOB_LAYOUT_XLIB; !r && i < JOB_LAYOUTS; i++)
		if (!strcmp(s, layouts[i]))
			f->values.layout = i;
	return r || f->values.layout ? r : jobs_spec_bad(at, "layout", "must be xlib, gdk3, qt5 or qt6");
}

/* "event" is "call". The name of the call is "as", or else the symbol, or the name of the note. */
static int jobs_spec_call(const struct jobs_spec_at *at, json_t *o, struct jobs_function *f)
{
	static const char *const known[] = { "symbol", "note", "if",       "unless", "event",
					     "text",   "as",   "contains", NULL };
	const char *name = f->note ? strchr(f->symbol, ':') + 1 : f->symbol;
	int r = jobs_spec_known(at, o, known);

	f->event = JOBS_SPEC_CALL;
	f->values = jobs_spec_nowhere;
	if (!r)
		r = jobs_spec_value(at, o, "text", false, &f->values.job);
	if (!r && f->values.job.arg == JOBS_SPEC_THREAD)
		return jobs_spec_bad(at, "text", "must be the address of a text, such as arg1");
	if (!r)
		r = jobs_spec_text(at, o, "as", false, f->values.call, sizeof(f->values.call));
	if (!r)
		r = jobs_spec_contains(at, json_object_get(o, "contains"), &f->values.text);
	if (!r && f->values.text.has[0] && f->values.job.arg >= 0)
		return jobs_spec_bad(at, "contains", "excludes \"text\"");
	if (r || f->values.call[0])
		return r;
	if (!*name || strlen(name) >= sizeof(f->values.call))
		return jobs_spec_bad(at, "as", "is missing: a name of at most 48 bytes for the call");
	strcpy(f->values.call, name);
	return 0;
}

#define JOBS_SPEC_BEGIN_TEXT  "transaction-begin"
#define JOBS_SPEC_FINISH_TEXT "transaction-end"

/* Sets *ret if the event is the begin or the end of a transaction. */
static bool jobs_spec_is_transaction(const json_t *o, uint8_t *ret)
{
	const char *event = json_string_value(json_object_get(o, "event")) ?: "";

	if (!strcmp(event, JOBS_SPEC_BEGIN_TEXT))
		*ret = JOBS_SPEC_BEGIN;
	else if (!strcmp(event, JOBS_SPEC_FINISH_TEXT))
		*ret = JOBS_SPEC_FINISH;
	else
		return false;
	return true;
}

/* o: a function, or the object "calls" */
static int jobs_spec_transaction(const struct jobs_spec_at *at, json_t *o, const char *const known[],
				 struct jobs_values *ret)
{
	const json_t *stream = json_object_get(o, "stream");
	int r = jobs_spec_known(at, o, known);

	*ret = jobs_spec_nowhere;
	ret->stream = json_is_true(stream);
	if (!r && stream && !json_is_boolean(stream))
		return jobs_spec_bad(at, "stream", "must be true or false");
	if (!r)
		r = jobs_spec_text(at, o, "as", true, ret->call, sizeof(ret->call));
	if (!r)
		r = jobs_spec_value(at, o, "id", true, &ret->job);
	if (!r)
		r = jobs_spec_value(at, o, "part", false, &ret->part);
	if (!r)
		r = jobs_spec_value(at, o, "zero", false, &ret->zero);
	return r ?: jobs_spec_contains(at, json_object_get(o, "contains"), &ret->text);
}

/* "event" is "function". */
static int jobs_spec_gives(const struct jobs_spec_at *at, json_t *o, struct jobs_function *f)
{
	static const char *const known[] = { "symbol", "if", "unless", "event", "function", "calls", NULL };
	static const char *const in_calls[] = { "event", "as",     "id",       "part",
						"zero",  "stream", "contains", NULL };
	json_t *calls = json_object_get(o, "calls");
	int r = jobs_spec_known(at, o, known);

	f->event = JOBS_SPEC_FUNCTION;
	f->values = jobs_spec_nowhere;
	if (!r)
		r = jobs_spec_value(at, o, "function", true, &f->values.function);
	if (r)
		return r;
	if (!jobs_spec_is_transaction(calls, &f->calls_event))
		return jobs_spec_bad(at, "calls",
				     "must be the event " JOBS_SPEC_BEGIN_TEXT " or " JOBS_SPEC_FINISH_TEXT);
	r = jobs_spec_transaction(at, calls, in_calls, &f->calls);
	f->has_calls = !r;
	return r;
}

#define JOBS_SPEC_LOCK_WAIT_TEXT    "lock-wait"
#define JOBS_SPEC_LOCK_RELEASE_TEXT "lock-release"

/* "event" is "lock-wait" or "lock-release". */
static int jobs_spec_lock(const struct jobs_spec_at *at, json_t *o, bool wait, struct jobs_function *f)
{
	static const char *const known[] = { "symbol", "if",     "unless", "event",
					     "lock",   "strand", "again",  NULL };
	int r = jobs_spec_known(at, o, known);

	f->event = wait ? JOBS_SPEC_LOCK_WAIT : JOBS_SPEC_LOCK_RELEASE;
	f->values = jobs_spec_nowhere;
	if (!r)
		r = jobs_spec_value(at, o, "lock", true, &f->values.queue);
	if (!r)
		r = jobs_spec_value(at, o, "strand", true, &f->values.job);
	if (!r)
		r = jobs_spec_value(at, o, "again", false, &f->values.part);
	if (!r && !wait && f->values.part.arg >= 0)
		return jobs_spec_bad(at, "again", "is for the event " JOBS_SPEC_LOCK_WAIT_TEXT);
	return r;
}

static int jobs_spec_event(const struct jobs_spec_at *at, const json_t *o, uint8_t *ret)
{
	static const char *const events[] = {
		[CT_JOB_ENQUEUE] = "enqueue", [CT_JOB_START] = "start", [CT_JOB_END] = "end"
	};
	char s[16];
	int r = jobs_spec_text(at, o, "event", true, s, sizeof(s));

	for (size_t i = 0; !r && i < ARRAY_SIZE(events); i++)
		if (!strcmp(s, events[i])) {
			*ret = (uint8_t)i;
			return 0;
		}
	return r ? r
		 : jobs_spec_bad(
			   at, "event",
			   "must be enqueue, start, end, input, draw, call, function, transaction-begin or -end, lock-wait or -release");
}

static int jobs_spec_calls(const struct jobs_spec_at *at, json_t *calls, struct jobs_function *f)
{
	static const char *const known[] = { "job", "queue", "end", "queued", NULL };
	int r;

	if (f->event != CT_JOB_ENQUEUE || f->values.function.arg < 0)
		return jobs_spec_bad(at, "calls", "is for an enqueue with a function");
	if (!json_is_object(calls))
		return jobs_spec_bad(at, "calls", "must be an object");
	r = jobs_spec_known(at, calls, known);
	if (!r)
		r = jobs_spec_values(at, calls, &f->calls);
	f->has_calls = !r;
	f->calls_event = CT_JOB_START;
	return r;
}

static int jobs_spec_function(json_t *o, struct jobs_function *f, char *err)
{
	static const char *const known[] = { "symbol", "note",     "if",       "unless", "event",
					     "job",    "queue",    "function", "end",    "queued",
					     "calls",  "contains", "capacity", "apart",  NULL };
	static const char *const in_transaction[] = { "symbol", "note", "if",   "unless", "event",    "as",
						      "id",     "part", "zero", "stream", "contains", NULL };
	struct jobs_spec_at at = { .err = err };
	json_t *calls = json_object_get(o, "calls");
	const char *event;
	int r;

	if (!json_is_object(o))
		return jobs_spec_bad(&at, "functions", "must be a list of objects");
	event = json_string_value(json_object_get(o, "event")) ?: "";
	f->note = json_object_get(o, "note");
	r = jobs_spec_text(&at, o, f->note ? "note" : "symbol", true, f->symbol, sizeof(f->symbol));
	at.function = f->symbol;
	if (!r)
		r = jobs_spec_text(&at, o, "if", false, f->need, sizeof(f->need));
	if (!r)
		r = jobs_spec_text(&at, o, "unless", false, f->unless, sizeof(f->unless));
	if (!r && (!strcmp(event, "input") || !strcmp(event, "draw")))
		return jobs_spec_input(&at, o, *event == 'd', f);
	if (!r && f->note && (json_object_get(o, "symbol") || !strchr(f->symbol, ':')))
		return jobs_spec_bad(&at, "note", "must have the form provider:name, and excludes a symbol");
	if (!r && !strcmp(event, "call"))
		return jobs_spec_call(&at, o, f);
	if (!r && !strcmp(event, "function"))
		return jobs_spec_gives(&at, o, f);
	if (!r && (!strcmp(event, JOBS_SPEC_LOCK_WAIT_TEXT) || !strcmp(event, JOBS_SPEC_LOCK_RELEASE_TEXT)))
		return jobs_spec_lock(&at, o, !strcmp(event, JOBS_SPEC_LOCK_WAIT_TEXT), f);
	if (!r && jobs_spec_is_transaction(o, &f->event))
		return jobs_spec_transaction(&at, o, in_transaction, &f->values);
	if (!r)
		r = jobs_spec_known(&at, o, known);
	if (!r)
		r = jobs_spec_text(&at, o, "apart", false, f->apart, sizeof(f->apart));
	if (!r)
		r = jobs_spec_event(&at, o, &f->event);
	if (!r)
		r = jobs_spec_values(&at, o, &f->values);
	if (!r)
		r = jobs_spec_contains(&at, json_object_get(o, "contains"), &f->values.text);
	if (!r && f->values.returns && (f->event != CT_JOB_START || f->note))
		return jobs_spec_bad(&at, "end", "is for the start of a job, at a symbol");
	if (!r && f->values.queued && f->event == CT_JOB_ENQUEUE)
		return jobs_spec_bad(&at, "queued", "is for the start or the end of a job");
	if (!r && f->values.capacity.arg >= 0 &&
	    (f->event != CT_JOB_ENQUEUE || f->values.queue.arg < 0 ||
	     f->values.queue.arg == JOBS_SPEC_THREAD || f->values.capacity.arg == JOBS_SPEC_THREAD))
		return jobs_spec_bad(&at, "capacity",
				     "is a number of the queue, for an enqueue with a queue");
	if (!r && calls)
		r = jobs_spec_calls(&at, calls, f);
	return r ?: jobs_spec_check_called(&at, f);
}

static int jobs_spec_binaries(const struct jobs_spec_at *at, const json_t *list, struct jobs_spec *s)
{
	if (!json_is_array(list) || json_array_size(list) > JOBS_SPEC_BINARIES_MAX)
		return jobs_spec_bad(at, "binaries", "must be a list of 32 names at most");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *b = json_array_get(list, i);

		if (!json_is_string(b) || !json_string_length(b) ||
		    json_string_length(b) >= sizeof(s->binaries[0]) ||
		    strlen(json_string_value(b)) != json_string_length(b))
			return jobs_spec_bad(at, "binaries", "has an entry that is not the name of a file");
		strcpy(s->binaries[s->n_binaries++], json_string_value(b));
	}
	return 0;
}

/*
 * The kernel side remembers a job from the event that `queued` waits for until the event with `queued`. This
 * fails with some combinations:
 * - An end without `queued` would not make it forget the job. In a description without enqueues, the next
 *   start would then not count.
 * - A start with "end": "return" and without `queued` does not make it forget the job. So an end with
 *   `queued` would end the job a second time.
 */
static int jobs_spec_ends(const struct jobs_spec *s, char *err)
{
	const struct jobs_function *queued = NULL, *other = NULL, *twice = NULL;
	struct jobs_spec_at at = { .err = err };

	for (size_t i = 0; i < s->n_functions; i++) {
		const struct jobs_function *f = &s->functions[i];

		if (f->event == CT_JOB_END && f->values.queued)
			queued = f;
		else if (f->event == CT_JOB_END && !jobs_spec_is_called(f))
			other = f;
		if ((f->values.returns && !f->values.queued) || (f->calls.returns && !f->calls.queued))
			twice = f;
	}
	at.function = other ? other->symbol : twice ? twice->symbol : NULL;
	if (queued && other)
		return jobs_spec_bad(&at, "queued", "is missing: all ends have it, or none");
	if (queued && twice)
		return jobs_spec_bad(&at, "queued",
				     "is missing: an end has it, and this start ends by itself");
	return 0;
}

static int jobs_spec_parts(const struct jobs_spec *s, char *err)
{
	struct jobs_spec_at at = { .err = err };
	size_t apart = 0;

	for (size_t i = 0; i < s->n_functions; i++) {
		const char *part = s->functions[i].apart;

		at.function = s->functions[i].symbol;
		apart += *part != 0;
		if (*part && strlen(s->name) + 1 + strlen(part) >= sizeof(s->name))
			return jobs_spec_bad(&at, "apart",
					     "is too long, together with the name of the framework");
	}
	at.function = NULL;
	return apart == s->n_functions ? jobs_spec_bad(&at, "apart", "is not for all functions") : 0;
}

static int jobs_spec_read(json_t *o, struct jobs_spec *s, char *err)
{
	static const char *const known[] = { "schema",   "name",      "about", "binaries",
					     "programs", "functions", NULL };
	const struct jobs_spec_at at = { .err = err };
	const json_t *list = json_object_get(o, "functions");
	char schema[32], programs[8];
	int r;

	if (!json_is_object(o))
		return jobs_spec_bad(&at, "schema", "is missing: this is not a description of a framework");
	r = jobs_spec_text(&at, o, "schema", true, schema, sizeof(schema));
	if (!r && strcmp(schema, "ctrace.framework/1"))
		return jobs_spec_bad(&at, "schema", "must be ctrace.framework/1");
	if (!r)
		r = jobs_spec_known(&at, o, known);
	if (!r)
		r = jobs_spec_text(&at, o, "name", true, s->name, sizeof(s->name));
	if (!r)
		r = jobs_spec_text(&at, o, "programs", false, programs, sizeof(programs));
	if (!r && *programs && strcmp(programs, "go") != 0)
		return jobs_spec_bad(&at, "programs", "must be go");
	s->go = !r && *programs;
	if (!r && (!s->go || json_object_get(o, "binaries")))
		r = jobs_spec_binaries(&at, json_object_get(o, "binaries"), s);
	if (r)
		return r;
	if (!json_is_array(list) || !json_array_size(list) || json_array_size(list) > JOBS_SPEC_FUNCTIONS_MAX)
		return jobs_spec_bad(&at, "functions", "must be a list of 1 to 64");
	for (; !r && s->n_functions < json_array_size(list); s->n_functions += !r)
		r = jobs_spec_function(json_array_get(list, s->n_functions), &s->functions[s->n_functions],
				       err);
	if (!r)
		r = jobs_spec_parts(s, err);
	return r ?: jobs_spec_ends(s, err);
}

int jobs_spec_split(struct jobs_spec *spec, struct jobs_spec **ret)
{
	const char *part = "";
	struct jobs_spec *s;
	size_t kept = 0;

	*ret = NULL;
	for (size_t i = 0; i < spec->n_functions && !*part; i++)
		part = spec->functions[i].apart;
	if (!*part)
		return 0;
	s = malloc(sizeof(*s));
	if (!s)
		return -ENOMEM;
	*s = *spec;
	s->n_functions = 0;
	snprintf(s->name + strlen(s->name), sizeof(s->name) - strlen(s->name), "-%s", part);
	part = s->name + strlen(spec->name) + 1;
	for (size_t i = 0; i < spec->n_functions; i++) {
		struct jobs_function f = spec->functions[i];

		if (!strcmp(f.apart, part)) {
			*f.apart = 0;
			s->functions[s->n_functions++] = f;
		} else {
			spec->functions[kept++] = f;
		}
	}
	spec->n_functions = kept;
	*ret = s;
	return 0;
}

int jobs_spec_parse(const char *text, size_t n, struct jobs_spec **ret, char err[JOBS_SPEC_ERR_MAX])
{
	_cleanup_free_ struct jobs_spec *s = calloc(1, sizeof(*s));
	_cleanup_json_ json_t *o = NULL;
	json_error_t e;
	int r;

	if (!s) {
		snprintf(err, JOBS_SPEC_ERR_MAX, "out of memory");
		return -ENOMEM;
	}
	o = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
	if (!o) {
		snprintf(err, JOBS_SPEC_ERR_MAX, "line %d: %s", e.line, e.text);
		return -EINVAL;
	}
	r = jobs_spec_read(o, s, err);
	if (!r)
		*ret = TAKE_PTR(s);
	return r;
}

bool jobs_spec_is_private(const struct jobs_spec *spec)
{
	for (size_t i = 0; i < spec->n_functions; i++) {
		const struct jobs_function *f = &spec->functions[i];

		if ((f->event == JOBS_SPEC_INPUT && f->values.layout != JOB_LAYOUT_DRAW) ||
		    (f->event == JOBS_SPEC_CALL && f->values.job.arg >= 0))
			return true;
	}
	return false;
}

bool jobs_spec_has_called(const struct jobs_spec *spec)
{
	for (size_t i = 0; i < spec->n_functions; i++)
		if (jobs_spec_is_called(&spec->functions[i]))
			return true;
	return false;
}

bool jobs_spec_has_returns(const struct jobs_spec *spec)
{
	for (size_t i = 0; i < spec->n_functions; i++)
		if (spec->functions[i].values.returns || spec->functions[i].calls.returns)
			return !jobs_spec_has_called(spec);
	return false;
}

bool jobs_spec_names(const struct jobs_spec *spec, const char *path)
{
	const char *base = strrchr(path, '/') + 1;

	for (size_t i = 0; i < spec->n_binaries; i++) {
		size_t n = strlen(spec->binaries[i]);

		if (!strncmp(base, spec->binaries[i], n) &&
		    (!base[n] || (strstr(spec->binaries[i], ".so") && base[n] == '.')))
			return true;
	}
	return false;
}

bool jobs_spec_draws(const struct jobs_spec *spec)
{
	for (size_t i = 0; i < spec->n_functions; i++)
		if (spec->functions[i].event == JOBS_SPEC_INPUT &&
		    (spec->functions[i].values.layout == JOB_LAYOUT_DRAW ||
		     spec->functions[i].values.layout == JOB_LAYOUT_GDK3))
			return true;
	return false;
}

uint16_t jobs_spec_number(const struct jobs_spec *spec)
{
	uint64_t hash = hash_text(HASH_START, spec->name);
	uint16_t number = (uint16_t)(hash ^ hash >> 32);

	return number ? number : 1;
}

struct jobs_spec *jobs_spec_own(const char *binary)
{
	const char *base = strrchr(binary, '/');
	char err[JOBS_SPEC_ERR_MAX];
	struct jobs_spec *s;

	if (strlen(binary) >= sizeof(s->binaries[0]) ||
	    jobs_spec_parse(jobs_spec_own_text, sizeof(jobs_spec_own_text) - 1, &s, err))
		return NULL;
	strcpy(s->binaries[s->n_binaries++], binary);
	snprintf(s->name, sizeof(s->name), "%s", base ? base + 1 : binary);
	s->marks = true;
	return s;
}
