// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "report/shedding.h"
#include "cli/sheet/sheet.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "cli/input/tracefile.h"
#include "ctrace/fields.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "report/walltime.h"
#include "trace/words/describe.h"
#include "trace/words/words.h"

enum { OPT_BOOT = 256, OPT_JSON };
#define GAPS_MAX   1000
#define GAPS_SHOWN 10
/* columns: with the label, a line of hooks fits on a terminal of 80 columns */
#define HOOKS_WIDTH 69

static const struct cli_option options[] = {
	{ OPT_BOOT, "boot", "N",
	  "Use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)" },
	{ OPT_JSON, "json", NULL, "Print JSON" },
	{ 0 },
};

static const struct cli_instead instead[] = {
	{ "tid pid comm cgroup container at from to last hang request",
	  "this command is about the whole trace; 'ctrace hangs FILE' and 'ctrace dump FILE' look at some tasks or times of it" },
	TABLEARG_NONE,
	{ 0 },
};

static const struct cli_usage usage = {
	.name = "info",
	.args = "FILE [--boot N] [--json]",
	.about =
		"Shows what is in a trace: when and where it was taken, how many records, losses, and live hooks.",
	.options = options,
	.instead = instead,
};

struct contents {
	struct map tasks, objects, stacks;
	VEC(struct window_record) gaps;
	uint64_t n_gaps, n_lost;
	struct shedding shed;
	bool oom;
};

static bool look_at_piece(void *arg, const struct window *w, size_t first, size_t end)
{
	struct contents *c = arg;
	int r = 0;

	/* A tid is reused, so the start time counts too. */
	for (size_t i = 0; i < w->n_tasks && !r; i++)
		r = map_set(&c->tasks, w->tasks[i].tid ^ w->tasks[i].start_ns << 22, 1);
	for (size_t i = 0; i < w->n_objects && !r; i++)
		r = map_set(&c->objects, w->objects[i].id, 1);
	for (size_t i = 0; i < w->n_stacks && !r; i++)
		r = map_set(&c->stacks, w->stacks[i].id, 1);
	for (size_t i = first; i < end && !r; i++) {
		shedding_note(&c->shed, w, &w->events[i]);
		if (w->events[i].r.kind != CT_GAP)
			continue;
		c->n_gaps++;
		c->n_lost += ct_gap_records(&w->events[i].r);
		if (c->gaps.n < GAPS_MAX)
			r = VEC_PUSH(&c->gaps, window_record(w, &w->events[i]));
	}
	c->oom = r != 0;
	return !c->oom;
}

static void contents_done(struct contents *c)
{
	map_done(&c->tasks);
	map_done(&c->objects);
	map_done(&c->stacks);
	VEC_FREE(&c->gaps);
}

static double seconds(const struct reader_info *i)
{
	return (double)(i->to_ns - i->from_ns) / NSEC_PER_SEC;
}

static double bytes_per_record(const struct reader_info *i)
{
	return i->records ? (double)(i->used_slots * i->slot_bytes) / (double)i->records : 0;
}

static json_t *gaps_json(const struct contents *c)
{
	json_t *gaps = json_array();

	for (size_t i = 0; i < c->gaps.n; i++) {
		const struct window_record *e = &c->gaps.v[i];
		json_t *g = json_pack("{s:I,s:I,s:s}", "from_ns", (json_int_t)e->x[0], "to_ns",
				      (json_int_t)e->x[1], "cause", describe_loss(ct_gap_cause(&e->r)));

		if (e->r.tid != CT_GAP_ALL_CPUS)
			json_object_set_new(g, "cpu", json_integer(e->r.tid));
		if (ct_gap_records(&e->r))
			json_object_set_new(g, "records", json_integer(ct_gap_records(&e->r)));
		json_array_append_new(gaps, g);
	}
	return gaps;
}

static json_t *counts_json(const struct reader_info *i)
{
	json_t *kinds = json_object();

	for (unsigned k = 1; k < 64; k++)
		if (i->records_by_kind[k])
			json_object_set_new(kinds, describe_record(k) ?: "unknown",
					    json_integer((json_int_t)i->records_by_kind[k]));
	return kinds;
}

static json_t *hooks_json(const char *hooks)
{
	json_t *o = json_object();

	while (*hooks) {
		size_t n = strcspn(hooks, ",");
		_cleanup_free_ char *one = strndup(hooks, n);
		char *eq = one ? strchr(one, '=') : NULL;

		if (eq)
			*eq = 0;
		if (one && *one)
			json_object_set_new(o, one, text_json(eq ? eq + 1 : ""));
		hooks += n + (hooks[n] == ',');
	}
	return o;
}

