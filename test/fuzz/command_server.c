// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * command_server - runs each command of ctrace in a forked child of its own, without an exec, because
 * an exec takes time. A request is a line of words with tabs between them. The answer is a line. There
 * are two requests:
 *
 * 	mutate BASE SEED FILE                  changes the trace BASE at random (seed: SEED), and
 * 	                                       writes it to FILE
 * 	run SECONDS MEGABYTES OUT ERR ARG...   runs ctrace ARG...
 *
 * The answer to mutate is "ok". The answer to run is "exit CODE KIB" or "signal NUMBER KIB".
 *
 * SECONDS is the limit of the CPU time. MEGABYTES is the limit of the address space, or 0 for no
 * limit. OUT and ERR are files for the output. KIB is the most memory that the command had in use,
 * in KiB.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "test/fuzz/mutate.h"

#undef main
int ctrace_main(int argc, char **argv);

#define WORDS_MAX 32
#define WALL_SECONDS                                                                                         \
	120                   /* SIGALRM ends a command after this time, because a command may wait for      \
				 ever */
#define OUT_BYTES (256 << 20) /* further writes fail, because ctrace ignores SIGXFSZ */

static size_t read_file(const char *path, uint8_t *p, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, p, size);

	if (n < 0)
		err(1, "%s", path);
	return (size_t)n;
}

static void write_file(const char *path, const uint8_t *p, size_t n)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, p, n) != (ssize_t)n)
		err(1, "%s", path);
}

static void do_mutate(const char *base, const char *seed, const char *to)
{
	static uint8_t buf[MUTATE_BYTES_MAX];
	struct mutate *m = mutate_new(buf, read_file(base, buf, sizeof(buf)));
	size_t n;

	if (!m)
		errx(1, "%s: that is no trace", base);
	mutate_change(m, strtoull(seed, NULL, 10), NULL);
	n = mutate_store(m, buf, sizeof(buf));
	mutate_free(m);
	write_file(to, buf, n);
	puts("ok");
}

/* For RLIMIT_CPU, SIGXCPU comes at the soft limit, and SIGKILL a second later at the hard limit. */
static void limit(int what, rlim_t value)
{
	if (setrlimit(what, &(struct rlimit){ value, value + 1 }))
		err(1, "setrlimit");
}

static _Noreturn void child(char **words, int n)
{
	unsigned long megabytes = strtoul(words[2], NULL, 10);

	if (!freopen("/dev/null", "r", stdin) || !freopen(words[3], "w", stdout) ||
	    !freopen(words[4], "w", stderr))
		_exit(125);
	alarm(WALL_SECONDS);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, OUT_BYTES);
	limit(RLIMIT_CPU, strtoul(words[1], NULL, 10));
	if (megabytes)
		limit(RLIMIT_AS, megabytes << 20);
	words[4] = "ctrace";
	exit(ctrace_main(n - 4, words + 4));
}

static void do_run(char **words, int n)
{
	struct rusage use;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		child(words, n);
	if (pid < 0 || wait4(pid, &status, 0, &use) != pid)
		err(1, "fork");
	if (WIFSIGNALED(status))
		printf("signal %d %ld\n", WTERMSIG(status), use.ru_maxrss);
	else
		printf("exit %d %ld\n", WEXITSTATUS(status), use.ru_maxrss);
}

int main(void)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		char *words[WORDS_MAX + 1] = { NULL }, *save = NULL;
		int n = 0;

		for (char *w = strtok_r(line, "\t\n", &save); w && n < WORDS_MAX;
		     w = strtok_r(NULL, "\t\n", &save))
			words[n++] = w;
		if (n == 4 && !strcmp(words[0], "mutate"))
			do_mutate(words[1], words[2], words[3]);
		else if (n > 5 && !strcmp(words[0], "run"))
			do_run(words, n);
		else
			errx(2, "that is no request");
		fflush(stdout);
	}
	return 0;
}
