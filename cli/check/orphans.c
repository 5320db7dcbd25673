// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check/orphans.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>

#include "cli/thresholds.h"
#include "lib/cleanup.h"

void orphans_find(struct orphans *ret)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/thread-self/children", "re");
	int pid;

	ret->pids.n = 0;
	while (f && ret->pids.n < ORPHANS_MAX && fscanf(f, "%d", &pid) == 1)
		if (VEC_PUSH(&ret->pids, pid))
			return;
}

void orphans_done(struct orphans *o)
{
	VEC_FREE(&o->pids);
}

static bool has(const struct orphans *o, pid_t pid)
{
	for (size_t i = 0; i < o->pids.n; i++)
		if (o->pids.v[i] == pid)
			return true;
	return false;
}

/* Looks at the children that are not in `before`. Reaps those that have ended. Sends sig (0: none)
 * to the living ones, and returns their number. */
static size_t visit(const struct orphans *before, int sig)
{
	_cleanup_(orphans_done) struct orphans now = { 0 };
	size_t n = 0;

	orphans_find(&now);
	for (size_t i = 0; i < now.pids.n; i++) {
		if (has(before, now.pids.v[i]) || waitpid(now.pids.v[i], NULL, WNOHANG) != 0)
			continue;
		n++;
		if (sig)
			kill(now.pids.v[i], sig);
	}
	return n;
}

size_t orphans_count(const struct orphans *before)
{
	size_t n = visit(before, 0);

	for (int ms = 0; ms < CHECK_ORPHAN_MS && n; ms += 10) {
		poll(NULL, 0, 10);
		n = visit(before, 0);
	}
	return n;
}

/* When an orphan dies, its children become children of ctrace, so the search is repeated. */
void orphans_kill(const struct orphans *before)
{
	for (int ms = 0; ms < WAIT_KILLED_MS && visit(before, SIGKILL); ms += 10)
		poll(NULL, 0, 10);
}
