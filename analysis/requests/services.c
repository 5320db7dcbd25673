// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/requests/services.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "analysis/requests/locks.h"
#include "analysis/requests/reasons.h"
#include "analysis/requests/shapes.h"
#include "analysis/thresholds.h"
#include "graph/wake/blame.h"
#include "lib/cleanup.h"
#include "trace/words/words.h"

struct group {
	/* Low 32 bits: the service that gets the request. by_asking() sets the high 32 bits: the sender. */
	uint64_t key;
	uint32_t request;
	uint64_t ns;
};

/* Returns true if the client waits on the connection at the end of the window, or in a poll that
 * may include the connection. Another client may want no answer: for example, the last message of a
 * TLS connection gets none. q->client must not be GRAPH_NONE. */
static bool client_waits(const struct services *s, const struct request *q)
{
	/* The last intervals of a trace end at its last record, and the window may end behind it. */
	uint64_t end_ns = MIN(s->g->w->to_ns, s->g->w->file_to_ns), at_ns = MIN(s->to_ns, end_ns) - 1;
	uint64_t sock = q->sent == GRAPH_NONE ? 0 : s->g->w->events[q->sent].r.obj;
	uint32_t i = graph_interval_at(s->g, q->client, at_ns);
	const struct interval *x = i == GRAPH_NONE ? NULL : &s->g->intervals[i];

	if (!sock || !x || x->state != INTERVAL_BLOCKED || x->from_ns > at_ns ||
	    s->g->tasks[q->client].exit_ns <= at_ns)
		return false;
	return x->obj == sock || x->wait == CT_W_EPOLL || (x->wait == CT_W_POLL && !x->obj);
}

static bool is_chosen(const struct services *s, uint32_t task)
{
	return task != GRAPH_NONE && s->filter.tasks[task];
}

static bool is_in_window(const struct services *s, const struct request *q)
{
	uint64_t from_ns = request_from_ns(s->g, q);
	bool open = q->answered == GRAPH_NONE;
	uint64_t to_ns = open ? from_ns : request_to_ns(s->g, q);

	if (to_ns < s->from_ns)
		return open && s->filter.touching && q->client != GRAPH_NONE && client_waits(s, q);
	return to_ns < s->to_ns || (s->filter.touching && from_ns < s->to_ns);
}

static bool counts(const struct services *s, const struct request *q)
{
	return is_in_window(s, q) && !request_is_of_tracer(s->g, q) &&
	       (!s->filter.tasks || is_chosen(s, q->server) || is_chosen(s, q->client));
}

static void address_of(const struct services *s, const struct request *q, struct service *ret)
{
	const struct window_object *o = graph_object(s->g, q->sock);
	bool inet = o && (o->family == AF_INET || o->family == AF_INET6);
	bool local = o && o->family == AF_UNIX;
	const struct window_object *far = local && o->peer ? graph_object(s->g, o->peer) : NULL;
	char text[DESCRIBE_MAX];
	const char *at = text;
	char *arrow;

	describe_object(s->g->w, q->sock, text, sizeof(text));
	ret->is_pair = !inet && !(local && (o->name[0] || (far && far->name[0])));
	if (ret->is_pair) {
		snprintf(ret->address, sizeof(ret->address), "socket pair");
		return;
	}
	/* The text is "tcp OWN->FAR" or "unix PATH". It is "unix ->PATH" if the service has connected
	 * to a hub, such as a D-Bus daemon. */
	at = strchr(text, ' ') ? strchr(text, ' ') + 1 : text;
	arrow = inet || (local && !o->name[0]) ? strstr(text, "->") : NULL;
	if (arrow && (local || q->got == GRAPH_NONE))
		at = arrow + 2;
	else if (arrow)
		*arrow = '\0';
	snprintf(ret->address, sizeof(ret->address), "%s", at);
}

static uint32_t server_of(const struct services *s, const struct request *q)
{
	uint32_t leader;

	if (q->server == GRAPH_NONE)
		return GRAPH_NONE;
	leader = graph_task_at(s->g, s->g->tasks[q->server].tgid, s->g->w->events[q->got].r.ts);
	return leader == GRAPH_NONE ? q->server : leader;
}

