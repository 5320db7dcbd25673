// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/requests/reasons.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/account/account.h"
#include "analysis/profile/role.h"
#include "analysis/requests/locks.h"
#include "analysis/thresholds.h"
#include "graph/timeline/scan.h"
#include "lib/cleanup.h"

#define GO_LOCK_WORDS "waiting for a lock (sync.Mutex, sync.RWMutex) that "

#define REASON_MAX (ACCOUNT_WORDS_MAX + DESCRIBE_MAX)

struct adding {
	struct reasons *to;
	const struct graph *g;
	const char *in; /* the first words of each reason: "in db (127.0.0.1:5432): ", or "" */
	enum reason_group group;
	bool details; /* whether to add details of waits for other tasks */
};

void reasons_done(struct reasons *k)
{
	VEC_FREE(&k->v);
	VEC_FREE(&k->details);
	texts_done(&k->texts);
	texts_done(&k->detail_texts);
}

static int add_text(const struct adding *a, const char *words, const char *kind, uint64_t ns)
{
	struct reasons *k = a->to;
	char text[REASON_MAX];
	size_t at;

	snprintf(text, sizeof(text), "%s%s", a->in, words);
	if (texts_add(&k->texts, text, &at))
		return -ENOMEM;
	if (at == k->v.n && VEC_PUSH(&k->v, (struct reason){ .text = k->texts.v.v[at], .kind = kind }))
		return -ENOMEM;
	k->v.v[at].ns[a->group] += ns;
	return 0;
}

/* Adds a detail to the reason with the text of `words`. samples: as in struct reason_detail. */
static int add_detail(const struct adding *a, const char *words, const char *detail, uint64_t ns,
		      uint32_t samples)
{
	struct reasons *k = a->to;
	char text[REASON_MAX], key[REASON_MAX * 2 + 2];
	size_t reason, at;

	if (a->group != REASON_SLOW)
		return 0;
	snprintf(text, sizeof(text), "%s%s", a->in, words);
	if (texts_add(&k->texts, text, &reason))
		return -ENOMEM;
	if (reason == k->v.n && VEC_PUSH(&k->v, (struct reason){ .text = k->texts.v.v[reason] }))
		return -ENOMEM;
	snprintf(key, sizeof(key), "%zu\n%s", reason, detail);
	if (texts_add(&k->detail_texts, key, &at))
		return -ENOMEM;
	if (at == k->details.n &&
	    VEC_PUSH(&k->details,
		     (struct reason_detail){ .reason = k->v.v[reason].text,
					     .text = strchr(k->detail_texts.v.v[at], '\n') + 1 }))
		return -ENOMEM;
	k->details.v[at].ns += ns;
	k->details.v[at].samples += samples;
	return 0;
}

char *reasons_text(const struct reasons *k, const struct reason *x)
{
	const struct reason_detail *best = NULL;
	char text[REASON_MAX * 2];

	for (size_t i = 0; i < k->details.n; i++)
		if (k->details.v[i].reason == x->text && (!best || k->details.v[i].ns > best->ns))
			best = &k->details.v[i];
	if (!best || best->ns <= x->ns[REASON_SLOW] / 2 ||
	    (best->samples && best->samples < PROFILE_SAMPLES_MIN))
		return strdup(x->text);
	snprintf(text, sizeof(text), "%s, %s", x->text, best->text);
	return strdup(text);
}

static void drop_ids(char *s)
{
	char *to = s;

	while (*s) {
		size_t n = *s == '[' ? strspn(s + 1, "0123456789") : 0;

		if (n && s[n + 1] == ']')
			s += n + 2;
		else
			*to++ = *s++;
	}
	*to = '\0';
}

/* Returns true if each connection or run has its own object of this kind. A futex without a symbol
 * may be one of many in a program. */
static bool is_fleeting(const struct graph *g, uint64_t obj)
{
	const struct window_object *o;

	switch ((unsigned)CT_OBJ_KIND(obj)) {
	case CT_OBJ_SOCK:
	case CT_OBJ_PIPE:
	case CT_OBJ_EVENTFD:
	case CT_OBJ_EPOLL:
	case CT_OBJ_TASK:
		return true;
	case CT_OBJ_FUTEX:
		o = graph_object(g, obj);
		return !o || !*o->name;
	default:
		return false;
	}
}

