// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ask/rulesfile.h"

#include <errno.h>
#include <stdio.h>

#include "cli/text.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

static void rule_done(struct rule *r)
{
	free(r->object);
	free(r->frame);
	free(r->note);
}

struct rules_place {
	size_t rule;
	char *err;
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct rules_place *p, const char *fmt, ...)
{
	char what[RULESFILE_ERR_MAX - 32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(p->err, RULESFILE_ERR_MAX, "rule %zu: %s", p->rule, what);
	return -EBADMSG;
}

static int get_string(const struct rules_place *p, const json_t *o, const char *key, size_t max,
		      const char **ret)
{
	const json_t *v = json_object_get(o, key);

	*ret = NULL;
	if (!v)
		return 0;
	if (!json_is_string(v))
		return refuse(p, "\"%s\" must be a string", key);
	if (json_string_length(v) > max)
		return refuse(p, "\"%s\" has more than %zu bytes", key, max);
	if (json_string_length(v))
		*ret = json_string_value(v);
	return 0;
}

static int get_fixed(const struct rules_place *p, const json_t *o, const char *key, char *buf, size_t size)
{
	const char *s;
	int r = get_string(p, o, key, size - 1, &s);

	if (!r && s)
		strcpy(buf, s);
	return r;
}

static int get_copy(const struct rules_place *p, const json_t *o, const char *key, char **ret)
{
	const char *s;
	int r = get_string(p, o, key, RULESFILE_STRING_MAX, &s);

	if (r || !s)
		return r;
	*ret = strdup(s);
	return *ret ? 0 : -ENOMEM;
}

static int known_members(const struct rules_place *p, json_t *o, const char *const *known)
{
	const char *key;
	json_t *v;

	json_object_foreach (o, key, v) {
		const char *const *k = known;
		char clean[64];

		while (*k && strcmp(*k, key))
			k++;
		if (*k)
			continue;
		describe_clean(key, clean, sizeof(clean));
		return refuse(p, "there is no member \"%s\"; see ctrace.rules(5)", clean);
	}
	return 0;
}

static int get_object(const struct rules_place *p, const json_t *rule, struct rule *ret)
{
	static const char *const members[] = { "kind", "name", NULL };
	json_t *o = json_object_get(rule, "object");
	int r;

	if (!o)
		return 0;
	if (!json_is_object(o))
		return refuse(p, "\"object\" must be an object: {\"kind\": \"pipe\", \"name\": \"*\"}");
	r = known_members(p, o, members);
	if (!r)
		r = get_fixed(p, o, "kind", ret->object_kind, sizeof(ret->object_kind));
	return r ? r : get_copy(p, o, "name", &ret->object);
}

static int get_verdict(const struct rules_place *p, const json_t *rule, enum rule_verdict *ret)
{
	const char *s;
	int r = get_string(p, rule, "verdict", 16, &s);

	if (r)
		return r;
	if (s && !strcmp(s, "cause"))
		*ret = RULE_CAUSE;
	else if (s && !strcmp(s, "not-cause"))
		*ret = RULE_NOT_CAUSE;
	else
		return refuse(p, "\"verdict\" must be \"cause\" or \"not-cause\"");
	return 0;
}

/* After failure, the caller must free *ret with rule_done(). */
static int get_rule(const struct rules_place *p, json_t *o, struct rule *ret)
{
	static const char *const members[] = { "edge",  "from",    "to",   "object",
					       "frame", "verdict", "note", NULL };
	int r;

	if (!json_is_object(o))
		return refuse(p, "it must be an object");
	r = known_members(p, o, members);
	if (!r)
		r = get_verdict(p, o, &ret->verdict);
	if (!r)
		r = get_fixed(p, o, "edge", ret->edge, sizeof(ret->edge));
	if (!r)
		r = get_fixed(p, o, "from", ret->from, sizeof(ret->from));
	if (!r)
		r = get_fixed(p, o, "to", ret->to, sizeof(ret->to));
	if (!r)
		r = get_object(p, o, ret);
	if (!r)
		r = get_copy(p, o, "frame", &ret->frame);
	if (!r)
		r = get_copy(p, o, "note", &ret->note);
	if (!r && !ret->edge[0] && !ret->from[0] && !ret->to[0] && !ret->object_kind[0] && !ret->object &&
	    !ret->frame)
		r = refuse(
			p,
			"it would match every edge; add \"edge\", \"from\", \"to\", \"object\" or \"frame\"");
	return r;
}

static int get_rules(json_t *doc, json_t **ret, char err[RULESFILE_ERR_MAX])
{
	const json_t *schema = json_object_get(doc, "schema");

	*ret = json_object_get(doc, "rules");
	if (!json_is_string(schema) || strncmp(json_string_value(schema), "ctrace.rules/", 13))
		snprintf(err, RULESFILE_ERR_MAX,
			 "it is not a rules file, which begins with {\"schema\": \"" RULESFILE_SCHEMA "\"");
	else if (strcmp(json_string_value(schema), RULESFILE_SCHEMA))
		snprintf(err, RULESFILE_ERR_MAX,
			 "its version is not " RULESFILE_SCHEMA ", the version that this program reads");
	else if (!json_is_array(*ret))
		snprintf(err, RULESFILE_ERR_MAX, "\"rules\" must be an array");
	else if (json_array_size(*ret) > RULESFILE_RULES_MAX)
		snprintf(err, RULESFILE_ERR_MAX, "it has more than %d rules", RULESFILE_RULES_MAX);
	else
		return 0;
	return -EBADMSG;
}

int rulesfile_parse(const char *text, size_t size, struct rules *rules, char err[RULESFILE_ERR_MAX])
{
	_cleanup_json_ json_t *doc = NULL;
	size_t before = rules->v.n, i;
	json_t *array, *o;
	int r = text_parse_json(text, size, RULESFILE_BYTES_MAX, &doc, err);

	if (!r)
		r = get_rules(doc, &array, err);
	if (r)
		return r;
	json_array_foreach (array, i, o) {
		struct rule rule = { 0 };

		r = get_rule(&(struct rules_place){ .rule = i + 1, .err = err }, o, &rule);
		if (!r)
			r = VEC_PUSH(&rules->v, rule);
		if (r) {
			rule_done(&rule);
			break;
		}
	}
	while (r && rules->v.n > before)
		rule_done(&rules->v.v[--rules->v.n]);
	return r;
}

static int put(json_t *o, const char *key, const char *s)
{
	return s && s[0] ? json_object_set_new(o, key, text_json(s)) : 0;
}

static json_t *rule_json(const struct rule *rule)
{
	json_t *o = json_object(), *object = json_object();
	int r = put(o, "edge", rule->edge);

	r |= put(o, "from", rule->from);
	r |= put(o, "to", rule->to);
	r |= put(object, "kind", rule->object_kind);
	r |= put(object, "name", rule->object);
	if (json_object_size(object))
		r |= json_object_set(o, "object", object);
	r |= put(o, "frame", rule->frame);
	r |= put(o, "verdict", rule->verdict == RULE_CAUSE ? "cause" : "not-cause");
	r |= put(o, "note", rule->note);
	json_decref(object);
	if (!r)
		return o;
	json_decref(o);
	return NULL;
}

static bool same_facts(json_t *a, json_t *b)
{
	_cleanup_json_ json_t *x = json_copy(a), *y = json_copy(b);

	json_object_del(x, "verdict");
	json_object_del(y, "verdict");
	json_object_del(x, "note");
	json_object_del(y, "note");
	return x && y && json_equal(x, y);
}

static int put_first(json_t *array, json_t *rule)
{
	for (size_t i = json_array_size(array); rule && i-- > 0;)
		if (same_facts(json_array_get(array, i), rule))
			json_array_remove(array, i);
	return json_array_insert_new(array, 0, rule);
}

int rulesfile_merge(const char *old, size_t size, const struct rule *rules, size_t n, char **ret)
{
	_cleanup_json_ json_t *doc = NULL;
	char err[RULESFILE_ERR_MAX];
	json_t *array = NULL;
	char *text;
	int r = 0;

	if (size)
		r = text_parse_json(old, size, RULESFILE_BYTES_MAX, &doc, err);
	else
		doc = json_pack("{s:s, s:[]}", "schema", RULESFILE_SCHEMA, "rules");
	if (!r)
		r = doc ? get_rules(doc, &array, err) : -ENOMEM;
	if (r)
		return r;
	while (n-- > 0)
		if (put_first(array, rule_json(&rules[n])))
			return -ENOMEM;
	text = json_dumps(doc, JSON_INDENT(2));
	if (!text)
		return -ENOMEM;
	*ret = text;
	return 0;
}

const char *rulesfile_words(const struct rule *rule, char buf[RULESFILE_WORDS_MAX])
{
	char raw[RULESFILE_WORDS_MAX];
	int n = snprintf(raw, sizeof(raw), "%s%s%s", rule->edge[0] ? rule->edge : "anything",
			 rule->from[0] ? " from " : "", rule->from);

	if (rule->to[0])
		n += snprintf(raw + n, sizeof(raw) - (size_t)n, " to %s", rule->to);
	if (rule->object && !strncmp(rule->object, rule->object_kind, strlen(rule->object_kind)))
		n += snprintf(raw + n, sizeof(raw) - (size_t)n, " through %s", rule->object);
	else if (rule->object_kind[0] || rule->object)
		n += snprintf(raw + n, sizeof(raw) - (size_t)n, " through %s%s%s", rule->object_kind,
			      rule->object ? " " : "", rule->object ?: "");
	if (rule->frame && n < (int)sizeof(raw))
		n += snprintf(raw + n, sizeof(raw) - (size_t)n, " in %s", rule->frame);
	if (n < (int)sizeof(raw))
		snprintf(raw + n, sizeof(raw) - (size_t)n, " is %sa cause",
			 rule->verdict == RULE_CAUSE ? "" : "not ");
	describe_clean(raw, buf, RULESFILE_WORDS_MAX);
	return buf;
}
