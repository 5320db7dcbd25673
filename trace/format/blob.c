// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/format/blob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "trace/format/limits.h"

#define BLOB_MAX     65528 /* the largest multiple of 8 that fits into ct_blob.size */
#define STACK_FRAMES 1024

static bool stack_is_valid(const struct ct_stack_blob *b)
{
	const char *p = b->frames, *end = (const char *)b + b->h.size;

	if (!b->id || b->n_frames > STACK_FRAMES)
		return false;
	for (unsigned i = 0; i < b->n_frames; i++) {
		p = memchr(p, 0, (size_t)(end - p));
		if (!p)
			return false;
		p++;
	}
	return true;
}

bool blob_is_valid(const struct ct_blob *blob)
{
	const struct ct_object_blob *o = (const struct ct_object_blob *)blob;
	const struct ct_cmdline_blob *c = (const struct ct_cmdline_blob *)blob;

	if (blob->size % 8)
		return false;
	switch (blob->kind) {
	case CT_TASK:
		return blob->size == sizeof(struct ct_task_blob);
	case CT_CMDLINE:
		return blob->size >= sizeof(*c) && c->len <= CT_CMDLINE_MAX &&
		       blob->size == sizeof(*c) + ((c->len + 7u) & ~7u);
	case CT_OBJECT:
		return blob->size >= sizeof(*o) && o->id && o->name_len <= CT_OBJ_NAME_MAX &&
		       blob->size == sizeof(*o) + ((o->name_len + 7u) & ~7u);
	case CT_STACK:
		return blob->size >= sizeof(struct ct_stack_blob) &&
		       stack_is_valid((const struct ct_stack_blob *)blob);
	default:
		return false;
	}
}

int blob_next(const uint8_t **p, size_t *n, uint64_t *buf)
{
	while (*n) {
		struct ct_blob h;

		if (*n < sizeof(h))
			return -EBADMSG;
		memcpy(&h, *p, sizeof(h));
		if (h.size < sizeof(h) || h.size % 8 || h.size > *n)
			return -EBADMSG;
		memcpy(buf, *p, h.size);
		*p += h.size;
		*n -= h.size;
		if (h.kind != CT_TASK && h.kind != CT_OBJECT && h.kind != CT_STACK && h.kind != CT_CMDLINE)
			continue;
		return blob_is_valid((const struct ct_blob *)buf) &&
				       limits_blob_ok((const struct ct_blob *)buf)
			       ? 1
			       : -EBADMSG;
	}
	return 0;
}

uint64_t blob_stack_id(const char *const *frames, size_t n)
{
	uint64_t id = HASH_START;

	/* The 0 after each string is hashed too, so that "ab", "c" and "a", "bc" differ. */
	for (size_t i = 0; i < n; i++)
		id = hash_bytes(id, frames[i], strlen(frames[i]) + 1);
	return id ? id : 1;
}

struct ct_stack_blob *blob_stack(uint64_t ts_ns, const char *const *frames, size_t n)
{
	static const char more[] = BLOB_STACK_REST;
	struct ct_stack_blob *b;
	size_t bytes = 0, keep = 0;

	while (keep < n && keep < STACK_FRAMES - 1 &&
	       sizeof(*b) + bytes + strlen(frames[keep]) + 1 + sizeof(more) <= BLOB_MAX)
		bytes += strlen(frames[keep++]) + 1;
	b = calloc(1, (sizeof(*b) + bytes + sizeof(more) + 7) & ~7ul);
	if (!b)
		return NULL;
	bytes = 0;
	for (size_t i = 0; i < keep; i++) {
		size_t len = strlen(frames[i]) + 1;

		memcpy(b->frames + bytes, frames[i], len);
		bytes += len;
	}
	if (keep < n) {
		memcpy(b->frames + bytes, more, sizeof(more));
		bytes += sizeof(more);
	}
	b->h = (struct ct_blob){ .ts = ts_ns, .kind = CT_STACK };
	b->h.size = (uint16_t)((sizeof(*b) + bytes + 7) & ~7ul);
	b->id = blob_stack_id(frames, n);
	b->n_frames = (uint16_t)(keep + (keep < n));
	return b;
}
