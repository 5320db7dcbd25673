// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/hangs/hangs_search.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/input/analysis_input.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

struct search {
	const struct graph *g;
	int done_fd; /* an eventfd: readable when a thread has finished a row */
	bool worst;
	pthread_t threads[DIAGNOSE_THREADS];
	size_t n_threads;

	/* Protects the members below, and each row of `h` that has no diagnosis yet. */
	pthread_mutex_t lock;
	struct hangs *h;
	size_t next;
	size_t done;
	bool over;
	int err;
};

static bool take(struct search *s, size_t *ret_row, struct hang *ret)
{
	bool any;

	pthread_mutex_lock(&s->lock);
	any = !s->over && s->next < s->h->n;
	if (any) {
		*ret_row = s->next++;
		*ret = s->h->v[*ret_row];
	}
	pthread_mutex_unlock(&s->lock);
	return any;
}

static void put_back(struct search *s, size_t row, const struct hang *x, int err)
{
	uint64_t one = 1;

	pthread_mutex_lock(&s->lock);
	if (s->over) {
		diagnosis_free(x->diagnosis);
	} else if (err) {
		s->err = err;
	} else {
		s->h->v[row] = *x;
		s->done++;
	}
	pthread_mutex_unlock(&s->lock);
	(void)!write(s->done_fd, &one, sizeof(one));
}

static void *work(void *arg)
{
	struct search *s = arg;
	struct hang x;
	size_t row;

	while (take(s, &row, &x)) {
		int r = hangs_diagnose(s->g, &x);

		put_back(s, row, &x, r);
	}
	return NULL;
}

static void start(struct search *s)
{
	size_t want = MIN((size_t)cli_threads(DIAGNOSE_THREADS), s->h->n);

	while (s->n_threads < want && !pthread_create(&s->threads[s->n_threads], NULL, work, s))
		s->n_threads++;
	if (!s->n_threads)
		work(s);
}

static bool is_ready(struct search *s, size_t row)
{
	bool ready;

	pthread_mutex_lock(&s->lock);
	ready = row < s->h->n && s->h->v[row].diagnosis;
	pthread_mutex_unlock(&s->lock);
	return ready;
}

static bool is_found(struct search *s, size_t settled)
{
	bool found;

	pthread_mutex_lock(&s->lock);
	found = s->worst && hangs_are_decided(s->h, settled);
	pthread_mutex_unlock(&s->lock);
	return found;
}

static int look(struct search *s)
{
	size_t done;
	int err;

	pthread_mutex_lock(&s->lock);
	done = s->done;
	err = s->err;
	pthread_mutex_unlock(&s->lock);
	cli_progress_count("Candidates diagnosed", done, s->h->n);
	return err;
}

/* Calls hangs_settle() for each row, in order, as soon as the row has a diagnosis. With s->worst, ends
 * when the worst hang is known. *settled: for how many rows hangs_settle() was called so far. */
static int wait_for_rows(struct search *s, int signal_fd, size_t *settled, bool *ret_interrupted)
{
	struct pollfd p[] = { { .fd = s->done_fd, .events = POLLIN }, { .fd = signal_fd, .events = POLLIN } };
	struct signalfd_siginfo info;
	size_t at = *settled;
	bool found = false;
	uint64_t n;
	int r = look(s);

	while (!r && !found && at < s->h->n) {
		if (poll(p, ARRAY_SIZE(p), -1) < 0 && errno != EINTR)
			return -errno;
		if (p[1].revents && read(signal_fd, &info, sizeof(info)) > 0) {
			*ret_interrupted = true;
			break;
		}
		(void)!read(s->done_fd, &n, sizeof(n));
		r = look(s);
		while (!r && !found && is_ready(s, at)) {
			r = hangs_settle(s->g, &s->h->v[at]);
			found = !r && is_found(s, ++at);
		}
	}
	*settled = at;
	return r;
}

static void end(struct search *s)
{
	pthread_mutex_lock(&s->lock);
	s->over = true;
	pthread_mutex_unlock(&s->lock);
	cli_progress_count("", 0, 0);
}

static void search_free(struct search *s)
{
	for (size_t i = 0; i < s->n_threads; i++)
		pthread_join(s->threads[i], NULL);
	if (s->done_fd >= 0)
		close(s->done_fd);
	free(s);
}

/* The threads may still use s, so s is not freed. */
static void search_abandon(struct search *s)
{
	for (size_t i = 0; i < s->n_threads; i++)
		pthread_detach(s->threads[i]);
}

/* Drops the rows from n on. The threads may have diagnosed some of these rows. */
static void drop_rows(struct hangs *h, size_t n)
{
	for (size_t i = n; i < h->n; i++)
		diagnosis_free(h->v[i].diagnosis);
	h->n = n;
}

static int diagnose_rows(const struct graph *g, struct hangs *h, size_t first, bool worst)
{
	struct search *s = calloc(1, sizeof(*s));
	bool interrupted = false;
	sigset_t old, set;
	size_t settled = first;
	int fd, r;

	if (!s)
		return -ENOMEM;
	*s = (struct search){ .g = g,
			      .h = h,
			      .worst = worst,
			      .next = first,
			      .done = first,
			      .lock = PTHREAD_MUTEX_INITIALIZER };
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	s->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = fd < 0 || s->done_fd < 0 ? -errno : 0;
	if (!r) {
		start(s);
		r = wait_for_rows(s, fd, &settled, &interrupted);
		end(s);
	}
	if (interrupted)
		search_abandon(s);
	else
		search_free(s);
	if (!r && !interrupted)
		drop_rows(h, settled);
	if (fd >= 0)
		close(fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r;
}

static int diagnose_worst(const struct graph *g, struct hangs *h)
{
	bool found = false;
	size_t at = 0;
	int r = 0;

	while (at < MIN(h->n, (size_t)DIAGNOSE_ALONE) && !found && !r) {
		r = hangs_diagnose(g, &h->v[at]);
		if (!r)
			r = hangs_settle(g, &h->v[at]);
		found = !r && hangs_are_decided(h, ++at);
	}
	if (!r && !found && at < h->n)
		return diagnose_rows(g, h, at, true);
	if (!r)
		drop_rows(h, at);
	return r;
}

int hangs_search(const struct graph *g, uint64_t from_ns, uint64_t to_ns, const struct hangs_filter *filter,
		 struct hangs **ret)
{
	bool worst = filter && filter->worst;
	struct hangs *h;
	int r = hangs_candidates(g, from_ns, to_ns, filter, &h);

	if (r)
		return r;
	if (h->n)
		r = worst ? diagnose_worst(g, h) : diagnose_rows(g, h, 0, false);
	if (r) {
		hangs_free(h);
		return r;
	}
	hangs_sort(h);
	*ret = h;
	return 0;
}

int hangs_search_all(const struct analysis_input *in, const struct hangs_filter *filter, struct hangs **ret)
{
	int r = hangs_search(in->graph, in->from_ns, in->to_ns, filter, ret);

	if (r)
		return cli_error("%s: cannot look for hangs: %s", in->path, strerror(-r));
	/* Ctrl-C ended the search. Threads may still read the graph, so it is not freed. */
	if ((*ret)->missing)
		_exit(cli_output_end(CLI_FAILED));
	return CLI_OK;
}
