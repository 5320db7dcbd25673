// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_probe.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/thresholds.h"
#include "lib/cleanup.h"

struct jobs_probe {
	struct probe_jobs jobs;
	struct ring_buffer *calls;
	/* shared with the BPF programs: [JOB_RULES_MAX] and [JOB_SPECS_MAX] */
	struct job_count *counts;
	uint64_t *switches;
	void (*fn)(void *arg, const struct job_call *call);
	void *arg;
	unsigned n_calls;

	pthread_mutex_t lock; /* protects the members below. Not held while the kernel attaches a probe */
	struct jobs_rule {
		bool used;
		uint8_t spec;
		uint32_t price_ns;
	} rules[JOB_RULES_MAX];
	struct jobs_auto_spent gone[JOB_SPECS_MAX]; /* probes that are gone, and what was charged */
};

struct jobs_link {
	uint32_t rule;
	uint32_t price_ns;
	struct bpf_link *entry, *ret;
};

static int jobs_probe_call(void *arg, void *data, size_t size)
{
	struct jobs_probe *p = arg;

	if (size >= sizeof(struct job_call))
		p->fn(p->arg, data);
	/* -EAGAIN ends the reading; the ring buffer still counts this job_call as read */
	return ++p->n_calls < JOBS_PROBE_CALLS ? 0 : -EAGAIN;
}

static void *jobs_probe_map(int fd, size_t bytes)
{
	void *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return m == MAP_FAILED ? NULL : m;
}

int jobs_probe_new(struct probe *probe, struct jobs_probe **ret)
{
	struct probe_jobs jobs;
	struct jobs_probe *p;
	int r = probe_jobs(probe, &jobs);

	if (r)
		return r;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->jobs = jobs;
	pthread_mutex_init(&p->lock, NULL);
	p->counts = jobs_probe_map(jobs.hits_fd, JOB_RULES_MAX * sizeof(*p->counts));
	if (p->counts)
		p->switches = jobs_probe_map(jobs.switch_fd, JOB_SPECS_MAX * sizeof(*p->switches));
	if (p->switches)
		p->calls = ring_buffer__new(jobs.calls_fd, jobs_probe_call, p, NULL);
	if (!p->calls) {
		r = -errno;
		jobs_probe_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

void jobs_probe_free(struct jobs_probe *p)
{
	if (!p)
		return;
	ring_buffer__free(p->calls);
	if (p->counts)
		munmap(p->counts, JOB_RULES_MAX * sizeof(*p->counts));
	if (p->switches)
		munmap(p->switches, JOB_SPECS_MAX * sizeof(*p->switches));
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static struct bpf_link *jobs_probe_attach(const struct bpf_program *program, pid_t pid, const char *path,
					  struct jobs_place at, uint32_t rule, bool returns)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = rule, .retprobe = returns,
		    .ref_ctr_offset = at.counter_off);

	return bpf_program__attach_uprobe_opts(program, pid > 0 ? pid : -1, path, at.off, &opts);
}

/* NULL: the kernel has refused the program. */
static const struct bpf_program *jobs_probe_program(const struct jobs_probe *p, const struct job_rule *rule)
{
	return rule->flags & JOB_MARK && rule->flags & JOB_TEXT ? p->jobs.text : p->jobs.entry;
}

int jobs_probe_add(struct jobs_probe *p, pid_t pid, const char *path, struct jobs_place at,
		   const struct job_rule *rule, uint32_t price_ns, struct jobs_link **ret)
{
	const struct bpf_program *entry = jobs_probe_program(p, rule);
	struct jobs_link *l;
	uint32_t i = 0;
	int r;

	if (!entry)
		return -EOPNOTSUPP;
	while (i < JOB_RULES_MAX && p->rules[i].used)
		i++;
	if (i == JOB_RULES_MAX)
		return -ENOSPC;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->rule = i;
	l->price_ns = price_ns + (rule->flags & JOB_RETURNS ? JOBS_HIT_RETURN_NS : 0);
	pthread_mutex_lock(&p->lock);
	p->rules[i] = (struct jobs_rule){ .used = true, .spec = rule->spec, .price_ns = l->price_ns };
	__atomic_store_n(&p->counts[i].hits, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&p->counts[i].stacks, 0, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&p->lock);
	r = bpf_map_update_elem(p->jobs.rules_fd, &i, rule, BPF_ANY) ? -errno : 0;
	/* The return is probed first: without this probe, a started job would never end. */
	if (!r && rule->flags & JOB_RETURNS &&
	    !(l->ret = jobs_probe_attach(p->jobs.ret, pid, path, at, i, true)))
		r = -errno;
	if (!r && !(l->entry = jobs_probe_attach(entry, pid, path, at, i, false)))
		r = -errno;
	if (r)
		jobs_probe_del(p, l);
	else
		*ret = l;
	return r;
}

/* Call with the lock held. */
static void jobs_probe_add_up(const struct jobs_probe *p, uint32_t rule, struct jobs_auto_spent *sum)
{
	uint64_t hits = __atomic_load_n(&p->counts[rule].hits, __ATOMIC_RELAXED);
	uint64_t stacks = __atomic_load_n(&p->counts[rule].stacks, __ATOMIC_RELAXED);

	sum->hits += hits;
	sum->cost_ns += hits * p->rules[rule].price_ns + stacks * JOBS_STACK_NS;
}

void jobs_probe_spent(struct jobs_probe *p, struct jobs_auto_spent ret[JOB_SPECS_MAX])
{
	pthread_mutex_lock(&p->lock);
	memcpy(ret, p->gone, sizeof(p->gone));
	for (uint32_t i = 0; i < JOB_RULES_MAX; i++)
		if (p->rules[i].used)
			jobs_probe_add_up(p, i, &ret[p->rules[i].spec]);
	pthread_mutex_unlock(&p->lock);
}

void jobs_probe_charge(struct jobs_probe *p, uint32_t spec, uint64_t cpu_ns)
{
	pthread_mutex_lock(&p->lock);
	p->gone[spec].cost_ns += cpu_ns;
	pthread_mutex_unlock(&p->lock);
}

void jobs_probe_switch(struct jobs_probe *p, uint32_t spec, enum job_switch how)
{
	__atomic_store_n(&p->switches[spec], (uint64_t)how, __ATOMIC_RELAXED);
}

void jobs_probe_del(struct jobs_probe *p, struct jobs_link *l)
{
	if (!l)
		return;
	bpf_link__destroy(l->entry);
	bpf_link__destroy(l->ret);
	pthread_mutex_lock(&p->lock);
	jobs_probe_add_up(p, l->rule, &p->gone[p->rules[l->rule].spec]);
	p->rules[l->rule].used = false;
	pthread_mutex_unlock(&p->lock);
	free(l);
}

uint64_t jobs_probe_hits(const struct jobs_probe *p, const struct jobs_link *link)
{
	return __atomic_load_n(&p->counts[link->rule].hits, __ATOMIC_RELAXED);
}

uint32_t jobs_probe_price(const struct jobs_link *link)
{
	return link->price_ns;
}

int jobs_probe_fd(const struct jobs_probe *p)
{
	return ring_buffer__epoll_fd(p->calls);
}

void jobs_probe_calls(struct jobs_probe *p, void (*fn)(void *arg, const struct job_call *call), void *arg)
{
	p->fn = fn;
	p->arg = arg;
	p->n_calls = 0;
	ring_buffer__consume(p->calls);
}
