/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rules.h - rules: the answers of a person about ambiguous edges, kept for later. Example: "a wake
 * from dbus-daemon to X through this socket is not a cause".
 *
 * A rule matches by names, so it holds for other traces too. An empty field matches anything. The
 * first rule that matches wins. Pure; only one thread at a time may use a struct rules.
 */
#ifndef CTRACE_ANALYSIS_SLICE_RULES_H
#define CTRACE_ANALYSIS_SLICE_RULES_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

enum rule_verdict { RULE_NOT_CAUSE, RULE_CAUSE };

struct rule {
	char edge[16]; /* word of edge_kind_name() */
	char from[CT_COMM_LEN];
	char to[CT_COMM_LEN];
	char object_kind[16]; /* word of resource_kind_word() */
	char *object;         /* an fnmatch() pattern; owned */
	char *frame;          /* a function on the stack of `to`; owned */
	char *note;
	enum rule_verdict verdict;
	uint32_t applied;
};

struct rules {
	VEC(struct rule) v;
};

struct rule_facts {
	enum edge_kind edge;
	uint32_t from, to;
	uint64_t obj;
	uint64_t stack; /* a stack of the task `to`; 0: none */
	uint64_t ts_ns;
};

/* `rules` may be NULL. Returns NULL if no rule matches. */
struct rule *rules_find(const struct rules *rules, const struct graph *g, const struct rule_facts *facts);
/* Like rules_find(), but also counts the match in rule.applied. */
const struct rule *rules_match(struct rules *rules, const struct graph *g, const struct rule_facts *facts);
/* The new rule has kinds and names ("tcp 127.0.0.1:80->*"), but no ids. If the rule exists, only its
 * verdict changes. Returns 0 or -ENOMEM. */
int rules_add(struct rules *rules, const struct graph *g, const struct rule_facts *facts,
	      enum rule_verdict verdict);
void rules_done(struct rules *rules);

#endif
