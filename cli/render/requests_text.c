// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/requests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/requests/shapes.h"
#include "cli/cli.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "report/walltime.h"

/* Limits that hold without --all. */
#define SERVICES_SHOWN 8 /* --limit N shows N services instead */
#define REASONS_SHOWN  4
#define SHAPES_SHOWN   3
#define SHARE_SHOWN    0.02 /* reasons with a smaller share of the p99 are not shown */

static void show_reasons(FILE *f, const struct requests_view *v, const struct service *s)
{
	size_t n = v->all ? s->n_reasons : MIN(s->n_reasons, (size_t)REASONS_SHOWN);

	for (size_t i = 0; i < n; i++) {
		const struct service_reason *r = &s->reasons[i];

		if (!v->all && r->share_p99 < SHARE_SHOWN)
			break;
		fprintf(f, "    %s %3.0f %% of p99, %3.0f %% of p50  %s\n",
			i ? "     " : "Time:", r->share_p99 * 100, r->share_p50 * 100, r->text);
	}
}

static void show_asks(FILE *f, const struct requests_view *v, const struct service *s)
{
	char n[TEXT_NUMBER_MAX], p50[TEXT_NUMBER_MAX], p99[TEXT_NUMBER_MAX];

	for (size_t i = 0; i < s->n_asks; i++) {
		const struct service *other = &v->services->v[s->asks[i].service];

		fprintf(f, "    %s %s (%s): %s, p50 %s, p99 %s", i ? "     " : "Asks:", other->name,
			other->address, text_count(s->asks[i].count, n),
			text_duration(s->asks[i].latency.p50, p50),
			text_duration(s->asks[i].latency.p99, p99));
		if (s->asks[i].n_unsure)
			fprintf(f, "; for %s of them, it is not known for which request",
				text_count(s->asks[i].n_unsure, n));
		fputc('\n', f);
	}
}

/* If all requests have one shape, the shape says no more than show_asks(). */
static int show_shapes(FILE *f, const struct requests_view *v, const struct service *s)
{
	size_t n = v->all ? s->n_shapes : MIN(s->n_shapes, (size_t)SHAPES_SHOWN);
	char count[TEXT_NUMBER_MAX], p50[TEXT_NUMBER_MAX], p99[TEXT_NUMBER_MAX];

	if (s->n_all_shapes < 2)
		return CLI_OK;
	for (size_t i = 0; i < n; i++) {
		const struct service_shape *x = &s->shapes[i];
		_cleanup_free_ char *text = shapes_say(v->services, x);

		if (!text)
			return cli_error("out of memory");
		fprintf(f, "    %s %s, p50 %s, p99 %s: %s\n",
			i ? "       " : "Shapes:", text_count(x->count, count),
			text_duration(x->latency.p50, p50), text_duration(x->latency.p99, p99), text);
	}
	if (n < s->n_all_shapes)
		fprintf(f, "            and %s more shape%s\n", text_count(s->n_all_shapes - n, count),
			text_s(s->n_all_shapes - n));
	return CLI_OK;
}

/* Prints the number of a request for --request, such as "3. ". */
static void show_number(FILE *f, const struct requests_view *v, uint32_t request)
{
	uint32_t number = services_number(v->services, request);

	if (number)
		fprintf(f, "%" PRIu32 ". ", number);
}

static int show_slowest(FILE *f, const struct requests_view *v, const struct service *s)
{
	char took[TEXT_NUMBER_MAX], at[WALLTIME_MAX];
	size_t n = v->all ? s->n_slowest : MIN(s->n_slowest, (size_t)1);

	for (size_t i = 0; i < n; i++) {
		const struct request *q = &v->services->requests.v[s->slowest[i]];
		_cleanup_free_ char *text = services_say_request(v->services, s->slowest[i]);
		uint64_t from_ns = request_from_ns(v->g, q);

		if (!text)
			return cli_error("out of memory");
		fprintf(f, "    %s ", i ? "        " : "Slowest:");
		show_number(f, v, s->slowest[i]);
		fprintf(f, "%s at %s: %s\n", text_duration(request_to_ns(v->g, q) - from_ns, took),
			walltime_clock(from_ns, &v->g->w->offsets, 3, at), text);
	}
	return CLI_OK;
}

