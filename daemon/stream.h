/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stream.h - records and blobs back to back, as the BPF iterators write them. */
#ifndef CTRACE_DAEMON_STREAM_H
#define CTRACE_DAEMON_STREAM_H

#include <stddef.h>

#include "ctrace/abi.h"

/* Returns the size of the first record or blob in bytes. 0: it is incomplete or impossible. size:
 * bytes up to the end of the stream. */
static inline size_t stream_first(const void *data, size_t size)
{
	const struct ct_blob *b = data;
	size_t n;

	if (size < sizeof(*b))
		return 0;
	n = CT_KIND_IS_BLOB(b->kind) ? b->size : sizeof(struct ct_rec) + 8 * CT_KIND_WORDS(b->kind);
	return n < sizeof(*b) || n > size ? 0 : n;
}

#endif
