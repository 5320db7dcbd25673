// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/record/cmdline_text.h"

#include <stdbool.h>
#include <string.h>

#include "lib/cleanup.h"

#define MORE "..."

struct text {
	char p[2 * CT_RAWCMDLINE_MAX];
	size_t n;
	bool options;
	bool more;
};

static void text_word(struct text *t, const char *word, size_t n)
{
	if (t->n)
		t->p[t->n++] = ' ';
	for (size_t i = 0; i < n; i++) /* an argument may be a script with several lines */
		t->p[t->n++] = word[i] == '\n' || word[i] == '\t' ? ' ' : word[i];
}

static void text_more(struct text *t)
{
	if (!t->more)
		text_word(t, MORE, strlen(MORE));
	t->more = true;
}

static void text_args(struct text *t, const char *p, size_t n)
{
	for (size_t len; n; p += MIN(len + 1, n), n -= MIN(len + 1, n)) {
		len = strnlen(p, n);
		if (!t->options && *p == '-' && len > 2) {
			text_more(t);
		} else if (len) {
			text_word(t, p, len);
			t->more = false;
		}
	}
}

static void text_make(struct text *t, const char *args, size_t bytes, bool options)
{
	const char *head = args, *tail = args + CT_RAWCMDLINE_HEAD, *end = args + CT_RAWCMDLINE_MAX;

	t->n = 0;
	t->more = false;
	t->options = options;
	if (bytes <= CT_RAWCMDLINE_MAX) {
		text_args(t, args, bytes);
		return;
	}
	/* Between head and tail, the end of one argument and the beginning of another are missing. */
	text_args(t, head, CT_RAWCMDLINE_HEAD);
	text_more(t);
	tail += strnlen(tail, (size_t)(end - tail));
	text_args(t, tail, (size_t)(end - tail));
}

void cmdline_text(uint32_t tgid, uint64_t ts_ns, const char args[CT_RAWCMDLINE_MAX], size_t bytes,
		  uint64_t ret[CMDLINE_WORDS_MAX])
{
	struct ct_cmdline_blob *b = (struct ct_cmdline_blob *)ret;
	struct text t;

	text_make(&t, args, bytes, true);
	if (t.n > CT_CMDLINE_MAX)
		text_make(&t, args, bytes, false);
	if (t.n > CT_CMDLINE_MAX) {
		t.n = CT_CMDLINE_MAX - strlen(MORE) - 1;
		t.more = false;
		text_more(&t);
	}
	memset(ret, 0, CMDLINE_WORDS_MAX * sizeof(*ret));
	b->h = (struct ct_blob){ .ts = ts_ns, .kind = CT_CMDLINE, .tid = tgid };
	b->len = (uint16_t)t.n;
	b->h.size = (uint16_t)(sizeof(*b) + ((t.n + 7) & ~7u));
	memcpy(b->text, t.p, t.n);
}
