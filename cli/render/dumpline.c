// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/dumpline.h"

#include <inttypes.h>
#include <string.h>

#include "cli/render/cgroup_name.h"
#include "cli/text.h"
#include "cli/input/timearg.h"
#include "ctrace/fields.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/resource.h"

struct line {
	FILE *f;
	bool json;
	const struct window *w;
	const struct window_event *e;
};

struct flag_name {
	uint8_t bit;
	const char *name;
};

static void key(const struct line *l, const char *name)
{
	fprintf(l->f, l->json ? ",\"%s\":" : " %s=", name);
}

static void put_num(const struct line *l, const char *name, int64_t v)
{
	key(l, name);
	fprintf(l->f, "%" PRId64, v);
}

static void put_u64(const struct line *l, const char *name, uint64_t v)
{
	key(l, name);
	fprintf(l->f, "%" PRIu64, v);
}

/* Addresses are strings in JSON, because many readers lose bits of large numbers. */
static void put_hex(const struct line *l, const char *name, uint64_t v)
{
	key(l, name);
	fprintf(l->f, l->json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, v);
}

/* Writes text that has been cleaned already. */
static void put_quoted(FILE *f, const char *s)
{
	putc_unlocked('"', f);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putc_unlocked('\\', f);
		putc_unlocked(*s, f);
	}
	putc_unlocked('"', f);
}

/* Writes text, in quotes if a character in it would make the line hard to parse. */
static void put_str(const struct line *l, const char *name, const char *s)
{
	char text[DESCRIBE_MAX];

	key(l, name);
	if (l->json) {
		text_put_json(l->f, s);
		return;
	}
	describe_clean(s, text, sizeof(text));
	if (*text && !text[strcspn(text, " \"\\=")])
		fputs(text, l->f);
	else
		put_quoted(l->f, text);
}

/* Writes a task: as text "comm[tid]", as JSON {"tid","pid","comm"}. */
static void put_task(const struct line *l, const char *name, uint32_t tid)
{
	const struct window_task *t = tid ? window_task_at(l->w, tid, l->e->r.ts) : NULL;
	int64_t number = tid ? (int64_t)tid : -(int64_t)l->e->cpu - 1;
	const char *comm = t ? t->comm : tid ? "?" : "idle";
	struct cgroup_name p = cgroup_name_of(l->w, tid, l->e->r.ts);
	char text[CT_COMM_LEN + 32 + CGROUP_NAME_MAX], at[CGROUP_NAME_MAX + 1];

	if (!l->json) {
		snprintf(text, sizeof(text), "%s[%" PRId64 "]%s", comm, number, render_at(&p, at));
		put_str(l, name, text);
		return;
	}
	key(l, name);
	fprintf(l->f, "{\"tid\":%" PRId64 ",\"pid\":", number);
	if (t)
		fprintf(l->f, "%u", t->tgid);
	else
		fputs(tid ? "null" : "0", l->f);
	fputs(",\"comm\":", l->f);
	text_put_json(l->f, comm);
	render_put_cgroup_name(l->f, &p);
	fputc('}', l->f);
}

static void put_object(const struct line *l, const char *name, uint64_t id)
{
	char text[DESCRIBE_MAX];

	if (!id)
		return;
	describe_object(l->w, id, text, sizeof(text));
	if (!l->json) {
		put_str(l, name, text);
		return;
	}
	key(l, name);
	fprintf(l->f, "{\"id\":\"0x%" PRIx64 "\",\"kind\":\"%s\",\"name\":", id,
		resource_kind_word(resource_of_object(l->w, id)));
	text_put_json(l->f, text);
	fputc('}', l->f);
}

static void put_flags(const struct line *l, const struct flag_name *names, size_t n)
{
	const char *sep = "";

	if (!l->e->r.flags)
		return;
	key(l, "flags");
	if (l->json)
		fputc('[', l->f);
	for (size_t i = 0; i < n; i++) {
		if (!(l->e->r.flags & names[i].bit))
			continue;
		fprintf(l->f, l->json ? "%s\"%s\"" : "%s%s", sep, names[i].name);
		sep = ",";
	}
	if (l->json)
		fputc(']', l->f);
}
#define PUT_FLAGS(l, names) put_flags((l), (names), ARRAY_SIZE(names))

static void put_syscall(const struct line *l)
{
	const char *name = describe_syscall(l->w->machine, l->e->r.nr);

	if (!name)
		put_num(l, "syscall", l->e->r.nr);
	else if (*name)
		put_str(l, "syscall", name);
}

static void put_signal(const struct line *l)
{
	const char *name = describe_signal(ct_signal_number(&l->e->r));

	if (name)
		put_str(l, "signal", name);
	else
		put_num(l, "signal", ct_signal_number(&l->e->r));
}

