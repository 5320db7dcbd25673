// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "test/unit/text/text_window_private.h"

static void *own(struct text_window *t, void *p)
{
	if (!p)
		abort();
	PUSH(&t->owned, p);
	return p;
}

static void line_task(struct text_window *t, struct text_line *l)
{
	static const char usage[] =
		"task TID NAME [of PID] [parent PID] [cgroup N] [tracer|kthread] [running]";
	struct window_task task = { .tid = (uint32_t)text_number(l, text_line_next(l, "a tid")) };

	snprintf(task.comm, sizeof(task.comm), "%s", text_line_next(l, "a name"));
	task.tgid = text_line_skip(l, "of") ? (uint32_t)text_number(l, text_line_next(l, "a pid")) : task.tid;
	task.ppid = text_line_skip(l, "parent") ? (uint32_t)text_number(l, text_line_next(l, "a pid")) : 1;
	if (text_line_skip(l, "cgroup"))
		task.cgroup_id = text_number(l, text_line_next(l, "the id of a control group"));
	if (text_declared(t, task.tid))
		text_line_fail(l, "task %u is declared twice", task.tid);
	task.flags = text_line_skip(l, "tracer")    ? CT_TF_TRACER
		     : text_line_skip(l, "kthread") ? CT_TF_KTHREAD
						    : 0;
	PUSH(&t->tasks, task);
	if (text_line_skip(l, "running")) {
		*text_cpu_of(t, task.tid) = t->next_cpu++;
		text_add_run(&(struct record){ .t = t, .l = l }, task.tid);
	}
	text_line_done(l, usage);
}

static const struct text_word types[] = { { "stream", 1 }, { "dgram", 2 }, { NULL, 0 } };

static struct window_object *add_object(struct text_window *t, struct text_line *l, uint64_t id)
{
	for (size_t i = 0; i < t->objects.n; i++)
		if (t->objects.v[i].id == id)
			text_line_fail(l, "an object is declared twice");
	PUSH(&t->objects, (struct window_object){ .id = id, .name = "" });
	return &t->objects.v[t->objects.n - 1];
}

static void address_field(struct text_line *l, const char *field, uint16_t family, uint8_t address[16])
{
	const char *text = text_line_field(l, field);

	if (text && inet_pton(family, text, address) != 1)
		text_line_fail(l, "expected an address of the family, not \"%s\"", text);
}

static void line_object(struct text_window *t, struct text_line *l)
{
	static const struct text_word families[] = {
		{ "unix", 1 }, { "inet", 2 }, { "inet6", 10 }, { NULL, 0 }
	};
	static const struct text_word protocols[] = { { "tcp", 6 }, { "udp", 17 }, { NULL, 0 } };
	struct window_object *o = add_object(t, l, text_object_next(l));
	const char *peer = text_line_field(l, "peer"), *name = text_line_field(l, "name");
	const char *connecting = text_line_field(l, "connecting");

	o->peer = peer ? text_object(l, peer) : 0;
	o->name = name ? own(t, strdup(name)) : "";
	o->family = (uint16_t)text_word_field(l, "family", families);
	o->protocol = (uint8_t)text_word_field(l, "protocol", protocols);
	o->type = (uint16_t)text_word_field(l, "type", types);
	o->lport = (uint16_t)text_number_field(l, "lport", 0);
	o->rport = (uint16_t)text_number_field(l, "rport", 0);
	o->state = (uint8_t)text_number_field(l, "state", 0);
	o->connecting_ns = connecting ? text_time(l, connecting) : 0;
	o->dev = (uint32_t)text_number_field(l, "dev", 0);
	o->x = text_number_field(l, "x", 0);
	o->fs_magic = (uint32_t)text_number_field(l, "fs", 0);
	o->netns = (uint32_t)text_number_field(l, "netns", 0);
	o->tid = text_task_field(t, l, "tid");
	address_field(l, "local", o->family, o->laddr);
	address_field(l, "remote", o->family, o->raddr);
	text_line_done(l,
		       "object OBJECT [peer=OBJECT] [name=] [family=] [type=] [protocol=] [lport=] [rport=] "
		       "[state=] [connecting=TIME] [local=] [remote=] [dev=] [x=] [fs=] [netns=] [tid=]");
}

static void line_connection(struct text_window *t, struct text_line *l)
{
	uint64_t server = text_object_next(l), client = text_object_next(l);
	uint16_t type = (uint16_t)text_one_of(l, text_line_next(l, "stream or dgram"), types);
	struct window_object *o = add_object(t, l, server);

	o->name = "/run/server";
	o->peer = client;
	o->family = 1;
	o->type = type;
	o = add_object(t, l, client);
	o->peer = server;
	o->family = 1;
	o->type = type;
	text_line_done(l, "connection SERVER CLIENT stream|dgram");
}

static void line_stack(struct text_window *t, struct text_line *l)
{
	struct window_stack s = { .id = text_number(l, text_line_next(l, "the number of a stack")) };
	const char **frames = own(t, calloc(TEXT_WORDS_MAX, sizeof(*frames)));

	for (const char *f; (f = text_line_more(l));)
		frames[s.n_frames++] = own(t, strdup(f));
	s.frames = frames;
	PUSH(&t->stacks, s);
	text_line_done(l, "stack NUMBER FRAME...");
}

