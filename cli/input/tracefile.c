// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/input/tracefile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "report/thresholds.h"
#include "report/walltime.h"

/* How many events a piece of tracefile_each() should have. */
#define PIECE_EVENTS 500000
/* The most events that a piece may have. Such a piece takes about 450 MB. */
#define PIECE_EVENTS_MAX (8ULL << 20)

int tracefile_open(const char *path, struct reader **ret)
{
	char err[READER_ERR_MAX];
	struct reader *r;

	if (reader_open(path, &r, err))
		return cli_error("%s", err);
	*ret = r;
	return tracefile_check(ret, path);
}

int tracefile_check(struct reader **trace, const char *path)
{
	struct reader *r = *trace;

	if (!reader_info(r)->n_segments) {
		reader_free(TAKE_PTR(*trace));
		return cli_error("%s: the trace is still empty; try again in some seconds", path);
	}
	if (reader_info(r)->n_cut_slots)
		cli_warn(
			"%s is cut off: %u of its %u slots and their records are missing; copy it again if you can",
			path, reader_info(r)->n_cut_slots, reader_info(r)->n_slots);
	reader_use_threads(r, cli_threads(LOAD_THREADS_MAX));
	return CLI_OK;
}

int tracefile_use_boot(struct reader *r, const char *path, const char *arg)
{
	uint64_t back;
	int e;

	if (!arg)
		return CLI_OK;
	if (cli_number(arg, UINT32_MAX, &back)) {
		cli_error("--boot %s: this is not a number; 0 is the newest boot, 1 the one before", arg);
		return CLI_USAGE;
	}
	e = reader_use_boot(r, (unsigned)back);
	if (e == -ERANGE)
		return cli_error(
			"--boot %s: %s has no such boot; the number of its boots is %u, and 0 is the newest",
			arg, path, reader_info(r)->n_boots);
	return e ? cli_error("out of memory") : CLI_OK;
}

struct timearg_context tracefile_context(const struct reader *r)
{
	const struct reader_info *i = reader_info(r);

	return (struct timearg_context){ .offsets = i->offsets, .from_ns = i->from_ns, .to_ns = i->to_ns };
}

static int say_outside(const struct reader *r, const char *path, const char *option, const char *arg)
{
	const struct reader_info *i = reader_info(r);
	char a[WALLTIME_MAX], b[WALLTIME_MAX], d[TEXT_NUMBER_MAX];

	return cli_error("%s %s: this time is not in %s; the trace goes from %s to %s (%s)", option, arg,
			 path, walltime_text(i->from_ns, &i->offsets, 3, a),
			 walltime_text(i->to_ns, &i->offsets, 3, b), text_duration(i->to_ns - i->from_ns, d));
}

static int parse(const struct reader *r, const char *option, const char *arg, uint64_t *ret_ns)
{
	struct timearg_context ctx = tracefile_context(r);
	char err[TIMEARG_ERR_MAX];
	int e = timearg_parse(arg, &ctx, ret_ns, err);

	if (!e)
		return CLI_OK;
	cli_error("%s %s: %s", option, arg, err);
	return e == -EINVAL ? CLI_USAGE : CLI_FAILED;
}

/* A wall clock time lies in one boot only. A time such as -30s exists in every boot. */
static bool is_wall(const char *arg)
{
	return !strncmp(arg, "real:", 5) || (*arg >= '0' && *arg <= '9');
}

static bool lies_in(const struct reader *r, const char *arg)
{
	const struct reader_info *i = reader_info(r);
	struct timearg_context ctx = tracefile_context(r);
	char err[TIMEARG_ERR_MAX];
	uint64_t ns;

	return !timearg_parse(arg, &ctx, &ns, err) && ns >= i->from_ns && ns <= i->to_ns;
}

void tracefile_find_boot(struct reader *r, const char *option, const char *arg)
{
	if (!arg || reader_info(r)->boot || !is_wall(arg) || lies_in(r, arg))
		return;
	for (unsigned back = 1; back < reader_info(r)->n_boots; back++) {
		if (reader_use_boot(r, back))
			break;
		if (lies_in(r, arg)) {
			cli_warn(
				"%s %s: this time is before the last boot of the machine; ctrace uses --boot %u",
				option, arg, back);
			return;
		}
	}
	reader_use_boot(r, 0);
}

