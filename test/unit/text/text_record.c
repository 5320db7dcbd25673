// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "ctrace/fields.h"
#include "lib/cleanup.h"
#include "lib/hash.h"
#include "test/unit/text/text_window_private.h"
#include "trace/words/describe.h"

static uint64_t flags_field(struct text_line *l, const struct text_word *words)
{
	const char *word = text_line_field(l, "flags");

	return word ? text_flags(l, word, words) : 0;
}

static uint8_t wait_field(struct text_line *l, const char *key)
{
	const char *word = text_line_field(l, key);

	return word ? text_wait_of(l, word) : 0;
}

/* The result is valid until the next record. A field cpu=N moves tid to CPU N. */
static struct window_record *add(struct record *r, enum ct_kind kind, uint32_t tid, uint32_t peer)
{
	uint16_t *cpu = text_cpu_of(r->t, tid);
	struct window_record e = { .r = { .ts = r->ns, .kind = (ct_u8)kind, .tid = tid, .peer = peer } };

	*cpu = (uint16_t)text_number_field(r->l, "cpu", *cpu);
	e.cpu = *cpu;
	e.r.nr = r->nr;
	PUSH(&r->t->events, e);
	return &r->t->events.v[r->t->events.n - 1];
}

static const struct text_word task_states[] = { { "running", CT_ST_RUNNING },
						{ "sleep", CT_ST_SLEEP },
						{ "disk", CT_ST_DISK },
						{ "stopped", CT_ST_STOPPED },
						{ "traced", CT_ST_TRACED },
						{ "dead", CT_ST_DEAD },
						{ NULL, 0 } };

static void add_switch(struct record *r, uint32_t tid, uint32_t next, enum ct_wait wait, uint64_t obj)
{
	static const struct text_word flags[] = { { "preempt", CT_SF_PREEMPT },
						  { "iowait", CT_SF_IOWAIT },
						  { "timeout", CT_SF_TIMEOUT },
						  { "compat", CT_SF_COMPAT },
						  { "idle", CT_SF_IDLE },
						  { "kthread", CT_SF_KTHREAD },
						  { "zerowait", CT_SF_ZEROWAIT },
						  { "throttled", CT_SF_THROTTLED },
						  { NULL, 0 } };
	const char *state = text_line_field(r->l, "state");
	struct window_record *e = add(r, CT_SWITCH, tid, next);

	e->r.wait = (ct_u8)wait;
	e->r.obj = obj;
	e->r.flags = (ct_u8)flags_field(r->l, flags);
	e->r.state = wait == CT_W_NONE || wait == CT_W_YIELD ? CT_ST_RUNNING
		     : wait == CT_W_EXITED                   ? CT_ST_DEAD
							     : CT_ST_SLEEP;
	if (state)
		e->r.state = (ct_u8)text_one_of(r->l, state, task_states);
	if (next)
		*text_cpu_of(r->t, next) = e->cpu;
}

void text_add_run(struct record *r, uint32_t tid)
{
	uint16_t *cpu = text_cpu_of(r->t, tid);
	struct window_record e = { .r = { .ts = r->ns, .kind = CT_SWITCH, .peer = tid, .nr = CT_NR_NONE } };

	*cpu = (uint16_t)text_number_field(r->l, "cpu", *cpu);
	e.cpu = *cpu;
	PUSH(&r->t->events, e);
}

static uint32_t then(struct record *r)
{
	return text_line_skip(r->l, "then") ? text_task(r->t, r->l, text_line_next(r->l, "a task")) : 0;
}

static void verb_runs(struct record *r)
{
	text_add_run(r, r->tid);
}

static void verb_blocks(struct record *r)
{
	uint8_t wait = text_wait_of(r->l, text_line_next(r->l, "a kind of wait"));
	uint64_t obj = text_object_if_any(r->l);
	uint32_t owner = text_task_field(r->t, r->l, "owner");

	if (owner)
		add(r, CT_FUTEX, r->tid, owner)->r.obj = obj;
	add_switch(r, r->tid, then(r), wait, obj);
}

