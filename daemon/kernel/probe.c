/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/kernel/probe_private.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "daemon/kernel/wait_calls.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

/* Arguments of the tracepoint sched_switch: private data, preempt, prev, next, prev_state. Older
 * kernels have no prev_state. */
enum { SWITCH_ARGS_STATE = 5 };

static __thread struct {
	char prog[64];
	char text[160];
} load_message;

static int probe_libbpf_print(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char line[512];
	const char *p, *end;

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(line, sizeof(line), fmt, ap);
	p = strstr(line, "prog '");
	end = p ? strchr(p + 6, '\'') : NULL;
	if (!end)
		return 0;
	snprintf(load_message.prog, sizeof(load_message.prog), "%.*s", (int)(end - p - 6), p + 6);
	snprintf(load_message.text, sizeof(load_message.text), "%s", end + (end[1] == ':' ? 3 : 1));
	load_message.text[strcspn(load_message.text, "\n")] = 0;
	return 0;
}

static bool probe_name_is_off(const char *list, const char *family)
{
	size_t n = strlen(family);

	for (const char *p = list; (p = strstr(p, family)); p += n)
		if (p > list && p[-1] == '-' && (!p[n] || p[n] == ',' || p[n] == ' '))
			return true;
	return false;
}

int probe_check_hooks(const char *list, char err[PROBE_ERR_MAX])
{
	_cleanup_free_ char *copy = strdup(list);
	char *save = NULL;

	if (!copy)
		return -ENOMEM;
	for (char *t = strtok_r(copy, ", ", &save); t; t = strtok_r(NULL, ", ", &save)) {
		size_t i;

		for (i = 0; i < hooks_n_defs; i++)
			if (t[0] == '-' && !strcmp(t + 1, hooks_defs[i].family))
				break;
		if (i == hooks_n_defs) {
			snprintf(
				err, PROBE_ERR_MAX,
				"no such hook family: \"%s\"; write a \"-\" and one of irq, signal, msg, block, lock, watch, iter, jobs",
				t);
			return -EINVAL;
		}
	}
	return 0;
}

static bool probe_target_exists(const struct btf *btf, const struct hook_prog *g)
{
	char name[96];

	if (!*g->target)
		return true;
	if (strcmp(g->how, "tp_btf"))
		return btf__find_by_name_kind(btf, g->target, BTF_KIND_FUNC) > 0;
	snprintf(name, sizeof(name), "btf_trace_%s", g->target);
	return btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF) > 0;
}

static struct hook_state *probe_hook_state(struct probe *p, const char *name)
{
	for (size_t i = 0; i < hooks_n_defs; i++)
		if (!strcmp(hooks_defs[i].name, name))
			return &p->state[i];
	return NULL;
}

