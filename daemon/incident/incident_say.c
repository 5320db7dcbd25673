// SPDX-License-Identifier: GPL-2.0-or-later
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <systemd/sd-id128.h>
#include <unistd.h>

#include "daemon/incident/incident_private.h"
#include "ctrace/fields.h"
#include "daemon/say.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/words/describe.h"

#define SAY_HANG_ID SD_ID128_MAKE(8d, 1f, 5c, 0a, 6e, 33, 4b, 7f, 9a, 52, c4, 0e, 77, 1b, d9, 26)

#define SAY_CRASH_ID SD_ID128_MAKE(72, dd, 7d, 69, 45, 9a, 46, 43, 8e, 13, 71, 9e, 57, 9c, f7, d9)

#define SAY_JOURNAL "/run/systemd/journal/socket"

static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%lu:%lu", &dev, &ino) == 2 && !fstat(STDERR_FILENO, &st) &&
	       st.st_dev == dev && st.st_ino == ino;
}

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
		return "has waited for an answer, while no task read its request,";
	case CT_HANG_CRASH:
	case CT_HANG_EXCEPTION:
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
	bool crashed = ct_hang_is_crash(h->rule);
	size_t n;
	FILE *f = open_memstream(&line, &n);

	if (!f)
		return NULL;
	describe_clean(h->comm, comm, sizeof(comm));
	if (h->rule == CT_HANG_CRASH)
		fprintf(f, "%s[%u] crashed", comm, h->tid);
	else if (h->rule == CT_HANG_EXCEPTION && h->tid != h->tgid)
		fprintf(f, "%s[%u], a thread of pid %u, ended after an uncaught exception", comm, h->tid,
			h->tgid);
	else if (h->rule == CT_HANG_EXCEPTION)
		fprintf(f, "%s[%u] ended after an uncaught exception", comm, h->tid);
	else
		fprintf(f, "%s[%u] %s for %.1f s", comm, h->tid, say_rule(h),
			(double)(h->found_ns - h->since_ns) / 1e9);
	if (in->diagnosis && !crashed)
		fputs(json_is_true(json_object_get(in->diagnosis, "lasts")) ? ", and still hangs"
									    : ", and no longer hangs",
		      f);
	if (others)
		fprintf(f, "; %u other%s hung or crashed at the same time", others, others > 1 ? "s" : "");
	fputc('.', f);
	if (in->diagnosis)
		fprintf(f, " %s", said(in->diagnosis, "text"));
	if (*in->why)
		fprintf(f, " %s", in->why);
	if (in->has_snapshot && crashed) {
		fprintf(f, " Next: ctrace crashes %s", in->path);
	} else if (in->has_snapshot) {
		char at[CLOCK_UTC_MAX];

		clock_utc(in->found_real_ns, at);
		fprintf(f, " Next: ctrace diagnose --tid %u --at %s %s", h->tid, at, in->path);
	}
	if (fclose(f)) {
		free(line);
		return NULL;
	}
	return line;
}

void incident_say_field(FILE *f, const char *name, const char *fmt, ...)
{
	_cleanup_free_ char *value = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&value, fmt, ap);
	va_end(ap);
	if (n < 0) {
		value = NULL;
		return;
	}
	/* in the journal's native protocol, the length precedes a value that has a newline */
	if (strchr(value, '\n')) {
		uint64_t le = htole64((uint64_t)n);

		fprintf(f, "%s\n", name);
		fwrite(&le, sizeof(le), 1, f);
		fprintf(f, "%s\n", value);
	} else {
		fprintf(f, "%s=%s\n", name, value);
	}
}

int incident_say_send(const char *path, const char *entry, size_t n)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	return sendto(fd, entry, n, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof(to)) < 0
		       ? -errno
		       : 0;
}

/* If stderr is the journal's stream, never waits: if the stream is full, the line is lost. */
static void say_stderr(const char *line)
{
	_cleanup_free_ char *text = NULL;

	if (!stderr_is_journal())
		say("%s", line);
	else if (asprintf(&text, "%s: %s\n", program_invocation_short_name, line) >= 0)
		(void)send(STDERR_FILENO, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL);
}

static FILE *say_begin(const char *line, int priority, char **ret, size_t *ret_n)
{
	FILE *f = open_memstream(ret, ret_n);

	if (!f)
		return NULL;
	incident_say_field(f, "MESSAGE", "%s", line);
	incident_say_field(f, "PRIORITY", "%d", priority);
	incident_say_field(f, "SYSLOG_IDENTIFIER", "%s", program_invocation_short_name);
	return f;
}

