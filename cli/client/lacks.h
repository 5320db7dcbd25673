/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lacks.h - says which records are not in a snapshot because the daemon could not store them. */
#ifndef CTRACE_CLI_CLIENT_LACKS_H
#define CTRACE_CLI_CLIENT_LACKS_H

#include <jansson.h>
#include <stdint.h>

struct lacks {
	char error[128]; /* the error of the disk; "": there is none */
	/* records from this time on (boot time) are not in the snapshot; 0: none is missing */
	uint64_t missing_ns;
	/* how many of the missing records are lost; the others wait in the daemon's memory */
	uint64_t lost_records;
	/* records of this interval (boot time) may be missing; 0 and 0: no such interval */
	uint64_t unsure_from_ns, unsure_to_ns;
};

/* Reads the answer to the request "snapshot". */
struct lacks lacks_of(const json_t *answer);
/* Prints which records the snapshot at path does not have. Returns CLI_FAILED if records are
 * certainly missing; otherwise CLI_OK, also if records may be missing. */
int lacks_say(const struct lacks *l, const char *path);

#endif
