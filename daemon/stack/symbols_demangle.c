// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/stack/symbols_demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

struct out {
	char text[256];
	size_t n, cap;
	jmp_buf full;
};

static void piece_add(const char *piece, size_t n, void *arg)
{
	struct out *o = arg;

	if (!n)
		return; /* an empty piece may be NULL */
	/* A short name can stand for gigabytes of text. So a full `text` ends the demangling. */
	if (n > o->cap - o->n) {
		memcpy(o->text + o->n, piece, o->cap - o->n);
		o->n = o->cap;
		longjmp(o->full, 1);
	}
	memcpy(o->text + o->n, piece, n);
	o->n += n;
}

/* Refuses "_R" names with punycode ("u" and a digit): for them the demangler allocates memory,
 * which longjmp() would leak. */
static bool may_demangle(const char *name)
{
	if (!strncmp(name, "_Z", 2))
		return true;
	if (strncmp(name, "_R", 2))
		return false;
	for (const char *p = name; (p = strchr(p, 'u')); p++)
		if (isdigit((unsigned char)p[1]))
			return false;
	return true;
}

static bool demangle(const char *name, struct out *o)
{
	const int opts = DMGL_ANSI | DMGL_AUTO;

	if (setjmp(o->full))
		return true;
	if (rust_demangle_callback(name, opts, piece_add, o))
		return true;
	o->n = 0;
	return cplus_demangle_v3_callback(name, opts, piece_add, o);
}

void symbols_demangle(char *name, size_t cap)
{
	struct out o = { .cap = cap - 1 };

	if (!may_demangle(name) || !demangle(name, &o))
		return;
	memcpy(name, o.text, o.n);
	name[o.n] = 0;
}
