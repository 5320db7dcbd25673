// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ask/transactionrules.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/text.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

/* The members that a rule can have. `sources` (below) says which members go together. */
enum member { NAME, MARK, UNTIL, PROGRAM, CMDLINE, SERVICE, ADDRESS, QUEUE, INPUT, TIMER, MEMBERS };
static const char *const members[MEMBERS] = {
	[NAME] = "transaction", [MARK] = "mark",       [UNTIL] = "until",     [PROGRAM] = "program",
	[CMDLINE] = "cmdline",  [SERVICE] = "service", [ADDRESS] = "address", [QUEUE] = "queue",
	[INPUT] = "input",      [TIMER] = "timer",
};
#define BIT(member) (1u << (member))

static const struct {
	enum transaction_source source;
	unsigned needs;  /* at least one of these members */
	unsigned allows; /* besides NAME */
} sources[] = {
	{ TRANSACTION_MARK, BIT(MARK), BIT(MARK) | BIT(UNTIL) },
	{ TRANSACTION_JOB, BIT(QUEUE), BIT(QUEUE) | BIT(PROGRAM) },
	{ TRANSACTION_INPUT, BIT(INPUT), BIT(INPUT) | BIT(PROGRAM) },
	{ TRANSACTION_TIMER, BIT(TIMER), BIT(TIMER) | BIT(PROGRAM) },
	{ TRANSACTION_REQUEST, BIT(SERVICE) | BIT(ADDRESS), BIT(SERVICE) | BIT(ADDRESS) },
	{ TRANSACTION_PROCESS, BIT(PROGRAM) | BIT(CMDLINE), BIT(PROGRAM) | BIT(CMDLINE) },
};

struct place {
	size_t rule;
	char *err;
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct place *p, const char *fmt, ...)
{
	char what[TRANSACTIONRULES_ERR_MAX - 32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(p->err, TRANSACTIONRULES_ERR_MAX, "rule %zu: %s", p->rule, what);
	return -EBADMSG;
}

static int get_text(const struct place *p, const char *key, const json_t *v, char **ret)
{
	if (!json_is_string(v) || !json_string_length(v))
		return refuse(p, "\"%s\" must be a text", key);
	if (json_string_length(v) > TRANSACTIONRULES_TEXT_MAX)
		return refuse(p, "\"%s\" has more than %d bytes", key, TRANSACTIONRULES_TEXT_MAX);
	*ret = strdup(json_string_value(v));
	return *ret ? 0 : -ENOMEM;
}

static int get_members(const struct place *p, json_t *o, struct transaction_rule *ret, unsigned *ret_has)
{
	char **const to[MEMBERS] = {
		[NAME] = &ret->name,       [MARK] = &ret->mark,       [UNTIL] = &ret->until,
		[PROGRAM] = &ret->program, [CMDLINE] = &ret->cmdline, [SERVICE] = &ret->service,
		[ADDRESS] = &ret->address, [QUEUE] = &ret->queue,     [INPUT] = &ret->input,
		[TIMER] = &ret->timer,
	};
	const char *key;
	json_t *v;

	*ret_has = 0;
	json_object_foreach (o, key, v) {
		unsigned i = 0;
		char clean[64];
		int r;

		while (i < MEMBERS && strcmp(members[i], key) != 0)
			i++;
		if (i == MEMBERS) {
			describe_clean(key, clean, sizeof(clean));
			return refuse(p, "there is no member \"%s\"; see ctrace-transactions(1)", clean);
		}
		r = get_text(p, key, v, to[i]);
		if (r)
			return r;
		*ret_has |= BIT(i);
	}
	return 0;
}

/* After failure too, the caller frees the texts of *ret. */
static int get_rule(const struct place *p, json_t *o, struct transaction_rule *ret)
{
	unsigned has;
	int r;

	if (!json_is_object(o))
		return refuse(p, "it must be an object");
	r = get_members(p, o, ret, &has);
	if (r)
		return r;
	has &= ~BIT(NAME);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		if (!(has & sources[i].needs))
			continue;
		ret->source = sources[i].source;
		for (unsigned k = 0; k < MEMBERS; k++)
			if (has & BIT(k) & ~sources[i].allows)
				return refuse(p, "\"%s\" does not go with a rule about %s %s", members[k],
					      ret->source == TRANSACTION_INPUT ? "an" : "a",
					      transaction_source_name(ret->source));
		return 0;
	}
	return refuse(
		p,
		"add \"mark\", \"program\", \"cmdline\", \"service\", \"address\", \"queue\", \"input\" or \"timer\"");
}

static int get_rules(json_t *doc, json_t **ret, char *err)
{
	const char *schema = json_string_value(json_object_get(doc, "schema"));

	*ret = json_object_get(doc, "rules");
	if (!schema || strcmp(schema, TRANSACTIONRULES_SCHEMA) != 0)
		snprintf(err, TRANSACTIONRULES_ERR_MAX,
			 "it does not begin with {\"schema\": \"" TRANSACTIONRULES_SCHEMA "\"");
	else if (!json_is_array(*ret) || !json_array_size(*ret))
		snprintf(err, TRANSACTIONRULES_ERR_MAX, "\"rules\" must be an array with a rule");
	else if (json_array_size(*ret) > TRANSACTIONRULES_MAX)
		snprintf(err, TRANSACTIONRULES_ERR_MAX, "it has more than %d rules", TRANSACTIONRULES_MAX);
	else
		return 0;
	return -EBADMSG;
}

int transactionrules_parse(const char *text, size_t size, struct transaction_rules *rules,
			   char err[TRANSACTIONRULES_ERR_MAX])
{
	_cleanup_json_ json_t *doc = NULL;
	json_t *array, *o;
	size_t i;
	int r = text_parse_json(text, size, TRANSACTIONRULES_BYTES_MAX, &doc, err);

	if (!r)
		r = get_rules(doc, &array, err);
	if (r)
		return r;
	json_array_foreach (array, i, o) {
		struct transaction_rule rule = { 0 };

		if (VEC_RESERVE(&rules->v, rules->v.n + 1))
			return -ENOMEM;
		r = get_rule(&(struct place){ .rule = i + 1, .err = err }, o, &rule);
		rules->v.v[rules->v.n++] = rule;
		if (r)
			return r;
	}
	return 0;
}
