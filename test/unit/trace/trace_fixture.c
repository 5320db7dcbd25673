// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/unit/trace/trace_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctrace/format.h"
#include "lib/cleanup.h"

int fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *tmp = getenv("TMPDIR");

	if (!f)
		return -1;
	snprintf(f->dir, sizeof(f->dir), "%.40s/ctrace-unit.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->path, sizeof(f->path), "%s/t.ctr", f->dir);
	f->rng = 0x2545f4914f6cdd1dULL;
	f->now = 1000000000;
	*state = f;
	return 0;
}

int fixture_teardown(void **state)
{
	struct fixture *f = *state;
	char path[128];

	writer_free(f->w);
	VEC_FREE(&f->all);
	unlink(f->path);
	snprintf(path, sizeof(path), "%s/cut.ctr", f->dir);
	unlink(path);
	rmdir(f->dir);
	free(f);
	return 0;
}

uint64_t fixture_random(struct fixture *f)
{
	f->rng ^= f->rng >> 12;
	f->rng ^= f->rng << 25;
	f->rng ^= f->rng >> 27;
	return f->rng * 0x2545f4914f6cdd1dULL;
}

uint64_t fixture_number(struct fixture *f)
{
	static const uint64_t edges[] = { 0,          1,          127,       128,        255,
					  256,        0xffff,     0x10000,   0x7fffffff, 0x80000000,
					  UINT32_MAX, 1ULL << 32, INT64_MAX, 1ULL << 63, UINT64_MAX };
	uint64_t r = fixture_random(f);

	return r & 1 ? edges[(r >> 8) % ARRAY_SIZE(edges)] : fixture_random(f) >> (r >> 8) % 64;
}

struct window_record fixture_record(struct fixture *f, uint8_t kind)
{
	struct window_record e = { .r = { .kind = kind,
					  .state = (uint8_t)fixture_number(f),
					  .wait = (uint8_t)fixture_number(f),
					  .flags = (uint8_t)fixture_number(f),
					  .tid = (uint32_t)fixture_number(f),
					  .peer = (uint32_t)fixture_number(f),
					  .nr = (uint16_t)fixture_number(f),
					  .aux = (uint16_t)fixture_number(f),
					  .obj = fixture_number(f) } };

	for (int i = 0; i < CT_KIND_WORDS(kind); i++)
		e.x[i] = fixture_number(f);
	if (kind == CT_GAP || kind == CT_SHED || kind == CT_HANG || kind == CT_FOUND || kind == CT_INPUT)
		e.x[0] %= FORMAT_TIME_MAX;
	if (kind == CT_GAP || kind == CT_MARK)
		e.x[1] %= FORMAT_TIME_MAX;
	e.r.ts = f->now + fixture_random(f) % 2000 - 1000;
	e.cpu = (uint16_t)(fixture_random(f) % 5 * 3);
	return e;
}

struct window_record fixture_usual(struct fixture *f, uint16_t cpu)
{
	uint64_t r = fixture_random(f);
	uint32_t task = 1000 + (uint32_t)(r % 40), other = 1000 + (uint32_t)(r >> 8) % 40;
	struct window_record e = { .r = { .ts = f->now, .tid = task, .peer = other }, .cpu = cpu };

	if (r >> 20 & 1) {
		e.r.kind = CT_SWITCH;
		e.r.state = task % 3 ? CT_ST_SLEEP : CT_ST_RUNNING;
		e.r.wait = (uint8_t)(task % 7);
		e.r.nr = (uint16_t)(task % 11);
		e.r.aux = 120 | 120 << 8;
		e.r.obj = CT_OBJ_ID(CT_OBJ_PIPE, task % 16);
	} else {
		e.r.kind = CT_WAKE;
		e.r.nr = (uint16_t)(other % 11);
		e.r.obj = CT_OBJ_ID(CT_OBJ_PIPE, other % 16);
	}
	return e;
}

void fixture_open(struct fixture *f, uint64_t bytes)
{
	static const uint8_t boot_id[16] = { 1, 2, 3 };
	struct writer_options opt = { .size_bytes = bytes,
				      .hooks = "sched/switch=tp_btf",
				      .host = "here",
				      .kernel = "6.1.0",
				      .n_cpus = 4,
				      .boot_id = boot_id };
	char err[256] = "";
	int ret = writer_open(f->path, &opt, &f->w, err);

	if (ret)
		fail_msg("writer_open: %d %s", ret, err);
	assert_int_equal(writer_begin(f->w, f->now, NULL, 0), 0);
}

