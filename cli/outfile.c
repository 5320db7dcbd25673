// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/cli.h"
#include "lib/cleanup.h"
#include "lib/syncdir.h"

/* What a signal that ends us has to remove first, and whose it is: a child has these handlers too until it
 * executes another program. */
static const char *volatile pending_partial;
static volatile pid_t pending_owner;

static const int fatal_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void on_fatal(int sig)
{
	if (pending_partial && pending_owner == getpid())
		unlink(pending_partial);
	raise(sig); /* the action has been reset: it ends us as soon as we return */
}

static void guard(const char *partial)
{
	struct sigaction sa = { .sa_handler = on_fatal, .sa_flags = (int)SA_RESETHAND }, old;

	pending_owner = getpid();
	pending_partial = partial;
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		if (!sigaction(fatal_signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(fatal_signals[i], &sa, NULL);
}

static void unguard(void)
{
	struct sigaction old;

	pending_partial = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		if (!sigaction(fatal_signals[i], NULL, &old) && old.sa_handler == on_fatal)
			signal(fatal_signals[i], SIG_DFL);
}

static char *default_name(void)
{
	time_t now = time(NULL);
	char buf[64];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(buf, sizeof(buf), "ctrace-%Y%m%d-%H%M%S.ctr", &tm);
	return strdup(buf);
}

/* In a directory that others may write, somebody may have put a file in our way to read what we write. */
static bool ours(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1;
}

int outfile_open(const char *path, struct outfile *ret)
{
	struct outfile o = OUTFILE_NONE;
	struct stat st;

	o.path = path ? strdup(path) : default_name();
	if (!o.path || asprintf(&o.partial, "%s.partial", o.path) < 0) {
		free(o.path);
		return cli_error("out of memory");
	}
	if (!stat(o.path, &st) && !S_ISREG(st.st_mode)) {
		cli_error("%s: %s; give -o the name of a file", o.path,
			  S_ISDIR(st.st_mode) ? "it is a directory" : "it is there and is no regular file");
	} else {
		o.fd = open(o.partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (o.fd < 0)
			cli_error("%s: cannot be written: %s; give another place with -o", o.path,
				  strerror(errno));
		else if (!ours(o.fd))
			cli_error("%s: it is there and belongs to somebody else; remove it, or give another "
				  "name with -o",
				  o.partial);
		else if (flock(o.fd, LOCK_EX | LOCK_NB) || ftruncate(o.fd, 0))
			cli_error("%s: another ctrace is writing it; give another name with -o", o.path);
		else {
			guard(o.partial);
			*ret = o;
			return CLI_OK;
		}
	}
	if (o.fd >= 0)
		close(o.fd);
	free(o.path);
	free(o.partial);
	return CLI_FAILED;
}

int outfile_commit(struct outfile *o)
{
	int r;

	if (fsync(o->fd) || rename(o->partial, o->path))
		return cli_error("%s: cannot be finished: %s; free some room or give another place with -o",
				 o->path, strerror(errno));
	unguard();
	free(TAKE_PTR(o->partial));
	r = syncdir_of(o->path);
	return r ? cli_error(
			   "%s: its name may not outlast a power cut: %s; see the kernel log about the disk",
			   o->path, strerror(-r))
		 : CLI_OK;
}

void outfile_done(struct outfile *o)
{
	if (o->partial) {
		unlink(o->partial);
		unguard();
	}
	if (o->fd >= 0)
		close(o->fd);
	free(o->partial);
	free(o->path);
	*o = (struct outfile)OUTFILE_NONE;
}
