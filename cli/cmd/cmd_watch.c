// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/client/client.h"
#include "cli/live/dwarf_member.h"
#include "cli/text.h"
#include "cli/input/timearg.h"
#include "cli/thresholds.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "report/walltime.h"

#define WATCH_POLL_MS 200
/* ms: At the end, the command waits this long, and then asks the daemon for accesses for the last time. The
 * daemon needs up to 250 ms to get an access, and up to 250 ms more to get the name of the function that
 * made the access. */
#define WATCH_LAST_MS 600

enum { OPT_PID = 256, OPT_VAR, OPT_LEN, OPT_READ, OPT_FOR, OPT_SOCKET };

static const struct cli_option options[] = {
	{ OPT_PID, "pid", "PID", "Watch a variable of this process" },
	{ OPT_VAR, "var", "VAR",
	  "The variable: SYMBOL, SYMBOL.MEMBER, SYMBOL+OFFSET, 0xADDRESS; LIBRARY:SYMBOL, FILE.c:SYMBOL" },
	{ OPT_LEN, "len", "N", "Watch 1, 2, 4 or 8 bytes (default: the variable's size)" },
	{ OPT_READ, "read", NULL, "Record reads too: of each task the first read after each change" },
	{ OPT_FOR, "for", "T", "End after T: 10s, 2m (default: at Ctrl-C, or when the process ends)" },
	{ OPT_SOCKET, "socket", "PATH", CLIENT_SOCKET_HELP },
	{ 0 },
};

static const struct cli_usage usage = {
	.name = "watch",
	.args = "--pid PID --var VAR [--len N] [--read] [--for T] [--socket PATH]",
	.about =
		"Asks the running daemon to record who writes a variable of a process, with a hardware watchpoint.\n"
		"Prints each write. The watchpoint lasts as long as this command. There are at most four watchpoints;\n"
		"one with --read counts as two.",
	.options = options,
};

struct watch {
	const char *socket, *var;
	char spec[DWARF_MEMBER_SPEC_MAX];
	uint64_t pid, len, for_ns;
	bool reads;
	int sock, signal_fd;
	json_int_t id;
	uint32_t bytes;
	struct clock_offsets offsets;
	uint64_t refused;
	char ended[16];
};

/* A large number is in hex, because it may be a mask or an address. */
static const char *value_text(const struct watch *w, uint64_t v, char buf[TEXT_NUMBER_MAX])
{
	int64_t s = w->bytes == 1   ? (int8_t)v
		    : w->bytes == 2 ? (int16_t)v
		    : w->bytes == 4 ? (int32_t)v
				    : (int64_t)v;

	if (s > -1000000 && s < 1000000)
		snprintf(buf, TEXT_NUMBER_MAX, "%" PRId64, s);
	else
		snprintf(buf, TEXT_NUMBER_MAX, "0x%" PRIx64, v);
	return buf;
}

static void task_name(const struct watch *w, uint32_t tid, char buf[64])
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], raw[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", tid);
	f = fopen(path, "re");
	if (!f) {
		snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", w->pid);
		f = fopen(path, "re");
	}
	n = f ? fread(raw, 1, sizeof(raw) - 1, f) : 0;
	raw[n ? n - 1 : 0] = 0; /* replaces the newline; a name may have newlines too */
	clean_text(n ? raw : "?", buf, 64);
}