void fixture_add(struct fixture *f, const struct window_record *e)
{
	struct fixture_event fe = { .e = *e, .segment = f->segment, .order = (uint32_t)f->all.n };

	assert_int_equal(writer_add(f->w, e->cpu, &e->r, CT_KIND_WORDS(e->r.kind) ? e->x : NULL), 0);
	assert_int_equal(VEC_PUSH(&f->all, fe), 0);
}

void fixture_busy(struct fixture *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct window_record e;

		f->now += 200 + fixture_random(f) % 1800;
		e = fixture_usual(f, (uint16_t)(fixture_random(f) % 4));
		fixture_add(f, &e);
	}
}

void fixture_seal(struct fixture *f)
{
	struct window_state s = { .last = { .ts = f->now, .kind = CT_SWITCH, .tid = 1000 + f->segment },
				  .cpu = 0xffff };

	f->now += 1000000;
	assert_int_equal(writer_seal(f->w, f->now, &s, 1), 0);
	f->segment++;
}

void fixture_task(struct fixture *f, uint32_t tid, const char *comm)
{
	struct ct_task_blob t = { .h = { .ts = f->now, .kind = CT_TASK, .size = sizeof(t), .tid = tid },
				  .tgid = tid,
				  .start_ns = tid };

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	assert_int_equal(writer_blob(f->w, &t.h), 0);
}

void fixture_object(struct fixture *f, uint64_t id, uint64_t peer, const char *name)
{
	size_t len = strlen(name), size = sizeof(struct ct_object_blob) + ((len + 7) & ~7ul);
	_cleanup_free_ struct ct_object_blob *o = calloc(1, size);

	o->h = (struct ct_blob){ .ts = f->now, .kind = CT_OBJECT, .size = (uint16_t)size };
	o->id = id;
	o->peer = peer;
	o->name_len = (uint16_t)len;
	memcpy(o->name, name, len);
	assert_int_equal(writer_blob(f->w, &o->h), 0);
}

struct window *fixture_load(struct fixture *f, uint64_t from, uint64_t to)
{
	char err[READER_ERR_MAX] = "";
	struct window *w = NULL;
	struct reader *r = NULL;
	int ret = reader_open(f->path, &r, err);

	if (!ret)
		ret = window_load(r, from, to, 0, &w, err);
	if (ret)
		fail_msg("%d %s", ret, err);
	reader_free(r);
	return w;
}

static int by_time(const void *a, const void *b)
{
	const struct fixture_event *x = a, *y = b;

	if (x->e.r.ts != y->e.r.ts)
		return x->e.r.ts < y->e.r.ts ? -1 : 1;
	if (x->e.cpu != y->e.cpu)
		return x->e.cpu < y->e.cpu ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void fixture_check(struct fixture *f, const struct window *w, uint32_t first, uint64_t to)
{
	struct fixture_event *want = calloc(f->all.n + 1, sizeof(*want));
	size_t n = 0;

	for (size_t i = 0; i < f->all.n; i++)
		if (f->all.v[i].segment >= first && (to == UINT64_MAX || f->all.v[i].e.r.ts < to))
			want[n++] = f->all.v[i];
	qsort(want, n, sizeof(*want), by_time);
	assert_int_equal(w->n_events, n);
	for (size_t i = 0; i < n; i++) {
		struct window_record got = window_record(w, &w->events[i]);

		if (memcmp(&got, &want[i].e, sizeof(got)))
			fail_msg("event %zu of %zu differs (kind %u, wanted %u)", i, n, w->events[i].r.kind,
				 want[i].e.r.kind);
	}
	free(want);
}

uint8_t *fixture_slurp(const char *path, size_t *ret_n)
{
	_cleanup_close_ int fd = open(path, O_RDONLY);
	struct stat st;
	uint8_t *p;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	p = malloc((size_t)st.st_size + 1);
	assert_non_null(p);
	assert_int_equal(pread(fd, p, (size_t)st.st_size, 0), st.st_size);
	*ret_n = (size_t)st.st_size;
	return p;
}

void fixture_spew(const char *path, const void *p, size_t n)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, p, n, 0), n);
}
