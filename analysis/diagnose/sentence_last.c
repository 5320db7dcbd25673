// SPDX-License-Identifier: GPL-2.0-or-later
/* What the last task of a chain did. */
#include "analysis/diagnose/sentence_private.h"

#include <signal.h>

#include "analysis/contention/cpu_words.h"
#include "analysis/diagnose/breakdown.h"
#include "analysis/diagnose/chain.h"
#include "analysis/diagnose/root_cause.h"
#include "analysis/thresholds.h"
#include "graph/wake/nat.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"

static bool has_group(const struct graph *g, const struct link *k, char name[DESCRIBE_MAX])
{
	struct cgroup_name p = graph_place(g, k->task, k->to_ns - 1);

	describe_clean(p.cgroup, name, DESCRIBE_MAX);
	return p.cgroup[0] && p.cgroup[1]; /* "/" is the root control group */
}

/* Returns the limit of the task's control group that the daemon has read, or NULL. Writes the name of the
 * group. */
static const struct window_object *limit_of(const struct graph *g, const struct link *k, uint64_t id,
					    char name[DESCRIBE_MAX])
{
	const struct window_object *o = window_object(g->w, id);
	const struct graph_task *t = &g->tasks[k->task];

	/* another task may have had this tid before or after */
	if (!o || !o->name[0] || !o->x || o->ts_ns < t->born_ns || o->ts_ns > t->exit_ns)
		return NULL;
	describe_clean(o->name, name, DESCRIBE_MAX);
	return o;
}

static void say_memory(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	char name[DESCRIBE_MAX];
	const struct window_object *limit = limit_of(f->g, k, CT_OBJ_MEMORY_ID(k->tid), name);

	words_add(t, "was waiting for memory");
	sentence_where(t, f, k);
	if (sentence_has_frame(f, k, frame_is_out_of_memory)) {
		words_add(t, ", because its control group had no memory left");
	} else if (limit) {
		words_add(t, ", because its control group (%s) was over its limit of ", name);
		words_bytes(t, limit->x);
		words_add(t, " or the machine had too little");
	} else if (has_group(f->g, k, name)) {
		words_add(t,
			  ", because its control group (%s) was over its limit or the machine had too little",
			  name);
	} else {
		words_add(t, ", because the machine had too little");
	}
}

static bool has_limit(const struct sentence_facts *f, const struct link *k)
{
	uint32_t i = graph_interval_at(f->g, k->task, k->to_ns - 1);

	return i != GRAPH_NONE && f->g->intervals[i].flags & CT_SF_TIMEOUT;
}

/* Returns the wait of a task that waited once, until a timer ended it. GRAPH_NONE: other. */
static uint32_t timed_wait(const struct sentence_facts *f, const struct link *k)
{
	uint32_t i = graph_interval_at(f->g, k->task, k->to_ns - 1);

	return i != GRAPH_NONE && k->waits == 1 && breakdown_by_timer(f->g, i) ? i : GRAPH_NONE;
}

uint64_t sentence_timed_ns(const struct sentence_facts *f, const struct link *k)
{
	uint32_t i = timed_wait(f, k);

	return i == GRAPH_NONE ? 0 : f->g->intervals[i].to_ns - f->g->intervals[i].from_ns;
}

/* Returns true if a record shows the begin of the wait: the task ran until then. */
static bool has_begin(const struct graph *g, uint32_t wait)
{
	const struct interval *s = &g->intervals[wait];

	return wait > g->tasks[s->task].first_interval && s[-1].state == INTERVAL_RUNNING &&
	       s[-1].to_ns == s->from_ns;
}

/* A wait that a time limit may end. */
static void say_timer(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	uint32_t wait = timed_wait(f, k);
	bool sleeps = chain_sleeps_in_java(f->g, k);
	bool limit = wait != GRAPH_NONE && k->timeouts && !sleeps;
	bool exact = wait != GRAPH_NONE && has_begin(f->g, wait);

	if (sleeps)
		words_add(t, "was sleeping");
	else if (limit)
		words_add(t, "was waiting until its own time limit");
	else if (wait != GRAPH_NONE || CT_OBJ_KIND(k->obj) == CT_OBJ_TIMERFD)
		words_add(t, "was waiting for a timer");
	else
		words_add(t, k->wait == CT_W_FUTEX ? "was waiting for a wake-up or its own time limit"
			     : k->timeouts || has_limit(f, k)
				     ? "was waiting for a timer or its own time limit"
				     : "was waiting for a timer");
	if (wait == GRAPH_NONE)
		return;
	words_add(t, limit && exact ? " of "
		     : limit        ? ", for at least "
		     : exact        ? " for "
				    : " for at least ");
	words_duration(t, sentence_timed_ns(f, k));
}

