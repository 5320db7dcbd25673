/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The victim waits for a process that is not its child. */
#include "work.h"
#include <sys/syscall.h>

static void job(void)
{
	role("job");
	compute_ms(2600);
}

static pid_t job_pid;

static void watcher(void)
{
	struct pollfd p = { .events = POLLIN };

	victim();
	p.fd = CHECK(syscall(SYS_pidfd_open, job_pid, 0));
	hang_begins();
	CHECK(poll(&p, 1, -1));
	hang_ends();
}

int main(void)
{
	expect("long-wait", "busy|slow-peer", "child", "job", "victim,job");
	job_pid = process(job);
	nap_ms(50);
	process(watcher);
	return finish();
}