static void line_cmdline(struct text_window *t, struct text_line *l)
{
	struct window_cmdline c = { .ts_ns = text_time(l, text_line_next(l, "a time")) };

	c.tgid = text_task(t, l, text_line_next(l, "a task"));
	c.text = own(t, strdup(text_line_next(l, "a command line")));
	PUSH(&t->cmdlines, c);
	text_line_done(l, "cmdline TIME TASK TEXT");
}

static void line_state(struct text_window *t, struct text_line *l)
{
	static const struct text_word runs[] = {
		{ "blocked", WINDOW_RUN_BLOCKED }, { "runnable", WINDOW_RUN_RUNNABLE },
		{ "running", WINDOW_RUN_RUNNING }, { "capped", WINDOW_RUN_CAPPED },
		{ "folded", WINDOW_RUN_FOLDED },   { NULL, 0 }
	};
	struct record r = { .t = t, .l = l };
	struct window_state s = { .last = { .kind = CT_SWITCH, .nr = CT_NR_NONE } };

	if (!t->states_now)
		text_line_fail(l, "expected a checkpoint or a resync before a state");
	s.last.tid = text_task(t, l, text_line_next(l, "a task"));
	s.run = (uint8_t)text_one_of(l, text_line_next(l, "blocked, runnable, running, capped or folded"),
				     runs);
	s.last.ts = text_since_field(&r);
	s.owner = text_task_field(t, l, "owner");
	s.cpu = (uint16_t)text_number_field(l, "cpu", *text_cpu_of(t, s.last.tid));
	if (s.run == WINDOW_RUN_BLOCKED || s.run == WINDOW_RUN_CAPPED) {
		const char *wait = text_line_more(l);

		s.last.wait = wait ? text_wait_of(l, wait) : 0;
		s.last.obj = text_object_if_any(l);
		s.last.state = CT_ST_SLEEP;
	}
	if (t->states_now)
		PUSH(&t->states_now->v, s);
	text_line_done(l, "state A blocked WAIT [OBJECT] since=TIME [owner=B] [cpu=N], or state A "
			  "runnable|running|capped|folded since=TIME [cpu=N]");
}

static void line_checkpoint(struct text_window *t, struct text_line *l)
{
	t->w.state_ns = text_time(l, text_line_next(l, "a time"));
	t->states_now = &t->states[0];
	text_line_done(l, "checkpoint TIME");
}

static void line_resync(struct text_window *t, struct text_line *l)
{
	struct window_resync s = { 0 };

	text_range(l, text_line_next(l, "a range"), &s.from_ns, &s.ns);
	if (t->resyncs.n)
		text_line_fail(l, "a second resync");
	PUSH(&t->resyncs, s);
	t->states_now = &t->states[1];
	text_line_done(l, "resync FROM..TO");
}

static void line_until(struct text_window *t, struct text_line *l)
{
	t->w.to_ns = t->w.file_to_ns = text_time(l, text_line_next(l, "a time"));
	text_line_done(l, "until TIME");
}

static void line_machine(struct text_window *t, struct text_line *l)
{
	t->w.machine = machine_of(text_line_next(l, "a machine, as uname -m"));
	text_line_done(l, "machine NAME");
}

static void line_repeat(struct text_window *t, struct text_line *l)
{
	const char *every, *from;

	t->n_rounds = text_number(l, text_line_next(l, "how often"));
	every = text_line_skip(l, "every") ? text_line_next(l, "a time") : "?";
	from = text_line_skip(l, "from") ? text_line_next(l, "a time") : "?";
	t->every_ns = text_time(l, every);
	t->round_ns = text_time(l, from);
	t->first = text_number_field(l, "first", 0);
	t->repeating = true;
	text_line_done(l, "repeat COUNT every TIME from TIME [first=N]");
}

static void line_graph(struct text_window *t, const char *line)
{
	PUSH(&t->graph, own(t, strdup(line)));
}

const char *text_window_graph(const struct text_window *t, size_t i)
{
	return i < t->graph.n ? t->graph.v[i] : NULL;
}

static const struct {
	const char *name;
	void (*run)(struct text_window *t, struct text_line *l);
} lines[] = {
	{ "task", line_task },       { "object", line_object },   { "connection", line_connection },
	{ "stack", line_stack },     { "state", line_state },     { "checkpoint", line_checkpoint },
	{ "resync", line_resync },   { "until", line_until },     { "repeat", line_repeat },
	{ "machine", line_machine }, { "cmdline", line_cmdline },
};