/* Two containers, or two network namespaces, may both have a program that serves at 127.0.0.1:80. */
static void place_of(const struct services *s, const struct request *q, struct service *ret)
{
	const struct window_object *o = graph_object(s->g, q->sock);
	struct cgroup_name place;

	if (q->got == GRAPH_NONE)
		return;
	place = graph_place(s->g, ret->task, s->g->w->events[q->got].r.ts);
	snprintf(ret->container, sizeof(ret->container), "%s", place.container);
	/* the kernel gives an accepted unix socket the namespace of its client (unix_stream_connect()) */
	if (o && (o->family == AF_INET || o->family == AF_INET6))
		ret->netns = o->netns;
}

struct finding {
	struct services *s;
	VEC(struct service) v;
	struct texts names;
	struct map by_sock;
	struct map by_process; /* (service << 32 | tgid) of each counted process */
};

static uint32_t service_by_name(struct finding *k, const struct request *q)
{
	struct service new = { .task = server_of(k->s, q), .open = GRAPH_NONE };
	char name[sizeof(new.name) + sizeof(new.address) + sizeof(new.container) + 16];
	size_t at;

	if (new.task != GRAPH_NONE)
		describe_clean(graph_comm(k->s->g, new.task, k->s->to_ns), new.name, sizeof(new.name));
	else
		snprintf(new.name, sizeof(new.name),
			 graph_is_local(k->s->g, q->sock) ? "not known" : "another host");
	address_of(k->s, q, &new);
	place_of(k->s, q, &new);
	/* a container that was started anew may have another network namespace, but is the same service */
	snprintf(name, sizeof(name), "%s\n%s\n%s\n%u", new.name, new.address, new.container,
		 new.container[0] ? 0 : new.netns);
	if (texts_add(&k->names, name, &at) || (at == k->v.n && VEC_PUSH(&k->v, new)))
		return GRAPH_NONE;
	return (uint32_t)at;
}

static uint32_t service_of(struct finding *k, const struct request *q)
{
	uint64_t at, key;

	if (!map_get(&k->by_sock, q->sock, &at)) {
		at = service_by_name(k, q);
		if (at == GRAPH_NONE || map_set(&k->by_sock, q->sock, at))
			return GRAPH_NONE;
	}
	if (q->server != GRAPH_NONE) {
		uint64_t counted;

		key = at << 32 | k->s->g->tasks[q->server].tgid;
		if (!map_get(&k->by_process, key, &counted)) {
			k->v.v[at].n_processes++;
			if (map_set(&k->by_process, key, 1))
				return GRAPH_NONE;
		}
	}
	return (uint32_t)at;
}

static int find_services(struct finding *k)
{
	struct services *s = k->s;

	s->of = malloc((s->requests.n + 1) * sizeof(*s->of));
	if (!s->of)
		return -ENOMEM;
	for (size_t i = 0; i < s->requests.n; i++) {
		s->of[i] = service_of(k, &s->requests.v[i]);
		if (s->of[i] == GRAPH_NONE)
			return -ENOMEM;
	}
	s->n = k->v.n;
	s->v = TAKE_PTR(k->v.v);
	for (size_t i = 0; i < s->requests.n; i++)
		if (s->requests.v[i].unsure && s->requests.v[i].among != GRAPH_NONE)
			s->v[s->of[s->requests.v[i].among]].unsure = true;
	return 0;
}

static int find_twins(struct services *s)
{
	_cleanup_(texts_done) struct texts names = { 0 };
	_cleanup_free_ uint32_t *first = calloc(s->n + 1, sizeof(*first));
	char name[sizeof(s->v->name) + sizeof(s->v->address) + sizeof(s->v->container) + 3];
	size_t n = 0, at;

	if (!first)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n; i++) {
		snprintf(name, sizeof(name), "%s\n%s\n%s", s->v[i].name, s->v[i].address, s->v[i].container);
		if (texts_add(&names, name, &at))
			return -ENOMEM;
		if (at == n)
			first[n++] = i;
		else
			s->v[i].has_twin = s->v[first[at]].has_twin = true;
	}
	return 0;
}

