// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/write/pull.h"

static void out_begin(struct pull_out *out)
{
	out->bytes.n = 0;
	out->n = 0;
	out->error = 0;
}

void pull_begin(struct pull *p, struct dict *tasks, struct dict *cmdlines, struct dict *objects,
		struct dict *stacks)
{
	p->tasks = tasks;
	p->cmdlines = cmdlines;
	p->objects = objects;
	p->stacks = stacks;
	p->number++;
	out_begin(&p->out_tasks);
	out_begin(&p->out_objects);
	out_begin(&p->out_stacks);
}

void pull_done(struct pull *p)
{
	VEC_FREE(&p->out_tasks.bytes);
	VEC_FREE(&p->out_objects.bytes);
	VEC_FREE(&p->out_stacks.bytes);
}

void pull_blob(struct pull_out *out, const struct ct_blob *blob)
{
	if (VEC_RESERVE(&out->bytes, out->bytes.n + blob->size)) {
		out->error = -ENOMEM;
		return;
	}
	memcpy(out->bytes.v + out->bytes.n, blob, blob->size);
	out->bytes.n += blob->size;
	out->n++;
}

static const struct ct_blob *pull_key(struct pull *p, const struct dict *d, uint64_t key,
				      struct pull_out *out)
{
	struct dict_entry *e = dict_get(d, key);

	if (!e)
		return NULL;
	if (e->put != p->number) {
		e->put = p->number;
		e->used = true;
		pull_blob(out, e->blob);
	}
	return e->blob;
}

static void pull_cgroup(struct pull *p, uint64_t id)
{
	const struct ct_object_blob *o = (const struct ct_object_blob *)pull_key(
		p, p->objects, CT_OBJ_ID(CT_OBJ_CGROUP, id), &p->out_objects);

	if (o && o->peer)
		pull_key(p, p->objects, o->peer, &p->out_objects);
}

static const struct ct_task_blob *pull_one_task(struct pull *p, uint64_t tid)
{
	const struct ct_task_blob *t = (const struct ct_task_blob *)pull_key(p, p->tasks, tid, &p->out_tasks);

	if (!t)
		return NULL;
	pull_cgroup(p, t->cgroup_id);
	pull_key(p, p->objects, CT_OBJ_QUOTA_ID(tid), &p->out_objects);
	pull_key(p, p->objects, CT_OBJ_MEMORY_ID(tid), &p->out_objects);
	pull_key(p, p->cmdlines, t->tgid, &p->out_tasks);
	return t;
}

void pull_task(struct pull *p, uint64_t tid)
{
	const struct ct_task_blob *t = pull_one_task(p, tid);

	if (!t)
		return;
	pull_one_task(p, t->tgid);
	pull_one_task(p, t->ppid);
}

static const struct ct_object_blob *pull_one_object(struct pull *p, uint64_t id)
{
	const struct ct_object_blob *o =
		(const struct ct_object_blob *)pull_key(p, p->objects, id, &p->out_objects);

	if (o)
		pull_task(p, o->h.tid);
	return o;
}

void pull_object(struct pull *p, uint64_t id)
{
	const struct ct_object_blob *o;

	/* Some records have a tgid in place of an object. */
	if (CT_OBJ_KIND(id) == CT_OBJ_TASK || CT_OBJ_KIND(id) == CT_OBJ_NONE) {
		pull_task(p, id & CT_OBJ_MASK);
		return;
	}
	o = pull_one_object(p, id);
	if (o && o->peer)
		pull_one_object(p, o->peer);
}

void pull_stack(struct pull *p, uint64_t id)
{
	pull_key(p, p->stacks, id, &p->out_stacks);
}

int pull_error(const struct pull *p)
{
	return p->out_tasks.error || p->out_objects.error || p->out_stacks.error ? -ENOMEM : 0;
}
