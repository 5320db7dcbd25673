// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/snapshot/label.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "trace/format/file_index.h"
#include "trace/write/ringfile.h"

static int label_put(int fd, const struct file_index *ix, const struct label *labels, size_t n)
{
	struct format_file f = ix->file;
	_cleanup_free_ char *meta = malloc(FORMAT_META_MAX);
	size_t at = f.meta_bytes;

	if (!meta)
		return -ENOMEM;
	memcpy(meta, ix->meta, at);
	for (size_t i = 0; i < n; i++) {
		size_t name = strlen(labels[i].name) + 1, value = strlen(labels[i].value) + 1;

		if (value == 1)
			continue;
		if (at + name + value > FORMAT_META_MAX)
			return -EFBIG;
		memcpy(meta + at, labels[i].name, name);
		memcpy(meta + at + name, labels[i].value, value);
		at += name + value;
	}
	if (sizeof(f) + at > f.slot_bytes)
		return -EFBIG;
	f.meta_bytes = (uint32_t)at;
	return ringfile_put_header(fd, &f, meta);
}

int label_add(int fd, const struct label *labels, size_t n, char err[LABEL_ERR_MAX])
{
	struct file_index ix = { 0 };
	int r = file_index_open(&ix, fd, "the new file", err);

	if (!r) {
		r = label_put(fd, &ix, labels, n);
		if (r)
			snprintf(err, LABEL_ERR_MAX, "%s", strerror(-r));
	}
	file_index_done(&ix);
	return r;
}
