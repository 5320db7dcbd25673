// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/send.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "otlp.pb-c.h"

#define ANSWER_MAX (1 << 16) /* bytes; the rest of a longer answer is read, but not used */
#define TAIL_MAX   64        /* bytes of the line that curl writes after the answer, see spawn() */
#define STRING_(x) #x
#define STRING(x)  STRING_(x)

enum { HTTP_OK = 200, HTTP_REDIRECT = 300, HTTP_CLIENT_ERROR = 400, HTTP_NOT_FOUND = 404, HTTP_BUSY = 429 };
enum { HTTP_BAD_GATEWAY = 502, HTTP_UNAVAILABLE = 503, HTTP_GATEWAY_TIMEOUT = 504 };

struct answer {
	uint8_t body[ANSWER_MAX];
	size_t n;
	char tail[TAIL_MAX + 1]; /* the last bytes that were read, at the end */
	int http;
	unsigned long retry_after_s; /* 0: the receiver does not say */
};

int send_check(const char *url)
{
	if (!strncasecmp(url, "http://", 7) || !strncasecmp(url, "https://", 8))
		return CLI_OK;
	return cli_error("%s: this is no URL; give one like http://localhost:4318/v1/traces", url);
}

static int make_body(const uint8_t *message, size_t n, int *ret_fd)
{
	_cleanup_close_ int fd = memfd_create("ctrace-otlp", MFD_CLOEXEC);

	for (size_t done = 0; fd >= 0 && done < n;) {
		ssize_t r = pwrite(fd, message + done, n - done, (off_t)done);

		if (r < 0)
			return -errno;
		done += (size_t)r;
	}
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int spawn(const char *url, int body_fd, int out_fd, pid_t *ret_pid)
{
	/* --disable has to be the first option: curl then ignores the settings file of the user.
	 * Without --location, curl follows no redirect. A curl before 7.84 writes %header as it stands. */
	const char *const argv[] = { "curl",
				     "--disable",
				     "--silent",
				     "--show-error",
				     "--globoff",
				     "--proto",
				     "=http,https",
				     "--connect-timeout",
				     STRING(OTLP_CONNECT_S),
				     "--max-time",
				     STRING(OTLP_ANSWER_S),
				     "--header",
				     "Content-Type: application/x-protobuf",
				     "--header",
				     "Expect:",
				     "--user-agent",
				     "ctrace",
				     "--data-binary",
				     "@-",
				     "--write-out",
				     "\n%header{retry-after} %{http_code}",
				     "--url",
				     url,
				     NULL };

	return cli_spawn((char *const *)argv, body_fd, out_fd, ret_pid);
}

static void keep(struct answer *a, const uint8_t *p, size_t n)
{
	size_t room = MIN(n, sizeof(a->body) - a->n), last = MIN(n, (size_t)TAIL_MAX);

	memcpy(a->body + a->n, p, room);
	a->n += room;
	memmove(a->tail, a->tail + last, TAIL_MAX - last);
	memcpy(a->tail + TAIL_MAX - last, p + n - last, last);
}

/* Reads the line that curl writes after the answer. It may begin with a long header of the receiver. */
static void read_tail(struct answer *a)
{
	const char *status = memrchr(a->tail, ' ', TAIL_MAX), *line = memrchr(a->tail, '\n', TAIL_MAX);

	a->http = status ? atoi(status + 1) : 0;
	/* A header with a date instead of a number does not count. */
	if (line && isdigit((unsigned char)line[1]))
		a->retry_after_s = strtoul(line + 1, NULL, 10);
}

static void read_answer(int fd, struct answer *a)
{
	uint8_t buf[4096], *line;
	size_t all = 0;
	ssize_t r;

	while ((r = read(fd, buf, sizeof(buf))) > 0 || (r < 0 && errno == EINTR)) {
		if (r < 0)
			continue;
		keep(a, buf, (size_t)r);
		all += (size_t)r;
	}
	read_tail(a);
	line = memrchr(a->body, '\n', a->n);
	if (all == a->n && line)
		a->n = (size_t)(line - a->body);
}

static int post(const char *url, int body_fd, struct answer *a)
{
	_cleanup_close_ int in_fd = -1, out_fd = -1;
	int fds[2], status, r;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return cli_error("%s: cannot send: %s", url, strerror(errno));
	in_fd = fds[0];
	out_fd = fds[1];
	lseek(body_fd, 0, SEEK_SET);
	r = spawn(url, body_fd, out_fd, &pid);
	if (r)
		return cli_error(
			"%s: cannot start curl, which sends for ctrace: %s; install curl, or write a file with -o",
			url, strerror(r));
	close(out_fd);
	out_fd = -1;
	read_answer(in_fd, a);
	while ((r = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	if (r == pid && WIFEXITED(status) && !WEXITSTATUS(status))
		return CLI_OK;
	/* curl has printed the reason */
	return cli_error("%s: cannot send; look whether a receiver for OTLP over HTTP listens there", url);
}

static bool is_busy(int http)
{
	return http == HTTP_BUSY || http == HTTP_BAD_GATEWAY || http == HTTP_UNAVAILABLE ||
	       http == HTTP_GATEWAY_TIMEOUT;
}

/* Returns what to try, for the end of the message. */
static const char *advice(const struct answer *a, char buf[64])
{
	if (a->http == HTTP_NOT_FOUND)
		return "; the path is often /v1/traces";
	if (a->http < HTTP_CLIENT_ERROR)
		return "; ctrace follows no redirect, so give the new URL";
	if (!is_busy(a->http) || !a->retry_after_s)
		return "";
	snprintf(buf, 64, "; the receiver asks to try again after %lu s", a->retry_after_s);
	return buf;
}

static int refused(const char *url, const struct answer *a)
{
	Ot__Failure *f = ot__failure__unpack(NULL, a->n, a->body);
	bool says = f && f->message && *f->message;
	char buf[64];
	int r = cli_error("%s: the receiver answers with HTTP status %d%s%s%s", url, a->http,
			  says ? ": " : "", says ? f->message : "", advice(a, buf));

	if (f)
		ot__failure__free_unpacked(f, NULL);
	return r;
}

static void keep_first(char to[SEND_TEXT_MAX], const char *text)
{
	if (!*to && text)
		snprintf(to, SEND_TEXT_MAX, "%s", text);
}

static void read_success(const struct answer *a, struct send_said *said)
{
	Ot__ExportTraceServiceResponse *m = ot__export_trace_service_response__unpack(NULL, a->n, a->body);
	const Ot__ExportTracePartialSuccess *p = m ? m->partial_success : NULL;

	if (p && p->rejected_spans > 0) {
		said->rejected += (uint64_t)p->rejected_spans;
		keep_first(said->why, p->error_message);
	} else if (p) {
		keep_first(said->warning, p->error_message);
	}
	if (m)
		ot__export_trace_service_response__free_unpacked(m, NULL);
}

/* Returns after how many seconds to send again. 0: do not send again. */
static unsigned pause_s(const struct answer *a, unsigned tries)
{
	if (!is_busy(a->http) || tries == OTLP_TRIES || a->retry_after_s > OTLP_RETRY_AFTER_S)
		return 0;
	return a->retry_after_s ? (unsigned)a->retry_after_s : tries;
}

int send_post(const char *url, const uint8_t *message, size_t n, struct send_said *said)
{
	_cleanup_free_ struct answer *a = malloc(sizeof(*a));
	_cleanup_close_ int body_fd = -1;
	int r = a ? make_body(message, n, &body_fd) : -ENOMEM;
	unsigned wait_s = 0;

	if (r)
		return cli_error("%s: cannot send: %s", url, strerror(-r));
	for (unsigned tries = 1; !r && (tries == 1 || wait_s); tries++) {
		sleep(wait_s);
		memset(a, 0, sizeof(*a));
		r = post(url, body_fd, a);
		wait_s = pause_s(a, tries);
	}
	if (r)
		return r;
	if (a->http < HTTP_OK || a->http >= HTTP_REDIRECT)
		return refused(url, a);
	read_success(a, said);
	return CLI_OK;
}

int send_report(const char *url, const struct send_said *said)
{
	if (*said->warning)
		cli_warn("%s: the receiver says: %s", url, said->warning);
	if (!said->rejected)
		return CLI_OK;
	return cli_error("%s: the receiver refused %" PRIu64 " spans: %s", url, said->rejected,
			 *said->why ? said->why : "it does not say why");
}
