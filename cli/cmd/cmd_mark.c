// SPDX-License-Identifier: GPL-2.0-or-later
/* ctrace mark - marks the begin or end of a transaction, or a moment, for scripts. Without a daemon, the
 * script must go on: the exit code is 0, unless --strict is given. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/client/client.h"
#include "cli/cmd/commands.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/words/markname.h"

struct mark_options {
	const char *id, *socket;
	bool quiet, strict;
};

static const struct cli_option mark_table[] = {
	{ CLI_TEXT(struct mark_options, id), "id", "ID",
	  "tell transactions apart that are under way at the same time" },
	{ CLI_FLAG(struct mark_options, quiet), "quiet", NULL, "say nothing if the mark is not recorded" },
	{ CLI_FLAG(struct mark_options, strict), "strict", NULL, "exit with 1 if the mark is not recorded" },
	{ CLI_TEXT(struct mark_options, socket), "socket", "PATH",
	  "ask the daemon at this socket (" CLIENT_SOCKET_DEFAULT ")" },
	{ 0 },
};

static const struct cli_usage mark_usage = {
	.name = "mark",
	.args = "NAME [begin | end] [--id ID] [--quiet] [--strict] [--socket PATH]",
	.about =
		"Marks the begin or the end of a transaction in the trace, or a moment. The mark is about the process that\n"
		"runs this command, such as a shell script. 'ctrace transactions' shows the transactions. A script goes on\n"
		"if no daemon records: the exit code is 0.",
	.options = mark_table,
};

static int mark(const struct mark_options *o, const char *name, const char *what)
{
	uint64_t made_ns = clock_boot_ns();
	const char *socket = o->socket ? o->socket : client_socket();
	json_t *request = json_pack("{s:s,s:s,s:s,s:b,s:I,s:s*}", "cmd", "mark", "name", name, "what", what,
				    "parent", 1, "made_ns", (json_int_t)made_ns, "id", o->id);
	char err[CLIENT_ERR_MAX];
	json_t *answer = NULL;
	int r;

	if (!request)
		return cli_usage_error(&mark_usage, "the name and the id must be UTF-8");
	r = client_call(socket, request, -1, WAIT_MARK_MS, &answer, err);
	json_decref(request);
	json_decref(answer);
	if (!r)
		return CLI_OK;
	if (!o->quiet)
		cli_warn("the mark '%s' was not recorded: %s", name, err);
	return o->strict ? CLI_FAILED : CLI_OK;
}

int cmd_mark(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&mark_usage, argc, argv);
	struct mark_options o = { 0 };
	const char *name, *what;

	p.into = &o;
	if (cli_next(&p) < 0)
		return p.exit_code;
	name = p.first < p.argc ? p.argv[p.first] : NULL;
	what = p.first + 1 < p.argc ? p.argv[p.first + 1] : "point";
	if (!name || p.first + 2 < p.argc)
		return cli_usage_error(&mark_usage, "give a NAME, and then begin or end");
	if (strcmp(what, "begin") != 0 && strcmp(what, "end") != 0 && strcmp(what, "point") != 0)
		return cli_usage_error(&mark_usage, "'%s' is neither begin nor end", what);
	if (!markname_ok(name))
		return cli_usage_error(&mark_usage, "the NAME must have " MARKNAME_RULE);
	if (o.id && (!*o.id || strlen(o.id) > CT_MARK_NAME_MAX))
		return cli_usage_error(&mark_usage, "the ID must have 1 to 48 bytes");
	return mark(&o, name, what);
}