static void verb_preempted(struct record *r)
{
	add_switch(r, r->tid, then(r), CT_W_NONE, 0);
}

static void verb_yields(struct record *r)
{
	add_switch(r, r->tid, then(r), CT_W_YIELD, 0);
}

static void verb_found(struct record *r)
{
	static const struct text_word what[] = { { "folded", CT_FOUND_FOLDED },
						 { "queued", CT_FOUND_QUEUED },
						 { "blocked", CT_FOUND_BLOCKED },
						 { "waited", CT_FOUND_WAITED },
						 { NULL, 0 } };
	static const struct text_word flags[] = { { "iowait", CT_SF_IOWAIT },
						  { "timeout", CT_SF_TIMEOUT },
						  { NULL, 0 } };
	struct window_record *e = add(r, CT_FOUND, r->tid, (uint32_t)text_number_field(r->l, "switches", 0));
	const char *since = text_line_field(r->l, "since"), *ran = text_line_field(r->l, "ran");
	const char *queued = text_line_field(r->l, "queued"), *state = text_line_field(r->l, "state"), *wait;

	e->r.aux = (ct_u16)text_one_of(r->l, text_line_next(r->l, "folded, queued, blocked or waited"), what);
	wait = text_line_more(r->l);
	e->r.wait = wait ? text_wait_of(r->l, wait) : 0;
	e->r.obj = text_object_if_any(r->l);
	e->r.flags = (ct_u8)flags_field(r->l, flags);
	e->r.state = state  ? (ct_u8)text_one_of(r->l, state, task_states)
		     : wait ? CT_ST_SLEEP
			    : CT_ST_RUNNING;
	e->x[0] = since ? text_time(r->l, since) : r->ns;
	e->x[1] = (ct_u32)((ran ? text_time(r->l, ran) : 0) / CT_FOUND_UNIT_NS) |
		  (queued ? text_time(r->l, queued) : 0) / CT_FOUND_UNIT_NS << 32;
}

static void verb_dies(struct record *r)
{
	add_switch(r, r->tid, then(r), CT_W_EXITED, 0);
}

static const struct text_word contexts[] = { { "task", CT_CTX_TASK },
					     { "softirq", CT_CTX_SOFTIRQ },
					     { "hardirq", CT_CTX_HARDIRQ },
					     { "timer", CT_CTX_TIMER },
					     { "ipi", CT_CTX_IPI },
					     { "irq", CT_CTX_IRQ },
					     { NULL, 0 } };

static void verb_wakes(struct record *r)
{
	static const struct text_word flags[] = { { "ready", CT_WF_READY },
						  { "self", CT_WF_SELF },
						  { "kthread", CT_WF_KTHREAD },
						  { "exiting", CT_WF_EXITING },
						  { "frozen", CT_WF_FROZEN },
						  { "idle", CT_WF_IDLE },
						  { NULL, 0 } };
	uint32_t tid = text_task(r->t, r->l, text_line_next(r->l, "a task"));
	uint16_t cpu = (uint16_t)text_number_field(r->l, "cpu", *text_cpu_of(r->t, r->tid));
	struct window_record *e = add(r, CT_WAKE, tid, r->tid);

	e->cpu = cpu;
	e->r.obj = text_object_if_any(r->l);
	e->r.aux = wait_field(r->l, "in");
	e->r.flags = (ct_u8)flags_field(r->l, flags);
	e->r.state = (ct_u8)(r->ctx + text_word_field(r->l, "ctx", contexts));
	e->r.wait = (ct_u8)text_number_field(r->l, "vector", 0);
	if (text_line_skip(r->l, "which")) {
		if (!text_line_skip(r->l, "runs"))
			text_line_fail(r->l, "expected \"which runs\"");
		text_add_run(r, tid);
	}
}

static void verb_futex(struct record *r)
{
	uint64_t obj = text_object_next(r->l);
	struct window_record *e = add(r, CT_FUTEX, r->tid, text_task_field(r->t, r->l, "owner"));

	e->r.obj = obj;
	e->x[1] = text_number_field(r->l, "op", 0);
}

