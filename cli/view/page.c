// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/view/page.h"

#include <errno.h>

#include "cli/view/page_parts.h"

/* In JSON, the three characters occur only in strings. Stops at the first error of f, so that errno
 * still has its cause. */
static int put_escaped(const char *s, size_t n, void *arg)
{
	FILE *f = arg;

	for (size_t i = 0; i < n; i++)
		if (s[i] == '<' || s[i] == '>' || s[i] == '&')
			fprintf(f, "\\u%04x", s[i]);
		else
			putc_unlocked(s[i], f);
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
