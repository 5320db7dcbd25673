// SPDX-License-Identifier: GPL-2.0-or-later
/* explain.c - an edge in words: who did what, through what, to whom, and how far to believe it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "graph/causal.h"
#include "trace/describe.h"

struct text {
	char *buf;
	size_t size, len;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *fmt, ...)
{
	size_t at = t->len < t->size ? t->len : t->size;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->size ? t->buf + at : NULL, t->size - at, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->len += (size_t)n;
}

struct facts {
	const struct causal *c;
	const struct edge *e;
	const struct window_event *cause, *event;
	char from[64], to[64];
	char object[DESCRIBE_MAX]; /* "" when it is not known */
};

static void name(const struct causal *c, uint32_t segment, uint64_t ts, char *buf, size_t size)
{
	char comm[CT_COMM_LEN * 2];
	uint32_t task;

	if (segment == GRAPH_NONE) {
		snprintf(buf, size, "nobody on this host");
		return;
	}
	task = c->segments[segment].task;
	describe_clean(graph_comm(c->g, task, ts), comm, sizeof(comm));
	snprintf(buf, size, "%s[%u]", comm, c->g->tasks[task].tid);
}

/* "on <object>", or nothing. */
static const char *on(const struct facts *f, const char *word, char buf[DESCRIBE_MAX + 16])
{
	buf[0] = 0;
	if (f->object[0])
		snprintf(buf, DESCRIBE_MAX + 16, " %s %s", word, f->object);
	return buf;
}

static void explain_message(const struct facts *f, struct text *t)
{
	char obj[DESCRIBE_MAX + 16];

	if (f->e->flags & EDGE_BYTES) {
		add(t, "%s sent what %s received%s: the %u bytes received are among those sent", f->from,
		    f->to, on(f, "on", obj), f->event->r.peer);
		return;
	}
	add(t, "%s woke %s%s", f->from, f->to, on(f, "through", obj));
	add(t, f->e->strength == EDGE_STRONG
		       ? ": it acted on the other end of that connection"
		       : "; weak: no bytes are known to have gone from one to the other");
}

static void explain_wait(const struct facts *f, struct text *t, const char *did, const char *why)
{
	char obj[DESCRIBE_MAX + 16];

	add(t, "%s %s%s, which %s was waiting for%s%s", f->from, did, on(f, "to", obj), f->to,
	    f->e->strength == EDGE_STRONG ? ": " : "; weak: ",
	    f->e->strength == EDGE_STRONG ? why : "it need not be the same object");
}

static void explain_futex(const struct facts *f, struct text *t)
{
	char obj[DESCRIBE_MAX + 16];

	if (f->e->kind == EDGE_LOCK) {
		add(t,
		    "%s let go of the lock%s and %s got it; weak: whoever lets go of a mutex need not have "
		    "caused the work of the next",
		    f->from, on(f, "at", obj), f->to);
		return;
	}
	add(t, "%s posted%s, on which %s was waiting", f->from, on(f, "to", obj), f->to);
	if (f->e->flags & EDGE_MANY)
		add(t, "; weak: several post there and several wait, and which was meant for which is not "
		       "known");
	else if (f->e->strength == EDGE_STRONG)
		add(t,
		    ": the same futex, and it has no owner (a condition variable, a semaphore, a barrier)");
}

static void explain_signal(const struct facts *f, struct text *t)
{
	const char *sig =
		f->cause && f->cause->r.kind == CT_SIGNAL ? describe_signal(f->cause->r.state) : NULL;

	add(t, "%s sent %s%s to %s", f->from, sig ? "SIG" : "a signal", sig ? sig : "", f->to);
	if (f->e->strength != EDGE_STRONG)
		add(t, "; weak: the kernel sent it, on behalf of whoever was on the CPU");
}

static void explain_neighbour(const struct facts *f, struct text *t)
{
	add(t, "%s did this right after; %s: it was divided here (rule %s)", f->to,
	    edge_strength_name(f->e->strength), cut_rule_name((enum cut_rule)f->c->segments[f->e->to].cut));
	if (f->e->flags & EDGE_ALIKE)
		add(t, ", but the stacks before and after are alike");
}