static void finding_done(struct finding *k)
{
	VEC_FREE(&k->v);
	texts_done(&k->names);
	map_done(&k->by_sock);
	map_done(&k->by_process);
}

static int group_cmp(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->request < y->request ? -1 : x->request > y->request;
}

static struct quantiles latency_of(const struct group *v, size_t n)
{
	return (struct quantiles){ v[quantile_rank(n, 50)].ns, v[quantile_rank(n, 95)].ns,
				   v[quantile_rank(n, 99)].ns, v[n - 1].ns };
}

static int each_group(struct services *s, const struct group *v, size_t n,
		      int (*each)(struct services *s, const struct group *v, size_t n))
{
	int r = 0;

	for (size_t lo = 0, hi; lo < n && !r; lo = hi) {
		for (hi = lo; hi < n && v[hi].key == v[lo].key; hi++)
			;
		r = each(s, v + lo, hi - lo);
	}
	return r;
}

static int sum_reasons(struct services *s, const struct group *v, size_t lo, size_t hi,
		       enum reason_group group, struct reasons *reasons)
{
	size_t n = MIN(hi - lo, (size_t)REQUEST_SAMPLE);
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		const struct group *x = &v[lo + (hi - lo) * i / n];
		part_list parts = { 0 };

		r = parts_of(&s->parts, x->request, &parts);
		for (size_t k = 0; k < parts.n && !r; k++)
			r = reasons_add(reasons, s, (uint32_t)x->key, &parts.v[k], group);
		VEC_FREE(&parts);
	}
	return r;
}

static int fill_service(struct services *s, const struct group *v, size_t n)
{
	struct service *x = &s->v[v->key];
	size_t usual = n * REQUEST_USUAL_FROM / 100, usual_end = MAX(n * REQUEST_USUAL_TO / 100, usual + 1);
	struct reasons reasons = { 0 };
	int r;

	x->count = n;
	x->latency = latency_of(v, n);
	for (size_t i = 0; i < n; i++) {
		x->n_shared += s->requests.v[v[i].request].shared;
		x->n_streams += s->requests.v[v[i].request].stream;
	}
	for (size_t i = 0; i < SERVICE_SLOWEST && i < n; i++)
		x->slowest[x->n_slowest++] = v[n - 1 - i].request;
	if (s->figures_only)
		return 0;
	r = sum_reasons(s, v, usual, usual_end, REASON_USUAL, &reasons);
	if (!r)
		r = sum_reasons(s, v, quantile_rank(n, REQUEST_SLOW_FROM), n, REASON_SLOW, &reasons);
	if (!r)
		r = reasons_shares(&reasons, &x->reasons, &x->n_reasons);
	reasons_done(&reasons);
	return r;
}

static int ask_cmp(const void *a, const void *b)
{
	const struct service_ask *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->service < y->service ? -1 : x->service > y->service;
}

static int fill_ask(struct services *s, const struct group *v, size_t n)
{
	struct service *x = &s->v[v->key >> 32];
	struct service_ask *asks = realloc(x->asks, (x->n_asks + 1) * sizeof(*asks));

	if (!asks)
		return -ENOMEM;
	x->asks = asks;
	asks[x->n_asks] =
		(struct service_ask){ .service = (uint32_t)v->key, .count = n, .latency = latency_of(v, n) };
	for (size_t i = 0; i < n; i++)
		asks[x->n_asks].n_unsure += s->requests.v[v[i].request].unsure;
	x->n_asks++;
	qsort(asks, x->n_asks, sizeof(*asks), ask_cmp);
	return 0;
}

static size_t by_asking(const struct services *s, struct group *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const struct request *q = &s->requests.v[v[i].request];
		uint32_t parent = q->unsure ? q->among : q->parent;

		if (parent == GRAPH_NONE)
			continue;
		v[kept] = v[i];
		v[kept++].key |= (uint64_t)s->of[parent] << 32;
	}
	qsort(v, kept, sizeof(*v), group_cmp);
	return kept;
}

bool service_is_one_way(const struct service *s)
{
	return !s->count && s->n_open && !s->asked;
}

