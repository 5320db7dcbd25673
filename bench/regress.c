// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * regress.c - a command that does a little of everything, and more of one thing on request.
 *
 *   regress [-t MS] [KIND PERCENT]
 *
 * The command takes about MS ms (default: 100). KIND is the part that takes longer, by about
 * PERCENT % of this time:
 *   lock       main waits longer for a mutex that a worker holds
 *   cpu        main computes longer
 *   sleep      main sleeps longer
 *   fsync      main syncs a file in the present directory for a longer time
 *   fsyncs     main syncs this file more often; on a slow disk, this takes longer than PERCENT says
 *   query      main sends more queries to another process, one for each of many rows, and waits for
 *              each answer
 *   pool       a pool of eight threads has fewer threads, so that its jobs take longer: by 2.5, 5,
 *              10 or 15 % (7, 6, 5 or 4 threads)
 *   cache      a cache is smaller, so main reads and parses an item again more often
 *   neighbour  the command itself does not change, but it locks the file "neighbour.lock" in the
 *              present directory; bench/check/run starts programs that compute while this file is locked
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_US 1000LL
#define NS_PER_MS 1000000LL
#define MS_MAX    10000

/* The times of the parts, for a command of 100 ms. share_of() fits them to the length of this run. */
#define LOCK_NS  (20 * NS_PER_MS)
#define CPU_NS   (26 * NS_PER_MS)
#define SLEEP_NS (15 * NS_PER_MS)
#define FSYNC_NS (20 * NS_PER_MS)
#define JOB_NS   (2500 * NS_PER_US)
#define ITEM_NS  (100 * NS_PER_US) /* the time to read and parse an item */

#define SYNC_NS (300 * NS_PER_US) /* about the time of one fsync on a fast, idle disk */

#define POOL_THREADS 8
#define POOL_JOBS    48

#define CACHE_ITEMS   64
#define CACHE_LOOKUPS 400
#define ITEM_BYTES    512

#define QUERY_NS (100 * NS_PER_US)

static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begin;
static int64_t whole_ms = 100; /* set once, before any thread starts */
static int64_t hold_ns;
static volatile uint64_t sink;

static int64_t share_of(int64_t ns)
{
	return ns * whole_ms / 100;
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleep_for(int64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&t, NULL);
}

static void compute(int64_t ns)
{
	int64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < until)
		for (int i = 0; i < 1000; i++)
			sink += (uint64_t)i;
}

__attribute__((noinline)) static void *rebuild_index(void *arg)
{
	pthread_mutex_lock(&index_lock);
	pthread_barrier_wait(&begin);
	sleep_for(hold_ns);
	pthread_mutex_unlock(&index_lock);
	return arg;
}

__attribute__((noinline)) static void load_index(void)
{
	pthread_t worker;

	pthread_barrier_init(&begin, NULL, 2);
	if (pthread_create(&worker, NULL, rebuild_index, NULL))
		exit(1);
	pthread_barrier_wait(&begin);
	pthread_mutex_lock(&index_lock);
	pthread_mutex_unlock(&index_lock);
	pthread_join(worker, NULL);
}

__attribute__((noinline)) static void parse(int64_t ns)
{
	compute(ns);
}

__attribute__((noinline)) static void wait_for_peer(int64_t ns)
{
	sleep_for(ns);
}

/* Opens a new file without a name in the present directory. */
static int new_file(void)
{
	char name[] = "regress.XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0)
		exit(1);
	unlink(name);
	return fd;
}

/* Syncs a file again and again, for ns nanoseconds, and then `more` times. */
__attribute__((noinline)) static void save(int64_t ns, int64_t more)
{
	static const char row[] = "a row of the file";
	int fd = new_file();
	int64_t until = now(CLOCK_MONOTONIC) + ns;

	while (now(CLOCK_MONOTONIC) < until || more-- > 0)
		if (write(fd, row, sizeof(row)) < 0 || fsync(fd))
			exit(1);
	close(fd);
}

/* The number of jobs that no thread of the pool has taken yet. A job only sleeps, as if it waited
 * for another machine. */
static int jobs_left = POOL_JOBS;
static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void *work(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", (int)(intptr_t)arg);
	pthread_setname_np(pthread_self(), name);
	for (;;) {
		bool left;

		pthread_mutex_lock(&jobs_lock);
		left = jobs_left-- > 0;
		pthread_mutex_unlock(&jobs_lock);
		if (!left)
			return NULL;
		sleep_for(share_of(JOB_NS));
	}
}