/* A terminal only passes on what a person types, so only the writer of a pipe is named. */
static void say_writer(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	char comm[64];

	if (!f->writer->tid || CT_OBJ_KIND(k->obj) != CT_OBJ_PIPE)
		return;
	describe_clean(f->writer->comm, comm, sizeof(comm));
	words_add(t, f->writer->strength == EDGE_STRONG ? " from %s[%u]" : ", perhaps from %s[%u]", comm,
		  f->writer->tid);
}

/* "although sh[10] had sent it SIGTERM, which it ignores" */
static void say_told_to_end(struct words *t, const struct sentence_facts *f)
{
	const struct window_event *e = &f->g->w->events[f->told_to_end];
	uint32_t by = graph_task_at(f->g, e->r.tid, e->r.ts);
	char comm[64];

	describe_clean(graph_comm(f->g, by, e->r.ts), comm, sizeof(comm));
	words_add(t, ", although %s[%u] had sent it SIG%s%s", comm, e->r.tid,
		  describe_signal(ct_signal_number(&e->r)),
		  e->r.flags & CT_GF_IGNORED ? ", which it ignores" : "");
}

/* What the task has sent did not arrive. Returns true if it has only asked for the connection. */
static bool asked_to_connect(const struct graph *g, const struct link *k)
{
	return !graph_ref_before(g, &g->sends, k->obj, k->to_ns);
}

static void say_leaf(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	bool sleeps = chain_sleeps_in_java(f->g, k);

	if (k->kind == RESOURCE_TIMER && k->wait == CT_W_SLEEP)
		words_add(t,
			  k->waits <= 2               ? "was sleeping"
			  : f->cause != CAUSE_POLLING ? "slept %u times"
						      : "slept again and again (%u times), polling",
			  k->waits);
	else if (k->kind == RESOURCE_TIMER)
		say_timer(t, f, k);
	else if (k->wait == CT_W_STOPPED)
		words_add(t, "was stopped");
	else if (k->kind == RESOURCE_MEMORY)
		say_memory(t, f, k);
	else if (k->kind == RESOURCE_DATABASE_LOCK)
		words_add(t, "was waiting for a lock of the database");
	else if (k->kind == RESOURCE_STANDBY)
		words_add(t, "was waiting for a standby of the database to confirm the log");
	else if (k->kind == RESOURCE_CHECKPOINT)
		words_add(t, "was waiting for a checkpoint of the database");
	else if (k->kind == RESOURCE_ARCHIVE)
		words_add(t, "was waiting until the log of the database is archived");
	else if (k->kind == RESOURCE_INPUT)
		words_add(t, k->wait == CT_W_WRITE ? "was waiting to write to its terminal"
						   : "was waiting for input");
	else if (k->kind == RESOURCE_NETWORK_FS)
		words_add(t, "was waiting for the %s server of %s",
			  resource_network_fs(graph_object(f->g, k->obj)) ?: "file",
			  k->resource && k->resource[0] ? k->resource : "a file");
	else if (chain_awaits_thaw(f->g, k))
		words_add(t, "was waiting because its file system was frozen");
	else if (k->kind == RESOURCE_DISK)
		words_add(t, "was waiting for the disk");
	else if (f->leaf->time == TIME_NETWORK)
		words_add(t, "was waiting for the network");
	else if (k->kind == RESOURCE_LOCK)
		words_add(t, "was waiting for a lock");
	else if (k->kind == RESOURCE_KERNEL_LOCK)
		words_add(t, "was waiting for a lock in the kernel");
	else if (k->unfinished && sleeps)
		words_add(t, "was sleeping");
	else if (k->wait == CT_W_FUTEX && k->unfinished)
		words_add(t, has_limit(f, k) ? "was waiting for a wake-up or its own time limit"
			     : f->verdict == VERDICT_NORMAL ? "was waiting for its next wake-up"
							    : "was waiting for a wake-up that did not come");
	else if (k->wait == CT_W_ACCEPT)
		words_add(t, "was waiting for somebody to connect");
	else if (k->wait == CT_W_SIGNAL)
		words_add(t, "was waiting for a signal");
	else if (k->wait == CT_W_FLOCK)
		words_add(t, "was waiting for a file lock");
	else
		words_add(t, "was waiting in %s", describe_wait((enum ct_wait)k->wait));
	if (k->wait != CT_W_SLEEP && k->wait != CT_W_STOPPED && !sleeps && k->kind != RESOURCE_NETWORK_FS)
		sentence_resource(t, k);
	if (k->kind != RESOURCE_MEMORY && !sleeps)
		sentence_where(t, f, k);
	if (chain_retries_fork(f->g, k))
		words_add(t, ", because it could not start a child");
	if (k->kind == RESOURCE_INPUT)
		say_writer(t, f, k);
	if (f->disk && f->disk->several)
		words_add(t, ", which several other tasks used");
	if (k->kind == RESOURCE_DATABASE_LOCK && f->leaf->ownerless)
		words_add(t, ", which a prepared transaction owns, and no task");
	else if (k->wait == CT_W_FLOCK || k->kind == RESOURCE_DATABASE_LOCK || k->kind == RESOURCE_LOCK)
		words_add(t, ", whose owner the trace does not show");
	else if (f->leaf->undelivered)
		words_add(
			t,
			asked_to_connect(f->g, k)
				? ", and its request to connect did not arrive at the other end, on this host"
				: ", and what it had sent did not arrive at the other end, on this host");
	else if (f->leaf->time == TIME_NETWORK && nat_may_be_local(f->g, k->obj))
		words_add(t, ", whose other end may be on this host");
	else if (graph_is_local(f->g, k->obj) && !graph_peer_object(f->g, k->obj) && !f->leaf->rivals)
		words_add(t, ", whose other end on this host the trace does not show");
	if (f->told_to_end != GRAPH_NONE)
		say_told_to_end(t, f);
}

