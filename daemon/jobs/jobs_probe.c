// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "lib/cleanup.h"

struct jobs_probe {
	struct probe_jobs jobs;
	struct ring_buffer *calls;
	void (*fn)(void *arg, const struct job_call *call);
	void *arg;
	unsigned n_calls;
	bool used[JOB_RULES_MAX];
};

struct jobs_link {
	uint32_t rule;
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
	p->calls = ring_buffer__new(jobs.calls_fd, jobs_probe_call, p, NULL);
	if (!p->calls) {
		r = -errno;
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
	free(p);
}

static struct bpf_link *jobs_probe_attach(struct jobs_probe *p, pid_t pid, const char *path, uint64_t off,
					  uint32_t rule, bool returns)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = rule, .retprobe = returns);

	return bpf_program__attach_uprobe_opts(returns ? p->jobs.ret : p->jobs.entry, pid > 0 ? pid : -1,
					       path, off, &opts);
}

int jobs_probe_add(struct jobs_probe *p, pid_t pid, const char *path, uint64_t off,
		   const struct job_rule *rule, struct jobs_link **ret)
{
	struct jobs_link *l;
	uint32_t i = 0;
	int r;

	while (i < JOB_RULES_MAX && p->used[i])
		i++;
	if (i == JOB_RULES_MAX)
		return -ENOSPC;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->rule = i;
	p->used[i] = true;
	r = bpf_map_update_elem(p->jobs.rules_fd, &i, rule, BPF_ANY) ? -errno : 0;
	/* The return is probed first: without this probe, a started job would never end. */
	if (!r && rule->flags & JOB_RETURNS && !(l->ret = jobs_probe_attach(p, pid, path, off, i, true)))
		r = -errno;
	if (!r && !(l->entry = jobs_probe_attach(p, pid, path, off, i, false)))
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
