// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes traces with which the fuzzers begin. Their blocks are not compressed, so a changed byte is
 * a changed field. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctrace/format.h"
#include "lib/cleanup.h"
#include "test/fuzz/mutate.h"
#include "test/fuzz/scene.h"
#include "trace/format/blob.h"
#include "trace/write/writer.h"

#define SEEDS   24
#define BYTES   (4u << 20)
#define REAL_NS (1700000000 * NSEC_PER_SEC)

static uint64_t rng = 1;

static uint64_t draw(void)
{
	rng = rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return rng >> 20;
}

static void die(const char *what)
{
	fprintf(stderr, "trace_seed: %s\n", what);
	exit(1);
}

static void add_dictionary(struct writer *w, uint64_t now)
{
	static const char *frames[] = { "k:schedule+0x1", "main+0x2 (a)" };
	struct ct_task_blob t = {
		.h = { .ts = now, .kind = CT_TASK, .size = sizeof(t), .tid = (uint32_t)(draw() % 8) },
		.tgid = 1,
		.comm = "seed"
	};
	struct ct_stack_blob *s = blob_stack(now, frames, 1 + draw() % 2);
	union {
		struct ct_object_blob o;
		uint64_t room[14];
	} o = { .o = { .h = { .ts = now, .kind = CT_OBJECT, .size = 112 },
		       .id = CT_OBJ_ID(CT_OBJ_SOCK, draw() % 8),
		       .peer = CT_OBJ_ID(CT_OBJ_SOCK, draw() % 8),
		       .name_len = 7 } };

	union {
		struct ct_cmdline_blob c;
		uint64_t room[4];
	} c = { .c = { .h = { .ts = now, .kind = CT_CMDLINE, .size = sizeof(c), .tid = 1 }, .len = 7 } };

	memcpy((char *)&c + sizeof(c.c), "seed -a", 7);
	t.comm[4] = (char)('a' + draw() % 3);
	memcpy((char *)&o + sizeof(o.o), "a name", 6);
	if (!s || writer_blob(w, &t.h) || writer_blob(w, &c.c.h) || writer_blob(w, &o.o.h) ||
	    writer_blob(w, &s->h))
		die("a blob was refused");
	free(s);
}

static void write_trace(const char *path, unsigned seed)
{
	uint8_t boot_id[16] = { 1 };
	struct writer_options opt = { .size_bytes = BYTES, .n_cpus = 2, .hooks = "h", .boot_id = boot_id };
	struct window_state states[3] = { 0 };
	struct writer *w;
	char err[256];
	uint64_t now = 1000;

	if (writer_open(path, &opt, &w, err) || writer_begin(w, now, states, 3))
		die(err);
	for (unsigned segment = 0; segment < 1 + seed % 4; segment++) {
		unsigned n = (unsigned)(draw() % 4 ? draw() % 40 : 0);

		for (unsigned i = 0; i < n; i++) {
			uint64_t x[2] = { CT_OBJ_ID(CT_OBJ_SOCK, draw() % 8), draw() % 1000 };
			struct ct_rec r = { .kind = (uint8_t)(1 + draw() % CT_KIND_LAST),
					    .tid = (uint32_t)(draw() % 8),
					    .peer = (uint32_t)(draw() % 8),
					    .nr = (uint16_t)(draw() % 4),
					    .obj = x[0] };

			now += draw() % 100;
			r.ts = now - draw() % 50;
			if (writer_add(w, (uint16_t)(draw() % 3), &r, x))
				die("a record was refused");
			if (i % 8 == 0)
				add_dictionary(w, now);
		}
		for (unsigned i = 0; i < 3; i++)
			states[i].last.tid = i;
		if (writer_seal(w, now += 100, states, 3))
			die("cannot seal");
		if (seed % 5 == 4) {
			writer_free(w);
			boot_id[0] += seed % 2;
			if (writer_open(path, &opt, &w, err) || writer_begin(w, now += 100, states, 3))
				die(err);
		}
	}
	writer_free(w);
}

/* No value may depend on the machine or the time. mutate_store() corrects the checksums later. */
static void make_the_same(uint8_t *p, size_t n)
{
	struct format_file f;

	memcpy(&f, p, sizeof(f));
	f.file_id = 1;
	f.created_real_ns = REAL_NS;
	memcpy(p, &f, sizeof(f));
	for (size_t at = FORMAT_SLOT_BYTES; at + sizeof(struct format_segment) <= n;
	     at += FORMAT_SLOT_BYTES) {
		struct format_segment h;

		memcpy(&h, p + at, sizeof(h));
		if (memcmp(h.magic, FORMAT_SEGMENT_MAGIC, FORMAT_MAGIC_BYTES))
			continue;
		h.file_id = 1;
		h.boot_to_mono_ns = 0;
		h.boot_to_real_ns = REAL_NS;
		memcpy(p + at, &h, sizeof(h));
	}
}

static void write_seed(const char *dir, const char *name, unsigned i, const char *trace)
{
	_cleanup_free_ uint8_t *in = malloc(BYTES), *out = malloc(MUTATE_BYTES_MAX);
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = open(trace, O_RDONLY | O_CLOEXEC), to = -1;
	struct mutate *m;
	size_t n;

	if (!in || !out || pread(fd, in, BYTES, 0) != BYTES || asprintf(&path, "%s/%s-%u", dir, name, i) < 0)
		die("cannot read the trace");
	make_the_same(in, BYTES);
	m = mutate_new(in, BYTES);
	n = m ? mutate_store(m, out, MUTATE_BYTES_MAX) : 0;
	mutate_free(m);
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (!n || write(to, out, n) != (ssize_t)n || unlink(trace))
		die("cannot write a seed");
}

int main(int argc, char **argv)
{
	char trace[4096];

	if (argc != 2)
		die("usage: trace_seed DIR");
	snprintf(trace, sizeof(trace), "%s/.trace", argv[1]);
	unlink(trace);
	for (unsigned i = 0; i < SEEDS; i++) {
		write_trace(trace, i);
		write_seed(argv[1], "records", i, trace);
	}
	for (unsigned i = 0; i <= SCENE_LAST; i++) {
		scene_write(trace, (enum scene)i);
		write_seed(argv[1], "scene", i, trace);
	}
	return 0;
}
