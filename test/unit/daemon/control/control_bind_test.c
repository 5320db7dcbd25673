// SPDX-License-Identifier: GPL-2.0-or-later
/* The group in the options gets rights to the socket. If another user replaces the new socket by a symbolic
 * link, control_new() must fail, and the group must get no rights to the target of the link. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/control/control.h"
#include "lib/cleanup.h"

#define GROUP 60

static char dir[64], path[80], target[80];
static bool swapping;

int __real_bind(int fd, const struct sockaddr *sa, socklen_t len);

/* The linker replaces bind() in the daemon by this function. */
int __wrap_bind(int fd, const struct sockaddr *sa, socklen_t len)
{
	int r = __real_bind(fd, sa, len);

	if (!r && swapping)
		r = unlink(path) || symlink(target, path);
	return r;
}

static int setup(void **state)
{
	strcpy(dir, "/tmp/ctraced-bind-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/sock", dir);
	snprintf(target, sizeof(target), "%s/target", dir);
	return 0;
}

static int teardown(void **state)
{
	unlink(path);
	unlink(target);
	return rmdir(dir);
}

static int listen_there(struct control **ret)
{
	const struct control_options opt = { .path = path, .group = geteuid() ? getegid() : GROUP };
	char err[CONTROL_ERR_MAX];
	sd_event *event = NULL;
	int r;

	assert_true(sd_event_new(&event) >= 0);
	r = control_new(event, &opt, ret, err);
	sd_event_unref(event);
	return r;
}

static void the_group_gets_the_socket(void **state)
{
	struct control *c = NULL;
	struct stat st;

	assert_int_equal(listen_there(&c), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFSOCK | 0660);
	assert_int_equal(st.st_gid, geteuid() ? getegid() : GROUP);
	control_free(c);
}

static void the_group_gets_nothing_else(void **state)
{
	_cleanup_close_ int fd = open(target, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct control *c = NULL;
	struct stat before, after;

	assert_int_equal(fstat(fd, &before), 0);
	swapping = true;
	assert_true(listen_there(&c) < 0);
	swapping = false;
	assert_int_equal(fstat(fd, &after), 0);
	assert_int_equal(after.st_mode, before.st_mode);
	assert_int_equal(after.st_gid, before.st_gid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_group_gets_the_socket, setup, teardown),
		cmocka_unit_test_setup_teardown(the_group_gets_nothing_else, setup, teardown),
	};

	umask(077);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
