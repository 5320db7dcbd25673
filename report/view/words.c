// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/words.h"

#include <signal.h>

#include "report/analysis.h"
#include "report/plain.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

bool view_is_stopped(const struct graph *g, uint32_t interval)
{
	return interval != GRAPH_NONE && g->intervals[interval].state == INTERVAL_BLOCKED &&
	       g->intervals[interval].wait == CT_W_STOPPED;
}

const char *view_time_words(enum time_kind time, bool stopped)
{
	return stopped && time == TIME_UNKNOWN ? "is stopped" : plain_time(time);
}

static const char *exit_words(enum resource_kind resource)
{
	switch (resource) {
	case RESOURCE_CHILD:
	case RESOURCE_SIGNAL:
		return "the end of its child";
	case RESOURCE_FUTEX:
	case RESOURCE_JAVA_LOCK:
	case RESOURCE_JAVA_TASK:
	case RESOURCE_LOCK:
		return "the end of the thread";
	case RESOURCE_NONE:
	case RESOURCE_ARCHIVE:
	case RESOURCE_CHECKPOINT:
	case RESOURCE_CPU:
	case RESOURCE_DATA_FLAG:
	case RESOURCE_DATABASE_LOCK:
	case RESOURCE_DISK:
	case RESOURCE_EVENTFD:
	case RESOURCE_FILE_LOCK:
	case RESOURCE_FUSE:
	case RESOURCE_INPUT:
	case RESOURCE_KERNEL_LOCK:
	case RESOURCE_MEMORY:
	case RESOURCE_NETWORK_FS:
	case RESOURCE_PIPE:
	case RESOURCE_QUEUE:
	case RESOURCE_SEMAPHORE:
	case RESOURCE_STANDBY:
	case RESOURCE_TCP:
	case RESOURCE_TIMER:
	case RESOURCE_UDP:
	case RESOURCE_UNIX:
	case RESOURCE_UNKNOWN:
	case RESOURCE_KINDS:
		break;
	}
	return "the end of the task";
}

static const char *owner_words(enum resource_kind resource)
{
	switch (resource) {
	case RESOURCE_CHILD:
		return "its child";
	case RESOURCE_DATABASE_LOCK:
	case RESOURCE_FILE_LOCK:
	case RESOURCE_KERNEL_LOCK:
	case RESOURCE_JAVA_LOCK:
	case RESOURCE_LOCK:
		return "the owner of the lock";
	case RESOURCE_EVENTFD:
		return "a task that writes to the eventfd";
	case RESOURCE_FUSE:
	case RESOURCE_NETWORK_FS:
		return "the server of the file system";
	case RESOURCE_FUTEX:
		return "a task that can wake the waiters on the futex";
	case RESOURCE_INPUT:
		return "the other end of the terminal";
	case RESOURCE_PIPE:
		return "the other end of the pipe";
	case RESOURCE_QUEUE:
		return "a task that uses the queue";
	case RESOURCE_SEMAPHORE:
		return "a task that can raise the semaphore";
	case RESOURCE_TCP:
	case RESOURCE_UDP:
	case RESOURCE_UNIX:
		return "the other end of the connection";
	case RESOURCE_NONE:
	case RESOURCE_ARCHIVE:
	case RESOURCE_CHECKPOINT:
	case RESOURCE_CPU:
	case RESOURCE_DATA_FLAG:
	case RESOURCE_DISK:
	case RESOURCE_JAVA_TASK:
	case RESOURCE_MEMORY:
	case RESOURCE_SIGNAL:
	case RESOURCE_STANDBY:
	case RESOURCE_TIMER:
	case RESOURCE_UNKNOWN:
	case RESOURCE_KINDS:
		break;
	}
	return "a task that can end the wait";
}