bool services_is_awaited(const struct services *s, uint32_t request)
{
	const struct request *q = &s->requests.v[request];

	return q->client == GRAPH_NONE || client_waits(s, q);
}

/* service.open is the first request in this order. */
static bool is_before(const struct services *s, const struct request *a, const struct request *b)
{
	bool known = a->client != GRAPH_NONE;

	if (known != (b->client != GRAPH_NONE))
		return known;
	return request_from_ns(s->g, a) < request_from_ns(s->g, b);
}

/* Returns true if the wait may be for an answer on the socket. */
static bool may_be_for_answer(const struct interval *x, uint64_t sock)
{
	if (x->state != INTERVAL_BLOCKED)
		return x->state == INTERVAL_UNKNOWN || x->state == INTERVAL_FOLDED;
	if (x->wait == CT_W_EPOLL || x->wait == CT_W_URING || x->wait == CT_W_OTHER)
		return true;
	return (x->wait == CT_W_READ || x->wait == CT_W_POLL) && (!x->obj || x->obj == sock);
}

/* Returns true if the task may have waited, from since_ns on, for an answer on the socket. */
static bool may_wait(struct services *s, uint32_t task, uint64_t sock, uint64_t since_ns)
{
	const struct graph_task *t = &s->g->tasks[task];
	uint32_t end = t->first_interval + t->n_intervals, i = graph_interval_at(s->g, task, since_ns);

	for (i = i == GRAPH_NONE ? t->first_interval : i; i < end; i++) {
		const struct interval *x = &s->g->intervals[i];

		if (x->from_ns >= s->to_ns)
			break;
		if (++s->looks > SERVICE_LOOKS || may_be_for_answer(x, sock))
			return true;
	}
	return false;
}

/* Returns true if a thread of the client may have waited for the answer. */
static bool may_be_asked(struct services *s, const struct request *q)
{
	const struct graph *g = s->g;

	if (q->client == GRAPH_NONE || q->sent == GRAPH_NONE)
		return true;
	for (uint32_t i = 0; i < g->n_tasks; i++)
		if (++s->looks > SERVICE_LOOKS ||
		    (g->tasks[i].tgid == g->tasks[q->client].tgid &&
		     may_wait(s, i, g->w->events[q->sent].r.obj, request_from_ns(g, q))))
			return true;
	return false;
}

static void note_open(struct services *s, uint32_t request)
{
	const struct request *q = s->requests.v;
	struct service *x = &s->v[s->of[request]];

	x->n_open++;
	x->asked = x->asked || may_be_asked(s, &q[request]);
	if (!services_is_awaited(s, request))
		return;
	if (x->open == GRAPH_NONE || is_before(s, &q[request], &q[x->open]))
		x->open = request;
}

static int fill_shapes(struct services *s, const struct group *v, size_t n)
{
	_cleanup_free_ uint32_t *requests = malloc((n + 1) * sizeof(*requests));
	size_t kept = 0;

	if (!requests)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!s->v[s->of[v[i].request]].unsure)
			requests[kept++] = v[i].request;
	return shapes_find(s, requests, kept);
}

static int fill(struct services *s)
{
	_cleanup_free_ struct group *v = malloc((s->requests.n + 1) * sizeof(*v));
	size_t n = 0;
	int r;

	if (!v)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->requests.n; i++) {
		const struct request *q = &s->requests.v[i];

		if (!counts(s, q))
			continue;
		if (q->answered == GRAPH_NONE)
			note_open(s, i);
		else
			v[n++] = (struct group){ s->of[i], i,
						 request_to_ns(s->g, q) - request_from_ns(s->g, q) };
	}
	qsort(v, n, sizeof(*v), group_cmp);
	r = each_group(s, v, n, fill_service);
	if (s->figures_only)
		return r;
	if (!r)
		r = fill_shapes(s, v, n);
	n = by_asking(s, v, n);
	return r ? r : each_group(s, v, n, fill_ask);
}

struct place {
	uint64_t ns;
	uint32_t service;
};

static int place_cmp(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->service < y->service ? -1 : x->service > y->service;
}

