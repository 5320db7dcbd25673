// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mktext FILE CASES NAME - writes the trace of one case of a file of cases (test/unit/text/text_cases.h), so
 * that a command can be run on it. The case must not have a resync.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "test/unit/text/text_window.h"
#include "trace/format/blob.h"
#include "trace/write/writer.h"

static struct writer *writer;
static const char *path;

static void check(int r, const char *what)
{
	if (r)
		errx(1, "%s: %s", what, strerror(-r));
}

static bool is_block(const char *line, const char *name)
{
	return (!strncmp(line, "case ", 5) && !strcmp(line + 5, name)) ||
	       (!strncmp(line, "scene ", 6) && !strcmp(line + 6, name));
}

/* Adds the lines of a block, up to its first question. */
static void add_block(struct text_window *t, const char *name)
{
	_cleanup_free_ char *line = NULL;
	FILE *f = fopen(path, "r");
	char error[TEXT_ERROR_MAX];
	bool within = false;
	size_t room = 0;

	if (!f)
		err(1, "%s", path);
	while (getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (is_block(line, name)) {
			within = true;
			continue;
		}
		if (!within)
			continue;
		if (!strncmp(line, "=>", 2) || !strncmp(line, "case ", 5) || !strncmp(line, "scene ", 6))
			break;
		if (!strncmp(line, "use ", 4))
			add_block(t, line + 4);
		else if (!text_window_add(t, line, error))
			errx(1, "%s: %s: %s", path, name, error);
	}
	fclose(f);
	if (!within)
		errx(1, "%s: there is no case %s", path, name);
}

static void put_task(const struct window_task *x)
{
	struct ct_task_blob b = {
		.h = { .ts = x->ts_ns, .kind = CT_TASK, .size = sizeof(b), .flags = x->flags, .tid = x->tid },
		.tgid = x->tgid,
		.ppid = x->ppid,
		.cgroup_id = x->cgroup_id,
		.start_ns = x->start_ns,
		.uid = x->uid,
		.pidns = x->pidns
	};

	memcpy(b.comm, x->comm, sizeof(b.comm));
	check(writer_blob(writer, &b.h), "task");
}

static void put_cmdline(const struct window_cmdline *x)
{
	size_t len = strlen(x->text);
	union {
		struct ct_cmdline_blob b;
		char room[sizeof(struct ct_cmdline_blob) + CT_CMDLINE_MAX];
	} u = { .b = { .h = { .ts = x->ts_ns, .kind = CT_CMDLINE, .tid = x->tgid }, .len = (uint16_t)len } };

	u.b.h.size = (uint16_t)(sizeof(u.b) + (len + 7) / 8 * 8);
	memcpy(u.room + sizeof(u.b), x->text, len);
	check(writer_blob(writer, &u.b.h), "command line");
}

static void put_object(const struct window_object *x)
{
	size_t len = x->name ? strlen(x->name) : 0;
	union {
		struct ct_object_blob b;
		char room[sizeof(struct ct_object_blob) + CT_OBJ_NAME_MAX];
	} u = { .b = { .h = { .ts = x->ts_ns, .kind = CT_OBJECT, .tid = x->tid },
		       .id = x->id,
		       .ino = x->ino,
		       .peer = x->peer,
		       .dev = x->dev,
		       .fs_magic = x->fs_magic,
		       .family = x->family,
		       .type = x->type,
		       .protocol = x->protocol,
		       .state = x->state,
		       .lport = x->lport,
		       .rport = x->rport,
		       .name_len = (uint16_t)len,
		       .netns = x->netns,
		       .x = x->x } };

	memcpy(u.b.laddr, x->laddr, sizeof(x->laddr));
	memcpy(u.b.raddr, x->raddr, sizeof(x->raddr));
	u.b.h.size = (uint16_t)(sizeof(u.b) + (len + 7) / 8 * 8);
	memcpy(u.room + sizeof(u.b), x->name, len);
	check(writer_blob(writer, &u.b.h), "object");
}

static void put_stack(const struct window_stack *x)
{
	struct ct_stack_blob *b = blob_stack(0, (const char *const *)x->frames, x->n_frames);

	if (!b)
		errx(1, "out of memory");
	b->id = x->id;
	check(writer_blob(writer, &b->h), "stack");
	free(b);
}

/* A reader sorts records of one time by CPU. So a record that would come too early gets a later time. */
static void put_events(const struct window *w)
{
	uint64_t last_ns = 0;
	uint16_t last_cpu = 0;

	for (size_t i = 0; i < w->n_events; i++) {
		const struct window_event *e = &w->events[i];
		struct ct_rec r = e->r;
		uint16_t cpu = window_cpu(w, e);

		r.ts = MAX(r.ts, last_ns);
		r.ts += r.ts == last_ns && cpu < last_cpu;
		check(writer_add(writer, cpu, &r, window_words(w, e)), "record");
		last_ns = r.ts;
		last_cpu = cpu;
	}
}

static void put_window(const struct window *w)
{
	check(writer_begin(writer, w->state_ns, w->states, w->n_states), "begin");
	for (size_t i = 0; i < w->n_tasks; i++)
		put_task(&w->tasks[i]);
	for (size_t i = 0; i < w->n_cmdlines; i++)
		put_cmdline(&w->cmdlines[i]);
	for (size_t i = 0; i < w->n_objects; i++)
		put_object(&w->objects[i]);
	for (size_t i = 0; i < w->n_stacks; i++)
		put_stack(&w->stacks[i]);
	put_events(w);
	check(writer_seal(writer, w->to_ns, NULL, 0), "seal");
}

int main(int argc, char **argv)
{
	struct writer_options opt = { .size_bytes = 4 << 20,
				      .hooks = "sched/switch=tp_btf,sched/waking=tp_btf",
				      .host = "golden",
				      .kernel = "6.1.0-test",
				      .machine = "x86_64",
				      .boot_id = (const uint8_t[16]){ 1 },
				      .n_cpus = 64 };
	struct text_window *t = text_window_new();
	const struct window *w;
	char error[TEXT_ERROR_MAX], why[256];

	if (argc != 4)
		errx(2, "usage: mktext FILE CASES NAME");
	path = argv[2];
	add_block(t, argv[3]);
	w = text_window_done(t, error);
	if (!w || w->n_resyncs)
		errx(1, "%s: %s: %s", path, argv[3], w ? "it has a resync" : error);
	if (writer_open(argv[1], &opt, &writer, why))
		errx(1, "%s", why);
	put_window(w);
	writer_free(writer);
	text_window_free(t);
	return 0;
}
