// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/dumpline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/cgroup_name.h"
#include "cli/render/line.h"
#include "ctrace/fields.h"
#include "lib/cleanup.h"
#include "report/walltime.h"
#include "trace/words/describe.h"
#include "trace/words/resource.h"

/* Names of 1024 tasks and of 1024 objects. On a busy machine, the records of one moment need a few
 * hundred names. */
#define NAMES_BITS 10
#define NAME_BYTES 176
#define KIND_WIDTH 11

struct name {
	uint64_t id; /* id of the object, or tid of the task; 0: empty */
	uint64_t from_ns, to_ns;
	size_t n;
	char text[NAME_BYTES];
};

struct dumpline {
	struct dumpline_options options;
	const struct window *w;
	const struct window_event *e;
	const uint64_t *x;
	struct line line;
	struct name tasks[1 << NAMES_BITS];
	struct name objects[1 << NAMES_BITS];
};

struct flag_name {
	uint8_t bit;
	const char *name;
};

static size_t name_slot(uint64_t id)
{
	return id * 0x9e3779b97f4a7c15ULL >> (64 - NAMES_BITS); /* Fibonacci hashing */
}

static void keep_name(struct name *to, const struct line *l, size_t n, uint64_t id)
{
	to->id = 0;
	if (l->flushed || l->n - n > sizeof(to->text))
		return;
	to->id = id;
	to->n = l->n - n;
	memcpy(to->text, l->buf + n, to->n);
}

static void print_task(struct line *l, const struct window_task *t, int64_t number,
		       const struct cgroup_name *p)
{
	const char *comm = t ? t->comm : number > 0 ? "?" : "idle";
	char text[CT_COMM_LEN + 32 + CGROUP_NAME_MAX], at[CGROUP_NAME_MAX + 1];

	if (!l->json) {
		snprintf(text, sizeof(text), "%s[%" PRId64 "]%s", comm, number, render_at(p, at));
		line_text(l, text);
		return;
	}
	line_put(l, "{\"tid\":");
	line_signed(l, number);
	line_put(l, ",\"pid\":");
	if (t)
		line_digits(l, t->tgid, 1);
	else
		line_put(l, number > 0 ? "null" : "0");
	line_put(l, ",\"comm\":");
	line_json(l, comm);
	if (p->cgroup[0])
		line_str(l, "cgroup", p->cgroup);
	if (p->container[0])
		line_str(l, "container", p->container);
	line_put(l, "}");
}

static void put_task(struct dumpline *d, const char *name, uint32_t tid)
{
	struct name *known = &d->tasks[name_slot(tid)];
	struct line *l = &d->line;
	uint64_t ts = d->e->r.ts;
	const struct window_task *t;
	struct cgroup_name p;
	size_t n;

	line_key(l, name);
	if (tid && known->id == tid && ts >= known->from_ns && ts < known->to_ns) {
		line_bytes(l, known->text, known->n);
		return;
	}
	t = tid ? window_task_span(d->w, tid, ts, &known->from_ns, &known->to_ns) : NULL;
	p = cgroup_name_of(d->w, tid, ts);
	n = l->n;
	print_task(l, t, tid ? (int64_t)tid : -(int64_t)window_cpu(d->w, d->e) - 1, &p);
	keep_name(known, l, n, t ? tid : 0);
}

static void print_object(struct dumpline *d, uint64_t id)
{
	struct line *l = &d->line;
	char text[DESCRIBE_MAX];

	describe_object(d->w, id, text, sizeof(text));
	if (!l->json) {
		line_text(l, text);
		return;
	}
	line_put(l, "{\"id\":");
	line_address(l, id);
	line_word(l, "kind", resource_kind_word(resource_of_object(d->w, id)));
	line_str(l, "name", text);
	line_put(l, "}");
}

static void put_object(struct dumpline *d, const char *name, uint64_t id)
{
	struct name *known = &d->objects[name_slot(id)];
	struct line *l = &d->line;
	size_t n;

	if (!id)
		return;
	line_key(l, name);
	if (known->id == id) {
		line_bytes(l, known->text, known->n);
		return;
	}
	n = l->n;
	print_object(d, id);
	keep_name(known, l, n, id);
}

