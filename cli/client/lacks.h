/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lacks.h - which records a snapshot lacks because the daemon could not store its trace. */
#ifndef CTRACE_CLI_CLIENT_LACKS_H
#define CTRACE_CLI_CLIENT_LACKS_H

#include <jansson.h>
#include <stdint.h>

struct lacks {
	char error[128]; /* error of the disk; "": none */
	/* records since this time (boot time) are not in the snapshot; 0: none is missing */
	uint64_t missing_ns;
	/* how many of the missing records are lost; the others wait in the daemon's memory */
	uint64_t lost_records;
	/* boot time: records of this interval may be missing; 0, 0: none may */
	uint64_t unsure_from_ns, unsure_to_ns;
};

/* Reads the answer to the request "snapshot". */
struct lacks lacks_of(const json_t *answer);
/* Prints what the snapshot at path lacks. Returns CLI_OK (nothing is missing for certain) or CLI_FAILED. */
int lacks_say(const struct lacks *l, const char *path);

#endif
