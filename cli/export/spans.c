// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/jobs/jobs.h"
#include "analysis/requests/services.h"
#include "cli/cli.h"
#include "cli/export/export.h"
#include "cli/thresholds.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/map.h"
#include "trace/words/describe.h"

/* The spans of a group, such as the requests of a service, may lie over each other. So a group has as many
 * tracks as it has spans at the same time, but at most SPAN_TRACKS. */
struct found {
	struct export_span span;
	uint64_t group;
	uint32_t request, job; /* one of them is GRAPH_NONE */
};

struct track {
	uint64_t end_ns; /* of its last span */
	uint32_t next;   /* the next track of the group; 0: there is none */
};

struct finding {
	const struct export *x;
	struct services *services;
	job_list jobs;
	VEC(struct found) v;
	VEC(struct track) tracks;
	struct map first; /* group -> its first track */
	size_t left_out;
	int err;
};

static void add(struct finding *k, struct found f)
{
	if (!f.span.ended)
		f.span.to_ns = k->x->to_ns;
	if (f.span.from_ns < f.span.to_ns && VEC_PUSH(&k->v, f))
		k->err = -ENOMEM;
}

static void add_request(struct finding *k, uint32_t i)
{
	const struct services *s = k->services;
	const struct request *q = &s->requests.v[i];
	bool ended = q->answered != GRAPH_NONE;

	if (!services_counts(s, i) || !export_is_of(k->x, q->client, q->server))
		return;
	add(k, (struct found){ .span = { .from_ns = request_from_ns(k->x->g, q),
					 .to_ns = ended ? request_to_ns(k->x->g, q) : 0,
					 .by = q->client,
					 .to = q->server,
					 .ended = ended },
			       .group = s->of[i],
			       .request = i,
			       .job = GRAPH_NONE });
}

#define JOBS (1ull << 63) /* the groups of jobs; those of requests are indices of services */

static void add_job(struct finding *k, uint32_t i)
{
	const struct job *j = &k->jobs.v[i];
	uint64_t from = j->queued_ns ? j->queued_ns : j->start_ns;

	if (!from || !export_is_of(k->x, j->enqueuer, j->worker))
		return;
	add(k, (struct found){ .span = { .from_ns = from,
					 .to_ns = j->end_ns,
					 .by = j->enqueuer,
					 .to = j->worker,
					 .ended = j->end_ns != 0 },
			       .group = JOBS | (map_hash(j->obj) ^ j->tgid),
			       .request = GRAPH_NONE,
			       .job = i });
}

static int in_order(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->span.from_ns != y->span.from_ns)
		return x->span.from_ns < y->span.from_ns ? -1 : 1;
	if (x->request != y->request)
		return x->request < y->request ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

static uint32_t new_track(struct finding *k)
{
	if (VEC_PUSH(&k->tracks, (struct track){ 0 }))
		k->err = -ENOMEM;
	return (uint32_t)k->tracks.n - 1;
}

/* Sets span.track to the first track of the group on which no span lies at its begin. Returns false if there
 * is none. */
static bool choose_track(struct finding *k, struct found *f)
{
	uint64_t at;

	if (!map_get(&k->first, f->group, &at)) {
		at = new_track(k);
		if (!k->err && map_set(&k->first, f->group, at))
			k->err = -ENOMEM;
		f->span.first = true;
	}
	for (unsigned n = 1; !k->err && k->tracks.v[at].end_ns > f->span.from_ns; n++) {
		if (n == SPAN_TRACKS)
			return false;
		if (!k->tracks.v[at].next) {
			uint32_t next = new_track(k);

			if (k->err)
				return false;
			k->tracks.v[at].next = next;
			f->span.first = true;
		}
		at = k->tracks.v[at].next;
	}
	if (k->err)
		return false;
	k->tracks.v[at].end_ns = f->span.to_ns;
	f->span.track = (uint32_t)at;
	return true;
}

static void say(struct finding *k, const struct found *f, struct export_span *ret,
		char title[EXPORT_SPAN_MAX], char name[EXPORT_SPAN_MAX])
{
	const struct window *w = k->x->g->w;
	char text[EXPORT_SPAN_MAX] = "";

	*ret = f->span;
	if (f->job == GRAPH_NONE) {
		const struct service *s = &k->services->v[f->group];
		const struct request *q = &k->services->requests.v[f->request];

		snprintf(text, sizeof(text), "requests of %s (%s)", s->name, s->address);
		clean_text(text, title, EXPORT_SPAN_MAX);
		describe_object(w, q->sock, name, EXPORT_SPAN_MAX);
		ret->category = "request";
	} else {
		const struct job *j = &k->jobs.v[f->job];

		describe_object(w, j->obj, text, sizeof(text));
		snprintf(title, EXPORT_SPAN_MAX, "jobs of %s of process %u", *text ? text : "a queue",
			 j->tgid);
		snprintf(name, EXPORT_SPAN_MAX, j->function ? "job 0x%llx" : "job",
			 (unsigned long long)j->function);
		ret->category = "job";
		ret->queueing_ns = job_queueing_ns(j, k->x->to_ns);
	}
	ret->title = title;
	ret->name = name;
}

int export_spans(const struct export *x, export_span_fn fn, void *arg)
{
	struct finding k = { .x = x };
	char title[EXPORT_SPAN_MAX], name[EXPORT_SPAN_MAX];
	struct export_span span;

	k.err = services_count(x->g, x->from_ns, x->to_ns, NULL, &k.services);
	if (!k.err)
		k.err = jobs_find(x->g, x->from_ns, x->to_ns, &k.jobs);
	for (uint32_t i = 0; !k.err && i < k.services->requests.n; i++)
		add_request(&k, i);
	for (uint32_t i = 0; !k.err && i < k.jobs.n; i++)
		add_job(&k, i);
	VEC_SORT(&k.v, in_order);
	for (size_t i = 0; !k.err && i < k.v.n && !export_stopped(x); i++) {
		if (!choose_track(&k, &k.v.v[i])) {
			k.left_out++;
			continue;
		}
		say(&k, &k.v.v[i], &span, title, name);
		fn(arg, &span);
	}
	if (!k.err && k.left_out)
		cli_warn(
			"%zu requests and jobs are left out, because of one service or queue there are more than %d at the same time; the tables (--format csv) have all of them",
			k.left_out, SPAN_TRACKS);
	VEC_FREE(&k.v);
	VEC_FREE(&k.tracks);
	VEC_FREE(&k.jobs);
	map_done(&k.first);
	services_free(k.services);
	return k.err;
}

int export_spans_failed(int r)
{
	return cli_error("cannot find the requests and jobs: %s; narrow the window with --from and --to",
			 strerror(-r));
}
