// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/report.h"

#include <bpf/bpf.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "daemon/sandbox/bpfstats.h"
#include "daemon/capture/trace_storage.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/words/describe.h"

static const char *const loss_names[CT_LOSS_COUNTED] = {
	[CT_LOSS_RING_FULL] = "ring_full", [CT_LOSS_STORAGE] = "storage", [CT_LOSS_OBJECTS] = "objects",
	[CT_LOSS_DAEMON] = "daemon",       [CT_LOSS_DISK] = "disk",       [CT_LOSS_SHED] = "shed",
	[CT_LOSS_SIDE] = "probes",
};

static json_int_t num(uint64_t v)
{
	return (json_int_t)v;
}

static json_t *report_file(const struct report_source *src, const struct writer_stats *w)
{
	return json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "path", src->trace, "bytes",
			 num(src->size_bytes), "oldest_ns", num(w->oldest_ns), "newest_ns", num(w->newest_ns),
			 "segments", num(w->segments), "records", num(w->records), "written_bytes",
			 num(w->file_bytes), "evicted", num(w->dict_evicted));
}

/* The sums by cause include the losses of the daemon and of the disk. The sums by CPU do not. */
static json_t *report_losses(const struct report_source *src, const struct recorder_stats *r)
{
	json_t *losses = json_object(), *cpus = json_array();
	uint64_t by_cause[CT_LOSS_COUNTED] = { 0 };

	for (unsigned cpu = 0; cpu < probe_cpus(src->probe); cpu++) {
		uint64_t of_cpu[CT_LOSS_COUNTED], lost = 0;

		if (probe_lost(src->probe, (uint16_t)cpu, of_cpu))
			continue;
		for (size_t i = 0; i < CT_LOSS_COUNTED; i++) {
			by_cause[i] += of_cpu[i];
			lost += of_cpu[i];
		}
		if (lost)
			json_array_append_new(cpus,
					      json_pack("{s:i,s:I}", "cpu", (int)cpu, "lost", num(lost)));
	}
	by_cause[CT_LOSS_DAEMON] += r->refused;
	by_cause[CT_LOSS_DISK] += r->writer.lost_disk;
	for (size_t i = 0; i < CT_LOSS_COUNTED; i++)
		if (loss_names[i])
			json_object_set_new(losses, loss_names[i], json_integer(num(by_cause[i])));
	json_object_set_new(losses, "cpus", cpus);
	return losses;
}

static json_t *report_storage(const struct writer_storage *s, uint64_t now_ns)
{
	json_t *o = json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I}", "state", trace_storage_word(s, now_ns),
			      "synced_ns", num(s->synced_ns), "queued_bytes", num(s->queued_bytes),
			      "lost_segments", num(s->lost_segments), "lost_records", num(s->lost_records),
			      "begun_anew", num(s->begun_anew), "repaired", num(s->repaired));

	if (s->busy_ns)
		json_object_set_new(o, "busy_ns", json_integer(num(now_ns - MIN(s->busy_ns, now_ns))));
	if (s->failed_syncs) {
		json_object_set_new(o, "failed_syncs", json_integer(num(s->failed_syncs)));
		json_object_set_new(o, "unsure_from_ns", json_integer(num(s->unsure_from_ns)));
		json_object_set_new(o, "unsure_to_ns", json_integer(num(s->unsure_to_ns)));
	}
	if (s->trouble != WRITER_FINE) {
		json_object_set_new(o, "error", json_string(strerror(-s->error)));
		json_object_set_new(o, "since_ns", json_integer(num(s->since_ns)));
	}
	return o;
}

static json_t *report_inspections(const struct report_source *src, const struct drain_stats *s)
{
	const struct inspect_stats *v = &s->inspect;

	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "asked", num(v->asked),
			 "done", num(v->done), "gone", num(v->gone), "refused_queue", num(v->refused_queue),
			 "refused_rate", num(v->refused_rate), "failed", num(v->failed), "cut_short",
			 num(v->cut_short), "stuck_ns", num(v->stuck_ns), "given_up", num(v->given_up),
			 "postponed", num(s->inspections_postponed), "samples_refused",
			 num(s->samples_refused), "job_stacks_refused", num(s->job_stacks_refused),
			 "crashes_limited", num(probe_crashes_limited(src->probe)));
}

