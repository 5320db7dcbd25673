/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static struct gate ready, plumbed, listening;

static int run(const char *cmd)
{
	int rc = system(cmd);

	return WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
}

static void server(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(7007),
				 .sin_addr.s_addr = INADDR_ANY };

	role("server");
	if (unshare(CLONE_NEWNET))
		_exit(77);
	gate_open(ready);
	gate_wait(plumbed);
	if (run("ip addr add 10.253.77.2/24 dev ctl-b && ip link set ctl-b up"))
		_exit(77);
	int l = CHECK(socket(AF_INET, SOCK_STREAM, 0));
	CHECK(bind(l, (struct sockaddr *)&a, sizeof(a)));
	CHECK(listen(l, 4));
	gate_open(listening);
	int c = CHECK(accept(l, NULL, NULL));
	get(c);
	compute_ms(2500);
	put(c);
}

int main(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(7007),
				 .sin_addr.s_addr = inet_addr("10.253.77.2") };
	char cmd[256];

	expect("long-wait", "busy|slow-peer", "tcp", "server", "victim,server");
	ready = gate_new();
	plumbed = gate_new();
	listening = gate_new();
	pid_t p = process(server);
	gate_wait(ready);
	snprintf(cmd, sizeof(cmd),
		 "ip link add ctl-a type veth peer name ctl-b netns %d && ip addr add 10.253.77.1/24 dev "
		 "ctl-a &&"
		 " ip link set ctl-a up",
		 p);
	if (run(cmd)) {
		slay(p);
		skip("no network namespaces or no veth here");
	}
	gate_open(plumbed);
	gate_wait(listening);
	victim();
	int s = CHECK(socket(AF_INET, SOCK_STREAM, 0));
	CHECK(connect(s, (struct sockaddr *)&a, sizeof(a)));
	hang_begins();
	put(s);
	get(s);
	hang_ends();
	run("ip link del ctl-a");
	return finish();
}
