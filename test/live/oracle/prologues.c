// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * prologues.c - functions that begin with different instructions, for `ctrace delay`. Four threads
 * call each of them 20 times, side by side. Exit status 1: a function did not do its work.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 4
#define ROUNDS  20

static long done;

__attribute__((noinline, used)) static void work(void)
{
	struct timespec t = { 0, 200000 };

	nanosleep(&t, NULL);
	__atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
}

#if defined(__x86_64__)
#define FUNCTION(name, first, last)                                                                          \
	__attribute__((naked, noinline)) static void name(void)                                              \
	{                                                                                                    \
		__asm__(first "\n\tcall work\n\t" last "\n\tret");                                           \
	}
FUNCTION(begins_with_push, "push %rbx", "pop %rbx")
FUNCTION(begins_with_push_r12, "push %r12", "pop %r12")
FUNCTION(begins_with_sub, "sub $8,%rsp", "add $8,%rsp")
FUNCTION(begins_with_endbr, "endbr64\n\tpush %rbp", "pop %rbp")
FUNCTION(begins_with_lea, "lea -8(%rsp),%rsp", "lea 8(%rsp),%rsp")

static void *call_all(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		begins_with_push();
		begins_with_push_r12();
		begins_with_sub();
		begins_with_endbr();
		begins_with_lea();
	}
	return arg;
}
#define FUNCTIONS 5
#else
static void *call_all(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		work();
	return arg;
}
#define FUNCTIONS 1
#endif

int main(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, call_all, NULL))
			exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return done == THREADS * ROUNDS * FUNCTIONS ? 0 : 1;
}
