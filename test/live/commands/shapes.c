// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shapes.c - pages that repeat work in four ways that grow with the data.
 *
 *   shapes SHAPE DIR N...    makes a page for each N, between the marks `page`
 *
 *   save    the history has N entries, and each page saves the whole history anew, entry by entry: it
 *           locks, writes and unlocks the file for each entry
 *   search  the page needs the entry with index N of a linked list: it asks a server for the next entry N
 *           times
 *   pairs   the page looks at all N items for each of N items: it puts N * N jobs into a queue
 *   rows    the page has N rows: it starts `sqlite3` once for the list, and once for each row
 *
 * Each page also sends 12 messages to a log, however large N is: a repetition that does not grow. DIR is a
 * directory for sockets and files.
 */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "share/ctrace-jobs.h"
#include "share/ctrace-marks.h"

#define LOG_MESSAGES 12
#define ENTRY_BYTES  32

extern char **environ;

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static struct sockaddr_un address(const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", name);
	return a;
}

/* Starts a process that answers each message with one byte, or with nothing. Returns a connection to it. */
static int server(const char *name, int answers)
{
	struct sockaddr_un a = address(name);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), peer;
	char c;

	must(fd >= 0 && !bind(fd, (struct sockaddr *)&a, sizeof(a)) && !listen(fd, 1), name);
	if (fork() == 0) {
		peer = accept(fd, NULL, NULL);
		while (peer >= 0 && read(peer, &c, 1) == 1)
			if (answers)
				must(write(peer, &c, 1) == 1, "answer");
		_exit(0);
	}
	close(fd);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(fd >= 0 && !connect(fd, (struct sockaddr *)&a, sizeof(a)), name);
	return fd;
}

/* save: N entries of the history */
static void save(int n)
{
	int fd = open("history.db", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char entry[ENTRY_BYTES] = "an entry";
	struct flock lock = { .l_whence = SEEK_SET, .l_len = ENTRY_BYTES };

	must(fd >= 0, "history.db");
	for (int i = 0; i < n; i++) {
		lock.l_start = (off_t)i * ENTRY_BYTES;
		lock.l_type = F_WRLCK;
		must(!fcntl(fd, F_SETLKW, &lock), "lock");
		must(pwrite(fd, entry, sizeof(entry), lock.l_start) == sizeof(entry), "write");
		lock.l_type = F_UNLCK;
		must(!fcntl(fd, F_SETLK, &lock), "unlock");
	}
	close(fd);
}

/* search: the entry with index N of a list that only knows "the next one" */
static void search(int list, int n)
{
	char c = 'n';

	for (int i = 0; i < n; i++)
		must(write(list, &c, 1) == 1 && read(list, &c, 1) == 1, "next");
}

static struct {
	pthread_mutex_t lock;
	pthread_cond_t some, none;
	long put, taken, done;
} queue = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0 };

static const void *job_number(long i)
{
	return (const void *)(uintptr_t)i;
}

static void *work(void *arg)
{
	for (;;) {
		long job;

		pthread_mutex_lock(&queue.lock);
		while (queue.taken == queue.put)
			pthread_cond_wait(&queue.some, &queue.lock);
		job = ++queue.taken;
		pthread_mutex_unlock(&queue.lock);
		ctrace_job_start(&queue, job_number(job));
		ctrace_job_end(&queue, job_number(job));
		pthread_mutex_lock(&queue.lock);
		if (++queue.done == queue.put)
			pthread_cond_signal(&queue.none);
		pthread_mutex_unlock(&queue.lock);
	}
	return arg;
}

static void pairs(int n)
{
	for (int i = 0; i < n * n; i++) {
		pthread_mutex_lock(&queue.lock);
		ctrace_job_enqueue(&queue, job_number(++queue.put));
		pthread_cond_signal(&queue.some);
		pthread_mutex_unlock(&queue.lock);
	}
	pthread_mutex_lock(&queue.lock);
	while (queue.done != queue.put)
		pthread_cond_wait(&queue.none, &queue.lock);
	pthread_mutex_unlock(&queue.lock);
}

static void sqlite(const char *sql)
{
	char *argv[] = { "sqlite3", "shop.db", (char *)(uintptr_t)sql, NULL };
	int status = -1;
	pid_t pid;

	must(!posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) && waitpid(pid, &status, 0) == pid &&
		     !status,
	     sql);
}

static void rows(int n)
{
	char sql[64];

	sqlite("SELECT id FROM orders;");
	for (int i = 1; i <= n; i++) {
		snprintf(sql, sizeof(sql), "SELECT item FROM orders WHERE id = %d;", i);
		sqlite(sql);
	}
}

int main(int argc, char **argv)
{
	const char *shape = argc > 3 ? argv[1] : "";
	int list, log;
	pthread_t worker;

	if (argc < 4 || chdir(argv[2]))
		return 2;
	log = server("log.sock", 0);
	list = server("list.sock", 1);
	must(!pthread_create(&worker, NULL, work, NULL), "thread");
	if (!strcmp(shape, "rows"))
		sqlite("CREATE TABLE orders(id INTEGER PRIMARY KEY, item TEXT); INSERT INTO orders VALUES(1,'a'),(2,'b'),(3,'c');");
	for (int i = 3; i < argc; i++) {
		int n = atoi(argv[i]);

		ctrace_mark_begin("page", 0);
		for (int k = 0; k < LOG_MESSAGES; k++)
			must(write(log, "l", 1) == 1, "log");
		if (!strcmp(shape, "save"))
			save(n);
		else if (!strcmp(shape, "search"))
			search(list, n);
		else if (!strcmp(shape, "pairs"))
			pairs(n);
		else
			rows(n);
		ctrace_mark_end("page", 0);
	}
	return 0;
}
