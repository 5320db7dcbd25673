// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/visit_result.h"

#include <stdlib.h>

void visit_result_free(struct visit_result *r)
{
	if (!r)
		return;
	free(r->stack);
	free(r->polled);
	free(r);
}