static const char *str(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static uint64_t num(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static void print_access(const struct watch *w, const json_t *a)
{
	char wall[WALLTIME_MAX], value[TEXT_NUMBER_MAX], name[64];
	const char *where = str(a, "where");
	uint32_t tid = (uint32_t)num(a, "tid");

	task_name(w, tid, name);
	walltime_text(num(a, "ts_ns"), &w->offsets, 6, wall);
	printf("%s  %-5s %-10s %s[%" PRIu32 "]%s%s\n", wall,
	       json_is_true(json_object_get(a, "read")) ? "read" : "write",
	       value_text(w, num(a, "value"), value), name, tid, *where ? "  " : "", where);
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = num(*(const json_t *const *)a, "ts_ns"), y = num(*(const json_t *const *)b, "ts_ns");

	return (x > y) - (x < y);
}

/* The daemon's list is in order of time only within each CPU. */
static void print_accesses(const struct watch *w, const json_t *list)
{
	size_t n = json_array_size(list);
	_cleanup_free_ json_t **v = calloc(n, sizeof(json_t *));

	for (size_t i = 0; v && i < n; i++)
		v[i] = json_array_get(list, i);
	if (v)
		qsort(v, n, sizeof(json_t *), by_time);
	for (size_t i = 0; v && i < n; i++)
		print_access(w, v[i]);
	fflush(stdout);
}

static int ask(struct watch *w, json_t *request, json_t **ret)
{
	char err[CLIENT_ERR_MAX] = "out of memory";
	int r = request ? client_ask(w->sock, w->socket, request, -1, WAIT_WATCH_MS, ret, err) : -ENOMEM;

	json_decref(request);
	if (r)
		return cli_error("%s", err);
	return text_clean(*ret) ? cli_error("out of memory") : CLI_OK;
}

static int resolve_member(struct watch *w)
{
	char err[DWARF_MEMBER_ERR_MAX];
	uint64_t size;

	if (!dwarf_member_is(w->var))
		return CLI_OK;
	if (dwarf_member_find((uint32_t)w->pid, w->var, w->spec, &size, err))
		return cli_error("%s", err);
	w->var = w->spec;
	if (!w->len && (size == 1 || size == 2 || size == 4 || size == 8))
		w->len = size;
	return CLI_OK;
}

static int begin(struct watch *w)
{
	char value[TEXT_NUMBER_MAX], err[CLIENT_ERR_MAX];
	json_t *answer = NULL;
	int r;

	w->sock = client_open(w->socket, err);
	if (w->sock < 0)
		return cli_error("%s", err);
	r = resolve_member(w);
	if (r)
		return r;
	r = ask(w,
		json_pack("{s:s,s:I,s:s,s:I,s:b}", "cmd", "watch", "pid", (json_int_t)w->pid, "var", w->var,
			  "len", (json_int_t)w->len, "reads", w->reads),
		&answer);
	if (r)
		return r;
	w->id = (json_int_t)num(answer, "watch");
	w->bytes = (uint32_t)num(answer, "len");
	w->offsets = clock_offsets_now();
	cli_say("watching %s of process %" PRIu64 ": %" PRIu32 " bytes at %s, now %s%s", str(answer, "name"),
		num(answer, "pid"), w->bytes, str(answer, "address"),
		value_text(w, num(answer, "value"), value), w->for_ns ? "" : "; Ctrl-C ends it");
	json_decref(answer);
	return CLI_OK;
}

static int look(struct watch *w, bool *ret_ended)
{
	json_t *answer = NULL;
	int r = ask(w, json_pack("{s:s,s:I}", "cmd", "watched", "watch", w->id), &answer);

	if (r)
		return r;
	print_accesses(w, json_object_get(answer, "accesses"));
	if (num(answer, "unshown"))
		cli_warn("%" PRIu64 " more accesses were recorded, but are not shown here",
			 num(answer, "unshown"));
	w->refused = num(answer, "refused");
	snprintf(w->ended, sizeof(w->ended), "%s", str(answer, "ended"));
	*ret_ended = *w->ended;
	json_decref(answer);
	return CLI_OK;
}

static int go_on(struct watch *w)
{
	uint64_t until = w->for_ns ? clock_boot_ns() + w->for_ns : UINT64_MAX;
	bool ended = false, stop = false;
	int r = CLI_OK;

	while (!r && !ended && !stop && !cli_output_broken()) {
		struct pollfd p = { .fd = w->signal_fd, .events = POLLIN };
		uint64_t now = clock_boot_ns();
		uint64_t ms =
			now >= until ? 0 : MIN((until - now) / NSEC_PER_MSEC + 1, (uint64_t)WATCH_POLL_MS);

		stop = poll(&p, 1, (int)ms) > 0 || clock_boot_ns() >= until;
		r = look(w, &ended);
	}
	/* the daemon may still be looking up the functions that made the last accesses */
	if (!r && (stop || ended)) {
		poll(NULL, 0, WATCH_LAST_MS);
		r = look(w, &ended);
	}
	if (!r && ended)
		cli_say("process %" PRIu64 " %s", w->pid,
			strcmp(w->ended, "exited") ? "runs another program now" : "has ended");
	if (w->refused)
		cli_warn("%" PRIu64 " accesses were not recorded, because there were too many", w->refused);
	return r;
}

static int run(struct watch *w)
{
	sigset_t set;
	int r = begin(w);

	if (r)
		return r;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	w->signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (w->signal_fd < 0)
		return cli_error("cannot receive signals: %s", strerror(errno));
	return go_on(w);
}

static int check(const struct watch *w)
{
	if (!w->pid || !w->var)
		return cli_usage_error(&usage, "give --pid and --var");
	if (w->len && w->len != 1 && w->len != 2 && w->len != 4 && w->len != 8)
		return cli_usage_error(&usage, "--len must be 1, 2, 4 or 8");
	return CLI_OK;
}

int cmd_watch(int argc, char **argv)
{
	struct watch w = { .socket = client_socket(), .sock = -1, .signal_fd = -1 };
	struct cli_parse p = cli_parse(&usage, argc, argv);
	char err[TIMEARG_ERR_MAX];
	int c;

	while ((c = cli_next(&p)) > 0) {
		if (c == OPT_PID && (cli_number(p.arg, INT32_MAX, &w.pid) || !w.pid))
			return cli_usage_error(&usage, "--pid %s: this is not a process id", p.arg);
		else if (c == OPT_LEN && (cli_number(p.arg, 8, &w.len) || !w.len))
			return cli_usage_error(&usage, "--len %s: it must be 1, 2, 4 or 8", p.arg);
		else if (c == OPT_FOR && timearg_duration(p.arg, &w.for_ns, err))
			return cli_usage_error(&usage, "--for %s: %s", p.arg, err);
		else if (c == OPT_FOR && !w.for_ns)
			return cli_usage_error(&usage, "--for %s: the time must be longer than 0", p.arg);
		else if (c == OPT_VAR)
			w.var = p.arg;
		else if (c == OPT_READ)
			w.reads = true;
		else if (c == OPT_SOCKET)
			w.socket = p.arg;
	}
	if (c < 0)
		return p.exit_code;
	if (cli_no_args(&p) || check(&w))
		return CLI_USAGE;
	c = run(&w);
	if (w.sock >= 0)
		close(w.sock);
	if (w.signal_fd >= 0)
		close(w.signal_fd);
	return c;
}
