// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/input/goodtrace.h"

#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

static int check_machine(const struct reader_info *g, const char *path, const struct reader_info *i,
			 const char *of)
{
	if (g->machine[0] && i->machine[0] && strcmp(g->machine, i->machine) != 0)
		return cli_error(
			"--against %s: this trace is from a machine of the kind %s, but %s is from %s, where system calls have other numbers; record the program on the same kind of machine",
			path, g->machine, of, i->machine);
	if (g->host[0] && i->host[0] && strcmp(g->host, i->host) != 0)
		cli_say("%s was recorded on %s, and %s on %s; tasks are compared by their names", path,
			g->host, of, i->host);
	return CLI_OK;
}

static int load(struct analysis_input *good)
{
	const struct reader_info *i = reader_info(good->reader);
	uint64_t all_ns = i->to_ns - i->from_ns + 1, ns = all_ns;
	char part[TEXT_NUMBER_MAX];

	if (i->records > LOAD_WHOLE_RECORDS) {
		ns = (uint64_t)((unsigned __int128)all_ns * LOAD_WHOLE_RECORDS / i->records);
		cli_say("looked only at the last %s of %s; 'ctrace snapshot --input' cuts out another part",
			text_duration(ns, part), good->path);
	}
	good->from_ns = i->to_ns + 1 - ns;
	good->to_ns = i->to_ns + 1;
	return analysis_load_range(good, ns < all_ns ? good->from_ns : 0, UINT64_MAX);
}

int goodtrace_open(struct analysis_input *good, const char *path, const struct analysis_input *in)
{
	int r = analysis_open(good, path, NULL);

	if (!r)
		r = check_machine(reader_info(good->reader), path, reader_info(in->reader), in->path);
	return r ? r : load(good);
}
