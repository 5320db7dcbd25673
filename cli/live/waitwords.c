// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/live/waitwords.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/cgroup_name.h"
#include "trace/words/describe.h"

#define CGROUP_MAX 4096

void waitwords_task(const struct waitlive *w, const struct proctask_thread *th, char buf[WAITWORDS_MAX])
{
	const struct proctask_proc *p = waitlive_proc(w, th);
	const struct proctask_thread *main_th = proctask_by_tid(&w->tables.tasks, p->pid);
	char comm[64], main_comm[64], cgroup[CGROUP_MAX], at[CGROUP_NAME_MAX + 1];
	struct cgroup_name name;

	proctask_cgroup(p->pid, cgroup, sizeof(cgroup));
	name = cgroup_name_of_path(cgroup);
	render_at(&name, at);
	describe_clean(th->comm, comm, sizeof(comm));
	describe_clean(main_th ? main_th->comm : "?", main_comm, sizeof(main_comm));
	if (th->tid == p->pid)
		snprintf(buf, WAITWORDS_MAX, "%s[%u]%s", comm, th->tid, at);
	else
		snprintf(buf, WAITWORDS_MAX, "%s[%u]/%s[%u]%s", main_comm, p->pid, comm, th->tid, at);
}

#define CMDLINE_WIDTH 48

void waitwords_cmdline(const struct waitlive *w, const struct proctask_thread *th,
		       char buf[CMDLINE_SHORT_MAX])
{
	char args[CT_CMDLINE_MAX + 1];

	proctask_cmdline(waitlive_proc(w, th)->pid, args, sizeof(args));
	cmdline_short(args, th->comm, CMDLINE_WIDTH, buf);
}

static const char *syscall_name(const struct procwait *w)
{
	const char *name = w->nr >= 0 ? describe_syscall(MACHINE_THIS, w->nr) : NULL;

	return name && *name ? name : "the kernel";
}

void waitwords_wait(const struct waitlive_link *l, char buf[WAITWORDS_MAX])
{
	const struct procwait *w = l->wait;
	char name[sizeof(w->name)];
	bool lock = !strcmp(w->kind, "file-lock") || (!strcmp(w->kind, "futex") && l->owes);

	describe_clean(w->name, name, sizeof(name));
	if (lock)
		snprintf(buf, WAITWORDS_MAX, "waits in %s for %s%s, held by", syscall_name(w),
			 strcmp(w->kind, "file-lock") ? "" : "the lock on ", name);
	else if (!strcmp(w->kind, "database-lock"))
		snprintf(buf, WAITWORDS_MAX, "waits in %s for %s, perhaps held by", syscall_name(w), name);
	else if (!strcmp(w->kind, "child") || !strcmp(w->kind, "futex"))
		snprintf(buf, WAITWORDS_MAX, "waits in %s for the %s:", syscall_name(w), name);
	else if (!strcmp(w->kind, "signal"))
		snprintf(buf, WAITWORDS_MAX, "is stopped by %s,", name);
	else
		snprintf(buf, WAITWORDS_MAX, "waits in %s on %s for", syscall_name(w), name);
}

void waitwords_root(const struct procwait *w, char buf[WAITWORDS_MAX])
{
	char name[sizeof(w->name)];

	describe_clean(w->name, name, sizeof(name));
	switch (w->class) {
	case PROCWAIT_RUN:
		snprintf(buf, WAITWORDS_MAX, "is running");
		break;
	case PROCWAIT_TIMER:
		snprintf(buf, WAITWORDS_MAX, "sleeps in %s", syscall_name(w));
		break;
	case PROCWAIT_STOPPED:
		snprintf(buf, WAITWORDS_MAX, "is stopped and waits for %s", name);
		break;
	case PROCWAIT_DISK:
		snprintf(buf, WAITWORDS_MAX, "waits in %s, uninterruptible, in the kernel%s%s",
			 syscall_name(w), *name ? ": " : "", name);
		break;
	case PROCWAIT_EXTERNAL:
		snprintf(buf, WAITWORDS_MAX, "waits in %s on %s for another machine", syscall_name(w), name);
		break;
	case PROCWAIT_GONE:
		snprintf(buf, WAITWORDS_MAX, "has exited, and its parent has not waited for it");
		break;
	case PROCWAIT_WAIT:
		snprintf(buf, WAITWORDS_MAX, "waits in %s on %s, and so on in a circle", syscall_name(w),
			 name);
		break;
	case PROCWAIT_IDLE:
		snprintf(buf, WAITWORDS_MAX, "waits in %s%s%s (idle)", syscall_name(w), *name ? " on " : "",
			 name);
		break;
	case PROCWAIT_UNKNOWN:
		snprintf(buf, WAITWORDS_MAX, "waits in %s%s%s; for which task is not known", syscall_name(w),
			 *name ? " on " : "", name);
		break;
	}
}

const char *waitwords_cycle(const struct waitlive_chain *c)
{
	if (c->moving)
		return "circle, but it moves";
	if (!c->strong)
		return "circle, perhaps idle";
	return c->closed ? "DEADLOCK" : "CIRCLE, unless another thread breaks it";
}

int waitwords_failed(int r, const char *command)
{
	if (r == -ENOTRECOVERABLE)
		return cli_error(
			"cannot return from the network namespace of another process; run ctrace %s again",
			command);
	return cli_error("cannot read /proc: %s; is it mounted?", strerror(-r));
}
