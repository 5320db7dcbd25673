/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks.h - the limits of the request "mark", and the records that it makes. Scripts choose the names,
 * and any user with the right to ask may mark, so there are at most MARKS_PER_SECOND marks in a second,
 * and at most MARKS_NAMES_MAX different names. Refused marks are counted. Main thread only.
 */
#ifndef CTRACE_DAEMON_RECORD_MARKS_H
#define CTRACE_DAEMON_RECORD_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"
#include "lib/map.h"

/* A zeroed structure has no marks yet. */
struct marks {
	struct map names; /* the objects of the names so far */
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
/* Counts a mark. Returns 0; -EBUSY after MARKS_PER_SECOND marks in a second; -ENOSPC after
 * MARKS_NAMES_MAX names; or -ENOMEM. */
int marks_admit(struct marks *m, const char *name, uint64_t now_ns);
/* Makes the name and the record of a mark, back to back, for drain_post(). The caller frees *ret.
 * Returns 0 or -ENOMEM. If made_ns is after now_ns, or more than MARKS_LATE_NS before it, the mark
 * gets the time now_ns: the clock of a container may differ. */
int marks_stream(const struct mark *mark, uint64_t now_ns, void **ret, size_t *ret_size);

#endif
