/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static void worker(void)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&more, &lock);
}

static void client(void)
{
	pause();
}

int main(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	uint16_t port;

	expect("normal", "none|external|timer", "-", "-", "victim");
	int l = tcp_listen(&port), ep = CHECK(epoll_create1(EPOLL_CLOEXEC)), mine = tcp_connect(port);
	int c = CHECK(accept(l, NULL, NULL));
	pid_t p = process(client);
	close(mine);
	thread(worker);
	thread(worker);
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, l, &e));
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, c, &e));
	victim();
	nap_ms(50);
	hang_begins();
	CHECK(epoll_wait(ep, &e, 1, 2500));
	hang_ends();
	slay(p);
	return finish();
}
