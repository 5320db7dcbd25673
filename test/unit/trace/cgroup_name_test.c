// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/cgroup_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/unit/trace/window_make.h"
#include "trace/read/reader.h"
#include "trace/snapshot/cut.h"
#include "trace/write/writer.h"

#define ID "4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c"
enum { NAMED = 1, SHORT, UNIT, OTHER, ROOT, UNKNOWN };

static const struct window *machine(struct make *m)
{
	static const char *const paths[] = { [NAMED] = "/docker/" ID,
					     [SHORT] = "/system.slice/docker-" ID ".scope",
					     [UNIT] = "/system.slice/nginx.service",
					     [OTHER] = "/system.slice/sql.service",
					     [ROOT] = "/" };

	for (uint32_t i = NAMED; i <= UNKNOWN; i++) {
		make_task(m, i, i, 1, "x");
		m->tasks.v[m->tasks.n - 1].cgroup_id = i;
		if (i != UNKNOWN)
			make_object(m, CT_OBJ_ID(CT_OBJ_CGROUP, i))->name = paths[i];
	}
	m->objects.v[0].peer = CT_OBJ_CONTAINER_ID(NAMED);
	make_object(m, CT_OBJ_CONTAINER_ID(NAMED))->name = "web\x1b";
	return make_done(m, 10);
}

static void test_names(void **state)
{
	struct make m = { 0 };
	const struct window *w = machine(&m);
	struct cgroup_name p = cgroup_name_of(w, NAMED, 1);

	assert_string_equal(p.container, "web\x1b");
	assert_string_equal(p.cgroup, "/docker/" ID);
	p = cgroup_name_of(w, SHORT, 1);
	assert_string_equal(p.container, "4f1c7a9be02d");
	p = cgroup_name_of(w, UNIT, 1);
	assert_string_equal(p.container, "");
	assert_string_equal(p.unit, "nginx.service");
	p = cgroup_name_of(w, ROOT, 1);
	assert_string_equal(p.cgroup, "/");
	assert_string_equal(p.unit, "");
	for (uint32_t tid = UNKNOWN; tid != 1; tid = tid == UNKNOWN ? 4711 : tid == 4711 ? 0 : 1) {
		p = cgroup_name_of(w, tid, 1);
		assert_string_equal(p.cgroup, "");
		assert_string_equal(p.container, "");
	}
	make_free(&m);
}

static void said(const struct window *w, uint32_t tid, uint32_t before, bool differ, const char *want)
{
	struct cgroup_name p = cgroup_name_of(w, tid, 1), b = cgroup_name_of(w, before, 1);
	char buf[CGROUP_NAME_WORDS_MAX];

	assert_string_equal(cgroup_name_words(&p, before ? &b : NULL, differ, buf), want);
}

static void test_words(void **state)
{
	struct make m = { 0 };
	const struct window *w = machine(&m);

	said(w, NAMED, 0, false, " in container web\\x1b");
	said(w, NAMED, NAMED, false, "");
	said(w, NAMED, SHORT, false, " in container web\\x1b");
	said(w, UNIT, 0, false, "");
	said(w, UNIT, 0, true, " in nginx.service");
	said(w, UNIT, UNIT, true, "");
	said(w, UNIT, OTHER, true, " in nginx.service");
	said(w, ROOT, NAMED, true, " on the host");
	said(w, ROOT, UNIT, true, "");
	said(w, UNKNOWN, NAMED, true, "");
	make_free(&m);
}