static void row_words(const struct graph *g, enum account_group group, const struct account_row *row,
		      char buf[ACCOUNT_WORDS_MAX])
{
	struct account_row r = *row;

	if (group == ACCOUNT_WAIT && is_fleeting(g, r.obj))
		r.obj = 0;
	account_words(g, group, &r, buf, ACCOUNT_WORDS_MAX);
	drop_ids(buf);
}

static int add_row(const struct adding *a, enum account_group group, const struct account_row *row)
{
	char words[ACCOUNT_WORDS_MAX];

	row_words(a->g, group, row, words);
	return add_text(a, words, time_kind_name(row->time), row->ns);
}

static int add_runnable(const struct adding *a, const struct account *account, uint64_t ns)
{
	const struct account_row *v = account->rows[ACCOUNT_RESOURCE];
	uint64_t all = 0, left = ns;
	int r = 0;

	for (size_t i = 0; i < account->n_rows[ACCOUNT_RESOURCE]; i++)
		all += v[i].time == TIME_RUNNABLE ? v[i].ns : 0;
	for (size_t i = 0; i < account->n_rows[ACCOUNT_RESOURCE] && !r && all; i++) {
		struct account_row row = v[i];

		if (row.time != TIME_RUNNABLE || row.task == GRAPH_NONE)
			continue;
		row.ns = (uint64_t)((double)ns * (double)row.ns / (double)all);
		row.ns = MIN(row.ns, left);
		left -= row.ns;
		r = add_row(a, ACCOUNT_RESOURCE, &row);
	}
	return r || !left ? r : add_text(a, "waiting for a CPU", time_kind_name(TIME_RUNNABLE), left);
}

static int add_account(const struct adding *a, const struct account *account)
{
	int r = 0;

	for (size_t i = 0; i < account->n_rows[ACCOUNT_WAIT] && !r; i++) {
		const struct account_row *row = &account->rows[ACCOUNT_WAIT][i];

		if (row->time == TIME_RUNNABLE && !row->kind)
			r = add_runnable(a, account, row->ns);
		else if (row->time == TIME_NETWORK && row->task == GRAPH_NONE)
			r = add_row(a, ACCOUNT_RESOURCE, row);
		else
			r = add_row(a, ACCOUNT_WAIT, row);
	}
	return r;
}

static const char *doing_words(enum time_kind time)
{
	static const char *const words[TIME_KINDS] = {
		[TIME_RUNNING] = "running",
		[TIME_RUNNABLE] = "waiting for a CPU",
		[TIME_LOCK] = "waiting for a lock",
		[TIME_IPC] = "waiting for another task",
		[TIME_DISK] = "waiting for the disk",
		[TIME_NETWORK] = "waiting for the network",
		[TIME_TIMER] = "sleeping",
		[TIME_QUEUE] = "waiting in a queue of jobs",
		[TIME_FAULT] = "waiting for memory",
		[TIME_UNKNOWN] = "in a state that is not known",
		[TIME_SHORT] = "in waits shorter than 8 ms",
	};

	return words[time];
}

static void put_comm(const struct graph *g, uint32_t task, uint64_t ts_ns, char *buf, size_t size)
{
	describe_clean(graph_comm(g, task, ts_ns), buf, size - 1);
	strcat(buf, " ");
}

/* A reason may be a wait for task A. Task A may itself wait for task B, and so on. Adds a detail to each
 * such reason: what the last of these tasks did. */
