/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

int main(void)
{
	char path[64], line[64] = "";
	pid_t sleeper = 0;
	int p[2];

	expect("long-wait", "timer|slow-peer", "pipe", "sleeper", "victim,shell,sleeper");
	CHECK(pipe2(p, O_CLOEXEC));
	victim();
	pid_t shell = CHECK(fork());
	if (shell == 0) {
		dup2(p[1], 1);
		execl("/bin/sh", "sh", "-c", "sleep 2.6; echo done", NULL);
		_exit(1);
	}
	close(p[1]);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", shell, shell);
	for (int i = 0; i < 100 && sleeper <= 0; i++) {
		nap_ms(5);
		FILE *f = fopen(path, "r");
		if (f && fscanf(f, "%d", &sleeper) != 1)
			sleeper = 0;
		if (f)
			fclose(f);
	}
	say("role.shell=%d/%d\nrole.sleeper=%d/%d\n", shell, shell, sleeper, sleeper);
	hang_begins();
	CHECK(read(p[0], line, sizeof(line)));
	hang_ends();
	return finish();
}