static int sort_services(struct services *s)
{
	_cleanup_free_ struct place *places = calloc(s->n + 1, sizeof(*places));
	_cleanup_free_ uint32_t *now = calloc(s->n + 1, sizeof(*now));
	struct service *v = calloc(s->n + 1, sizeof(*v));

	if (!places || !now || !v) {
		free(v);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < s->n; i++)
		places[i].service = i;
	for (size_t i = 0; i < s->requests.n; i++) {
		const struct request *q = &s->requests.v[i];

		if (counts(s, q) && q->answered != GRAPH_NONE)
			places[s->of[i]].ns += request_to_ns(s->g, q) - request_from_ns(s->g, q);
	}
	qsort(places, s->n, sizeof(*places), place_cmp);
	for (size_t i = 0; i < s->n; i++)
		now[places[i].service] = (uint32_t)i;
	for (size_t i = 0; i < s->n; i++) {
		v[i] = s->v[places[i].service];
		for (size_t k = 0; k < v[i].n_asks; k++)
			v[i].asks[k].service = now[v[i].asks[k].service];
		for (size_t k = 0; k < v[i].n_shapes; k++)
			shapes_renumber(&v[i].shapes[k], now);
	}
	for (size_t i = 0; i < s->requests.n; i++)
		s->of[i] = now[s->of[i]];
	free(s->v);
	s->v = v;
	return 0;
}

static void give_number(struct services *s, uint32_t request)
{
	if (request != GRAPH_NONE &&
	    (s->requests.v[request].client != GRAPH_NONE || s->requests.v[request].server != GRAPH_NONE))
		s->numbered[s->n_numbered++] = request;
}

/* `ctrace requests` lists such a service only with --all. */
static bool is_minor(const struct service *x)
{
	return (x->is_pair && !x->count) || service_is_one_way(x);
}

static int number_requests(struct services *s)
{
	s->numbered = malloc((s->n * (SERVICE_SLOWEST + 1) + 1) * sizeof(*s->numbered));
	if (!s->numbered)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		if (!is_minor(&s->v[i]))
			give_number(s, s->v[i].open);
		if (s->v[i].n_slowest)
			give_number(s, s->v[i].slowest[0]);
	}
	for (size_t i = 0; i < s->n; i++) {
		if (is_minor(&s->v[i]))
			give_number(s, s->v[i].open);
		for (size_t k = 1; k < s->v[i].n_slowest; k++)
			give_number(s, s->v[i].slowest[k]);
	}
	return 0;
}

uint32_t services_number(const struct services *s, uint32_t request)
{
	for (size_t i = 0; i < s->n_numbered; i++)
		if (s->numbered[i] == request)
			return (uint32_t)i + 1;
	return 0;
}

uint32_t services_numbered(const struct services *s, uint32_t number)
{
	return number && number <= s->n_numbered ? s->numbered[number - 1] : GRAPH_NONE;
}

