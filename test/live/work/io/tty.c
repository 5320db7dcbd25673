/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static int master;

static void terminal(void)
{
	struct pollfd none = { .fd = -1 };

	role("terminal");
	poll(&none, 1, 2600);
	CHECK(write(master, "y\n", 2));
	nap_ms(100);
}

int main(void)
{
	char line[16];

	expect("normal|long-wait", "external|none|slow-peer|timer", "input", "victim,terminal", "victim");
	master = CHECK(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
	CHECK(grantpt(master));
	CHECK(unlockpt(master));
	int tty = CHECK(open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC));
	process(terminal);
	close(master);
	victim();
	hang_begins();
	CHECK(read(tty, line, sizeof(line)));
	hang_ends();
	return finish();
}
