/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Normal life: a driver runs short jobs one after the other, some in pairs, for two seconds. */
#include "work.h"

static void job(void)
{
	compute_ms(15);
	nap_ms(2);
}

int main(void)
{
	uint64_t end = mono_ns() + 2000000000ULL;

	expect("normal", "none", "-", "-", "victim");
	victim();
	hang_begins();
	while (mono_ns() < end) {
		pid_t a = process(job), b = process(job);
		waitpid(a, NULL, 0);
		waitpid(b, NULL, 0);
		compute_ms(2);
	}
	hang_ends();
	return finish();
}
