// SPDX-License-Identifier: GPL-2.0-or-later
#include "detect/detect_task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

int detect_tasks_init(struct detect_tasks *t, uint32_t max)
{
	uint32_t n = (max + DETECT_TASKS_CHUNK - 1) / DETECT_TASKS_CHUNK;

	*t = (struct detect_tasks){ .max = max };
	t->chunks = calloc(n, sizeof(*t->chunks));
	t->heads = calloc(DETECT_TASKS_HEADS, sizeof(*t->heads));
	return t->chunks && t->heads ? 0 : -ENOMEM;
}

void detect_tasks_done(struct detect_tasks *t)
{
	for (uint32_t i = 0; i < t->n_chunks; i++)
		free(t->chunks[i]);
	free(t->chunks);
	free(t->heads);
}

static uint32_t tasks_slot(struct detect_tasks *t)
{
	uint32_t i = t->unused;

	if (i) {
		t->unused = detect_tasks_at(t, i)->next;
		return i;
	}
	if (t->used == t->max)
		return 0;
	if (t->used == t->n_chunks * DETECT_TASKS_CHUNK) {
		struct detect_task *chunk = calloc(DETECT_TASKS_CHUNK, sizeof(*chunk));

		if (!chunk)
			return 0;
		t->chunks[t->n_chunks++] = chunk;
	}
	return ++t->used;
}

void detect_task_reset(struct detect_task *task, uint64_t ts_ns)
{
	*task = (struct detect_task){
		.tid = task->tid,
		.next = task->next,
		.run = DETECT_UNKNOWN,
		.nr = CT_NR_NONE,
		.since_ns = ts_ns,
		.seen_ns = ts_ns,
	};
}

struct detect_task *detect_tasks_make(struct detect_tasks *t, uint32_t tid, uint64_t ts_ns)
{
	uint32_t *head = &t->heads[tid % DETECT_TASKS_HEADS], i = tasks_slot(t);
	struct detect_task *task;

	if (!i) {
		t->refused++;
		return NULL;
	}
	task = detect_tasks_at(t, i);
	task->tid = tid;
	task->next = *head;
	*head = i;
	t->n++;
	detect_task_reset(task, ts_ns);
	return task;
}

void detect_tasks_remove(struct detect_tasks *t, struct detect_task *task)
{
	uint32_t *at = &t->heads[task->tid % DETECT_TASKS_HEADS], i;

	while (detect_tasks_at(t, *at) != task)
		at = &detect_tasks_at(t, *at)->next;
	i = *at;
	*at = task->next;
	task->tid = 0;
	task->next = t->unused;
	t->unused = i;
	t->n--;
}

void detect_tasks_trim(struct detect_tasks *t, uint32_t last)
{
	t->used = last;
	t->unused = 0;
	for (uint32_t i = last; i; i--) {
		struct detect_task *task = detect_tasks_at(t, i);

		if (task->tid)
			continue;
		task->next = t->unused;
		t->unused = i;
	}
}
