// SPDX-License-Identifier: GPL-2.0-or-later
/* ctraced.c - the daemon: starts its parts, runs the event loop, and ends the parts. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "daemon/sandbox/bpfstats.h"
#include "daemon/config/config.h"
#include "daemon/control/control.h"
#include "daemon/incident/diagnoser.h"
#include "daemon/capture/drain.h"
#include "daemon/incident/incident.h"
#include "daemon/jobs/jobs.h"
#include "daemon/sandbox/privilege.h"
#include "daemon/kernel/probe.h"
#include "daemon/say.h"
#include "daemon/service/service_request.h"
#include "daemon/capture/snapshot_request.h"
#include "daemon/record/statedir.h"
#include "daemon/stack/symbols_kernel.h"
#include "daemon/capture/trace_storage.h"
#include "daemon/thresholds.h"
#include "daemon/worker.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/incidents.h"
#include "procfs/procmachine.h"

static const char help[] =
	"Usage: ctraced [FLAG...]\n"
	"Always records the whole machine, which task waits for which, into a circular trace file.\n"
	"\n"
	"  --state-dir DIR     keep the trace in DIR, as DIR/ctrace.ctr (default /var/lib/ctrace)\n"
	"  --socket PATH       the control socket (default /run/ctrace/ctraced.sock)\n"
	"  --size BYTES        size of the trace: 512M, 2G (default 2G); after a change the old trace is kept\n"
	"  --ring-size BYTES   size of each CPU's ring, a power of two (default 4M; before Linux 6.0 2M)\n"
	"  --hooks LIST        switch off families of hooks: -msg,-block\n"
	"  --frameworks LIST   have frameworks report their jobs: no (the default), auto (all described ones but those of\n"
	"                      key presses, while their probes cost little), yes (as auto, whatever they cost), or a\n"
	"                      list of names, descriptions and programs; see ctraced.conf(5)\n"
	"  --long-wait TIME    record the stack of a wait that lasts this long (default 200ms)\n"
	"  --budget SHARE      most CPU time of the machine that tracing may cost; above it, leave out parts of\n"
	"                      the recording (default 1%; 0: no budget)\n"
	"  --task-cap N        if a task makes N records in a second, leave out most of its records for the rest\n"
	"                      of the second (default 50000; 0: no limit)\n"
	"  --snapshot-before TIME\n"
	"                      time before a hang that its snapshot holds (default 30s)\n"
	"  --snapshot-after TIME\n"
	"                      time from the notice of a hang to its snapshot (default 5s)\n"
	"  --snapshot-rate LIMITS\n"
	"                      the most snapshots of hangs in a time (default 1/min, 10/h; no: take none)\n"
	"  --hangs-size BYTES  disk space for these snapshots; the oldest are removed (default 1G)\n"
	"  --view yes|no       also make a page for a browser of each of these snapshots (default no)\n"
	"  --hangs yes|no      look for hangs (default yes)\n"
	"  --hang-after TIME   the shortest time that counts as a hang (default 2s)\n"
	"  --group NAME        members of this group, besides root, may use the control socket\n"
	"  --group-may WHAT    what members may ask for: status (the default), snapshot, watch; each includes\n"
	"                      those before it\n"
	"  --config FILE       read settings, lines of \"name = value\" with the names above (default " CONFIG_DEFAULT_FILE
	")\n"
	"  --ready-fd N        write a newline to descriptor N when the capture runs, or the reason if it fails\n"
	"  --die-with-parent   seal the trace and end when the parent process dies\n"
	"  --help, --version\n"
	"\n"
	"Runs in the foreground. SIGTERM or SIGINT seals the trace and ends ctraced. Flags override the\n"
	"configuration file. Exit status: 0 ended as asked, 1 failure, 2 wrong usage.\n";

struct ctraced {
	struct config config;
	struct statedir dir;
	bool has_dir;
	sd_event *event;
	struct service service;
	struct trace_storage *storage;
	struct jobs_specs specs;
	struct worker *names;
	struct diagnoser *diagnoser;
	struct symbols_kernel *kernel;
	int perf_fd; /* see probe_watch_prepare() */
	uint64_t watchdog_usec;
	gid_t group;
	char err[512];
};

static bool ctraced_tell_parent(struct ctraced *c, const char *text)
{
	ssize_t n;

	if (c->config.ready_fd < 0)
		return true;
	n = write(c->config.ready_fd, text, strlen(text));
	close(c->config.ready_fd);
	c->config.ready_fd = -1;
	return n >= 0;
}

