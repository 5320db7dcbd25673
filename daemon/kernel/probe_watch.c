/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_watch.c - hardware watchpoints. Each thread of a process has a perf event for writes, and
 * perhaps one for reads, with a BPF program attached.
 *
 * A thread that is created while the events are opened may have an event twice. The second event
 * sees an unchanged value, which the program does not record. BPF cookies cannot tell the two
 * events apart: at a switch, the kernel exchanges the event contexts of a parent and its child.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/kernel/probe_private.h"
#include "lib/cleanup.h"
#include "lib/map.h"
#include "lib/vec.h"

_Static_assert(PROBE_WATCHES_MAX == WATCH_SLOTS, "one slot for each");

#define WATCH_THREADS_MAX 16384
#define WATCH_PASSES_MAX  50

/* New threads of the task inherit the event, new processes do not. The event for writes also sees
 * bytes that a system call copies to the variable. The event for reads excludes the kernel, because
 * there the daemon's programs read the variable. */
static int watch_event(uint32_t tid, uint64_t addr, uint32_t len, bool reads)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W,
		.bp_addr = addr,
		.bp_len = len,
		.sample_period = 1,
		.disabled = 1,
		.inherit = 1,
		.inherit_thread = 1,
		.remove_on_exec = 1,
		.exclude_kernel = reads,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Returns the descriptor of a link that holds the event, or -errno. */