static const char *owner_clause(enum resource_kind resource)
{
	switch (resource) {
	case RESOURCE_CHILD:
		return "is its child";
	case RESOURCE_DATABASE_LOCK:
	case RESOURCE_FILE_LOCK:
	case RESOURCE_KERNEL_LOCK:
	case RESOURCE_JAVA_LOCK:
	case RESOURCE_LOCK:
		return "owned the lock";
	case RESOURCE_EVENTFD:
		return "writes to the eventfd";
	case RESOURCE_FUSE:
	case RESOURCE_NETWORK_FS:
		return "serves the file system";
	case RESOURCE_FUTEX:
		return "can wake the waiters on the futex";
	case RESOURCE_INPUT:
		return "has the other end of the terminal";
	case RESOURCE_PIPE:
		return "has the other end of the pipe";
	case RESOURCE_QUEUE:
		return "uses the queue";
	case RESOURCE_SEMAPHORE:
		return "can raise the semaphore";
	case RESOURCE_TCP:
	case RESOURCE_UDP:
	case RESOURCE_UNIX:
		return "has the other end of the connection";
	case RESOURCE_NONE:
	case RESOURCE_ARCHIVE:
	case RESOURCE_CHECKPOINT:
	case RESOURCE_CPU:
	case RESOURCE_DATA_FLAG:
	case RESOURCE_DISK:
	case RESOURCE_JAVA_TASK:
	case RESOURCE_MEMORY:
	case RESOURCE_SIGNAL:
	case RESOURCE_STANDBY:
	case RESOURCE_TIMER:
	case RESOURCE_UNKNOWN:
	case RESOURCE_KINDS:
		break;
	}
	return "can end the wait";
}

/* If the wait is for a thing that only one task has: what the next task does with it, as a clause without its
 * subject. The edge only says how the thing came from one task to the other, such as by a signal. NULL:
 * other. */
static const char *has_clause(enum resource_kind resource)
{
	if (resource == RESOURCE_DATABASE_LOCK)
		return "had the lock of the database";
	if (resource == RESOURCE_JAVA_LOCK)
		return "had the Java lock";
	if (resource == RESOURCE_JAVA_TASK)
		return "runs the Java task";
	if (resource == RESOURCE_STANDBY)
		return "sends the log to the standby";
	if (resource == RESOURCE_ARCHIVE)
		return "archives the log";
	return resource == RESOURCE_CHECKPOINT ? "makes the checkpoint" : NULL;
}

/* The same as has_clause(), in words for a task. */
static const char *has_words(enum resource_kind resource)
{
	if (resource == RESOURCE_DATABASE_LOCK || resource == RESOURCE_JAVA_LOCK)
		return "the owner of the lock";
	if (resource == RESOURCE_JAVA_TASK)
		return "the thread that runs the task";
	if (resource == RESOURCE_STANDBY)
		return "the task that sends the log to the standby";
	if (resource == RESOURCE_ARCHIVE)
		return "the task that archives the log";
	return resource == RESOURCE_CHECKPOINT ? "the task that makes the checkpoint" : NULL;
}

/* What the next task is or did, as a clause without its subject. */
static const char *because_words(enum edge_kind edge, enum resource_kind resource)
{
	if (has_clause(resource))
		return has_clause(resource);
	switch (edge) {
	case EDGE_WAKE:
		return "made the wake-up";
	case EDGE_LOCK:
		return "had the lock";
	case EDGE_POST:
		return "made the wake-up on the futex";
	case EDGE_MESSAGE:
		return "has the other end of the connection";
	case EDGE_PIPE:
		return "has the other end of the pipe";
	case EDGE_EVENTFD:
		return "writes to the eventfd";
	case EDGE_EXIT:
		return resource == RESOURCE_CHILD || resource == RESOURCE_SIGNAL
			       ? "is its child, and had not ended"
			       : "had not ended";
	case EDGE_SIGNAL:
		return "sent the signal";
	case EDGE_FORK:
		return "started it";
	case EDGE_FILELOCK:
	case EDGE_POLLED:
		return "had the file lock";
	case EDGE_FUSE:
		return "serves the file system";
	case EDGE_KERNEL_LOCK:
		return "had a lock in the kernel";
	case EDGE_VFORK:
		return "is its vfork child";
	case EDGE_OWNER:
		return owner_clause(resource);
	case EDGE_CPU:
		return "had the CPU";
	case EDGE_STOP:
		return "stopped or traced it";
	case EDGE_DISK:
		return "used the same disk";
	case EDGE_FLAG:
		return "writes the variable in memory";
	case EDGE_JOB:
		return "has the job in its queue";
	case EDGE_ANSWER:
		return "gave the answer";
	case EDGE_TIMER:
	case EDGE_IRQ:
	case EDGE_NEIGHBOUR:
	case EDGE_EXEC:
	case EDGE_LOCK_ORDER:
		break;
	}
	return "comes before it";
}

