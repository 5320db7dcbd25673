// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/slice/rules.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include "graph/thresholds.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"
#include "trace/words/resource.h"
#include "trace/words/texts.h"

/* Each character of a name may need a backslash. */
#define PATTERN_MAX (2 * DESCRIBE_MAX)

static const char *name_of(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	return task == GRAPH_NONE ? "" : graph_comm(g, task, ts_ns);
}

static bool stack_has(const struct graph *g, uint64_t stack, const char *function)
{
	const struct window_stack *s = stack ? window_stack(g->w, stack) : NULL;

	for (int i = 0; s && i < s->n_frames; i++)
		if (frame_is_function(s->frames[i], function))
			return true;
	return false;
}

static bool object_fits(const char *pattern, const struct graph *g, uint64_t obj)
{
	char buf[DESCRIBE_MAX];

	describe_object(g->w, obj, buf, sizeof(buf));
	return fnmatch(pattern, buf, 0) == 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !texts_order(a, b) : a == b;
}

/* "" fits all words. The words are compared as text, because the rules may come from another version
 * of ctrace. */
static bool word_fits(const char *want, const char *is)
{
	return !want[0] || same_text(want, is);
}

/* Each end of a connection is an object. The rule matches if its pattern x->object fits one of them. */
static bool rule_matches(const struct rule *x, const struct graph *g, const struct rule_facts *f)
{
	if (!word_fits(x->edge, edge_kind_name(f->edge)) ||
	    !word_fits(x->from, name_of(g, f->from, f->ts_ns)) ||
	    !word_fits(x->to, name_of(g, f->to, f->ts_ns)))
		return false;
	if (!word_fits(x->object_kind, resource_kind_word(resource_of_object(g->w, f->obj))))
		return false;
	if (x->object) {
		if (!object_fits(x->object, g, f->obj) &&
		    !object_fits(x->object, g, graph_peer_object(g, f->obj)))
			return false;
	}
	return !x->frame || stack_has(g, f->stack, x->frame);
}

struct rule *rules_find(const struct rules *rules, const struct graph *g, const struct rule_facts *facts)
{
	for (size_t i = 0; rules && i < rules->v.n; i++)
		if (rule_matches(&rules->v.v[i], g, facts))
			return &rules->v.v[i];
	return NULL;
}

const struct rule *rules_match(struct rules *rules, const struct graph *g, const struct rule_facts *facts)
{
	struct rule *x = rules_find(rules, g, facts);

	if (x && x->applied < UINT32_MAX)
		x->applied++;
	return x;
}

static void put_literal(char *buf, const char *s, size_t len)
{
	size_t n = strlen(buf);

	for (size_t i = 0; i < len && n + 2 < PATTERN_MAX; i++) {
		if (strchr("*?[\\", s[i]))
			buf[n++] = '\\';
		buf[n++] = s[i];
	}
	buf[n] = 0;
}

static void put_any(char *buf)
{
	size_t n = strlen(buf);

	if (n + 1 < PATTERN_MAX) {
		buf[n] = '*';
		buf[n + 1] = 0;
	}
}

/* Adds the path. A wildcard replaces a part of the path that differs between mounts, processes,
 * terminals or users. */
static void put_path(char *buf, const char *path)
{
	static const char *const numbered[] = { "/proc/", "/dev/pts/", "/run/user/" };

	if (!strncmp(path, ".../", 4)) {
		put_any(buf);
		path += 3;
	}
	for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++) {
		size_t n = strlen(numbered[i]),
		       digits = strncmp(path, numbered[i], n) ? 0 : strspn(path + n, "0123456789");

		if (!digits)
			continue;
		put_literal(buf, path, n);
		put_any(buf);
		path += n + digits;
		break;
	}
	put_literal(buf, path, strlen(path));
}

