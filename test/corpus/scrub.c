// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scrub - copies a trace for the corpus, and hides names in the copy.
 *
 *   scrub IN OUT [PATTERN...]
 *
 * The name of the host and all command lines become "corpus". If the name of a task, a file, a module or a
 * frame matches a PATTERN (fnmatch(3)), it becomes "other". All other names stay.
 *
 * The code of `ctrace snapshot --redact` makes the copy. This file replaces trace/snapshot/redact_names.c,
 * the part of that code that chooses the new names. The copy has smaller slots than other traces, because
 * half of a short trace would be unused ends of slots.
 */
#include <err.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "trace/format/file_index.h"
#include "trace/format/pio.h"
#include "trace/read/reader.h"
#include "trace/snapshot/cut.h"
#include "trace/snapshot/redact_names.h"
#include "trace/write/ringfile.h"

#define SLOT_BYTES 16384u

static char **hidden;

static bool hides(const char *name)
{
	for (char **p = hidden; *p; p++)
		if (!fnmatch(*p, name, 0))
			return true;
	return false;
}

void redact_comm(const struct siphash_key *key, char comm[CT_COMM_LEN])
{
	char name[CT_COMM_LEN + 1] = "";

	(void)key;
	memcpy(name, comm, CT_COMM_LEN);
	if (hides(name)) {
		memset(comm, 0, CT_COMM_LEN);
		strcpy(comm, "other");
	}
}

bool redact_is_own(const char comm[CT_COMM_LEN])
{
	(void)comm;
	return false;
}

size_t redact_path(const struct siphash_key *key, const char *path, size_t len, char *buf, size_t size)
{
	(void)key;
	snprintf(buf, size, "%.*s", (int)len, path);
	if (hides(buf))
		snprintf(buf, size, "/other");
	return strlen(buf);
}

void redact_address(const struct siphash_key *key, uint16_t family, uint8_t addr[16])
{
	(void)key, (void)family, (void)addr;
}

void redact_frame(const struct siphash_key *key, const char *frame, char buf[REDACT_FRAME_MAX])
{
	const char *module = strrchr(frame, '(');
	char name[REDACT_FRAME_MAX] = "";

	(void)key;
	if (module)
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(module + 1, ")"), module + 1);
	snprintf(buf, REDACT_FRAME_MAX, "%s", hides(name) || hides(frame) ? "other" : frame);
}

/* For the name of the host, and for command lines. */
void redact_word(const struct siphash_key *key, const char *word, size_t len, char buf[9])
{
	(void)key, (void)word, (void)len;
	strcpy(buf, "corpus");
}

/* Writes the trace in the file `in` to out, in slots of SLOT_BYTES. */
static void repack(int in, int out)
{
	char text[FILE_INDEX_ERR_MAX];
	struct file_index ix;
	uint32_t slot = 1;

	if (file_index_open(&ix, in, "the copy", text))
		errx(1, "%s", text);
	if (file_index_scan(&ix, in))
		errx(1, "the copy cannot be read");
	for (size_t i = 0; i < ix.segments.n; i++) {
		struct file_index_segment *s = &ix.segments.v[i];
		size_t n = (size_t)s->h.header_bytes + s->h.body_bytes;
		_cleanup_free_ uint8_t *bytes = malloc(n);

		if (!bytes || pio_read(in, bytes, n, (uint64_t)s->slot * ix.file.slot_bytes))
			errx(1, "a segment cannot be read");
		file_index_segment_finish(&s->h, bytes, n, SLOT_BYTES);
		memcpy(bytes, &s->h, sizeof(s->h));
		if (pio_write(out, bytes, n, (uint64_t)slot * SLOT_BYTES))
			err(1, "a segment cannot be written");
		slot += s->h.n_slots;
	}
	ix.file.slot_bytes = SLOT_BYTES;
	ix.file.n_slots = slot - 1;
	if (ftruncate(out, (off_t)slot * SLOT_BYTES) || ringfile_put_header(out, &ix.file, ix.meta))
		err(1, "the header cannot be written");
	file_index_done(&ix);
}

int main(int argc, char **argv)
{
	char text[READER_ERR_MAX];
	struct reader *r;
	uint64_t segments;
	int copy, out;

	if (argc < 3)
		errx(2, "usage: scrub IN OUT [PATTERN...]");
	hidden = argv + 3;
	if (reader_open(argv[1], &r, text))
		errx(1, "%s", text);
	out = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	copy = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	if (out < 0 || copy < 0)
		err(1, "%s", argv[2]);
	if (cut_window(r, &(struct cut_options){ .to_ns = UINT64_MAX, .redact = true }, copy, &segments,
		       text))
		errx(1, "%s", text);
	reader_free(r);
	repack(copy, out);
	close(copy);
	return close(out) ? 1 : 0;
}
