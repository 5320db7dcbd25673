// SPDX-License-Identifier: GPL-2.0-or-later
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/sheet/keep.h"
#include "cli/sheet/wrap.h"
#include "lib/cleanup.h"

/* `want` has a | at the end of each row. */
static void wraps(const char *s, size_t width, const char *want)
{
	char got[512] = "";
	size_t left = strlen(s);

	do {
		size_t n = wrap_row(s, left, width);

		strncat(strncat(got, s, n), "|", 2);
		s += n;
		left -= n;
		n = strspn(s, " ");
		s += n;
		left -= n;
	} while (left);
	assert_string_equal(got, want);
}

static void test_wrap(void **state)
{
	wraps("", 10, "|");
	wraps("a", 1, "a|");
	wraps("one two", 7, "one two|");
	wraps("one two", 6, "one|two|");
	wraps("one  two  ", 6, "one|two  |");
	wraps("    one two", 8, "    one|two|");
	wraps("see /a/very/long/path now", 10, "see|/a/very/long/path|now|");
	wraps("/a/very/long/path now", 10, "/a/very/long/path|now|");
}

static void test_wrap_numbers(void **state)
{
	wraps("waited 4.7 s for", 10, "waited|4.7 s for|");
	wraps("waited 12 345 bytes", 10, "waited|12 345 bytes|");
	wraps("took (45 %), and", 8, "took|(45 %),|and|");
	wraps("had 12 sockets", 8, "had 12|sockets|");
	wraps("x  -> lock", 5, "x|-> lock|");
}

static void test_wrap_columns(void **state)
{
	/* an escape sequence takes no column, and a Chinese character two */
	wraps("\033[1mone\033[0m two", 7, "\033[1mone\033[0m two|");
	assert_int_equal(wrap_columns("\033[1;31mab\033[0m", 12), 2);
	assert_int_equal(wrap_columns("\xe4\xb8\xad", 3), 2);
	assert_int_equal(wrap_columns("\xff", 1), 1);
	assert_int_equal(wrap_indent("one", 80), 0);
	assert_int_equal(wrap_indent("  1. x", 80), 5);
	assert_int_equal(wrap_indent("            x", 20), 10);
}

static void shortens(const char *s, size_t width, const char *want)
{
	_cleanup_free_ char *got = wrap_shorten(s, width);

	assert_string_equal(got, want);
}

static void test_shorten(void **state)
{
	shortens("", 20, "");
	shortens("a short row", 20, "a short row");
	shortens("1 s  /usr/lib/x86_64-linux-gnu/libabc.so.6  read", 36,
		 "1 s  /usr/lib/x8...libabc.so.6  read");
	/* the longest word is cut first */
	shortens("aaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", 50,
		 "aaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbb...bbbbbbbbbbb");
	/* Even with all words cut, the text would not fit. So only the word that is wider than half of the
	 * row is cut. */
	shortens("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa one two three four five six seven eight",
		 50, "aaaaaaaaaaa...aaaaaaaaaaa one two three four five six seven eight");
	/* never within a character */
	shortens(
		"\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
		"\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad",
		20,
		"\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad...\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad");
}

/* Each letter in `lines` stands for a line of one row, and says of which kind the line is. The
 * digit after the letter is the group of the line. `want` has the lines that stay. */
static void keeps(const char *lines, size_t rows, const char *want)
{
	static const char kinds[] = "KLFMCDX";
	struct keep_line v[32] = { 0 };
	char got[80] = "";
	size_t n = 0, dropped, left = 0;

	for (const char *s = lines; *s; s += 2)
		v[n++] = (struct keep_line){ .kind = (enum line_kind)(strchr(kinds, s[0]) - kinds),
					     .group = (uint32_t)(s[1] - '0'),
					     .rows = 1 };
	dropped = keep_lines(v, n, rows);
	for (size_t i = 0; i < n; i++) {
		if (!v[i].dropped)
			strncat(got, lines + 2 * i, 2);
		left += v[i].dropped;
	}
	assert_string_equal(got, want);
	assert_int_equal(dropped, left);
}

static void test_keep(void **state)
{
	keeps("", 0, "");
	keeps("X0K0L0F0", 4, "X0K0L0F0");
	keeps("X0K0L0F0", 3, "X0L0F0");
	/* the kind of a line, and not its place, decides which line is dropped first */
	keeps("X0D0C0M0F0L0K0", 6, "X0D0C0M0F0L0");
	keeps("X0D0C0M0F0L0K0", 5, "X0D0C0M0F0");
	keeps("X0D0C0M0F0L0K0", 4, "X0D0C0M0");
	keeps("X0D0C0M0F0L0K0", 3, "X0D0C0");
	keeps("X0D0C0M0F0L0K0", 2, "X0D0");
	keeps("X0D0C0M0F0L0K0", 1, "X0");
	keeps("X0X0", 1, "X0X0");
	/* F1: frames of the first stack, F2: of the second. The last frame of the longest stack is dropped.
	 * If both stacks are equally long, the last frame of the first stack is dropped. */
	keeps("F1F1F1F2F2", 4, "F1F1F2F2");
	keeps("F1F1F1F2F2", 3, "F1F2F2");
	keeps("M1M2M3", 2, "M2M3");
	/* no heading stays alone */
	keeps("X0D1D1D1", 3, "X0D1D1");
	keeps("X0D1D1D1", 2, "X0");
	keeps("X0D1", 1, "X0");
}

static void test_keep_rows(void **state)
{
	struct keep_line v[] = { { LINE_FRAME, 0, 3, false }, { LINE_KEEP, 0, 2, false } };

	assert_int_equal(keep_lines(v, 2, 5), 0);
	assert_int_equal(keep_lines(v, 2, 4), 1);
	assert_true(v[0].dropped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap),         cmocka_unit_test(test_wrap_numbers),
		cmocka_unit_test(test_wrap_columns), cmocka_unit_test(test_shorten),
		cmocka_unit_test(test_keep),         cmocka_unit_test(test_keep_rows),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
