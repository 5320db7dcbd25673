/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static void job(void)
{
	compute_ms(15);
	nap_ms(2);
}

int main(void)
{
	uint64_t end = mono_ns() + scaled(2000) * 1000000ULL;
	int rc = 0;

	expect("normal", "none", "-", "-", "victim");
	victim();
	hang_begins();
	while (mono_ns() < end) {
		pid_t a = process(job), b = process(job);
		reap(a, &rc);
		reap(b, &rc);
		compute_ms(2);
	}
	hang_ends();
	return rc;
}
