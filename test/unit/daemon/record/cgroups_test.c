// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/record/cgroups.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "ctrace/abi.h"
#include "daemon/record/cgroups_container.h"

#define ID         "4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c"
#define ID2        "aaaaaaaaaaaa4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c"
#define DOCKER(id) "/var/lib/docker/containers/" id "/config.v2.json"
#define PODMAN     "/var/lib/containers/storage/overlay-containers/containers.json"

static char root[] = "/tmp/cgroups-test-XXXXXX";

static int begin(void **state)
{
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int rm(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int end(void **state)
{
	return nftw(root, rm, 8, FTW_DEPTH | FTW_PHYS);
}

static uint64_t dir(const char *path)
{
	char buf[1024];
	struct stat st;

	for (const char *p = path; p; p = strchr(p + 1, '/')) {
		snprintf(buf, sizeof(buf), "%s%.*s", root, (int)(p - path), path);
		mkdir(buf, 0700);
	}
	snprintf(buf, sizeof(buf), "%s%s", root, path);
	assert_true(!mkdir(buf, 0700) || errno == EEXIST);
	assert_int_equal(stat(buf, &st), 0);
	return st.st_ino;
}

static void file(const char *path, const char *text)
{
	char buf[1024];
	FILE *f;

	snprintf(buf, sizeof(buf), "%.*s", (int)(strrchr(path, '/') - path), path);
	dir(buf);
	snprintf(buf, sizeof(buf), "%s%s", root, path);
	f = fopen(buf, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const struct ct_object_blob *found(const void *data, size_t size, uint64_t id)
{
	const char *p = data;

	while (size) {
		const struct ct_object_blob *o = (const void *)p;

		assert_int_equal(o->h.kind, CT_OBJECT);
		assert_int_equal(o->h.size, sizeof(*o) + ((o->name_len + 7u) & ~7u));
		assert_true(o->h.size <= size);
		if (o->id == id)
			return o;
		p += o->h.size;
		size -= o->h.size;
	}
	return NULL;
}

static void has_name(const struct ct_object_blob *o, const char *name)
{
	assert_non_null(o);
	assert_int_equal(o->name_len, strlen(name));
	assert_memory_equal(o->name, name, strlen(name));
}

static void test_walk(void **state)
{
	uint64_t a = dir("/a"), web = dir("/a/docker-" ID ".scope"), top, gone = 1;
	struct map wanted = { 0 };
	const struct ct_object_blob *o;
	struct stat st;
	size_t size, n;
	void *data;

	dir("/b/not-wanted");
	file(DOCKER(ID), "{\"Name\":\"/web-1\"}");
	assert_int_equal(stat(root, &st), 0);
	top = st.st_ino;
	assert_int_equal(cgroups_find(root, root, &wanted, 1, &data, &size, &n), 0);
	assert_null(data);
	map_set(&wanted, gone, 0);
	map_set(&wanted, a, 0);
	map_set(&wanted, web, 0);
	map_set(&wanted, top, 0);
	assert_int_equal(cgroups_find(root, root, &wanted, 1, &data, &size, &n), 0);
	assert_int_equal(n, 3);
	has_name(found(data, size, CT_OBJ_ID(CT_OBJ_CGROUP, top)), "/");
	has_name(found(data, size, CT_OBJ_ID(CT_OBJ_CGROUP, a)), "/a");
	o = found(data, size, CT_OBJ_ID(CT_OBJ_CGROUP, web));
	has_name(o, "/a/docker-" ID ".scope");
	assert_int_equal(o->peer, CT_OBJ_CONTAINER_ID(web));
	has_name(found(data, size, o->peer), "web-1");
	assert_null(found(data, size, CT_OBJ_ID(CT_OBJ_CGROUP, gone)));
	free(data);
	map_done(&wanted);
	assert_int_equal(cgroups_find("/nonexistent", root, &wanted, 1, &data, &size, &n), -ENOENT);
}

static void test_long_path(void **state)
{
	uint64_t deep =
		dir("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod3f2a8c1e_9d4b_4a7e_8f10"
		    "_0123456789ab.slice/cri-containerd-" ID ".scope");
	struct map wanted = { 0 };
	size_t size, n;
	void *data;

	map_set(&wanted, deep, 0);
	assert_int_equal(cgroups_find(root, root, &wanted, 1, &data, &size, &n), 0);
	has_name(found(data, size, CT_OBJ_ID(CT_OBJ_CGROUP, deep)),
		 ".../kubepods-burstable-pod3f2a8c1e_9d4b_4a7e_8f10_0123456789ab.slice/cri-containerd-" ID
		 ".scope");
	free(data);
	map_done(&wanted);
}

static void named(const char *id, const char *want)
{
	char name[CGROUP_NAME_MAX];

	assert_int_equal(cgroups_container(root, id, name), !!*want);
	assert_string_equal(name, want);
}

static void test_containers(void **state)
{
	named(ID, "");
	file(DOCKER(ID), "{\"ID\":\"x\",\"Name\":\"/web-1\"}");
	named(ID, "web-1");
	file(DOCKER(ID), "{\"Name\":\"bare\"}");
	named(ID, "bare");
	file(DOCKER(ID), "{\"Name\":\"/\"}");
	named(ID, "");
	file(DOCKER(ID), "{\"Name\":\"/a\\u001bb\"}");
	named(ID, "");
	file(DOCKER(ID), "{\"Name\":7}");
	named(ID, "");
	file(DOCKER(ID), "{\"Name\":");
	named(ID, "");
	file(PODMAN, "[{\"id\":\"x\"},{\"id\":\"" ID2 "\",\"names\":[\"pod_1\",\"other\"]}]");
	named(ID2, "pod_1");
	named(ID, "");
	file(PODMAN, "{}");
	named(ID2, "");
}

static void test_limits(void **state)
{
	const uint32_t tids[] = { 7, 8 };
	const struct ct_object_blob *o;
	size_t size;
	void *data;

	file("/sys/fs/cgroup/cgroup.controllers", "cpu\n");
	file("/proc/7/cgroup", "0::/a\n");
	file("/proc/8/cgroup", "0::/\n");
	file("/sys/fs/cgroup/a/cpu.max", "20000 100000\n");
	file("/sys/fs/cgroup/a/memory.max", "1000000\n");
	assert_int_equal(cgroups_limits(root, tids, 2, 5, &data, &size), 0);
	o = found(data, size, CT_OBJ_QUOTA_ID(7));
	has_name(o, "/a");
	assert_int_equal(o->h.ts, 5);
	assert_int_equal(o->h.tid, 7);
	assert_int_equal(o->x, 20000);
	assert_int_equal(o->dev, 100000);
	o = found(data, size, CT_OBJ_MEMORY_ID(7));
	has_name(o, "/a");
	assert_int_equal(o->x, 1000000);
	assert_null(found(data, size, CT_OBJ_QUOTA_ID(8)));
	free(data);
	assert_int_equal(cgroups_limits(root, tids + 1, 1, 5, &data, &size), 0);
	assert_null(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_walk, begin, end),
		cmocka_unit_test_setup_teardown(test_long_path, begin, end),
		cmocka_unit_test_setup_teardown(test_containers, begin, end),
		cmocka_unit_test_setup_teardown(test_limits, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