static void verb_waitfd(struct record *r)
{
	struct window_record *e =
		add(r, CT_WAITFD, r->tid, (uint32_t)text_number(r->l, text_line_next(r->l, "a descriptor")));

	e->r.obj = text_object_next(r->l);
	e->r.state = (ct_u8)text_number_field(r->l, "index", 0);
	e->r.wait = (ct_u8)text_number_field(r->l, "of", 1);
	e->r.aux = (ct_u16)text_number_field(r->l, "events", EPOLLIN);
}

static uint32_t tgid_of(const struct text_window *t, uint32_t tid)
{
	const struct window_task *task = text_declared(t, tid);

	return task ? task->tgid : tid;
}

static void verb_forks(struct record *r)
{
	static const struct text_word flags[] = { { "thread", CT_LF_THREAD }, { NULL, 0 } };
	uint32_t child = text_task(r->t, r->l, text_line_next(r->l, "a task"));
	struct window_record *e = add(r, CT_FORK, r->tid, child);

	e->r.obj = tgid_of(r->t, child);
	e->r.flags = (ct_u8)flags_field(r->l, flags);
}

static void verb_execs(struct record *r)
{
	add(r, CT_EXEC, r->tid, r->tid);
}

static void verb_exits(struct record *r)
{
	static const struct text_word flags[] = { { "last", CT_LF_GROUP_DEAD }, { NULL, 0 } };
	struct window_record *e = add(r, CT_EXIT, r->tid, (uint32_t)text_number_field(r->l, "status", 0));

	e->r.obj = tgid_of(r->t, r->tid);
	e->r.flags = (ct_u8)flags_field(r->l, flags);
}

static const struct text_word signal_flags[] = { { "fatal", CT_GF_FATAL },
						 { "ignored", CT_GF_IGNORED },
						 { "group", CT_GF_GROUP },
						 { "kernel", CT_GF_KERNEL },
						 { NULL, 0 } };

static uint8_t signal_next(struct text_line *l)
{
	const char *word = text_line_next(l, "a signal, as KILL");

	for (unsigned s = 1; s < 65; s++)
		if (describe_signal(s) && !strcmp(describe_signal(s), word))
			return (uint8_t)s;
	text_line_fail(l, "expected a signal, as KILL, not \"%s\"", word);
	return 0;
}

static void verb_signals(struct record *r)
{
	uint32_t target = text_task(r->t, r->l, text_line_next(r->l, "a task"));
	struct window_record *e = add(r, CT_SIGNAL, r->tid, target);

	e->r.state = signal_next(r->l);
	e->r.obj = tgid_of(r->t, target);
	e->r.aux = (uint16_t)text_number_field(r->l, "code", 0);
	e->r.flags = (ct_u8)flags_field(r->l, signal_flags);
}

static void verb_handles(struct record *r)
{
	struct window_record *e = add(r, CT_SIGDELIVER, r->tid, 0);

	e->r.state = signal_next(r->l);
	e->r.flags = (ct_u8)flags_field(r->l, signal_flags);
}

static void message(struct record *r, enum ct_kind kind)
{
	struct window_record *e =
		add(r, kind, r->tid, (uint32_t)text_number(r->l, text_line_next(r->l, "bytes")));

	e->r.obj = text_object_next(r->l);
}

/* "1.2.3.4:53", "[::1]:53", another IPv6 address, or the name of a unix socket */
static void send_to(struct record *r, struct ct_rec *e, const char *to)
{
	struct in6_addr six = { 0 }, one = IN6ADDR_LOOPBACK_INIT;
	char host[64] = "";
	struct in_addr four;
	unsigned port = 0;

	if (*to == '/' || *to == '@')
		ct_send_to(e, CT_DEST_UNIX, (uint16_t)(ct_dest_name(to) >> 32), (uint32_t)ct_dest_name(to));
	else if (sscanf(to, "[%63[0-9a-f:]]:%u", host, &port) == 2 && inet_pton(AF_INET6, host, &six) == 1)
		ct_send_to(e, CT_DEST_IPV6, (uint16_t)port, !memcmp(&six, &one, sizeof(six)));
	else if (sscanf(to, "%63[0-9.]:%u", host, &port) == 2 && inet_pton(AF_INET, host, &four) == 1)
		ct_send_to(e, CT_DEST_IPV4, (uint16_t)port, four.s_addr);
	else
		text_line_fail(r->l, "expected a destination, as 127.0.0.1:53, not \"%s\"", to);
}

