// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/compare/missing_wake.h"

#include <stdlib.h>
#include "analysis/thresholds.h"

void missing_wake_free(struct missing_wake *m)
{
	if (!m)
		return;
	free(m->text);
	free(m);
}

bool missing_wake_is_good(const struct missing_wake *m)
{
	return m->occurrences >= MISSING_GOOD_COUNT && m->similarity >= MISSING_GOOD_SCORE &&
	       m->others <= m->occurrences;
}

bool missing_wake_is_sure(const struct missing_wake *m)
{
	return m->occurrences >= MISSING_SURE_COUNT && m->similarity >= MISSING_SURE_SCORE &&
	       m->others <= m->occurrences / MISSING_SURE_OTHERS;
}

const struct missing_wake_step *missing_wake_named(const struct missing_wake *m)
{
	return &m->steps[m->n_steps - 1];
}