static int print_json(const char *path, const struct reader_info *i, const struct contents *c)
{
	json_t *losses =
		json_pack("{s:I,s:I,s:o,s:o*}", "records", (json_int_t)c->n_lost, "n_gaps",
			  (json_int_t)c->n_gaps, "gaps", gaps_json(c), "shed", shedding_json(&c->shed));
	json_t *doc = json_pack(
		"{s:s,s:o,s:i,s:I,s:I,s:I,s:I,s:I,s:o?,s:o?,s:o?,s:i,s:I,s:I,s:I,s:I,s:f,s:o,s:o,s:o,s:I,s:I,s:I}",
		"schema", "ctrace.info/1", "file", text_json(path), "version", (int)i->version, "file_bytes",
		(json_int_t)i->file_bytes, "slot_bytes", (json_int_t)i->slot_bytes, "slots",
		(json_int_t)i->n_slots, "segments", (json_int_t)i->n_segments, "bad_segments",
		(json_int_t)i->n_bad_slots, "host", text_json(i->host), "kernel", text_json(i->kernel),
		"machine", text_json(i->machine), "cpus", (int)i->n_cpus, "from_ns", (json_int_t)i->from_ns,
		"to_ns", (json_int_t)i->to_ns, "boot_to_mono_ns", (json_int_t)i->offsets.boot_to_mono_ns,
		"boot_to_real_ns", (json_int_t)i->offsets.boot_to_real_ns, "bytes_per_record",
		bytes_per_record(i), "records_by_kind", counts_json(i), "losses", losses, "hooks",
		hooks_json(i->hooks), "tasks", (json_int_t)c->tasks.n, "objects", (json_int_t)c->objects.n,
		"stacks", (json_int_t)c->stacks.n);

	if (doc)
		json_object_update_new(doc,
				       json_pack("{s:I,s:I,s:I}", "records", (json_int_t)i->records, "boots",
						 (json_int_t)i->n_boots, "boot", (json_int_t)i->boot));
	return text_print_json(doc);
}

static void print_clean(const char *label, const char *text)
{
	_cleanup_free_ char *clean = clean_dup(text);

	printf("%-9s %s\n", label, clean && *clean ? clean : "unknown");
}

static void print_hooks(const char *hooks)
{
	const char *label = "Hooks:";

	while (*hooks) {
		_cleanup_free_ char *line = NULL;
		struct words w = { 0 };

		do {
			size_t n = strcspn(hooks, ",");

			words_add(&w, "%s%.*s", w.n ? " " : "", (int)(n + (hooks[n] == ',')), hooks);
			hooks += n + (hooks[n] == ',');
		} while (*hooks && w.n + 1 + strcspn(hooks, ",") < HOOKS_WIDTH);
		line = words_take(&w);
		print_clean(label, line ? line : "");
		label = "";
	}
}

static void print_time(const struct reader_info *i)
{
	char a[WALLTIME_MAX], b[WALLTIME_MAX], d[TEXT_NUMBER_MAX];

	printf("%-9s %s to %s (%s)\n", "Time:", walltime_text(i->from_ns, &i->offsets, 3, a),
	       walltime_text(i->to_ns, &i->offsets, 3, b), text_duration(i->to_ns - i->from_ns, d));
	printf("%-9s boot:%" PRIu64 " to boot:%" PRIu64 "; monotonic is boot %+" PRId64 " ns\n", "",
	       i->from_ns, i->to_ns, i->offsets.boot_to_mono_ns);
}

static void print_gap(const struct reader_info *i, const struct window_record *e)
{
	uint64_t span = e->x[1] > e->x[0] ? e->x[1] - e->x[0] : 0;
	char a[WALLTIME_MAX], d[TEXT_NUMBER_MAX], cpu[TEXT_NUMBER_MAX] = "all CPUs", n[TEXT_NUMBER_MAX] = "?";

	if (e->r.tid != CT_GAP_ALL_CPUS)
		snprintf(cpu, sizeof(cpu), "CPU %u", e->r.tid);
	if (ct_gap_records(&e->r))
		text_count(ct_gap_records(&e->r), n);
	printf("  %s for %s, %s: %s record%s (%s)\n", walltime_text(e->x[0], &i->offsets, 6, a),
	       text_duration(span, d), cpu, n, ct_gap_records(&e->r) == 1 ? "" : "s",
	       describe_loss(ct_gap_cause(&e->r)));
}

