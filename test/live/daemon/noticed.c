/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noticed NAME - makes a hang that the daemon has to notice, or behaves in a way that it must not
 * report. Most cases first behave normally, so that the daemon learns their habits.
 * Prints "tid=N": the task that the daemon has to report; 0: it must report no task.
 */
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define LIFE_MS 2500
#define HANG_MS 3000
#define TICK_MS 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_cond = PTHREAD_COND_INITIALIZER;
static unsigned queued;
static int pipes[2];

static void nap(unsigned ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

static void is_noticed(int tid)
{
	printf("tid=%d\n", tid);
	fflush(stdout);
}

static void spin(unsigned ms)
{
	struct timespec t;
	uint64_t end = 0, now;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		now = (uint64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
		end = end ?: now + ms;
	} while (now < end);
}

static pid_t start(void (*fn)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fn();
	_exit(0);
}

static void thread(void *(*fn)(void *))
{
	pthread_t t;

	if (pthread_create(&t, NULL, fn, NULL))
		errx(1, "pthread_create");
}

static void loop_for(unsigned ms)
{
	static int epoll = -1, timer;
	struct itimerspec every = { { 0, TICK_MS * 1000000L }, { 0, TICK_MS * 1000000L } };
	struct epoll_event ev = { .events = EPOLLIN };
	uint64_t n;

	if (epoll < 0) {
		epoll = epoll_create1(0);
		timer = timerfd_create(CLOCK_MONOTONIC, 0);
		if (epoll < 0 || timer < 0 || timerfd_settime(timer, 0, &every, NULL) ||
		    epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &ev))
			err(1, "epoll");
	}
	for (unsigned i = 0; i < ms / TICK_MS; i++)
		if (epoll_wait(epoll, &ev, 1, -1) < 0 || read(timer, &n, sizeof(n)) < 0)
			err(1, "epoll_wait");
}

static void *holder(void *arg)
{
	pthread_mutex_lock(&lock);
	nap(LIFE_MS + HANG_MS);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void loop_lock(void)
{
	thread(holder);
	loop_for(LIFE_MS);
	is_noticed(getpid());
	pthread_mutex_lock(&lock);
}

static void loop_pipe(void)
{
	char c;

	loop_for(LIFE_MS);
	is_noticed(getpid());
	(void)!read(pipes[0], &c, 1);
}

static void writes_late(void)
{
	nap(LIFE_MS + HANG_MS);
	(void)!write(pipes[1], "x", 1);
}

static void *worker(void *arg)
{
	is_noticed(gettid());
	for (unsigned done = 0; done < 200; done++) {
		pthread_mutex_lock(&queue_lock);
		while (!queued)
			pthread_cond_wait(&queue_cond, &queue_lock);
		queued--;
		pthread_mutex_unlock(&queue_lock);
	}
	pthread_mutex_lock(&lock);
	return NULL;
}

static void queue(void)
{
	thread(holder);
	thread(worker);
	for (unsigned i = 0; i < LIFE_MS / TICK_MS; i++) {
		nap(TICK_MS);
		pthread_mutex_lock(&queue_lock);
		queued++;
		pthread_cond_signal(&queue_cond);
		pthread_mutex_unlock(&queue_lock);
	}
	nap(HANG_MS);
}

static void busy(void)
{
	loop_for(LIFE_MS);
	is_noticed(getpid());
	spin(HANG_MS);
}

static void pin(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		exit(77);
}

static void hog(void)
{
	time_t end = time(NULL) + HANG_MS / 1000;

	pin();
	if (setpriority(PRIO_PROCESS, 0, -20))
		exit(77);
	while (time(NULL) <= end)
		;
}

static void starved(void)
{
	pid_t hogs[3];

	pin();
	setpriority(PRIO_PROCESS, 0, 9);
	loop_for(LIFE_MS);
	is_noticed(getpid());
	for (unsigned i = 0; i < 3; i++)
		hogs[i] = start(hog);
	spin(20);
	for (unsigned i = 0; i < 3; i++)
		kill(hogs[i], SIGKILL);
}

static void *second(void *arg)
{
	pthread_mutex_lock(&other);
	nap(100);
	pthread_mutex_lock(&lock);
	return NULL;
}

static void deadlock(void)
{
	thread(second);
	is_noticed(getpid());
	pthread_mutex_lock(&lock);
	nap(50);
	alarm(HANG_MS / 1000);
	pthread_mutex_lock(&other);
}

static void serve(void)
{
	char c;

	while (read(pipes[1], &c, 1) > 0)
		(void)!write(pipes[1], &c, 1);
}

static void service(void)
{
	pid_t server = (socketpair(AF_UNIX, SOCK_STREAM, 0, pipes), start(serve));
	char c = 0;

	close(pipes[1]);
	for (unsigned i = 0; i <= LIFE_MS / TICK_MS; i++) {
		if (i == LIFE_MS / TICK_MS) {
			is_noticed(getpid());
			kill(server, SIGSTOP);
			alarm(HANG_MS / 1000);
		}
		nap(TICK_MS);
		(void)!write(pipes[0], &c, 1);
		(void)!read(pipes[0], &c, 1);
	}
}

static void runs_child(void)
{
	is_noticed(0);
	loop_for(LIFE_MS);
	(void)!system("sleep 3");
}

static void reads_child(void)
{
	char c[16];
	FILE *f;

	is_noticed(0);
	loop_for(LIFE_MS);
	f = popen("sleep 3; echo x", "r");
	if (!f || !fgets(c, sizeof(c), f))
		err(1, "popen");
}

/* A job of up to 20 times the longest job so far is no hang (TIMES_BUSY). */
static void long_jobs(void)
{
	is_noticed(0);
	for (unsigned i = 0; i < 3; i++) {
		loop_for(LIFE_MS / 3);
		spin(400);
	}
	spin(HANG_MS);
}

static void *rests(void *arg)
{
	loop_for(LIFE_MS);
	pthread_mutex_lock(&queue_lock);
	pthread_cond_wait(&queue_cond, &queue_lock);
	return NULL;
}

static void no_work(void)
{
	is_noticed(0);
	thread(rests);
	nap(LIFE_MS + HANG_MS);
}

static void naps(void)
{
	loop_for(LIFE_MS);
	raise(SIGSTOP);
	loop_for(500);
}

static void stopped(void)
{
	pid_t pid = start(naps);

	is_noticed(0);
	nap(LIFE_MS + HANG_MS);
	kill(pid, SIGCONT);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*fn)(void);
	} all[] = {
		{ "loop-lock", loop_lock }, { "loop-pipe", loop_pipe },   { "loop-queue", queue },
		{ "busy", busy },           { "starved", starved },       { "deadlock", deadlock },
		{ "service", service },     { "none-child", runs_child }, { "none-output", reads_child },
		{ "none-jobs", long_jobs }, { "none-work", no_work },     { "none-stopped", stopped },
	};

	signal(SIGALRM, exit);
	for (size_t i = 0; argc == 2 && i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i].name, argv[1]))
			continue;
		/* The detector shares habits between tasks with the same name. */
		prctl(PR_SET_NAME, all[i].name);
		if (all[i].fn == loop_pipe) {
			if (pipe(pipes))
				err(1, "pipe");
			start(writes_late);
		}
		all[i].fn();
		return 0;
	}
	errx(2, "noticed NAME");
}
