// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "test/unit/text/text_window_private.h"
#include "trace/words/describe.h"

static const struct text_word object_kinds[] = {
	{ "futex", CT_OBJ_FUTEX },
	{ "pipe", CT_OBJ_PIPE },
	{ "sock", CT_OBJ_SOCK },
	{ "file", CT_OBJ_FILE },
	{ "dir", CT_OBJ_DIR },
	{ "blockdev", CT_OBJ_BLOCKDEV },
	{ "tty", CT_OBJ_TTY },
	{ "eventfd", CT_OBJ_EVENTFD },
	{ "epoll", CT_OBJ_EPOLL },
	{ "timerfd", CT_OBJ_TIMERFD },
	{ "signalfd", CT_OBJ_SIGNALFD },
	{ "inotify", CT_OBJ_INOTIFY },
	{ "pidfd", CT_OBJ_PIDFD },
	{ "uring", CT_OBJ_URING },
	{ "anon", CT_OBJ_ANON },
	{ "task", CT_OBJ_TASK },
	{ "fusedev", CT_OBJ_FUSEDEV },
	{ "chardev", CT_OBJ_CHARDEV },
	{ "fifo", CT_OBJ_FIFO },
	{ "data", CT_OBJ_DATA },
	{ "queue", CT_OBJ_QUEUE },
	{ "cgroup", CT_OBJ_CGROUP },
	{ "mark", CT_OBJ_MARK },
	{ "raw", CT_OBJ_NONE },
	{ NULL, 0 },
};

uint64_t text_object(struct text_line *l, const char *word)
{
	_cleanup_free_ char *kind = strdup(word);
	char *number = kind ? strchr(kind, ':') : NULL, *address;
	uint64_t k, n;

	if (!number) {
		text_line_fail(l, "expected an object as pipe:77, not \"%s\"", word);
		return 0;
	}
	*number++ = '\0';
	k = text_one_of(l, kind, object_kinds);
	address = strchr(number, ':');
	if (address)
		*address++ = '\0';
	n = text_number(l, number);
	if (address)
		return CT_OBJ_USER_ID(k, n, text_number(l, address));
	return k == CT_OBJ_NONE ? n : CT_OBJ_ID(k, n);
}

const char *text_put_object(uint64_t obj, char *buf)
{
	const struct text_word *k = object_kinds;
	uint64_t n = obj & CT_OBJ_MASK;
	bool user = CT_OBJ_KIND(obj) == CT_OBJ_FUTEX || CT_OBJ_KIND(obj) == CT_OBJ_DATA ||
		    CT_OBJ_KIND(obj) == CT_OBJ_QUEUE;

	while (k->word && k->value != CT_OBJ_KIND(obj))
		k++;
	if (!obj)
		snprintf(buf, TEXT_NAME_MAX, "-");
	else if (user && n >> 47)
		snprintf(buf, TEXT_NAME_MAX, "%s:%" PRIu64 ":%#" PRIx64, k->word, n >> 47,
			 n & (UINT64_MAX >> 17));
	else if (user || n > 1 << 20)
		snprintf(buf, TEXT_NAME_MAX, "%s:%#" PRIx64, k->word ? k->word : "raw", n);
	else
		snprintf(buf, TEXT_NAME_MAX, "%s:%" PRIu64, k->word ? k->word : "raw", n);
	return buf;
}

static const struct window_task *task_named(const struct text_window *t, struct text_line *l,
					    const char *name)
{
	const struct window_task *found = NULL;

	for (size_t i = 0; i < t->tasks.n; i++) {
		if (strcmp(t->tasks.v[i].comm, name) != 0)
			continue;
		if (found)
			text_line_fail(l, "\"%s\" may be %u or %u: write %s[%u]", name, found->tid,
				       t->tasks.v[i].tid, name, found->tid);
		found = &t->tasks.v[i];
	}
	return found;
}

const struct window_task *text_declared(const struct text_window *t, uint32_t tid)
{
	for (size_t i = 0; i < t->tasks.n; i++)
		if (t->tasks.v[i].tid == tid)
			return &t->tasks.v[i];
	return NULL;
}

uint32_t text_task(const struct text_window *t, struct text_line *l, const char *word)
{
	_cleanup_free_ char *name = strdup(word);
	char *tid = name ? strrchr(name, '[') : NULL;
	const struct window_task *task;

	if (!strcmp(word, "idle"))
		return 0;
	if (isdigit((unsigned char)*word))
		return (uint32_t)text_number(l, word);
	if (tid && tid[1] && tid[strlen(tid) - 1] == ']') {
		*tid++ = '\0';
		tid[strlen(tid) - 1] = '\0';
		task = text_declared(t, (uint32_t)text_number(l, tid));
		if (!task || strcmp(task->comm, name) != 0)
			task = NULL;
	} else {
		task = task_named(t, l, word);
	}
	if (!task)
		text_line_fail(l, "expected a task, NAME[TID], NAME or TID, not \"%s\"", word);
	return task ? task->tid : 0;
}

const char *text_put_task(const struct window *w, uint32_t tid, uint64_t ns, char *buf)
{
	const struct window_task *task = window_task_at(w, tid, ns);

	if (!tid)
		snprintf(buf, TEXT_NAME_MAX, "-");
	else if (task)
		snprintf(buf, TEXT_NAME_MAX, "%s[%u]", task->comm, tid);
	else
		snprintf(buf, TEXT_NAME_MAX, "%u", tid);
	return buf;
}

uint16_t *text_cpu_of(struct text_window *t, uint32_t tid)
{
	for (size_t i = 0; i < t->cpus.n; i++)
		if (t->cpus.v[i].tid == tid)
			return &t->cpus.v[i].cpu;
	PUSH(&t->cpus, (struct cpu_of){ .tid = tid });
	return &t->cpus.v[t->cpus.n - 1].cpu;
}

uint8_t text_wait_of(struct text_line *l, const char *word)
{
	for (unsigned k = 0; k <= CT_W_MEMORY; k++)
		if (!strcmp(describe_wait((enum ct_wait)k), word))
			return (uint8_t)k;
	text_line_fail(l, "expected a kind of wait, as read, futex or sleep, not \"%s\"", word);
	return 0;
}

uint64_t text_number_field(struct text_line *l, const char *key, uint64_t otherwise)
{
	const char *word = text_line_field(l, key);

	return word ? text_number(l, word) : otherwise;
}

uint64_t text_word_field(struct text_line *l, const char *key, const struct text_word *words)
{
	const char *word = text_line_field(l, key);

	return word ? text_one_of(l, word, words) : 0;
}

uint32_t text_task_field(const struct text_window *t, struct text_line *l, const char *key)
{
	const char *word = text_line_field(l, key);

	return word ? text_task(t, l, word) : 0;
}

uint64_t text_object_if_any(struct text_line *l)
{
	struct text_line look = *l;
	const char *word = text_line_more(&look);

	if (!word || !strchr(word, ':'))
		return 0;
	return text_object(l, text_line_more(l));
}

uint64_t text_object_next(struct text_line *l)
{
	return text_object(l, text_line_next(l, "an object"));
}
