// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/flame/svg.h"

#include <errno.h>
#include <string.h>

#include "cli/export/shown.h"
#include "cli/text.h"
#include "flame_files.h"
#include "lib/cleanup.h"

/* The unit is about a pixel. A frame narrower than NARROWEST is not drawn. */
#define WIDTH       1200.0
#define LEFT        10.0
#define ROW         17
#define HEAD        60
#define FOOT        30
#define NARROWEST   0.12
#define LETTER      7.25
#define LETTERS_MIN 3

struct box {
	uint32_t node;
	uint64_t from_ns;
};

struct picture {
	FILE *f;
	const struct flame *flame;
	enum flame_kind kind;
	uint64_t *ns;    /* [node]: its own time and that of all frames above it */
	uint32_t *first; /* [node]: where its children begin in `order` */
	uint32_t *order; /* nodes, sorted by (parent, time, text) */
	unsigned deepest;
	size_t drawn, left_out;
};

/* The text has no control characters, because shown_frame() has replaced them by escapes. XML also forbids
 * U+FFFE and U+FFFF, so this function writes "?" in place of them. */
static void put_xml(FILE *f, const char *s)
{
	for (; *s; s++)
		if (*s == '&')
			fputs("&amp;", f);
		else if (*s == '<')
			fputs("&lt;", f);
		else if (*s == '>')
			fputs("&gt;", f);
		else if (*s == '"')
			fputs("&quot;", f);
		else if (!strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3))
			fputs("?", f), s += 2;
		else
			putc(*s, f);
}

/* Bluish colours for the waiting task, reddish ones for a task to blame and for running. Frames with
 * the same text have the same colour. */
static void put_colour(const struct picture *p, const struct flame_node *n, const char *text)
{
	unsigned shade = 0, hue = p->kind == FLAME_ONCPU || n->other ? 28 : 208, light = 68;

	for (const char *s = text; *s; s++)
		shade = shade * 31 + (unsigned char)*s;
	if (n->what == FLAME_KERNEL)
		light = 56;
	if (n->what == FLAME_STATE)
		light = 84;
	if (n->what == FLAME_TASK)
		light = 76;
	fprintf(p->f, "hsl(%u,%u%%,%u%%)", hue + shade % 16, n->what == FLAME_STATE ? 35u : 70u,
		light + shade / 16 % 7);
}

static void put_label(FILE *f, const char *text, double width)
{
	int n = (int)((width - 6) / LETTER);
	size_t len = strlen(text);

	if (n < LETTERS_MIN)
		return;
	if (len <= (size_t)n) {
		put_xml(f, text);
		return;
	}
	/* do not cut a character of several bytes */
	for (len = (size_t)n - 2; len && ((unsigned char)text[len] & 0xc0) == 0x80;)
		len--;
	char cut[SHOWN_FRAME_MAX];

	snprintf(cut, sizeof(cut), "%.*s..", (int)len, text);
	put_xml(f, cut);
}

static void put_frame(struct picture *p, uint32_t node, uint64_t from_ns)
{
	const struct flame *t = p->flame;
	const struct flame_node *n = &t->nodes.v[node];
	double unit = WIDTH / (double)t->total_ns;
	double x = LEFT + (double)from_ns * unit, w = (double)p->ns[node] * unit;
	unsigned y = HEAD + (p->deepest - n->depth) * ROW;
	char text[SHOWN_FRAME_MAX] = "all tasks", time[TEXT_NUMBER_MAX];

	if (node)
		shown_frame(t, node, text);
	fputs("<g class=\"f\"><title>", p->f);
	put_xml(p->f, text);
	fprintf(p->f, "\n%s, %.2f %%</title><rect x=\"%.4f\" y=\"%u\" width=\"%.4f\" height=\"%d\" fill=\"",
		text_duration(p->ns[node], time), 100.0 * (double)p->ns[node] / (double)t->total_ns, x, y, w,
		ROW - 1);
	put_colour(p, n, text);
	fprintf(p->f, "\"/><text x=\"%.2f\" y=\"%u\">", x + 3, y + 12);
	put_label(p->f, text, w);
	fputs("</text></g>\n", p->f);
	p->drawn++;
}

static bool is_wide(const struct picture *p, uint32_t node)
{
	return (double)p->ns[node] * WIDTH >= NARROWEST * (double)p->flame->total_ns;
}

/* Draws a frame and all frames above it, without recursion. */
static int put_frames(struct picture *p)
{
	VEC(struct box) todo = { 0 };
	int r = VEC_PUSH(&todo, (struct box){ 0 });

	while (todo.n && !r && !ferror(p->f)) {
		struct box b = todo.v[--todo.n];
		uint64_t at = b.from_ns;

		put_frame(p, b.node, b.from_ns);
		for (uint32_t i = p->first[b.node]; i < p->first[b.node + 1] && !r; i++) {
			uint32_t child = p->order[i];

			if (is_wide(p, child))
				r = VEC_PUSH(&todo, (struct box){ child, at });
			at += p->ns[child];
		}
	}
	VEC_FREE(&todo);
	return r;
}