static void say_stopper(struct words *t, const struct sentence_facts *f)
{
	const struct window_event *e = f->leaf->event == GRAPH_NONE ? NULL : &f->g->w->events[f->leaf->event];
	const char *signal;
	uint32_t by;

	if (!e)
		return;
	if (ct_signal_number(&e->r) == SIGCHLD) {
		by = graph_task_at(f->g, ct_signal_target(&e->r), e->r.ts);
		if (by != GRAPH_NONE)
			words_add(t, " by %s[%u], which traces it", graph_comm(f->g, by, e->r.ts),
				  ct_signal_target(&e->r));
		return;
	}
	signal = describe_signal(ct_signal_number(&e->r));
	words_add(t, " by SIG%s", signal ? signal : "STOP");
	by = graph_task_at(f->g, e->r.tid, e->r.ts);
	/* The kernel sends, for example, the signal of Ctrl-Z, while any task has the CPU. */
	if (e->r.flags & CT_GF_KERNEL)
		words_add(t, " from the kernel");
	else if (by != GRAPH_NONE && by == graph_task_at(f->g, ct_signal_target(&e->r), e->r.ts))
		words_add(t, " from itself");
	else if (by != GRAPH_NONE)
		words_add(t, " from %s[%u]", graph_comm(f->g, by, e->r.ts), e->r.tid);
}

static void say_quota(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	char name[DESCRIBE_MAX];
	const struct window_object *quota = limit_of(f->g, k, CT_OBJ_QUOTA_ID(k->tid), name);

	words_add(t, ", because the CPU quota of its control group ");
	if (quota || has_group(f->g, k, name))
		words_add(t, "(%s) ", name);
	words_add(t, "was used up");
	if (!quota || !quota->dev)
		return;
	words_add(t, ": ");
	words_duration(t, MIN(quota->x, UINT64_MAX / 1000) * 1000);
	words_add(t, " in each ");
	words_duration(t, (uint64_t)quota->dev * 1000);
}

/* If a limit kept the task of link k off the CPU, says this. Returns false if it did not. */
static bool say_limit(struct words *t, const struct sentence_facts *f, const struct contention *c,
		      const struct link *k)
{
	if (contention_is_throttled(c))
		say_quota(t, f, k);
	else if (c->idle_ns > c->total_ns / 2 && (f->cpu || f->work_or_cpu))
		words_add(t, " although one was idle: perhaps its control group is limited");
	else
		return false;
	return true;
}

