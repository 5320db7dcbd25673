/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static void server(void)
{
	role("server");
	compute_ms(2200);
	hear(accept_one(unix_listen("late")));
}

int main(void)
{
	struct sockaddr_un a;
	socklen_t len = unix_address(&a, "late");

	expect("repeated-yield|long-wait", "polling|timer|busy|slow-peer", "-", "victim,server", "victim");
	process(server);
	victim();
	int fd = CHECK(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
	hang_begins();
	for (unsigned ms = 10;; ms = ms < 320 ? ms * 2 : ms) {
		told_fds[fd].asked_ns = mono_ns();
		if (connect(fd, (struct sockaddr *)&a, len) == 0)
			break;
		nap_ms(ms);
	}
	hang_ends();
	tell(fd);
	return finish();
}
