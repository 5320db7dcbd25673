// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/hangs/hangs_caught.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/client/client.h"
#include "cli/sheet/sheet.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/incidents.h"
#include "report/walltime.h"
#include "trace/words/describe.h"
#include "trace/words/words.h"

#define CAUGHT_STATE_DIR "/var/lib/ctrace"
#define CAUGHT_MAX       1000
#define CAUGHT_TEXT_MAX  4096
#define CAUGHT_OTHERS    3

struct caught {
	json_t *list;
	uint64_t left_out;
	json_t *status;
	char dir[PATH_MAX];
};

static int caught_ask(const char *socket, struct caught *ret, char err[CLIENT_ERR_MAX])
{
	json_t *answer = NULL;
	char unsaid[CLIENT_ERR_MAX];
	const char *dir;
	int r = client_command(socket, "hangs", WAIT_ANSWER_MS, &answer, err);

	if (r)
		return r;
	/* The status only adds some lines, so a failure is not reported. */
	(void)client_command(socket, "status", WAIT_ANSWER_MS, &ret->status, unsaid);
	dir = json_string_value(json_object_get(answer, "directory"));
	snprintf(ret->dir, sizeof(ret->dir), "%s", dir ? dir : "");
	ret->list = json_incref(json_object_get(answer, "hangs"));
	ret->left_out = (uint64_t)json_integer_value(json_object_get(answer, "left_out"));
	json_decref(answer);
	return 0;
}

static int caught_read(const char *state_dir, struct caught *ret)
{
	size_t left_out = 0;
	int r;

	snprintf(ret->dir, sizeof(ret->dir), "%s/" INCIDENTS_DIR, state_dir);
	r = incidents_read(ret->dir, CAUGHT_MAX, &ret->list, &left_out);
	ret->left_out = left_out;
	return r;
}

static int caught_get(const char *state_dir, const char *socket, struct caught *ret)
{
	char err[CLIENT_ERR_MAX] = "";
	int asked = state_dir ? -ENOENT : caught_ask(socket, ret, err), r;

	if (!asked)
		return CLI_OK;
	/* The directory of a daemon with another socket is not known here. */
	if (!state_dir && strcmp(socket, CLIENT_SOCKET) != 0)
		return cli_error("%s", err);
	r = caught_read(state_dir ? state_dir : CAUGHT_STATE_DIR, ret);
	if (!r)
		return CLI_OK;
	if (state_dir)
		return cli_error("%s: %s; no hang was kept there, or it is no state directory of ctraced",
				 ret->dir, strerror(-r));
	if (r == -ENOENT && (asked == -ENOENT || asked == -ECONNREFUSED))
		return cli_error("%s, and no earlier ctraced kept a snapshot of a hang: there is no %s", err,
				 ret->dir);
	return cli_error("%s", err);
}

static uint64_t num(const json_t *o, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(o, key));

	return n > 0 ? (uint64_t)n : 0;
}