const char *view_edge_words(enum edge_kind edge, enum resource_kind resource)
{
	if (has_words(resource))
		return has_words(resource);
	switch (edge) {
	case EDGE_WAKE:
		return "a wake-up";
	case EDGE_LOCK:
		return "the owner of the lock";
	case EDGE_POST:
		return "a post on the futex";
	case EDGE_MESSAGE:
		return "the other end of the connection";
	case EDGE_PIPE:
		return "the other end of the pipe";
	case EDGE_EVENTFD:
		return "the eventfd";
	case EDGE_EXIT:
		return exit_words(resource);
	case EDGE_SIGNAL:
		return "a signal";
	case EDGE_FORK:
		return "the start of the task";
	case EDGE_FILELOCK:
	case EDGE_POLLED:
		return "the owner of the file lock";
	case EDGE_TIMER:
		return "a timer";
	case EDGE_IRQ:
		return "an interrupt";
	case EDGE_FUSE:
		return "the server of the file system";
	case EDGE_KERNEL_LOCK:
		return "a lock in the kernel";
	case EDGE_VFORK:
		return "a vfork";
	case EDGE_OWNER:
		return owner_words(resource);
	case EDGE_CPU:
		return "the task that had the CPU";
	case EDGE_STOP:
		return "the task that stopped or traced it";
	case EDGE_DISK:
		return "a task that used the disk";
	case EDGE_FLAG:
		return "a variable in memory";
	case EDGE_JOB:
		return "a job in a queue";
	case EDGE_ANSWER:
		return "an answer";
	case EDGE_NEIGHBOUR:
		return "earlier work of the same task";
	case EDGE_EXEC:
		return "an exec";
	case EDGE_LOCK_ORDER:
		return "the order on the lock";
	}
	return "nothing known";
}

void view_add_because(struct words *t, const struct link *k, const struct link *next)
{
	bool ended = k->edge == EDGE_POST && k->strength == EDGE_STRONG && !k->unfinished;

	words_add(t, "%s[%u] %s%s", next->comm, next->tid, because_words(k->edge, k->kind),
		  !ended         ? ""
		  : k->waits > 1 ? " that ended the last of these waits"
				 : " that ended the wait");
}

const char *view_resource_words(enum resource_kind resource)
{
	switch (resource) {
	case RESOURCE_ARCHIVE:
		return "the archive of the database's log";
	case RESOURCE_CHECKPOINT:
		return "a checkpoint of the database";
	case RESOURCE_CHILD:
		return "its child";
	case RESOURCE_CPU:
		return "a CPU";
	case RESOURCE_DATA_FLAG:
		return "a change of a variable in memory";
	case RESOURCE_DATABASE_LOCK:
		return "a lock of the database";
	case RESOURCE_DISK:
		return "the disk";
	case RESOURCE_EVENTFD:
		return "a write to an eventfd";
	case RESOURCE_FILE_LOCK:
		return "a file lock";
	case RESOURCE_FUSE:
		return "a FUSE file system";
	case RESOURCE_FUTEX:
		return "a wake-up on a futex";
	case RESOURCE_INPUT:
		return "input";
	case RESOURCE_JAVA_LOCK:
		return "a Java lock";
	case RESOURCE_JAVA_TASK:
		return "a Java task";
	case RESOURCE_KERNEL_LOCK:
		return "a lock in the kernel";
	case RESOURCE_LOCK:
		return "a lock";
	case RESOURCE_NETWORK_FS:
		return "a network file system";
	case RESOURCE_MEMORY:
		return "memory";
	case RESOURCE_PIPE:
		return "a pipe";
	case RESOURCE_QUEUE:
		return "a queue";
	case RESOURCE_SEMAPHORE:
		return "a semaphore";
	case RESOURCE_SIGNAL:
		return "a signal";
	case RESOURCE_STANDBY:
		return "a standby of the database";
	case RESOURCE_TCP:
		return "a TCP connection";
	case RESOURCE_TIMER:
		return "its own time limit";
	case RESOURCE_UDP:
		return "a UDP socket";
	case RESOURCE_UNIX:
		return "a unix socket";
	case RESOURCE_NONE:
	case RESOURCE_UNKNOWN:
	case RESOURCE_KINDS:
		break;
	}
	return "something that is not known";
}

