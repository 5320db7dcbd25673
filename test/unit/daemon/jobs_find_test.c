// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/jobs/jobs_find.h"

static char path[] = "/tmp/jobs-find-XXXXXX";
static struct stat st;
static struct jobs_mapping mapping;

static int take(void *arg, const struct jobs_mapping *m)
{
	if (strcmp(m->path, path) != 0)
		return 0;
	mapping = *m;
	return 1;
}

static int map_file(void **state)
{
	int fd = mkstemp(path);

	if (fd < 0 || ftruncate(fd, 4096) || fstat(fd, &st) ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return -1;
	close(fd);
	return jobs_find_mappings((uint32_t)getpid(), take, NULL) == 1 ? 0 : -1;
}

static int unmap_file(void **state)
{
	munmap((void *)mapping.start, 4096);
	return unlink(path);
}

static void test_same_device(void **state)
{
	struct unwind_mounts mounts = { 0 };
	struct stat other = st;

	assert_true(jobs_find_maps(&mounts, &mapping, &st));
	other.st_ino++;
	assert_false(jobs_find_maps(&mounts, &mapping, &other));
}

/* The mapping seems to have another device than the file, as on btrfs. */
static void test_other_device(void **state)
{
	struct jobs_mapping shown = mapping;
	struct unwind_mounts mounts = { 0 };
	struct stat other = st, found;
	int fd;

	shown.major = 8;
	shown.minor = 0xfffff;
	fd = jobs_find_mapped(&mounts, &shown, &found);
	if (fd < 0)
		skip(); /* only root may open a mapped file */
	close(fd);
	assert_true(jobs_find_maps(&mounts, &shown, &st));

	/* another file, with the same inode number on another disk */
	other.st_dev++;
	assert_false(jobs_find_maps(&mounts, &mapping, &other));

	/* not mapped any more */
	shown.end += 4096;
	assert_false(jobs_find_maps(&mounts, &shown, &st));
}

/* The file system may wait for a server, so the mapped file is not opened. The inode number alone
 * decides. */
static void test_unknown_device(void **state)
{
	struct jobs_mapping shown = mapping;
	struct unwind_mounts mounts = { 0 };
	struct stat other = st;

	shown.major = 0;
	shown.minor = 0xfffff;
	other.st_dev++;
	assert_true(jobs_find_maps(&mounts, &shown, &other));
}

static int count_own(void *arg, const struct jobs_mapping *m)
{
	unsigned *n = arg;

	*n += m->pid == (uint32_t)getpid() && !strcmp(m->path, path);
	return 0;
}

static unsigned due(struct jobs_seen *s)
{
	unsigned n = 0;

	jobs_find_due_mappings(s, count_own, &n);
	return n;
}

/* At the first scan, all processes are due. Later, a process is due when it is there for the second time, and
 * then ever less often. */
static void test_due(void **state)
{
	struct jobs_seen s = { 0 };
	unsigned seen = 0;

	for (unsigned scan = 0; scan <= 192; scan++) {
		bool want = !(scan & (scan - 1)) || scan % 64 == 0;

		assert_int_equal(due(&s), want);
		seen += want;
	}
	assert_int_equal(seen, 10); /* 0, 1, 2, 4, 8, 16, 32, 64, 128, 192 */
	assert_int_equal(due(&s), 0);
	/* as if it had been another program */
	assert_int_equal(map_set(&s.v, (uint32_t)getpid(), 7ULL << 32 | s.scans), 0);
	assert_int_equal(due(&s), 0);
	assert_int_equal(due(&s), 1);
	assert_int_equal(due(&s), 1);
	assert_int_equal(due(&s), 0);
	assert_int_equal(due(&s), 1);
	jobs_seen_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_device),
		cmocka_unit_test(test_other_device),
		cmocka_unit_test(test_unknown_device),
		cmocka_unit_test(test_due),
	};

	return cmocka_run_group_tests(tests, map_file, unmap_file);
}
