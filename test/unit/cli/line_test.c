// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cli/render/line.h"
#include "lib/cleanup.h"

static char *written;
static size_t n_written;

static struct line *open_line(bool json)
{
	struct line *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	l->f = open_memstream(&written, &n_written);
	assert_non_null(l->f);
	l->json = json;
	return l;
}

static void close_line(struct line *l, const char *want)
{
	line_end(l);
	assert_false(l->flushed);
	assert_int_equal(l->n, 0);
	fclose(l->f);
	assert_string_equal(written, want);
	free(written);
	free(l);
}

static void numbers(void **state)
{
	const uint64_t edges[] = { 0, 1, 9, 10, 99, 100, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX };
	char want[1024] = "";
	size_t n = 0;
	struct line *l = open_line(false);

	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		line_u64(l, "u", edges[i]);
		line_num(l, "d", (int64_t)edges[i]);
		line_hex(l, "x", edges[i]);
		n += (size_t)snprintf(want + n, sizeof(want) - n, " u=%" PRIu64 " d=%" PRId64 " x=0x%" PRIx64,
				      edges[i], (int64_t)edges[i], edges[i]);
	}
	line_digits(l, 0, 9);
	line_digits(l, 1234567890, 9);
	snprintf(want + n, sizeof(want) - n, "0000000001234567890\n");
	close_line(l, want);
}

static void values_as_json(void **state)
{
	struct line *l = open_line(true);

	line_num(l, "d", INT64_MIN);
	line_hex(l, "x", 255);
	line_word(l, "w", "poll");
	line_str(l, "plain", "a b");
	line_str(l, "quoted", "\"\\");
	line_str(l, "bytes", "a\x1b\xff\xc3\xa4");
	line_str(l, "empty", "");
	close_line(
		l,
		",\"d\":-9223372036854775808,\"x\":\"0xff\",\"w\":\"poll\",\"plain\":\"a b\",\"quoted\":\"\\\"\\\\\","
		"\"bytes\":\"a\\u001B\\uFFFD\\u00E4\",\"empty\":\"\"\n");
}

static void values_as_text(void **state)
{
	struct line *l = open_line(false);

	line_word(l, "w", "poll");
	line_str(l, "plain", "a-b");
	line_str(l, "space", "a b");
	line_str(l, "quoted", "\"\\");
	line_str(l, "bytes", "a\x1b");
	line_str(l, "empty", "");
	close_line(l, " w=poll plain=a-b space=\"a b\" quoted=\"\\\"\\\\\" bytes=\"a\\\\x1b\" empty=\"\"\n");
}

static void long_lines(void **state)
{
	for (size_t piece = 1; piece < 3 * LINE_BYTES; piece = piece * 3 + 1) {
		size_t pieces = 3 * LINE_BYTES / piece + 2;
		_cleanup_free_ char *want = calloc(1, pieces * piece + 2);
		struct line *l = open_line(false);

		assert_non_null(want);
		for (size_t i = 0; i < pieces; i++) {
			memset(want + i * piece, 'a' + (int)(i % 26), piece);
			line_bytes(l, want + i * piece, piece);
		}
		assert_true(l->flushed);
		want[pieces * piece] = '\n';
		close_line(l, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(values_as_json),
		cmocka_unit_test(values_as_text),
		cmocka_unit_test(long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
