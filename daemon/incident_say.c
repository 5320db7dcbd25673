// SPDX-License-Identifier: GPL-2.0-or-later
#include <err.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

#include "daemon/incident_private.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/describe.h"

/* What stands in the journal's MESSAGE_ID of every hang. */
#define SAY_HANG_ID SD_ID128_MAKE(8d, 1f, 5c, 0a, 6e, 33, 4b, 7f, 9a, 52, c4, 0e, 77, 1b, d9, 26)

/* Whether what is written to stderr reaches the journal: systemd says which stream that is. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%lu:%lu", &dev, &ino) == 2 && !fstat(STDERR_FILENO, &st) &&
	       st.st_dev == dev && st.st_ino == ino;
}

/* What is wrong, by rule: "... for 2.1 s". */
static const char *say_rule(const struct detect_hang *h)
{
	switch (h->rule) {
	case CT_HANG_LOOP:
		return "has been away from its event loop, blocked,";
	case CT_HANG_BUSY:
		return "has been away from its event loop, running,";
	case CT_HANG_STARVED:
		return "has been ready to run and got no CPU";
	case CT_HANG_DISK:
		return "has been in an uninterruptible wait";
	case CT_HANG_DEADLOCK:
		return h->peer == h->tid ? "has waited for a lock that it holds itself"
					 : "has been in a circle of tasks that wait for each other's locks";
	case CT_HANG_SERVICE:
		return "has waited for the answer to a request that is not even read";
	case CT_HANG_RULES:
		break;
	}
	return "has hung";
}

static const char *said(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

char *incident_say_text(const struct incident *in)
{
	const struct detect_hang *h = &in->hangs[0];
	unsigned others = in->n_hangs + in->hangs_refused - 1;
	char comm[4 * CT_COMM_LEN], *line = NULL;
	size_t n;
	FILE *f = open_memstream(&line, &n);

	if (!f)
		return NULL;
	describe_clean(h->comm, comm, sizeof(comm));
	fprintf(f, "%s[%u] %s for %.1f s", comm, h->tid, say_rule(h),
		(double)(h->found_ns - h->since_ns) / 1e9);
	if (in->diagnosis)
		fputs(json_is_true(json_object_get(in->diagnosis, "lasts")) ? ", and still is"
									    : ", and no longer is",
		      f);
	if (others)
		fprintf(f, "; %u other%s hung at the same time", others, others > 1 ? "s" : "");
	fputc('.', f);
	if (in->diagnosis)
		fprintf(f, " %s", said(in->diagnosis, "text"));
	if (*in->why)
		fprintf(f, " %s", in->why);
	if (in->has_snapshot) {
		time_t seconds = (time_t)(in->found_real_ns / NSEC_PER_SEC);
		char at[32];
		struct tm tm;

		strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &tm));
		fprintf(f, " Next: ctrace diagnose --tid %u --at %s %s", h->tid, at, in->path);
	}
	if (fclose(f)) {
		free(line);
		return NULL;
	}
	return line;
}

void incident_say(const struct incident *in)
{
	json_t *victim = json_array_get(json_object_get(in->diagnosis, "chain"), 0);
	_cleanup_free_ char *line = incident_say_text(in);
	const struct detect_hang *h = &in->hangs[0];
	char comm[4 * CT_COMM_LEN];

	if (!line)
		return;
	describe_clean(h->comm, comm, sizeof(comm));
	/* nobody may be listening: that is no error */
	(void)sd_journal_send(
		"MESSAGE=%s", line, "PRIORITY=%d", LOG_WARNING, "MESSAGE_ID=" SD_ID128_FORMAT_STR,
		SD_ID128_FORMAT_VAL(SAY_HANG_ID), "CTRACE_RULE=%s", describe_hang(h->rule), "CTRACE_PID=%u",
		h->tgid, "CTRACE_TID=%u", h->tid, "CTRACE_COMM=%s", comm, "CTRACE_HANG_USEC=%" PRIu64,
		(h->found_ns - h->since_ns) / NSEC_PER_USEC, "CTRACE_SNAPSHOT=%s",
		in->has_snapshot ? in->path : "", "CTRACE_VERDICT=%s", said(in->diagnosis, "verdict"),
		"CTRACE_CAUSE=%s", said(in->diagnosis, "cause"), "CTRACE_ROOT_PID=%" PRId64,
		(int64_t)json_integer_value(
			json_object_get(json_object_get(in->diagnosis, "root_cause"), "pid")),
		"CTRACE_CGROUP=%s", said(victim, "cgroup"), "CTRACE_CONTAINER=%s", said(victim, "container"),
		NULL);
	if (!stderr_is_journal())
		warnx("%s", line);
}

void incident_say_plain(int priority, const char *fmt, ...)
{
	_cleanup_free_ char *line = NULL;
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (r < 0) {
		line = NULL;
		return;
	}
	(void)sd_journal_send("MESSAGE=%s", line, "PRIORITY=%d", priority, NULL);
	if (!stderr_is_journal())
		warnx("%s", line);
}