static void put_stack(const struct line *l, uint64_t id)
{
	const struct window_stack *s = id ? window_stack(l->w, id) : NULL;

	if (!s)
		return;
	key(l, "stack");
	fputc('[', l->f);
	for (unsigned i = 0; i < s->n_frames; i++) {
		char text[DESCRIBE_MAX];

		fputs(i ? "," : "", l->f);
		if (l->json) {
			text_put_json(l->f, s->frames[i]);
			continue;
		}
		describe_clean(s->frames[i], text, sizeof(text));
		put_quoted(l->f, text);
	}
	fputc(']', l->f);
}

static const char *word(const char *const *words, size_t n, unsigned i)
{
	return i < n && words[i] ? words[i] : "unknown";
}
#define WORD(words, i) word((words), ARRAY_SIZE(words), (i))

static void put_switch(const struct line *l)
{
	static const struct flag_name names[] = {
		{ CT_SF_PREEMPT, "preempt" },   { CT_SF_IOWAIT, "iowait" }, { CT_SF_TIMEOUT, "timeout" },
		{ CT_SF_COMPAT, "compat" },     { CT_SF_IDLE, "idle" },     { CT_SF_KTHREAD, "kthread" },
		{ CT_SF_ZEROWAIT, "zerowait" },
	};
	const struct ct_rec *r = &l->e->r;

	put_task(l, "next", ct_switch_next(r));
	put_str(l, "state", describe_state(ct_switch_state(r)));
	if (ct_switch_wait(r))
		put_str(l, "wait", describe_wait(ct_switch_wait(r)));
	put_syscall(l);
	put_object(l, "object", r->obj);
	PUT_FLAGS(l, names);
	put_num(l, "prio", ct_switch_prio(r));
	put_num(l, "next_prio", ct_switch_next_prio(r));
}

static void put_wake(const struct line *l)
{
	static const struct flag_name names[] = {
		{ CT_WF_READY, "ready" },     { CT_WF_SELF, "self" }, { CT_WF_KTHREAD, "kthread" },
		{ CT_WF_EXITING, "exiting" }, { CT_WF_IDLE, "idle" },
	};
	static const char *const vectors[] = {
		[HI_SOFTIRQ] = "hi",           [TIMER_SOFTIRQ] = "timer", [NET_TX_SOFTIRQ] = "net-tx",
		[NET_RX_SOFTIRQ] = "net-rx",   [BLOCK_SOFTIRQ] = "block", [IRQ_POLL_SOFTIRQ] = "irq-poll",
		[TASKLET_SOFTIRQ] = "tasklet", [SCHED_SOFTIRQ] = "sched", [HRTIMER_SOFTIRQ] = "hrtimer",
		[RCU_SOFTIRQ] = "rcu",
	};
	const struct ct_rec *r = &l->e->r;

	put_task(l, "waker", ct_wake_waker(r));
	put_str(l, "context", describe_context(ct_wake_context(r)));
	if (ct_wake_context(r) == CT_CTX_SOFTIRQ)
		put_str(l, "softirq", WORD(vectors, ct_wake_softirq(r)));
	if (ct_wake_call(r))
		put_str(l, "waker_wait", describe_wait(ct_wake_call(r)));
	put_syscall(l);
	if (ct_wake_context(r) == CT_CTX_TIMER)
		put_hex(l, "timer_function", r->obj);
	else
		put_object(l, "object", r->obj);
	PUT_FLAGS(l, names);
}

static void put_futex(const struct line *l)
{
	if (ct_futex_owner(&l->e->r))
		put_task(l, "owner", ct_futex_owner(&l->e->r));
	put_object(l, "object", l->e->r.obj);
	put_hex(l, "uaddr", l->e->x[0]);
	put_num(l, "op", (int64_t)(l->e->x[1] & 0xffffffff));
	put_hex(l, "word", l->e->x[1] >> 32);
}

static void put_waitfd(const struct line *l)
{
	put_num(l, "fd", ct_fd_number(&l->e->r));
	put_num(l, "index", ct_waitfd_index(&l->e->r));
	put_num(l, "of", ct_waitfd_count(&l->e->r));
	put_hex(l, "events", ct_waitfd_events(&l->e->r));
	put_object(l, "object", l->e->r.obj);
}

static void put_sent_signal(const struct line *l)
{
	static const struct flag_name names[] = {
		{ CT_GF_FATAL, "fatal" },
		{ CT_GF_IGNORED, "ignored" },
		{ CT_GF_GROUP, "group" },
		{ CT_GF_KERNEL, "kernel" },
	};

	put_task(l, "target", ct_signal_target(&l->e->r));
	put_signal(l);
	put_num(l, "code", ct_signal_code(&l->e->r));
	put_syscall(l);
	PUT_FLAGS(l, names);
}