static const char *str(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void print_others(const json_t *hangs, size_t n)
{
	size_t shown = 0;

	for (size_t i = 1; i < json_array_size(hangs) && shown < CAUGHT_OTHERS; i++, shown++) {
		const json_t *victim = json_object_get(json_array_get(hangs, i), "victim");
		char comm[64];

		describe_clean(str(victim, "comm"), comm, sizeof(comm));
		printf("%s%s[%" PRIu64 "]", shown ? ", " : " (also in this snapshot: ", comm,
		       num(victim, "tid"));
	}
	if (n > shown)
		printf("%s%zu more", shown ? " and " : " (also in this snapshot: ", n - shown);
	putchar(')');
}

/* The rules of ctraced.conf(5), in plain words. */
static const char *rule_words(const char *rule)
{
	static const char *const words[][2] = {
		{ "loop", "it did not return to its event loop" },
		{ "busy", "it ran, and did not return to its event loop" },
		{ "starved", "it got no CPU" },
		{ "disk", "it waited for the disk" },
		{ "deadlock", "a deadlock" },
		{ "service", "it got no answer" },
		{ "crash", "a crash" },
		{ "exception", "an uncaught exception" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(rule, words[i][0]))
			return words[i][1];
	return "a hang";
}

static void print_what(const json_t *o)
{
	const json_t *diagnosis = json_object_get(o, "diagnosis");
	const char *problem = str(o, "problem");
	size_t others = json_array_size(json_object_get(o, "hangs")) + num(o, "hangs_refused");
	char text[CAUGHT_TEXT_MAX];

	if (json_is_object(diagnosis)) {
		describe_clean(str(diagnosis, "text"), text, sizeof(text));
		fputs(text, stdout);
	} else {
		describe_clean(*problem ? problem
			       : json_is_true(json_object_get(o, "pending"))
				       ? "The diagnosis is not ready yet."
				       : "There is no diagnosis.",
			       text, sizeof(text));
		printf("%s: %s", rule_words(str(o, "rule")), text);
	}
	if (others > 1)
		print_others(json_object_get(o, "hangs"), others - 1);
	if (num(o, "limited"))
		printf(" (%" PRIu64 " before it without a snapshot)", num(o, "limited"));
	putchar('\n');
}

static bool is_crash(const json_t *o)
{
	return !strcmp(str(o, "rule"), "crash") || !strcmp(str(o, "rule"), "exception");
}

static void print_row(const json_t *o)
{
	const json_t *victim = json_object_get(o, "victim");
	const struct clock_offsets real = { 0 };
	char comm[64], who[96], wall[WALLTIME_MAX], ns[TEXT_NUMBER_MAX], held[TEXT_NUMBER_MAX + 2];
	bool ended = json_is_false(json_object_get(o, "lasts"));

	describe_clean(str(victim, "comm"), comm, sizeof(comm));
	snprintf(who, sizeof(who), "%s[%" PRIu64 "]", comm, num(victim, "tid"));
	snprintf(held, sizeof(held), "%s%s", ended ? "" : "> ", text_duration(num(o, "held_ns"), ns));
	printf("%s%s%s  %-20s %10s  ", cli_sgr(stdout, "1"),
	       walltime_text(num(o, "found_real_ns"), &real, 0, wall), cli_sgr(stdout, "0"), who,
	       is_crash(o) ? str(o, "rule") : held);
	print_what(o);
	if (*str(o, "view"))
		printf("      page: %s\n", str(o, "view"));
	else if (json_is_object(json_object_get(o, "diagnosis")) && *str(o, "problem"))
		printf("      %s\n", str(o, "problem"));
}

static void print_next(const struct caught *c)
{
	for (size_t i = json_array_size(c->list); i-- > 0;) {
		const json_t *o = json_array_get(c->list, i);
		char path[CLI_WORD_MAX], at[CLOCK_UTC_MAX];

		if (!*str(o, "snapshot"))
			continue;
		cli_path_word(str(o, "snapshot"), path);
		clock_utc(num(o, "found_real_ns"), at);
		if (is_crash(o))
			printf("\nNext: ctrace crashes %s\n", path);
		else
			printf("\nNext: ctrace diagnose --tid %" PRIu64 " --at %s %s\n",
			       num(json_object_get(o, "victim"), "tid"), at, path);
		if (json_array_size(c->list) > 1)
			printf("The other snapshots are in the same directory, named after their time in UTC.\n");
		return;
	}
}

/* Says how to open the newest page. Only root can read the directory. */
static void print_open(const struct caught *c)
{
	_cleanup_free_ char *word = NULL;
	struct words t = { 0 };

	for (size_t i = json_array_size(c->list); i-- > 0;) {
		const char *page = str(json_array_get(c->list, i), "view");

		if (!*page)
			continue;
		words_add_path(&t, page, "PAGE");
		word = words_take(&t);
		printf("To see a page: sudo cat %s > hang.html, and open hang.html in a browser.\n",
		       word ? word : "PAGE");
		return;
	}
}

static void print_uncaught(const json_t *status)
{
	const json_t *incidents = json_object_get(status, "incidents");
	uint64_t n = num(incidents, "limited") + num(incidents, "refused") + num(incidents, "failed");
	uint64_t blind_ns = num(json_object_get(status, "detector"), "blind_ns");
	char ns[TEXT_NUMBER_MAX];

	if (status && !incidents)
		printf("The running daemon keeps no snapshots of hangs, because its settings switch them off.\n");
	if (blind_ns >= NSEC_PER_SEC)
		printf("For %s since its start the daemon had too few records to notice all hangs; 'ctrace status' says why.\n",
		       text_duration(blind_ns, ns));
	if (n)
		printf("%" PRIu64
		       " hangs or crashes noticed since the start of the daemon got no snapshot. To see them while the trace still has them:\n"
		       "ctrace snapshot --last 15m -o late.ctr && ctrace hangs late.ctr && ctrace crashes late.ctr\n",
		       n);
}

static void caught_print(const struct caught *c)
{
	char dir[PATH_MAX];
	size_t i;
	json_t *o;

	if (!json_array_size(c->list)) {
		printf("No hang or crash has been caught.\n");
		print_uncaught(c->status);
		printf("If something hangs now: ctrace diagnose --pid PID\n");
		return;
	}
	json_array_foreach (c->list, i, o)
		print_row(o);
	if (c->left_out) {
		describe_clean(c->dir, dir, sizeof(dir));
		printf("%" PRIu64 " older or unreadable ones in %s are not shown.\n", c->left_out, dir);
	}
	print_next(c);
	print_open(c);
	print_uncaught(c->status);
}

static void caught_show(const struct caught *c)
{
	struct sheet sheet;

	sheet_begin(&sheet, SHEET_TABLE);
	caught_print(c);
	sheet_end(&sheet);
}

int hangs_caught(const char *state_dir, const char *socket, bool json)
{
	struct caught c = { 0 };
	int r = caught_get(state_dir, socket, &c);

	if (!r && json)
		r = text_print_json(json_pack("{s:s,s:o,s:I,s:O}", "schema", "ctrace.incidents/1",
					      "directory", text_json(c.dir), "left_out",
					      (json_int_t)c.left_out, "hangs", c.list));
	else if (!r && text_clean(c.list))
		r = cli_error("out of memory");
	else if (!r)
		caught_show(&c);
	json_decref(c.status);
	json_decref(c.list);
	return r;
}
