// SPDX-License-Identifier: GPL-2.0-or-later
/* marker - leaves numbered marks in a trace. Every 10 ms, it prints the number of the mark and the
 * boot time in ns, and sends itself a signal. Runs until it is killed. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel does not use these codes for its own signals. */
#define MARK_CODE(n) (-256 - (int)((n) % 32000))

static void ignore(int sig)
{
}

int main(void)
{
	struct timespec t, nap = { 0, 10000000 };
	siginfo_t info;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, ignore);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("tid %d\n", getpid());
	for (unsigned n = 0;; n++) {
		clock_gettime(CLOCK_BOOTTIME, &t);
		printf("%u %llu\n", n, (unsigned long long)t.tv_sec * 1000000000 + t.tv_nsec);
		memset(&info, 0, sizeof(info));
		info.si_code = MARK_CODE(n);
		if (syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, &info))
			return 1;
		nanosleep(&nap, NULL);
	}
}