const char *view_doubt(enum edge_kind edge, bool open)
{
	switch (edge) {
	case EDGE_WAKE:
		return "The wake-up may be about another object than the wait.";
	case EDGE_POST:
		return "Several tasks post on this futex, or wait on it. No record tells which post is for which wait.";
	case EDGE_MESSAGE:
		return "No record shows that the awaited bytes came from this task.";
	case EDGE_PIPE:
	case EDGE_EVENTFD:
		return "No record shows that this task used the same object.";
	case EDGE_SIGNAL:
		return "The kernel sent the signal, not a task.";
	case EDGE_TIMER:
	case EDGE_IRQ:
		return "A timer or a device ended the wait, not a task.";
	case EDGE_OWNER:
		return open ? "No record shows that this task will end the wait."
			    : "No record shows that the wait was for this task.";
	case EDGE_EXIT:
	case EDGE_VFORK:
		return "Other tasks could end the wait too.";
	case EDGE_FORK:
	case EDGE_EXEC:
		return "The task was started later than the wait began.";
	case EDGE_CPU:
		return "No record shows that this task had the wanted CPU for more than half of the wait.";
	case EDGE_DISK:
		return "Other tasks may have used the same resource.";
	case EDGE_FLAG:
		return "No record shows that the waiting task read the variable.";
	case EDGE_LOCK:
	case EDGE_FILELOCK:
	case EDGE_POLLED:
	case EDGE_KERNEL_LOCK:
	case EDGE_LOCK_ORDER:
		return "The owner of the lock is not recorded for the whole wait.";
	case EDGE_FUSE:
	case EDGE_STOP:
	case EDGE_JOB:
	case EDGE_ANSWER:
	case EDGE_NEIGHBOUR:
		break;
	}
	return "The order of the records allows other explanations.";
}

void view_add_task(struct words *t, const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	words_add(t, "%s[%u]", graph_comm(g, task, ts_ns), g->tasks[task].tid);
}

static void add_call(struct words *t, enum ct_wait wait)
{
	if (wait == CT_W_FAULT)
		words_add(t, " (a page fault)");
	else if (wait != CT_W_OTHER)
		words_add(t, " (call: %s)", describe_wait(wait));
}

void view_add_interval(struct words *t, const struct graph *g, const struct interval *x, enum time_kind time,
		       const struct blame *b)
{
	char object[DESCRIBE_MAX] = "";

	if (x->state == INTERVAL_BLOCKED && x->wait == CT_W_KTHREAD && time == TIME_UNKNOWN)
		words_add(t, "kernel thread: waits");
	else if (x->state == INTERVAL_BLOCKED && x->wait != CT_W_STOPPED && time == TIME_UNKNOWN)
		words_add(t, "waits");
	else if (x->wait == CT_W_SLEEP && time == TIME_TIMER)
		words_add(t, "sleeps");
	else
		words_add(t, "%s", view_time_words(time, x->wait == CT_W_STOPPED));
	if (x->state == INTERVAL_RUNNING && x->cpu != FORMAT_CPU_NONE)
		words_add(t, " on CPU %u", x->cpu);
	if (!b)
		return;
	describe_object(g->w, b->obj ? b->obj : x->obj, object, sizeof(object));
	if (object[0])
		words_add(t, ": %s", object);
	if (x->wait && x->wait != CT_W_KTHREAD && x->wait != CT_W_STOPPED)
		add_call(t, (enum ct_wait)x->wait);
}

