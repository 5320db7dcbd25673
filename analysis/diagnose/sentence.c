// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/diagnose/sentence_private.h"

#include <sys/wait.h>

#include "analysis/contention/cpu_words.h"
#include "analysis/contention/pool.h"
#include "analysis/diagnose/chain.h"
#include "analysis/diagnose/where.h"
#include "analysis/thresholds.h"
#include "lib/cleanup.h"
#include "trace/words/cmdline.h"
#include "trace/words/texts.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"

#define SENTENCE_CMDLINE 40
/* tasks: so many of the tasks that could end a wait have their names in the sentence */
#define RIVALS_NAMED 3

void sentence_task(struct words *t, const struct link *k)
{
	char comm[64];

	describe_clean(k->comm, comm, sizeof(comm));
	if (k->pid == k->tid)
		words_add(t, "%s[%u]", comm, k->tid);
	else
		words_add(t, "%s[%u, a thread of %u]", comm, k->tid, k->pid);
}

static void say_task_there(struct words *t, const struct sentence_facts *f, size_t i,
			   const struct link *before)
{
	const struct link *k = &f->chain[i];
	char buf[CGROUP_NAME_WORDS_MAX], cmdline[CMDLINE_SHORT_MAX];

	sentence_task(t, k);
	if (!before || before->pid != k->pid)
		words_add(t, "%s",
			  cmdline_short(graph_cmdline(f->g, k->task, k->to_ns), k->comm, SENTENCE_CMDLINE,
					cmdline));
	words_add(t, "%s", where_words(f->g, f->chain, f->n_chain, i, before, buf));
}

const char *sentence_own_frame(const struct graph *g, uint64_t stack)
{
	const struct window_stack *s = stack ? window_stack(g->w, stack) : NULL;

	for (int i = 0; s && i < s->n_frames; i++)
		if (!frame_is_kernel(s->frames[i]) && !frame_is_address(s->frames[i]) &&
		    !frame_is_libc(s->frames[i]))
			return s->frames[i];
	return NULL;
}

void sentence_where(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	const char *frame = sentence_own_frame(f->g, k->stack);
	size_t n = frame ? frame_function_len(frame) : 0;

	if (n && frame[n])
		words_add(t, " in %.*s()", (int)n, frame);
}

void sentence_resource(struct words *t, const struct link *k)
{
	if (k->resource && k->resource[0])
		words_add(t, " (%s)", k->resource);
}

bool sentence_has_frame(const struct sentence_facts *f, const struct link *k, bool (*is)(const char *frame))
{
	const struct window_stack *s = k->stack ? window_stack(f->g->w, k->stack) : NULL;

	for (int i = 0; s && i < s->n_frames; i++)
		if (is(s->frames[i]))
			return true;
	return false;
}

bool sentence_tells_pool(const struct link *k)
{
	return k->pool && k[1].pid == k[1].tid;
}

/* what: the connection for which the task of link k waits */
static void say_queued(struct words *t, const struct sentence_facts *f, const struct link *k,
		       const char *what)
{
	bool asks = k->wait == CT_W_CONNECT || k->wait == CT_W_WRITE;

	words_add(t,
		  k->wait == CT_W_CONNECT ? "to connect to %s"
		  : k->wait == CT_W_WRITE ? "to write to %s"
		  : k->unaccepted         ? "for %s to be accepted"
					  : "for data on %s",
		  what);
	if (!sentence_tells_pool(k)) {
		words_add(t, asks ? ", to be accepted by " : " by ");
		return;
	}
	words_add(t, "; ");
	pool_words(f->g, k->pool, k->pool_pid, k->to_ns, t);
	words_add(t, ": ");
}

/* Returns true if the task of the next link waits for the same lock as that of link k. */
static bool is_behind(const struct link *k)
{
	return k->obj && k[1].obj == k->obj && k[1].wait == k->wait && k[1].state == LINK_WAITING;
}

