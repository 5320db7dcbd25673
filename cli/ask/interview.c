// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ask/interview.h"

#include "cli/cli.h"

int interview_begin(const struct rulestore_options *o, bool may, struct interview *ret)
{
	*ret = (struct interview){ .possible = may && prompt_possible() };
	return rulestore_open(o, ret->possible, &ret->store);
}

const struct ask *interview_ask(struct interview *a, const struct window *w)
{
	a->prompt = (struct prompt){ .in = stdin, .out = stdout, .w = w };
	a->ask = (struct ask){ .choose = prompt_choose, .arg = &a->prompt };
	return a->possible ? &a->ask : NULL;
}

bool interview_end(struct interview *a)
{
	a->code = rulestore_keep(&a->store);
	if (a->prompt.asked)
		putchar('\n');
	if (a->prompt.quit)
		a->code = CLI_FAILED;
	return !a->prompt.quit;
}

void interview_done(struct interview *a)
{
	rulestore_done(&a->store);
}