static void probe_prog_off(struct probe *p, size_t prog, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void probe_prog_off(struct probe *p, size_t prog, const char *fmt, ...)
{
	struct hook_state *s = probe_hook_state(p, hooks_progs[prog].hook);
	va_list ap;

	p->prog_off[prog] = true;
	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
}

static bool probe_ftrace_is_off(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/ftrace_enabled", "re");

	return f && fgetc(f) == '0';
}

static void probe_preselect(struct probe *p, const struct btf *btf, const struct probe_options *opt)
{
	bool ftrace_off = probe_ftrace_is_off();

	for (size_t i = 0; i < hooks_n_progs; i++) {
		const struct hook_prog *g = &hooks_progs[i];
		bool func = !strcmp(g->how, "fentry") || !strcmp(g->how, "fexit");
		size_t d = probe_hook_state(p, g->hook) - p->state;

		if (probe_name_is_off(opt->hooks, hooks_defs[d].family))
			probe_prog_off(p, i, "switched off by the configuration");
		else if (!strcmp(hooks_defs[d].family, "jobs") && !opt->jobs)
			probe_prog_off(p, i, "not asked for (the setting frameworks)");
		else if (!probe_target_exists(btf, g))
			probe_prog_off(p, i, "this kernel has no %s %s", func ? "function" : "tracepoint",
				       g->target);
		else if (func && ftrace_off)
			probe_prog_off(p, i, "kernel.ftrace_enabled is 0, so the kernel would never call %s",
				       g->how);
	}
}

static bool probe_prog_wanted(const struct probe *p, size_t prog)
{
	if (p->prog_off[prog])
		return false;
	for (size_t i = 0; i < hooks_n_progs; i++)
		if (!p->prog_off[i] && hooks_progs[i].rank < hooks_progs[prog].rank &&
		    !strcmp(hooks_progs[i].hook, hooks_progs[prog].hook))
			return false;
	return true;
}

static bool probe_switch_has_state(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;

	while (t && (btf_is_typedef(t) || btf_is_ptr(t)))
		t = btf__type_by_id(btf, t->type);
	return t && btf_is_func_proto(t) && btf_vlen(t) >= SWITCH_ARGS_STATE;
}

static int probe_try_load(struct probe *p, const struct btf *btf, const struct probe_options *opt)
{
	struct ctrace_bpf *s = ctrace_bpf__open();
	struct timespec tick;
	int r;

	if (!s)
		return -errno;
	s->rodata->ct_tracer_tgid = getpid();
	s->rodata->ct_switch_has_state = probe_switch_has_state(btf);
	s->rodata->ct_has_rdonly_cast = btf__find_by_name_kind(btf, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
	if (!clock_getres(CLOCK_MONOTONIC_COARSE, &tick))
		s->rodata->ct_tick_ns = (uint64_t)tick.tv_sec * NSEC_PER_SEC + (uint64_t)tick.tv_nsec;
	s->rodata->ct_page_shift = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	s->rodata->ct_ring_bytes = opt->ring_bytes;
	wait_calls_fill(s->rodata->ct_sysclass);
	bpf_map__set_max_entries(s->maps.ct_cpus, p->n_cpus);
	bpf_map__set_value_size(s->maps.ct_cpus, CPU_ENTRY_BYTES(opt->ring_bytes));
	bpf_map__set_autocreate(s->maps.ct_job_rules, opt->jobs);
	bpf_map__set_autocreate(s->maps.ct_job_hits, opt->jobs);
	bpf_map__set_autocreate(s->maps.ct_job_switch, opt->jobs);
	bpf_map__set_autocreate(s->maps.ct_job_owners, opt->jobs);
	bpf_map__set_autocreate(s->maps.ct_job_told, opt->jobs);
	bpf_map__set_autocreate(s->maps.ct_job_calls, opt->jobs);
	bpf_map__set_autocreate(s->maps.ct_job_open, opt->jobs);
	bpf_map__set_autocreate(s->maps.ct_job_queued, opt->jobs);
	bpf_map__set_autocreate(s->maps.ct_job_queued_many, opt->jobs);
	bpf_map__set_autocreate(s->maps.ct_job_stacks, opt->jobs);
	bpf_map__set_autocreate(s->maps.ct_job_scratch, opt->jobs);
	for (size_t i = 0; i < hooks_n_progs; i++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(s->obj, hooks_progs[i].prog),
					  probe_prog_wanted(p, i));
	memset(&load_message, 0, sizeof(load_message));
	r = ctrace_bpf__load(s);
	if (r) {
		ctrace_bpf__destroy(s);
		return r;
	}
	p->skel = s;
	return 0;
}

static int probe_check_essential(const struct probe *p, const char *hook, char err[PROBE_ERR_MAX])
{
	const struct hook_def *d = NULL;
	const char *why = "";

	for (size_t i = 0; i < hooks_n_defs; i++)
		if (!strcmp(hooks_defs[i].name, hook)) {
			d = &hooks_defs[i];
			why = p->state[i].why;
		}
	if (!d || !d->essential)
		return 0;
	for (size_t i = 0; i < hooks_n_progs; i++)
		if (!strcmp(hooks_progs[i].hook, hook) && !p->prog_off[i])
			return 0;
	snprintf(err, PROBE_ERR_MAX, "%s cannot be traced: %s; without it %s", d->name, why, d->without);
	return -EOPNOTSUPP;
}

static int probe_load(struct probe *p, const struct btf *btf, const struct probe_options *opt,
		      char err[PROBE_ERR_MAX])
{
	int r;

	while ((r = probe_try_load(p, btf, opt))) {
		size_t i;

		for (i = 0; i < hooks_n_progs; i++)
			if (!strcmp(hooks_progs[i].prog, load_message.prog) && !p->prog_off[i])
				break;
		if (i == hooks_n_progs) {
			snprintf(
				err, PROBE_ERR_MAX, "the BPF programs could not be loaded: %s%s",
				strerror(-r),
				r == -ENOMEM
					? "; raise the memory limit of the service, or make the rings smaller"
				: r == -E2BIG ? "; before 6.0 a kernel has rings of 2M at most: set ring-size"
					      : "");
			return r;
		}
		probe_prog_off(p, i, "%s %s could not be loaded: %s", hooks_progs[i].how,
			       hooks_progs[i].target, strerror(-r));
		r = probe_check_essential(p, hooks_progs[i].hook, err);
		if (r)
			return r;
	}
	return 0;
}

static void probe_attach(struct probe *p)
{
	for (size_t i = 0; i < hooks_n_progs; i++) {
		const struct hook_prog *g = &hooks_progs[i];
		struct bpf_program *prog = bpf_object__find_program_by_name(p->skel->obj, g->prog);
		struct hook_state *s = probe_hook_state(p, g->hook);

		if (!probe_prog_wanted(p, i))
			continue;
		/* Iterators are attached for each read, uprobes when a framework is found. */
		if (!strcmp(g->how, "iter") || !strcmp(g->how, "uprobe")) {
			s->how = g->how;
			continue;
		}
		if (!strcmp(g->how, "breakpoint")) {
			int r = probe_watch_try(p);

			if (r == -ENXIO)
				probe_prog_off(
					p, i,
					"hardware breakpoints do not fire on this machine: its hypervisor keeps them back");
			else if (r)
				probe_prog_off(p, i, "hardware breakpoints cannot be set: %s", strerror(-r));
			else
				s->how = g->how;
			continue;
		}
		if (hooks_defs[s - p->state].from) {
			s->how = g->how;
			p->govern.detached[i] = true;
			continue;
		}
		p->links[i] = bpf_program__attach(prog);
		if (p->links[i])
			s->how = g->how;
		else
			probe_prog_off(p, i, "%s %s could not be attached: %s", g->how, g->target,
				       strerror(errno));
	}
}

/* At the first attach to a perf event, libbpf loads a test program. The daemon can load programs
 * only at its start, so it attaches here once. The attach fails, because no_event is no perf
 * event. */
static void probe_ask_libbpf(struct probe *p)
{
	int no_event = bpf_program__fd(p->skel->progs.ct_job_entry);

	if (no_event >= 0)
		bpf_link__destroy(bpf_program__attach_perf_event(p->skel->progs.ct_job_entry, no_event));
}

static int probe_tell(struct probe *p, char err[PROBE_ERR_MAX])
{
	size_t at = 0;

	for (size_t i = 0; i < hooks_n_defs; i++) {
		struct probe_hook *h = &p->hooks[i];

		h->name = hooks_defs[i].name;
		h->without = hooks_defs[i].without;
		h->live = p->state[i].how != NULL;
		h->how = h->live ? p->state[i].how : "";
		h->why = h->live ? "" : p->state[i].why;
		if (!h->live && hooks_defs[i].essential) {
			snprintf(err, PROBE_ERR_MAX, "%s cannot be traced: %s; without it %s", h->name,
				 h->why, h->without);
			return -EOPNOTSUPP;
		}
		if (h->live && at < sizeof(p->text))
			at += snprintf(p->text + at, sizeof(p->text) - at, "%s%s=%s", at ? "," : "", h->name,
				       h->how);
	}
	return 0;
}

static uint64_t probe_bytes(const struct probe *p)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < p->n_cpus; i++)
		n += __atomic_load_n(&percpu_ring_cpu(p->rings, i)->head, __ATOMIC_RELAXED);
	return n;
}

