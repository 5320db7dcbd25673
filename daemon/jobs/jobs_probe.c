// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_probe.h"

#include <errno.h>
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
	uint64_t *hits; /* [JOB_RULES_MAX], shared with the BPF programs */
	void (*fn)(void *arg, const struct job_call *call);
	void *arg;
	unsigned n_calls;
	bool used[JOB_RULES_MAX];
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
	p->hits = mmap(NULL, JOB_RULES_MAX * sizeof(*p->hits), PROT_READ | PROT_WRITE, MAP_SHARED,
		       jobs.hits_fd, 0);
	if (p->hits == MAP_FAILED) {
		r = -errno;
		free(p);
		return r;
	}
	p->calls = ring_buffer__new(jobs.calls_fd, jobs_probe_call, p, NULL);
	if (!p->calls) {
		r = -errno;
		munmap(p->hits, JOB_RULES_MAX * sizeof(*p->hits));
		free(p);
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
	munmap(p->hits, JOB_RULES_MAX * sizeof(*p->hits));
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
	while (i < JOB_RULES_MAX && p->used[i])
		i++;
	if (i == JOB_RULES_MAX)
		return -ENOSPC;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->rule = i;
	l->price_ns = price_ns + (rule->flags & JOB_RETURNS ? JOBS_HIT_RETURN_NS : 0);
	p->used[i] = true;
	__atomic_store_n(&p->hits[i], 0, __ATOMIC_RELAXED);
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

void jobs_probe_del(struct jobs_probe *p, struct jobs_link *l)
{
	if (!l)
		return;
	bpf_link__destroy(l->entry);
	bpf_link__destroy(l->ret);
	p->used[l->rule] = false;
	free(l);
}

uint64_t jobs_probe_hits(const struct jobs_probe *p, const struct jobs_link *link)
{
	return __atomic_load_n(&p->hits[link->rule], __ATOMIC_RELAXED);
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