static void put_flags(struct dumpline *d, const struct flag_name *names, size_t n)
{
	struct line *l = &d->line;
	const char *sep = "";

	if (!d->e->r.flags)
		return;
	line_key(l, "flags");
	line_put(l, l->json ? "[" : "");
	for (size_t i = 0; i < n; i++) {
		if (!(d->e->r.flags & names[i].bit))
			continue;
		line_put(l, sep);
		line_put(l, l->json ? "\"" : "");
		line_put(l, names[i].name);
		line_put(l, l->json ? "\"" : "");
		sep = ",";
	}
	line_put(l, l->json ? "]" : "");
}
#define PUT_FLAGS(d, names) put_flags((d), (names), ARRAY_SIZE(names))

static void put_syscall(struct dumpline *d)
{
	const char *name = describe_syscall(d->w->machine, d->e->r.nr);

	if (!name)
		line_num(&d->line, "syscall", d->e->r.nr);
	else if (*name)
		line_word(&d->line, "syscall", name);
}

static void put_signal(struct dumpline *d)
{
	const char *name = describe_signal(ct_signal_number(&d->e->r));

	if (name)
		line_word(&d->line, "signal", name);
	else
		line_num(&d->line, "signal", ct_signal_number(&d->e->r));
}

static void put_stack(struct dumpline *d, uint64_t id)
{
	const struct window_stack *s = id ? window_stack(d->w, id) : NULL;
	struct line *l = &d->line;

	if (!s)
		return;
	line_key(l, "stack");
	line_put(l, "[");
	for (unsigned i = 0; i < s->n_frames; i++) {
		char text[DESCRIBE_MAX];

		line_put(l, i ? "," : "");
		if (l->json) {
			line_json(l, s->frames[i]);
			continue;
		}
		describe_clean(s->frames[i], text, sizeof(text));
		line_quoted(l, text);
	}
	line_put(l, "]");
}

static const char *word(const char *const *words, size_t n, unsigned i)
{
	return i < n && words[i] ? words[i] : "unknown";
}
#define WORD(words, i) word((words), ARRAY_SIZE(words), (i))

static const struct flag_name switch_flags[] = {
	{ CT_SF_PREEMPT, "preempt" },   { CT_SF_IOWAIT, "iowait" },       { CT_SF_TIMEOUT, "timeout" },
	{ CT_SF_COMPAT, "compat" },     { CT_SF_IDLE, "idle" },           { CT_SF_KTHREAD, "kthread" },
	{ CT_SF_ZEROWAIT, "zerowait" }, { CT_SF_THROTTLED, "throttled" },
};

static void put_switch(struct dumpline *d)
{
	const struct ct_rec *r = &d->e->r;

	put_task(d, "next", ct_switch_next(r));
	line_word(&d->line, "state", describe_state(ct_switch_state(r)));
	if (ct_switch_wait(r))
		line_word(&d->line, "wait", describe_wait(ct_switch_wait(r)));
	put_syscall(d);
	put_object(d, "object", r->obj);
	PUT_FLAGS(d, switch_flags);
	line_num(&d->line, "prio", ct_switch_prio(r));
	line_num(&d->line, "next_prio", ct_switch_next_prio(r));
}

static void put_wake(struct dumpline *d)
{
	static const struct flag_name names[] = {
		{ CT_WF_READY, "ready" },     { CT_WF_SELF, "self" }, { CT_WF_KTHREAD, "kthread" },
		{ CT_WF_EXITING, "exiting" }, { CT_WF_IDLE, "idle" }, { CT_WF_FROZEN, "frozen" },
	};
	static const char *const vectors[] = {
		[HI_SOFTIRQ] = "hi",           [TIMER_SOFTIRQ] = "timer", [NET_TX_SOFTIRQ] = "net-tx",
		[NET_RX_SOFTIRQ] = "net-rx",   [BLOCK_SOFTIRQ] = "block", [IRQ_POLL_SOFTIRQ] = "irq-poll",
		[TASKLET_SOFTIRQ] = "tasklet", [SCHED_SOFTIRQ] = "sched", [HRTIMER_SOFTIRQ] = "hrtimer",
		[RCU_SOFTIRQ] = "rcu",
	};
	const struct ct_rec *r = &d->e->r;

	put_task(d, "waker", ct_wake_waker(r));
	line_word(&d->line, "context", describe_context(ct_wake_context(r)));
	if (ct_wake_context(r) == CT_CTX_SOFTIRQ)
		line_word(&d->line, "softirq", WORD(vectors, ct_wake_softirq(r)));
	if (ct_wake_call(r))
		line_word(&d->line, "waker_wait", describe_wait(ct_wake_call(r)));
	put_syscall(d);
	if (ct_wake_context(r) == CT_CTX_TIMER)
		line_hex(&d->line, "timer_function", r->obj);
	else
		put_object(d, "object", r->obj);
	PUT_FLAGS(d, names);
}