/* Does not use sd_journal_send(), which waits while the journal is stuck. */
static void say_end(FILE *f, const char *line, char **entry, const size_t *n)
{
	bool sent = f && !fclose(f) && !incident_say_send(SAY_JOURNAL, *entry, *n);

	if (!sent || !stderr_is_journal())
		say_stderr(line);
}

static void say_hang(FILE *f, const struct incident *in)
{
	json_t *victim = json_array_get(json_object_get(in->diagnosis, "chain"), 0);
	json_t *root = json_object_get(in->diagnosis, "root_cause");
	const struct detect_hang *h = &in->hangs[0];
	char comm[4 * CT_COMM_LEN];

	describe_clean(h->comm, comm, sizeof(comm));
	if (ct_hang_is_crash(h->rule))
		incident_say_field(f, "MESSAGE_ID", SD_ID128_FORMAT_STR, SD_ID128_FORMAT_VAL(SAY_CRASH_ID));
	else
		incident_say_field(f, "MESSAGE_ID", SD_ID128_FORMAT_STR, SD_ID128_FORMAT_VAL(SAY_HANG_ID));
	incident_say_field(f, "CTRACE_RULE", "%s", describe_hang(h->rule));
	incident_say_field(f, "CTRACE_PID", "%u", h->tgid);
	incident_say_field(f, "CTRACE_TID", "%u", h->tid);
	incident_say_field(f, "CTRACE_COMM", "%s", comm);
	incident_say_field(f, "CTRACE_HANG_USEC", "%" PRIu64,
			   (uint64_t)((h->found_ns - h->since_ns) / NSEC_PER_USEC));
	incident_say_field(f, "CTRACE_SNAPSHOT", "%s", in->has_snapshot ? in->path : "");
	incident_say_field(f, "CTRACE_VERDICT", "%s", said(in->diagnosis, "verdict"));
	incident_say_field(f, "CTRACE_CAUSE", "%s", said(in->diagnosis, "cause"));
	incident_say_field(f, "CTRACE_ROOT_PID", "%" PRId64,
			   (int64_t)json_integer_value(json_object_get(root, "pid")));
	incident_say_field(f, "CTRACE_CGROUP", "%s", said(victim, "cgroup"));
	incident_say_field(f, "CTRACE_CONTAINER", "%s", said(victim, "container"));
}

void incident_say(const struct incident *in)
{
	_cleanup_free_ char *text = incident_say_text(in), *line = text ? clean_dup(text) : NULL,
			    *entry = NULL;
	size_t n = 0;
	FILE *f;

	if (!line)
		return;
	f = say_begin(line, LOG_WARNING, &entry, &n);
	if (f)
		say_hang(f, in);
	say_end(f, line, &entry, &n);
}

void incident_say_plain(int priority, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL, *line = NULL, *entry = NULL;
	size_t n = 0;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	line = text ? clean_dup(text) : NULL;
	if (!line)
		return;
	say_end(say_begin(line, priority, &entry, &n), line, &entry, &n);
}

void incident_say_page(const struct incident *in)
{
	_cleanup_free_ char *text = NULL, *line = NULL, *entry = NULL;
	const struct detect_hang *h = &in->hangs[0];
	char comm[4 * CT_COMM_LEN];
	size_t n = 0;
	FILE *f;

	if (!in->has_page && !*in->why)
		return;
	describe_clean(h->comm, comm, sizeof(comm));
	if (asprintf(&text, "The hang of %s[%u] (%s): %s%s", comm, h->tid, in->name,
		     in->has_page ? "its page is " : in->why, in->has_page ? in->page_path : "") < 0)
		text = NULL;
	line = text ? clean_dup(text) : NULL;
	if (!line)
		return;
	f = say_begin(line, LOG_NOTICE, &entry, &n);
	if (f) {
		incident_say_field(f, "CTRACE_TID", "%u", h->tid);
		incident_say_field(f, "CTRACE_SNAPSHOT", "%s", in->has_snapshot ? in->path : "");
		incident_say_field(f, "CTRACE_VIEW", "%s", in->has_page ? in->page_path : "");
	}
	say_end(f, line, &entry, &n);
}