static void verb_sends(struct record *r)
{
	const char *to = text_line_field(r->l, "to");

	message(r, CT_SEND);
	if (to)
		send_to(r, &r->t->events.v[r->t->events.n - 1].r, to);
}

static void verb_receives(struct record *r)
{
	uint64_t strand = text_number_field(r->l, "strand", 0);

	message(r, CT_RECV);
	if (strand)
		ct_recv_by(&r->t->events.v[r->t->events.n - 1].r, strand);
}

static const struct text_word lock_hows[] = { { "posix", 0 }, { "flock", 1 }, { "ofd", 2 }, { NULL, 0 } };

static void add_lock_fields(struct record *r, struct window_record *e)
{
	e->r.wait = (ct_u8)text_word_field(r->l, "how", lock_hows);
	e->x[0] = text_number_field(r->l, "first", 0);
	e->x[1] = text_number_field(r->l, "last", INT64_MAX);
}

static void verb_flock(struct record *r)
{
	static const struct text_word what[] = {
		{ "read", 0 }, { "write", 1 }, { "unlock", 2 }, { NULL, 0 }
	};
	struct window_record *e = add(r, CT_FLOCK, r->tid, (uint32_t)text_number_field(r->l, "result", 0));

	e->r.state = (ct_u8)text_one_of(r->l, text_line_next(r->l, "read, write or unlock"), what);
	e->r.obj = text_object_next(r->l);
	add_lock_fields(r, e);
}

static void verb_held(struct record *r)
{
	static const struct text_word flags[] = { { "waiter", 1 }, { "read", 2 }, { NULL, 0 } };
	struct window_record *e = add(r, CT_HELD, r->tid, 0);
	ct_u8 set;

	e->r.obj = text_object_next(r->l);
	set = (ct_u8)flags_field(r->l, flags);
	e->r.flags = set & 1;
	e->r.state = set & 2 ? CT_LOCK_READ : CT_LOCK_WRITE;
	add_lock_fields(r, e);
}

static void add_block(struct record *r, enum ct_kind kind)
{
	static const struct text_word ops[] = {
		{ "read", 0 }, { "write", 1 }, { "flush", 2 }, { "discard", 3 }, { NULL, 0 }
	};
	ct_u8 op = (ct_u8)text_one_of(r->l, text_line_next(r->l, "read, write, flush or discard"), ops);
	uint32_t bytes = (uint32_t)text_number(r->l, text_line_next(r->l, "bytes"));
	struct window_record *e = add(r, kind, r->tid, bytes);
	const char *file = text_line_field(r->l, "file");

	e->r.state = op;
	e->r.obj = text_object_next(r->l);
	e->x[0] = text_number_field(r->l, "sector", 0);
	e->x[1] = file ? text_object(r->l, file) : 0;
}

static void verb_issues(struct record *r)
{
	add_block(r, CT_BLK_ISSUE);
}

static void verb_completes(struct record *r)
{
	add_block(r, CT_BLK_DONE);
}

static void verb_fd(struct record *r)
{
	static const struct text_word flags[] = {
		{ "read", CT_FF_READ }, { "write", CT_FF_WRITE }, { "lock", CT_FF_LOCK }, { NULL, 0 }
	};
	struct window_record *e =
		add(r, CT_FD, r->tid, (uint32_t)text_number(r->l, text_line_next(r->l, "a descriptor")));

	e->r.obj = text_object_next(r->l);
	e->r.flags = (ct_u8)flags_field(r->l, flags);
}