/* Returns -ENODATA if the kernel never calls the attached programs, as on some machines. If it
 * calls them, each sleep makes records. */
static int probe_check_fires(const struct probe *p, char err[PROBE_ERR_MAX])
{
	for (int i = 0; i < PROBE_FIRES_MS; i++) {
		struct timespec ms = { .tv_nsec = 1000000 };

		nanosleep(&ms, NULL);
		if (probe_bytes(p))
			return 0;
	}
	snprintf(
		err, PROBE_ERR_MAX,
		"the BPF programs are attached, but the kernel never calls them; is there a limit on tracing on this machine?");
	return -ENODATA;
}

static int probe_setup(struct probe *p, const struct probe_options *opt, char err[PROBE_ERR_MAX])
{
	struct btf *btf = NULL;
	int r;

	r = probe_check_hooks(opt->hooks, err);
	if (r)
		return r;
	r = probe_check_machine(err);
	if (r)
		return r;
	btf = btf__load_vmlinux_btf();
	if (!btf) {
		snprintf(
			err, PROBE_ERR_MAX,
			"the kernel's type information (/sys/kernel/btf/vmlinux) cannot be read or is not whole; use a kernel built with CONFIG_DEBUG_INFO_BTF");
		return -ENOENT;
	}
	probe_preselect(p, btf, opt);
	for (size_t i = 0; !r && i < hooks_n_defs; i++)
		r = probe_check_essential(p, hooks_defs[i].name, err);
	if (!r)
		r = probe_load(p, btf, opt, err);
	btf__free(btf);
	if (r)
		return r;
	r = percpu_ring_new(bpf_map__fd(p->skel->maps.ct_cpus), p->n_cpus, opt->ring_bytes,
			    bpf_map__fd(p->skel->maps.ct_side), CPU_SIDE_BYTES, &p->rings);
	if (r) {
		snprintf(err, PROBE_ERR_MAX, "the rings could not be made (%u CPUs, %llu bytes each): %s",
			 p->n_cpus, (unsigned long long)opt->ring_bytes, strerror(-r));
		return r;
	}
	r = probe_govern_map(p);
	if (r) {
		snprintf(err, PROBE_ERR_MAX, "the map of capped tasks could not be had: %s", strerror(-r));
		return r;
	}
	probe_govern_calibrate(p, opt->measure);
	probe_attach(p);
	probe_ask_libbpf(p);
	r = probe_tell(p, err);
	return r ? r : probe_check_fires(p, err);
}

