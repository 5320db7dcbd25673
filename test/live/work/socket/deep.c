/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A TCP client waits for a thread, the thread for a mutex, the mutex's owner for a helper that sleeps. */
#include "work.h"

static int listener, answer[2];
static uint16_t port;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gate held;

static void helper(void)
{
	role("helper");
	nap_ms(2700);
	tell(answer[1]);
}

static void owner(void)
{
	role("owner");
	pthread_mutex_lock(&lock);
	gate_open(held);
	hear(answer[0]);
	pthread_mutex_unlock(&lock);
}

static void server(void)
{
	process(helper);
	pthread_t t = thread(owner);
	role("server");
	int c = accept_one(listener);
	hear(c);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	tell(c);
	join(t);
	finish();
}

int main(void)
{
	expect("long-wait", "slow-peer|timer|lock-holder", "tcp", "helper", "victim,server,owner,helper");
	listener = tcp_listen(&port);
	CHECK(pipe(answer));
	held = gate_new();
	process(server);
	gate_wait(held);
	victim();
	int s = tcp_connect(port);
	hang_begins();
	tell(s);
	hear(s);
	hang_ends();
	return finish();
}
