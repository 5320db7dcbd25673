// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/flame/flame.h"

#include <errno.h>
#include <string.h>

const char *flame_kind_name(enum flame_kind kind)
{
	static const char *const names[FLAME_KINDS] = { "offcpu", "blame", "oncpu" };

	return names[kind];
}

enum flame_kind flame_kind_of(const char *name)
{
	enum flame_kind kind = FLAME_OFFCPU;

	while (kind < FLAME_KINDS && strcmp(name, flame_kind_name(kind)) != 0)
		kind++;
	return kind;
}

int flame_init(struct flame *f)
{
	*f = (struct flame){ 0 };
	return VEC_PUSH(&f->nodes, (struct flame_node){ .frame = GRAPH_NONE });
}

void flame_done(struct flame *f)
{
	texts_done(&f->frames);
	VEC_FREE(&f->nodes);
	VEC_FREE(&f->samples);
	map_done(&f->children);
}

uint32_t flame_child(struct flame *f, uint32_t node, const char *text, enum flame_what what, bool other)
{
	uint16_t depth = f->nodes.v[node].depth;
	uint64_t child, key;
	size_t frame;

	if (texts_add(&f->frames, text, &frame))
		return GRAPH_NONE;
	key = (uint64_t)node << 32 | (uint32_t)frame;
	if (map_get(&f->children, key, &child))
		return (uint32_t)child;
	if (f->nodes.n >= FLAME_NODES || depth >= FLAME_DEPTH) {
		f->refused++;
		return node;
	}
	child = f->nodes.n;
	if (VEC_PUSH(&f->nodes, (struct flame_node){ .parent = node,
						     .frame = (uint32_t)frame,
						     .what = (uint8_t)what,
						     .other = other,
						     .depth = (uint16_t)(depth + 1) }) ||
	    map_set(&f->children, key, child))
		return GRAPH_NONE;
	return (uint32_t)child;
}

int flame_time(struct flame *f, uint32_t node, uint64_t ns)
{
	if (node == GRAPH_NONE)
		return -ENOMEM;
	f->nodes.v[node].self_ns += ns;
	f->total_ns += ns;
	if (!f->keep || !ns)
		return 0;
	return VEC_PUSH(&f->samples, (struct flame_sample){ .node = node, .ns = ns });
}
