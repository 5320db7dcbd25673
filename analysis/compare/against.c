// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/compare/against.h"

#include <stdlib.h>

const char *against_word(enum against_result result)
{
	static const char *const words[] = {
		[AGAINST_NOT_NEEDED] = "not-needed",
		[AGAINST_NO_TASK] = "no-such-task",
		[AGAINST_NO_WAIT] = "no-such-wait",
		[AGAINST_AS_LONG] = "as-long",
		[AGAINST_GONE] = "gone",
		[AGAINST_SEVERAL] = "several",
		[AGAINST_AS_USUAL] = "as-usual",
		[AGAINST_NAMED] = "named",
	};

	return words[result];
}

void against_done(struct against *a)
{
	free(a->text);
	free(a->brief);
	a->text = a->brief = NULL;
}
