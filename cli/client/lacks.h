/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lacks.h - says which records a snapshot lacks because the daemon could not store them. */
#ifndef CTRACE_CLI_CLIENT_LACKS_H
#define CTRACE_CLI_CLIENT_LACKS_H

#include <jansson.h>
#include <stdint.h>

struct lacks {
	char error[128];
	/* records from this boot time on are missing; 0: none is missing */
	uint64_t missing_ns;
	/* how many of the missing records are lost; the others wait in the daemon's memory */
	uint64_t lost_records;
	/* between these two times (boot time), records may be missing; 0 and 0: nowhere */
	uint64_t unsure_from_ns, unsure_to_ns;
};

struct lacks lacks_of(const json_t *answer);
/* Returns CLI_FAILED if records are certainly missing. */
int lacks_say(const struct lacks *l, const char *path);

#endif