static void add_how(struct words *t, const struct blame *b, bool open)
{
	enum edge_kind edge = (enum edge_kind)b->edge;

	if (!edge)
		return;
	words_add(t, " Link: %s, ", view_edge_words(edge, b->kind));
	if (render_is_sure(edge, (enum edge_strength)b->strength))
		words_add(t, "certain.");
	else if (b->rivals && b->request.since_ns)
		words_add(t, "inferred. The request may wait for %u other task%s.", b->rivals,
			  b->rivals == 1 ? "" : "s");
	else if (b->rivals)
		words_add(t, "inferred. Each of %u tasks could have ended this wait.", b->rivals);
	else
		words_add(t, "inferred. %s", view_doubt(edge, open));
}

static bool is_open(const struct graph *g, const struct interval *x)
{
	return x && x->to_ns >= MIN(g->w->to_ns, g->w->file_to_ns);
}

static void add_unfinished(struct words *t, const struct graph *g, const struct interval *x)
{
	if (!is_open(g, x))
		words_add(t, "No record shows what ended the wait.");
	else if (g->w->to_ns < g->w->file_to_ns)
		words_add(t, "The wait lasts longer than the part of the trace that was read.");
	else
		words_add(t, "At the end of the trace, this task still waits.");
}

bool view_is_ended(const struct blame *b)
{
	return b->task != GRAPH_NONE && b->ended && !b->killed && !b->timed_out;
}

/* Adds which task stopped the blocked task, if the trace shows this. b->event: the signal that
 * stopped the blocked task, or the SIGCHLD that told a debugger of the stop. */
static void add_stopper(struct words *t, const struct graph *g, const struct blame *b)
{
	const struct window_event *e = &g->w->events[b->event];
	const char *signal = describe_signal(ct_signal_number(&e->r));
	uint32_t by = graph_task_at(g, e->r.tid, e->r.ts);

	/* SIGCHLD did not stop the task: it went to the debugger */
	if (ct_signal_number(&e->r) == SIGCHLD)
		return;
	if (e->r.flags & CT_GF_KERNEL)
		words_add(t, "The kernel");
	else if (by == GRAPH_NONE)
		words_add(t, "A task that is not known");
	else
		view_add_task(t, g, by, e->r.ts);
	words_add(t, " stopped it with SIG%s. ", signal ? signal : "STOP");
}

bool view_is_limited(const struct graph *g, const struct interval *x, const struct blame *b)
{
	return b->timed_out || (x->wait != CT_W_SLEEP && edge_is_timed_out(g, x));
}

static void add_named(struct words *t, const struct graph *g, const struct diagnosis *d,
		      const struct blame *b)
{
	for (size_t i = 0; i < d->n_chain; i++)
		if (d->chain[i].task == b->task) {
			words_add(t, "%s[%u]", d->chain[i].comm, d->chain[i].tid);
			return;
		}
	view_add_task(t, g, b->task, b->until_ns);
}

void view_add_end(struct words *t, const struct graph *g, const struct diagnosis *d, const struct interval *x,
		  const struct blame *b)
{
	bool limit = view_is_limited(g, x, b);

	if (b->edge == EDGE_STOP && b->task == GRAPH_NONE && b->event != GRAPH_NONE)
		add_stopper(t, g, b);
	if (b->killed)
		words_add(t, "A signal, or the end of the process, ended the wait.");
	else if (b->timed_out && b->ended && b->task != GRAPH_NONE)
		words_add(t,
			  "A timer or a time limit ended the wait, and the task waited for the same again.");
	else if (limit)
		words_add(t, "A timer or a time limit ended the wait.");
	else if (b->ended && b->edge == EDGE_TIMER)
		words_add(t, "A timer ended the wait.");
	else if (b->ended && b->task == GRAPH_NONE)
		words_add(t, b->edge == EDGE_IRQ ? "An interrupt ended the wait." : "The wait ended.");
	else if (!b->ended && b->edge == EDGE_POLLED && !is_open(g, x))
		words_add(t, "The task slept until its next try.");
	else if (!b->ended)
		add_unfinished(t, g, x);
	if (b->task == GRAPH_NONE)
		return;
	words_add(t, "%s", t->n ? " " : "");
	add_named(t, g, d, b);
	words_add(t, view_is_ended(b) && !limit   ? " ended the wait."
		     : b->timed_out && b->ended   ? " ended the last of these waits."
		     : !b->ended && is_open(g, x) ? " could end the wait."
						  : " could have ended the wait.");
	add_how(t, b, !b->ended && is_open(g, x));
}

