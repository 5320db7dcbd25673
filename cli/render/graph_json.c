// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/render/causal.h"
#include "report/cgroup_name.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "lib/map.h"
#include "trace/words/describe.h"
#include "trace/words/resource.h"

/* The lines of a graph are made in parts of this many lines, two parts at a time. Lower: a thread starts more
 * often. Higher: more memory, about 0.5 MB for each 1000 lines. */
#define PART_LINES 4096
/* The words of this many objects are kept: most edges have the object of an edge shortly before. */
#define WORDS_KEPT 1024

struct object_words {
	uint64_t id;
	const char *kind; /* NULL: the entry is unused */
	char name[DESCRIBE_MAX];
};

static void find_words(const struct causal *c, uint64_t id, struct object_words *ret)
{
	ret->id = id;
	ret->kind = resource_kind_word(resource_of_object(c->g->w, id));
	ret->name[0] = 0;
	describe_object(c->g->w, id, ret->name, sizeof(ret->name));
}

static int64_t mono(const struct causal *c, uint64_t boot_ns)
{
	return clock_mono_ns(boot_ns, &c->g->w->offsets);
}

static void put(FILE *f, const char *s)
{
	fputs_unlocked(s, f);
}

/* Much faster than fprintf(). A large graph has millions of numbers. */
static void put_number(FILE *f, int64_t number)
{
	char digits[TEXT_NUMBER_MAX], *end = digits + sizeof(digits), *p = end;
	uint64_t n = number < 0 ? -(uint64_t)number : (uint64_t)number;

	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	if (number < 0)
		*--p = '-';
	fwrite_unlocked(p, 1, (size_t)(end - p), f);
}

static void put_task(FILE *f, const struct causal *c, uint32_t task, uint64_t ts_ns)
{
	const struct graph_task *t = &c->g->tasks[task];
	struct cgroup_name p = graph_place(c->g, task, ts_ns);

	put(f, "\"pid\":");
	put_number(f, t->tgid);
	put(f, ",\"tid\":");
	put_number(f, t->tid);
	put(f, ",\"comm\":");
	text_put_json(f, graph_comm(c->g, task, ts_ns));
	render_put_cgroup_name(f, &p);
}

void render_segment_json(FILE *f, const struct causal *c, uint32_t segment)
{
	const struct segment *s = &c->segments[segment];
	/* a thread gets its name after its start, so the last name counts */
	uint64_t last_ns = s->to_ns - 1;

	put(f, "{\"id\":");
	put_number(f, segment);
	put(f, ",");
	put_task(f, c, s->task, last_ns);
	put(f, ",\"from_ns\":");
	put_number(f, mono(c, s->from_ns));
	put(f, ",\"to_ns\":");
	put_number(f, mono(c, s->to_ns));
	put(f, ",\"cut\":\"");
	put(f, cut_rule_name((enum cut_rule)s->cut));
	put(f, "\",\"behalf\":");
	if (s->behalf == GRAPH_NONE) {
		put(f, "null}");
		return;
	}
	put(f, "{");
	put_task(f, c, s->behalf, last_ns);
	put(f, "}}");
}

static void put_flags(FILE *f, uint8_t flags)
{
	static const struct {
		uint8_t flag;
		const char *name;
	} names[] = { { EDGE_FALSE_WAKE, "false-wake" },
		      { EDGE_MANY, "many" },
		      { EDGE_BYTES, "bytes" },
		      { EDGE_ALIKE, "alike" },
		      { EDGE_TOGETHER, "together" } };
	const char *before = "\"";

	put(f, "[");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & names[i].flag) {
			put(f, before);
			put(f, names[i].name);
			put(f, "\"");
			before = ",\"";
		}
	put(f, "]");
}

static void put_edge(FILE *f, const struct causal *c, const struct edge *e, const bool *in,
		     const struct object_words *object)
{
	char text[EDGE_EXPLAIN_MAX];

	put(f, "{\"from\":");
	if (e->from == GRAPH_NONE || (in && !in[e->from]))
		put(f, "null");
	else
		put_number(f, e->from);
	put(f, ",\"to\":");
	put_number(f, e->to);
	put(f, ",\"kind\":\"");
	put(f, edge_kind_name(e->kind));
	put(f, "\",\"strength\":\"");
	put(f, edge_strength_name(e->strength));
	put(f, "\",\"left_ns\":");
	put_number(f, mono(c, edge_left_ns(c, e)));
	put(f, ",\"arrived_ns\":");
	put_number(f, mono(c, edge_arrived_ns(c, e)));
	put(f, ",\"object\":{\"kind\":\"");
	put(f, object->kind);
	put(f, "\",\"name\":");
	text_put_json(f, object->name);
	put(f, "},\"flags\":");
	put_flags(f, e->flags);
	edge_explain_on(c, e, object->name, text, sizeof(text));
	put(f, ",\"text\":");
	text_put_json(f, text);
	put(f, "}");
}