int probe_open(const struct probe_options *opt, struct probe **ret, char err[PROBE_ERR_MAX])
{
	struct probe *p = calloc(1, sizeof(*p));
	int r;

	if (!p) {
		snprintf(err, PROBE_ERR_MAX, "out of memory");
		return -ENOMEM;
	}
	pthread_mutex_init(&p->iter_tasks_lock, NULL);
	pthread_mutex_init(&p->iter_files_lock, NULL);
	pthread_mutex_init(&p->watch_lock, NULL);
	libbpf_set_print(probe_libbpf_print);
	p->n_cpus = probe_present_cpus();
	p->state = calloc(hooks_n_defs, sizeof(*p->state));
	p->hooks = calloc(hooks_n_defs, sizeof(*p->hooks));
	p->prog_off = calloc(hooks_n_progs, sizeof(*p->prog_off));
	p->links = calloc(hooks_n_progs, sizeof(*p->links));
	p->told = calloc(p->n_cpus, sizeof(*p->told));
	p->govern.detached = calloc(hooks_n_progs, sizeof(*p->govern.detached));
	if (p->state && p->hooks && p->prog_off && p->links && p->told && p->govern.detached) {
		r = probe_setup(p, opt, err);
	} else {
		snprintf(err, PROBE_ERR_MAX, "out of memory");
		r = -ENOMEM;
	}
	if (r) {
		probe_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

void probe_free(struct probe *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < PROBE_WATCHES_MAX; i++)
		probe_watch_close(p, i);
	for (size_t i = 0; p->links && i < hooks_n_progs; i++)
		bpf_link__destroy(p->links[i]);
	percpu_ring_free(p->rings);
	probe_govern_unmap(p);
	if (p->watches)
		munmap(p->watches, p->watches_bytes);
	ctrace_bpf__destroy(p->skel);
	pthread_mutex_destroy(&p->iter_tasks_lock);
	pthread_mutex_destroy(&p->iter_files_lock);
	pthread_mutex_destroy(&p->watch_lock);
	free(p->told);
	free(p->govern.detached);
	free(p->links);
	free(p->prog_off);
	free(p->hooks);
	free(p->state);
	free(p);
}

const struct probe_hook *probe_hooks(const struct probe *p, size_t *ret_n)
{
	*ret_n = hooks_n_defs;
	return p->hooks;
}

const char *probe_hooks_text(const struct probe *p)
{
	return p->text;
}

unsigned probe_cpus(const struct probe *p)
{
	return p->n_cpus;
}

int probe_fd(const struct probe *p)
{
	return bpf_map__fd(p->skel->maps.ct_side);
}

long probe_consume(struct probe *p, probe_record_fn fn, void *arg)
{
	return percpu_ring_consume(p->rings, fn, arg);
}

uint64_t probe_ring_high_water(const struct probe *p)
{
	return percpu_ring_high_water(p->rings);
}

int probe_lost(const struct probe *p, uint16_t cpu, uint64_t ret[CT_LOSS_COUNTED])
{
	const struct ct_cpu_stats *s;

	if (cpu >= p->n_cpus)
		return -EINVAL;
	s = &percpu_ring_cpu(p->rings, cpu)->stats;
	for (int c = 0; c < CT_LOSS_COUNTED; c++)
		ret[c] = __atomic_load_n(&s->lost[c], __ATOMIC_RELAXED);
	return 0;
}

uint64_t probe_crashes_limited(const struct probe *p)
{
	return __atomic_load_n(&p->skel->bss->ct_crash_limited, __ATOMIC_RELAXED);
}

int probe_losses(struct probe *p, probe_loss_fn fn, void *arg)
{
	for (unsigned cpu = 0; cpu < p->n_cpus; cpu++)
		for (int c = 0; c < CT_LOSS_COUNTED; c++) {
			struct ct_cpu_stats *s = &percpu_ring_cpu(p->rings, cpu)->stats;
			uint64_t n = __atomic_load_n(&s->lost[c], __ATOMIC_ACQUIRE), first, last;

			if (n == p->told[cpu].n[c])
				continue;
			last = __atomic_load_n(&s->lost_last_ns[c], __ATOMIC_RELAXED);
			first = __atomic_exchange_n(&s->lost_first_ns[c], 0, __ATOMIC_RELAXED);
			/* first 0: the loss came during the previous probe_losses(), after the read
			 * of the count and before the reset of lost_first_ns. So the loss is not
			 * older than told.last_ns, the time of the last loss that the previous call
			 * reported. */
			if (!first)
				first = p->told[cpu].last_ns[c] ? p->told[cpu].last_ns[c] : last;
			fn(arg, cpu, c, n - p->told[cpu].n[c], first, last);
			p->told[cpu].n[c] = n;
			p->told[cpu].last_ns[c] = last;
		}
	return 0;
}

int probe_jobs(const struct probe *p, struct probe_jobs *ret)
{
	const struct ctrace_bpf *skel = p->skel;

	if (bpf_program__fd(skel->progs.ct_job_entry) < 0 || bpf_program__fd(skel->progs.ct_job_return) < 0)
		return -EOPNOTSUPP;
	*ret = (struct probe_jobs){ .entry = skel->progs.ct_job_entry,
				    .ret = skel->progs.ct_job_return,
				    .text = bpf_program__fd(skel->progs.ct_call_entry) < 0
						    ? NULL
						    : skel->progs.ct_call_entry,
				    .rules_fd = bpf_map__fd(skel->maps.ct_job_rules),
				    .hits_fd = bpf_map__fd(skel->maps.ct_job_hits),
				    .switch_fd = bpf_map__fd(skel->maps.ct_job_switch),
				    .calls_fd = bpf_map__fd(skel->maps.ct_job_calls) };
	return 0;
}

int probe_run_time(struct probe *p, uint64_t *ret_ns)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < hooks_n_progs; i++) {
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);
		int fd = bpf_program__fd(bpf_object__find_program_by_name(p->skel->obj, hooks_progs[i].prog));

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &size))
			return -errno;
		sum += info.run_time_ns;
	}
	*ret_ns = sum;
	return 0;
}