int tracefile_time(const struct reader *r, const char *path, const char *option, const char *arg,
		   uint64_t *ret_ns)
{
	const struct reader_info *i = reader_info(r);
	uint64_t ns = 0;
	int code = parse(r, option, arg, &ns);

	if (code)
		return code;
	if (ns < i->from_ns || ns > i->to_ns)
		return say_outside(r, path, option, arg);
	*ret_ns = ns;
	return CLI_OK;
}

static int parse_last(const char *last, uint64_t end_ns, uint64_t *ret_from_ns)
{
	char err[TIMEARG_ERR_MAX];
	uint64_t ns;

	if (timearg_duration(last, &ns, err)) {
		cli_error("--last %s: %s", last, err);
		return CLI_USAGE;
	}
	*ret_from_ns = ns < end_ns ? end_ns - ns : 0;
	return CLI_OK;
}

/* Reads the argument of --at. The moment has to overlap the trace. */
static int read_moment(struct reader *r, const char *path, const char *arg, struct timearg_moment *ret)
{
	const struct reader_info *i = reader_info(r);
	struct timearg_moment at;
	int code;

	tracefile_find_boot(r, "--at", arg);
	code = parse(r, "--at", arg, &at.from_ns);
	if (code)
		return code;
	at.to_ns = at.from_ns + timearg_length_ns(arg);
	if (at.to_ns <= i->from_ns || at.from_ns > i->to_ns)
		return say_outside(r, path, "--at", arg);
	*ret = at;
	return CLI_OK;
}

/* The window begins around_ns before the moment, and ends around_ns after it, but does not leave the trace.
 */
static void clip_around(const struct reader *r, const struct timearg_moment *at, uint64_t around_ns,
			uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	const struct reader_info *i = reader_info(r);

	*ret_from_ns = MAX(i->from_ns, at->from_ns > around_ns ? at->from_ns - around_ns : 0);
	*ret_to_ns = MIN(i->to_ns + 1, at->to_ns + around_ns);
}

static int moment_window(struct reader *r, const char *path, const char *arg, uint64_t *ret_from_ns,
			 uint64_t *ret_to_ns)
{
	const struct reader_info *i = reader_info(r);
	uint64_t first_ns = i->from_ns, end_ns = i->to_ns + 1, ns;
	struct timearg_moment at;
	int code = read_moment(r, path, arg, &at);

	if (code)
		return code;
	ns = at.to_ns - at.from_ns;
	clip_around(r, &at, ns < MOMENT_NS ? (MOMENT_NS - ns + 1) / 2 : 0, ret_from_ns, ret_to_ns);
	if (*ret_to_ns - *ret_from_ns >= MOMENT_NS)
		return CLI_OK;
	/* near an end of the trace, the window has more of the other side */
	if (*ret_to_ns == end_ns)
		*ret_from_ns = end_ns - first_ns > MOMENT_NS ? end_ns - MOMENT_NS : first_ns;
	else
		*ret_to_ns = end_ns - first_ns > MOMENT_NS ? first_ns + MOMENT_NS : end_ns;
	return CLI_OK;
}

static int check_window(const struct windowarg *window)
{
	if (window->at && windowarg_is_set(window))
		cli_error("give either --at, or --from, --to and --last");
	else if (window->last && (window->from || window->to))
		cli_error("give either --last, or --from and --to");
	else
		return CLI_OK;
	return CLI_USAGE;
}

int tracefile_moment(struct reader *r, const char *path, const struct windowarg *window,
		     uint64_t *ret_from_ns, uint64_t *ret_to_ns, struct timearg_moment *ret_at)
{
	int code = check_window(window);

	*ret_at = (struct timearg_moment){ 0 };
	if (!code && !window->at)
		return tracefile_window(r, path, window, ret_from_ns, ret_to_ns);
	if (!code)
		code = read_moment(r, path, window->at, ret_at);
	if (!code)
		clip_around(r, ret_at, LOAD_AROUND_NS, ret_from_ns, ret_to_ns);
	return code;
}