static int add_path_details(const struct adding *a, const struct path *p)
{
	int r = 0;

	for (size_t i = 0; i < p->n_pieces && !r; i++) {
		const struct path_piece *x = &p->pieces[i];
		const struct path_frame *leaf = &p->frames[x->frame], *top = leaf;
		char wait[ACCOUNT_WORDS_MAX], detail[REASON_MAX], who[64];

		if (!leaf->depth || x->time == TIME_UNKNOWN)
			continue;
		while (top->depth > 1)
			top = &p->frames[top->parent];
		row_words(a->g, ACCOUNT_WAIT,
			  &(struct account_row){ .task = top->blame.task,
						 .obj = top->blame.obj,
						 .kind = top->blame.kind,
						 .time = top->blame.time,
						 .edge = top->blame.edge },
			  wait);
		describe_clean(graph_comm(a->g, leaf->task, x->from_ns), who, sizeof(who));
		if (leaf->task == top->task)
			snprintf(detail, sizeof(detail), "which was mostly %s",
				 doing_words((enum time_kind)x->time));
		else
			snprintf(detail, sizeof(detail), "which mostly waited for %s: %s", who,
				 doing_words((enum time_kind)x->time));
		r = add_detail(a, wait, detail, x->to_ns - x->from_ns, 0);
	}
	return r;
}

/* The task of the piece is the owner of the lock, or a task for which the owner waits. The reason
 * names the wait for the lock, and says what the task of the piece does. */
static int add_locked(const struct adding *a, const struct path *p, const struct path_piece *x,
		      const struct path_frame *lock)
{
	const struct blame *b = &lock->blame;
	struct account_row row = { .task = lock->task,
				   .obj = is_fleeting(a->g, b->obj) ? 0 : b->obj,
				   .kind = b->kind,
				   .time = b->time,
				   .edge = b->edge };
	char wait[ACCOUNT_WORDS_MAX], words[REASON_MAX * 2], waiter[64] = "", who[64] = "";
	uint32_t leaf = p->frames[x->frame].task;
	uint64_t parts[TIME_KINDS];
	int r = 0;

	account_words(a->g, ACCOUNT_WAIT, &row, wait, sizeof(wait));
	drop_ids(wait);
	if (p->frames[lock->parent].depth)
		put_comm(a->g, p->frames[lock->parent].task, x->from_ns, waiter, sizeof(waiter));
	if (leaf != lock->task)
		put_comm(a->g, leaf, x->from_ns, who, sizeof(who));
	path_parts(a->g, x, parts);
	for (int time = 0; time < TIME_KINDS && !r; time++) {
		if (!parts[time])
			continue;
		snprintf(words, sizeof(words), "%s%s, %s%s", waiter, wait, who,
			 doing_words((enum time_kind)time));
		r = add_text(a, words, time_kind_name(b->time), parts[time]);
	}
	return r;
}

static int take_locked(const struct adding *a, struct path *p)
{
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; i < p->n_pieces && !r; i++) {
		const struct path_frame *lock = path_lock(p, &p->pieces[i]);

		if (lock)
			r = add_locked(a, p, &p->pieces[i], lock);
		else
			p->pieces[kept++] = p->pieces[i];
	}
	p->n_pieces = kept;
	return r;
}

static int add_sample(const struct adding *a, const struct path_piece *x, const struct window_event *e)
{
	const uint64_t *words = (const uint64_t *)window_words(a->g->w, e);
	char function[ROLE_MAX], detail[REASON_MAX];
	uint64_t shown_ns = MIN(words[1], CPU_SAMPLE_NS);

	role_function(a->g, words[0], function);
	if (!function[0])
		return 0;
	snprintf(detail, sizeof(detail), "mostly in %s", function);
	return add_detail(a, "running", detail, MIN(shown_ns, x->to_ns - x->from_ns), 1);
}

/* Adds details to the reason "running": the functions in which samples found the task. Only long runs have
 * samples. */
static int add_samples(const struct adding *a, const struct path *p)
{
	const struct graph *g = a->g;
	int r = 0;

	for (size_t i = 0; i < p->n_pieces && !r; i++) {
		const struct path_piece *x = &p->pieces[i];
		const struct path_frame *frame = &p->frames[x->frame];
		const struct graph_ref *ref;
		size_t n;

		if (x->time != TIME_RUNNING || frame->depth)
			continue;
		ref = graph_refs_from(g, &g->samples, g->tasks[frame->task].tid, x->from_ns, &n);
		for (size_t k = 0; k < n && !r && scan_step(g); k++) {
			if (g->w->events[ref[k].event].r.ts >= x->to_ns)
				break;
			r = add_sample(a, x, &g->w->events[ref[k].event]);
		}
	}
	return r;
}

