// SPDX-License-Identifier: GPL-2.0-or-later
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
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/record/statedir.h"
#include "lib/cleanup.h"

struct fixture {
	char dir[64], state[80], lock[96], target[80];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	strcpy(f->dir, "/tmp/ctraced-state-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->state, sizeof(f->state), "%s/state", f->dir);
	snprintf(f->lock, sizeof(f->lock), "%s/lock", f->state);
	snprintf(f->target, sizeof(f->target), "%s/target", f->dir);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	unlink(f->lock);
	if (rmdir(f->state))
		unlink(f->state);
	unlink(f->target);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void make(const struct fixture *f, mode_t mode)
{
	assert_int_equal(mkdir(f->state, 0700), 0);
	assert_int_equal(chmod(f->state, mode), 0);
}

static void used(const char *path)
{
	char err[STATEDIR_ERR_MAX] = "";
	struct statedir s;

	if (statedir_open(path, &s, err))
		fail_msg("%s", err);
	statedir_close(&s);
}

static void refused(const struct fixture *f, const char *why, const char *remedy)
{
	char err[STATEDIR_ERR_MAX] = "";
	struct statedir s;

	assert_int_equal(statedir_open(f->state, &s, err), -EPERM);
	if (!strstr(err, f->state) || !strstr(err, why) || !strstr(err, remedy))
		fail_msg("%s", err);
	assert_int_equal(access(f->lock, F_OK), -1);
	assert_int_equal(access(f->state, F_OK), 0);
}

static void one_that_is_missing_is_made(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	used(f->state);
	assert_int_equal(stat(f->state, &st), 0);
	assert_int_equal(st.st_mode & 0027, 0);
}

static void one_that_others_may_read_is_used(void **state)
{
	make(*state, 0755);
	used(((struct fixture *)*state)->state);
}

/* The state directory may be a symbolic link: perhaps the administrator has moved the directory to
 * another disk. */
static void one_behind_a_link_is_used(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdir(f->target, 0700), 0);
	assert_int_equal(symlink(f->target, f->state), 0);
	used(f->state);
	unlink(f->lock);
	assert_int_equal(rmdir(f->target), 0);
}

static void one_that_others_may_write_is_refused(void **state)
{
	static const mode_t modes[] = { 0770, 0720, 0702, 0757, 0777, 02775 };
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		make(f, modes[i]);
		refused(f, "may be written by other users", "chmod go-w");
		assert_int_equal(rmdir(f->state), 0);
	}
}

/* The message must not tell anybody to change the rights of /tmp. */
static void one_as_tmp_is_refused(void **state)
{
	struct fixture *f = *state;

	make(f, 01777);
	refused(f, "may be written by everybody", "choose a directory of its own");
}

static void one_of_another_user_is_refused(void **state)
{
	struct fixture *f = *state;

	if (geteuid())
		skip(); /* only root can give directories away */
	make(f, 0700);
	assert_int_equal(chown(f->state, 65534, 65534), 0);
	refused(f, "belongs to another user", "chown root");
}

static void lock_is_ours(const struct fixture *f)
{
	struct stat st;

	used(f->state);
	assert_int_equal(lstat(f->lock, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_uid, geteuid());
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(unlink(f->lock), 0);
}

/* A user who can open the lock file can keep the daemon from starting. */
static void a_lock_that_is_not_ours_is_replaced(void **state)
{
	struct fixture *f = *state;
	_cleanup_close_ int fd = open(f->target, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(flock(fd, LOCK_EX), 0);
	make(f, 0700);
	assert_int_equal(symlink(f->target, f->lock), 0);
	lock_is_ours(f);
	assert_int_equal(link(f->target, f->lock), 0);
	lock_is_ours(f);
	assert_int_equal(mkfifo(f->lock, 0666), 0);
	lock_is_ours(f);
	assert_int_equal(rename(f->target, f->lock), 0);
	assert_int_equal(chmod(f->lock, 0666), 0);
	lock_is_ours(f);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_that_is_missing_is_made),
		TEST(one_that_others_may_read_is_used),
		TEST(one_behind_a_link_is_used),
		TEST(one_that_others_may_write_is_refused),
		TEST(one_as_tmp_is_refused),
		TEST(one_of_another_user_is_refused),
		TEST(a_lock_that_is_not_ours_is_replaced),
	};

	umask(077);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