static void put_futex(struct dumpline *d)
{
	if (ct_futex_owner(&d->e->r))
		put_task(d, "owner", ct_futex_owner(&d->e->r));
	put_object(d, "object", d->e->r.obj);
	line_hex(&d->line, "uaddr", d->x[0]);
	line_num(&d->line, "op", (int64_t)(d->x[1] & 0xffffffff));
	line_hex(&d->line, "word", d->x[1] >> 32);
}

static void put_waitfd(struct dumpline *d)
{
	if (ct_fd_number(&d->e->r) != CT_FD_NONE)
		line_num(&d->line, "fd", ct_fd_number(&d->e->r));
	line_num(&d->line, "index", ct_waitfd_index(&d->e->r));
	line_num(&d->line, "of", ct_waitfd_count(&d->e->r));
	line_hex(&d->line, "events", ct_waitfd_events(&d->e->r));
	put_object(d, "object", d->e->r.obj);
}

static void put_sent_signal(struct dumpline *d)
{
	static const struct flag_name names[] = {
		{ CT_GF_FATAL, "fatal" },
		{ CT_GF_IGNORED, "ignored" },
		{ CT_GF_GROUP, "group" },
		{ CT_GF_KERNEL, "kernel" },
	};

	put_task(d, "target", ct_signal_target(&d->e->r));
	put_signal(d);
	line_num(&d->line, "code", ct_signal_code(&d->e->r));
	put_syscall(d);
	PUT_FLAGS(d, names);
}

static void put_block(struct dumpline *d)
{
	static const char *const ops[] = { "read", "write", "flush", "discard", "other" };

	line_word(&d->line, "op", WORD(ops, ct_block_op(&d->e->r)));
	line_num(&d->line, "bytes", ct_block_bytes(&d->e->r));
	put_object(d, "object", d->e->r.obj);
	line_u64(&d->line, "sector", d->x[0]);
	put_object(d, "file", d->x[1]);
}

static void put_lock(struct dumpline *d)
{
	static const char *const ops[] = { "read", "write", "unlock" };
	static const char *const types[] = { "posix", "flock", "ofd" };
	const struct ct_rec *r = &d->e->r;

	line_word(&d->line, "op", WORD(ops, ct_lock_op(r)));
	line_word(&d->line, "type", WORD(types, ct_lock_type(r)));
	put_object(d, "object", r->obj);
	line_u64(&d->line, "start", d->x[0]);
	line_u64(&d->line, "end", d->x[1]);
	if (r->kind == CT_FLOCK)
		line_num(&d->line, "result", ct_lock_result(r));
	else
		line_word(&d->line, "role", ct_held_is_waiter(r) ? "waiter" : "holder");
}

static void put_long(struct dumpline *d)
{
	const struct ct_rec *r = &d->e->r;

	put_syscall(d);
	if (r->kind == CT_SAMPLE) {
		line_word(&d->line, "mode",
			  r->flags & CT_PF_FATAL    ? "crash"
			  : r->flags & CT_PF_KERNEL ? "kernel"
						    : "user");
		line_hex(&d->line, "ip", r->obj);
		line_u64(&d->line, "ran_ns", d->x[1]);
	} else {
		line_word(&d->line, "state", describe_state(ct_visit_state(r)));
		line_word(&d->line, "wait", describe_wait(ct_visit_wait(r)));
		put_object(d, "object", r->obj);
		line_u64(&d->line, "blocked_ns", d->x[1]);
		if (ct_visit_lock(r)) {
			line_word(&d->line, "lock",
				  ct_visit_lock(r) & CT_VL_TASK      ? "java task"
				  : ct_visit_lock(r) & CT_VL_JAVA    ? "java"
				  : ct_visit_lock(r) & CT_VL_SYSV    ? "sysv"
				  : ct_visit_lock(r) & CT_VL_NO_TASK ? "database, owned by no task"
								     : "database");
			if (ct_visit_owner(r))
				put_task(d, "owner", ct_visit_owner(r));
		}
	}
	put_stack(d, d->x[0]);
}