static uint64_t report_rss(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!f || fscanf(f, "%*u %lu", &pages) != 1)
		return 0;
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static json_t *report_cost(const struct drain_stats *s, uint64_t now_ns, double bpf_percent)
{
	uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	double recording_ns = (double)(now_ns - MIN(s->start_ns, now_ns));
	json_t *cost;

	cost = json_pack("{s:f,s:f,s:I,s:I}", "daemon_percent", s->cpu_percent, "daemon_percent_total",
			 recording_ns > 0 ? (double)(cpu_ns - s->start_cpu_ns) * 100 / recording_ns : 0.0,
			 "rss_bytes", num(report_rss()), "cpu_ns", num(cpu_ns));
	if (bpf_percent >= 0)
		json_object_set_new(cost, "bpf_percent", json_real(bpf_percent));
	return cost;
}

static json_t *report_most(const struct most *m)
{
	static const char *const keys[] = {
		[MOST_TASK] = "tid", [MOST_USER] = "user", [MOST_CGROUP] = "cgroup"
	};
	json_t *name, *o;

	if (m->kind == MOST_NONE)
		return NULL;
	o = json_pack("{s:I,s:f,s:I}", keys[m->kind], (json_int_t)m->id, "share_percent", m->share * 100,
		      "at_ns", num(m->ts_ns));
	if (m->kind == MOST_TASK) {
		name = json_stringn(m->comm, strnlen(m->comm, sizeof(m->comm)));
		/* name is NULL if the text is not UTF-8 */
		json_object_set_new(o, "name", name ? name : json_string("?"));
	}
	return o;
}

static json_t *report_governor(const struct report_source *src, const struct drain_stats *s)
{
	const struct governor_loop_stats *g = &s->governor_loop;
	json_t *groups = json_array();

	for (unsigned i = 0; i < g->n_groups; i++)
		json_array_append_new(groups,
				      json_pack("{s:I}", g->group[i] & GOVERN_CGROUP ? "cgroup" : "user",
						(json_int_t)(g->group[i] & ~GOVERN_CGROUP)));
	return json_pack(
		"{s:f,s:f,s:i,s:s,s:i,s:b,s:b,s:I,s:f,s:f,s:f,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o*}",
		"budget_percent", g->budget_ppm / 1e4, "budget_setting_percent", src->budget_ppm / 1e4,
		"task_cap", (int)src->task_cap, "step", describe_shed(g->step), "step_number", (int)g->step,
		"paused", g->paused, "inspections_stopped", g->blind, "since_ns", num(g->since_ns),
		"cost_percent", g->cost_percent, "bpf_percent", MIN(g->bpf_percent, g->cost_percent),
		"passed_percent", g->passed_percent, "spent_ns", num(g->spent_ns), "bpf_ns", num(g->bpf_ns),
		"changes", num(g->changes), "pauses", num(g->pauses), "paused_ns", num(g->paused_ns),
		"capped", num(g->capped), "left_out", num(g->left_out), "caps_refused", num(g->caps_refused),
		"group_caps", num(g->group_caps), "groups", groups, "most", report_most(&g->most));
}

static json_t *report_detector(const struct detect_stats *d)
{
	json_t *found = json_object();

	for (unsigned i = 0; i < CT_HANG_RULES; i++)
		json_object_set_new(found, describe_hang(i), json_integer(num(d->found[i])));
	return json_pack("{s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "found", found, "behind", num(d->behind),
			 "withdrawn", num(d->withdrawn), "crashes_refused", num(d->crashes_refused), "tasks",
			 num(d->tasks), "judged", num(d->judged), "tasks_refused", num(d->tasks_refused),
			 "blind_ns", num(d->blind_ns));
}

static json_t *report_incidents(const struct incidents *is)
{
	struct incidents_stats s = incidents_stats(is);

	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "noticed", num(s.noticed), "snapshots",
			 num(s.taken), "failed", num(s.failed), "limited", num(s.limited), "refused",
			 num(s.refused), "removed", num(s.removed), "kept", num(s.kept), "bytes",
			 num(s.bytes));
}

static json_t *report_hook_counts(struct probe *probe)
{
	size_t n, live = 0;
	const struct probe_hook *hooks = probe_hooks(probe, &n);

	for (size_t i = 0; i < n; i++)
		live += hooks[i].live;
	return json_pack("{s:I,s:I}", "live", num(live), "off", num(n - live));
}

struct report_frameworks {
	json_t *probes, *detached;
	double limit_ppm;
};

