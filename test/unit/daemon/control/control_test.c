/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/control/control.h"
#include "daemon/thresholds.h"
#include "lib/cleanup.h"

struct fixture {
	char dir[64], path[96];
	sd_event *event;
	struct control *control;
	unsigned n_requests;
	uint64_t kept; /* the client whose request "later" has no answer yet */
	int last_fd;
	unsigned n_disposed;
	uid_t last_uid;
};

static void on_request(void *arg, uint64_t client, const char *cmd, json_t *body, int *fd)
{
	struct fixture *f = arg;

	f->n_requests++;
	f->last_fd = *fd;
	if (!strcmp(cmd, "later"))
		f->kept = client;
	else if (!strcmp(cmd, "big")) {
		static char big[100001];

		memset(big, 'x', sizeof(big) - 1);
		control_answer(f->control, client, json_pack("{s:s}", "text", big));
	} else
		control_answer(f->control, client, json_pack("{s:b,s:s}", "ok", 1, "cmd", cmd));
}

static void on_dispose(void *arg, uid_t uid, int fd)
{
	struct fixture *f = arg;

	f->n_disposed++;
	f->last_uid = uid;
	close(fd);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char err[CONTROL_ERR_MAX];
	struct control_options opt = {
		.group = CONTROL_NO_GROUP, .request = on_request, .dispose = on_dispose, .arg = f
	};

	strcpy(f->dir, "/tmp/ctraced-test-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/sock", f->dir);
	opt.path = f->path;
	*state = f;
	return sd_event_new(&f->event) < 0 || control_new(f->event, &opt, &f->control, err);
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int r;

	control_free(f->control);
	sd_event_unref(f->event);
	r = rmdir(f->dir); /* fails if the socket was left behind */
	free(f);
	return r;
}

static void settle(struct fixture *f)
{
	while (sd_event_run(f->event, 20000) > 0)
		;
}

static int join(struct fixture *f)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	strcpy(sa.sun_path, f->path);
	assert_int_equal(connect(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	return fd;
}

static void say(struct fixture *f, int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
	settle(f);
}

static ssize_t hear(int fd, char *buf, size_t cap)
{
	ssize_t n = recv(fd, buf, cap - 1, MSG_DONTWAIT);

	buf[n > 0 ? n : 0] = 0;
	return n;
}

static void question_and_answer(void **state)
{
	struct fixture *f = *state;
	_cleanup_close_ int fd = join(f);
	char buf[512];

	say(f, fd, "{\"cmd\":\"pi");
	assert_int_equal(hear(fd, buf, sizeof(buf)), -1);
	say(f, fd, "ng\"}\n{\"cmd\":\"pong\"}\n");
	hear(fd, buf, sizeof(buf));
	assert_string_equal(buf, "{\"ok\":true,\"cmd\":\"ping\"}\n{\"ok\":true,\"cmd\":\"pong\"}\n");
}

static void late_answers(void **state)
{
	struct fixture *f = *state;
	int fd = join(f);
	char buf[512];
	uint64_t client;

	say(f, fd, "{\"cmd\":\"later\"}\n{\"cmd\":\"ping\"}\n");
	assert_int_equal(f->n_requests, 1);
	client = f->kept;
	control_answer(f->control, client, json_pack("{s:b}", "ok", 1));
	settle(f);
	hear(fd, buf, sizeof(buf));
	assert_string_equal(buf, "{\"ok\":true}\n{\"ok\":true,\"cmd\":\"ping\"}\n");
	say(f, fd, "{\"cmd\":\"later\"}\n");
	close(fd);
	settle(f);
	assert_int_equal(control_clients(f->control), 0);
	control_answer(f->control, f->kept, json_pack("{s:b}", "ok", 1));
}

static void hostile_lines(void **state)
{
	static const char *const lines[] = {
		"\n",
		"nonsense\n",
		"[]\n",
		"{}\n",
		"{\"cmd\":5}\n",
		"{\"cmd\":\"a\",\"cmd\":\"b\"}\n",
		"{\"cmd\":\"\xff\xfe\"}\n",
		"{\"cmd\":\"ping\"} trailing\n",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n",
	};
	struct fixture *f = *state;
	_cleanup_close_ int fd = join(f);
	char buf[512], flood[3 * CONTROL_LINE_MAX + 1];

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		say(f, fd, lines[i]);
		assert_true(hear(fd, buf, sizeof(buf)) > 0);
		assert_int_equal(strncmp(buf, "{\"ok\":false,\"error\":\"", 21), 0);
	}
	assert_int_equal(f->n_requests, 0);
	memset(flood, '[', sizeof(flood) - 1);
	flood[sizeof(flood) - 1] = 0;
	say(f, fd, flood);
	assert_true(hear(fd, buf, sizeof(buf)) > 0);
	assert_non_null(strstr(buf, "longer than"));
	control_refuse(f->control, 12345, "nobody");
}