static int add_path(const struct adding *a, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	struct account *account = NULL;
	struct path *path = NULL;
	int r = path_walk(a->g, task, from_ns, to_ns, &path);

	if (!r)
		r = take_locked(a, path);
	if (!r)
		r = account_new(a->g, path, &account);
	if (!r)
		r = add_account(a, account);
	if (!r && a->details)
		r = add_path_details(a, path);
	if (!r)
		r = add_samples(a, path);
	account_free(account);
	path_free(path);
	return r;
}

int reasons_add_path(struct reasons *k, const struct graph *g, const char *in, uint32_t task,
		     uint64_t from_ns, uint64_t to_ns, enum reason_group group)
{
	return add_path(&(struct adding){ .to = k, .g = g, .in = in, .group = group }, task, from_ns, to_ns);
}

int reasons_add_text(struct reasons *k, const char *text, const char *kind, uint64_t ns,
		     enum reason_group group)
{
	return add_text(&(struct adding){ .to = k, .in = "", .group = group }, text, kind, ns);
}

static int add_part(struct reasons *k, const struct services *s, uint32_t service, const struct part *part,
		    enum reason_group group, bool details);

/* In the time of the part, the request waits for another request: part->behind. Adds what happens to
 * this other request in that time, as details of the reason with the text of `words`.
 * own: not NULL: what to say of the time in which the other request waits for no other service, lock or
 * connection; "": nothing. */
static int add_behind(const struct adding *a, const struct services *s, const struct part *part,
		      const char *words, const char *own)
{
	uint32_t service = s->of[part->behind];
	struct reasons k = { 0 };
	part_list parts = { 0 };
	char detail[REASON_MAX];
	int r = 0;

	if (a->group != REASON_SLOW || !a->details || s->requests.v[part->behind].answered == GRAPH_NONE)
		return 0;
	r = parts_of(&s->parts, part->behind, &parts);
	for (size_t i = 0; i < parts.n && !r; i++) {
		struct part x = parts.v[i];

		x.from_ns = MAX(x.from_ns, part->from_ns);
		x.to_ns = MIN(x.to_ns, part->to_ns);
		if (x.from_ns >= x.to_ns)
			continue;
		if (own && x.request == part->behind && x.kind != PART_LOCK && x.kind != PART_CONNECTION)
			r = *own ? add_detail(a, words, own, x.to_ns - x.from_ns, 0) : 0;
		else
			r = add_part(&k, s, service, &x, REASON_SLOW, false);
	}
	for (size_t i = 0; i < k.v.n && !r; i++) {
		snprintf(detail, sizeof(detail), "which was mostly %s", k.v.v[i].text);
		r = add_detail(a, words, detail, k.v.v[i].ns[REASON_SLOW], 0);
	}
	VEC_FREE(&parts);
	reasons_done(&k);
	return r;
}

/* The request waits for a lock of Go. If the owner served another request, adds for what this request waited
 * outside of its process. Any thread may have run the owner, so it is not known when it ran: else adds where
 * the owner released the lock. */
static int add_lock(const struct adding *a, const struct services *s, const struct part *part)
{
	const struct lock_release *owner =
		part->behind == GRAPH_NONE ? NULL : &s->parts.locks.releases.v[part->behind];
	uint32_t served = owner ? locks_owner(&s->parts, owner) : GRAPH_NONE;
	bool serves = served != GRAPH_NONE && served != part->request;
	const char *words =
		serves ? GO_LOCK_WORDS "another request held" : GO_LOCK_WORDS "another goroutine held";
	char function[LOCKS_FUNCTION_MAX] = "", detail[REASON_MAX];
	uint64_t ns = part->to_ns - part->from_ns;
	struct part other = *part;
	int r = add_text(a, words, time_kind_name(TIME_LOCK), ns);

	if (r || !owner || !a->details)
		return r;
	locks_function(a->g, owner, function);
	snprintf(detail, sizeof(detail), *function ? "and released in %s" : "%s", function);
	if (serves) {
		other.behind = served;
		return add_behind(a, s, &other, words, detail);
	}
	return *function ? add_detail(a, words, detail, ns, 0) : 0;
}