/* The next link is the owner of the lock, or waits for the lock itself. */
static void say_holder(struct words *t, const struct link *k, const char *holds)
{
	words_add(t, "%s", is_behind(k) ? " behind " : holds);
}

/* Adds the words between the verb ("waited ") and the next task, such as "for a mutex held by ". */
static void say_wait(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	bool named = (k->resource && k->resource[0]) || k->kind != RESOURCE_UNKNOWN;
	const char *what;

	if (k->kind == RESOURCE_DATABASE_LOCK) {
		words_add(t, "for a lock of the database held by ");
		return;
	}
	if (k->kind == RESOURCE_STANDBY) {
		words_add(t, "for a standby to confirm the log that it gets from ");
		return;
	}
	if (k->kind == RESOURCE_CHECKPOINT) {
		words_add(t, "for a checkpoint by ");
		return;
	}
	if (k->kind == RESOURCE_ARCHIVE) {
		words_add(t, "for the log to be archived by ");
		return;
	}
	if (k->kind == RESOURCE_JAVA_LOCK) {
		words_add(t, "for a Java lock held by ");
		return;
	}
	if (k->kind == RESOURCE_JAVA_TASK) {
		words_add(t, "for the result of a Java task run by ");
		return;
	}
	if (k->kind == RESOURCE_LOCK) {
		words_add(t, "for a lock");
		sentence_resource(t, k);
		say_holder(t, k, " perhaps held by ");
		return;
	}
	if (k->kind == RESOURCE_FUSE) {
		words_add(t, "for the FUSE file system");
		sentence_resource(t, k);
		words_add(t, " served by ");
		return;
	}
	if (k->wait == CT_W_SYSVIPC && k->edge == EDGE_OWNER) {
		words_add(t, k->kind == RESOURCE_SEMAPHORE ? "for a semaphore perhaps taken by "
							   : "for a message queue perhaps served by ");
		return;
	}
	if (k->wait == CT_W_SLEEP && (k->edge == EDGE_SIGNAL || k->edge == EDGE_PIPE)) {
		words_add(t, "for something that it had asked of ");
		return;
	}
	switch (k->edge) {
	case EDGE_LOCK:
		words_add(t, "for a mutex");
		sentence_resource(t, k);
		say_holder(t, k,
			   k->strength != EDGE_STRONG && k->unfinished ? " perhaps held by " : " held by ");
		return;
	case EDGE_FILELOCK:
		words_add(t, "for a file lock");
		sentence_resource(t, k);
		say_holder(t, k, " held by ");
		return;
	case EDGE_POLLED:
		words_add(t, k->waits > 1 ? "trying again and again for a file lock"
					  : "after it had tried to get a file lock");
		sentence_resource(t, k);
		words_add(t, " held by ");
		return;
	case EDGE_POST:
		if (sentence_has_frame(f, k, frame_is_java_monitor)) {
			words_add(t, "for a Java monitor that was released by ");
			return;
		}
		words_add(t, "on a futex to be signalled by ");
		return;
	case EDGE_EXIT:
		words_add(t, k->wait == CT_W_CHILD || k->wait == CT_W_SIGNAL || k->kind == RESOURCE_CHILD
				     ? "for its child "
				     : "for the end of ");
		return;
	case EDGE_FORK:
		words_add(t, "to be started by ");
		return;
	case EDGE_VFORK:
		words_add(t, "for its vfork child ");
		return;
	case EDGE_SIGNAL:
		words_add(t, "for a signal from ");
		return;
	case EDGE_STOP:
		words_add(t, "to be continued by its tracer ");
		return;
	case EDGE_KERNEL_LOCK:
		words_add(t, chain_awaits_thaw(f->g, k) ? "for its frozen file system, which was thawed by "
			     : chain_holds_no_kernel_lock(f->g, k + 1)
				     ? "for a lock in the kernel that was released last by "
				     : "for a lock in the kernel held by ");
		return;
	case EDGE_DISK:
		words_add(t, "for the disk");
		sentence_resource(t, k);
		words_add(t, ", perhaps because of ");
		return;
	case EDGE_CPU:
		words_add(t, f->cpu->ns > cpu_words_unknown_ns(f->cpu)
				     ? "for a CPU that was taken longest by "
				     : "for a CPU that was taken for a part of the time by ");
		return;
	case EDGE_FLAG:
		words_add(t, "for %s", CT_OBJ_KIND(k->obj) == CT_OBJ_DATA ? k->resource : "a flag in memory");
		words_add(t, k->strength == EDGE_WEAK ? ", perhaps set by " : ", which is set by ");
		return;
	case EDGE_MESSAGE:
	case EDGE_PIPE:
	case EDGE_EVENTFD:
	case EDGE_WAKE:
	case EDGE_TIMER:
	case EDGE_IRQ:
	case EDGE_JOB:
	case EDGE_ANSWER:
	case EDGE_NEIGHBOUR:
	case EDGE_EXEC:
	case EDGE_LOCK_ORDER:
	case EDGE_OWNER:
	case EDGE_FUSE:
		break;
	}
	what = !named                          ? "something"
	       : k->resource && k->resource[0] ? k->resource
					       : resource_kind_word(k->kind);
	if (k->wait == CT_W_CONNECT || k->unaccepted || sentence_tells_pool(k))
		say_queued(t, f, k, what);
	else if (k->wait == CT_W_WRITE || k->room)
		words_add(t, "to write to %s, which is to be emptied by ", what);
	else if (k->edge == EDGE_EVENTFD ||
		 (k->wait == CT_W_FUTEX && (!k->obj || CT_OBJ_KIND(k->obj) == CT_OBJ_FUTEX)))
		words_add(t, "on %s to be signalled by ", what);
	else if (k->edge == EDGE_MESSAGE || k->edge == EDGE_PIPE || (k->edge == EDGE_OWNER && named))
		words_add(t, "for data on %s from ", what);
	else
		words_add(t, "for %s from ", what);
}

