/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A resolver asks another server, which is stopped. No socket is connected. The other two servers of the host
 * are not asked: one idles, the other one writes to a file all the time. */
#include <fcntl.h>

#include "work.h"

enum { ROUNDS = 5 };

static struct sockaddr_in near_address, far_address;
static int near_sock, far_sock;

/* The ports that Linux chooses begin at 32768. A server mostly has a lower port. */
static int bind_low(struct sockaddr_in *ret)
{
	int s = CHECK(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));

	*ret = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	for (uint16_t port = 20000; port < 30000; port++) {
		ret->sin_port = htons(port);
		if (!bind(s, (struct sockaddr *)ret, sizeof(*ret)))
			return s;
	}
	die("bind");
	return -1;
}

static void ask(int s, const struct sockaddr_in *to)
{
	CHECK(sendto(s, "ask", 3, 0, (const struct sockaddr *)to, sizeof(*to)));
}

static void answer_all(int s, void (*work)(void))
{
	struct sockaddr_in from;
	char c[3];

	for (;;) {
		socklen_t len = sizeof(from);

		CHECK(recvfrom(s, c, sizeof(c), 0, (struct sockaddr *)&from, &len));
		if (work)
			work();
		CHECK(sendto(s, c, sizeof(c), 0, (struct sockaddr *)&from, len));
	}
}

static void upstream(void)
{
	close(near_sock);
	role("upstream");
	answer_all(far_sock, NULL);
}

static void ask_upstream(void)
{
	struct pollfd p = { .fd = CHECK(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)), .events = POLLIN };
	char c[3];

	ask(p.fd, &far_address);
	CHECK(poll(&p, 1, -1));
	CHECK(recvfrom(p.fd, c, sizeof(c), 0, NULL, NULL));
	close(p.fd);
}

static void resolver(void)
{
	close(far_sock);
	role("resolver");
	answer_all(near_sock, ask_upstream);
}

static void idle(void)
{
	struct sockaddr_in a;
	int s = bind_low(&a);

	close(near_sock);
	close(far_sock);
	bystander("idle");
	answer_all(s, NULL);
}

static void writer(void)
{
	struct sockaddr_in a;
	int file = CHECK(open("file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));

	close(near_sock);
	close(far_sock);
	bystander("writer");
	CHECK(bind_low(&a));
	for (;;) {
		CHECK(write(file, "x", 1));
		nap_ms(1);
	}
}

static void client(void)
{
	int s = CHECK(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	char c[3];

	victim();
	for (int i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS) {
			nap_ms(200);
			hang_begins();
		}
		ask(s, &near_address);
		CHECK(recvfrom(s, c, sizeof(c), 0, NULL, NULL));
	}
	hang_ends();
}

int main(void)
{
	pid_t servers[4], p;
	int rc = 0;

	expect("long-wait", "stopped", "udp", "upstream,stopper", "victim,resolver,upstream");
	role("stopper");
	far_sock = bind_low(&far_address);
	near_sock = bind_low(&near_address);
	servers[0] = process(upstream);
	servers[1] = process(resolver);
	servers[2] = process(idle);
	servers[3] = process(writer);
	close(far_sock);
	close(near_sock);
	p = process(client);
	nap_ms(100);
	kill(servers[0], SIGSTOP);
	nap_ms(2600);
	kill(servers[0], SIGCONT);
	reap(p, &rc);
	for (size_t i = 0; i < sizeof(servers) / sizeof(*servers); i++)
		slay(servers[i]);
	return rc | finish();
}
