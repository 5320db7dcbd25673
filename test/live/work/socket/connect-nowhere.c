/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

int main(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(80),
				 .sin_addr.s_addr = inet_addr("10.253.78.2") };
	struct pollfd p = { .events = POLLOUT };

	expect("long-wait", "network|external", "tcp", "victim", "victim");
	/* The other end of the veth pair drops packets to a foreign MAC address. */
	if (unshare(CLONE_NEWNET) ||
	    system("ip link add ctl-d type veth peer name ctl-e && ip addr add 10.253.78.1/24 dev ctl-d &&"
		   " ip link set ctl-d up && ip link set ctl-e up &&"
		   " ip neigh add 10.253.78.2 lladdr 02:00:00:00:00:02 dev ctl-d"))
		skip("no network namespaces or no veth here");
	victim();
	p.fd = CHECK(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	hang_begins();
	connect(p.fd, (struct sockaddr *)&a, sizeof(a));
	CHECK(poll(&p, 1, 2500));
	hang_ends();
	return 0;
}