static int watch_attach(struct probe *p, uint32_t tid, const struct probe_watch_options *o, bool reads)
{
	struct bpf_program *prog = reads ? p->skel->progs.ct_watch_any : p->skel->progs.ct_watch_write;
	_cleanup_close_ int event = -1, link = -1;

	event = watch_event(tid, o->addr, o->len, reads);
	if (event < 0)
		return event;
	link = bpf_link_create(bpf_program__fd(prog), event, BPF_PERF_EVENT, NULL);
	if (link < 0)
		return link;
	if (ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return TAKE_FD(link);
}

#if defined(__x86_64__)
/* Some hypervisors keep the debug registers from the guest: the kernel sets the event, but the CPU
 * never reports an access. Counts one access of this thread without a BPF program. */
static int watch_counts(void)
{
	static volatile uint64_t here;
	_cleanup_close_ int event = watch_event(0, (uintptr_t)&here, sizeof(here), true);
	uint64_t n = 0;

	if (event < 0)
		return event;
	if (ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	here = 1;
	if (read(event, &n, sizeof(n)) != sizeof(n))
		return -EIO;
	return n ? 0 : -ENXIO;
}
#endif

int probe_watch_prepare(void)
{
#if defined(__x86_64__)
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
#else
	return -EOPNOTSUPP;
#endif
}

int probe_watch_try(struct probe *p)
{
#if defined(__x86_64__)
	static uint64_t here;
	const struct probe_watch_options o = { .addr = (uintptr_t)&here, .len = sizeof(here) };
	int fd = watch_attach(p, 0, &o, true);

	if (fd < 0)
		return fd;
	close(fd); /* watch_counts() needs the debug register */
	return watch_counts();
#else
	/* On arm64, a breakpoint fires before the access, and nothing steps over the
	 * instruction. */
	(void)p;
	return -EOPNOTSUPP;
#endif
}

static void watch_drop(struct probe *p, struct probe_watch *w)
{
	for (size_t i = 0; i < w->n_fds; i++)
		close(w->fds[i]);
	free(w->fds);
	*w = (struct probe_watch){ 0 };
}

struct watch_opening {
	const struct probe_watch_options *opt;
	VEC(int) fds;
	struct map seen;
	bool again;
};

static int watch_thread(struct probe *p, struct watch_opening *o, uint32_t tid)
{
	int r = map_set(&o->seen, tid, 1);

	/* A write can trigger both events. The event for writes is opened first, so the kernel
	 * serves it first. */
	for (int reads = 0; !r && reads <= o->opt->reads; reads++) {
		int fd = watch_attach(p, tid, o->opt, reads);

		if (fd == -ESRCH)
			return 0;
		/* In a later pass, -ENOSPC shows that the thread has inherited the events. */
		if (fd == -ENOSPC && o->again)
			return 0;
		r = fd < 0 ? fd : 0;
		if (!r && VEC_PUSH(&o->fds, fd)) {
			close(fd);
			r = -ENOMEM;
		}
	}
	return r;
}

static int watch_pass(struct probe *p, struct watch_opening *o)
{
	char path[64];
	struct dirent *e;
	DIR *d;
	int n = 0, r = 0;

	snprintf(path, sizeof(path), "/proc/%u/task", o->opt->tgid);
	d = opendir(path);
	if (!d)
		return -ESRCH;
	while (!r && (e = readdir(d))) {
		uint32_t tid = (uint32_t)strtoul(e->d_name, NULL, 10);

		if (!tid || map_get(&o->seen, tid, NULL))
			continue;
		r = o->seen.n >= WATCH_THREADS_MAX ? -E2BIG : watch_thread(p, o, tid);
		n++;
	}
	closedir(d);
	return r ?: n;
}

static int watch_all_threads(struct probe *p, struct watch_opening *o)
{
	int n = 1;

	/* A thread that is not watched yet may create another one. The next pass finds it. */
	for (int pass = 0; pass < WATCH_PASSES_MAX && n > 0; pass++) {
		n = watch_pass(p, o);
		o->again = true;
	}
	if (n < 0)
		return n;
	return o->fds.n ? 0 : -ESRCH;
}

static void watch_say(int r, const struct probe_watch_options *o, char err[PROBE_ERR_MAX])
{
	switch (-r) {
	case ESRCH:
		snprintf(err, PROBE_ERR_MAX, "Process %u has ended.", o->tgid);
		break;
	case ENOSPC:
	case EBUSY:
		snprintf(
			err, PROBE_ERR_MAX,
			"The debug registers of the CPUs are all taken; end a debugger that has hardware breakpoints, or another `perf` session, and try again.");
		break;
	case EMFILE:
	case ENFILE:
		snprintf(
			err, PROBE_ERR_MAX,
			"Process %u has too many threads: each thread needs a descriptor, or two with --read; raise the daemon's limit (LimitNOFILE=) and restart it.",
			o->tgid);
		break;
	case E2BIG:
		snprintf(err, PROBE_ERR_MAX,
			 "Process %u has more than %d threads; ctraced cannot watch so many.", o->tgid,
			 WATCH_THREADS_MAX);
		break;
	case EACCES:
	case EPERM:
		snprintf(
			err, PROBE_ERR_MAX,
			"The kernel does not let the daemon watch process %u; it needs CAP_PERFMON and CAP_SYS_PTRACE, or root.",
			o->tgid);
		break;
	default:
		snprintf(
			err, PROBE_ERR_MAX,
			"The kernel refuses a hardware breakpoint of %u bytes at 0x%llx: %s; 'ctrace doctor' shows whether this machine has them.",
			o->len, (unsigned long long)o->addr, strerror(-r));
	}
}

static int watch_map(struct probe *p)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *m;

	if (p->watches)
		return 0;
	p->watches_bytes = (sizeof(struct watch_slots) + page - 1) / page * page;
	m = mmap(NULL, p->watches_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		 bpf_map__fd(p->skel->maps.ct_watches), 0);
	if (m == MAP_FAILED)
		return -errno;
	p->watches = m;
	return 0;
}

/* A watchpoint needs a descriptor for each thread, or two if reads are watched too. */
static void watch_raise_limit(void)
{
	struct rlimit l;

	if (!getrlimit(RLIMIT_NOFILE, &l) && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/* Call with watch_lock held. */
static int watch_slot(struct probe *p, const struct probe_watch_options *o)
{
	unsigned taken = 0;
	int at = -ENOSPC;

	for (int i = 0; i < PROBE_WATCHES_MAX; i++) {
		taken += p->watch[i].cost;
		if (!p->watch[i].cost)
			at = i;
		else if (p->watches->v[i].tgid == o->tgid && p->watches->v[i].addr == o->addr)
			return -EEXIST;
	}
	return taken + 1 + o->reads > PROBE_WATCHES_MAX ? -ENOSPC : at;
}

static int watch_open_in(struct probe *p, const struct probe_watch_options *opt, unsigned at)
{
	struct watch_opening o = { .opt = opt };
	struct watch_slot *s = &p->watches->v[at];
	int r;

	*s = (struct watch_slot){
		.addr = opt->addr, .gen = ++p->watch_gen, .len = opt->len, .value = opt->value
	};
	__atomic_store_n(&s->tgid, opt->tgid, __ATOMIC_RELEASE);
	watch_raise_limit();
	r = watch_all_threads(p, &o);
	map_done(&o.seen);
	p->watch[at] = (struct probe_watch){ .fds = o.fds.v, .n_fds = o.fds.n, .cost = 1 + opt->reads };
	if (r) {
		s->tgid = 0;
		watch_drop(p, &p->watch[at]);
	}
	return r;
}

static const char *watch_is_off(const struct probe *p, bool reads)
{
	for (size_t i = 0; i < hooks_n_defs; i++)
		if (!p->hooks[i].live && (!strcmp(p->hooks[i].name, "watch/write") ||
					  (reads && !strcmp(p->hooks[i].name, "watch/read"))))
			return p->hooks[i].why;
	return NULL;
}

int probe_watch_open(struct probe *p, const struct probe_watch_options *opt, unsigned *ret_watch,
		     char err[PROBE_ERR_MAX])
{
	const char *off = watch_is_off(p, opt->reads);
	int r, at = 0;

	if (off) {
		snprintf(err, PROBE_ERR_MAX, "Variables cannot be watched here: %s; see 'ctrace doctor'.",
			 off);
		return -EOPNOTSUPP;
	}
	pthread_mutex_lock(&p->watch_lock);
	r = watch_map(p);
	if (!r) {
		at = watch_slot(p, opt);
		r = at < 0 ? at : 0;
	}
	if (r == -ENOSPC) {
		snprintf(
			err, PROBE_ERR_MAX,
			"At most %d variables can be watched at a time, and one with --read counts as two: that is what the hardware has; end another 'ctrace watch' first.",
			PROBE_WATCHES_MAX);
	} else if (r == -EEXIST) {
		snprintf(err, PROBE_ERR_MAX,
			 "0x%llx of process %u is watched already; end the other 'ctrace watch' first.",
			 (unsigned long long)opt->addr, opt->tgid);
	} else {
		if (!r)
			r = watch_open_in(p, opt, (unsigned)at);
		if (r)
			watch_say(r, opt, err);
	}
	pthread_mutex_unlock(&p->watch_lock);
	if (!r)
		*ret_watch = (unsigned)at;
	return r;
}

void probe_watch_close(struct probe *p, unsigned watch)
{
	pthread_mutex_lock(&p->watch_lock);
	if (p->watch[watch].cost) {
		p->watches->v[watch].tgid = 0;
		watch_drop(p, &p->watch[watch]);
	}
	pthread_mutex_unlock(&p->watch_lock);
}

uint64_t probe_watch_refused(const struct probe *p, unsigned watch)
{
	return __atomic_load_n(&p->watches->v[watch].refused, __ATOMIC_RELAXED);
}
