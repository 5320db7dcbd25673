/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks its transactions with ctrace-marks.h: "order" begins in the main thread and ends in a
 * worker, "load" begins and ends in the main thread. Prints
 * "transaction=NAME ID BEGIN_TID END_TID NS" for each.
 *
 * For each order, the worker calls settle(), and then settled(). Prints "settle=TID NS" for each call.
 */
#include "work.h"

#include "../../../share/ctrace-marks.h"

#define ORDERS 40

static int pipe_fds[2];
static struct {
	long begin_ns, end_ns, settle_ns;
	int worker;
} orders[ORDERS];

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

__attribute__((noinline)) void settle(unsigned ms)
{
	nap_ms(ms);
	__asm__ volatile("" ::: "memory"); /* nap_ms() is no tail call, so settle() returns itself */
}

__attribute__((noinline)) void settled(void)
{
	__asm__ volatile("" ::: "memory");
}

static void worker(void)
{
	unsigned i;

	while (read(pipe_fds[0], &i, sizeof(i)) == sizeof(i)) {
		long ns = now_ns();

		settle(i % 10 == 9 ? 20 : 2);
		settled();
		orders[i].settle_ns = now_ns() - ns;
		ctrace_mark_end("order", i + 1);
		orders[i].end_ns = now_ns();
		orders[i].worker = gettid();
	}
}

int main(void)
{
	pthread_t t;
	long ns;

	if (pipe(pipe_fds))
		return 1;
	t = thread(worker);
	ns = now_ns();
	ctrace_mark_begin("load", 0);
	nap_ms(30);
	ctrace_mark_end("load", 0);
	say("transaction=load 0 %d %d %ld\n", gettid(), gettid(), now_ns() - ns);
	for (unsigned i = 0; i < ORDERS; i++) {
		orders[i].begin_ns = now_ns();
		ctrace_mark_begin("order", i + 1);
		if (write(pipe_fds[1], &i, sizeof(i)) != sizeof(i))
			return 1;
		nap_ms(i % 10 == 9 ? 25 : 5);
	}
	ctrace_mark_point("sent", 0);
	close(pipe_fds[1]);
	pthread_join(t, NULL);
	for (unsigned i = 0; i < ORDERS; i++)
		say("transaction=order %u %d %d %ld\n", i + 1, gettid(), orders[i].worker,
		    orders[i].end_ns - orders[i].begin_ns);
	for (unsigned i = 0; i < ORDERS; i++)
		say("settle=%d %ld\n", orders[i].worker, orders[i].settle_ns);
	return 0;
}