static void put_access(struct dumpline *d)
{
	line_word(&d->line, "op", ct_access_is_write(&d->e->r) ? "write" : "read");
	put_object(d, "object", d->e->r.obj);
	line_num(&d->line, "bytes", ct_access_bytes(&d->e->r));
	line_hex(&d->line, "value", d->x[0]);
	put_stack(d, d->x[1]);
}

static void put_polled(struct dumpline *d)
{
	static const struct flag_name found[] = { { CT_QF_REG, "register" },
						  { CT_QF_CODE, "code" },
						  { CT_QF_SPIN, "spin" } };

	put_object(d, "object", d->e->r.obj);
	line_hex(&d->line, "address", d->x[1]);
	line_hex(&d->line, "value", d->x[0]);
	PUT_FLAGS(d, found);
}

static void put_job(struct dumpline *d)
{
	static const char *const ops[] = { "enqueue", "start", "end", "off", "on" };

	line_word(&d->line, "op", WORD(ops, ct_job_state(&d->e->r)));
	put_object(d, "object", d->e->r.obj);
	if (ct_job_state(&d->e->r) > CT_JOB_END) {
		line_u64(&d->line, "since_ns", d->x[0]);
		return;
	}
	line_hex(&d->line, "job", d->x[0]);
	line_hex(&d->line, "function", d->x[1]);
}

static void put_job_stack(struct dumpline *d)
{
	put_object(d, "object", d->e->r.obj);
	line_hex(&d->line, "job", d->x[0]);
	put_stack(d, d->x[1]);
}

static void put_strand_lock(struct dumpline *d)
{
	static const char *const ops[] = { "wait", "wait-again", "release" };

	line_word(&d->line, "op", WORD(ops, ct_lock_what(&d->e->r)));
	put_object(d, "object", d->e->r.obj);
	line_hex(&d->line, "strand", d->x[0]);
}

static void put_hang(struct dumpline *d)
{
	const struct ct_rec *r = &d->e->r;

	line_word(&d->line, "rule", describe_hang(ct_hang_rule(r)));
	put_syscall(d);
	line_word(&d->line, "wait", describe_wait(ct_hang_wait(r)));
	put_object(d, "object", r->obj);
	if (ct_hang_blocker(r))
		put_task(d, "blocker", ct_hang_blocker(r));
	line_u64(&d->line, "since_ns", d->x[0]);
	line_u64(&d->line, "threshold_ns", d->x[1]);
}

static void put_shed(struct dumpline *d)
{
	const struct ct_rec *r = &d->e->r;

	line_word(&d->line, "step", describe_shed(ct_shed_step(r)));
	line_word(&d->line, "before", describe_shed(ct_shed_step_before(r)));
	if (r->flags & CT_GV_CAP)
		put_task(d, "capped", r->tid);
	else if (r->flags & CT_GV_GROUP)
		line_u64(&d->line, r->flags & CT_GV_CGROUP ? "capped_cgroup" : "capped_user", r->obj);
	if (r->flags & (CT_GV_CAP | CT_GV_GROUP))
		line_num(&d->line, "lost", ct_cap_records(r));
	line_u64(&d->line, "since_ns", d->x[0]);
	line_u64(&d->line, "cost_ppm", d->x[1]);
}

static void put_found(struct dumpline *d)
{
	const struct ct_rec *r = &d->e->r;
	enum ct_found what = ct_found_what(r);

	line_word(&d->line, "found", describe_found(what));
	if (what == CT_FOUND_BLOCKED || what == CT_FOUND_WAITED) {
		line_word(&d->line, "state", describe_state(ct_found_state(r)));
		line_word(&d->line, "wait", describe_wait(ct_found_wait(r)));
		put_syscall(d);
		put_object(d, "object", r->obj);
		PUT_FLAGS(d, switch_flags);
	}
	line_u64(&d->line, "since_ns", d->x[0]);
	line_num(&d->line, "switches", ct_found_switches(&(struct ct_rec){ 0 }, r));
	line_u64(&d->line, "ran_ns", ct_found_ran_ns(0, d->x[1]));
	line_u64(&d->line, "queued_ns", ct_found_queued_ns(0, d->x[1]));
}

