/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel keeps the parent in vfork() until the child exits. */
#include "work.h"

int main(void)
{
	expect("long-wait", "busy|slow-peer", "child", "child", "victim,child");
	victim();
	hang_begins();
	pid_t p = vfork();
	if (p == 0) {
		say("role.child=%d/%d\n", getpid(), getpid());
		compute_ms(2500);
		_exit(0);
	}
	hang_ends();
	return finish();
}
