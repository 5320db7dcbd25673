// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_callee.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "daemon/jobs/jobs_file.h"
#include "daemon/jobs/jobs_find.h"
#include "daemon/jobs/jobs_address.h"
#include "daemon/jobs/jobs_load.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

struct callee {
	uint32_t tgid;
	int pidfd;
	uint32_t spec_no;
	uint64_t function;
	struct jobs_link *link;
};

struct jobs_callees {
	struct jobs_probe *probe;
	struct unwind_mounts mounts;
	size_t n;
	struct callee v[JOBS_CALLEES_MAX];
	/* of probes that were removed; index: number of the description */
	uint64_t dropped_hits[JOBS_LOAD_MAX], dropped_ns[JOBS_LOAD_MAX];
};

int jobs_callees_new(struct jobs_probe *probe, struct jobs_callees **ret)
{
	struct jobs_callees *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->probe = probe;
	*ret = c;
	return 0;
}

static uint64_t callee_cost(const struct jobs_callees *c, size_t i)
{
	return jobs_probe_hits(c->probe, c->v[i].link) * jobs_probe_price(c->v[i].link);
}

static void callee_drop(struct jobs_callees *c, size_t i)
{
	uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint32_t spec_no = c->v[i].spec_no;

	c->dropped_ns[c->v[i].spec_no] += callee_cost(c, i);
	c->dropped_hits[c->v[i].spec_no] += jobs_probe_hits(c->probe, c->v[i].link);
	jobs_probe_del(c->probe, c->v[i].link);
	close(c->v[i].pidfd);
	c->v[i] = c->v[--c->n];
	jobs_probe_charge(c->probe, spec_no, clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
}

void jobs_callees_free(struct jobs_callees *c)
{
	while (c && c->n)
		callee_drop(c, 0);
	free(c);
}

void jobs_callees_reap(struct jobs_callees *c)
{
	for (size_t i = 0; i < c->n;) {
		struct pollfd p = { .fd = c->v[i].pidfd, .events = POLLIN };

		if (poll(&p, 1, 0) > 0)
			callee_drop(c, i);
		else
			i++;
	}
}

struct callee_address {
	const struct jobs_spec *spec;
	struct unwind_mounts *mounts;
	uint64_t function;
	uint64_t off, ino;
	uint64_t caller_from, caller_to; /* the code of the framework; 0: it has no file of its own */
	bool several; /* several files may have the code of the framework, such as node and its libuv */
	char path[96];
};

static int callee_mapping(void *arg, const struct jobs_mapping *m)
{
	struct callee_address *p = arg;

	if (jobs_spec_names(p->spec, m->path)) {
		p->several |= p->caller_to != 0;
		p->caller_from = m->start;
		p->caller_to = m->end;
	}
	if (p->function < m->start || p->function >= m->end)
		return 0;
	if (unwind_mounts_avoid(p->mounts, m->pid, m->major, m->minor))
		return -EREMOTE;
	p->off = p->function - m->start + m->off;
	p->ino = m->ino;
	snprintf(p->path, sizeof(p->path), "/proc/%u/map_files/%llx-%llx", m->pid,
		 (unsigned long long)m->start, (unsigned long long)m->end);
	return 0;
}

static int callee_probe(struct jobs_callees *c, const struct jobs_spec *spec, size_t fn, uint8_t attached,
			const struct job_call *call, struct jobs_link **ret)
{
	struct callee_address address = { .spec = spec, .mounts = &c->mounts, .function = call->function };
	uint8_t code[JOBS_ADDRESS_BYTES];
	const struct iovec here = { code, sizeof(code) };
	const struct iovec there = { (void *)(uintptr_t)call->function, sizeof(code) };
	struct jobs_hangs hangs;
	struct job_rule rule;
	ssize_t n;
	size_t at;
	int r = jobs_find_mappings(call->tgid, callee_mapping, &address);

	if (r || !*address.path)
		return r ? r : -ENOENT;
	jobs_find_hangs_of(&hangs, call->tgid);
	if (jobs_find_is_held(&hangs, address.ino))
		return -EBUSY;
	n = process_vm_readv((pid_t)call->tgid, &here, 1, &there, 1, 0);
	rule = jobs_file_rule(spec, spec->functions[fn].calls_event, &spec->functions[fn].calls, code,
			      n < 0 ? 0 : (size_t)n, &at);
	rule.attached = attached;
	rule.spec = (uint8_t)(call->calls / JOBS_SPEC_FUNCTIONS_MAX);
	if (rule.called && !address.several) {
		rule.caller_from = address.caller_from;
		rule.caller_to = address.caller_to;
	}
	return jobs_probe_add(c->probe, (pid_t)call->tgid, address.path,
			      (struct jobs_place){ .off = address.off + at }, &rule,
			      jobs_file_price(code + at, n < 0 ? 0 : (size_t)n - at), ret);
}

int jobs_callees_add(struct jobs_callees *c, const struct jobs_spec *spec, size_t fn, uint8_t attached,
		     const struct job_call *call)
{
	_cleanup_close_ int pidfd = -1;
	struct jobs_link *link;
	unsigned same = 0;
	int r;

	jobs_callees_reap(c);
	for (size_t i = 0; i < c->n; i++) {
		same += c->v[i].tgid == call->tgid;
		if (c->v[i].tgid == call->tgid && c->v[i].function == call->function)
			return 0;
	}
	if (c->n == JOBS_CALLEES_MAX || same == JOBS_CALLEES_EACH)
		return -ENOSPC;
	/* By now the tgid may belong to another process, which hardly ever has code at this
	 * address. */
	pidfd = (int)syscall(SYS_pidfd_open, (pid_t)call->tgid, 0);
	if (pidfd < 0)
		return -errno;
	r = callee_probe(c, spec, fn, attached, call, &link);
	if (!r)
		c->v[c->n++] = (struct callee){ .tgid = call->tgid,
						.pidfd = TAKE_FD(pidfd),
						.function = call->function,
						.spec_no = call->calls / JOBS_SPEC_FUNCTIONS_MAX,
						.link = link };
	return r;
}

uint64_t jobs_callees_hits(const struct jobs_callees *c, uint32_t spec_no)
{
	uint64_t sum = c->dropped_hits[spec_no];

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].spec_no == spec_no)
			sum += jobs_probe_hits(c->probe, c->v[i].link);
	return sum;
}

uint64_t jobs_callees_cost(const struct jobs_callees *c, uint32_t spec_no)
{
	uint64_t sum = c->dropped_ns[spec_no];

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].spec_no == spec_no)
			sum += callee_cost(c, i);
	return sum;
}

void jobs_callees_drop(struct jobs_callees *c, uint32_t spec_no)
{
	for (size_t i = 0; i < c->n;)
		if (c->v[i].spec_no == spec_no)
			callee_drop(c, i);
		else
			i++;
}

size_t jobs_callees_count(const struct jobs_callees *c)
{
	return c->n;
}
