// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ask/rulesarg.h"

#include <errno.h>
#include <string.h>

#include "cli/ask/rulestore.h"
#include "cli/ask/transactionrules.h"
#include "cli/cli.h"
#include "lib/cleanup.h"

int rulesarg_read(const char *path, struct transaction_rules *rules)
{
	char err[TRANSACTIONRULES_ERR_MAX] = "";
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = rulestore_read(path, &text, &size);

	if (r == -EMEDIUMTYPE)
		return cli_error("--rules %s: it is not a regular file; give a file with rules", path);
	if (r)
		return cli_error(
			"--rules %s: the file cannot be read: %s; ctrace-transactions(1) says what is in it",
			path, strerror(-r));
	r = transactionrules_parse(text, size, rules, err);
	if (r == -EBADMSG)
		return cli_error("--rules %s: %s", path, err);
	return r ? cli_error("out of memory") : CLI_OK;
}
