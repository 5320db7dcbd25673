// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/capture/fdtable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctrace/fields.h"
#include "daemon/kernel/probe.h"
#include "daemon/stream.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

static uint64_t fdtable_object(const void *table, size_t size, int32_t fd)
{
	const uint8_t *p = table;

	for (size_t n; (n = stream_first(p, size)); p += n, size -= n) {
		const struct ct_rec *rec = (const void *)p;

		if (rec->kind == CT_FD && ct_fd_number(rec) == (uint32_t)fd)
			return rec->obj;
	}
	return 0;
}

size_t fdtable_waitfds(const struct fdtable_job *job, const void *table, size_t size, uint64_t ts_ns,
		       struct ct_rec ret[CT_WAITFD_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < MIN((size_t)job->n_fds, (size_t)CT_WAITFD_MAX); i++) {
		uint64_t obj = fdtable_object(table, size, job->fds[i].fd);

		if (obj)
			ret[n++] = (struct ct_rec){ .ts = ts_ns,
						    .kind = CT_WAITFD,
						    .state = (uint8_t)i,
						    .wait = (uint8_t)MIN(job->n_set, 255),
						    .tid = job->tid,
						    .peer = (uint32_t)job->fds[i].fd,
						    .aux = job->fds[i].events,
						    .nr = CT_NR_NONE,
						    .obj = obj };
	}
	return n;
}

static void fdtable_run(void *arg)
{
	_cleanup_free_ struct fdtable_job *job = arg;
	struct ct_rec waitfds[CT_WAITFD_MAX];
	void *table, *copy;
	size_t size, n;

	if (probe_read_files(job->probe, job->tgid, &table, &size))
		return;
	n = fdtable_waitfds(job, table, size, clock_boot_ns(), waitfds);
	copy = n ? malloc(n * sizeof(*waitfds)) : NULL;
	/* the table has the names of the objects, so it comes before the CT_WAITFD records */
	if (job->whole)
		job->post(job->arg, table, size);
	else
		free(table);
	if (copy)
		job->post(job->arg, memcpy(copy, waitfds, n * sizeof(*waitfds)), n * sizeof(*waitfds));
}

int fdtable_post(struct worker *w, const struct fdtable_job *job)
{
	struct fdtable_job *copy = malloc(sizeof(*copy));
	const struct worker_job wj = { .run = fdtable_run, .drop = free, .arg = copy };
	int r;

	if (!copy)
		return -ENOMEM;
	*copy = *job;
	r = worker_post(w, &wj);
	if (r)
		free(copy);
	return r;
}
