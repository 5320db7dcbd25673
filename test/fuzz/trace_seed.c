// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_seed DIR: writes small traces from which trace_fuzz starts, as it wants
 * them: slots of 4096 bytes, blocks not compressed, so that a changed byte is a
 * changed field.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "ctrace/format.h"
#include "lib/cleanup.h"
#include "trace/writer.h"

#define SLOT    4096u
#define SEEDS   24
#define BYTES   (4u << 20)
#define OUT_MAX (1u << 20)

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
	struct ct_stack_blob *s = writer_stack_blob(now, frames, 1 + draw() % 2);
	union {
		struct ct_object_blob o;
		uint64_t room[14];
	} o = { .o = { .h = { .ts = now, .kind = CT_OBJECT, .size = 112 },
		       .id = CT_OBJ_ID(CT_OBJ_SOCK, draw() % 8),
		       .peer = CT_OBJ_ID(CT_OBJ_SOCK, draw() % 8),
		       .name_len = 7 } };

	t.comm[4] = (char)('a' + draw() % 3);
	memcpy((char *)&o + sizeof(o.o), "a name", 6);
	if (!s || writer_blob(w, &t.h) || writer_blob(w, &o.o.h) || writer_blob(w, &s->h))
		die("a blob was refused");
	free(s);
}

/* Seals a few segments with a bit of everything. */
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

/* Copies a segment with its blocks not compressed; returns its length, whole slots. */
static size_t unpack(uint8_t *to, const uint8_t *from)
{
	struct format_segment h;
	uint8_t *p = to + sizeof(h);
	size_t n;

	memcpy(&h, from, sizeof(h));
	from += h.header_bytes;
	for (const uint8_t *end = from + h.body_bytes; from < end;) {
		struct format_block b;
		const uint8_t *stored = from + sizeof(b);

		memcpy(&b, from, sizeof(b));
		from = stored + ((b.stored_bytes + 7u) & ~7u);
		if (b.codec == FORMAT_CODEC_RAW)
			memcpy(p + sizeof(b), stored, b.raw_bytes);
		else if (ZSTD_decompress(p + sizeof(b), b.raw_bytes, stored, b.stored_bytes) != b.raw_bytes)
			die("cannot decompress");
		b.codec = FORMAT_CODEC_RAW;
		b.stored_bytes = b.raw_bytes;
		memcpy(p, &b, sizeof(b));
		p += sizeof(b) + ((b.raw_bytes + 7u) & ~7u);
	}
	h.body_bytes = (uint32_t)(p - to - sizeof(h));
	n = ((size_t)(p - to) + SLOT - 1) / SLOT * SLOT;
	h.n_slots = (uint32_t)(n / SLOT);
	memcpy(to, &h, sizeof(h));
	return n;
}

static void write_seed(const char *dir, unsigned i, const char *trace)
{
	_cleanup_free_ uint8_t *in = malloc(BYTES), *out = calloc(1, OUT_MAX);
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = open(trace, O_RDONLY | O_CLOEXEC), to = -1;
	size_t n = 1;

	if (!in || !out || pread(fd, in, BYTES, 0) != BYTES)
		die("cannot read the trace");
	out[0] = 1;
	for (size_t at = FORMAT_SLOT_BYTES; at < BYTES && !memcmp(in + at, FORMAT_SEGMENT_MAGIC, 8);
	     at += FORMAT_SLOT_BYTES)
		n += unpack(out + n, in + at);
	if (asprintf(&path, "%s/seed-%u", dir, i) < 0)
		die("out of memory");
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (write(to, out, n) != (ssize_t)n)
		die("cannot write a seed");
}

int main(int argc, char **argv)
{
	char trace[4096];

	if (argc != 2)
		die("usage: trace_seed DIR");
	snprintf(trace, sizeof(trace), "%s/.trace", argv[1]);
	for (unsigned i = 0; i < SEEDS; i++) {
		unlink(trace);
		write_trace(trace, i);
		write_seed(argv[1], i, trace);
	}
	return unlink(trace);
}