static void verb_epmember(struct record *r)
{
	struct window_record *e = add(r, CT_EPMEMBER, r->tid,
				      (uint32_t)text_number(r->l, text_line_next(r->l, "a descriptor")));

	e->r.obj = text_object_next(r->l);
	e->x[0] = text_object_next(r->l);
	e->x[1] = text_number_field(r->l, "events", EPOLLIN);
}

static void verb_sample(struct record *r)
{
	struct window_record *e = add(r, CT_SAMPLE, r->tid, 0);
	const char *ran = text_line_field(r->l, "ran");
	static const struct text_word flags[] = { { "kernel", CT_PF_KERNEL },
						  { "fatal", CT_PF_FATAL },
						  { NULL, 0 } };

	e->r.flags = (ct_u8)flags_field(r->l, flags);
	e->x[0] = text_number(r->l, text_line_next(r->l, "a stack"));
	e->x[1] = ran ? text_time(r->l, ran) : 0;
}

static void verb_visit(struct record *r)
{
	static const struct text_word locks[] = { { "database", CT_VL_DATABASE },
						  { "no-task", CT_VL_NO_TASK },
						  { "java", CT_VL_JAVA },
						  { "monitor", CT_VL_MONITOR },
						  { "sysv", CT_VL_SYSV },
						  { "task", CT_VL_TASK },
						  { NULL, 0 } };
	const char *lock = text_line_field(r->l, "lock"), *wait;
	struct window_record *e = add(r, CT_VISIT, r->tid, text_task_field(r->t, r->l, "owner"));

	e->x[0] = text_number(r->l, text_line_next(r->l, "a stack"));
	wait = text_line_more(r->l);
	e->r.wait = wait ? text_wait_of(r->l, wait) : 0;
	e->r.obj = text_object_if_any(r->l);
	e->r.aux = lock ? (ct_u16)text_flags(r->l, lock, locks) : 0;
}

static void access_of(struct record *r, uint8_t read)
{
	struct window_record *e = add(r, CT_ACCESS, r->tid, 0);

	e->r.state = read;
	e->r.obj = text_object_next(r->l);
	e->x[0] = text_number(r->l, text_line_next(r->l, "a value"));
	e->r.aux = (ct_u16)text_number_field(r->l, "len", 4);
}

static void verb_writes(struct record *r)
{
	access_of(r, 0);
}

static void verb_reads(struct record *r)
{
	access_of(r, 1);
}

static void verb_polls(struct record *r)
{
	static const struct text_word flags[] = {
		{ "reg", CT_QF_REG }, { "code", CT_QF_CODE }, { "spin", CT_QF_SPIN }, { NULL, 0 }
	};
	struct window_record *e = add(r, CT_POLLED, r->tid, 0);

	e->r.obj = text_object_next(r->l);
	e->r.flags = (ct_u8)flags_field(r->l, flags);
	e->x[1] = text_number_field(r->l, "address", e->r.obj & ((1ULL << 47) - 1));
}

static void verb_job(struct record *r)
{
	static const struct text_word what[] = {
		{ "enqueue", CT_JOB_ENQUEUE }, { "start", CT_JOB_START }, { "end", CT_JOB_END }, { NULL, 0 }
	};
	static const struct text_word flags[] = { { "loose", CT_JF_LOOSE }, { NULL, 0 } };
	struct window_record *e = add(r, CT_JOB, r->tid, 0), of_job;
	uint64_t stack;

	e->r.state = (ct_u8)text_one_of(r->l, text_line_next(r->l, "enqueue, start or end"), what);
	e->x[0] = text_number(r->l, text_line_next(r->l, "the number of a job"));
	e->r.obj = text_object_if_any(r->l);
	e->r.flags = (ct_u8)flags_field(r->l, flags);
	e->x[1] = text_number_field(r->l, "function", 0);
	e->r.aux = (ct_u16)text_number_field(r->l, "framework", 0);
	of_job = *e;
	stack = text_number_field(r->l, "stack", 0);
	if (!stack)
		return;
	e = add(r, CT_JOB_STACK, r->tid, 0);
	e->r.aux = of_job.r.aux;
	e->r.obj = of_job.r.obj;
	e->x[0] = of_job.x[0];
	e->x[1] = stack;
}

