/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

enum { ROUNDS = 12 };

static int program(bool last)
{
	if (last)
		role("program");
	compute_ms(last ? 2500 : 2);
	told_ends(getpid(), getppid(), 0);
	return 0;
}

static void run_quick(void)
{
	execl("/proc/self/exe", "program", "quick", NULL);
	die("exec");
}

static void run_last(void)
{
	execl("/proc/self/exe", "program", "last", NULL);
	die("exec");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return program(!strcmp(argv[1], "last"));
	int rc = 0;

	expect("long-wait", "busy|slow-peer", "child", "program", "victim,program");
	victim();
	for (int i = 0; i < ROUNDS; i++)
		reap(process(run_quick), &rc);
	hang_begins();
	reap(process(run_last), &rc);
	hang_ends();
	return rc;
}
