// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/incident/incident.h"
#include "daemon/incident/incident_private.h"
#include "lib/cleanup.h"
#include "lib/incidents.h"
#include "trace/words/describe.h"

#define DOC_TEXT_MAX  4096
#define DOC_CHAIN_MAX 32
#define DOC_WORD_MAX  32

static json_t *doc_text(const char *s)
{
	char clean[DOC_TEXT_MAX];

	describe_clean(s ? s : "", clean, sizeof(clean));
	return json_string(clean);
}

static json_t *doc_victim(const struct detect_hang *h)
{
	return json_pack("{s:I,s:I,s:o}", "pid", (json_int_t)h->tgid, "tid", (json_int_t)h->tid, "comm",
			 doc_text(h->comm));
}

static json_t *doc_hang(const struct detect_hang *h)
{
	const char *syscall = describe_syscall(MACHINE_THIS, h->nr);
	char obj[32] = "";

	if (h->obj)
		snprintf(obj, sizeof(obj), "0x%" PRIx64, h->obj);
	return json_pack("{s:s,s:o,s:I,s:I,s:I,s:s,s:s,s:s,s:I}", "rule", describe_hang(h->rule), "victim",
			 doc_victim(h), "since_ns", (json_int_t)h->since_ns, "found_ns",
			 (json_int_t)h->found_ns, "threshold_ns", (json_int_t)h->threshold_ns, "wait",
			 describe_wait((enum ct_wait)h->wait), "syscall", syscall ? syscall : "", "object",
			 obj, "peer", (json_int_t)h->peer);
}

static json_t *doc_hangs(const struct incident *in)
{
	json_t *hangs;

	if (in->told)
		return json_incref(in->told);
	hangs = json_array();
	for (unsigned i = 0; i < in->n_hangs; i++)
		json_array_append_new(hangs, doc_hang(&in->hangs[i]));
	return hangs;
}

static json_int_t doc_held(const struct incident *in)
{
	json_int_t since = (json_int_t)in->hangs[0].since_ns;
	json_int_t to = json_integer_value(json_object_get(in->diagnosis, "to_ns"));

	return (to > since ? to : (json_int_t)in->hangs[0].found_ns) - since;
}

char *incident_doc(const struct incident *in, bool pending)
{
	const struct detect_hang *h = &in->hangs[0];
	json_t *lasts = json_object_get(in->diagnosis, "lasts"), *doc;
	char file[INCIDENT_NAME_MAX + 8], page[INCIDENT_NAME_MAX + 8], *text;

	snprintf(file, sizeof(file), "%s.ctr", in->name);
	snprintf(page, sizeof(page), "%s.html", in->name);
	doc = json_pack(
		"{s:s,s:s,s:b,s:s,s:s,s:o,s:I,s:I,s:I,s:I,s:I,s:O,s:o,s:I,s:I,s:s?,s:I,s:I,s:I,s:O,s:s?,s:o,s:I}",
		"schema", INCIDENTS_SCHEMA, "name", in->name, "pending", pending, "boot_id", in->boot_id,
		"rule", describe_hang(h->rule), "victim", doc_victim(h), "threshold_ns",
		(json_int_t)h->threshold_ns, "since_ns", (json_int_t)h->since_ns, "found_ns",
		(json_int_t)h->found_ns, "found_real_ns", (json_int_t)in->found_real_ns, "held_ns",
		doc_held(in), "lasts", lasts ? lasts : json_null(), "hangs", doc_hangs(in), "hangs_refused",
		(json_int_t)in->hangs_refused, "limited", (json_int_t)in->limited, "snapshot",
		in->has_snapshot ? file : NULL, "from_ns", (json_int_t)in->from_ns, "to_ns",
		(json_int_t)in->to_ns, "bytes", (json_int_t)in->bytes, "diagnosis",
		in->diagnosis ? in->diagnosis : json_null(), "view", in->has_page ? page : NULL, "problem",
		doc_text(in->why), "uid",
		in->uid == INCIDENT_UID_UNKNOWN ? (json_int_t)-1 : (json_int_t)in->uid);
	text = doc ? json_dumps(doc, JSON_INDENT(1)) : NULL;
	json_decref(doc);
	return text;
}

static uint64_t read_ns(json_t *o, const char *key)
{
	return (uint64_t)MAX(json_integer_value(json_object_get(o, key)), (json_int_t)0);
}

static uint32_t read_id(json_t *o, const char *key)
{
	return (uint32_t)read_ns(o, key);
}

static void read_text(json_t *o, const char *key, char *to, size_t size)
{
	const char *s = json_string_value(json_object_get(o, key));

	snprintf(to, size, "%s", s ? s : "");
}

static struct detect_hang read_hang(json_t *o)
{
	json_t *victim = json_object_get(o, "victim");
	struct detect_hang h = { .tid = read_id(victim, "tid"),
				 .tgid = read_id(victim, "pid"),
				 .since_ns = read_ns(o, "since_ns"),
				 .found_ns = read_ns(o, "found_ns"),
				 .threshold_ns = read_ns(o, "threshold_ns"),
				 .peer = read_id(o, "peer"),
				 .nr = CT_NR_NONE };
	char rule[32];