static void put_block(const struct line *l)
{
	static const char *const ops[] = { "read", "write", "flush", "discard", "other" };

	put_str(l, "op", WORD(ops, ct_block_op(&l->e->r)));
	put_num(l, "bytes", ct_block_bytes(&l->e->r));
	put_object(l, "object", l->e->r.obj);
	put_u64(l, "sector", l->e->x[0]);
	put_object(l, "file", l->e->x[1]);
}

static void put_lock(const struct line *l)
{
	static const char *const ops[] = { "read", "write", "unlock" };
	static const char *const types[] = { "posix", "flock", "ofd" };
	const struct ct_rec *r = &l->e->r;

	put_str(l, "op", WORD(ops, ct_lock_op(r)));
	put_str(l, "type", WORD(types, ct_lock_type(r)));
	put_object(l, "object", r->obj);
	put_u64(l, "start", l->e->x[0]);
	put_u64(l, "end", l->e->x[1]);
	if (r->kind == CT_FLOCK)
		put_num(l, "result", ct_lock_result(r));
	else
		put_str(l, "role", ct_held_is_waiter(r) ? "waiter" : "holder");
}

static void put_long(const struct line *l)
{
	const struct ct_rec *r = &l->e->r;

	put_syscall(l);
	if (r->kind == CT_SAMPLE) {
		put_str(l, "mode", r->flags & CT_PF_KERNEL ? "kernel" : "user");
		put_hex(l, "ip", r->obj);
		put_u64(l, "ran_ns", l->e->x[1]);
	} else {
		put_str(l, "state", describe_state(ct_visit_state(r)));
		put_str(l, "wait", describe_wait(ct_visit_wait(r)));
		put_object(l, "object", r->obj);
		put_u64(l, "blocked_ns", l->e->x[1]);
	}
	put_stack(l, l->e->x[0]);
}

static void put_access(const struct line *l)
{
	put_str(l, "op", ct_access_is_write(&l->e->r) ? "write" : "read");
	put_object(l, "object", l->e->r.obj);
	put_num(l, "bytes", ct_access_bytes(&l->e->r));
	put_hex(l, "value", l->e->x[0]);
	put_stack(l, l->e->x[1]);
}

static void put_polled(const struct line *l)
{
	static const struct flag_name found[] = { { CT_QF_REG, "register" },
						  { CT_QF_CODE, "code" },
						  { CT_QF_SPIN, "spin" } };

	put_object(l, "object", l->e->r.obj);
	put_hex(l, "address", l->e->x[1]);
	put_hex(l, "value", l->e->x[0]);
	PUT_FLAGS(l, found);
}

static void put_job(const struct line *l)
{
	static const char *const ops[] = { "enqueue", "start", "end" };

	put_str(l, "op", WORD(ops, ct_job_state(&l->e->r)));
	put_object(l, "object", l->e->r.obj);
	put_hex(l, "job", l->e->x[0]);
	put_hex(l, "function", l->e->x[1]);
}

static void put_hang(const struct line *l)
{
	const struct ct_rec *r = &l->e->r;

	put_str(l, "rule", describe_hang(ct_hang_rule(r)));
	put_syscall(l);
	put_str(l, "wait", describe_wait(ct_hang_wait(r)));
	put_object(l, "object", r->obj);
	if (ct_hang_blocker(r))
		put_task(l, "blocker", ct_hang_blocker(r));
	put_u64(l, "since_ns", l->e->x[0]);
	put_u64(l, "threshold_ns", l->e->x[1]);
}

static void put_shed(const struct line *l)
{
	const struct ct_rec *r = &l->e->r;

	put_str(l, "step", describe_shed(ct_shed_step(r)));
	put_str(l, "before", describe_shed(ct_shed_step_before(r)));
	if (r->flags & CT_GV_CAP)
		put_task(l, "capped", r->tid);
	else if (r->flags & CT_GV_GROUP)
		put_u64(l, r->flags & CT_GV_CGROUP ? "capped_cgroup" : "capped_user", r->obj);
	if (r->flags & (CT_GV_CAP | CT_GV_GROUP))
		put_num(l, "lost", ct_cap_records(r));
	put_u64(l, "since_ns", l->e->x[0]);
	put_u64(l, "cost_ppm", l->e->x[1]);
}

static void put_gap(const struct line *l)
{
	if (l->e->r.tid != CT_GAP_ALL_CPUS)
		put_num(l, "lost_cpu", l->e->r.tid);
	if (ct_gap_records(&l->e->r))
		put_num(l, "lost", ct_gap_records(&l->e->r));
	put_str(l, "cause", describe_loss(ct_gap_cause(&l->e->r)));
	put_u64(l, "first_ns", l->e->x[0]);
	put_u64(l, "last_ns", l->e->x[1]);
}

