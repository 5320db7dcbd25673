// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/sheet/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "lib/cleanup.h"

#define ARGS_MAX 16

static const char *pager_command(void)
{
	const char *own = getenv("CTRACE_PAGER"), *any = getenv("PAGER");

	return own ? own : any && *any ? any : "less";
}

static size_t split(char *command, char *argv[ARGS_MAX + 1])
{
	char *save = NULL, *word = strtok_r(command, " ", &save);
	size_t n = 0;

	for (; word && n < ARGS_MAX; word = strtok_r(NULL, " ", &save))
		argv[n++] = word;
	argv[n] = NULL;
	return n;
}

static bool start(struct pager *p, char *const argv[])
{
	_cleanup_close_ int in_fd = -1, out_fd = -1;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return false;
	in_fd = fds[0];
	out_fd = fds[1];
	p->terminal_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (p->terminal_fd < 0)
		return false;
	/* The value that git sets too. F: less ends at once if the text fits on the screen. R: less
	 * shows colours. X: less leaves the text on the screen when less ends. */
	setenv("LESS", "FRX", 0);
	if (cli_spawn(argv, in_fd, -1, &p->pid) || dup2(out_fd, STDOUT_FILENO) < 0) {
		close(p->terminal_fd);
		return false;
	}
	return true;
}

bool pager_begin(struct pager *p)
{
	_cleanup_free_ char *command = strdup(pager_command());
	char *argv[ARGS_MAX + 1];

	if (!command || !split(command, argv) || output_flush() || !start(p, argv))
		return false;
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = SIG_IGN }, &p->on_int);
	sigaction(SIGQUIT, &(struct sigaction){ .sa_handler = SIG_IGN }, &p->on_quit);
	cli_use_pager(true);
	return true;
}

bool pager_begin_long(struct pager *p)
{
	return isatty(STDOUT_FILENO) && pager_begin(p);
}

void pager_end(struct pager *p)
{
	(void)output_flush();
	cli_use_pager(false);
	dup2(p->terminal_fd, STDOUT_FILENO);
	close(p->terminal_fd);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &p->on_int, NULL);
	sigaction(SIGQUIT, &p->on_quit, NULL);
}