/* Returns the wait in which the task of link k is when the time of this link ends, or NULL. */
static const struct interval *last_wait(const struct graph *g, const struct link *k)
{
	uint32_t i = graph_interval_at(g, k->task, k->to_ns - 1);

	return i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED ? &g->intervals[i] : NULL;
}

static void add_priorities(struct words *t, const struct graph *g, const struct link *k)
{
	unsigned waits = g->tasks[k->task].prio, runs = g->tasks[k[1].task].prio;

	if (waits != runs)
		words_add(
			t,
			" The waiting task had the %s priority (%u; the other task had %u; a smaller number is stronger).",
			waits < runs ? "stronger" : "weaker", waits, runs);
}

void view_add_notes(struct words *t, const struct graph *g, const struct diagnosis *d, size_t i)
{
	const struct link *k = &d->chain[i];
	bool open = k->unfinished && is_open(g, last_wait(g, k));

	if (!render_is_sure(k->edge, k->strength))
		words_add(t, " %s", view_doubt(k->edge, open));
	if (k->edge == EDGE_CPU && i + 1 < d->n_chain)
		add_priorities(t, g, k);
	if (k->wait == CT_W_WRITE && CT_OBJ_KIND(k->obj) == CT_OBJ_SOCK)
		words_add(t, open ? " The connection has no room for more bytes."
				  : " The connection had no room for more bytes.");
	else if (k->owed && k->wait != CT_W_WRITE && k->wait != CT_W_CONNECT)
		words_add(t, open ? " The task has sent a request there, and has no answer yet."
				  : " The task had sent a request there, and waited for the answer.");
	if (k->killed) {
		words_add(t, " A signal, or the end of the process, ended the wait.");
	} else if (k->unfinished && (k->edge != EDGE_POLLED || open)) {
		/* each sleep between two tries for a lock ends by itself */
		words_add(t, " ");
		add_unfinished(t, g, last_wait(g, k));
	}
}

void view_add_ended(struct words *t, const struct graph *g, const struct diagnosis *d, const struct blame *b)
{
	add_named(t, g, d, b);
	words_add(t, " ended the longest wait of the last link.");
	if (!render_is_sure((enum edge_kind)b->edge, (enum edge_strength)b->strength))
		add_how(t, b, false);
	if (b->task == d->writer.task && d->writer.tid) {
		words_add(t, " ");
		view_add_writer(t, d);
	} else if (d->chain[d->n_chain - 1].kind == RESOURCE_INPUT)
		words_add(
			t,
			" The chain does not go on to this task, because the wait is taken for a wait for input: see 'Where the chain could have gone another way'.");
	else
		words_add(t, " No record shows that the last task awaited this.");
}

void view_add_writer(struct words *t, const struct diagnosis *d)
{
	const struct link *last = &d->chain[d->n_chain - 1];
	const struct writer *w = &d->writer;

	if (!w->tid)
		return;
	words_add(t, "%s[%u] started %s[%u], and %swrites what it reads.", w->comm, w->tid, last->comm,
		  last->tid, render_is_sure(w->edge, w->strength) ? "" : "perhaps ");
	words_add(t, " So the wait counts as a wait for input, and the chain ends at %s[%u].", last->comm,
		  last->tid);
	words_add(t, " The critical path goes on to %s[%u], and says what %s[%u] did meanwhile.", w->comm,
		  w->tid, w->comm, w->tid);
}