static void print_losses(const struct reader_info *i, const struct contents *c)
{
	char n[TEXT_NUMBER_MAX];

	if (!c->n_gaps) {
		printf("%-9s none\n", "Lost:");
		return;
	}
	printf("%-9s %s record%s or more, in %" PRIu64 " gap%s\n", "Lost:", text_count(c->n_lost, n),
	       text_s(c->n_lost), c->n_gaps, text_s(c->n_gaps));
	for (size_t g = 0; g < c->gaps.n && g < GAPS_SHOWN; g++)
		print_gap(i, &c->gaps.v[g]);
	if (c->n_gaps > GAPS_SHOWN)
		printf("  and %" PRIu64 " more; 'ctrace dump --kind gap' shows all\n",
		       c->n_gaps - GAPS_SHOWN);
}

static void print_kinds(const struct reader_info *i)
{
	char n[TEXT_NUMBER_MAX];

	printf("By kind:\n");
	for (unsigned k = 1; k < 64; k++)
		if (i->records_by_kind[k])
			printf("  %-14s %14s  %5.1f %%\n", describe_record(k) ?: "unknown",
			       text_count(i->records_by_kind[k], n),
			       100.0 * (double)i->records_by_kind[k] / (double)i->records);
}

static void print_text(const char *path, const struct reader_info *i, const struct contents *c)
{
	_cleanup_free_ char *file = clean_dup(path);
	char n[TEXT_NUMBER_MAX], rate[TEXT_NUMBER_MAX];
	double s = seconds(i);
	struct sheet sheet;

	sheet_begin(&sheet, SHEET_TABLE);
	printf("%-9s %s (%s, format %u.%u, %" PRIu64 " of %u slots of %u KiB in use)\n", "File:", file ?: "",
	       text_bytes(i->file_bytes, n), i->version >> 8, i->version & 0xff, i->used_slots, i->n_slots,
	       i->slot_bytes / 1024);
	if (i->n_bad_slots)
		printf("%-9s %u segment%s missing or damaged and left out\n", "", i->n_bad_slots,
		       i->n_bad_slots == 1 ? " is" : "s are");
	if (i->n_boots > 1)
		printf("%-9s %u; this is --boot %u, where 0 is the newest\n", "Boots:", i->n_boots, i->boot);
	print_clean("Host:", i->host);
	print_clean("Kernel:", i->kernel);
	if (*i->machine)
		print_clean("Machine:", i->machine);
	printf("%-9s %u\n", "CPUs:", i->n_cpus);
	print_time(i);
	printf("%-9s %s (%s/s, %.1f bytes each)\n", "Records:", text_count(i->records, n),
	       text_count(s > 0 ? (uint64_t)((double)i->records / s) : 0, rate), bytes_per_record(i));
	printf("%-9s %zu task%s, %zu object%s, %zu stack%s\n", "Names:", c->tasks.n, text_s(c->tasks.n),
	       c->objects.n, text_s(c->objects.n), c->stacks.n, text_s(c->stacks.n));
	print_losses(i, c);
	shedding_print(stdout, "Left out:", &c->shed);
	print_hooks(i->hooks);
	print_kinds(i);
	sheet_end(&sheet);
}

int cmd_info(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	const struct reader_info *i;
	struct contents contents = { 0 };
	bool json = false;
	struct reader *r;
	const char *path, *boot = NULL;
	int c, code;

	while ((c = cli_next(&p)) > 0) {
		if (c == OPT_BOOT)
			boot = p.arg;
		else
			json = true;
	}
	if (c < 0)
		return p.exit_code;
	path = cli_trace_arg(&p);
	if (!path)
		return CLI_USAGE;
	code = tracefile_open(path, &r);
	if (code)
		return code;
	i = reader_info(r);
	reader_want_kinds(r, 1ULL << CT_GAP | 1ULL << CT_SHED);
	code = tracefile_use_boot(r, path, boot);
	if (!code)
		code = tracefile_each(r, i->from_ns, i->to_ns + 1, look_at_piece, &contents);
	if (!code && contents.oom)
		code = cli_error("out of memory");
	else if (!code && json)
		code = print_json(path, i, &contents);
	else if (!code)
		print_text(path, i, &contents);
	contents_done(&contents);
	reader_free(r);
	return code;
}
