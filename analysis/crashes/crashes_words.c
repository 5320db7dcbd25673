// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <string.h>

#include "analysis/crashes/crashes_private.h"
#include "analysis/thresholds.h"
#include "ctrace/fields.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"
#include "trace/words/words.h"

const char *crash_code_words(const struct crash *c)
{
	static const struct {
		uint8_t signal;
		int32_t code;
		const char *words;
	} known[] = {
		{ SIGSEGV, SEGV_MAPERR, "no memory is mapped at the address" },
		{ SIGSEGV, SEGV_ACCERR, "the memory at the address does not allow the access" },
		/* on x86: an address that no process can have, or a forbidden instruction */
		{ SIGSEGV, SI_KERNEL, "the processor refused the instruction or its address" },
		{ SIGBUS, BUS_ADRALN, "the address is not aligned" },
		{ SIGBUS, BUS_ADRERR, "there is no memory or file content behind the address" },
		{ SIGFPE, FPE_INTDIV, "an integer was divided by zero, or the quotient is too large" },
		{ SIGFPE, FPE_INTOVF, "an integer overflowed" },
		{ SIGFPE, FPE_FLTDIV, "a number was divided by zero" },
		{ SIGILL, ILL_ILLOPN, "the instruction is not valid" },
		{ SIGILL, ILL_ILLOPC, "the instruction is not valid" },
		{ SIGSYS, 1, "a filter of system calls forbids the call" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].signal == c->signal && known[i].code == c->code)
			return known[i].words;
	return NULL;
}

static void add_task(struct words *t, const struct graph *g, uint32_t task, uint64_t ns)
{
	words_add(t, "%s[%u]", graph_comm(g, task, ns), g->tasks[task].tid);
}

static void add_signal(struct words *t, unsigned signal)
{
	const char *name = describe_signal(signal);

	if (name)
		words_add(t, "SIG%s", name);
	else
		words_add(t, "signal %u", signal);
}

static bool called_abort(const struct crashes *cs, const struct crash *c)
{
	const struct window_stack *s = c->stack ? window_stack(cs->g->w, c->stack) : NULL;

	for (uint16_t i = 0; s && i < s->n_frames; i++)
		if (frame_is_function(s->frames[i], "abort"))
			return true;
	return false;
}

static void add_reason(struct words *t, const struct crashes *cs, const struct crash *c)
{
	const struct graph *g = cs->g;
	const char *words = crash_code_words(c), *frame = crash_frame(cs, c);

	if (c->sender != GRAPH_NONE && g->tasks[c->sender].tgid != g->tasks[c->task].tgid) {
		words_add(t, ", sent by ");
		add_task(t, g, c->sender, g->w->events[c->sent].r.ts);
	} else if (c->sender != GRAPH_NONE) {
		words_add(t, called_abort(cs, c) ? " (it called abort())" : " (it sent the signal itself)");
	} else if (words) {
		words_add(t, " (%s)", words);
	} else if (c->sent != GRAPH_NONE && c->how == CRASH_KILLED) {
		words_add(t, ", sent by the kernel");
	}
	if (frame && !frame_is_address(frame))
		words_add(t, " in %.*s()", (int)frame_function_len(frame), frame);
}

/* Returns words such as "served". Before them, add_path() puts "while it", "which" or "and", and add_link()
 * may put "perhaps". After them, add_link() puts the task at the begin of the edge. */
static const char *link_words(const struct crashes *cs, const struct edge *e)
{
	uint64_t object = edge_object(cs->c, e);

	switch ((enum edge_kind)e->kind) {
	case EDGE_MESSAGE:
		return object && graph_is_accepted(cs->g, object) ? "served" : "worked on a message of";
	case EDGE_PIPE:
		return "worked on what came through a pipe from";
	case EDGE_JOB:
	case EDGE_POST:
	case EDGE_EVENTFD:
		return "worked on a job of";
	case EDGE_FORK:
	case EDGE_VFORK:
		return "was started by";
	case EDGE_SIGNAL:
		return "acted on a signal of";
	case EDGE_EXIT:
		return "acted on the end of";
	case EDGE_ANSWER:
		return "worked on the answer of";
	case EDGE_WAKE:
	case EDGE_LOCK:
	case EDGE_FILELOCK:
	case EDGE_TIMER:
	case EDGE_IRQ:
	case EDGE_FUSE:
	case EDGE_KERNEL_LOCK:
	case EDGE_POLLED:
	case EDGE_OWNER:
	case EDGE_CPU:
	case EDGE_STOP:
	case EDGE_DISK:
	case EDGE_FLAG:
	case EDGE_NEIGHBOUR:
	case EDGE_EXEC:
	case EDGE_LOCK_ORDER:
		break;
	}
	return "went on after";
}

