// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "graph/causal/causal.h"
#include "trace/words/describe.h"

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
	const struct interval *wait;
	const char *object;
	char from[64], to[64];
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

static void object(const struct causal *c, uint64_t obj, const char *unknown, char *buf, size_t size)
{
	describe_object(c->g->w, obj, buf, size);
	if (!buf[0])
		snprintf(buf, size, "%s", unknown);
}

static void explain_message(const struct facts *f, struct text *t)
{
	if (f->e->flags & EDGE_BYTES)
		add(t, "%s sent what %s received on %s: the %u bytes received are among those sent", f->from,
		    f->to, f->object, ct_message_bytes(&f->event->r));
	else if (f->wait && f->wait->wait == CT_W_WRITE)
		add(t, "%s received from %s and so made room for what %s was sending", f->from, f->object,
		    f->to);
	else if (f->e->strength == EDGE_STRONG)
		add(t, "%s woke %s through %s: it connected to, wrote to or closed the other end", f->from,
		    f->to, f->object);
	else
		add(t, "%s woke %s through %s; weak: no bytes are known to have gone from one to the other",
		    f->from, f->to, f->object);
}

static void explain_wake(const struct facts *f, struct text *t)
{
	char acted[DESCRIBE_MAX], waited[DESCRIBE_MAX];

	object(f->c, ct_wake_context(&f->event->r) == CT_CTX_TASK ? f->event->r.obj : 0, "something unknown",
	       acted, sizeof(acted));
	object(f->c, f->wait ? f->wait->obj : 0, f->wait ? describe_wait((enum ct_wait)f->wait->wait) : "it",
	       waited, sizeof(waited));
	add(t,
	    "%s woke %s, which was waiting (%s), while it acted on %s; weak: they are not known to be the same",
	    f->from, f->to, waited, acted);
}

static void explain_channel(const struct facts *f, struct text *t)
{
	const char *what = f->e->kind == EDGE_EVENTFD ? "eventfd" : "pipe";

	if (f->e->strength != EDGE_STRONG && !(f->e->flags & EDGE_FALSE_WAKE))
		explain_wake(f, t);
	else if (f->wait && f->wait->wait == CT_W_OPEN)
		add(t, "%s opened the end of a FIFO that %s was waiting for", f->from, f->to);
	else if (f->wait && f->wait->wait == CT_W_WRITE)
		add(t, "%s read from %s, to which %s was waiting to write: the same %s", f->from, f->object,
		    f->to, what);
	else
		add(t, "%s wrote to %s, which %s was reading or polling: the same %s", f->from, f->object,
		    f->to, what);
}

static void explain_post(const struct facts *f, struct text *t)
{
	add(t, "%s posted to %s, on which %s was waiting", f->from, f->object, f->to);
	if (f->e->flags & EDGE_MANY)
		add(t,
		    "; weak: several post there and several wait, and which was meant for which is not known");
	else
		add(t,
		    ": the same futex, and it has no owner (a condition variable, a semaphore, a barrier)");
}

static void explain_signal(const struct facts *f, struct text *t)
{
	const char *sig = f->cause && f->cause->r.kind == CT_SIGNAL
				  ? describe_signal(ct_signal_number(&f->cause->r))
				  : NULL;

	if (f->e->strength == EDGE_STRONG)
		add(t, "%s sent %s%s to %s", f->from, sig ? "SIG" : "a signal", sig ? sig : "", f->to);
	else
		add(t, "the kernel sent %s%s to %s; weak: not at the wish of a task",
		    sig ? "SIG" : "a signal", sig ? sig : "", f->to);
}

static const char *cut_words(enum cut_rule rule)
{
	static const char *const words[CUT_RULES] = {
		[CUT_IDLE] = "had waited for something to do in between",
		[CUT_JOB] = "began or ended a job there",
		[CUT_BATCH] = "took the next request there",
		[CUT_PEERS] = "went on for somebody else there",
	};

	return (unsigned)rule < CUT_RULES && words[rule] ? words[rule] : "began anew there";
}

static void explain_neighbour(const struct facts *f, struct text *t)
{
	enum cut_rule rule = (enum cut_rule)f->c->segments[f->e->to].cut;

	add(t, "%s did this right after what it did before; %s: it %s (rule \"%s\")", f->to,
	    edge_strength_name(f->e->strength), cut_words(rule), cut_rule_name(rule));
	if (f->e->flags & EDGE_ALIKE)
		add(t, ", but their stacks are alike");
}

static void explain_interrupt(const struct facts *f, struct text *t)
{
	add(t,
	    "an interrupt (%s) woke %s; weak: it came from a device or the network, not from the task that was on the CPU",
	    describe_context(ct_wake_context(&f->event->r)), f->to);
}