char *sentence_root(const struct sentence_facts *f)
{
	struct words t = { 0 };

	say_task_there(&t, f, f->n_chain - 1, NULL);
	words_add(&t, " ");
	sentence_last(&t, f, true);
	return words_take(&t);
}

static bool sound_alike(uint64_t a_ns, uint64_t b_ns)
{
	struct words a = { 0 }, b = { 0 };
	_cleanup_free_ char *x = NULL, *y = NULL;

	words_duration(&a, a_ns);
	words_duration(&b, b_ns);
	x = words_take(&a);
	y = words_take(&b);
	return x && y && !texts_order(x, y);
}

static const char *end_words(const struct sentence_facts *f, const struct link *k)
{
	return WTERMSIG(f->g->tasks[k->task].exit_code) ? "until it was killed" : "until its process ended";
}

/* Says how long the task of the first link waited, and how much of this was before the window. */
static void say_length(struct words *t, const struct link *k, uint64_t ns, const char *open,
		       const char *close)
{
	if (k->before_ns) {
		words_add(t, "at least ");
		words_duration(t, k->before_ns + ns);
		words_add(t, "%s", open);
	}
	words_duration(t, ns);
	if (k->before_ns)
		words_add(t, " of it in the window%s", close);
}

/* Leaves out a time that the sentence has just said. */
static void say_total(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	if (f->cpu && sound_alike(k->runnable_ns, k->total_ns))
		return;
	if (k->kind == RESOURCE_TIMER && k->wait != CT_W_SLEEP &&
	    sound_alike(sentence_timed_ns(f, k), k->total_ns))
		return;
	words_add(t, " (");
	say_length(t, k, k->total_ns, ", ", "");
	if (k->killed)
		words_add(t, ", %s", end_words(f, k));
	words_add(t, ")");
}