static json_t *report_detached(const struct report_frameworks *f, const struct jobs_row *r)
{
	const struct jobs_auto *a = &r->automatic;

	return json_pack("{s:s,s:f,s:f,s:f,s:I,s:I,s:I}", "name", r->name + strlen("jobs/"), "hits_per_s",
			 a->hits_per_s, "cost_percent", a->cost_ppm / 1e4, "limit_percent",
			 f->limit_ppm / 1e4, "since_ns", num(a->since_ns), "again_ns", num(a->again_ns),
			 "times", num(a->times));
}

static json_t *report_probe(const struct jobs_row *r)
{
	json_t *x = json_pack("{s:s,s:I,s:s,s:I,s:I,s:I,s:s,s:I,s:I,s:I,s:I}", "name",
			      r->name + strlen("jobs/"), "id", num(r->id), "file", r->file, "functions",
			      num(r->n_found), "wanted", num(r->n_wanted), "marks", num(r->n_marks), "why",
			      r->lack, "hits", num(r->hits), "callee_hits", num(r->callee_hits), "cost_ns",
			      num(r->cost_ns), "callee_ns", num(r->callee_ns));

	if (r->retry_ns)
		json_object_set_new(x, "retry_ns", json_integer(num(r->retry_ns)));
	return x;
}

static void report_probes(void *arg, const struct jobs_row *r)
{
	const struct report_frameworks *f = arg;

	/* The files of a framework are beside each other; they are detached a moment later than it is
	 * decided. */
	if (r->automatic.off) {
		const json_t *last = json_array_get(f->detached, json_array_size(f->detached) - 1);
		const char *name = json_string_value(json_object_get(last, "name"));

		if (!name || strcmp(name, r->name + strlen("jobs/")))
			json_array_append_new(f->detached, report_detached(f, r));
	} else if (*r->file) {
		json_array_append_new(f->probes, report_probe(r));
	}
}

static json_t *report_left_out(const struct jobs_specs *specs)
{
	json_t *list = json_array();

	for (size_t i = 0; specs && i < MIN(specs->n_left_out, (size_t)JOBS_LOAD_LEFT_MAX); i++)
		json_array_append_new(list, json_string(specs->left_out[i]));
	return list;
}

static json_t *report_jobs(struct jobs *jobs)
{
	struct jobs_stats s = jobs_stats(jobs);
	struct report_frameworks f = { json_array(), json_array(), jobs_limit_ppm(jobs) };
	uint64_t counted_ns = jobs_rows(jobs, report_probes, &f);

	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o}", "files", num(s.files), "callees",
			 num(s.callees), "refused", num(s.refused), "stuck_ns", num(s.stuck_ns), "counted_ns",
			 num(counted_ns), "probes", f.probes, "detached", f.detached, "left_out",
			 report_left_out(jobs_specs(jobs)));
}

static json_t *report_marks(const struct marks *m)
{
	return json_pack("{s:I,s:I,s:I}", "recorded", num(m->recorded), "refused", num(m->refused), "names",
			 num(m->names.n));
}

static json_t *report_requests(const struct report_source *src)
{
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "queued", num(src->requests.queued), "busy_ns",
			 num(src->requests.busy_ns), "given_up", num(src->requests.given_up), "stuck",
			 num(src->requests.stuck + src->closing.stuck), "closing", num(src->closing.queued),
			 "turned_away", num(src->turned_away));
}

json_t *report_status(const struct report_source *src, double bpf_percent)
{
	struct drain_stats s = drain_stats(src->drain);
	const struct recorder_stats *r = &s.recorder;
	uint64_t now_ns = clock_boot_ns();
	json_t *a = json_pack("{s:b,s:s,s:i,s:I,s:I}", "ok", 1, "version", CTRACED_VERSION, "pid",
			      (int)getpid(), "uptime_ns", num(now_ns - s.start_ns), "now_ns", num(now_ns));

	json_object_set_new(a, "file", report_file(src, &r->writer));
	json_object_set_new(a, "storage", report_storage(&r->writer.storage, now_ns));
	json_object_set_new(
		a, "rate",
		json_pack("{s:f,s:f}", "records_per_s", s.records_per_s, "bytes_per_s", s.bytes_per_s));
	json_object_set_new(a, "rings",
			    json_pack("{s:i,s:I,s:I}", "cpus", (int)probe_cpus(src->probe), "bytes_each",
				      num(src->ring_bytes), "high_water_bytes", num(s.high_water)));
	json_object_set_new(a, "losses", report_losses(src, r));
	json_object_set_new(a, "tables",
			    json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "tasks", num(r->tasks),
				      "tasks_refused", num(r->tasks_refused), "objects",
				      num(r->writer.dict_objects), "stacks", num(r->writer.dict_stacks),
				      "resyncs", num(s.resyncs), "streams_refused", num(s.streams_refused),
				      "jobs_refused", num(src->jobs_refused), "cgroups", num(s.cgroups.named),
				      "cgroups_unnamed", num(s.cgroups.unnamed)));
	json_object_set_new(a, "visits", report_inspections(src, &s));
	json_object_set_new(a, "cost", report_cost(&s, now_ns, bpf_percent));
	json_object_set_new(a, "governor", report_governor(src, &s));
	json_object_set_new(a, "detector", report_detector(&s.detect));
	if (src->incidents)
		json_object_set_new(a, "incidents", report_incidents(src->incidents));
	json_object_set_new(a, "hooks", report_hook_counts(src->probe));
	json_object_set_new(a, "frameworks", report_jobs(src->jobs));
	json_object_set_new(a, "marks", report_marks(src->marks));
	json_object_set_new(a, "requests", report_requests(src));
	json_object_set_new(a, "clients", json_integer(src->clients));
	json_object_set_new(a, "denied", json_integer(num(src->denied)));
	json_object_set_new(a, "beat_ns", json_integer(num(s.beat_ns)));
	return a;
}