static void add_link(struct words *t, const struct crashes *cs, const struct slice_step *x)
{
	const struct edge *e = &cs->c->edges[x->edge];
	uint64_t object = edge_object(cs->c, e);
	char name[DESCRIBE_MAX] = "";

	words_add(t, "%s%s ", e->strength == EDGE_STRONG ? "" : "perhaps ", link_words(cs, e));
	add_task(t, cs->g, cs->c->segments[x->segment].task, x->at_ns);
	if (e->kind != EDGE_MESSAGE && e->kind != EDGE_PIPE)
		return;
	if (object)
		describe_object(cs->g->w, object, name, sizeof(name));
	if (*name)
		words_add(t, " (%s)", name);
}

static bool is_start(const struct slice_step *x, const struct crashes *cs)
{
	uint8_t kind = cs->c->edges[x->edge].kind;

	return kind == EDGE_FORK || kind == EDGE_VFORK;
}

static void add_path(struct words *t, const struct crashes *cs, const struct crash *c)
{
	const struct slice *s = c->path;
	uint32_t task = c->task;
	unsigned links = 0;
	size_t i;

	for (i = 1; s && i < s->n_steps; i++) {
		const struct slice_step *x = &s->steps[i];
		uint32_t from = cs->c->segments[x->segment].task;

		if (from == task)
			continue;
		if (links == CRASH_LINKS_SAID) {
			words_add(t, ", and so on");
			return;
		}
		words_add(t, links++ ? ", which " : is_start(x, cs) ? ", and " : ", while it ");
		add_link(t, cs, x);
		task = from;
	}
	if (s && s->end == SLICE_END_OUTSIDE && s->end_edge != GRAPH_NONE) {
		uint8_t kind = cs->c->edges[s->end_edge].kind;

		words_add(t, "%s",
			  kind == EDGE_TIMER     ? ", after a timer"
			  : kind == EDGE_MESSAGE ? ", after a message from another machine"
						 : ", after an interrupt");
	}
}

static void add_process(struct words *t, const struct crashes *cs, const struct crash *c)
{
	const struct graph_task *task = &cs->g->tasks[c->task];

	add_task(t, cs->g, c->task, c->at_ns - 1);
	if (task->tid != task->tgid && c->task_known)
		words_add(t, ", a thread of pid %u,", task->tgid);
}

char *crash_sentence(const struct crashes *cs, const struct crash *c)
{
	struct words t = { 0 };

	add_process(&t, cs, c);
	switch (c->how) {
	case CRASH_SIGNAL:
		words_add(&t, " crashed: ");
		add_signal(&t, c->signal);
		add_reason(&t, cs, c);
		add_path(&t, cs, c);
		break;
	case CRASH_KILLED:
		words_add(&t, " was ended by ");
		add_signal(&t, c->signal);
		add_reason(&t, cs, c);
		break;
	case CRASH_STATUS:
		words_add(&t, " ended with exit status %u", c->status);
		break;
	case CRASH_EXCEPTION:
		words_add(&t, " ended with exit status %u after %s", c->status,
			  c->is_error ? "a fatal error" : "an uncaught exception");
		add_path(&t, cs, c);
		break;
	case CRASH_THREAD:
		words_add(&t, " ended after an uncaught exception");
		add_path(&t, cs, c);
		break;
	case CRASH_HOWS:
		break;
	}
	words_add(&t, ".");
	return words_take(&t);
}
