// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/client/client.h"
#include "cli/client/lacks.h"
#include "cli/client/outfile.h"
#include "cli/client/oneshot.h"
#include "cli/client/settings.h"
#include "cli/input/timearg.h"
#include "cli/input/tracefile.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "trace/read/reader.h"
#include "trace/snapshot/cut.h"

enum { OPT_FRAMEWORKS = 256 };

static const struct cli_option options[] = {
	{ 'o', "output", "FILE", "Write the trace to FILE (default: ctrace-YYYYmmdd-HHMMSS.ctr)" },
	{ 'd', "duration", "T", "Record for at most T: 10s, 2m, 1.5h" },
	{ 's', "size", "N",
	  "Keep the newest N bytes of the trace: 64M, 2G (default: 512M, at most a quarter of the free disk space)" },
	{ OPT_FRAMEWORKS, "frameworks", "LIST",
	  "Have these frameworks report their jobs: libuv, glib, /path/to/program" },
	{ 0 },
};

static const struct cli_usage usage = {
	.name = "record",
	.args = "[-o FILE] [--duration T] [--size N] [--frameworks LIST] [--] [CMD [ARG...]]",
	.about =
		"Records the whole machine while CMD runs, and returns the exit status of CMD. Without CMD it records\n"
		"until Ctrl-C, or for T. Needs root, but no running service.",
	.options = options,
	.stop_early = true,
};

struct session {
	struct oneshot *recorder;
	int signal_fd;
	pid_t cmd; /* 0: CMD was not started, or has ended */
	uint32_t cmd_pid;
	int cmd_status;
	struct settings settings;
	int signal;
	uint64_t until_ns; /* when the recording ends (boot time); 0: no limit */
};

static void run_cmd(const struct oneshot *r, char **argv, int err_fd)
{
	int e;

	cli_restore_signals();
	sigprocmask(SIG_SETMASK, oneshot_old_mask(r), NULL);
	setenv(CLIENT_SOCKET_VARIABLE, oneshot_socket(r), 1);
	execvp(argv[0], argv);
	e = errno;
	(void)!write(err_fd, &e, sizeof(e));
	_exit(e == ENOENT ? 127 : 126);
}

static int start_cmd(struct session *s, char **argv)
{
	_cleanup_close_ int rd = -1, wr = -1;
	int p[2], e = 0;

	if (pipe2(p, O_CLOEXEC))
		return cli_error("cannot make a pipe: %s", strerror(errno));
	rd = p[0];
	wr = p[1];
	s->cmd = fork();
	if (s->cmd == 0)
		run_cmd(s->recorder, argv, wr);
	if (s->cmd < 0) {
		s->cmd = 0;
		return cli_error("cannot start a process: %s", strerror(errno));
	}
	close(TAKE_FD(wr));
	if (read(rd, &e, sizeof(e)) != sizeof(e)) {
		s->cmd_pid = (uint32_t)s->cmd;
		return 0;
	}
	waitpid(s->cmd, NULL, 0);
	s->cmd = 0;
	cli_error("%s: cannot be started: %s", argv[0], strerror(e));
	return e == ENOENT ? 127 : 126;
}

static void reap_cmd(struct session *s)
{
	siginfo_t si = { 0 };

	if (!s->cmd || waitid(P_PID, (id_t)s->cmd, &si, WEXITED | WNOHANG | WNOWAIT))
		return;
	settings_look(&s->settings, s->cmd, si.si_pid == s->cmd ? UINT64_MAX : clock_boot_ns());
	if (waitpid(s->cmd, &s->cmd_status, WNOHANG) == s->cmd)
		s->cmd = 0;
}

static void on_signal(struct session *s, const struct signalfd_siginfo *si)
{
	if (si->ssi_signo == SIGCHLD)
		return;
	/* A signal of the terminal has reached CMD already. A signal from a process has not. */
	if (s->cmd && si->ssi_code != SI_KERNEL)
		kill(s->cmd, (int)si->ssi_signo);
	if (!s->cmd)
		s->signal = (int)si->ssi_signo;
}

