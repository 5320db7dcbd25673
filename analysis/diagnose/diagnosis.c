// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/diagnosis.h"

#include <stdlib.h>

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = { [VERDICT_NORMAL] = "normal",
					     [VERDICT_LONG_WAIT] = "long-wait",
					     [VERDICT_LONG_RUNNING] = "long-running",
					     [VERDICT_STARVED] = "starved",
					     [VERDICT_REPEATED_YIELD] = "repeated-yield" };

	return names[v];
}

void diagnosis_free(struct diagnosis *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->n_chain; i++)
		free(d->chain[i].resource);
	for (size_t i = 0; i < d->n_choices; i++)
		free(d->choices[i].text);
	missing_wake_free(d->comparison);
	free(d->chain);
	free(d->choices);
	free(d->root_text);
	free(d->sentence);
	free(d->watch);
	free(d);
}
