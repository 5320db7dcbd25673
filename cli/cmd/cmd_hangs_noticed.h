/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_hangs_noticed.h - the hangs in a trace that the daemon noticed by itself while it recorded. */
#ifndef CTRACE_CLI_CMD_CMD_HANGS_NOTICED_H
#define CTRACE_CLI_CMD_CMD_HANGS_NOTICED_H

#include <jansson.h>

#include "analysis/hangs/hangs.h"
#include "cli/input/analysis_input.h"

/* One line each, with a heading; nothing when there are none.  who: by cgroup and container alone. */
void hangs_noticed_print(const struct analysis_input *in, const struct hangs_filter *who);
/* An array; NULL: out of memory. */
json_t *hangs_noticed_json(const struct analysis_input *in, const struct hangs_filter *who);

#endif
