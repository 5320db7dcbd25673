// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/client/oneshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

#define DIR_PREFIX    "ctrace-record."
#define STALE_AFTER_S 60

struct oneshot {
	char *dir, *socket, *trace, *log;
	int dir_fd; /* locked, so that no other ctrace removes the directory */
	pid_t pid;
	uint64_t size_bytes;
	const char *frameworks; /* valid only while the daemon starts */
	sigset_t old_mask;
	bool masked;
};

const char *oneshot_socket(const struct oneshot *r)
{
	return r->socket;
}

const char *oneshot_trace(const struct oneshot *r)
{
	return r->trace;
}

const sigset_t *oneshot_old_mask(const struct oneshot *r)
{
	return &r->old_mask;
}

sigset_t oneshot_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGCHLD);
	return set;
}

/* Removes the files through the descriptor, not by the path: if another user owns the parent
 * directory, the path may lead elsewhere. */
static void remove_dir(int dir_fd, const char *path)
{
	int fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (d)
		rewinddir(d);
	while (d && (e = readdir(d)))
		unlinkat(dir_fd, e->d_name, 0);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	rmdir(path);
}

static void sweep(const char *base)
{
	DIR *d = opendir(base);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		_cleanup_free_ char *path = NULL;
		_cleanup_close_ int fd = -1;
		struct stat st;

		if (strncmp(e->d_name, DIR_PREFIX, strlen(DIR_PREFIX)))
			continue;
		if (asprintf(&path, "%s/%s", base, e->d_name) < 0) {
			path = NULL;
			break;
		}
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0 || fstat(fd, &st) || st.st_uid != geteuid() ||
		    time(NULL) - st.st_mtime < STALE_AFTER_S || flock(fd, LOCK_EX | LOCK_NB))
			continue;
		remove_dir(fd, path);
	}
	if (d)
		closedir(d);
}

static bool in_memory(const struct statfs *fs)
{
	return fs->f_type == TMPFS_MAGIC || fs->f_type == RAMFS_MAGIC;
}

static uint64_t room_in(const char *dir, bool memory_will_do)
{
	struct sockaddr_un sa;
	struct sysinfo mem;
	struct statfs fs;
	uint64_t room;

	if (strlen(dir) + strlen("/" DIR_PREFIX "XXXXXX/sock") >= sizeof(sa.sun_path))
		return 0;
	if (access(dir, W_OK | X_OK) || statfs(dir, &fs))
		return 0;
	room = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	if (!in_memory(&fs))
		return room;
	if (!memory_will_do || sysinfo(&mem))
		return 0;
	/* a ramfs does not tell its size: take half of the free memory */
	return fs.f_type == RAMFS_MAGIC ? (uint64_t)mem.freeram * mem.mem_unit / 2 : room;
}

static int choose(const char *near, uint64_t size_bytes, const char **ret_base, uint64_t *ret_size)
{
	uint64_t want = size_bytes ? size_bytes : ONESHOT_SIZE_MIN;
	uint64_t room_near = room_in(near, false), room_var = room_in("/var/tmp", false);
	uint64_t room;
	bool var;
	char need[TEXT_NUMBER_MAX], have[TEXT_NUMBER_MAX];

	if (!room_near && !room_var) {
		room_near = room_in(near, true);
		room_var = room_in("/var/tmp", true);
	}
	var = room_var / 4 >= want || room_var >= room_near;
	room = var ? room_var : room_near;
	if (room < want || (!size_bytes && room / 4 < want))
		return cli_error(
			"no room to record: %s is needed, /var/tmp and %s have %s; free some space, or give -o a file on a disk with room",
			text_bytes(size_bytes ? want : 4 * want, need), near, text_bytes(room, have));
	*ret_base = var ? "/var/tmp" : near;
	*ret_size = size_bytes ? size_bytes : MIN(room / 4, ONESHOT_SIZE_MAX) & ~0xfffffULL;
	return CLI_OK;
}

