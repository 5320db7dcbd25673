/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"
#include <sys/inotify.h>

int main(void)
{
	char dir[] = "live-XXXXXX";
	struct pollfd p = { .events = POLLIN };

	expect("normal", "none|timer|external", "-", "-", "victim");
	if (!mkdtemp(dir))
		die(dir);
	p.fd = CHECK(inotify_init1(IN_CLOEXEC));
	CHECK(inotify_add_watch(p.fd, dir, IN_ALL_EVENTS));
	victim();
	hang_begins();
	for (int i = 0; i < 5; i++)
		CHECK(poll(&p, 1, 500));
	hang_ends();
	return rmdir(dir);
}