static void put_mark(struct dumpline *d)
{
	static const char *const ops[] = { "point", "begin", "end" };
	static const struct flag_name flags[] = { { CT_MF_PARENT, "parent" },
						  { CT_MF_HASHED, "hashed" },
						  { CT_MF_CALL, "call" },
						  { CT_MF_STREAM, "stream" } };
	const struct ct_rec *r = &d->e->r;

	line_word(&d->line, "op", WORD(ops, ct_mark_what(r)));
	put_object(d, "object", r->obj);
	if (d->x[0])
		line_hex(&d->line, "id", d->x[0]);
	PUT_FLAGS(d, flags);
	line_u64(&d->line, "made_ns", ct_mark_ns(r, d->x));
}

static void put_input(struct dumpline *d)
{
	static const struct flag_name flags[] = { { CT_IF_DRAWS, "draws" } };
	const struct ct_rec *r = &d->e->r;

	line_word(&d->line, "op", describe_input(ct_input_what(r)) ?: "unknown");
	PUT_FLAGS(d, flags);
	if (d->x[0])
		line_u64(&d->line, "server_ns", ct_input_ns(r, d->x));
}

static void put_gap(struct dumpline *d)
{
	if (d->e->r.tid != CT_GAP_ALL_CPUS)
		line_num(&d->line, "lost_cpu", d->e->r.tid);
	if (ct_gap_records(&d->e->r))
		line_num(&d->line, "lost", ct_gap_records(&d->e->r));
	line_word(&d->line, "cause", describe_loss(ct_gap_cause(&d->e->r)));
	line_u64(&d->line, "first_ns", d->x[0]);
	line_u64(&d->line, "last_ns", d->x[1]);
}

static void put_life(struct dumpline *d)
{
	static const struct flag_name fork_flags[] = { { CT_LF_THREAD, "thread" } };
	static const struct flag_name exit_flags[] = { { CT_LF_GROUP_DEAD, "group-dead" } };
	const struct ct_rec *r = &d->e->r;

	if (r->kind == CT_FORK) {
		put_task(d, "child", ct_fork_child(r));
		PUT_FLAGS(d, fork_flags);
	} else if (r->kind == CT_EXEC) {
		line_num(&d->line, "old_tid", ct_exec_tid_before(r));
	} else {
		line_num(&d->line, "code", ct_exit_code(r));
		PUT_FLAGS(d, exit_flags);
	}
}

/* "?" stands for an address that is not known. Of the name of a unix socket, only a hash is known. */
static void put_destination(struct dumpline *d)
{
	const struct ct_rec *r = &d->e->r;
	uint32_t a = ct_send_address(r);
	char to[64];

	switch (ct_send_dest(r)) {
	case CT_DEST_IPV4:
		snprintf(to, sizeof(to), "%u.%u.%u.%u:%u", a & 255, a >> 8 & 255, a >> 16 & 255, a >> 24,
			 ct_send_port(r));
		break;
	case CT_DEST_IPV6:
		snprintf(to, sizeof(to), "[%s]:%u", a == 1 ? "::1" : "?", ct_send_port(r));
		break;
	case CT_DEST_UNIX:
		snprintf(to, sizeof(to), "unix:%012" PRIx64, (uint64_t)ct_send_name(r));
		break;
	case CT_DEST_NONE:
	default:
		return;
	}
	line_str(&d->line, "to", to);
}