/* Keeps only the server's end, because people know a connection by the server's port. */
static void put_inet(const struct graph *g, uint64_t obj, const struct window_object *o, const char *name,
		     char *buf)
{
	const char *space = strchr(name, ' '), *arrow = strstr(name, "->");
	bool local = graph_is_accepted(g, obj) || !o->rport ||
		     (o->rport >= PORT_EPHEMERAL && o->lport < PORT_EPHEMERAL);

	if (!o->rport && o->lport >= PORT_EPHEMERAL)
		return;
	if (o->state == TCP_LISTEN || !arrow || !space) {
		put_literal(buf, name, strlen(name));
	} else if (local) {
		put_literal(buf, name, (size_t)(arrow + 2 - name));
		put_any(buf);
	} else {
		put_literal(buf, name, (size_t)(space + 1 - name));
		put_any(buf);
		put_literal(buf, arrow, strlen(arrow));
	}
}

/* Writes "" if other traces cannot have this name. Then a rule fits all objects of the kind. */
static void object_pattern(const struct graph *g, uint64_t obj, char buf[PATTERN_MAX])
{
	const struct window_object *o = obj ? graph_object(g, obj) : NULL;
	char name[DESCRIBE_MAX];

	buf[0] = 0;
	if (!o)
		return;
	describe_object(g->w, obj, name, sizeof(name));
	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_SOCK:
		if (o->family == AF_UNIX ? !strstr(name, "socket:[") : o->lport || o->rport) {
			if (o->family == AF_UNIX)
				put_literal(buf, name, strlen(name));
			else
				put_inet(g, obj, o, name, buf);
		}
		break;
	case CT_OBJ_FILE:
	case CT_OBJ_DIR:
	case CT_OBJ_BLOCKDEV:
	case CT_OBJ_CHARDEV:
	case CT_OBJ_TTY:
	case CT_OBJ_FIFO:
	case CT_OBJ_DATA:
	case CT_OBJ_QUEUE:
		if (o->name[0])
			put_path(buf, name);
		break;
	}
}

static int rule_make(const struct graph *g, const struct rule_facts *f, struct rule *ret)
{
	char pattern[PATTERN_MAX];

	*ret = (struct rule){ 0 };
	snprintf(ret->edge, sizeof(ret->edge), "%s", edge_kind_name(f->edge));
	snprintf(ret->from, sizeof(ret->from), "%s", name_of(g, f->from, f->ts_ns));
	snprintf(ret->to, sizeof(ret->to), "%s", name_of(g, f->to, f->ts_ns));
	snprintf(ret->object_kind, sizeof(ret->object_kind), "%s",
		 f->obj ? resource_kind_word(resource_of_object(g->w, f->obj)) : "");
	object_pattern(g, f->obj, pattern);
	if (!pattern[0])
		return 0;
	ret->object = strdup(pattern);
	return ret->object ? 0 : -ENOMEM;
}

static bool same_rule(const struct rule *a, const struct rule *b)
{
	return same_text(a->edge, b->edge) && same_text(a->from, b->from) && same_text(a->to, b->to) &&
	       same_text(a->object_kind, b->object_kind) && same_text(a->object, b->object) &&
	       same_text(a->frame, b->frame);
}

int rules_add(struct rules *rules, const struct graph *g, const struct rule_facts *facts,
	      enum rule_verdict verdict)
{
	struct rule x;
	int r = rule_make(g, facts, &x);

	if (r)
		return r;
	x.verdict = verdict;
	for (size_t i = 0; i < rules->v.n; i++)
		if (same_rule(&rules->v.v[i], &x)) {
			rules->v.v[i].verdict = verdict;
			free(x.object);
			return 0;
		}
	r = VEC_PUSH(&rules->v, x);
	if (r)
		free(x.object);
	return r;
}

void rules_done(struct rules *rules)
{
	for (size_t i = 0; i < rules->v.n; i++) {
		free(rules->v.v[i].object);
		free(rules->v.v[i].frame);
		free(rules->v.v[i].note);
	}
	VEC_FREE(&rules->v);
}