	read_text(o, "rule", rule, sizeof(rule));
	for (unsigned i = 0; i < CT_HANG_RULES; i++)
		if (!strcmp(describe_hang(i), rule))
			h.rule = (enum ct_hang)i;
	read_text(victim, "comm", h.comm, sizeof(h.comm));
	return h;
}

int incident_doc_read(json_t *doc, struct incident *ret)
{
	json_t *hangs = json_object_get(doc, "hangs");

	if (!json_is_true(json_object_get(doc, "pending")) || !json_array_size(hangs))
		return -EINVAL;
	*ret = (struct incident){ .begun = true,
				  .found_real_ns = read_ns(doc, "found_real_ns"),
				  .from_ns = read_ns(doc, "from_ns"),
				  .to_ns = read_ns(doc, "to_ns"),
				  .bytes = read_ns(doc, "bytes"),
				  .uid = incident_store_doc_uid(doc),
				  .hangs_refused = read_id(doc, "hangs_refused"),
				  .limited = read_id(doc, "limited"),
				  .has_snapshot = json_is_string(json_object_get(doc, "snapshot")) };
	read_text(doc, "name", ret->name, sizeof(ret->name));
	read_text(doc, "boot_id", ret->boot_id, sizeof(ret->boot_id));
	for (; ret->n_hangs < MIN(json_array_size(hangs), (size_t)INCIDENT_HANGS_MAX); ret->n_hangs++)
		ret->hangs[ret->n_hangs] = read_hang(json_array_get(hangs, ret->n_hangs));
	if (!incident_store_time(ret->name) || strchr(ret->name, '/'))
		return -EINVAL;
	ret->told = json_incref(hangs);
	ret->diagnosis = incident_doc_diagnosis(json_object_get(doc, "diagnosis"));
	return 0;
}

size_t incidents_fit(json_t *list, size_t bytes)
{
	/* 2 for the brackets, less 1 because the loop counts one comma too many */
	size_t keep = json_array_size(list), removed = 0, used = 1;

	while (keep) {
		size_t n = json_dumpb(json_array_get(list, keep - 1), NULL, 0, JSON_COMPACT) + 1;

		if (used + n > bytes)
			break;
		used += n;
		keep--;
	}
	for (; removed < keep; removed++)
		json_array_remove(list, 0);
	return removed;
}

/* Returns NULL if the value cannot be a word of a diagnosis, such as a verdict. */
static const char *word_of(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s && *s && strlen(s) < DOC_WORD_MAX && strspn(s, "abcdefghijklmnopqrstuvwxyz-") == strlen(s)
		       ? s
		       : NULL;
}

static json_t *doc_task(json_t *o)
{
	return json_pack("{s:I,s:I,s:o}", "pid", json_integer_value(json_object_get(o, "pid")), "tid",
			 json_integer_value(json_object_get(o, "tid")), "comm",
			 doc_text(json_string_value(json_object_get(o, "comm"))));
}

static void doc_place(json_t *o, json_t *task)
{
	static const char *const keys[] = { "cgroup", "container" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const char *s = json_string_value(json_object_get(o, keys[i]));

		if (s && *s)
			json_object_set_new(task, keys[i], doc_text(s));
	}
}

static json_t *doc_chain(json_t *answer)
{
	json_t *from = json_object_get(answer, "chain"), *chain = json_array();

	for (size_t i = 0; i < MIN(json_array_size(from), (size_t)DOC_CHAIN_MAX); i++) {
		json_t *o = json_array_get(from, i), *task = doc_task(o);
		const char *edge = word_of(o, "edge");

		doc_place(o, task);
		json_object_set_new(task, "edge", json_string(edge ? edge : "none"));
		json_array_append_new(chain, task);
	}
	return chain;
}

json_t *incident_doc_diagnosis(json_t *answer)
{
	const char *text = json_string_value(json_object_get(answer, "text"));
	const char *verdict = word_of(answer, "verdict"), *cause = word_of(answer, "cause"),
		   *confidence = word_of(answer, "confidence");
	json_t *from = json_object_get(answer, "root_cause"), *root;

	if (!text || !verdict || !cause || !confidence)
		return NULL;
	root = doc_task(from);
	json_object_set_new(root, "text", doc_text(json_string_value(json_object_get(from, "text"))));
	return json_pack("{s:o,s:s,s:s,s:s,s:b,s:I,s:I,s:o,s:o}", "text", doc_text(text), "verdict", verdict,
			 "cause", cause, "confidence", confidence, "lasts",
			 json_is_true(json_object_get(answer, "lasts")), "from_ns",
			 json_integer_value(json_object_get(answer, "from_ns")), "to_ns",
			 json_integer_value(json_object_get(answer, "to_ns")), "root_cause", root, "chain",
			 doc_chain(answer));
}
