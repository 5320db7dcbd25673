// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/write/pull.h"

static void out_begin(struct pull_out *out)
{
	out->bytes.n = 0;
	out->n = 0;
	out->error = 0;
	out->same = false;
}

void pull_init(struct pull *p, struct dict *tasks, struct dict *cmdlines, struct dict *objects,
	       struct dict *stacks)
{
	*p = (struct pull){ .tasks = tasks, .cmdlines = cmdlines, .objects = objects, .stacks = stacks };
}

static uint64_t pull_changes(const struct pull *p)
{
	return p->tasks->changes + p->cmdlines->changes + p->objects->changes;
}

static void pull_begin_stacks(struct pull *p)
{
	p->stacks_number++;
	out_begin(&p->out_stacks);
}

void pull_begin(struct pull *p)
{
	p->number++;
	p->changes = pull_changes(p);
	out_begin(&p->out_tasks);
	out_begin(&p->out_objects);
	pull_begin_stacks(p);
}

bool pull_again(struct pull *p)
{
	if (pull_error(p) || p->changes != pull_changes(p))
		return false;
	p->out_tasks.same = p->out_objects.same = true;
	pull_begin_stacks(p);
	return true;
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
	out->same = false;
}

static const struct ct_blob *pull_entry(struct pull *p, struct dict_entry *e, struct pull_out *out)
{
	if (!e)
		return NULL;
	if (e->put != p->number) {
		e->put = p->number;
		e->used = true;
		pull_blob(out, e->blob);
	}
	return e->blob;
}

static const struct ct_object_blob *pull_name(struct pull *p, uint64_t id)
{
	return (const struct ct_object_blob *)pull_entry(p, dict_get(p->objects, id), &p->out_objects);
}

static void pull_cgroup(struct pull *p, uint64_t id)
{
	const struct ct_object_blob *o = pull_name(p, CT_OBJ_ID(CT_OBJ_CGROUP, id));

	if (o && o->peer)
		pull_name(p, o->peer);
}

/* Adds what describes the task, but not its process and its parent. */
static struct dict_entry *pull_one_task(struct pull *p, uint64_t tid)
{
	struct dict_entry *e = dict_get(p->tasks, tid);
	const struct ct_task_blob *t;

	if (!e || e->put == p->number)
		return e;
	t = (const struct ct_task_blob *)pull_entry(p, e, &p->out_tasks);
	pull_cgroup(p, t->cgroup_id);
	pull_name(p, CT_OBJ_QUOTA_ID(tid));
	pull_name(p, CT_OBJ_MEMORY_ID(tid));
	pull_entry(p, dict_get(p->cmdlines, t->tgid), &p->out_tasks);
	return e;
}

void pull_task(struct pull *p, uint64_t tid)
{
	struct dict_entry *e = pull_one_task(p, tid);
	const struct ct_task_blob *t;

	if (!e || e->put_near == p->number)
		return;
	e->put_near = p->number;
	t = (const struct ct_task_blob *)e->blob;
	pull_one_task(p, t->tgid);
	pull_one_task(p, t->ppid);
}

static const struct ct_object_blob *pull_one_object(struct pull *p, uint64_t id)
{
	const struct ct_object_blob *o = pull_name(p, id);

	if (o)
		pull_task(p, o->h.tid);
	return o;
}

void pull_object(struct pull *p, uint64_t id)
{
	struct dict_entry *e;
	const struct ct_object_blob *o;

	/* Some records have a tgid in place of an object. */
	if (CT_OBJ_KIND(id) == CT_OBJ_TASK || CT_OBJ_KIND(id) == CT_OBJ_NONE) {
		pull_task(p, id & CT_OBJ_MASK);
		return;
	}
	e = dict_get(p->objects, id);
	if (!e || e->put_near == p->number)
		return;
	e->put_near = p->number;
	o = pull_one_object(p, id);
	if (o->peer)
		pull_one_object(p, o->peer);
}

void pull_stack(struct pull *p, uint64_t id)
{
	struct dict_entry *e = dict_get(p->stacks, id);

	if (!e || e->put == p->stacks_number)
		return;
	e->put = p->stacks_number;
	e->used = true;
	pull_blob(&p->out_stacks, e->blob);
}

int pull_error(const struct pull *p)
{
	return p->out_tasks.error || p->out_objects.error || p->out_stacks.error ? -ENOMEM : 0;
}
