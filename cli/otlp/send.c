// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/otlp/send.h"

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
#define CODE_LEN   3         /* curl writes the HTTP status after the answer */
#define STRING_(x) #x
#define STRING(x)  STRING_(x)

enum { HTTP_OK = 200, HTTP_REDIRECT = 300, HTTP_CLIENT_ERROR = 400, HTTP_NOT_FOUND = 404, HTTP_BUSY = 429 };
enum { HTTP_BAD_GATEWAY = 502, HTTP_UNAVAILABLE = 503, HTTP_GATEWAY_TIMEOUT = 504 };

struct answer {
	uint8_t body[ANSWER_MAX];
	size_t n;
	char tail[CODE_LEN + 1]; /* the last bytes that were read */
	int http;
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
	 * Without --location, curl follows no redirect. */
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
				     "%{http_code}",
				     "--url",
				     url,
				     NULL };

	return cli_spawn((char *const *)argv, body_fd, out_fd, ret_pid);
}

static void keep(struct answer *a, const uint8_t *p, size_t n)
{
	size_t room = MIN(n, sizeof(a->body) - a->n);

	memcpy(a->body + a->n, p, room);
	a->n += room;
	for (size_t i = n > CODE_LEN ? n - CODE_LEN : 0; i < n; i++) {
		memmove(a->tail, a->tail + 1, CODE_LEN - 1);
		a->tail[CODE_LEN - 1] = (char)p[i];
	}
}

static void read_answer(int fd, struct answer *a)
{
	uint8_t buf[4096];
	size_t all = 0;
	ssize_t r;

	while ((r = read(fd, buf, sizeof(buf))) > 0 || (r < 0 && errno == EINTR)) {
		if (r < 0)
			continue;
		keep(a, buf, (size_t)r);
		all += (size_t)r;
	}
	if (all == a->n)
		a->n -= MIN(a->n, (size_t)CODE_LEN);
	a->http = atoi(a->tail);
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

static int refused(const char *url, const struct answer *a)
{
	Ot__Failure *f = ot__failure__unpack(NULL, a->n, a->body);
	const char *what = a->http == HTTP_NOT_FOUND     ? "; the path is often /v1/traces"
			   : a->http < HTTP_CLIENT_ERROR ? "; ctrace follows no redirect, so give the new URL"
							 : "";
	int r;

	if (f && f->message && *f->message)
		r = cli_error("%s: the receiver answers with HTTP status %d: %s%s", url, a->http, f->message,
			      what);
	else
		r = cli_error("%s: the receiver answers with HTTP status %d%s", url, a->http, what);
	if (f)
		ot__failure__free_unpacked(f, NULL);
	return r;
}

static void look_for_rejected(const char *url, const struct answer *a, uint64_t *rejected)
{
	Ot__ExportTraceServiceResponse *m = ot__export_trace_service_response__unpack(NULL, a->n, a->body);
	const Ot__ExportTracePartialSuccess *p = m ? m->partial_success : NULL;

	if (p && p->rejected_spans > 0) {
		cli_error("%s: the receiver refused %" PRId64 " spans: %s", url, p->rejected_spans,
			  p->error_message && *p->error_message ? p->error_message : "it does not say why");
		*rejected += (uint64_t)p->rejected_spans;
	}
	if (m)
		ot__export_trace_service_response__free_unpacked(m, NULL);
}

int send_post(const char *url, const uint8_t *message, size_t n, uint64_t *rejected)
{
	_cleanup_free_ struct answer *a = malloc(sizeof(*a));
	_cleanup_close_ int body_fd = -1;
	int r = a ? make_body(message, n, &body_fd) : -ENOMEM;

	if (r)
		return cli_error("%s: cannot send: %s", url, strerror(-r));
	for (unsigned try = 0; try < OTLP_TRIES; try++) {
		if (try)
			sleep(try);
		memset(a, 0, sizeof(*a));
		r = post(url, body_fd, a);
		if (r || !is_busy(a->http))
			break;
	}
	if (r)
		return r;
	if (a->http < HTTP_OK || a->http >= HTTP_REDIRECT)
		return refused(url, a);
	look_for_rejected(url, a, rejected);
	return CLI_OK;
}