static bool add_line(struct text_window *t, const char *line, bool in_round, char *error)
{
	struct text_line l;
	const char *word;
	size_t i = 0;

	text_line_init(&l, line);
	word = text_line_more(&l);
	while (word && i < ARRAY_SIZE(lines) && strcmp(lines[i].name, word) != 0)
		i++;
	if (word && i < ARRAY_SIZE(lines))
		lines[i].run(t, &l);
	else if (word && (!strcmp(word, "segment") || !strcmp(word, "edge")))
		line_graph(t, line);
	else if (word && *word == '+' && in_round)
		text_add_record(t, &l, t->round_ns + text_time(&l, word + 1));
	else if (word && isdigit((unsigned char)*word))
		text_add_record(t, &l, text_time(&l, word));
	else if (word)
		text_line_fail(&l,
			       "expected a time, task, object, connection, stack, state, checkpoint, resync, "
			       "until or repeat, not \"%s\"",
			       word);
	snprintf(error, TEXT_ERROR_MAX, "%s", l.error);
	text_line_free(&l);
	return !error[0];
}

static bool add_in_round(struct text_window *t, const char *line, uint64_t number, char *error)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		abort();
	for (; *line; line++)
		if (line[0] == '$' && line[1] == 'i') {
			fprintf(f, "%" PRIu64, number);
			line++;
		} else {
			fputc(*line, f);
		}
	fclose(f);
	return add_line(t, text, true, error);
}

static bool end_repeat(struct text_window *t, char *error)
{
	bool ok = true;

	t->repeating = false;
	for (uint64_t n = 0; ok && n < t->n_rounds; n++, t->round_ns += t->every_ns)
		for (size_t i = 0; ok && i < t->rounds.n; i++)
			ok = add_in_round(t, t->rounds.v[i], t->first + n, error);
	for (size_t i = 0; i < t->rounds.n; i++)
		free(t->rounds.v[i]);
	t->rounds.n = 0;
	return ok;
}

bool text_window_add(struct text_window *t, const char *line, char *error)
{
	char word[8] = "";

	error[0] = '\0';
	if (!t->repeating)
		return add_line(t, line, false, error);
	sscanf(line, "%7s", word);
	if (!strcmp(word, "end"))
		return end_repeat(t, error);
	PUSH(&t->rounds, strdup(line));
	return true;
}

struct text_window *text_window_new(void)
{
	struct text_window *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	return t;
}

void text_window_free(struct text_window *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->owned.n; i++)
		free(t->owned.v[i]);
	for (size_t i = 0; i < t->rounds.n; i++)
		free(t->rounds.v[i]);
	window_empty(&t->w);
	VEC_FREE(&t->events);
	VEC_FREE(&t->tasks);
	VEC_FREE(&t->objects);
	VEC_FREE(&t->stacks);
	VEC_FREE(&t->cmdlines);
	VEC_FREE(&t->resyncs);
	VEC_FREE(&t->states[0].v);
	VEC_FREE(&t->states[1].v);
	VEC_FREE(&t->cpus);
	VEC_FREE(&t->owned);
	VEC_FREE(&t->rounds);
	VEC_FREE(&t->graph);
	free(t);
}

#define BY(name, type, key)                                                                                  \
	static int name(const void *a, const void *b)                                                        \
	{                                                                                                    \
		const type *x = a, *y = b;                                                                   \
                                                                                                             \
		return x->key < y->key ? -1 : x->key > y->key;                                               \
	}
BY(by_tid, struct window_task, tid)
BY(by_id, struct window_object, id)
BY(by_stack, struct window_stack, id)
BY(by_state, struct window_state, last.tid)

static int by_cmdline(const void *a, const void *b)
{
	const struct window_cmdline *x = a, *y = b;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return x->ts_ns < y->ts_ns ? -1 : x->ts_ns > y->ts_ns;
}

/* stable, and fast if most records are in order */
static void sort_events(struct text_window *t)
{
	for (size_t i = 1; i < t->events.n; i++) {
		struct window_record e = t->events.v[i];
		size_t k = i;

		for (; k && t->events.v[k - 1].r.ts > e.r.ts; k--)
			t->events.v[k] = t->events.v[k - 1];
		t->events.v[k] = e;
	}
}

const struct window *text_window_done(struct text_window *t, char *error)
{
	struct window *w = &t->w;

	if (t->repeating) {
		snprintf(error, TEXT_ERROR_MAX, "expected \"end\" of a repeat");
		return NULL;
	}
	sort_events(t);
	VEC_SORT(&t->tasks, by_tid);
	VEC_SORT(&t->objects, by_id);
	VEC_SORT(&t->stacks, by_stack);
	VEC_SORT(&t->cmdlines, by_cmdline);
	VEC_SORT(&t->states[0].v, by_state);
	VEC_SORT(&t->states[1].v, by_state);
	w->n_cpus = 2;
	window_fill(w, t->events.v, t->events.n);
	w->tasks = t->tasks.v;
	w->n_tasks = t->tasks.n;
	w->objects = t->objects.v;
	w->n_objects = t->objects.n;
	w->stacks = t->stacks.v;
	w->n_stacks = t->stacks.n;
	w->cmdlines = t->cmdlines.v;
	w->n_cmdlines = t->cmdlines.n;
	w->states = t->states[0].v.v;
	w->n_states = t->states[0].v.n;
	w->resyncs = t->resyncs.v;
	w->n_resyncs = t->resyncs.n;
	if (w->n_resyncs) {
		w->resyncs->states = t->states[1].v.v;
		w->resyncs->n_states = t->states[1].v.n;
	}
	return w;
}