int tracefile_window(struct reader *r, const char *path, const struct windowarg *window,
		     uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	const struct reader_info *i = reader_info(r);
	const char *from = window->from, *to = window->to;
	uint64_t a, end, b;
	int code = check_window(window);

	if (code)
		return code;
	if (window->at)
		return moment_window(r, path, window->at, ret_from_ns, ret_to_ns);
	tracefile_find_boot(r, from ? "--from" : "--to", from ? from : to);
	a = i->from_ns;
	b = end = i->to_ns + 1;
	if (window->last)
		code = parse_last(window->last, i->to_ns, &a);
	if (from)
		code = parse(r, "--from", from, &a);
	if (!code && to)
		code = parse(r, "--to", to, &b);
	if (code)
		return code;
	if (from && to && a >= b) {
		cli_error("--from %s --to %s: the window is empty; the first time must be before the second",
			  from, to);
		return CLI_USAGE;
	}
	if (from && a >= end)
		return say_outside(r, path, "--from", from);
	if (to && b <= i->from_ns)
		return say_outside(r, path, "--to", to);
	*ret_from_ns = MAX(a, i->from_ns);
	*ret_to_ns = MIN(b, end);
	return CLI_OK;
}

int tracefile_load(struct reader *r, uint64_t from_ns, uint64_t to_ns, struct window **ret)
{
	char err[READER_ERR_MAX];
	int e;

	reader_on_progress(r, cli_progress, (void *)"Reading");
	e = window_load(r, from_ns, to_ns, 0, ret, err);
	reader_on_progress(r, NULL, NULL);
	cli_progress(NULL, 100);
	if (e == -E2BIG)
		return cli_error("%s; narrow it with --from and --to", err);
	return e ? cli_error("%s", err) : CLI_OK;
}

static uint64_t first_span(const struct reader *r, uint64_t range_ns)
{
	const struct reader_info *i = reader_info(r);
	unsigned __int128 all_ns = i->to_ns - i->from_ns + 1;

	if (i->records <= PIECE_EVENTS)
		return range_ns;
	return MAX((uint64_t)(all_ns * PIECE_EVENTS / i->records), NSEC_PER_MSEC);
}

int tracefile_each(struct reader *r, uint64_t from_ns, uint64_t to_ns, tracefile_piece_fn fn, void *arg)
{
	uint64_t at = from_ns, span = first_span(r, to_ns - from_ns), step = span;
	char err[READER_ERR_MAX];
	bool more = true, any = false;

	while (more && at < to_ns) {
		uint64_t end = step < to_ns - at ? at + step : to_ns;
		struct window *w;
		int e = window_load(r, at, end, PIECE_EVENTS_MAX, &w, err);

		if (e == -E2BIG && step > 1) {
			step /= 2;
			continue;
		}
		cli_progress((void *)"Reading",
			     (unsigned)((at - from_ns) * (__int128)99 / (to_ns - from_ns)));
		if (e == -ENOMEM || e == -E2BIG) {
			cli_progress(NULL, 100);
			return cli_error("%s", err);
		}
		if (!e) {
			more = fn(arg, w, window_lower_bound(w, at), window_lower_bound(w, end));
			any = true;
			window_free(w);
		} else if (e != -ERANGE) { /* -ERANGE: this piece overlaps no segment */
			cli_progress(NULL, 100);
			cli_warn("%s", err);
		}
		at = end;
		step = span;
	}
	cli_progress(NULL, 100);
	return any ? CLI_OK
		   : cli_error(
			     "nothing in this window could be read; choose another window, or see the gaps of the trace with 'ctrace info'");
}

void tracefile_say_written(int fd, const char *path, bool command, uint64_t lost_more)
{
	char bytes[TEXT_NUMBER_MAX], dur[TEXT_NUMBER_MAX], records[TEXT_NUMBER_MAX], lost[TEXT_NUMBER_MAX];
	char err[READER_ERR_MAX];
	const struct reader_info *i;
	struct reader *r = NULL;
	uint64_t n_lost = lost_more;

	if (reader_open_fd(fd, path, &r, err)) {
		cli_warn("%s", err);
		return;
	}
	i = reader_info(r);
	for (unsigned c = 0; c < CT_LOSS_CAUSES; c++)
		n_lost += i->lost_by_cause[c];
	cli_say("wrote %s: %s, %s, %s records, %s lost%s; next: ctrace %s %s", path,
		text_bytes(i->file_bytes, bytes), text_duration(i->to_ns - i->from_ns, dur),
		text_count(i->records, records), n_lost ? text_count(n_lost, lost) : "none",
		i->records_by_kind[CT_GAP] || i->records_by_kind[CT_SHED] || i->n_bad_slots
			? ", but parts were not recorded (see ctrace info)"
			: "",
		command ? "diagnose" : "hangs", path);
	reader_free(r);
}