static void say_waited(struct words *t, const struct sentence_facts *f)
{
	const struct link *k = &f->chain[0];

	if (f->cause != CAUSE_CHATTY) {
		say_length(t, k, k->edge == EDGE_CPU ? k->runnable_ns : k->total_ns, " (", ")");
		return;
	}
	words_duration(t, k->total_ns);
	words_add(t, " in %u short waits (of ", k->waits);
	words_duration(t, k->total_ns / k->waits);
	words_add(t, " on average)");
}

/* Says how long the task of link k ran, if this may explain as much as its wait for a CPU. */
static void say_ran(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	if (k->edge != EDGE_CPU || !f->work_or_cpu)
		return;
	words_add(t, "ran for ");
	words_duration(t, k->running_ns);
	words_add(t, ", and ");
}

static void say_first(struct words *t, const struct sentence_facts *f)
{
	const struct link *k = &f->chain[0];

	say_task_there(t, f, 0, NULL);
	if (f->n_chain == 1) {
		words_add(t, " ");
		sentence_last(t, f, false);
		say_total(t, f, k);
		return;
	}
	words_add(t, " ");
	say_ran(t, f, k);
	words_add(t, k->edge == EDGE_POLLED ? "spent "
		     : k->edge == EDGE_FLAG ? (k->wait == CT_W_SLEEP ? "polled " : "spun ")
					    : "waited ");
	say_waited(t, f);
	if (k->killed)
		words_add(t, " (%s)", end_words(f, k));
	words_add(t, " ");
	say_wait(t, f, k);
}

/* The sentence tells each link of a chain with at most this many links. For longer chains:
 * say_long(). */
#define SENTENCE_LINKS 4
#define SENTENCE_NAMES 4

static void say_between(struct words *t, const struct sentence_facts *f)
{
	size_t n = f->n_chain - 2, named = n > SENTENCE_NAMES ? SENTENCE_NAMES - 1 : n;

	words_add(t, ", by way of ");
	for (size_t i = 1; i <= named; i++) {
		words_add(t, i == 1 ? "" : i == n ? " and " : ", ");
		sentence_task(t, &f->chain[i]);
	}
	if (named < n)
		words_add(t, " and %zu others", n - named);
}

/* The last task explains only the part of the wait in the window. */
static void say_long(struct words *t, const struct sentence_facts *f)
{
	const struct link *k = &f->chain[0];

	say_task_there(t, f, 0, NULL);
	words_add(t, " waited ");
	if (k->before_ns)
		words_duration(t, k->edge == EDGE_CPU ? k->runnable_ns : k->total_ns);
	else
		say_waited(t, f);
	words_add(t, " because of ");
	say_task_there(t, f, f->n_chain - 1, &f->chain[0]);
	words_add(t, ", which ");
	sentence_last(t, f, true);
	say_between(t, f);
	if (sentence_tells_pool(k)) {
		words_add(t, "; ");
		pool_words(f->g, k->pool, k->pool_pid, k->to_ns, t);
	}
	if (k->before_ns) {
		words_add(t, "; the whole wait of ");
		sentence_task(t, k);
		words_add(t, " is at least ");
		words_duration(t, k->before_ns + k->total_ns);
	}
}

static void say_links(struct words *t, const struct sentence_facts *f)
{
	say_first(t, f);
	for (size_t i = 1; i < f->n_chain; i++) {
		const struct link *k = &f->chain[i];
		const char *which = sentence_tells_pool(k - 1) ? " " : ", which ";

		say_task_there(t, f, i, k - 1);
		words_add(t, "%s", which);
		if (i + 1 < f->n_chain) {
			say_ran(t, f, k);
			words_add(t, k->edge == EDGE_FLAG ? "was spinning " : "waited ");
			if (k->edge == EDGE_CPU) {
				words_duration(t, k->runnable_ns);
				words_add(t, " ");
			}
			say_wait(t, f, k);
		} else {
			sentence_last(t, f, false);
		}
	}
}