static void verb_lock(struct record *r)
{
	static const struct text_word what[] = { { "wait", CT_LOCK_WAIT },
						 { "again", CT_LOCK_AGAIN },
						 { "release", CT_LOCK_RELEASE },
						 { NULL, 0 } };
	struct window_record *e = add(r, CT_LOCK, r->tid, 0), of_lock;
	uint64_t stack;

	e->r.state = (ct_u8)text_one_of(r->l, text_line_next(r->l, "wait, again or release"), what);
	e->x[0] = text_number(r->l, text_line_next(r->l, "the number of a strand"));
	e->r.obj = text_object_next(r->l);
	of_lock = *e;
	stack = text_number_field(r->l, "stack", 0);
	if (!stack)
		return;
	e = add(r, CT_JOB_STACK, r->tid, 0);
	e->r.obj = of_lock.r.obj;
	e->x[0] = of_lock.x[0];
	e->x[1] = stack;
}

static void name_mark(struct text_window *t, uint64_t id, const char *name)
{
	char *copy = strdup(name);

	for (size_t i = 0; i < t->objects.n; i++)
		if (t->objects.v[i].id == id) {
			free(copy);
			return;
		}
	PUSH(&t->owned, copy);
	PUSH(&t->objects, (struct window_object){ .id = id, .name = copy });
}

static void verb_mark(struct record *r)
{
	static const struct text_word what[] = {
		{ "point", CT_MARK_POINT }, { "begin", CT_MARK_BEGIN }, { "end", CT_MARK_END }, { NULL, 0 }
	};
	static const struct text_word flags[] = {
		{ "parent", CT_MF_PARENT },
		{ "hashed", CT_MF_HASHED },
		{ "call", CT_MF_CALL },
		{ "stream", CT_MF_STREAM },
		{ NULL, 0 },
	};
	struct window_record *e = add(r, CT_MARK, r->tid, 0);
	const char *name = text_line_next(r->l, "the name of a mark"), *at;

	e->r.obj = CT_OBJ_ID(CT_OBJ_MARK, hash_text(HASH_START, name));
	name_mark(r->t, e->r.obj, name);
	e->r.state = (ct_u8)text_one_of(r->l, text_line_next(r->l, "begin, end or point"), what);
	e->r.flags = (ct_u8)flags_field(r->l, flags);
	e->r.aux = (ct_u16)text_number_field(r->l, "framework", 0);
	e->x[0] = text_number_field(r->l, "id", 0);
	at = text_line_field(r->l, "made");
	e->x[1] = at ? text_time(r->l, at) : r->ns;
}

static void verb_input(struct record *r)
{
	static const struct text_word flags[] = { { "draws", CT_IF_DRAWS }, { NULL, 0 } };
	const char *word = text_line_next(r->l, "an input, as key"), *at;
	struct window_record *e = add(r, CT_INPUT, r->tid, 0);

	while (e->r.state <= CT_INPUT_DRAW && strcmp(describe_input(e->r.state), word) != 0)
		e->r.state++;
	if (e->r.state > CT_INPUT_DRAW)
		text_line_fail(r->l, "expected an input, as key, not \"%s\"", word);
	e->r.flags = (ct_u8)flags_field(r->l, flags);
	at = text_line_field(r->l, "at");
	e->x[0] = at ? text_time(r->l, at) : 0;
}

static void verb_hang(struct record *r)
{
	const char *word = text_line_next(r->l, "a rule, as loop");
	struct window_record *e = add(r, CT_HANG, r->tid, 0);

	while (e->r.state < CT_HANG_RULES && strcmp(describe_hang(e->r.state), word) != 0)
		e->r.state++;
	if (e->r.state == CT_HANG_RULES)
		text_line_fail(r->l, "expected a rule, as loop, not \"%s\"", word);
}

uint64_t text_since_field(struct record *r)
{
	const char *since = text_line_field(r->l, "since");

	if (!since)
		text_line_fail(r->l, "expected since=TIME");
	return since ? text_time(r->l, since) : 0;
}

