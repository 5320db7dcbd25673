/* SPDX-License-Identifier: GPL-2.0-or-later */
/* label.h - adds meta data to the file header of a finished trace, such as facts about its recorded
 * command. One thread at a time for each file. */
#ifndef CTRACE_TRACE_SNAPSHOT_LABEL_H
#define CTRACE_TRACE_SNAPSHOT_LABEL_H

#include <stddef.h>

#define LABEL_ERR_MAX 256

struct label {
	const char *name, *value; /* a pair of META (doc/format.md). "" as value: not written */
};

/* Adds n pairs to the file. No other process may write the file meanwhile. Does not sync. Returns 0,
 * -ENOMEM, -EFBIG if the meta data would be too long, an error of file_index_open(), or -errno of the
 * write. On failure, err has a sentence. If the write fails, the file header may be damaged. */
int label_add(int fd, const struct label *labels, size_t n, char err[LABEL_ERR_MAX]);

#endif