static void put_life(const struct line *l)
{
	static const struct flag_name fork_flags[] = { { CT_LF_THREAD, "thread" } };
	static const struct flag_name exit_flags[] = { { CT_LF_GROUP_DEAD, "group-dead" } };
	const struct ct_rec *r = &l->e->r;

	if (r->kind == CT_FORK) {
		put_task(l, "child", ct_fork_child(r));
		PUT_FLAGS(l, fork_flags);
	} else if (r->kind == CT_EXEC) {
		put_num(l, "old_tid", ct_exec_tid_before(r));
	} else {
		put_num(l, "code", ct_exit_code(r));
		PUT_FLAGS(l, exit_flags);
	}
}

static void put_details(const struct line *l)
{
	static const struct flag_name deliver_flags[] = { { CT_GF_FATAL, "fatal" } };
	const struct ct_rec *r = &l->e->r;

	switch ((enum ct_kind)r->kind) {
	case CT_SWITCH:
		return put_switch(l);
	case CT_WAKE:
		return put_wake(l);
	case CT_WAKE_NEW:
		return put_task(l, "creator", ct_wake_new_creator(r));
	case CT_FUTEX:
		return put_futex(l);
	case CT_WAITFD:
		return put_waitfd(l);
	case CT_FORK:
	case CT_EXEC:
	case CT_EXIT:
		return put_life(l);
	case CT_SIGNAL:
		return put_sent_signal(l);
	case CT_SIGDELIVER:
		put_signal(l);
		return PUT_FLAGS(l, deliver_flags);
	case CT_SEND:
	case CT_RECV:
		put_num(l, "bytes", ct_message_bytes(r));
		return put_object(l, "object", r->obj);
	case CT_READY:
		put_str(l, "context", describe_context(ct_ready_context(r)));
		return put_object(l, "object", r->obj);
	case CT_BLK_ISSUE:
	case CT_BLK_DONE:
		return put_block(l);
	case CT_FLOCK:
	case CT_HELD:
		return put_lock(l);
	case CT_FD:
	case CT_EPMEMBER:
		put_num(l, "fd", ct_fd_number(r));
		put_object(l, "object", r->obj);
		return put_object(l, "epoll", l->e->x[0]);
	case CT_SAMPLE:
	case CT_VISIT:
		return put_long(l);
	case CT_GAP:
		return put_gap(l);
	case CT_ACCESS:
		return put_access(l);
	case CT_POLLED:
		return put_polled(l);
	case CT_JOB:
		return put_job(l);
	case CT_HANG:
		return put_hang(l);
	case CT_SHED:
		return put_shed(l);
	case CT_TASK:
	case CT_OBJECT:
	case CT_STACK:
	case CT_RAWSTACK:
	case CT_RAWACCESS:
		break;
	}
}

unsigned dumpline_tasks(const struct window_event *e, uint32_t ret[2])
{
	unsigned n = 0;

	if (e->r.kind != CT_GAP && e->r.kind != CT_READY && (e->r.kind != CT_SHED || e->r.tid))
		ret[n++] = e->r.tid;
	if (e->r.kind == CT_SWITCH || e->r.kind == CT_WAKE || e->r.kind == CT_WAKE_NEW ||
	    e->r.kind == CT_FUTEX || e->r.kind == CT_FORK || e->r.kind == CT_EXEC || e->r.kind == CT_SIGNAL)
		ret[n++] = e->r.peer;
	return n;
}

void dumpline_print(FILE *f, const struct dumpline_options *opt, const struct window *w,
		    const struct window_event *e)
{
	struct line l = { .f = f, .json = opt->json, .w = w, .e = e };
	const char *kind = describe_record(e->r.kind);
	char wall[TIMEARG_WALL_MAX];
	uint32_t tasks[2];

	if (opt->json)
		fprintf(f, "{\"ts_ns\":%" PRIu64 ",\"cpu\":%u,\"kind\":\"%s\"", e->r.ts, e->cpu,
			kind ? kind : "unknown");
	else if (opt->wall)
		fprintf(f, "%s [%u] %-11s", timearg_wall(e->r.ts, &w->offsets, 9, wall), e->cpu,
			kind ? kind : "unknown");
	else
		fprintf(f, "%" PRIu64 ".%09u [%u] %-11s", (uint64_t)(e->r.ts / NSEC_PER_SEC),
			(unsigned)(e->r.ts % NSEC_PER_SEC), e->cpu, kind ? kind : "unknown");
	if (dumpline_tasks(e, tasks))
		put_task(&l, "task", e->r.tid);
	put_details(&l);
	fputs(opt->json ? "}\n" : "\n", f);
}