static void verb_capped(struct record *r)
{
	static const struct text_word flags[] = { { "group", CT_GV_GROUP }, { NULL, 0 } };
	struct window_record *e = add(r, CT_SHED, r->tid, 0);

	e->x[0] = text_since_field(r);
	e->r.flags = (ct_u8)(CT_GV_CAP | flags_field(r->l, flags));
	e->r.obj = text_object_if_any(r->l);
	e->r.aux = (ct_u16)(wait_field(r->l, "wait") | text_word_field(r->l, "state", task_states) << 8);
}

struct verb {
	const char *name;
	void (*run)(struct record *r);
	const char *usage;
};

static const struct verb verbs[] = {
	{ "runs", verb_runs, "A runs" },
	{ "blocks", verb_blocks, "A blocks WAIT [OBJECT] [then B] [owner=B] [state=] [flags=]" },
	{ "preempted", verb_preempted, "A preempted [then B]" },
	{ "yields", verb_yields, "A yields [then B]" },
	{ "found", verb_found,
	  "A found folded|queued|blocked|waited [WAIT] [OBJECT] [since=TIME] [switches=N] [ran=TIME] [queued=TIME]" },
	{ "dies", verb_dies, "A dies [then B]" },
	{ "wakes", verb_wakes, "A wakes B [OBJECT] [which runs] [in=WAIT] [flags=] [ctx=] [vector=]" },
	{ "futex", verb_futex, "A futex OBJECT owner=B [op=N]" },
	{ "waitfd", verb_waitfd, "A waitfd FD OBJECT [index=N] [of=N] [events=N]" },
	{ "forks", verb_forks, "A forks B [flags=thread]" },
	{ "execs", verb_execs, "A execs" },
	{ "exits", verb_exits, "A exits [status=N] [flags=last]" },
	{ "signals", verb_signals, "A signals B SIGNAL [flags=] [code=N]" },
	{ "handles", verb_handles, "A handles SIGNAL [flags=fatal]" },
	{ "sends", verb_sends, "A sends BYTES OBJECT [to=ADDRESS]" },
	{ "receives", verb_receives, "A receives BYTES OBJECT [strand=N]" },
	{ "flock", verb_flock, "A flock read|write|unlock OBJECT [how=] [first=N] [last=N] [result=]" },
	{ "held", verb_held, "A held OBJECT [how=] [first=N] [last=N] [flags=waiter,read]" },
	{ "issues", verb_issues, "A issues read|write|flush|discard BYTES OBJECT [sector=N] [file=OBJECT]" },
	{ "completes", verb_completes,
	  "A completes read|write|flush|discard BYTES OBJECT [sector=N] [file=OBJECT]" },
	{ "fd", verb_fd, "A fd FD OBJECT [flags=read,write]" },
	{ "epmember", verb_epmember, "A epmember FD OBJECT EPOLL" },
	{ "sample", verb_sample, "A sample STACK [ran=TIME] [flags=kernel,fatal]" },
	{ "visit", verb_visit, "A visit STACK [WAIT] [OBJECT] [lock=database,no-task] [owner=B]" },
	{ "writes", verb_writes, "A writes OBJECT VALUE [len=N]" },
	{ "reads", verb_reads, "A reads OBJECT VALUE [len=N]" },
	{ "polls", verb_polls, "A polls OBJECT [flags=] [address=N]" },
	{ "job", verb_job,
	  "A job enqueue|start|end NUMBER [OBJECT] [flags=loose] [function=N] [framework=N] [stack=N]" },
	{ "lock", verb_lock, "A lock wait|again|release STRAND OBJECT [stack=N]" },
	{ "input", verb_input, "A input key|key-up|button|draw|... [at=TIME] [flags=draws]" },
	{ "mark", verb_mark,
	  "A mark NAME begin|end|point [id=N] [made=TIME] [flags=parent,hashed,call,stream] [framework=N]" },
	{ "hang", verb_hang, "A hang RULE" },
	{ "capped", verb_capped, "A capped [OBJECT] since=TIME [flags=group] [wait=WAIT] [state=]" },
};