/* A database knows the owners of its locks. */
static void say_how_to_ask(struct words *t, const struct sentence_facts *f)
{
	const struct link *k = &f->chain[f->n_chain - 1];

	if (f->cause != CAUSE_LOCK_HOLDER)
		return;
	if (k->kind == RESOURCE_DATABASE_LOCK && f->leaf->ownerless)
		words_add(t, " To see the prepared transactions: SELECT * FROM pg_prepared_xacts.");
	else if (k->kind == RESOURCE_DATABASE_LOCK && graph_place(f->g, k->task, k->to_ns - 1).container[0])
		words_add(t, " To see the owner while it waits: SELECT pid, pg_blocking_pids(pid) FROM "
			     "pg_stat_activity WHERE wait_event_type = 'Lock'.");
	else if (k->kind == RESOURCE_DATABASE_LOCK)
		words_add(t, " To see the owner while it waits: SELECT pg_blocking_pids(%u).", k->pid);
	else if (k->kind == RESOURCE_LOCK && sentence_has_frame(f, k, frame_is_metadata_lock))
		words_add(
			t,
			" To see the owner while it waits: SELECT * FROM performance_schema.metadata_locks.");
	else if (k->kind == RESOURCE_LOCK && sentence_has_frame(f, k, frame_is_innodb_lock))
		words_add(t, " To see the owner while it waits: SHOW ENGINE INNODB STATUS.");
}

/* " A[1], B[2] or 3 others could end this wait, but no record tells which." */
static void say_rivals(struct words *t, const struct sentence_facts *f)
{
	size_t n = f->rivals->n, named = n <= RIVALS_NAMED ? n : RIVALS_NAMED - 1;
	uint64_t at_ns = f->chain[f->n_chain - 1].to_ns;
	char comm[64];

	for (size_t i = 0; i < named; i++) {
		describe_clean(graph_comm(f->g, f->rivals->v[i], at_ns), comm, sizeof(comm));
		words_add(t, "%s%s[%u]",
			  !i          ? " "
			  : i + 1 < n ? ", "
				      : " or ",
			  comm, f->g->tasks[f->rivals->v[i]].tid);
	}
	if (n == ENDERS_MAX)
		words_add(t, " or others");
	else if (named < n)
		words_add(t, " or %zu others", n - named);
	words_add(t,
		  f->leaf->request.since_ns ? " may keep the request waiting, but no record tells%s."
					    : " could end this wait, but no record tells%s.",
		  n > 1 ? " which" : " whether it does");
}

char *sentence_whole(const struct sentence_facts *f)
{
	struct words t = { 0 };

	if (f->n_chain == 1 && (f->left_out || f->chain[0].state == LINK_UNKNOWN))
		words_add(&t, "Nothing can be said: ");
	else if (f->verdict == VERDICT_NORMAL)
		words_add(&t, f->stall_ns >= DIAGNOSE_STALL_NS && f->chain[0].state != LINK_FOLDED
				      ? "Nothing is wrong: "
				      : "Nothing stands out: ");
	if (f->n_chain > SENTENCE_LINKS)
		say_long(&t, f);
	else
		say_links(&t, f);
	words_add(&t, f->strong ? "." : " (partly inferred).");
	if (f->rivals->n)
		say_rivals(&t, f);
	if (f->against)
		words_add(&t, " %s", f->against);
	if (f->coarse_ns) {
		words_add(&t, " For ");
		words_duration(&t, f->coarse_ns);
		words_add(&t, " of this time ctrace recorded only waits of 8 ms or more, to keep within its "
			      "budget.");
	}
	say_how_to_ask(&t, f);
	if (f->watch)
		words_add(&t, " To see who sets it while it runs: %s", f->watch);
	return words_take(&t);
}