static int add_part(struct reasons *k, const struct services *s, uint32_t service, const struct part *part,
		    enum reason_group group, bool details)
{
	uint32_t other = s->of[part->request];
	uint64_t ns = part->to_ns - part->from_ns;
	char in[DESCRIBE_MAX * 2] = "", words[DESCRIBE_MAX * 2];
	struct adding a = { .to = k, .g = s->g, .in = in, .group = group, .details = details };
	const char *queued = "queued behind another request";
	int r;

	if (other != service && part->kind != PART_OUTSIDE)
		snprintf(in, sizeof(in), "in %s (%s): ", s->v[other].name, s->v[other].address);
	if (part->kind == PART_QUEUED) {
		r = add_text(&a, queued, "queue", ns);
		return r ? r : add_behind(&a, s, part, queued, NULL);
	}
	if (part->kind == PART_CONNECTION) {
		const struct service *to = &s->v[s->of[part->behind]];

		snprintf(words, sizeof(words),
			 "waiting for a connection to %s (%s) that another request used", to->name,
			 to->address);
		r = add_text(&a, words, "queue", ns);
		return r ? r : add_behind(&a, s, part, words, NULL);
	}
	if (part->kind == PART_TIMER)
		return add_text(&a, "sleeping", time_kind_name(TIME_TIMER), ns);
	if (part->kind == PART_INSIDE)
		return add_text(&a, "waiting inside its process, for no task that is known",
				time_kind_name(TIME_UNKNOWN), ns);
	if (part->kind == PART_SHARED)
		return add_text(&a, "waiting in a process whose threads share all requests",
				time_kind_name(TIME_UNKNOWN), ns);
	if (part->kind == PART_LOCK)
		return add_lock(&a, s, part);
	if (part->kind == PART_OUTSIDE) {
		snprintf(words, sizeof(words), "waiting for %s, on another host", s->v[other].address);
		return add_text(&a, words, time_kind_name(TIME_NETWORK), ns);
	}
	if (part->kind == PART_DELIVERY)
		return add_text(&a, "the answer was sent, but had not arrived", time_kind_name(TIME_NETWORK),
				ns);
	if (part->task == GRAPH_NONE)
		return add_text(&a, "between this host and the client", time_kind_name(TIME_NETWORK), ns);
	return add_path(&a, part->task, part->from_ns, part->to_ns);
}

int reasons_add(struct reasons *k, const struct services *s, uint32_t service, const struct part *part,
		enum reason_group group)
{
	return add_part(k, s, service, part, group, true);
}

static int reason_cmp(const void *a, const void *b)
{
	const struct service_reason *x = a, *y = b;

	if (x->share_p99 != y->share_p99)
		return x->share_p99 > y->share_p99 ? -1 : 1;
	if (x->share_p50 != y->share_p50)
		return x->share_p50 > y->share_p50 ? -1 : 1;
	return texts_order(x->text, y->text);
}

int reasons_shares(const struct reasons *k, struct service_reason **ret, size_t *ret_n)
{
	struct service_reason *v = calloc(k->v.n + 1, sizeof(*v));
	double all[REASON_GROUPS] = { 0 };

	if (!v)
		return -ENOMEM;
	*ret = v;
	*ret_n = 0;
	for (size_t i = 0; i < k->v.n; i++)
		for (int group = 0; group < REASON_GROUPS; group++)
			all[group] += (double)k->v.v[i].ns[group];
	for (size_t i = 0; i < k->v.n; i++) {
		const struct reason *x = &k->v.v[i];

		if (!x->kind)
			continue;
		v[*ret_n] = (struct service_reason){
			.text = reasons_text(k, x),
			.kind = x->kind,
			.share_p50 =
				all[REASON_USUAL] > 0 ? (double)x->ns[REASON_USUAL] / all[REASON_USUAL] : 0,
			.share_p99 = all[REASON_SLOW] > 0 ? (double)x->ns[REASON_SLOW] / all[REASON_SLOW] : 0,
		};
		if (!v[(*ret_n)++].text)
			return -ENOMEM;
	}
	qsort(v, *ret_n, sizeof(*v), reason_cmp);
	return 0;
}

void reasons_free(struct service_reason *v, size_t n)
{
	for (size_t i = 0; v && i < n; i++)
		free(v[i].text);
	free(v);
}
