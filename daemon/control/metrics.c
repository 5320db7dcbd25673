// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/control/metrics.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clean.h"
#include "lib/cleanup.h"

enum metrics_unit {
	METRICS_PLAIN,
	METRICS_NS,      /* shown in seconds */
	METRICS_BOOT_NS, /* shown as wall clock time in seconds; 0 is not shown */
	METRICS_PERCENT, /* 100 % is shown as 1 */
};

/* A row without help adds samples to the metric of the row above. */
struct metrics_row {
	const char *name, *type, *help;
	/* the place in the status: "file.records" is the member "records" of the member "file" */
	const char *path;
	/* NULL, a label with its value (result="done"), or only the name of a label (cause). With
	 * only a name, path leads to an object: each number in it is a sample, and its key is the
	 * value of the label. */
	const char *label;
	enum metrics_unit unit;
};

static const struct metrics_row rows[] = {
	{ "ctrace_uptime_seconds", "gauge", "How long the daemon has been recording.", "uptime_ns", NULL,
	  METRICS_NS },
	{ "ctrace_last_beat_timestamp_seconds", "gauge",
	  "When the last finished round of the thread that empties the rings began; the watchdog is fed only while this time is recent.",
	  "beat_ns", NULL, METRICS_BOOT_NS },
	{ "ctrace_records_total", "counter", "Records written into the trace.", "file.records", NULL,
	  METRICS_PLAIN },
	{ "ctrace_lost_records_total", "counter", "Records that are missing in the trace, by cause.",
	  "losses", "cause", METRICS_PLAIN },
	{ "ctrace_trace_size_bytes", "gauge", "Size of the circular trace.", "file.bytes", NULL,
	  METRICS_PLAIN },
	{ "ctrace_trace_written_bytes_total", "counter", "Bytes written into the trace.",
	  "file.written_bytes", NULL, METRICS_PLAIN },
	{ "ctrace_trace_segments_total", "counter", "Segments written into the trace.", "file.segments", NULL,
	  METRICS_PLAIN },
	{ "ctrace_trace_oldest_timestamp_seconds", "gauge", "How far back the trace reaches.",
	  "file.oldest_ns", NULL, METRICS_BOOT_NS },
	{ "ctrace_trace_newest_timestamp_seconds", "gauge", "The time of the newest record on the disk.",
	  "file.newest_ns", NULL, METRICS_BOOT_NS },
	{ "ctrace_ring_size_bytes", "gauge", "Buffer of each CPU.", "rings.bytes_each", NULL, METRICS_PLAIN },
	{ "ctrace_ring_high_water_bytes", "gauge", "The most that any buffer has held since the start.",
	  "rings.high_water_bytes", NULL, METRICS_PLAIN },
	{ "ctrace_table_entries", "gauge", "Entries in the daemon's tables.", "tables.tasks",
	  "table=\"tasks\"", METRICS_PLAIN },
	{ "ctrace_table_entries", NULL, NULL, "tables.objects", "table=\"objects\"", METRICS_PLAIN },
	{ "ctrace_table_entries", NULL, NULL, "tables.stacks", "table=\"stacks\"", METRICS_PLAIN },
	{ "ctrace_refused_total", "counter", "Entries refused because a table or a queue was full.",
	  "tables.tasks_refused", "what=\"tasks\"", METRICS_PLAIN },
	{ "ctrace_refused_total", NULL, NULL, "tables.streams_refused", "what=\"streams\"", METRICS_PLAIN },
	{ "ctrace_refused_total", NULL, NULL, "tables.jobs_refused", "what=\"jobs\"", METRICS_PLAIN },
	{ "ctrace_refused_total", NULL, NULL, "visits.refused_queue", "what=\"visits\"", METRICS_PLAIN },
	{ "ctrace_resyncs_total", "counter", "Times that the daemon read all tasks again after a loss.",
	  "tables.resyncs", NULL, METRICS_PLAIN },
	{ "ctrace_visits_total", "counter", "Long waits that were inspected for their stacks.", "visits.done",
	  NULL, METRICS_PLAIN },
	{ "ctrace_hangs_total", "counter", "Hangs that were noticed, by rule.", "detector.found", "rule",
	  METRICS_PLAIN },
	{ "ctrace_hang_tasks", "gauge", "Tasks with enough history to notice that they hang.",
	  "detector.judged", NULL, METRICS_PLAIN },
	{ "ctrace_hang_snapshots_total", "counter", "Snapshots of hangs, by result.", "incidents.snapshots",
	  "result=\"taken\"", METRICS_PLAIN },
	{ "ctrace_hang_snapshots_total", NULL, NULL, "incidents.failed", "result=\"failed\"", METRICS_PLAIN },
	{ "ctrace_hang_snapshots_total", NULL, NULL, "incidents.limited", "result=\"limited\"",
	  METRICS_PLAIN },
	{ "ctrace_hang_snapshots_total", NULL, NULL, "incidents.refused", "result=\"refused\"",
	  METRICS_PLAIN },
	{ "ctrace_hang_snapshots_kept_bytes", "gauge", "Disk space of the snapshots of hangs.",
	  "incidents.bytes", NULL, METRICS_PLAIN },
	{ "ctrace_hang_snapshots_removed_total", "counter",
	  "Snapshots of hangs that were removed to make room for newer ones.", "incidents.removed", NULL,
	  METRICS_PLAIN },
	{ "ctrace_cost_ratio", "gauge",
	  "The share of the machine's CPU time that the tracer takes, over the last seconds.",
	  "governor.cost_percent", NULL, METRICS_PERCENT },
	{ "ctrace_budget_ratio", "gauge", "The share of the machine's CPU time that the tracer may take.",
	  "governor.budget_percent", NULL, METRICS_PERCENT },
	{ "ctrace_bpf_cost_ratio", "gauge",
	  "The share of the machine's CPU time that the tracer's programs in the kernel take.",
	  "governor.bpf_percent", NULL, METRICS_PERCENT },
	{ "ctrace_shed_step", "gauge",
	  "The step of the budget: 0 leaves out nothing, 9 everything for parts of the time.",
	  "governor.step_number", NULL, METRICS_PLAIN },
	{ "ctrace_shed_changes_total", "counter", "Steps taken, up and down.", "governor.changes", NULL,
	  METRICS_PLAIN },
	{ "ctrace_shed_pause_seconds_total", "counter",
	  "The time for which nothing was recorded, to keep within the budget.", "governor.paused_ns", NULL,
	  METRICS_NS },
	{ "ctrace_capped_total", "counter", "Times that a task made more records than task-cap allows.",
	  "governor.capped", NULL, METRICS_PLAIN },
	{ "ctrace_group_capped_total", "counter",
	  "Times that the records of a user's or a control group's tasks were left out.",
	  "governor.group_caps", NULL, METRICS_PLAIN },
	{ "ctrace_left_out_records_total", "counter",
	  "Records that were left out because their task or its group made too many.", "governor.left_out",
	  NULL, METRICS_PLAIN },
	{ "ctrace_storage_queue_bytes", "gauge", "Bytes that wait to be written to the disk.",
	  "storage.queued_bytes", NULL, METRICS_PLAIN },
	{ "ctrace_storage_lost_segments_total", "counter", "Segments that could not be written.",
	  "storage.lost_segments", NULL, METRICS_PLAIN },
	{ "ctrace_cpu_seconds_total", "counter", "CPU time of the daemon.", "cost.cpu_ns", NULL, METRICS_NS },
	{ "ctrace_memory_resident_bytes", "gauge", "Memory of the daemon, without the buffers in the kernel.",
	  "cost.rss_bytes", NULL, METRICS_PLAIN },
	{ "ctrace_hooks", "gauge", "Hooks into the kernel.", "hooks", "state", METRICS_PLAIN },
	{ "ctrace_control_clients", "gauge", "Connections to the control socket.", "clients", NULL,
	  METRICS_PLAIN },
	{ "ctrace_control_denied_total", "counter", "Connections of users without permission.", "denied",
	  NULL, METRICS_PLAIN },
	{ "ctrace_control_turned_away_total", "counter",
	  "Connections refused because the user, or all users, had too many.", "requests.turned_away", NULL,
	  METRICS_PLAIN },
	{ "ctrace_requests_given_up_total", "counter",
	  "Requests given up because a file system did not answer.", "requests.given_up", NULL,
	  METRICS_PLAIN },
	{ "ctrace_requests_stuck", "gauge",
	  "Threads that are stuck now, in a request that was given up or in the close of a descriptor.",
	  "requests.stuck", NULL, METRICS_PLAIN },
};

