/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"
#include <spawn.h>

int main(void)
{
	char *argv[] = { "true", NULL }, *env[] = { NULL };
	uint64_t end = mono_ns() + 2000000000ULL;
	pid_t p;

	expect("normal|long-running|long-wait", "none|busy|chatty", "-", "-", "victim");
	victim();
	hang_begins();
	while (mono_ns() < end) {
		errno = posix_spawn(&p, "/bin/true", NULL, NULL, argv, env);
		if (errno)
			die("posix_spawn");
		waitpid(p, NULL, 0);
	}
	hang_ends();
	return 0;
}