static void record_gap(struct record *r)
{
	const char *cause = text_line_field(r->l, "cause"), *range = text_line_next(r->l, "a range");
	struct window_record e = { .r = { .kind = CT_GAP, .nr = CT_NR_NONE } };

	text_range(r->l, range, &e.x[0], &e.x[1]);
	e.r.ts = r->ns;
	e.r.tid = (ct_u32)text_number_field(r->l, "cpu", CT_GAP_ALL_CPUS);
	e.r.peer = (ct_u32)text_number_field(r->l, "lost", 0);
	while (cause && e.r.state < CT_LOSS_CAUSES && strcmp(describe_loss(e.r.state), cause) != 0)
		e.r.state++;
	if (e.r.state == CT_LOSS_CAUSES)
		text_line_fail(r->l, "expected a cause, as shed, not \"%s\"", cause);
	PUSH(&r->t->events, e);
}

static uint8_t step_of(struct text_line *l, const char *word)
{
	for (unsigned k = 0; k < CT_SHED_STEPS; k++)
		if (!strcmp(describe_shed(k), word))
			return (uint8_t)k;
	text_line_fail(l, "expected a step, as waits, not \"%s\"", word);
	return 0;
}

static void record_step(struct record *r)
{
	uint8_t step = step_of(r->l, text_line_next(r->l, "a step"));
	const char *was = text_line_field(r->l, "was");
	struct window_record *e = add(r, CT_SHED, 0, 0);

	e->r.state = step;
	e->r.wait = was ? step_of(r->l, was) : 0;
}

static void record_probes(struct record *r)
{
	static const struct text_word what[] = { { "off", CT_JOB_OFF }, { "on", CT_JOB_ON }, { NULL, 0 } };
	static const struct text_word flags[] = { { "again", CT_JF_AGAIN }, { NULL, 0 } };
	struct window_record *e = add(r, CT_JOB, 0, 0);

	e->r.state = (ct_u8)text_one_of(r->l, text_line_next(r->l, "off or on"), what);
	e->r.aux = (ct_u16)text_number(r->l, text_line_next(r->l, "the number of a framework"));
	e->r.flags = (ct_u8)flags_field(r->l, flags);
	e->x[0] = text_since_field(r);
}

static void record_group(struct record *r)
{
	struct window_record *e = add(r, CT_SHED, 0, (uint32_t)text_number_field(r->l, "lost", 0));

	e->r.flags = CT_GV_GROUP;
	e->x[0] = text_since_field(r);
}

static const struct verb others[] = {
	{ "gap", record_gap, "gap FROM..TO [cpu=N] [cause=] [lost=N]" },
	{ "step", record_step, "step STEP [was=STEP]" },
	{ "probes", record_probes, "probes off|on FRAMEWORK since=TIME [flags=again]" },
	{ "group", record_group, "group since=TIME [lost=N]" },
};

static const struct verb *verb_of(const struct verb *v, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, word))
			return &v[i];
	return NULL;
}

void text_add_record(struct text_window *t, struct text_line *l, uint64_t ns)
{
	struct record r = { .t = t, .l = l, .ns = ns };
	const char *subject = text_line_next(l, "a task"), *word;
	const struct verb *v = verb_of(others, ARRAY_SIZE(others), subject);

	if (!v) {
		for (const struct text_word *c = contexts + 1; c->word; c++)
			if (!strcmp(c->word, subject))
				r.ctx = (uint8_t)c->value;
		r.tid = r.ctx ? 0 : text_task(t, l, subject);
		word = text_line_next(l, "what the task does");
		v = verb_of(verbs, ARRAY_SIZE(verbs), word);
		if (!v)
			text_line_fail(l, "expected a verb, as runs, blocks, wakes, sends, not \"%s\"", word);
	}
	if (l->error[0])
		return;
	r.nr = (uint16_t)text_number_field(l, "nr", CT_NR_NONE);
	v->run(&r);
	text_line_done(l, v->usage);
}