/* If nothing stands out, the parts would only be a puzzle: they are short, and each of them is rounded. */
static void say_who_had_cpu(struct words *t, const struct sentence_facts *f, const struct contention *c,
			    const struct link *k)
{
	if (f->verdict != VERDICT_NORMAL)
		cpu_words_all(t, f->g, c, k->to_ns);
}

/* Says why the task of link k got no CPU, as far as this is known. Returns true if the text ends with a
 * clause about something else than the task. */
static bool say_no_cpu(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	uint64_t others_ns = f->cpu->ns + contention_others_ns(f->cpu);

	if (say_limit(t, f, f->cpu, k))
		return true;
	if (f->cpu->lost_ns > f->cpu->total_ns / 2) {
		words_add(t, " as far as is known: records are missing that would tell who had it");
		return true;
	}
	if (f->work_or_cpu)
		say_who_had_cpu(t, f, f->cpu, k);
	else if (others_ns > f->cpu->total_ns / 2)
		words_add(t, " while many tasks used it");
	else if (others_ns) {
		words_add(t, "; for ");
		words_duration(t, others_ns);
		words_add(t, " of this time, other tasks used it");
	}
	return false;
}

static void say_ran_for(struct words *t, const struct link *k)
{
	words_add(t, "ran for ");
	words_duration(t, k->running_ns);
}

/* The larger part of the time comes first. */
static void say_starved(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	bool ran_more = k->running_ns >= k->runnable_ns, apart;

	if (f->work_or_cpu && ran_more) {
		say_ran_for(t, k);
		words_add(t, ", and ");
	}
	words_add(t, "could run but got no CPU for ");
	words_duration(t, k->runnable_ns);
	apart = say_no_cpu(t, f, k);
	if (f->work_or_cpu && !ran_more) {
		words_add(t, apart ? "; it " : ", and ");
		say_ran_for(t, k);
	}
}

static unsigned percent(uint64_t part_ns, uint64_t all_ns)
{
	return all_ns ? (unsigned)((double)part_ns * 100 / (double)all_ns + 0.5) : 0;
}

static void say_cpu_wait(struct words *t, unsigned queued, const char *more)
{
	words_add(t, "waited for a CPU for %u %%%s", queued, more);
}

/* The larger part of the time comes first. */
static void say_folded(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	unsigned ran = percent(k->running_ns, k->total_ns), queued = percent(k->runnable_ns, k->total_ns);
	bool ran_more = ran >= queued;

	if (!ran_more)
		say_cpu_wait(t, queued, " of the time, ");
	words_add(t, "ran for %u %%%s", ran, ran_more ? " of the time" : "");
	if (root_cause_ran(k))
		sentence_where(t, f, k);
	if (queued && ran_more) {
		words_add(t, ", ");
		say_cpu_wait(t, queued, "");
	}
	if (k->switches)
		words_add(t, ", and left the CPU %u time%s, for less than 8 ms%s", k->switches,
			  k->switches == 1 ? "" : "s", k->switches == 1 ? "" : " each time");
}

/* Says how long the last task had the CPU for which the task of link k waited. */
static void say_had_cpu(struct words *t, const struct sentence_facts *f, const struct link *k, bool alone)
{
	const struct graph_task *has = &f->g->tasks[f->chain[f->n_chain - 1].task],
				*waits = &f->g->tasks[k->task];

	words_add(t, alone ? "had the CPU for " : "had it for ");
	words_duration(t, f->cpu->ns);
	if (alone) {
		words_add(t, " of the ");
		words_duration(t, k->runnable_ns);
		words_add(t, " for which ");
		sentence_task(t, k);
		if (f->work_or_cpu) {
			words_add(t, ", which ran for ");
			words_duration(t, k->running_ns);
			words_add(t, ",");
		}
		words_add(t, " waited for it");
	}
	if (f->cpu->sampled)
		words_add(t, ", by its samples");
	if (has->prio != waits->prio)
		words_add(t, ", at a %s priority", has->prio < waits->prio ? "stronger" : "weaker");
	cpu_words_rest(t, f->cpu);
}

