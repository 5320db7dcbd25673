// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scrub - copies a trace for the corpus: without the name of the host, and with other names for what has
 * nothing to do with it.
 *
 *   scrub IN OUT [PATTERN...]
 *
 * Tasks and files whose names match a pattern of fnmatch(3) are called "other".  All else about names stays.
 * The copy is made by the code behind `ctrace snapshot --redact`; this file takes the place of
 * trace/redact_names.c, which decides what becomes of a name.
 */
#include <err.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace/reader.h"
#include "trace/redact_names.h"

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
	(void)key;
	snprintf(buf, REDACT_FRAME_MAX, "%s", frame);
}

/* The host's name is the only one. */
void redact_word(const struct siphash_key *key, const char *word, size_t len, char buf[9])
{
	(void)key, (void)word, (void)len;
	strcpy(buf, "corpus");
}

int main(int argc, char **argv)
{
	char text[READER_ERR_MAX];
	struct reader *r;
	uint64_t segments;
	int out;

	if (argc < 3)
		errx(2, "usage: scrub IN OUT [PATTERN...]");
	hidden = argv + 3;
	if (reader_open(argv[1], &r, text))
		errx(1, "%s", text);
	out = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out < 0)
		err(1, "%s", argv[2]);
	if (snapshot_redact(r, 0, UINT64_MAX, out, &segments, text))
		errx(1, "%s", text);
	reader_free(r);
	return close(out) ? 1 : 0;
}
