/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lacks.h - what a snapshot lacks because the trace of the daemon could not be stored. */
#ifndef CTRACE_CLI_CLIENT_LACKS_H
#define CTRACE_CLI_CLIENT_LACKS_H

#include <jansson.h>
#include <stdint.h>

struct lacks {
	char error[128];       /* of the disk; "": none */
	uint64_t missing_ns;   /* what was captured since then is not in it; 0: all is */
	uint64_t lost_records; /* of that; the others wait in the daemon's memory */
	uint64_t unsure_from_ns,
		unsure_to_ns; /* captured then, and maybe not in it; 0, 0: nothing is unsure */
};

/* From the answer to "snapshot". */
struct lacks lacks_of(const json_t *answer);
/* Says it of the file at path.  CLI_OK: nothing is missing; CLI_FAILED. */
int lacks_say(const struct lacks *l, const char *path);

#endif
