/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"
#include <sys/ptrace.h>

static int listener;
static struct gate up;
static pid_t server_pid;

static void server(void)
{
	role("server");
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	gate_open(up);
	int c = CHECK(accept(listener, NULL, NULL));
	get(c);
	put(c);
}

static void debugger(void)
{
	role("debugger");
	if (ptrace(PTRACE_SEIZE, server_pid, 0, 0) || ptrace(PTRACE_INTERRUPT, server_pid, 0, 0))
		_exit(77);
	waitpid(server_pid, NULL, __WALL);
	nap_ms(2700);
	ptrace(PTRACE_DETACH, server_pid, 0, 0);
}

int main(void)
{
	expect("long-wait", "stopped", "unix", "server,debugger", "victim,server");
	listener = unix_listen("tr");
	up = gate_new();
	server_pid = process(server);
	gate_wait(up);
	process(debugger);
	victim();
	int s = unix_connect("tr");
	nap_ms(100);
	hang_begins();
	put(s);
	get(s);
	hang_ends();
	return finish();
}
