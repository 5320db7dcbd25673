/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procwait_postgres.c - finds the sessions of PostgreSQL that may own the lock for which a session waits. */
#include <stdio.h>

#include "ctrace/postgres_title.h"
#include "procfs/procwait_private.h"

#define TITLE_MAX 512

static const char *title_of(uint32_t pid, char text[TITLE_MAX])
{
	return proctask_cmdline(pid, text, TITLE_MAX) ? postgres_title(text) : "";
}

/* Adds the sessions of the same server that may own a lock. waiting: those that wait for a lock themselves.
 */
static int add_sessions(struct procwait_ctx *c, bool waiting)
{
	const struct proctask *t = &c->t->tasks;
	char text[TITLE_MAX];
	int r = 0;

	for (size_t i = 0; r >= 0 && i < t->procs.n; i++) {
		const struct proctask_proc *p = &t->procs.v[i];
		const char *title = p->ppid == c->proc->ppid && p != c->proc ? title_of(p->pid, text) : "";

		if (postgres_title_may_lock(title) && !postgres_title_idles(title) &&
		    postgres_title_waits(title) == waiting)
			r = procwait_add(c, (struct procwait_target){ .id = p->pid, .owes = true });
	}
	return r;
}

int procwait_postgres(struct procwait_ctx *c)
{
	char text[TITLE_MAX];
	int r;

	if (c->proc->n_threads != 1 || !postgres_title_waits(title_of(c->proc->pid, text)))
		return 0;
	c->w->targets.n = 0;
	c->w->kind = "database-lock";
	c->w->class = PROCWAIT_UNKNOWN;
	c->w->loop = false;
	snprintf(c->w->name, sizeof(c->w->name), "a lock of the database");
	r = add_sessions(c, false);
	if (r >= 0 && !c->w->targets.n)
		r = add_sessions(c, true);
	if (c->w->targets.n)
		c->w->class = PROCWAIT_WAIT;
	return r < 0 ? r : 1;
}