static int make_dir(struct oneshot *r, const char *base)
{
	sweep(base);
	if (asprintf(&r->dir, "%s/" DIR_PREFIX "XXXXXX", base) < 0) {
		r->dir = NULL;
		return cli_error("out of memory");
	}
	if (!mkdtemp(r->dir)) {
		cli_error("%s: cannot make a directory in it: %s", base, strerror(errno));
		free(TAKE_PTR(r->dir));
		return CLI_FAILED;
	}
	r->dir_fd = open(r->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (r->dir_fd < 0 || flock(r->dir_fd, LOCK_EX | LOCK_NB))
		return cli_error("%s: cannot be locked: %s", r->dir, strerror(errno));
	if (asprintf(&r->socket, "%s/sock", r->dir) < 0 || asprintf(&r->trace, "%s/ctrace.ctr", r->dir) < 0 ||
	    asprintf(&r->log, "%s/log", r->dir) < 0)
		return cli_error("out of memory");
	return CLI_OK;
}

static void find_daemon(char buf[PATH_MAX])
{
	static const char *const places[] = { "ctraced", "../daemon/ctraced", "../sbin/ctraced" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *dir;

	self[MAX(n, 0)] = 0;
	dir = dirname(self);
	for (size_t i = 0; n > 0 && i < ARRAY_SIZE(places); i++)
		if (snprintf(buf, PATH_MAX, "%s/%s", dir, places[i]) < PATH_MAX && !access(buf, X_OK))
			return;
	snprintf(buf, PATH_MAX, "%s", access(CTRACE_DAEMON_PATH, X_OK) ? "ctraced" : CTRACE_DAEMON_PATH);
}

static void run_daemon(const struct oneshot *r, int ready_fd, pid_t parent)
{
	char daemon[PATH_MAX], size[TEXT_NUMBER_MAX], ready[TEXT_NUMBER_MAX];
	int log = openat(r->dir_fd, "log", O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600),
	    null = open("/dev/null", O_RDWR);

	find_daemon(daemon);
	snprintf(size, sizeof(size), "%" PRIu64, r->size_bytes);
	snprintf(ready, sizeof(ready), "%d", ready_fd);
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent || log < 0 || null < 0)
		_exit(CLI_FAILED);
	dup2(null, STDIN_FILENO);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	fcntl(ready_fd, F_SETFD, 0);
	sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	execlp(daemon, daemon, "--config", "/dev/null", "--state-dir", r->dir, "--socket", r->socket,
	       "--size", size, "--frameworks", r->frameworks, "--snapshot-rate", "no", "--budget", "0",
	       "--task-cap", "0", "--ready-fd", ready, "--die-with-parent", NULL);
	dprintf(STDERR_FILENO,
		"the program ctraced cannot be started: %s; install it beside ctrace or in PATH\n",
		strerror(errno));
	_exit(CLI_FAILED);
}

void oneshot_log(const struct oneshot *r, char *buf, size_t size)
{
	_cleanup_close_ int fd = open(r->log, O_RDONLY | O_CLOEXEC);
	off_t end = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	ssize_t n = 0;

	if (end > 0)
		n = pread(fd, buf, size - 1, MAX(end - (off_t)(size - 1), (off_t)0));
	n = MAX(n, 0);
	while (n && buf[n - 1] == '\n')
		n--;
	buf[n] = 0;
}

/* The daemon writes a newline when it records. If it cannot record, it writes the reason. */
static int wait_ready(struct oneshot *r, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char said[2048];
	ssize_t n;
	int k;

	do
		k = poll(&p, 1, WAIT_READY_MS);
	while (k < 0 && errno == EINTR);
	if (k == 0)
		return cli_error("ctraced was not ready after %d s; is the machine overloaded?",
				 WAIT_READY_MS / 1000);
	n = read(fd, said, sizeof(said) - 1);
	if (n > 0 && said[0] == '\n')
		return CLI_OK;
	if (n > 0)
		said[n] = 0;
	else
		oneshot_log(r, said, sizeof(said));
	return cli_error("cannot record: %s", *said ? said : "ctraced ended without a reason");
}

static int spawn(struct oneshot *r)
{
	_cleanup_close_ int rd = -1, wr = -1;
	pid_t parent = getpid();
	int p[2];

	if (pipe2(p, O_CLOEXEC))
		return cli_error("cannot make a pipe: %s", strerror(errno));
	rd = p[0];
	wr = p[1];
	fflush(NULL);
	r->pid = fork();
	if (r->pid == 0)
		run_daemon(r, wr, parent);
	if (r->pid < 0) {
		r->pid = 0;
		return cli_error("cannot start a process: %s", strerror(errno));
	}
	close(TAKE_FD(wr));
	return wait_ready(r, rd);
}

int oneshot_start(const char *near, uint64_t size_bytes, const char *frameworks, struct oneshot **ret)
{
	struct oneshot *r = calloc(1, sizeof(*r));
	sigset_t set = oneshot_signals();
	const char *base = "";
	int code;

	if (!r)
		return cli_error("out of memory");
	r->dir_fd = -1;
	r->frameworks = frameworks;
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	r->masked = true;
	signal(SIGCHLD, SIG_DFL); /* if SIGCHLD were ignored, waiting for a child would fail */
	code = choose(near, size_bytes, &base, &r->size_bytes);
	if (!code)
		code = make_dir(r, base);
	if (!code)
		code = spawn(r);
	if (code) {
		oneshot_free(r);
		return code;
	}
	*ret = r;
	return CLI_OK;
}

bool oneshot_alive(struct oneshot *r)
{
	if (r->pid && waitpid(r->pid, NULL, WNOHANG) == r->pid)
		r->pid = 0;
	return r->pid != 0;
}

/* Kills the daemon. An orderly end would only complete the trace, but the trace is removed
 * anyway. */
static void end_daemon(struct oneshot *r)
{
	if (!oneshot_alive(r))
		return;
	kill(r->pid, SIGKILL);
	while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
		;
	r->pid = 0;
}

void oneshot_stop(struct oneshot *r)
{
	end_daemon(r);
	if (r->dir)
		remove_dir(r->dir_fd, r->dir);
}

void oneshot_free(struct oneshot *r)
{
	if (!r)
		return;
	oneshot_stop(r);
	if (r->dir_fd >= 0)
		close(r->dir_fd);
	free(r->dir);
	free(r->socket);
	free(r->trace);
	free(r->log);
	if (r->masked)
		sigprocmask(SIG_SETMASK, &r->old_mask, NULL);
	free(r);
}
