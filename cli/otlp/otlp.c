// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/otlp.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/hangs/hangs_search.h"
#include "cli/otlp/hang_spans.h"
#include "cli/otlp/job_spans.h"
#include "cli/otlp/request_spans.h"

struct found {
	struct services *services;
	struct contexts contexts;
	struct crashes *crashes;
	struct hangs *hangs;
};

static int find(const struct export *x, struct found *ret)
{
	const struct services_filter requests = { .touching = x->touching };
	const struct hangs_filter filter = { .who = *x->who };
	int r = services_find(x->g, x->from_ns, x->to_ns, &requests, &ret->services);

	if (!r)
		r = contexts_find(ret->services, &ret->contexts);
	if (!r)
		r = crashes_find(x->g, x->from_ns, x->to_ns, &ret->crashes);
	if (!r)
		r = hangs_search(x->g, x->from_ns, x->to_ns, &filter, &ret->hangs);
	if (!r && ret->hangs->missing) {
		cli_error("interrupted");
		raise(SIGINT);     /* removes the partial file (outfile.h) */
		_exit(CLI_FAILED); /* threads may still read the graph */
	}
	return r;
}

static void found_done(struct found *f)
{
	if (f->hangs)
		hangs_free(f->hangs);
	if (f->crashes)
		crashes_free(f->crashes);
	contexts_done(&f->contexts);
	services_free(f->services);
}

static void warn_of_lacks(const struct found *f)
{
	if (f->services->lacks & CT_LACK_MESSAGES)
		cli_warn(
			"the daemon left out messages at times, to keep its budget: requests are missing; 'ctrace budget' can raise the budget");
	if (f->contexts.n_unused)
		cli_warn(
			"%zu reported traceparent%s not used: marks are missing, or the thread worked for no request, or for a request with another traceparent",
			f->contexts.n_unused, f->contexts.n_unused == 1 ? " is" : "s are");
}

int export_otlp(const struct export *x)
{
	struct found f = { 0 };
	struct batch b;
	int r = find(x, &f), code;

	batch_init(&b, x);
	if (!r)
		r = request_spans_put(&b, f.services, &f.contexts, f.crashes);
	if (!r)
		r = job_spans_put(&b, f.services, &f.contexts);
	if (!r)
		hang_spans_put(&b, f.services, &f.contexts, f.hangs);
	code = batch_done(&b);
	if (r)
		code = cli_error(
			"cannot find the requests, jobs and hangs: %s; narrow the window with --from and --to",
			strerror(-r));
	else if (!code)
		warn_of_lacks(&f);
	if (x->url && !code)
		cli_say("sent %zu spans to %s", b.written, x->url);
	else if (x->url && b.written && (r || b.failed))
		cli_say("sent %zu spans to %s before this error", b.written, x->url);
	found_done(&f);
	return code;
}
