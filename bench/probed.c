// SPDX-License-Identifier: GPL-2.0-or-later
/* probed.c - functions for probes, one for each kind of probe that has a price of its own
 * (doc/frameworks.md, "What it costs"). bench/probes puts the probes. Prints the CPU time of a call of
 * each function, in ns. Without probes, these are the prices of the bare calls. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "share/ctrace-jobs.h"

/* A batch makes few enough records for the ring of the daemon. The rest lets the daemon empty it. */
enum { BATCHES = 200, CALLS = 500 };

/* The two arguments of each function are the queue and the job. */
void probed_emulated(const void *queue, const void *job);
void probed_returns(const void *queue, const void *job);
void probed_stepped(const void *queue, const void *job);

#if defined(__x86_64__)
#define FUNCTION(name, code)                                                                                 \
	__asm__(".text\n.globl " name "\n.type " name ", @function\n" name ":\n" code "ret\n.size " name     \
		", . - " name "\n")
FUNCTION("probed_emulated", "push %rbp\npop %rbp\n");
FUNCTION("probed_returns", "push %rbp\npop %rbp\n");
FUNCTION("probed_stepped", "mov %rsi, %rdx\nmov %rdi, %rax\n");
#else
__attribute__((noinline)) void probed_emulated(const void *queue, const void *job)
{
	__asm__ volatile("" ::"r"(queue), "r"(job));
}

__attribute__((noinline)) void probed_returns(const void *queue, const void *job)
{
	__asm__ volatile("" ::"r"(queue), "r"(job));
}

__attribute__((noinline)) void probed_stepped(const void *queue, const void *job)
{
	__asm__ volatile("" ::"r"(queue), "r"(job));
}
#endif

static void probed_note(const void *queue, const void *job)
{
	ctrace_job_enqueue(queue, job);
}

static const struct {
	const char *name;
	void (*fn)(const void *queue, const void *job);
} kinds[] = {
	{ "note", probed_note },
	{ "emulated", probed_emulated },
	{ "returns", probed_returns },
	{ "stepped", probed_stepped },
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(void)
{
	const struct timespec rest = { .tv_nsec = 5000000 };

	for (unsigned k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		uint64_t least_ns = UINT64_MAX, sum_ns = 0;

		for (unsigned batch = 0; batch < BATCHES; batch++) {
			uint64_t ns = cpu_ns();

			for (unsigned i = 1; i <= CALLS; i++)
				kinds[k].fn(kinds, (const char *)kinds + i);
			ns = cpu_ns() - ns;
			sum_ns += ns;
			least_ns = ns < least_ns ? ns : least_ns;
			nanosleep(&rest, NULL);
		}
		printf("%s %.1f %.1f\n", kinds[k].name, (double)least_ns / CALLS,
		       (double)sum_ns / ((double)BATCHES * CALLS));
	}
	return 0;
}