static int compare_nodes(const void *a, const void *b, void *arg)
{
	const struct picture *p = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct flame_node *n = &p->flame->nodes.v[x], *m = &p->flame->nodes.v[y];

	if (n->parent != m->parent)
		return n->parent < m->parent ? -1 : 1;
	if (p->ns[x] != p->ns[y])
		return p->ns[x] > p->ns[y] ? -1 : 1;
	return texts_order(flame_text(p->flame, x), flame_text(p->flame, y));
}

/* A parent comes before its children, so one walk from the end adds up all times. */
static int measure(struct picture *p)
{
	const struct flame *t = p->flame;
	size_t n = t->nodes.n;

	p->ns = calloc(n, sizeof(*p->ns));
	p->first = calloc(n + 1, sizeof(*p->first));
	p->order = calloc(n, sizeof(*p->order));
	if (!p->ns || !p->first || !p->order)
		return -ENOMEM;
	for (size_t i = n; i--;) {
		p->ns[i] += t->nodes.v[i].self_ns;
		if (i)
			p->ns[t->nodes.v[i].parent] += p->ns[i];
	}
	for (size_t i = 1; i < n; i++) {
		p->order[i - 1] = (uint32_t)i;
		p->first[t->nodes.v[i].parent + 1]++;
		if (is_wide(p, (uint32_t)i))
			p->deepest = MAX(p->deepest, (unsigned)t->nodes.v[i].depth);
		else
			p->left_out += p->ns[i] > 0;
	}
	for (size_t i = 0; i < n; i++)
		p->first[i + 1] += p->first[i];
	if (n > 2)
		qsort_r(p->order, n - 1, sizeof(*p->order), compare_nodes, p);
	return 0;
}

static void put_text(const struct picture *p, const char *id, double x, unsigned y, const char *text)
{
	fprintf(p->f, "<text id=\"%s\" class=\"page\" x=\"%.0f\" y=\"%u\">%s</text>\n", id, x, y, text);
}

/* A link is hidden until the script can follow it. */
static void put_link(const struct picture *p, const char *id, double x, const char *text)
{
	fprintf(p->f,
		"<text id=\"%s\" class=\"page link\" x=\"%.0f\" y=\"22\" style=\"display:none\">%s</text>\n",
		id, x, text);
}

static void put_head(const struct picture *p, unsigned height)
{
	static const char *const titles[FLAME_KINDS] = {
		"Time off the CPU, by the stack of the waiter",
		"Waits: the stack of the waiter, and above it what the task to blame did",
		"Time on the CPU, by samples",
	};
	char time[TEXT_NUMBER_MAX], count[TEXT_NUMBER_MAX], sum[128];
	double right = LEFT + WIDTH;

	text_duration(p->flame->total_ns, time);
	if (p->left_out)
		snprintf(sum, sizeof(sum), "%s in all; %s frame%s narrower than 0.01 %% not drawn", time,
			 text_count(p->left_out, count), text_s(p->left_out));
	else
		snprintf(sum, sizeof(sum), "%s in all", time);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", p->f);
	fprintf(p->f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%u\" data-width=\"%.0f\" data-left=\"%.0f\" data-letter=\"%.2f\">\n",
		WIDTH + 2 * LEFT, height, WIDTH, LEFT, LETTER);
	fprintf(p->f, "<style><![CDATA[\n%s]]></style>\n", file_flame_css);
	fputs("<rect id=\"back\" width=\"100%\" height=\"100%\"/>\n", p->f);
	put_text(p, "title", LEFT, 22, titles[p->kind]);
	put_text(p, "sum", LEFT, 42, sum);
	put_link(p, "reset", right - 180, "reset zoom");
	put_link(p, "search", right - 60, "search");
	put_text(p, "found", right - 130, 42, " ");
	put_text(p, "details", LEFT, height - 10, " ");
}

int svg_write(FILE *f, const struct flame *flame, enum flame_kind kind)
{
	struct picture p = { .f = f, .flame = flame, .kind = kind };
	int r = measure(&p);

	if (!r) {
		put_head(&p, HEAD + (p.deepest + 1) * ROW + FOOT);
		r = put_frames(&p);
		fprintf(f, "<script><![CDATA[\n%s]]></script>\n</svg>\n", file_flame_js);
	}
	free(p.ns);
	free(p.first);
	free(p.order);
	return r;
}