/* If the drain thread is stuck, systemd gets nothing, and its watchdog ends the daemon. */
static int ctraced_watchdog(sd_event_source *s, uint64_t usec, void *arg)
{
	struct ctraced *c = arg;
	struct drain_stats st = drain_stats(c->service.drain);

	if (clock_boot_ns() < st.beat_ns + CTRACED_STUCK_NS)
		sd_notify(0, "WATCHDOG=1");
	sd_event_source_set_time_relative(s, c->watchdog_usec / 3);
	return sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

/* glibc keeps freed memory, in a heap of its own for each thread. This gives it back to the kernel. */
static int ctraced_trim(sd_event_source *s, uint64_t usec, void *arg)
{
	malloc_trim(0);
	sd_event_source_set_time_relative(s, CTRACED_TRIM_USEC);
	return sd_event_source_set_enabled(s, SD_EVENT_ONESHOT);
}

static int ctraced_group(struct ctraced *c)
{
	const struct group *g;

	c->group = CONTROL_NO_GROUP;
	if (!*c->config.group)
		return 0;
	errno = 0;
	g = getgrnam(c->config.group);
	if (!g) {
		snprintf(
			c->err, sizeof(c->err),
			"There is no group \"%.200s\"; create it with groupadd, or leave the setting group out.",
			c->config.group);
		return -ENOENT;
	}
	c->group = g->gr_gid;
	return 0;
}

static int ctraced_loop_new(struct ctraced *c)
{
	static const int ends[] = { SIGTERM, SIGINT };
	sigset_t set;
	int r;

	/* Blocks the signals before there are other threads, which inherit the mask. The event loop
	 * takes the signals. */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* a write beyond the limit on file sizes then fails with EFBIG */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (c->config.die_with_parent)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	r = sd_event_new(&c->event);
	for (size_t i = 0; r >= 0 && i < 2; i++)
		r = sd_event_add_signal(c->event, NULL, ends[i], NULL, NULL);
	if (r >= 0 && sd_watchdog_enabled(0, &c->watchdog_usec) > 0)
		r = sd_event_add_time_relative(c->event, NULL, CLOCK_MONOTONIC, 0, 0, ctraced_watchdog, c);
	if (r >= 0)
		r = sd_event_add_time_relative(c->event, NULL, CLOCK_MONOTONIC, CTRACED_TRIM_USEC,
					       CTRACED_TRIM_USEC / 10, ctraced_trim, c);
	if (r < 0)
		snprintf(c->err, sizeof(c->err), "Cannot set up the event loop: %s.", strerror(-r));
	return r;
}

static void ctraced_drop_privileges(const struct ctraced *c)
{
	char socket[CONFIG_PATH_MAX];
	struct privilege_options po = { .dirs = { c->config.state_dir }, .n_dirs = 2, .uprobes = c->specs.n };
	int r;

	snprintf(socket, sizeof(socket), "%s", c->config.socket);
	po.dirs[1] = dirname(socket);
	r = privilege_drop(&po);
	if (r)
		say("Cannot drop all privileges: %s. The capture runs nevertheless.", strerror(-r));
}

static bool ctraced_catches_hangs(const struct ctraced *c)
{
	return c->config.hang.on && !c->config.incident.rate.never;
}

/* Called early, before the daemon has data that the diagnoser's process should not have. */
static void ctraced_diagnoser(struct ctraced *c)
{
	int r = ctraced_catches_hangs(c) ? diagnoser_new(&c->diagnoser) : 0;

	if (r)
		say("Cannot start the process that diagnoses hangs: %s. Hangs get a snapshot, but no diagnosis.",
		    strerror(-r));
}

static int ctraced_incidents(struct ctraced *c)
{
	const struct incidents_options o = { .state_dir = c->config.state_dir,
					     .trace = c->dir.trace,
					     .probe = c->service.probe,
					     .worker = c->service.worker,
					     .diagnoser = c->diagnoser,
					     .before_ns = c->config.incident.before_ns,
					     .after_ns = c->config.incident.after_ns,
					     .size_bytes = c->config.incident.size_bytes,
					     .rate = c->config.incident.rate,
					     .view = c->config.incident.view };
	int r = ctraced_catches_hangs(c) ? incidents_new(c->event, &o, &c->service.incidents) : 0;

	if (r == -EPERM)
		snprintf(
			c->err, sizeof(c->err),
			"Cannot keep hangs in %.200s/" INCIDENTS_DIR
			": it is not a directory that only root can write. Look what is in it, then remove it, or repair it with chown and chmod.",
			c->config.state_dir);
	else if (r < 0)
		snprintf(c->err, sizeof(c->err), "Cannot prepare for hangs: %s.", strerror(-r));
	return r;
}

static uint64_t ctraced_aside_ns(void *arg)
{
	const struct service *s = arg;

	return control_cpu_ns(s->control) + worker_cpu_ns(s->clients) + worker_cpu_ns(s->closer);
}

static void *ctraced_read_kernel(void *arg)
{
	struct ctraced *c = arg;

	c->perf_fd = probe_watch_prepare();
	c->kernel = symbols_kernel_load(SYMBOLS_KERNEL_FILE);
	return NULL;
}

/* Reads the names of the kernel's functions on another thread while the BPF programs are loaded, so
 * that the start takes less time. */
static int ctraced_probe(struct ctraced *c)
{
	const struct probe_options o = { .ring_bytes = c->config.ring_bytes,
					 .hooks = c->config.hooks,
					 .measure = c->config.budget_ppm > 0,
					 .jobs = c->specs.n };
	pthread_t reader;
	bool reads = !pthread_create(&reader, NULL, ctraced_read_kernel, c);
	int r = probe_open(&o, &c->service.probe, c->err);

	if (reads)
		pthread_join(reader, NULL);
	else
		ctraced_read_kernel(c);
	if (c->perf_fd >= 0)
		close(c->perf_fd);
	return r;
}

static void ctraced_mark(void *arg, const char *name, uint64_t addr)
{
	probe_mark(arg, name, addr);
}

static void ctraced_post(void *drain, void *data, size_t size)
{
	drain_post(drain, data, size);
}

static int ctraced_capture(struct ctraced *c)
{
	const struct worker_options names = { .name = "ctraced-names", .queue_max = 1 };
	static struct utsname u;
	static struct procmachine machine;
	struct service *s = &c->service;
	int r = ctraced_probe(c);

	if (r < 0)
		return r;
	ctraced_drop_privileges(c);
	if (c->kernel)
		symbols_kernel_each(c->kernel, ctraced_mark, s->probe);
	probe_mark_end(s->probe);
	r = worker_new(c->event, NULL, &s->worker);
	if (r >= 0)
		r = worker_new(c->event, &names, &c->names);
	if (r >= 0)
		r = service_start(s, c->event);
	if (r < 0) {
		snprintf(c->err, sizeof(c->err), "Cannot start a thread: %s.", strerror(-r));
		return r;
	}
	s->watchpoints = watchpoints_new(s->probe);
	if (!s->watchpoints) {
		snprintf(c->err, sizeof(c->err), "Out of memory.");
		return -ENOMEM;
	}
	r = ctraced_incidents(c);
	if (r < 0)
		return r;
	uname(&u);
	procmachine_read("", &machine);
	const struct drain_options d = {
		.probe = s->probe,
		.worker = s->worker,
		.names = c->names,
		.kernel = c->kernel,
		.aside_ns = ctraced_aside_ns,
		.aside_arg = s,
		.long_wait_ns = c->config.long_wait_ns,
		.budget_ppm = c->config.budget_ppm,
		.task_cap = c->config.task_cap,
		.access = watchpoints_note,
		.access_arg = s->watchpoints,
		.hangs = c->config.hang.on ? &c->config.hang.detect : NULL,
		.hang = s->incidents ? incidents_note : NULL,
		.hang_arg = s->incidents,
		.recorder = { .path = c->dir.trace,
			      .daemon_tgid = (uint32_t)getpid(),
			      .starter_tgid = c->config.die_with_parent ? (uint32_t)getppid() : 0,
			      .writer = { .size_bytes = c->config.size_bytes,
					  .hooks = probe_hooks_text(s->probe),
					  .host = u.nodename,
					  .kernel = u.release,
					  .machine = u.machine,
					  .cpu = machine.model,
					  .governor = machine.governor,
					  .limits = machine.limits,
					  .n_cpus = probe_cpus(s->probe),
					  .own_dir = true,
					  .background = true } },
	};
	r = drain_new(&d, &s->drain, c->err);
	if (r < 0)
		return r;
	if (*c->err)
		say("%s", c->err);
	r = trace_storage_new(c->event, s->drain, c->dir.trace, &c->storage);
	if (r < 0) {
		snprintf(c->err, sizeof(c->err), "Cannot watch over the trace: %s.", strerror(-r));
		return r;
	}
	if (s->incidents)
		incidents_begin(s->incidents, s->drain);
	for (size_t i = 0; i < MIN(c->specs.n_left_out, (size_t)JOBS_LOAD_LEFT_MAX); i++)
		say("Leaving out the description of a framework: %s To use it, name it in 'frameworks' in ctraced.conf.",
		    c->specs.left_out[i]);
	const struct jobs_options jobs = { .probe = s->probe,
					   .specs = &c->specs,
					   .budget_ppm = c->config.budget_ppm,
					   .post = ctraced_post,
					   .arg = s->drain };
	r = jobs_new(&jobs, &s->jobs);
	if (r < 0)
		snprintf(c->err, sizeof(c->err), "Cannot have frameworks report: %s.", strerror(-r));
	return r;
}

static int ctraced_start(struct ctraced *c)
{
	struct control_options co = { .path = c->config.socket,
				      .group = c->group,
				      .group_may = c->config.group_may,
				      .request = service_request,
				      .gone = service_gone,
				      .dispose = service_dispose,
				      .choked = service_choked,
				      .arg = &c->service };
	int r = ctraced_loop_new(c);

	(void)bpfstats_start(); /* if this fails, the status lacks one figure */
	if (r >= 0)
		ctraced_diagnoser(c);
	if (r >= 0)
		r = statedir_open(c->config.state_dir, &c->dir, c->err);
	c->has_dir = r >= 0;
	c->service.trace = c->dir.trace;
	c->service.config = &c->config;
	if (r >= 0)
		r = control_new(c->event, &co, &c->service.control, c->err);
	if (r >= 0)
		r = ctraced_capture(c);
	return r;
}

/* Seals the trace even if a worker is stuck. Returns false if a thread is stuck: its memory is not
 * freed. */
static bool ctraced_stop(struct ctraced *c)
{
	struct service *s = &c->service;
	const struct snapshot_request_source src = { .probe = s->probe,
						     .drain = s->drain,
						     .trace = s->trace };
	bool ended, worked;

	if (s->drain)
		(void)snapshot_request_prepare(&src, 0);
	ended = jobs_free(s->jobs);
	ended &= worker_stop(s->clients);
	worked = worker_stop(s->worker);
	if (worked)
		incidents_finish(s->incidents);
	ended &= worked;
	ended &= worker_stop(c->names);
	ended &= drain_stop(s->drain);
	control_free(s->control);
	s->control = NULL;
	ended &= worker_stop(s->closer);
	trace_storage_free(c->storage);
	if (!ended)
		return false;
	drain_free(s->drain);
	worker_free(s->worker);
	worker_free(c->names);
	worker_free(s->clients);
	worker_free(s->closer);
	marks_done(&s->marks);
	watchpoints_free(s->watchpoints);
	incidents_free(s->incidents);
	diagnoser_free(c->diagnoser);
	probe_free(s->probe);
	symbols_kernel_free(c->kernel);
	jobs_load_done(&c->specs);
	sd_event_unref(c->event);
	return true;
}

static int ctraced_fail(struct ctraced *c)
{
	say("%s", c->err);
	ctraced_tell_parent(c, c->err);
	ctraced_stop(c);
	if (c->has_dir)
		statedir_undo(&c->dir);
	return EXIT_FAILURE;
}

static int ctraced_run(struct ctraced *c)
{
	int r = 0;

	say("capturing to %s", c->dir.trace);
	sd_notify(0, "READY=1");
	if (ctraced_tell_parent(c, "\n"))
		r = sd_event_loop(c->event);
	sd_notify(0, "STOPPING=1");
	if (r < 0)
		say("The event loop failed: %s. The trace is sealed; restart ctraced.", strerror(-r));
	if (!ctraced_stop(c))
		say("Ending without a thread that is stuck: in a snapshot, in an inspection of a program, or at a disk.");
	statedir_close(&c->dir);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/*
 * Raises the priority of the daemon's own session, because the kernel shares the CPUs evenly between
 * sessions, whatever nice values their tasks have (sched(7), autogroup). With the usual priority, a ring
 * could become full beside a dozen busy sessions.
 */
static void ctraced_go_first(void)
{
	_cleanup_close_ int fd =
		getsid(0) == getpid() ? open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC) : -1;

	if (fd >= 0)
		(void)!write(fd, "-15", 3);
}

int main(int argc, char *argv[])
{
	static struct ctraced c;
	int r;

	privilege_begin();
	ctraced_go_first();
	r = config_read(argc, argv, &c.config, c.err);

	if (r == CONFIG_RUN)
		r = probe_check_hooks(c.config.hooks, c.err);
	if (r == CONFIG_RUN)
		r = jobs_load(c.config.frameworks, &c.specs, c.err);
	if (r == CONFIG_RUN)
		r = ctraced_group(&c);
	if (r < 0) {
		say("%s", c.err);
		return 2;
	}
	if (r == CONFIG_HELP || r == CONFIG_VERSION) {
		fputs(r == CONFIG_HELP ? help : "ctraced " CTRACED_VERSION "\n", stdout);
		return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	/* `ctrace record` sets die_with_parent. It puts the end of the log into its own messages, so this
	 * log has no times. */
	if (!c.config.die_with_parent)
		say_times_to_file();
	return ctraced_start(&c) < 0 ? ctraced_fail(&c) : ctraced_run(&c);
}