static int find(const struct services *wanted, struct services **ret)
{
	const struct graph *g = wanted->g;
	struct services *s = malloc(sizeof(*s));
	struct finding k = { .s = s };
	int r;

	if (!s)
		return -ENOMEM;
	*s = *wanted;
	s->lacks = graph_lacks_within(g, s->from_ns, s->to_ns);
	r = requests_find(g, &s->requests);
	if (!r)
		r = parts_init(&s->parts, g, &s->requests);
	if (!r && !s->figures_only)
		r = locks_find(&s->parts);
	if (!r)
		r = find_services(&k);
	finding_done(&k);
	if (!r)
		r = find_twins(s);
	if (!r)
		r = fill(s);
	if (!r)
		r = sort_services(s);
	if (!r)
		r = number_requests(s);
	if (r) {
		services_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

static const struct services_filter all = { 0 };

int services_find(const struct graph *g, uint64_t from_ns, uint64_t to_ns,
		  const struct services_filter *filter, struct services **ret)
{
	return find(
		&(struct services){ .g = g, .from_ns = from_ns, .to_ns = to_ns, .filter = *(filter ?: &all) },
		ret);
}

int services_count(const struct graph *g, uint64_t from_ns, uint64_t to_ns,
		   const struct services_filter *filter, struct services **ret)
{
	return find(&(struct services){ .g = g,
					.from_ns = from_ns,
					.to_ns = to_ns,
					.filter = *(filter ?: &all),
					.figures_only = true },
		    ret);
}

void services_free(struct services *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		reasons_free(s->v[i].reasons, s->v[i].n_reasons);
		free(s->v[i].asks);
		shapes_free(&s->v[i]);
	}
	free(s->v);
	free(s->of);
	free(s->numbered);
	parts_done(&s->parts);
	requests_done(&s->requests);
	free(s);
}

bool services_counts(const struct services *s, uint32_t request)
{
	return counts(s, &s->requests.v[request]);
}

static int slow_cmp(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;

	if (x->ns[REASON_SLOW] != y->ns[REASON_SLOW])
		return x->ns[REASON_SLOW] > y->ns[REASON_SLOW] ? -1 : 1;
	return texts_order(x->text, y->text);
}

int services_say_part(const struct services *s, const struct part *part, char **ret_text,
		      const char **ret_kind)
{
	struct reasons k = { 0 };
	int r = reasons_add(&k, s, s->of[part->request], part, REASON_SLOW);

	VEC_SORT(&k.v, slow_cmp);
	if (!r) {
		*ret_text = k.v.n ? reasons_text(&k, &k.v.v[0]) : strdup("");
		*ret_kind = k.v.n ? k.v.v[0].kind : time_kind_name(TIME_UNKNOWN);
		r = *ret_text ? 0 : -ENOMEM;
	}
	reasons_done(&k);
	return r;
}

const char *services_nameless_client(const struct services *s, uint32_t request)
{
	uint64_t sock = s->requests.v[request].sock;
	const struct window_object *o = graph_object(s->g, sock);
	bool inet = o && (o->family == AF_INET || o->family == AF_INET6);

	return inet && o->rport && !graph_is_local(s->g, sock) ? "a client on another host"
							       : "a client that is not known";
}

static void say_reason(struct words *t, const struct reasons *k, const struct reason *x)
{
	_cleanup_free_ char *text = reasons_text(k, x);

	words_duration(t, x->ns[REASON_SLOW]);
	words_add(t, " %s", text ? text : x->text);
}

static void say_reasons(struct words *t, const struct reasons *k, uint64_t all_ns)
{
	uint64_t left = all_ns;
	size_t n = 0;

	for (; n < k->v.n && n < REQUEST_SAID && k->v.v[n].ns[REASON_SLOW] >= all_ns / REQUEST_SAID_SHARE;
	     n++) {
		words_add(t, n ? "; " : ": ");
		say_reason(t, k, &k->v.v[n]);
		left -= k->v.v[n].ns[REASON_SLOW];
	}
	if (n && left >= all_ns / REQUEST_SAID_SHARE) {
		words_add(t, "; ");
		words_duration(t, left);
		words_add(t, " other");
	}
}

char *services_say_request(const struct services *s, uint32_t request)
{
	const struct request *q = &s->requests.v[request];
	const struct service *to = &s->v[s->of[request]];
	uint64_t ns = request_to_ns(s->g, q) - request_from_ns(s->g, q);
	struct reasons k = { 0 };
	part_list parts = { 0 };
	struct words t = { 0 };
	char comm[64];
	int r = parts_of(&s->parts, request, &parts);

	for (size_t i = 0; i < parts.n && !r; i++)
		r = reasons_add(&k, s, s->of[request], &parts.v[i], REASON_SLOW);
	VEC_SORT(&k.v, slow_cmp);
	if (q->client == GRAPH_NONE) {
		words_add(&t, "%s", services_nameless_client(s, request));
	} else {
		describe_clean(graph_comm(s->g, q->client, request_from_ns(s->g, q)), comm, sizeof(comm));
		words_add(&t, "%s[%u]", comm, s->g->tasks[q->client].tid);
	}
	words_add(&t, " waited ");
	words_duration(&t, ns);
	words_add(&t, " for %s (%s)", to->name, to->address);
	say_reasons(&t, &k, ns);
	reasons_done(&k);
	VEC_FREE(&parts);
	if (r) {
		free(words_take(&t));
		return NULL;
	}
	return words_take(&t);
}
