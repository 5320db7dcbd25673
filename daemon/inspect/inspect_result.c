// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/inspect/inspect_result.h"

#include <stdlib.h>

void inspect_result_free(struct inspect_result *r)
{
	if (!r)
		return;
	free(r->stack);
	free(r->polled);
	free(r->object);
	free(r);
}
