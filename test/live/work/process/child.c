/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static void grandchild(void)
{
	role("grandchild");
	compute_ms(2500);
}

static void child(void)
{
	role("child");
	process(grandchild);
	finish();
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "child", "grandchild", "victim,child,grandchild");
	victim();
	hang_begins();
	process(child);
	int rc = finish();
	hang_ends();
	return rc;
}