static json_t *report_capabilities(void)
{
	static const struct {
		int cap;
		const char *name;
	} caps[] = {
		{ CAP_BPF, "bpf" },
		{ CAP_PERFMON, "perfmon" },
		{ CAP_SYS_ADMIN, "sys_admin" },
		{ CAP_SYS_PTRACE, "sys_ptrace" },
		{ CAP_SYS_NICE, "sys_nice" },
		{ CAP_DAC_READ_SEARCH, "dac_read_search" },
		{ CAP_DAC_OVERRIDE, "dac_override" },
		{ CAP_CHECKPOINT_RESTORE, "checkpoint_restore" },
		{ CAP_SYSLOG, "syslog" },
	};
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2] = { 0 };
	json_t *list = json_array();

	if (syscall(SYS_capget, &h, d))
		return list;
	for (size_t i = 0; i < ARRAY_SIZE(caps); i++)
		if (d[caps[i].cap / 32].effective & 1u << (caps[i].cap % 32))
			json_array_append_new(list, json_string(caps[i].name));
	return list;
}

/* Returns the present lockdown state of the kernel. The kernel's file lists all states, and has the
 * present one in brackets: "none [integrity] confidentiality". */
static void report_lockdown(char ret[32])
{
	_cleanup_fclose_ FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128];
	const char *word = f && fgets(line, sizeof(line), f) ? strchr(line, '[') : NULL;

	if (!word || sscanf(word, "[%31[a-z]", ret) != 1)
		strcpy(ret, "unknown");
}

static void report_framework(void *list, const struct jobs_row *r)
{
	json_array_append_new(list, json_pack("{s:s,s:b,s:s,s:s,s:s}", "name", r->name, "live", r->live,
					      "how", r->how, "why", r->why, "without", r->without));
}

json_t *report_doctor(struct probe *probe, struct jobs *jobs)
{
	size_t n;
	const struct probe_hook *hooks = probe_hooks(probe, &n);
	json_t *list = json_array();
	struct utsname u = { 0 };
	char lockdown[32];

	uname(&u);
	report_lockdown(lockdown);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_pack("{s:s,s:b,s:s,s:s,s:s}", "name", hooks[i].name, "live",
						      hooks[i].live, "how", hooks[i].how, "why", hooks[i].why,
						      "without", hooks[i].without));
	jobs_rows(jobs, report_framework, list);
	return json_pack("{s:b,s:s,s:s,s:b,s:s,s:o,s:o}", "ok", 1, "kernel", u.release, "machine", u.machine,
			 "btf", !access("/sys/kernel/btf/vmlinux", R_OK), "lockdown", lockdown,
			 "capabilities", report_capabilities(), "hooks", list);
}

int report_bpf_percent(struct probe *probe, double *ret)
{
	const struct timespec pause = { .tv_nsec = REPORT_BPF_NS };
	_cleanup_close_ int fd = bpfstats_open();
	uint64_t run0, run1, t0, t1;
	int r;

	if (fd < 0)
		return fd;
	t0 = clock_boot_ns();
	r = probe_run_time(probe, &run0);
	nanosleep(&pause, NULL);
	if (!r)
		r = probe_run_time(probe, &run1);
	t1 = clock_boot_ns();
	if (!r)
		*ret = (double)(run1 - run0) * 100 / (double)(t1 - t0);
	return r;
}