static void show_open(FILE *f, const struct requests_view *v, const struct service *s)
{
	const struct request *q = &v->services->requests.v[s->open];
	uint64_t from_ns = request_from_ns(v->g, q), to_ns = v->services->to_ns;
	char took[TEXT_NUMBER_MAX], at[WALLTIME_MAX], comm[64];

	fputs("    Unanswered: ", f);
	show_number(f, v, s->open);
	fprintf(f, "%s since %s: ", text_duration(to_ns - from_ns, took),
		walltime_clock(from_ns, &v->g->w->offsets, 3, at));
	if (q->client == GRAPH_NONE) {
		fputs(services_nameless_client(v->services, s->open), f);
	} else {
		describe_clean(graph_comm(v->g, q->client, from_ns), comm, sizeof(comm));
		fprintf(f, "%s[%" PRIu32 "]", comm, v->g->tasks[q->client].tid);
	}
	fputs(" sent a request, and had no answer at the end of the window\n", f);
}

static int show_service(FILE *f, const struct requests_view *v, const struct service *s)
{
	char n[TEXT_NUMBER_MAX], open[TEXT_NUMBER_MAX], shared[TEXT_NUMBER_MAX], p[4][TEXT_NUMBER_MAX];
	char place[CGROUP_NAME_MAX];
	double seconds = (double)(v->services->to_ns - v->services->from_ns) / 1e9;

	fprintf(f, "\n%s  %s", s->name, s->address);
	describe_clean(s->container, place, sizeof(place));
	if (place[0])
		fprintf(f, "  in container %s", place);
	if (s->has_twin && s->netns)
		fprintf(f, "  in network namespace %" PRIu32, s->netns);
	if (s->n_processes > 1)
		fprintf(f, "  (%zu processes)", s->n_processes);
	if (service_is_one_way(s)) {
		fprintf(f, "\n    no requests: no client waited for an answer to its %s message%s\n",
			text_count(s->n_open, open), text_s(s->n_open));
		return CLI_OK;
	}
	fprintf(f, "\n    %s request%s", text_count(s->count, n), text_s(s->count));
	/* requests that touch a window did not all end in it, so there is no rate */
	if (!v->services->filter.touching)
		fprintf(f, ", %.4g/s", (double)s->count / seconds);
	if (s->count)
		fprintf(f, "; p50 %s, p95 %s, p99 %s, max %s", text_duration(s->latency.p50, p[0]),
			text_duration(s->latency.p95, p[1]), text_duration(s->latency.p99, p[2]),
			text_duration(s->latency.max, p[3]));
	if (s->n_open)
		fprintf(f, "; %s without an answer", text_count(s->n_open, open));
	if (s->n_shared)
		fprintf(f,
			s->n_shared == 1 ? "; %s is a turn of a shared connection"
					 : "; %s are turns of shared connections",
			text_count(s->n_shared, shared));
	if (s->n_streams)
		fprintf(f, "; a probe tells %s of them apart on shared connections",
			text_count(s->n_streams, shared));
	fputc('\n', f);
	if (s->open != GRAPH_NONE)
		show_open(f, v, s);
	show_reasons(f, v, s);
	show_asks(f, v, s);
	return show_shapes(f, v, s) ?: show_slowest(f, v, s);
}

/* Only --all shows services to which the clients only send, and socket pairs without an answered request. */
static bool is_shown(const struct requests_view *v, const struct service *s)
{
	return s->count || (s->n_open && (v->all || (!s->is_pair && !service_is_one_way(s))));
}

int render_requests(FILE *f, const struct requests_view *v)
{
	size_t limit = v->limit ? v->limit : v->all ? v->services->n : SERVICES_SHOWN, shown = 0, left = 0;
	int r = CLI_OK;

	for (size_t i = 0; i < v->services->n && !r; i++) {
		const struct service *s = &v->services->v[tablearg_row(v->order, i)];

		if (!is_shown(v, s))
			continue;
		if (shown == limit) {
			left++;
			continue;
		}
		r = show_service(f, v, s);
		shown++;
	}
	if (!shown)
		fprintf(f,
			"No requests in this time. A request from before this time is not listed, even if its client still waits; 'ctrace hangs' lists such waits.\n");
	if (left)
		fprintf(f, "\n%zu more service%s: show them with --limit\n", left, text_s(left));
	return r;
}