const char *view_doubt_words(enum doubt doubt)
{
	switch (doubt) {
	case DOUBT_LINK:
		return "A link of the chain is inferred.";
	case DOUBT_OBJECT:
		return "To keep its budget, the daemon did not record the object for which the last task waits.";
	case DOUBT_IDLE:
		return "The last task seems to idle, but no record proves it.";
	case DOUBT_LEAF:
		return "The trace does not show which event or which task will end the wait of the last task.";
	case DOUBT_CPU:
		return "No single task had the CPU, or no record tells which one had it.";
	case DOUBT_CYCLE:
		return "The last task polls, and perhaps waits for other things too.";
	case DOUBT_CHOICE:
		return "The chain could go on in more than one way.";
	case DOUBT_END:
		return "The trace does not show what the last task did.";
	case DOUBT_COMPARISON:
		return "The cause rests on a comparison with another trace, or this comparison finds no single task that should have acted.";
	case DOUBT_POLLING:
		return "The last task sleeps again and again. The trace does not show what it looks at in between.";
	case DOUBT_UNKNOWN:
		return "For more than half of the window, the trace does not show the state of a task of the chain.";
	case DOUBT_ABSENCE:
		return "The cause rests on the absence of records, and records are missing in the window.";
	case DOUBT_WORK:
		return "A task waited for a CPU for longer than it ran. No record shows how long its work would have taken without this wait.";
	case DOUBTS:
		break;
	}
	return "";
}

/* The doubts about the end of the chain. */
#define END_DOUBTS                                                                                           \
	(1 << DOUBT_OBJECT | 1 << DOUBT_IDLE | 1 << DOUBT_LEAF | 1 << DOUBT_CPU | 1 << DOUBT_CYCLE |         \
	 1 << DOUBT_END | 1 << DOUBT_POLLING)

uint32_t view_end_doubts(const struct diagnosis *d)
{
	/* Choices are about the end of the chain if none of them is at a task of an earlier link. */
	for (size_t i = 0; i < d->n_choices; i++)
		for (size_t j = 0; j + 1 < d->n_chain; j++)
			if (!d->choices[i].settled && d->choices[i].task == d->chain[j].task)
				return END_DOUBTS;
	return END_DOUBTS | 1 << DOUBT_CHOICE;
}

bool view_is_doubted(const struct diagnosis *d, size_t i)
{
	bool last = i + 1 == d->n_chain, has_cpu = last && i && d->chain[i - 1].edge == EDGE_CPU;

	for (size_t j = 0; j < d->n_choices; j++)
		if (!d->choices[j].settled && d->choices[j].task == d->chain[i].task)
			return true;
	/* this doubt is about the work of a task, and not about the task that had its CPU */
	if (d->doubts & 1 << DOUBT_WORK && (last ? !has_cpu : d->chain[i].edge == EDGE_CPU))
		return true;
	return last && d->doubts & END_DOUBTS;
}

void view_add_choices(struct words *t, const struct diagnosis *d)
{
	words_add(t, "The chain could go on in more than one way: ");
	for (size_t i = 0, n = 0; i < d->n_choices; i++)
		if (!d->choices[i].settled)
			words_add(t, "%s%s", n++ ? "; " : "", d->choices[i].text);
	words_add(t, ".");
}

void view_add_lacks(struct words *t, uint32_t lacks)
{
	static const struct {
		uint32_t lack;
		const char *text;
	} table[] = {
		{ CT_LACK_PAUSES, "at times everything" },
		{ CT_LACK_SWITCHES, "runs, and waits shorter than 8 ms" },
		{ CT_LACK_MESSAGES, "messages" },
		{ CT_LACK_WAIT_OBJECTS, "objects of waits" },
		{ CT_LACK_WAKE_OBJECTS, "objects of wake-ups" },
		{ CT_LACK_CONTEXT, "kinds of interrupts" },
		{ CT_LACK_STACKS, "stacks" },
		{ CT_LACK_SAMPLES, "samples of long runs" },
	};
	const char *comma = "";

	words_add(t, "To keep its budget, the daemon left out: ");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (lacks & table[i].lack) {
			words_add(t, "%s%s", comma, table[i].text);
			comma = ", ";
		}
	words_add(t, ".");
}
