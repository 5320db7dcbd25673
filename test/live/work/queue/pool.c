/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both workers are busy with long jobs of other clients, while the victim's short job is queued. */
#include "work.h"

static int listener, answers;
static uint16_t port;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

struct job {
	int client;
	bool is_long;
	struct stamp by;
};
static struct job queue[8], finished[8];
static int head, tail, n_finished;

static void work(const char *name)
{
	role(name);
	for (;;) {
		pthread_mutex_lock(&lock);
		long before = sleeps();
		while (head == tail)
			pthread_cond_wait(&more, &lock);
		struct job job = queue[head++];
		caused("post", job.by, before);
		pthread_mutex_unlock(&lock);
		compute_ms(job.is_long ? 2700 : 1);
		pthread_mutex_lock(&lock);
		job.by = stamp();
		finished[n_finished++] = job;
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
		long before = sleeps();
		CHECK(epoll_wait(ep, &e, 1, -1));
		bool slept = sleeps() != before;
		pthread_mutex_lock(&lock);
		if (e.data.fd == listener) {
			e = (struct epoll_event){ .events = EPOLLIN };
			e.data.fd = accept_after(listener, before);
			CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, e.data.fd, &e));
		} else if (e.data.fd == answers) {
			CHECK(eventfd_read(answers, &v));
			for (; answered < n_finished; answered++) {
				caused("eventfd", finished[answered].by, slept ? before : sleeps());
				tell(finished[answered].client);
				slept = false;
			}
		} else {
			struct stamp asked = hear(e.data.fd);
			CHECK(epoll_ctl(ep, EPOLL_CTL_DEL, e.data.fd, &e));
			queue[tail] =
				(struct job){ .client = e.data.fd, .is_long = asked.note, .by = stamp() };
			tail++;
			pthread_cond_signal(&more);
		}
		pthread_mutex_unlock(&lock);
	}
}

static void rival(void)
{
	role("rival");
	int s = tcp_connect(port);

	tell_note(s, 1);
	hear(s);
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
	tell(s);
	hear(s);
	hang_ends();
	return finish();
}