static void test_matches(void **state)
{
	struct make m = { 0 };
	const struct window *w = machine(&m);
	struct cgroup_name named = cgroup_name_of(w, NAMED, 1), unit = cgroup_name_of(w, UNIT, 1),
			   no = cgroup_name_of(w, UNKNOWN, 1);

	assert_true(cgroup_name_matches(&no, NULL, NULL));
	assert_true(cgroup_name_matches(&named, NULL, "web*"));
	assert_true(cgroup_name_matches(&named, NULL, "4f1c7"));
	assert_true(cgroup_name_matches(&named, "*/4f1c*", "web?"));
	assert_false(cgroup_name_matches(&named, "/system.slice/*", "web*"));
	assert_false(cgroup_name_matches(&named, NULL, "we"));
	assert_false(cgroup_name_matches(&unit, NULL, "*"));
	assert_true(cgroup_name_matches(&unit, "/system.slice/nginx.service", NULL));
	assert_true(cgroup_name_matches(&unit, "/sys*.service", NULL));
	assert_false(cgroup_name_matches(&unit, "nginx.service", NULL));
	assert_false(cgroup_name_matches(&no, "*", NULL));
	make_free(&m);
}

static void put_object(struct writer *writer, uint64_t id, uint64_t peer, const char *name)
{
	union {
		struct ct_object_blob o;
		char room[sizeof(struct ct_object_blob) + CT_OBJ_NAME_MAX];
	} u = { .o = { .h = { .kind = CT_OBJECT },
		       .id = id,
		       .peer = peer,
		       .name_len = (uint16_t)strlen(name) } };

	u.o.h.size = (uint16_t)(sizeof(u.o) + ((u.o.name_len + 7u) & ~7u));
	memcpy(u.room + sizeof(u.o), name, strlen(name));
	assert_int_equal(writer_blob(writer, &u.o.h), 0);
}

/* The writer gets the name of a control group once. It writes the name into every segment that has a task of
 * the group. */
static void test_every_segment(void **state)
{
	const struct writer_options opt = { .size_bytes = 4 << 20, .n_cpus = 1 };
	struct ct_task_blob task = { .h = { .kind = CT_TASK, .size = sizeof(task), .tid = 7 },
				     .tgid = 7,
				     .ppid = 8,
				     .cgroup_id = NAMED };
	struct ct_task_blob parent = { .h = { .kind = CT_TASK, .size = sizeof(parent), .tid = 8 },
				       .tgid = 8,
				       .cgroup_id = OTHER };
	struct ct_rec rec = { .kind = CT_WAKE_NEW, .tid = 7 };
	char path[] = "/tmp/place-test-XXXXXX", cut[] = "/tmp/place-test-XXXXXX", err[READER_ERR_MAX];
	int fd = mkstemp(path), cut_fd = mkstemp(cut);
	struct writer *writer;
	struct reader *r;
	struct window *w;
	uint64_t n;

	assert_true(fd >= 0 && cut_fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(writer_open(path, &opt, &writer, err), 0);
	assert_int_equal(writer_begin(writer, 1, NULL, 0), 0);
	assert_int_equal(writer_blob(writer, &task.h), 0);
	assert_int_equal(writer_blob(writer, &parent.h), 0);
	put_object(writer, CT_OBJ_ID(CT_OBJ_CGROUP, NAMED), CT_OBJ_CONTAINER_ID(NAMED), "/docker/" ID);
	put_object(writer, CT_OBJ_CONTAINER_ID(NAMED), 0, "web");
	put_object(writer, CT_OBJ_ID(CT_OBJ_CGROUP, OTHER), 0, "/system.slice/sql.service");
	for (unsigned i = 1; i <= 3; i++) {
		rec.ts = i * 1000 - 1;
		assert_int_equal(writer_add(writer, 0, &rec, NULL), 0);
		assert_int_equal(writer_seal(writer, i * 1000, NULL, 0), 0);
	}
	writer_free(writer);
	assert_int_equal(reader_open(path, &r, err), 0);
	assert_int_equal(
		cut_window(r, &(struct cut_options){ .from_ns = 2500, .to_ns = 3000 }, cut_fd, &n, err), 0);
	reader_free(r);
	assert_int_equal(n, 1);
	assert_int_equal(reader_open(cut, &r, err), 0);
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &w, err), 0);
	assert_string_equal(cgroup_name_of(w, 7, 2999).container, "web");
	assert_string_equal(cgroup_name_of(w, 8, 2999).unit, "sql.service");
	window_free(w);
	reader_free(r);
	close(cut_fd);
	unlink(path);
	unlink(cut);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_every_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