static const json_t *metrics_find(const json_t *o, const char *path)
{
	char key[64];

	while (o && *path) {
		int n = (int)strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", n, path);
		o = json_object_get(o, key);
		path += n + (path[n] == '.');
	}
	return o;
}

static void metrics_put_ns(FILE *f, int64_t ns)
{
	fprintf(f, "%" PRId64 ".%09" PRId64 "\n", ns / 1000000000, ns % 1000000000);
}

static void metrics_put_value(FILE *f, const struct metrics_row *row, const json_t *v,
			      int64_t boot_to_real_ns)
{
	switch (row->unit) {
	case METRICS_PLAIN:
		if (json_is_integer(v))
			fprintf(f, "%" JSON_INTEGER_FORMAT "\n", json_integer_value(v));
		else
			fprintf(f, "%.9g\n", json_number_value(v));
		break;
	case METRICS_NS:
		metrics_put_ns(f, json_integer_value(v));
		break;
	case METRICS_BOOT_NS:
		metrics_put_ns(f, json_integer_value(v) + boot_to_real_ns);
		break;
	case METRICS_PERCENT:
		fprintf(f, "%.9g\n", json_number_value(v) / 100);
		break;
	}
}

static bool metrics_shown(const struct metrics_row *row, const json_t *v)
{
	return json_is_number(v) && !(row->unit == METRICS_BOOT_NS && json_integer_value(v) == 0);
}