static void explain_outside(const struct facts *f, struct text *t)
{
	char obj[DESCRIBE_MAX + 16];

	if (f->e->kind == EDGE_TIMER)
		add(t, "a timer woke %s; weak: no task did it", f->to);
	else
		add(t,
		    "an interrupt (%s) woke %s%s; weak: it came from a device or the network, not from the "
		    "task "
		    "that happened to be on the CPU",
		    describe_context(f->event->r.state), f->to, on(f, "on", obj));
}

/* Kinds that need but one sentence: %1$s from, %2$s to, %3$s " <object>" or "". */
static const char *sentence_of(uint8_t kind)
{
	switch (kind) {
	case EDGE_EXIT:
		return "%1$s ended, and %2$s was told: it is its parent, or joined it";
	case EDGE_FORK:
		return "%1$s made %2$s";
	case EDGE_VFORK:
		return "%1$s ran another program or ended, for which its parent %2$s was waiting (vfork)";
	case EDGE_EXEC:
		return "%1$s became another program, %2$s (exec)";
	case EDGE_FILELOCK:
		return "%1$s unlocked%3$s, which %2$s was waiting to lock";
	case EDGE_LOCK_ORDER:
		return "%1$s unlocked%3$s, and %2$s was the next to lock it; weak: it did not wait for it, "
		       "the "
		       "order may be chance";
	case EDGE_FUSE:
		return "%1$s and %2$s are client and server of a FUSE file system: a request or its answer";
	case EDGE_KERNEL_LOCK:
		return "%1$s woke %2$s from an uninterruptible sleep%3$s; weak: a lock inside the kernel, "
		       "its "
		       "hand-over need not be a cause";
	case EDGE_STOP:
		return "%1$s let %2$s go on, which was stopped or traced";
	case EDGE_FLAG:
		return "%1$s wrote%3$s, and %2$s was the next to see the new value";
	case EDGE_JOB:
		return "%1$s queued the job%3$s that %2$s started: the same job of the same process";
	case EDGE_ANSWER:
		return "%1$s took the request that %2$s answered%3$s: the order on that connection";
	default:
		return "%1$s woke %2$s; weak: what it acted on is not what was waited for";
	}
}

static void explain(const struct facts *f, struct text *t)
{
	char obj[DESCRIBE_MAX + 16];

	switch (f->e->kind) {
	case EDGE_MESSAGE:
		explain_message(f, t);
		break;
	case EDGE_PIPE:
		explain_wait(f, t, f->e->strength == EDGE_STRONG ? "wrote" : "acted on a pipe",
			     "the same pipe");
		break;
	case EDGE_EVENTFD:
		explain_wait(f, t, "wrote", "the same eventfd");
		break;
	case EDGE_LOCK:
	case EDGE_POST:
		explain_futex(f, t);
		break;
	case EDGE_SIGNAL:
		explain_signal(f, t);
		break;
	case EDGE_NEIGHBOUR:
		explain_neighbour(f, t);
		break;
	case EDGE_TIMER:
	case EDGE_IRQ:
		explain_outside(f, t);
		break;
	default:
		obj[0] = 0;
		if (f->object[0])
			snprintf(obj, sizeof(obj), " %s", f->object);
		{
			char line[EDGE_EXPLAIN_MAX];

			snprintf(line, sizeof(line), sentence_of(f->e->kind), f->from, f->to, obj);
			add(t, "%s", line);
		}
	}
	if (f->e->flags & EDGE_FALSE_WAKE)
		add(t, "; weak: %s went back to sleep on the same object and did nothing", f->to);
}

size_t edge_explain(const struct causal *c, const struct edge *e, char *buf, size_t size)
{
	const struct window_event *events = c->g->w->events;
	struct facts f = { .c = c,
			   .e = e,
			   .cause = e->cause == GRAPH_NONE ? NULL : &events[e->cause],
			   .event = e->event == GRAPH_NONE ? NULL : &events[e->event] };
	struct text t = { .buf = buf, .size = size };
	uint64_t obj = edge_object(c, e);

	name(c, e->from, edge_left_ns(c, e), f.from, sizeof(f.from));
	name(c, e->to, edge_arrived_ns(c, e), f.to, sizeof(f.to));
	describe_object(c->g->w, obj, f.object, sizeof(f.object));
	if (size)
		buf[0] = 0;
	explain(&f, &t);
	return t.len;
}
