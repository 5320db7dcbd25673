// SPDX-License-Identifier: GPL-2.0-or-later
/* format_reader.py, which was written from doc/format.md, and ctrace find the same facts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "test/unit/trace/trace_fixture.h"
#include "trace/format/blob.h"

static const char *format_reader;

static void write_everything(struct fixture *f)
{
	const char *frames[] = { "k:schedule+0x1", "main+0x2 (program)" };
	struct ct_stack_blob *s = blob_stack(f->now, frames, 2);
	struct window_state state = { .last = { .ts = 77,
						.kind = CT_SWITCH,
						.state = 1,
						.wait = CT_W_FUTEX,
						.tid = 1001,
						.nr = 202,
						.obj = CT_OBJ_ID(CT_OBJ_PIPE, 3) },
				      .owner = 1002,
				      .run = WINDOW_RUN_BLOCKED,
				      .cpu = 1 };

	fixture_task(f, 1000, "a task");
	fixture_task(f, 1001, "another");
	fixture_object(f, CT_OBJ_ID(CT_OBJ_PIPE, 3), CT_OBJ_ID(CT_OBJ_PIPE, 4), "a pipe");
	fixture_object(f, CT_OBJ_ID(CT_OBJ_PIPE, 4), 0, "");
	assert_int_equal(writer_blob(f->w, &s->h), 0);
	assert_int_equal(writer_begin(f->w, f->now, &state, 1), 0);
	for (int segment = 0; segment < 3; segment++) {
		struct window_record e = fixture_record(f, CT_VISIT);

		e.x[0] = s->id;
		fixture_add(f, &e);
		for (int i = 0; i < 600; i++) {
			e = fixture_record(f, (uint8_t)(1 + fixture_random(f) % CT_KIND_LAST));
			fixture_add(f, &e);
		}
		f->now += 1000000;
		assert_int_equal(writer_save(f->w, f->now), 0);
		fixture_busy(f, 300);
		f->now += 1000000;
		assert_int_equal(writer_save(f->w, f->now), 0);
		if (segment == 2)
			break;
		fixture_busy(f, 300);
		fixture_task(f, 1000, segment ? "renamed" : "a task");
		fixture_seal(f);
	}
	free(s);
}

static void print_window(FILE *out, const struct window *w)
{
	for (size_t i = 0; i < w->n_events; i++) {
		struct window_record e = window_record(w, &w->events[i]);

		fprintf(out, "record %lu %u %u %u %u %u %u %u %u %u %lu %lu %lu\n", (unsigned long)e.r.ts,
			e.cpu, e.r.kind, e.r.tid, e.r.peer, e.r.state, e.r.wait, e.r.flags, e.r.nr, e.r.aux,
			(unsigned long)e.r.obj, (unsigned long)e.x[0], (unsigned long)e.x[1]);
	}
	for (size_t i = 0; i < w->n_tasks; i++)
		fprintf(out, "task %u %lu %s %u %u\n", w->tasks[i].tid, (unsigned long)w->tasks[i].ts_ns,
			w->tasks[i].comm, w->tasks[i].tgid, w->tasks[i].ppid);
	for (size_t i = 0; i < w->n_objects; i++)
		fprintf(out, "object %lu %lu %lu %lu %s\n", (unsigned long)w->objects[i].id,
			(unsigned long)w->objects[i].ts_ns, (unsigned long)w->objects[i].ino,
			(unsigned long)w->objects[i].peer, w->objects[i].name);
	for (size_t i = 0; i < w->n_stacks; i++) {
		fprintf(out, "stack|%lu", (unsigned long)w->stacks[i].id);
		for (unsigned k = 0; k < w->stacks[i].n_frames; k++)
			fprintf(out, "|%s", w->stacks[i].frames[k]);
		fputc('\n', out);
	}
	for (size_t i = 0; i < w->n_states; i++) {
		const struct window_state *s = &w->states[i];

		fprintf(out, "state %u %lu %u %u %u %lu %u %u %u\n", s->last.tid, (unsigned long)s->last.ts,
			s->last.state, s->last.wait, s->last.nr, (unsigned long)s->last.obj, s->owner, s->run,
			s->cpu);
	}
}

static void the_page_is_true(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *command = NULL, *want = NULL;
	char got[512], err[READER_ERR_MAX];
	size_t n_want, lines = 0;
	struct reader *r;
	struct window *w;
	FILE *out, *in;
	char *p;
	int status;

	/* large enough for copies of the open segment */
	fixture_open(f, 40u << 20);
	write_everything(f);
	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &w, err), 0);
	out = open_memstream(&want, &n_want);
	print_window(out, w);
	fclose(out);
	assert_true(asprintf(&command, "python3 '%s' '%s'", format_reader, f->path) > 0);
	in = popen(command, "r");
	assert_non_null(in);
	p = want;
	while (fgets(got, sizeof(got), in)) {
		size_t n = strcspn(p, "\n") + 1;

		if (strlen(got) != n || strncmp(p, got, n))
			fail_msg("the page's reader says\n%sand ctrace's\n%.*s", got, (int)n, p);
		p += n;
		lines++;
	}
	status = pclose(in);
	assert_int_equal(status, 0);
	assert_int_equal(*p, 0);
	assert_true(lines > 3300);
	window_free(w);
	reader_free(r);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_page_is_true, fixture_setup, fixture_teardown),
	};

	if (argc != 2)
		return 2;
	if (system("python3 -c '' 2> /dev/null")) {
		puts("SKIP: there is no python3 to run format_reader.py");
		return 77;
	}
	format_reader = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
