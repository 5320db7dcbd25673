// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/page.h"

#include <errno.h>
#include <string.h>

#include "report/view/page_parts.h"

/* JSON_ENSURE_ASCII leaves only these bytes and DEL, which is 0x7f. */
static bool is_plain(char c)
{
	return c >= ' ' && c <= '~' && c != '<' && c != '>' && c != '&';
}

/* Replaces <, >, & and DEL by \uXXXX. In JSON, these characters occur only in strings. Fails at the
 * first error of f, while errno still has the cause. */
static int put_escaped(const char *s, size_t n, void *arg)
{
	FILE *f = arg;

	for (size_t i = 0; i < n; i++)
		if (is_plain(s[i]))
			putc_unlocked(s[i], f);
		else
			fprintf(f, "\\u%04x", s[i]);
	return ferror(f) ? -1 : 0;
}

int view_write_page(FILE *f, const json_t *data)
{
	errno = 0;
	if (fwrite(view_page_head, 1, view_page_head_size, f) == view_page_head_size &&
	    !json_dump_callback(data, put_escaped, f, JSON_COMPACT | JSON_ENSURE_ASCII) &&
	    fwrite(view_page_tail, 1, view_page_tail_size, f) == view_page_tail_size)
		return 0;
	return errno ? -errno : -EIO;
}

bool view_is_page(const char *page, size_t n)
{
	size_t data = n - view_page_head_size - view_page_tail_size;

	if (n < view_page_head_size + view_page_tail_size ||
	    memcmp(page, view_page_head, view_page_head_size) != 0 ||
	    memcmp(page + n - view_page_tail_size, view_page_tail, view_page_tail_size) != 0)
		return false;
	page += view_page_head_size;
	for (size_t i = 0; i < data; i++)
		if (!is_plain(page[i]))
			return false;
	return true;
}
