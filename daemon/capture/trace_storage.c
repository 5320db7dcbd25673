// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/capture/trace_storage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "daemon/capture/drain.h"
#include "daemon/say.h"
#include "daemon/thresholds.h"
#include "lib/clock.h"

struct trace_storage {
	sd_event_source *timer;
	struct drain *drain;
	const char *path;
	struct trace_storage_told told;
};

struct now {
	const struct writer_storage *storage;
	uint64_t ns;
	int64_t boot_to_real_ns;
};

static bool trace_storage_is_stuck(const struct writer_storage *s, uint64_t now_ns)
{
	return s->busy_ns && now_ns >= s->busy_ns + TRACE_STORAGE_STUCK_NS;
}

const char *trace_storage_word(const struct writer_storage *s, uint64_t now_ns)
{
	if (trace_storage_is_stuck(s, now_ns))
		return "stuck";
	switch (s->trouble) {
	case WRITER_WRITE:
		return "lost";
	case WRITER_SYNC:
		return "unsynced";
	case WRITER_FILE:
		return "gone";
	case WRITER_FINE:
		break;
	}
	return "ok";
}

static void say_trouble(const struct writer_storage *now, const char *path, char *text)
{
	const char *error = strerror(-now->error);

	switch (now->trouble) {
	case WRITER_WRITE:
		snprintf(text, TRACE_STORAGE_TEXT_MAX,
			 "The trace %.200s cannot be written: %s. New records are lost; %s.", path, error,
			 now->error == -ENOSPC || now->error == -EDQUOT
				 ? "make room there"
				 : "see the kernel log about the disk");
		break;
	case WRITER_SYNC:
		snprintf(
			text, TRACE_STORAGE_TEXT_MAX,
			"The disk of the trace %.200s reports: %s. The latest records may not survive a reboot; see the kernel log about the disk.",
			path, error);
		break;
	case WRITER_FILE:
		snprintf(
			text, TRACE_STORAGE_TEXT_MAX,
			"The trace %.200s was removed, and a new one cannot be made: %s. New records are lost; make room, and make sure that only root can write the directory.",
			path, error);
		break;
	case WRITER_FINE:
		break;
	}
}

static void say_over(const struct trace_storage_told *told, const struct now *now, const char *what,
		     uint64_t since_ns, uint64_t lost, char *text)
{
	const struct writer_storage *s = now->storage;
	size_t n = (size_t)snprintf(text, TRACE_STORAGE_TEXT_MAX, "%s after %.0f s; ", what,
				    (double)(now->ns - since_ns) / 1e9);
	bool unsure = s->failed_syncs != told->failed_syncs;
	char from[CLOCK_UTC_MAX], to[CLOCK_UTC_MAX];

	lost = s->lost_records - lost;
	if (lost)
		n += (size_t)snprintf(text + n, TRACE_STORAGE_TEXT_MAX - n,
				      "%" PRIu64 " records are lost; the trace says when%s", lost,
				      unsure ? "; " : ".");
	if (unsure) {
		clock_utc(s->unsure_from_ns + (uint64_t)now->boot_to_real_ns, from);
		clock_utc(s->unsure_to_ns + (uint64_t)now->boot_to_real_ns, to);
		snprintf(text + n, TRACE_STORAGE_TEXT_MAX - n,
			 "records between %s and %s may be missing on the disk.", from, to);
	} else if (!lost) {
		snprintf(text + n, TRACE_STORAGE_TEXT_MAX - n, "nothing was lost.");
	}
}

static bool next_trouble(struct trace_storage_told *told, const struct now *at, const char *path, char *text)
{
	const struct writer_storage *now = at->storage;

	if (told->trouble == now->trouble)
		return false;
	if (now->trouble == WRITER_FINE) {
		say_over(told, at, "The trace is stored again", told->since_ns, told->lost, text);
		told->failed_syncs = now->failed_syncs;
	} else {
		say_trouble(now, path, text);
		if (told->trouble == WRITER_FINE)
			told->since_ns = now->since_ns;
	}
	told->trouble = now->trouble;
	return true;
}

static bool next_stuck(struct trace_storage_told *told, const struct now *at, const char *path, char *text)
{
	const struct writer_storage *now = at->storage;

	if (told->stuck == trace_storage_is_stuck(now, at->ns))
		return false;
	told->stuck = !told->stuck;
	if (told->stuck) {
		told->stuck_ns = now->busy_ns;
		told->stuck_lost = now->lost_records;
		snprintf(
			text, TRACE_STORAGE_TEXT_MAX,
			"The disk of the trace %.200s has not answered for %.0f s. The capture goes on in memory; records that do not fit there will be lost. See the kernel log about the disk.",
			path, (double)(at->ns - now->busy_ns) / 1e9);
	} else {
		say_over(told, at, "The disk of the trace answers again", told->stuck_ns, told->stuck_lost,
			 text);
	}
	return true;
}

bool trace_storage_next(struct trace_storage_told *told, const struct writer_storage *now, uint64_t now_ns,
			int64_t boot_to_real_ns, const char *path, char text[TRACE_STORAGE_TEXT_MAX])
{
	const struct now at = { now, now_ns, boot_to_real_ns };

	if (told->begun_anew != now->begun_anew) {
		told->begun_anew = now->begun_anew;
		snprintf(
			text, TRACE_STORAGE_TEXT_MAX,
			"The trace %.200s was removed or moved while it was in use; ctraced has begun a new one. To keep a trace, take a snapshot of it.",
			path);
		return true;
	}
	if (told->repaired != now->repaired) {
		told->repaired = now->repaired;
		snprintf(
			text, TRACE_STORAGE_TEXT_MAX,
			"The trace %.200s was truncated while it was in use; the records behind the cut are lost, and ctraced continues the trace.",
			path);
		return true;
	}
	if (next_stuck(told, &at, path, text) || next_trouble(told, &at, path, text))
		return true;
	/* Records can be lost before this function sees the trouble. So it notes the count of lost
	 * records while there is no trouble. */
	if (now->trouble == WRITER_FINE)
		told->lost = now->lost_records;
	return false;
}

static int trace_storage_look(sd_event_source *source, uint64_t usec, void *arg)
{
	struct trace_storage *s = arg;
	struct drain_stats st = drain_stats(s->drain);
	char text[TRACE_STORAGE_TEXT_MAX];

	while (trace_storage_next(&s->told, &st.recorder.writer.storage, clock_boot_ns(),
				  clock_offsets_now().boot_to_real_ns, s->path, text)) {
		say("%s", text);
		sd_notifyf(0, "STATUS=%s", text);
	}
	sd_event_source_set_time_relative(source, TRACE_STORAGE_EVERY_USEC);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

int trace_storage_new(sd_event *event, struct drain *drain, const char *path, struct trace_storage **ret)
{
	struct trace_storage *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->drain = drain;
	s->path = path;
	r = sd_event_add_time_relative(event, &s->timer, CLOCK_MONOTONIC, TRACE_STORAGE_EVERY_USEC, 0,
				       trace_storage_look, s);
	if (r < 0) {
		free(s);
		return r;
	}
	*ret = s;
	return 0;
}

void trace_storage_free(struct trace_storage *s)
{
	if (!s)
		return;
	sd_event_source_disable_unref(s->timer);
	free(s);
}
