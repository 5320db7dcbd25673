/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rules.h - what a person said about ambiguous edges, kept for all repeats: "a wake from dbus-daemon to X
 * through this socket is not a cause".
 *
 * A rule matches by names, so that it holds for other traces and other machines.  An empty field matches
 * anything.  The first rule that matches wins.  Pure; cli/ask/rulesfile reads and writes the files.
 */
#ifndef CTRACE_ANALYSIS_SLICE_RULES_H
#define CTRACE_ANALYSIS_SLICE_RULES_H

#include "graph/timeline/graph.h"
#include "lib/vec.h"

enum rule_verdict { RULE_NOT_CAUSE, RULE_CAUSE };

struct rule {
	char edge[16];          /* word of edge_kind_name(), "" any */
	char from[CT_COMM_LEN]; /* name of the task that causes, "" any */
	char to[CT_COMM_LEN];   /* name of the task that is caused, "" any */
	char object_kind[16];   /* word of resource_kind_word(), "" any */
	char *object;           /* fnmatch() pattern of the object's name, NULL any; owned */
	char *frame;            /* a function on the stack of the one that is caused, NULL any; owned */
	char *note;             /* for people, NULL none; owned */
	enum rule_verdict verdict;
	uint32_t applied; /* how often it decided */
};

struct rules {
	VEC(struct rule) v;
};

/* The facts about an edge that a rule is compared with.  stack: id, 0: none. */
struct rule_facts {
	enum edge_kind edge; /* 0: no edge */
	uint32_t from, to;   /* tasks; GRAPH_NONE: nobody on this host */
	uint64_t obj;
	uint64_t stack;
	uint64_t ts_ns;
};

/* The first rule that matches, or NULL.  rules may be NULL. */
struct rule *rules_find(const struct rules *rules, const struct graph *g, const struct rule_facts *facts);
/* The same for a decision: counts in rule.applied. */
const struct rule *rules_match(struct rules *rules, const struct graph *g, const struct rule_facts *facts);
/*
 * Adds a rule with this verdict for these facts and their like.  It has kinds and names, but no ids of
 * processes or sockets ("tcp 127.0.0.1:80->*").  If the same rule is there, only its verdict changes.
 * 0 or -ENOMEM.
 */
int rules_add(struct rules *rules, const struct graph *g, const struct rule_facts *facts,
	      enum rule_verdict verdict);
void rules_done(struct rules *rules);

#endif