void render_edge_json(FILE *f, const struct causal *c, const struct edge *e, const bool *in)
{
	struct object_words object;

	find_words(c, edge_object(c, e), &object);
	put_edge(f, c, e, in, &object);
}

/* A part of the lines: those of the picked segments, or of the edges to them, in [from, to). */
struct part {
	const struct graph_pick *pick;
	bool edges;
	size_t from, to;
	FILE *f; /* writes to `text` */
	char *text;
	size_t size;
	struct object_words *words; /* [WORDS_KEPT] */
};

static int part_init(struct part *p, const struct graph_pick *pick)
{
	*p = (struct part){ .pick = pick, .words = calloc(WORDS_KEPT, sizeof(*p->words)) };
	p->f = open_memstream(&p->text, &p->size);
	return p->f && p->words ? 0 : -ENOMEM;
}

static void part_done(struct part *p)
{
	if (p->f)
		fclose(p->f);
	free(p->text);
	free(p->words);
}

static bool is_picked(const struct graph_pick *pick, bool edges, size_t i)
{
	return pick->in[edges ? pick->c->edges[i].to : i];
}

/* Sets the range of the part: it begins at `from`, and has PART_LINES lines, or all lines that are left.
 * Returns its end. */
static size_t part_take(struct part *p, bool edges, size_t from)
{
	const struct causal *c = p->pick->c;
	size_t end = edges ? c->n_edges : c->n_segments, n = 0;

	p->edges = edges;
	p->from = p->to = from;
	while (p->to < end && n < PART_LINES)
		n += is_picked(p->pick, edges, p->to++);
	return p->to;
}

static void part_put_edge(const struct part *p, const struct edge *e)
{
	const struct causal *c = p->pick->c;
	uint64_t id = edge_object(c, e);
	struct object_words *object = &p->words[map_hash(id) % WORDS_KEPT];

	if (!object->kind || object->id != id)
		find_words(c, id, object);
	put_edge(p->f, c, e, p->pick->in, object);
}

/* Each line begins with a comma and a newline. */
static void part_make(struct part *p)
{
	const struct causal *c = p->pick->c;

	rewind(p->f);
	for (size_t i = p->from; i < p->to; i++) {
		if (!is_picked(p->pick, p->edges, i))
			continue;
		put(p->f, ",\n");
		if (p->edges)
			part_put_edge(p, &c->edges[i]);
		else
			render_segment_json(p->f, c, (uint32_t)i);
	}
	fflush(p->f);
}

static void make_first(void *parts)
{
	part_make(parts);
}

static void make_second(void *parts)
{
	part_make((struct part *)parts + 1);
}

/* Writes the lines of all picked segments, or of all edges to them. */
static int put_lines(FILE *f, const struct graph_pick *pick, bool edges, struct part parts[2])
{
	size_t end = edges ? pick->c->n_edges : pick->c->n_segments;
	bool any = false;

	for (size_t at = 0; at < end && !cli_output_broken();) {
		for (int i = 0; i < 2; i++)
			at = part_take(&parts[i], edges, at);
		cli_both(make_first, make_second, parts);
		for (int i = 0; i < 2; i++) {
			size_t comma = parts[i].size && !any; /* the first line has no comma before it */

			if (ferror(parts[i].f))
				return -ENOMEM;
			fwrite(parts[i].text + comma, 1, parts[i].size - comma, f);
			any |= parts[i].size != 0;
		}
	}
	return 0;
}

int render_graph_json(FILE *f, const struct graph_pick *pick)
{
	const struct causal *c = pick->c;
	struct part parts[2];
	int r = part_init(&parts[0], pick) | part_init(&parts[1], pick);

	if (!r) {
		fprintf(f,
			"{\"schema\":\"ctrace.graph/1\",\"policy\":\"%s\",\"window\":{\"from_ns\":%" PRId64
			",\"to_ns\":%" PRId64 ",\"clock\":\"monotonic\"},\n\"segments\":[",
			causal_policy_name(c->policy), mono(c, pick->from_ns), mono(c, pick->to_ns));
		r = put_lines(f, pick, false, parts);
	}
	if (!r) {
		fputs("],\n\"edges\":[", f);
		r = put_lines(f, pick, true, parts);
	}
	if (!r)
		fputs("]}\n", f);
	part_done(&parts[0]);
	part_done(&parts[1]);
	return r;
}
