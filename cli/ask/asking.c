// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ask/asking.h"

#include "cli/cli.h"

int asking_begin(const struct rulestore_options *o, bool may, struct asking *ret)
{
	*ret = (struct asking){ .possible = may && prompt_possible() };
	return rulestore_open(o, ret->possible, &ret->store);
}

const struct ask *asking_ask(struct asking *a, const struct window *w)
{
	a->prompt = (struct prompt){ .in = stdin, .out = stdout, .w = w };
	a->ask = (struct ask){ .choose = prompt_choose, .arg = &a->prompt };
	return a->possible ? &a->ask : NULL;
}

bool asking_end(struct asking *a)
{
	a->code = rulestore_keep(&a->store);
	if (a->prompt.asked)
		putchar('\n');
	if (a->prompt.quit)
		a->code = CLI_FAILED;
	return !a->prompt.quit;
}

void asking_done(struct asking *a)
{
	rulestore_done(&a->store);
}
