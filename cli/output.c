// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/clean.h"
#include "lib/cleanup.h"

#define BLOCK_BYTES (64 << 10)
#define STEP_BYTES  256
#define MARK_LEN    16
#define ESC         '\033'

/* mark: see output_mark(). A block of stdio may end within a character or a mark. Then `in` keeps the first
 * bytes of this character or mark for the next block. */
static struct {
	char mark[MARK_LEN + 1];
	char stdio[BLOCK_BYTES];
	char in[MARK_LEN + 1 + BLOCK_BYTES];
	char out[BLOCK_BYTES];
	size_t n_left;
	size_t n_out;
	int error;
} output;

static int write_all(const char *s, size_t n)
{
	size_t done = 0;

	while (!output.error && done < n) {
		ssize_t k = write(STDOUT_FILENO, s + done, n - done);

		if (k >= 0)
			done += (size_t)k;
		else if (errno != EINTR)
			output.error = -errno;
	}
	return output.error;
}

static int write_out(void)
{
	size_t n = output.n_out;

	output.n_out = 0;
	return write_all(output.out, n);
}

static void put(const char *s, size_t n)
{
	if (output.n_out + n > sizeof(output.out))
		write_out();
	memcpy(output.out + output.n_out, s, n);
	output.n_out += n;
}

/* Returns true if ctrace itself wrote the ESC at s: output_mark() follows. s may end within the mark. */
static bool is_own(const char *s, size_t n)
{
	return *s == ESC && !strncmp(s + 1, output.mark, MIN(n - 1, (size_t)MARK_LEN));
}

/* Prints the start of s, made safe. Returns the number of bytes of s that it handled. If s is only
 * the start of a character, or an ESC and the start of output_mark(), the missing bytes may come
 * with the next block: then put_next() prints nothing and returns 0. last: there is no next block,
 * so the result is not 0. */
static size_t put_next(const char *s, size_t n, bool last)
{
	size_t plain = clean_plain(s, n), took;
	char shown[CLEAN_SHOWN_MAX];

	if (plain || *s == '\n' || *s == '\t') {
		put(s, plain ? plain : 1);
		return plain ? plain : 1;
	}
	if (is_own(s, n) && (n > MARK_LEN || !last)) {
		if (n <= MARK_LEN)
			return 0;
		put(s, 1);
		return 1 + MARK_LEN;
	}
	if (!last && clean_is_cut(s, n))
		return 0;
	took = clean_char(s, n, shown);
	put(shown, strlen(shown));
	return took;
}

static void clean_block(size_t n, bool last)
{
	size_t at = 0, took = 1;

	while (at < n && took) {
		took = put_next(output.in + at, n - at, last);
		at += took;
	}
	output.n_left = n - at;
	memmove(output.in, output.in + at, output.n_left);
}

/* The loop has no branch, so that the compiler can check many bytes at once: a dump prints
 * gigabytes. */
static bool is_plain_step(const char *s, size_t n)
{
	unsigned char bad = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		bad |= (unsigned char)(((unsigned char)(c - ' ') > '~' - ' ') & (c != '\n') & (c != '\t'));
	}
	return !bad;
}

static bool is_plain(const char *s, size_t n)
{
	size_t i = 0;

	while (n - i >= STEP_BYTES && is_plain_step(s + i, STEP_BYTES))
		i += STEP_BYTES;
	return n - i < STEP_BYTES && is_plain_step(s + i, n - i);
}

static ssize_t clean_write(void *cookie, const char *s, size_t n)
{
	bool plain = !output.n_left && is_plain(s, n);

	if (plain)
		write_all(s, n);
	for (size_t done = 0; !plain && done < n && !output.error;) {
		size_t k = MIN(n - done, (size_t)BLOCK_BYTES);

		memcpy(output.in + output.n_left, s + done, k);
		clean_block(output.n_left + k, false);
		done += k;
	}
	if (!write_out())
		return (ssize_t)n;
	errno = -output.error;
	return 0;
}

int output_begin(void)
{
	static const cookie_io_functions_t io = { .write = clean_write };
	uint64_t mark;
	FILE *f = fopencookie(NULL, "w", io);

	if (!f)
		return -ENOMEM;
	if (getrandom(&mark, sizeof(mark), GRND_NONBLOCK) != sizeof(mark))
		/* early in the boot there are no random numbers; other programs do not know this
		 * address */
		mark = (uint64_t)(uintptr_t)f;
	snprintf(output.mark, sizeof(output.mark), "%016" PRIx64, mark);
	setvbuf(f, output.stdio, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof(output.stdio));
	stdout = f;
	return 0;
}

const char *output_mark(void)
{
	return output.mark;
}

int output_flush(void)
{
	if (fflush(stdout) && !output.error)
		output.error = errno ? -errno : -EIO;
	clean_block(output.n_left, true);
	return write_out();
}