static void put_details(struct dumpline *d)
{
	static const struct flag_name deliver_flags[] = { { CT_GF_FATAL, "fatal" } };
	const struct ct_rec *r = &d->e->r;

	switch ((enum ct_kind)r->kind) {
	case CT_SWITCH:
		return put_switch(d);
	case CT_WAKE:
		return put_wake(d);
	case CT_WAKE_NEW:
		return put_task(d, "creator", ct_wake_new_creator(r));
	case CT_FUTEX:
		return put_futex(d);
	case CT_WAITFD:
		return put_waitfd(d);
	case CT_FORK:
	case CT_EXEC:
	case CT_EXIT:
		return put_life(d);
	case CT_SIGNAL:
		return put_sent_signal(d);
	case CT_SIGDELIVER:
		put_signal(d);
		return PUT_FLAGS(d, deliver_flags);
	case CT_SEND:
	case CT_RECV:
		line_num(&d->line, "bytes", ct_message_bytes(r));
		put_object(d, "object", r->obj);
		if (r->kind == CT_SEND)
			put_destination(d);
		else if (ct_recv_strand(r))
			line_hex(&d->line, "strand", ct_recv_strand(r));
		return;
	case CT_READY:
		line_word(&d->line, "context", describe_context(ct_ready_context(r)));
		return put_object(d, "object", r->obj);
	case CT_BLK_ISSUE:
	case CT_BLK_DONE:
		return put_block(d);
	case CT_FLOCK:
	case CT_HELD:
		return put_lock(d);
	case CT_FD:
	case CT_EPMEMBER:
		line_num(&d->line, "fd", ct_fd_number(r));
		put_object(d, "object", r->obj);
		return put_object(d, "epoll", d->x[0]);
	case CT_SAMPLE:
	case CT_VISIT:
		return put_long(d);
	case CT_GAP:
		return put_gap(d);
	case CT_ACCESS:
		return put_access(d);
	case CT_POLLED:
		return put_polled(d);
	case CT_JOB:
		return put_job(d);
	case CT_JOB_STACK:
		return put_job_stack(d);
	case CT_LOCK:
		return put_strand_lock(d);
	case CT_HANG:
		return put_hang(d);
	case CT_SHED:
		return put_shed(d);
	case CT_FOUND:
		return put_found(d);
	case CT_MARK:
		return put_mark(d);
	case CT_INPUT:
		return put_input(d);
	case CT_TASK:
	case CT_OBJECT:
	case CT_STACK:
	case CT_RAWSTACK:
	case CT_RAWACCESS:
	case CT_CMDLINE:
	case CT_RAWCMDLINE:
	case CT_RAWCRASH:
	case CT_RAWJOB:
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

static void put_time(struct dumpline *d)
{
	struct line *l = &d->line;
	uint64_t ts = d->e->r.ts;
	char wall[WALLTIME_MAX];

	if (d->options.json) {
		line_put(l, "{\"ts_ns\":");
		line_digits(l, ts, 1);
	} else if (d->options.wall) {
		line_put(l, walltime_text(ts, &d->w->offsets, 9, wall));
	} else {
		line_digits(l, ts / NSEC_PER_SEC, 1);
		line_put(l, ".");
		line_digits(l, ts % NSEC_PER_SEC, 9);
	}
}

static void put_kind(struct dumpline *d)
{
	static const char spaces[KIND_WIDTH + 1] = "           ";
	const char *kind = describe_record(d->e->r.kind) ?: "unknown";
	struct line *l = &d->line;

	if (l->json) {
		line_u64(l, "cpu", window_cpu(d->w, d->e));
		line_word(l, "kind", kind);
		return;
	}
	line_put(l, " [");
	line_digits(l, window_cpu(d->w, d->e), 1);
	line_put(l, "] ");
	line_put(l, kind);
	line_put(l, spaces + MIN(strlen(kind), (size_t)KIND_WIDTH));
}

struct dumpline *dumpline_new(FILE *f, const struct dumpline_options *options)
{
	struct dumpline *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->options = *options;
	d->line.f = f;
	d->line.json = options->json;
	return d;
}

void dumpline_free(struct dumpline *d)
{
	free(d);
}

void dumpline_window(struct dumpline *d, const struct window *w)
{
	d->w = w;
	memset(d->tasks, 0, sizeof(d->tasks));
	memset(d->objects, 0, sizeof(d->objects));
}

void dumpline_print(struct dumpline *d, const struct window_event *e)
{
	uint32_t tasks[2];

	d->e = e;
	d->x = window_words(d->w, e);
	put_time(d);
	put_kind(d);
	if (dumpline_tasks(e, tasks))
		put_task(d, "task", e->r.tid);
	put_details(d);
	line_put(&d->line, d->line.json ? "}" : "");
	line_end(&d->line);
}