static int time_left(uint64_t until_ns)
{
	uint64_t now = clock_boot_ns(), ms;

	if (!until_ns)
		return -1;
	if (now >= until_ns)
		return 0;
	ms = (until_ns - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;
	return (int)MIN(ms, (uint64_t)3600 * 1000);
}

/* Waits for a signal, at most `left` ms (negative: no limit). Ends earlier if it is time to call
 * settings_look(). */
static void wait_signal(struct session *s, int left)
{
	struct pollfd p = { .fd = s->signal_fd, .events = POLLIN };
	int look = s->cmd ? time_left(s->settings.next_ns) : -1;
	struct signalfd_siginfo si;

	if (look >= 0)
		left = left < 0 ? look : MIN(left, look);
	if (poll(&p, 1, left) > 0 && read(s->signal_fd, &si, sizeof(si)) == sizeof(si))
		on_signal(s, &si);
}

static void wait_end(struct session *s, bool has_cmd)
{
	for (;;) {
		int left = time_left(s->until_ns);

		reap_cmd(s);
		if (left == 0 || (has_cmd && !s->cmd) || s->signal)
			return;
		if (!has_cmd && !oneshot_alive(s->recorder))
			return;
		wait_signal(s, left);
	}
}

static int save_records(struct session *s, int fd, struct lacks *ret_lacks)
{
	json_t *request = json_pack("{s:s,s:I,s:I}", "cmd", "snapshot", "from_ns", (json_int_t)0, "to_ns",
				    (json_int_t)clock_boot_ns());
	const struct cut_options all = { .to_ns = UINT64_MAX };
	char err[CLIENT_ERR_MAX] = "out of memory", log[1024], rerr[READER_ERR_MAX];
	struct reader *reader = NULL;
	json_t *answer = NULL;
	uint64_t segments;
	int r = -ENOMEM;

	if (request)
		r = client_call(oneshot_socket(s->recorder), request, fd, WAIT_SNAPSHOT_MS, &answer, err);
	json_decref(request);
	*ret_lacks = lacks_of(answer);
	json_decref(answer);
	if (!r)
		return CLI_OK;
	if (r == -EREMOTEIO)
		return cli_error("cannot save the recording: %s", err);
	oneshot_log(s->recorder, log, sizeof(log));
	cli_warn("the recorder ended early (%s); saving what it wrote", *log ? log : err);
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
		return cli_error("cannot save the recording: %s", strerror(errno));
	r = reader_open(oneshot_trace(s->recorder), &reader, rerr);
	if (!r)
		r = cut_window(reader, &all, fd, &segments, rerr);
	reader_free(reader);
	return r ? cli_error("cannot save the recording: %s", rerr) : CLI_OK;
}

static int save(struct session *s, int fd, struct lacks *ret_lacks)
{
	int r = save_records(s, fd, ret_lacks);

	return r || !s->cmd_pid ? r : settings_write(&s->settings, fd);
}

/* The recording could not be saved where the user wants it. Saves it into /var/tmp, so that it is not
 * lost. */
static void save_elsewhere(struct session *s)
{
	char path[] = "/var/tmp/ctrace-XXXXXX.ctr";
	_cleanup_close_ int fd = mkostemps(path, 4, O_CLOEXEC);
	struct lacks lacks;

	if (fd < 0)
		return;
	if (save(s, fd, &lacks) || fsync(fd)) {
		unlink(path);
		return;
	}
	cli_warn("the recording was saved as %s instead", path);
	tracefile_say_written(fd, path, s->cmd_pid != 0, lacks.lost_records);
	(void)lacks_say(&lacks, path);
}

static int save_and_tell(struct session *s, struct outfile *out)
{
	struct lacks lacks;
	int code = save(s, out->fd, &lacks);

	if (!code)
		code = outfile_commit(out);
	if (code) {
		save_elsewhere(s);
		return code;
	}
	tracefile_say_written(out->fd, out->path, s->cmd_pid != 0, lacks.lost_records);
	return lacks_say(&lacks, out->path);
}

static int status_of(int st)
{
	return WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
}

static int early_signal(void)
{
	sigset_t set = oneshot_signals();
	int sig;

	sigdelset(&set, SIGCHLD);
	sig = sigtimedwait(&set, NULL, &(struct timespec){ 0 });
	return sig > 0 ? 128 + sig : 0;
}

/* Returns the exit status of CMD if it is not 0, otherwise the exit code of the saving. After a signal or
 * an error before the start of CMD, saves nothing and returns an exit code for it. */
static int session_run(struct session *s, char **argv, struct outfile *out)
{
	sigset_t set = oneshot_signals();
	bool has_cmd = argv[0] != NULL;
	int code = 0, saved;

	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (s->signal_fd < 0)
		return cli_error("cannot receive signals: %s", strerror(errno));
	code = early_signal();
	if (!code && has_cmd)
		code = start_cmd(s, argv);
	if (code)
		return code;
	if (!has_cmd && !s->until_ns)
		cli_say("recording; Ctrl-C ends it");
	wait_end(s, has_cmd);
	saved = save_and_tell(s, out);
	if (!has_cmd)
		return saved;
	oneshot_stop(s->recorder);
	s->until_ns = 0;
	wait_end(s, true);
	code = status_of(s->cmd_status);
	return code ? code : saved;
}

static int parse_size(const char *arg, uint64_t *ret)
{
	if (!cli_size(arg, ret) && *ret >= ONESHOT_SIZE_MIN)
		return CLI_OK;
	return cli_usage_error(&usage, "--size %s: this is not a size of at least 16M; write 64M or 2G", arg);
}

int cmd_record(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	_cleanup_(outfile_done) struct outfile out = OUTFILE_NONE;
	struct session s = { .signal_fd = -1 };
	_cleanup_free_ char *copy = NULL;
	const char *path = NULL, *frameworks = "no";
	uint64_t size = 0, duration = 0;
	char err[TIMEARG_ERR_MAX];
	int c;

	while ((c = cli_next(&p)) > 0) {
		if (c == 'o')
			path = p.arg;
		else if (c == OPT_FRAMEWORKS)
			frameworks = p.arg;
		else if (c == 's' && parse_size(p.arg, &size))
			return CLI_USAGE;
		else if (c == 'd' && timearg_duration(p.arg, &duration, err))
			return cli_usage_error(&usage, "--duration %s: %s", p.arg, err);
		else if (c == 'd' && !duration)
			return cli_usage_error(&usage, "--duration %s: the time must be longer than 0",
					       p.arg);
	}
	if (c < 0)
		return p.exit_code;
	if (outfile_open(path, &out))
		return CLI_FAILED;
	copy = strdup(out.path);
	if (!copy)
		return cli_error("out of memory");
	if (oneshot_start(dirname(copy), size, frameworks, &s.recorder))
		return CLI_FAILED;
	if (duration)
		s.until_ns = clock_boot_ns() + duration;
	c = session_run(&s, argv + p.first, &out);
	/* outfile_done() comes first, because oneshot_free() lets signals arrive again */
	outfile_done(&out);
	oneshot_free(s.recorder);
	if (s.signal_fd >= 0)
		close(s.signal_fd);
	return c;
}
