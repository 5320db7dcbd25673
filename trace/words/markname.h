/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markname.h - the names of marks: which names are allowed, and the object for a name. Pure; any
 * thread. */
#ifndef CTRACE_TRACE_WORDS_MARKNAME_H
#define CTRACE_TRACE_WORDS_MARKNAME_H

#include <stdbool.h>
#include <string.h>

#include "ctrace/abi.h"
#include "lib/hash.h"

#define MARKNAME_RULE "1 to 48 bytes without control characters"
_Static_assert(CT_MARK_NAME_MAX == 48, "MARKNAME_RULE names the limit");

static inline bool markname_ok(const char *name)
{
	size_t n = strnlen(name, CT_MARK_NAME_MAX + 1);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
			return false;
	return n && n <= CT_MARK_NAME_MAX;
}

static inline uint64_t markname_id(const char *name)
{
	return CT_OBJ_ID(CT_OBJ_MARK, hash_text(HASH_START, name));
}

#endif