static void explain_plain(const struct facts *f, struct text *t)
{
	const char *from = f->from, *to = f->to, *obj = f->object;

	switch ((enum edge_kind)f->e->kind) {
	case EDGE_EXIT:
		add(t, "%s ended, which %s was told of: as its parent, or by joining it", from, to);
		break;
	case EDGE_FORK:
		add(t, "%s made %s", from, to);
		break;
	case EDGE_VFORK:
		add(t, "%s ran another program or ended, for which its parent %s was waiting (vfork)", from,
		    to);
		break;
	case EDGE_EXEC:
		add(t, "%s became another program by exec: %s", from, to);
		break;
	case EDGE_LOCK:
		add(t,
		    "%s let go of the lock %s, which %s was waiting for; weak: whoever lets go of a mutex need not have caused the work of the next",
		    from, obj, to);
		break;
	case EDGE_FILELOCK:
		add(t, "%s unlocked %s, which %s was waiting to lock", from, obj, to);
		break;
	case EDGE_LOCK_ORDER:
		add(t,
		    "%s unlocked %s, and %s was the next to lock it; weak: it did not wait, the order may be chance",
		    from, obj, to);
		break;
	case EDGE_FUSE:
		add(t, "%s passed a request of a FUSE file system, or its answer, to %s", from, to);
		break;
	case EDGE_KERNEL_LOCK:
		add(t,
		    "%s woke %s from an uninterruptible sleep; weak: whoever lets go of a lock inside the kernel need not have caused the work of the next",
		    from, to);
		break;
	case EDGE_STOP:
		add(t, "%s let %s go on, which was stopped, traced or frozen", from, to);
		break;
	case EDGE_FLAG:
		add(t,
		    f->e->strength == EDGE_STRONG
			    ? "%s wrote %s, and %s was the next to see it"
			    : "%s wrote %s, and %s was the next to change it; weak: it need not have looked",
		    from, obj, to);
		break;
	case EDGE_JOB:
		add(t, "%s queued the job that %s started: the same job of the same process", from, to);
		break;
	case EDGE_ANSWER:
		if (f->e->flags & EDGE_MANY)
			add(t,
			    "%s took a request on %s, and %s sent an answer there; weak: several were waiting for one, and which it was for is not known",
			    from, obj, to);
		else
			add(t,
			    "%s took the request on %s to which %s sent the answer: the order on that connection",
			    from, obj, to);
		break;
	case EDGE_TIMER:
		add(t, "a timer woke %s; weak: no task did it", to);
		break;
	case EDGE_WAKE:
	case EDGE_POST:
	case EDGE_MESSAGE:
	case EDGE_PIPE:
	case EDGE_EVENTFD:
	case EDGE_SIGNAL:
	case EDGE_IRQ:
	case EDGE_POLLED:
	case EDGE_OWNER:
	case EDGE_CPU:
	case EDGE_DISK:
	case EDGE_NEIGHBOUR:
		break; /* explain() handles these kinds, or they occur only in a diagnosis */
	}
}

static void explain(const struct facts *f, struct text *t)
{
	switch ((enum edge_kind)f->e->kind) {
	case EDGE_WAKE:
		explain_wake(f, t);
		break;
	case EDGE_MESSAGE:
		explain_message(f, t);
		break;
	case EDGE_PIPE:
	case EDGE_EVENTFD:
		explain_channel(f, t);
		break;
	case EDGE_POST:
		explain_post(f, t);
		break;
	case EDGE_SIGNAL:
		explain_signal(f, t);
		break;
	case EDGE_NEIGHBOUR:
		explain_neighbour(f, t);
		break;
	case EDGE_IRQ:
		explain_interrupt(f, t);
		break;
	case EDGE_LOCK:
	case EDGE_EXIT:
	case EDGE_FORK:
	case EDGE_FILELOCK:
	case EDGE_TIMER:
	case EDGE_FUSE:
	case EDGE_KERNEL_LOCK:
	case EDGE_VFORK:
	case EDGE_POLLED:
	case EDGE_OWNER:
	case EDGE_CPU:
	case EDGE_STOP:
	case EDGE_DISK:
	case EDGE_FLAG:
	case EDGE_JOB:
	case EDGE_ANSWER:
	case EDGE_EXEC:
	case EDGE_LOCK_ORDER:
		explain_plain(f, t);
		break;
	}
	if (f->e->flags & EDGE_FALSE_WAKE)
		add(t, "; weak: %s did nothing, and went back to sleep on the same object", f->to);
}

/* An exec changes the name of a task. Returns the time at which to look up the name of the task of the
 * cause. For the edge of an exec, this time is before the exec, so it gives the name of the old
 * program. */
static uint64_t left_as_ns(const struct causal *c, const struct edge *e)
{
	if (e->kind == EDGE_EXEC && e->from != GRAPH_NONE)
		return c->segments[e->from].from_ns;
	return edge_left_ns(c, e);
}

size_t edge_explain_on(const struct causal *c, const struct edge *e, const char *object, char *buf,
		       size_t size)
{
	const struct window_event *events = c->g->w->events;
	struct facts f = { .c = c,
			   .e = e,
			   .object = *object ? object : "something unknown",
			   .cause = e->cause == GRAPH_NONE ? NULL : &events[e->cause],
			   .event = e->event == GRAPH_NONE ? NULL : &events[e->event] };
	struct text t = { .buf = buf, .size = size };

	f.wait = causal_wait_ended(c, e);
	name(c, e->from, left_as_ns(c, e), f.from, sizeof(f.from));
	name(c, e->to, edge_arrived_ns(c, e), f.to, sizeof(f.to));
	if (size)
		buf[0] = 0;
	explain(&f, &t);
	return t.len;
}

size_t edge_explain(const struct causal *c, const struct edge *e, char *buf, size_t size)
{
	char object[DESCRIBE_MAX];

	describe_object(c->g->w, edge_object(c, e), object, sizeof(object));
	return edge_explain_on(c, e, object, buf, size);
}
