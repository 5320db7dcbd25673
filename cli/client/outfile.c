// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/client/outfile.h"

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

/* The handler of a fatal signal removes the partial file. Between fork() and exec(), a child process has
 * the handler too. But only the process pending_owner removes the file. */
static const char *volatile pending_partial;
static volatile pid_t pending_owner;

static const int fatal_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void on_fatal(int sig)
{
	if (pending_partial && pending_owner == getpid())
		unlink(pending_partial);
	raise(sig); /* the default action is set again, so this ends ctrace */
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

static int say_busy(const char *path)
{
	return cli_error("%s: another ctrace is writing it; give another name with -o", path);
}

static int say_foreign(const char *path)
{
	return cli_error(
		"%s: it exists and is not a regular file of yours; remove it, or give another name with -o",
		path);
}

static bool is_named(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * Removes a partial file that a killed ctrace left behind. The file is not used again, because a process
 * that has it open could read the new trace. Links and files of other users stay.
 *
 * *ret_old: a descriptor that locks the old file, or -1. The caller closes it when the new file exists, so
 * that two processes do not remove each other's file.
 */
static int remove_old(const struct outfile *o, int *ret_old)
{
	_cleanup_close_ int fd = open(o->partial, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	*ret_old = -1;
	if (fd < 0 && errno == ENOENT)
		return CLI_OK;
	if (fd < 0 && errno != ELOOP && errno != EACCES && errno != ENXIO)
		return cli_error("%s: cannot be written: %s; give another place for the file", o->path,
				 strerror(errno));
	if (fd < 0 && errno == EACCES && lstat(o->partial, &st))
		return cli_error("%s: cannot be written: %s; give another place for the file", o->path,
				 strerror(errno));
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink > 1)
		return say_foreign(o->partial);
	if (flock(fd, LOCK_EX | LOCK_NB) || !is_named(fd, o->partial))
		return say_busy(o->path);
	if (unlink(o->partial))
		return cli_error("%s: cannot be removed: %s; give another name with -o", o->partial,
				 strerror(errno));
	*ret_old = TAKE_FD(fd);
	return CLI_OK;
}

/* Only the user and root can open the new file, whatever the umask is. */
static int make_partial(struct outfile *o)
{
	_cleanup_close_ int old = -1;
	int r = remove_old(o, &old);

	if (r)
		return r;
	o->fd = open(o->partial, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (o->fd < 0 && errno == EEXIST)
		return say_busy(o->path);
	if (o->fd < 0 || fchmod(o->fd, 0600))
		return cli_error("%s: cannot be written: %s; give another place for the file", o->path,
				 strerror(errno));
	return flock(o->fd, LOCK_EX | LOCK_NB) ? say_busy(o->path) : CLI_OK;
}

int outfile_open(const char *path, struct outfile *ret)
{
	struct outfile o = OUTFILE_NONE;
	struct stat st;
	int r;

	o.path = path ? strdup(path) : default_name();
	if (!o.path || asprintf(&o.partial, "%s.partial", o.path) < 0) {
		free(o.path);
		return cli_error("out of memory");
	}
	if (!stat(o.path, &st) && !S_ISREG(st.st_mode))
		r = cli_error("%s: %s; give -o the name of a file", o.path,
			      S_ISDIR(st.st_mode) ? "it is a directory"
						  : "it exists and is not a regular file");
	else
		r = make_partial(&o);
	if (!r) {
		guard(o.partial);
		*ret = o;
		return CLI_OK;
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
		return cli_error(
			"%s: cannot be finished: %s; free some room, or give another place for the file",
			o->path, strerror(errno));
	unguard();
	free(TAKE_PTR(o->partial));
	if (!is_named(o->fd, o->path))
		return cli_error(
			"%s: another program put a file there; give a directory that only you can write with -o",
			o->path);
	r = syncdir_of(o->path);
	return r ? cli_error(
			   "%s: its name may not survive a power failure: %s; see the kernel log about the disk",
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
