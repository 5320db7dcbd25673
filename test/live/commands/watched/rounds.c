/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rounds HOW ROUNDS - in each round, one thread polls a flag in memory. Another thread, the setter,
 * sets the flag after two seconds of sleep. HOW says which flag it is, how the first thread polls
 * it, and what else is different:
 *
 * 	global, static	a flag of the program; calls sched_yield() between two looks
 * 	library		a flag of a library; calls sched_yield() between two looks
 * 	pure		the flag of `global`; polls without a system call
 * 	naps		the flag of `static`; sleeps 10 ms between two looks
 * 	computing	as static, but the setter computes for two seconds instead of sleeping
 * 	newborn		as static, but in each round the setter starts a new thread, which sleeps
 * 			and sets the flag
 */
#include "../../work/work.h"

int library_get(void);
void library_set(int value);

volatile int global_flag;
static volatile int static_flag;
volatile long others[4];
volatile struct {
	char name[3];
	struct {
		char set;
		short ready;
	} in;
} shape;
static const char *how;
static unsigned rounds;
static struct gate round_begins;

static bool is(const char *word)
{
	return !strcmp(how, word);
}

__attribute__((noinline)) static void publish(int value)
{
	if (is("library"))
		library_set(value);
	else if (is("global") || is("pure"))
		global_flag = value;
	else
		static_flag = value;
}

static void set_late(void)
{
	if (is("computing"))
		compute_ms(2000);
	else
		nap_ms(2000);
	publish(1);
}

static void newborn(void)
{
	role("newborn");
	set_late();
}

static void setter(void)
{
	role("setter");
	for (unsigned i = 0; i < rounds; i++) {
		gate_wait(round_begins);
		if (is("newborn"))
			join(thread(newborn));
		else
			set_late();
	}
}

static void poll_flag(void)
{
	if (is("library"))
		while (!library_get())
			sched_yield();
	else if (is("pure"))
		while (!global_flag)
			;
	else if (is("global"))
		while (!global_flag)
			sched_yield();
	else if (is("naps"))
		while (!static_flag)
			nap_ms(10);
	else
		while (!static_flag)
			sched_yield();
}

int main(int argc, char *argv[])
{
	pthread_t t;

	if (argc != 3)
		return 2;
	how = argv[1];
	rounds = (unsigned)atoi(argv[2]);
	round_begins = gate_new();
	t = thread(setter);
	victim();
	for (unsigned i = 0; i < rounds; i++) {
		nap_ms(400);
		publish(0);
		gate_open(round_begins);
		hang_begins();
		poll_flag();
		hang_ends();
	}
	return join(t);
}
