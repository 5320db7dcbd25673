/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rules.h - rules: the answers of a person about ambiguous edges, kept for later. For example: "a
 * wake from dbus-daemon to X through this socket is not a cause".
 *
 * A rule matches by names, so that it holds for other traces and other machines. An empty field
 * matches anything. The first rule that matches wins. Pure; only one thread at a time may use a
 * struct rules. cli/ask/rulesfile.c reads and writes files of rules.
 */
#ifndef CTRACE_ANALYSIS_SLICE_RULES_H
#define CTRACE_ANALYSIS_SLICE_RULES_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

enum rule_verdict { RULE_NOT_CAUSE, RULE_CAUSE };

struct rule {
	char edge[16];          /* word of edge_kind_name(); "": any */
	char from[CT_COMM_LEN]; /* name of the task at the origin of the edge; "": any */
	char to[CT_COMM_LEN];   /* name of the task at which the edge arrives; "": any */
	char object_kind[16];   /* word of resource_kind_word(); "": any */
	char *object;           /* fnmatch() pattern of the object's name; NULL: any; owned */
	char *frame; /* a function on the stack of the task at which the edge arrives; NULL: any; owned */
	char *note;  /* a note for people; NULL: none; owned */
	enum rule_verdict verdict;
	uint32_t applied; /* how often rules_match() has returned this rule */
};

struct rules {
	VEC(struct rule) v;
};

/* The facts about an edge. Rules are compared with these facts. */
struct rule_facts {
	enum edge_kind edge; /* 0: no edge */
	uint32_t from, to;   /* tasks; GRAPH_NONE: no task of this host */
	uint64_t obj;        /* 0: none */
	uint64_t stack;      /* id of a stack of the task at which the edge arrives; 0: none */
	uint64_t ts_ns;      /* time of the arrival */
};

/* Returns the first rule that matches; NULL if no rule matches. `rules` may be NULL. */
struct rule *rules_find(const struct rules *rules, const struct graph *g, const struct rule_facts *facts);
/* Like rules_find(), but also counts the match in rule.applied. */
const struct rule *rules_match(struct rules *rules, const struct graph *g, const struct rule_facts *facts);
/*
 * Adds a rule with this verdict for these facts and similar ones. The rule has kinds and names
 * ("tcp 127.0.0.1:80->*"), but no ids of processes or sockets. If a rule with the same kinds and
 * names exists already, only its verdict changes. Returns 0 or -ENOMEM.
 */
int rules_add(struct rules *rules, const struct graph *g, const struct rule_facts *facts,
	      enum rule_verdict verdict);
void rules_done(struct rules *rules);

#endif
