/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

enum { ROUNDS = 6 };
static struct stamp *sent;

static void sender(void)
{
	role("sender");
	for (int i = 0; i <= ROUNDS; i++) {
		compute_ms(i < ROUNDS ? 10 : 2600);
		sent[i] = stamp();
		kill(getppid(), SIGRTMIN);
	}
}

int main(void)
{
	sigset_t set;
	int sig;

	expect("long-wait", "busy|slow-peer", "signal", "sender", "victim,sender");
	sigemptyset(&set);
	/* Real-time signals are queued, so none is lost while another one is pending. */
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sent = shared((ROUNDS + 1) * sizeof(*sent));
	process(sender);
	victim();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			hang_begins();
		sigwait(&set, &sig);
		caused("signal", sent[i], SEEN);
	}
	hang_ends();
	return finish();
}
