/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event loop with two workers, both busy with long jobs of somebody else: the victim's short job waits in
 * the queue.  The workers answer the loop through an eventfd.
 */
#include "work.h"

static int listener, answers;
static uint16_t port;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int queue[8], head, tail, finished[8], n_finished;

static void work(const char *name)
{
	role(name);
	for (;;) {
		pthread_mutex_lock(&lock);
		while (head == tail)
			pthread_cond_wait(&more, &lock);
		int client = queue[head++];
		pthread_mutex_unlock(&lock);
		compute_ms(head <= 2 ? 2700 : 1);
		pthread_mutex_lock(&lock);
		finished[n_finished++] = client;
		pthread_mutex_unlock(&lock);
		CHECK(eventfd_write(answers, 1));
	}
}

static void worker1(void)
{
	work("worker1");
}

static void worker2(void)
{
	work("worker2");
}

static void loop(void)
{
	struct epoll_event e;
	eventfd_t v;
	int ep = CHECK(epoll_create1(EPOLL_CLOEXEC)), answered = 0;

	role("loop");
	answers = CHECK(eventfd(0, EFD_CLOEXEC));
	thread(worker1);
	thread(worker2);
	e = (struct epoll_event){ .events = EPOLLIN, .data.fd = listener };
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e));
	e.data.fd = answers;
	CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, answers, &e));
	while (answered < 3) {
		CHECK(epoll_wait(ep, &e, 1, -1));
		pthread_mutex_lock(&lock);
		if (e.data.fd == listener) {
			e = (struct epoll_event){ .events = EPOLLIN };
			e.data.fd = CHECK(accept(listener, NULL, NULL));
			CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, e.data.fd, &e));
		} else if (e.data.fd == answers) {
			CHECK(eventfd_read(answers, &v));
			for (; answered < n_finished; answered++)
				put(finished[answered]);
		} else {
			get(e.data.fd);
			CHECK(epoll_ctl(ep, EPOLL_CTL_DEL, e.data.fd, &e));
			queue[tail++] = e.data.fd;
			pthread_cond_signal(&more);
		}
		pthread_mutex_unlock(&lock);
	}
}

static void rival(void)
{
	role("rival");
	int s = tcp_connect(port);

	put(s);
	get(s);
}

int main(void)
{
	expect("long-wait", "queueing|busy", "tcp", "worker1,worker2", "victim,loop");
	listener = tcp_listen(&port);
	process(loop);
	process(rival);
	process(rival);
	nap_ms(100);
	victim();
	int s = tcp_connect(port);
	hang_begins();
	put(s);
	get(s);
	hang_ends();
	return finish();
}
