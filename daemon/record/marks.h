/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks.h - the limits of the request "mark", and the records that it makes. Clients may send any
 * number of marks, with any names. At most MARKS_PER_SECOND marks in a second, and MARKS_NAMES_MAX
 * different names, are accepted. Refused marks are counted. Main thread only.
 */
#ifndef CTRACE_DAEMON_RECORD_MARKS_H
#define CTRACE_DAEMON_RECORD_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "lib/map.h"

/* A zeroed structure has no marks yet. */
struct marks {
	struct map names; /* object ids of the names so far */
	uint64_t second_ns;
	unsigned in_second;
	uint64_t recorded, refused;
};

struct mark {
	const char *name; /* follows MARKNAME_RULE */
	const char *id;   /* NULL: none */
	enum ct_mark what;
	uint32_t tid;
	uint8_t flags; /* CT_MF_PARENT */
	uint64_t made_ns;
};

void marks_done(struct marks *m);
/*
 * Counts a mark, and makes its name and its record, back to back, for drain_post(). The caller
 * frees *ret. The clock of a container may differ. So now_ns replaces a made_ns that is later than
 * now_ns, or more than MARKS_LATE_NS earlier. Returns 0, or
 * - -EBUSY: after MARKS_PER_SECOND marks in a second
 * - -ENOSPC: after MARKS_NAMES_MAX names
 * - -ENOMEM
 */
int marks_take(struct marks *m, const struct mark *mark, uint64_t now_ns, void **ret, size_t *ret_size);

#endif