__attribute__((noinline)) static void run_jobs(int64_t more_ns)
{
	pthread_t pool[POOL_THREADS];
	int64_t job_ns = share_of(JOB_NS),
		enough_ns = POOL_JOBS / POOL_THREADS * job_ns + more_ns - job_ns / 4;
	int n = POOL_THREADS;

	while (n > 1 && (POOL_JOBS + n - 1) / n * job_ns < enough_ns)
		n--;
	for (int i = 0; i < n; i++)
		if (pthread_create(&pool[i], NULL, work, (void *)(intptr_t)i))
			exit(1);
	for (int i = 0; i < n; i++)
		pthread_join(pool[i], NULL);
}

__attribute__((noinline)) static void read_item(int fd, int item)
{
	char text[ITEM_BYTES];

	if (pread(fd, text, sizeof(text), item * (off_t)sizeof(text)) != sizeof(text))
		exit(1);
	compute(share_of(ITEM_NS));
}

/* Looks items up in random order, in a cache for `slots` items that forgets the item that was not used for
 * the longest time. Returns how many lookups do not find their item. fd: such an item is read from there; -1:
 * the lookups are only counted. */
__attribute__((noinline)) static int look_up(int slots, int fd)
{
	int used[CACHE_ITEMS] = { 0 }, n_cached = 0, misses = 0;
	uint64_t random = 1;

	for (int i = 1; i <= CACHE_LOOKUPS; i++) {
		int item, oldest = -1;

		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		item = (int)(random >> 58);
		if (!used[item]) {
			misses++;
			if (fd >= 0)
				read_item(fd, item);
			for (int k = 0; k < CACHE_ITEMS; k++)
				if (used[k] && (oldest < 0 || used[k] < used[oldest]))
					oldest = k;
			if (n_cached < slots)
				n_cached++;
			else if (oldest >= 0)
				used[oldest] = 0;
		}
		used[item] = i;
	}
	return misses;
}

/* Each command looks for the size of the cache in the same way, so this takes it the same time. */
static void use_cache(int64_t more_ns)
{
	int slots = CACHE_ITEMS, fd = new_file(), least = look_up(CACHE_ITEMS, -1);
	char items[CACHE_ITEMS * ITEM_BYTES] = "";

	for (int n = CACHE_ITEMS - 1; n >= CACHE_ITEMS / 2; n--)
		if ((look_up(n, -1) - least) * share_of(ITEM_NS) <= more_ns)
			slots = n;
	if (write(fd, items, sizeof(items)) != sizeof(items))
		exit(1);
	look_up(slots, fd);
	close(fd);
}

static void serve_rows(int fd)
{
	char row;

	prctl(PR_SET_NAME, "rows");
	while (read(fd, &row, 1) == 1) {
		compute(QUERY_NS);
		if (write(fd, &row, 1) != 1)
			break;
	}
	_exit(0);
}

/* Sends one query for the list of rows, and one more for each row. */
__attribute__((noinline)) static void show_rows(int64_t rows)
{
	int fds[2];
	char row = 0;
	pid_t server;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		exit(1);
	server = fork();
	if (server < 0)
		exit(1);
	if (!server) {
		close(fds[0]);
		serve_rows(fds[1]);
	}
	close(fds[1]);
	for (int64_t i = 0; i <= rows; i++)
		if (write(fds[0], &row, 1) != 1 || read(fds[0], &row, 1) != 1)
			exit(1);
	close(fds[0]);
	waitpid(server, NULL, 0);
}

static void wake_neighbours(void)
{
	int fd = open("neighbour.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || flock(fd, LOCK_EX))
		exit(1);
}

int main(int argc, char **argv)
{
	const char *kind;
	int64_t more;

	if (argc > 2 && !strcmp(argv[1], "-t")) {
		whole_ms = atoi(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (whole_ms < 1 || whole_ms > MS_MAX)
		return 2;
	kind = argc > 2 ? argv[1] : "";
	more = argc > 2 ? (int64_t)(atof(argv[2]) / 100 * (double)(whole_ms * NS_PER_MS)) : 0;
	if (!strcmp(kind, "neighbour"))
		wake_neighbours();
	hold_ns = share_of(LOCK_NS) + (strcmp(kind, "lock") ? 0 : more);
	load_index();
	parse(share_of(CPU_NS) + (strcmp(kind, "cpu") ? 0 : more));
	wait_for_peer(share_of(SLEEP_NS) + (strcmp(kind, "sleep") ? 0 : more));
	save(share_of(FSYNC_NS) + (strcmp(kind, "fsync") ? 0 : more),
	     strcmp(kind, "fsyncs") ? 0 : more / SYNC_NS);
	run_jobs(strcmp(kind, "pool") ? 0 : more);
	use_cache(strcmp(kind, "cache") ? 0 : more);
	show_rows(strcmp(kind, "query") ? 0 : more / QUERY_NS);
	return 0;
}