static void metrics_put_row(FILE *f, const struct metrics_row *row, const json_t *v, int64_t boot_to_real_ns)
{
	const char *key;
	json_t *member;

	if (!json_is_object(v)) {
		if (metrics_shown(row, v)) {
			fprintf(f, row->label ? "%s{%s} " : "%s%s ", row->name, row->label ? row->label : "");
			metrics_put_value(f, row, v, boot_to_real_ns);
		}
		return;
	}
	json_object_foreach ((json_t *)v, key, member) {
		if (!metrics_shown(row, member))
			continue;
		fprintf(f, "%s{%s=", row->name, row->label);
		clean_label(f, key);
		fputs("} ", f);
		metrics_put_value(f, row, member, boot_to_real_ns);
	}
}

static void metrics_put_head(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

char *metrics_text(const json_t *status, int64_t boot_to_real_ns)
{
	const char *version = json_string_value(json_object_get(status, "version"));
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	const struct metrics_row *head = NULL;
	bool headed = false, failed;

	if (!f)
		return NULL;
	metrics_put_head(f, "ctrace_up", "gauge", "Whether the daemon answers.");
	fputs("ctrace_up 1\n", f);
	metrics_put_head(f, "ctrace_build_info", "gauge", "The version of the daemon.");
	fputs("ctrace_build_info{version=", f);
	clean_label(f, version ? version : "unknown");
	fputs("} 1\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const json_t *v = metrics_find(status, rows[i].path);

		if (rows[i].help) {
			head = &rows[i];
			headed = false;
		}
		if (!json_is_object(v) && !metrics_shown(&rows[i], v))
			continue;
		if (!headed)
			metrics_put_head(f, head->name, head->type, head->help);
		headed = true;
		metrics_put_row(f, &rows[i], v, boot_to_real_ns);
	}
	failed = ferror(f);
	if (fclose(f) || failed)
		free(TAKE_PTR(text));
	return text;
}