static void many_requests_at_once(void **state)
{
	struct fixture *f = *state;
	_cleanup_close_ int fd = join(f);
	char text[250 * 16 + 1], buf[16384];
	ssize_t n, heard = 0;

	for (int i = 0; i < 250; i++)
		memcpy(text + i * 16, "{\"cmd\":\"abcde\"}\n", 16);
	text[sizeof(text) - 1] = 0;
	say(f, fd, text);
	while ((n = hear(fd, buf, sizeof(buf))) > 0) {
		heard += n;
		settle(f);
	}
	assert_int_equal(heard, 250 * 26);
}

static void deaf_client(void **state)
{
	struct fixture *f = *state;
	_cleanup_close_ int deaf = join(f), other = join(f);
	char buf[512];

	for (int i = 0; i < 20; i++) {
		(void)!send(deaf, "{\"cmd\":\"big\"}\n", 14, MSG_NOSIGNAL);
		settle(f);
	}
	assert_true(f->n_requests < 10);
	say(f, other, "{\"cmd\":\"ping\"}\n");
	assert_true(hear(other, buf, sizeof(buf)) > 0);
}

static void too_many_clients(void **state)
{
	struct fixture *f = *state;
	int fds[CONTROL_CLIENTS_MAX + 1];
	char buf[512];

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = join(f);
		settle(f);
	}
	assert_int_equal(control_clients(f->control), CONTROL_CLIENTS_MAX);
	assert_true(hear(fds[CONTROL_CLIENTS_MAX], buf, sizeof(buf)) > 0);
	assert_non_null(strstr(buf, "Too many clients"));
	assert_int_equal(hear(fds[CONTROL_CLIENTS_MAX], buf, sizeof(buf)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
	settle(f);
	assert_int_equal(control_clients(f->control), 0);
}

#define SOME_GID 65533

static int join_as(struct fixture *f, uid_t uid)
{
	int fd;

	assert_int_equal(setegid(SOME_GID) || seteuid(uid), 0);
	fd = join(f);
	assert_int_equal(seteuid(0) || setegid(0), 0);
	settle(f);
	return fd;
}

static int setup_group(void **state)
{
	struct control_options opt = {
		.group = SOME_GID,
		.group_may = CONTROL_STATUS,
		.request = on_request,
	};
	char err[CONTROL_ERR_MAX];
	struct fixture *f;

	if (setup(state))
		return -1;
	f = *state;
	if (geteuid())
		return 0;
	control_free(f->control);
	opt.path = f->path;
	opt.arg = f;
	return chmod(f->dir, 0755) || control_new(f->event, &opt, &f->control, err);
}

static void expect_away(int fd, const char *why)
{
	char buf[512];

	assert_true(hear(fd, buf, sizeof(buf)) > 0);
	if (!strstr(buf, why))
		fail_msg("%s", buf);
	close(fd);
}

static void room_for_root(void **state)
{
	struct fixture *f = *state;
	int fds[CONTROL_CLIENTS_MAX], n = 0;
	char buf[512];

	if (geteuid())
		skip();
	for (uid_t uid = 60001; uid <= 60003; uid++) {
		for (int i = 0; i < CONTROL_USER_CLIENTS; i++)
			fds[n++] = join_as(f, uid);
		expect_away(join_as(f, uid), "You have too many connections");
	}
	assert_int_equal(control_clients(f->control), CONTROL_CLIENTS_MAX - CONTROL_ROOT_CLIENTS);
	expect_away(join_as(f, 60004), "Too many clients");
	while (n < CONTROL_CLIENTS_MAX) {
		fds[n++] = join(f);
		settle(f);
	}
	assert_int_equal(control_clients(f->control), CONTROL_CLIENTS_MAX);
	say(f, fds[n - 1], "{\"cmd\":\"later\"}\n");
	assert_true(control_is_owner(f->control, f->kept));
	say(f, fds[0], "{\"cmd\":\"later\"}\n");
	assert_false(control_is_owner(f->control, f->kept));
	close(fds[1]);
	settle(f);
	fds[1] = join_as(f, 60001);
	say(f, fds[1], "{\"cmd\":\"ping\"}\n");
	assert_true(hear(fds[1], buf, sizeof(buf)) > 0);
	while (n)
		close(fds[--n]);
}

static unsigned count_fds(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* on_request() gets one of the three descriptors that come with a valid request, but does not take
 * it. So all three go to dispose(). The three descriptors that come with a wrong or incomplete line
 * go to dispose() too. */
static void passed_descriptors(void **state)
{
	static const char *const lines[] = { "{\"cmd\":\"ping\"}\n", "garbage\n", "{\"cmd\":" };
	struct fixture *f = *state;
	int null = open("/dev/null", O_RDWR), three[3] = { null, null, null };
	unsigned before;

	close(join(f)); /* with the first client, the event loop opens a timer that stays open */
	settle(f);
	before = count_fds();
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char anc[CMSG_SPACE(sizeof(three))] = { 0 };
		struct iovec iov = { (void *)(uintptr_t)lines[i], strlen(lines[i]) };
		struct msghdr m = {
			.msg_iov = &iov, .msg_iovlen = 1, .msg_control = anc, .msg_controllen = sizeof(anc)
		};
		struct cmsghdr *h = CMSG_FIRSTHDR(&m);
		int fd = join(f);

		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(sizeof(three));
		memcpy(CMSG_DATA(h), three, sizeof(three));
		f->last_fd = -2;
		f->n_disposed = 0;
		assert_true(sendmsg(fd, &m, 0) > 0);
		settle(f);
		assert_true(i ? f->last_fd == -2 : f->last_fd >= 0);
		close(fd);
		settle(f);
		assert_int_equal(count_fds(), before);
		assert_int_equal(f->n_disposed, 3);
		assert_int_equal(f->last_uid, geteuid());
	}
	close(null);
}

/* The client is gone before the daemon reads its request. Unread bytes may carry descriptors, whose close
 * may take for ever. So dispose() gets a connection with unread bytes. Without unread bytes, the main thread
 * closes the connection. */
static void gone_before_its_turn(void **state)
{
	struct fixture *f = *state;
	int fd = join(f);

	assert_int_equal(send(fd, "{\"cmd\":\"ping\"}\n", 15, MSG_NOSIGNAL), 15);
	close(fd);
	settle(f);
	assert_int_equal(f->n_requests, 0);
	assert_int_equal(f->n_disposed, 1);
	close(join(f));
	settle(f);
	assert_int_equal(f->n_disposed, 1);
	fd = join(f);
	settle(f);
	assert_int_equal(control_clients(f->control), 1);
	assert_int_equal(send(fd, "{\"cmd\":\"ping\"}\n", 15, MSG_NOSIGNAL), 15);
	close(fd);
	settle(f);
	assert_int_equal(control_clients(f->control), 0);
	assert_int_equal(f->n_requests, 0);
	assert_int_equal(f->n_disposed, 2);
}

static void takes_turns(void **state)
{
	struct fixture *f = *state;
	_cleanup_close_ int many = join(f), one = join(f);
	char text[100 * 16], buf[16384];

	settle(f);
	for (int i = 0; i < 100; i++)
		memcpy(text + i * 16, "{\"cmd\":\"abcde\"}\n", 16);
	assert_int_equal(send(many, text, sizeof(text), MSG_NOSIGNAL), sizeof(text));
	assert_int_equal(send(one, "{\"cmd\":\"ping\"}\n", 15, MSG_NOSIGNAL), 15);
	for (int i = 0; i < 10; i++)
		sd_event_run(f->event, 0);
	assert_true(f->n_requests < 20);
	assert_true(hear(one, buf, sizeof(buf)) > 0);
}

static void many_connections_at_once(void **state)
{
	struct fixture *f = *state;
	int fds[2 * CONTROL_ACCEPT_MAX];
	unsigned away = 0;
	char buf[512];

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = join(f);
	for (int i = 0; i < 3 && !control_clients(f->control); i++)
		sd_event_run(f->event, 0);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		away += hear(fds[i], buf, sizeof(buf)) > 0;
	assert_int_equal(control_clients(f->control), CONTROL_CLIENTS_MAX);
	assert_int_equal(away, CONTROL_ACCEPT_MAX - CONTROL_CLIENTS_MAX);
	assert_int_equal(control_turned_away(f->control), away);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close(fds[i]);
	settle(f);
	assert_int_equal(control_clients(f->control), 0);
}

static void others_are_paced(void **state)
{
	struct fixture *f = *state;
	unsigned before;
	char buf[512];
	int fd, root;

	if (geteuid())
		skip();
	fd = join_as(f, 60001);
	root = join(f);
	settle(f);
	for (unsigned i = 0; i < 100000 && f->n_requests < 100000; i++) {
		before = f->n_requests;
		(void)!send(fd, "{\"cmd\":\"ping\"}\n", 15, MSG_NOSIGNAL | MSG_DONTWAIT);
		while (sd_event_run(f->event, 0) > 0)
			;
		while (hear(fd, buf, sizeof(buf)) > 0)
			;
		if (f->n_requests == before && control_cpu_ns(f->control) >= CONTROL_PACE_NS / 2)
			break;
	}
	assert_true(control_cpu_ns(f->control) >= CONTROL_PACE_NS / 2);
	assert_true(f->n_requests < 100000);
	before = f->n_requests;
	say(f, root, "{\"cmd\":\"pong\"}\n");
	assert_true(hear(root, buf, sizeof(buf)) > 0);
	for (unsigned i = 0; i < 50; i++)
		sd_event_run(f->event, 10000);
	assert_true(f->n_requests >= before + 2);
	close(fd);
	close(root);
}

static void second_daemon_and_stale_socket(void **state)
{
	struct fixture *f = *state;
	struct control_options opt = {
		.path = f->path, .group = CONTROL_NO_GROUP, .request = on_request, .arg = f
	};
	char err[CONTROL_ERR_MAX], other[128];
	struct control *second = NULL;
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	struct stat st;
	int fd;

	assert_int_equal(control_new(f->event, &opt, &second, err), -EADDRINUSE);
	assert_non_null(strstr(err, "another ctraced"));
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);

	/* a killed daemon leaves its socket behind */
	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s/stale", f->dir);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	close(fd);
	opt.path = sa.sun_path;
	assert_int_equal(control_new(f->event, &opt, &second, err), 0);
	control_free(second);
	assert_int_equal(access(sa.sun_path, F_OK), -1);

	snprintf(other, sizeof(other), "%s/file", f->dir);
	close(open(other, O_CREAT | O_WRONLY, 0600));
	opt.path = other;
	assert_int_equal(control_new(f->event, &opt, &second, err), -EEXIST);
	assert_int_equal(unlink(other), 0);
	opt.path = "/nowhere/at/all";
	assert_int_equal(control_new(f->event, &opt, &second, err), -ENOENT);
	assert_non_null(strstr(err, "/nowhere/at/all"));
}

static void socket_that_is_removed(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	assert_int_equal(unlink(f->path), 0);
	for (unsigned i = 0; i < 100 && access(f->path, F_OK); i++)
		assert_true(sd_event_run(f->event, 100000) >= 0);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	question_and_answer(state);
	assert_int_equal(unlink(f->path), 0);
	close(open(f->path, O_CREAT | O_WRONLY, 0644));
	for (unsigned i = 0; i < 25; i++)
		assert_true(sd_event_run(f->event, 100000) >= 0);
	assert_int_equal(stat(f->path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(unlink(f->path), 0);
}

#define WITH(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(question_and_answer),
		WITH(late_answers),
		WITH(socket_that_is_removed),
		WITH(hostile_lines),
		WITH(deaf_client),
		WITH(too_many_clients),
		cmocka_unit_test_setup_teardown(room_for_root, setup_group, teardown),
		WITH(many_requests_at_once),
		WITH(passed_descriptors),
		WITH(gone_before_its_turn),
		WITH(takes_turns),
		WITH(many_connections_at_once),
		cmocka_unit_test_setup_teardown(others_are_paced, setup_group, teardown),
		WITH(second_daemon_and_stale_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
