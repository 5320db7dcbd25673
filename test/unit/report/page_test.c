/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/view/page.h"

static char *page_of(const char *text, size_t *ret_n)
{
	json_t *data = json_pack("{s:s}", "text", text);
	char *page = NULL;
	FILE *f = open_memstream(&page, ret_n);

	assert_int_equal(view_write_page(f, data), 0);
	fclose(f);
	json_decref(data);
	return page;
}

static void own_pages(void **state)
{
	size_t n;
	_cleanup_free_ char *page = page_of("</script><script>alert(1)</script>&\x7f\n\xc3\xa9", &n);

	assert_true(view_is_page(page, n));
	assert_null(strstr(page, "alert(1)<"));
}

static void other_pages(void **state)
{
	size_t n;
	_cleanup_free_ char *page = page_of("here", &n);
	char *text = strstr(page, "\"here\""), *script = strstr(page, "'use strict'");

	assert_false(view_is_page("", 0));
	assert_false(view_is_page(page, n - 1));
	assert_false(view_is_page(page + 1, n - 1));
	assert_false(view_is_page(page, n / 2));
	for (unsigned c = 0; c < 256; c++) {
		text[1] = (char)c;
		assert_int_equal(view_is_page(page, n), c >= 0x20 && c <= 0x7e && !strchr("<>&", (int)c));
	}
	text[1] = 'x';
	assert_true(view_is_page(page, n));
	*script = '"';
	assert_false(view_is_page(page, n));
}

static void full_disk(void **state)
{
	json_t *data = json_object();
	FILE *f = fopen("/dev/full", "we");

	setvbuf(f, NULL, _IONBF, 0);
	assert_int_equal(view_write_page(f, data), -ENOSPC);
	fclose(f);
	json_decref(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_pages),
		cmocka_unit_test(other_pages),
		cmocka_unit_test(full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
