/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process waits for a signal that another one sends late. */
#include "work.h"

static void sender(void)
{
	role("sender");
	compute_ms(2600);
	kill(getppid(), SIGUSR1);
}

int main(void)
{
	sigset_t set;
	int sig;

	expect("long-wait", "busy|slow-peer", "signal", "sender", "victim,sender");
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	process(sender);
	victim();
	nap_ms(50);
	hang_begins();
	sigwait(&set, &sig);
	hang_ends();
	return finish();
}