static void say_computed(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	words_add(t, "was computing for ");
	words_duration(t, k->running_ns);
	if (sentence_own_frame(f->g, k->stack)) {
		words_add(t, " (most often seen");
		sentence_where(t, f, k);
		words_add(t, ")");
	}
}

/* The task could run for all of the time, but did not have the CPU for a part of it. The larger part comes
 * first. */
static void say_shared(struct words *t, const struct sentence_facts *f, const struct link *k)
{
	bool waited_more = k->runnable_ns > k->running_ns, limited = false;

	if (!waited_more) {
		say_computed(t, f, k);
		words_add(t, ", and ");
	}
	words_add(t, waited_more ? "was waiting for a CPU for " : "waited for a CPU for ");
	words_duration(t, k->runnable_ns);
	if (f->shared)
		limited = say_limit(t, f, f->shared, k);
	if (f->shared && !limited)
		say_who_had_cpu(t, f, f->shared, k);
	if (waited_more) {
		/* the text of a limit has a subject of its own */
		words_add(t, limited ? "; it " : ", and ");
		say_computed(t, f, k);
	}
}

void sentence_last(struct words *t, const struct sentence_facts *f, bool alone)
{
	const struct link *k = &f->chain[f->n_chain - 1];
	const struct link *before = f->n_chain > 1 ? k - 1 : NULL;

	if (f->silent) {
		words_add(t, "went on as before, but did not wake it any more");
	} else if (f->own_lock) {
		words_add(t, "was waiting for a lock that it holds itself");
		sentence_resource(t, k);
		words_add(t, " (deadlock)");
	} else if (f->parent_threads) {
		const struct graph_task *parent = &f->g->tasks[f->g->tasks[k->task].parent];

		words_add(t, "was waiting for a wake-up that no task can send");
		sentence_resource(t, k);
		sentence_where(t, f, k);
		words_add(t, ": its process was forked from %s[%u], which had %u threads, and has only one",
			  graph_comm(f->g, f->g->tasks[k->task].parent, f->g->tasks[k->task].born_ns),
			  parent->tgid, f->parent_threads);
	} else if (f->cause == CAUSE_CIRCULAR_WAIT) {
		words_add(t, "was waiting");
		sentence_resource(t, k);
		words_add(t, " in turn: they wait for each other (deadlock)");
	} else if (before && before->edge == EDGE_CPU) {
		say_had_cpu(t, f, before, alone);
	} else if (before && before->edge == EDGE_DISK) {
		if (alone)
			words_add(t, "perhaps kept the disk busy: it ");
		disk_use_words(f->disk, t);
		sentence_resource(t, k);
	} else if (before && before->edge == EDGE_FLAG && before->strength == EDGE_WEAK) {
		words_add(t, "acted just before the spinning ended");
	} else if (f->cpu) {
		say_starved(t, f, k);
	} else if (k->kind == RESOURCE_DATA_FLAG) {
		words_add(t, k->wait == CT_W_SLEEP ? "slept again and again, polling " : "was spinning for ");
		words_add(t, "%s", CT_OBJ_KIND(k->obj) == CT_OBJ_DATA ? k->resource : "a flag in memory");
		sentence_where(t, f, k);
	} else if (k->state == LINK_RUNNING || k->state == LINK_RUNNABLE) {
		bool shared = k->running_ns && k->runnable_ns > k->total_ns / BRANCH_SHARE;
		bool told = before && !alone && sentence_tells_pool(before);

		if (f->pool && !told)
			words_add(t, "was busy with other work (all %u workers were)", f->pool);
		if (shared) {
			words_add(t, "%s", f->pool && !told ? ": it " : "");
			say_shared(t, f, k);
		} else {
			words_add(t, "%s", f->pool && !told ? "" : "was computing");
			sentence_where(t, f, k);
		}
	} else if (k->state == LINK_FOLDED) {
		say_folded(t, f, k);
	} else if (k->state == LINK_EXITED) {
		words_add(t, "had ended");
	} else if (k->state == LINK_UNKNOWN) {
		words_add(t, "did something that the trace does not show");
	} else {
		say_leaf(t, f, k);
		if (k->wait == CT_W_STOPPED)
			say_stopper(t, f);
		if (f->left_out)
			words_add(t, ", and what for was left out, to keep within the budget");
	}
}
