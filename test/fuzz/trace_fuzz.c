// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader is built with FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION, so it also reads files with
 * wrong checksums. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/unit/trace/window_same.h"
#include "trace/read/reader.h"
#include "trace/snapshot/cut.h"

static void look_at(const struct window *w)
{
	for (size_t i = 0; i < w->n_events; i++) {
		const struct window_event *e = &w->events[i];

		if (i && e->r.ts < e[-1].r.ts)
			abort();
		if (window_cpu(w, e) >= w->n_cpus || !e->r.kind || e->r.kind > CT_KIND_LAST)
			abort();
		window_task_at(w, e->r.tid, e->r.ts);
		window_object(w, e->r.obj);
		window_stack(w, window_words(w, e)[0]);
	}
	if (w->n_events && w->state_ns > w->events[0].r.ts)
		abort();
	for (size_t i = 0; i < w->n_tasks; i++)
		if (strlen(w->tasks[i].comm) >= CT_COMM_LEN)
			abort();
	for (size_t i = 0; i < w->n_objects; i++)
		if (strlen(w->objects[i].name) > CT_OBJ_NAME_MAX)
			abort();
	for (size_t i = 0; i < w->n_stacks; i++)
		for (unsigned k = 0; k < w->stacks[i].n_frames; k++)
			if (strlen(w->stacks[i].frames[k]) > 65536)
				abort();
}

static void load(struct reader *r, uint64_t from, uint64_t to)
{
	char err[READER_ERR_MAX], err_n[READER_ERR_MAX];
	struct window *w = NULL, *w_n = NULL;
	int e = window_load(r, from, to, 0, &w, err), e_n;

	reader_use_threads(r, 3);
	e_n = window_load(r, from, to, 0, &w_n, err_n);
	reader_use_threads(r, 0);
	if (e != e_n || (e && (!*err || strcmp(err, err_n))) || (!e && !window_same(w, w_n)))
		abort();
	if (!e)
		look_at(w);
	window_free(w);
	window_free(w_n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), out = memfd_create("cut", MFD_CLOEXEC);
	const struct cut_options all = { .to_ns = UINT64_MAX },
				 redacted = { .to_ns = UINT64_MAX, .redact = true };
	char err[READER_ERR_MAX] = "";
	struct reader *r;
	uint64_t segments;

	if (fd >= 0 && out >= 0 && pwrite(fd, data, n, 0) == (ssize_t)n) {
		if (!reader_open_fd(fd, "fuzz", &r, err)) {
			const struct reader_info *i = reader_info(r);

			load(r, 0, UINT64_MAX);
			load(r, i->from_ns / 2 + i->to_ns / 2, i->to_ns);
			cut_window(r, &all, out, &segments, err);
			cut_window(r, &redacted, out, &segments, err);
			if (i->n_boots > 1 && !reader_use_boot(r, 1))
				load(r, 0, UINT64_MAX);
			reader_free(r);
		} else if (!*err) {
			abort();
		}
	}
	close(fd);
	close(out);
	return 0;
}
