/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stuck NAME [TEXT] - two threads named NAME deadlock until the program is killed. Prints "tids=N,M". Ignores TEXT. */
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_barrier_t both;
static pid_t tids[2];

static void *hang(void *arg)
{
	int i = arg != NULL;

	tids[i] = gettid();
	pthread_mutex_lock(&locks[i]);
	pthread_barrier_wait(&both);
	if (i) {
		printf("tids=%d,%d\n", tids[0], tids[1]);
		fflush(stdout);
	}
	pthread_mutex_lock(&locks[!i]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 2)
		errx(2, "usage: stuck NAME [TEXT]");
	prctl(PR_SET_NAME, argv[1]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_barrier_init(&both, NULL, 2);
	if (pthread_create(&t, NULL, hang, &both))
		errx(1, "cannot start a thread");
	hang(NULL);
	return 0;
}
