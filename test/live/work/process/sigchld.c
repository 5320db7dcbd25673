/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static void on_child(int sig)
{
}

static void child(void)
{
	role("child");
	compute_ms(2600);
}

int main(void)
{
	sigset_t block, old;

	expect("long-wait", "busy|slow-peer", "signal|child", "child", "victim,child");
	signal(SIGCHLD, on_child);
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &old);
	process(child);
	victim();
	nap_ms(50);
	hang_begins();
	sigsuspend(&old);
	hang_ends();
	return finish();
}
