// SPDX-License-Identifier: GPL-2.0-or-later
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "ctrace/format.h"
#include "test/unit/trace/trace_fixture.h"
#include "trace/format/blob.h"

#define OBJ(kind, n) CT_OBJ_ID(kind, n)

static void every_kind_with_edges(void **state)
{
	struct fixture *f = *state;
	struct window *w;

	fixture_open(f, 16u << 20);
	for (int segment = 0; segment < 4; segment++) {
		for (int i = 0; i < 20000; i++) {
			struct window_record e =
				fixture_record(f, (uint8_t)(1 + fixture_random(f) % CT_KIND_LAST));

			f->now += fixture_random(f) % 300;
			fixture_add(f, &e);
		}
		fixture_seal(f);
	}
	w = fixture_load(f, 0, UINT64_MAX);
	fixture_check(f, w, 0, UINT64_MAX);
	window_free(w);
}

static void times_at_the_edges(void **state)
{
	const uint64_t last = FORMAT_TIME_MAX - 1,
		       times[] = { 0, last, 1, 1ULL << 61, 5, 5, last, 0, 1ULL << 40 };
	struct fixture *f = *state;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	for (int round = 0; round < 100; round++)
		for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
			struct window_record e = fixture_record(f, CT_SWITCH);

			e.r.ts = times[i];
			fixture_add(f, &e);
			e.r.ts = FORMAT_TIME_MAX + times[i];
			assert_int_equal(writer_add(f->w, e.cpu, &e.r, NULL), -EINVAL);
		}
	fixture_seal(f);
	w = fixture_load(f, 0, UINT64_MAX);
	fixture_check(f, w, 0, UINT64_MAX);
	assert_int_equal(w->state_ns, 0);
	window_free(w);
}

static void backwards_in_time(void **state)
{
	struct fixture *f = *state;
	struct window *w;

	/* the worst case for a sort that expects nearly sorted records */
	fixture_open(f, FIXTURE_BYTES);
	for (int i = 0; i < 30000; i++) {
		struct window_record e = fixture_usual(f, 1);

		e.r.ts = 2000000000u - (uint64_t)i * 10;
		fixture_add(f, &e);
	}
	fixture_seal(f);
	w = fixture_load(f, 0, UINT64_MAX);
	fixture_check(f, w, 0, UINT64_MAX);
	window_free(w);
}

static void late_records_of_the_segment_before(void **state)
{
	struct fixture *f = *state;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	for (int segment = 0; segment < 6; segment++) {
		fixture_busy(f, 500);
		fixture_seal(f);
		for (int i = 0; i < 20; i++) {
			struct window_record e = fixture_usual(f, 7), held = fixture_record(f, CT_HELD);

			e.r.ts -= 1100000u + (uint64_t)i * 2000;
			fixture_add(f, &e);
			held.r.ts -= 400000u * (unsigned)i; /* these records have extra words */
			fixture_add(f, &held);
		}
	}
	fixture_seal(f);
	w = fixture_load(f, 0, UINT64_MAX);
	fixture_check(f, w, 0, UINT64_MAX);
	assert_true(w->state_ns <= w->events[0].r.ts);
	window_free(w);
}

static void an_empty_segment_has_its_checkpoint(void **state)
{
	struct fixture *f = *state;
	struct window_state s[3] = {
		{ .last = { .ts = 5,
			    .kind = CT_SWITCH,
			    .tid = 7,
			    .state = CT_ST_DISK,
			    .wait = CT_W_FUTEX,
			    .nr = 202,
			    .obj = OBJ(CT_OBJ_FUTEX, 9) },
		  .owner = 8,
		  .run = WINDOW_RUN_BLOCKED,
		  .cpu = 3 },
		{ .last = { .ts = 6, .kind = CT_SWITCH, .tid = 8 },
		  .run = WINDOW_RUN_RUNNING,
		  .cpu = 0xffff },
		{ .last = { .ts = 7, .kind = CT_SWITCH, .tid = 9 }, .run = WINDOW_RUN_CAPPED, .cpu = 1 },
	};
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	fixture_task(f, 7, "seven");
	fixture_task(f, 8, "eight");
	fixture_object(f, OBJ(CT_OBJ_FUTEX, 9), 0, "a futex");
	assert_int_equal(writer_begin(f->w, f->now, s, 3), 0);
	fixture_seal(f);
	w = fixture_load(f, 0, UINT64_MAX);
	assert_int_equal(w->n_events, 0);
	assert_int_equal(w->n_states, 3);
	assert_int_equal(w->state_ns, 1000000000);
	assert_memory_equal(&w->states[0].last, &s[0].last, sizeof(s[0].last));
	assert_int_equal(w->states[0].owner, 8);
	assert_int_equal(w->states[0].cpu, 3);
	assert_int_equal(w->states[1].run, WINDOW_RUN_RUNNING);
	assert_int_equal(w->states[2].run, WINDOW_RUN_CAPPED);
	assert_string_equal(window_task_at(w, 7, 0)->comm, "seven");
	assert_string_equal(window_task_at(w, 8, UINT64_MAX)->comm, "eight");
	assert_string_equal(window_object(w, OBJ(CT_OBJ_FUTEX, 9))->name, "a futex");
	window_free(w);
}

/* Task 7 forks, and then executes a program. The ring with the record of the fork is read last. */
static void a_name_that_comes_late(void **state)
{
	struct fixture *f = *state;
	struct window_record e;
	struct window *w;
	uint64_t from;

	fixture_open(f, FIXTURE_BYTES);
	f->now += 1000;
	fixture_task(f, 7, "exec");
	f->now -= 500;
	fixture_task(f, 7, "fork");
	f->now += 500;
	fixture_seal(f);
	fixture_busy(f, 20);
	from = f->now;
	e = fixture_usual(f, 0);
	e.r.tid = 7;
	fixture_add(f, &e);
	fixture_seal(f);
	w = fixture_load(f, from, UINT64_MAX);
	assert_string_equal(window_task_at(w, 7, UINT64_MAX)->comm, "exec");
	window_free(w);
}

static void a_window_ends_where_it_was_asked_to(void **state)
{
	struct fixture *f = *state;
	uint64_t begin[9], mid;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	for (int segment = 0; segment < 8; segment++) {
		begin[segment] = f->now;
		fixture_busy(f, 300);
		fixture_seal(f);
	}
	begin[8] = f->now;
	/* The window begins inside segment 3, but has all events of segment 3. It ends inside segment 5. */
	mid = begin[5] + 100000;
	w = fixture_load(f, begin[3] + 100000, mid);
	fixture_check(f, w, 3, mid);
	assert_int_equal(w->from_ns, begin[3] + 100000);
	assert_int_equal(w->to_ns, mid);
	assert_int_equal(w->state_ns, begin[3]);
	assert_int_equal(w->n_states, 1);
	assert_int_equal(w->states[0].last.tid, 1002);
	window_free(w);
	w = fixture_load(f, 0, begin[0] + 1);
	assert_int_equal(w->n_events, 0);
	window_free(w);
	w = fixture_load(f, begin[8] - 1, UINT64_MAX);
	fixture_check(f, w, 7, UINT64_MAX);
	window_free(w);
}

static void windows_that_cannot_be(void **state)
{
	struct fixture *f = *state;
	char err[READER_ERR_MAX];
	struct window *w = NULL;
	struct reader *r;

	fixture_open(f, FIXTURE_BYTES);
	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &w, err), -ERANGE);
	fixture_busy(f, 100);
	fixture_seal(f);
	assert_int_equal(reader_refresh(r, err), 0);
	assert_int_equal(window_load(r, 5, 5, 0, &w, err), -ERANGE);
	assert_int_equal(window_load(r, 0, 1000, 0, &w, err), -ERANGE);
	assert_int_equal(window_load(r, f->now + 1, UINT64_MAX, 0, &w, err), -ERANGE);
	assert_non_null(strstr(err, "outside"));
	assert_int_equal(window_load(r, 0, UINT64_MAX, 99, &w, err), -E2BIG);
	assert_non_null(strstr(err, "100 events"));
	assert_null(w);
	assert_int_equal(window_load(r, 0, UINT64_MAX, 100, &w, err), 0);
	window_free(w);
	reader_free(r);
}

static void newest_part_that_fits(void **state)
{
	struct fixture *f = *state;
	uint64_t begin[4], last = 0;
	char err[READER_ERR_MAX];
	struct window *w = NULL;
	struct reader *r;

	fixture_open(f, FIXTURE_BYTES);
	for (int i = 0; i < 4; i++) {
		begin[i] = f->now;
		fixture_busy(f, 100);
		fixture_seal(f);
	}
	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(reader_newest(r, 0), reader_info(r)->from_ns);
	assert_int_equal(reader_newest(r, 400), reader_info(r)->from_ns);
	assert_true(reader_newest(r, 99) > reader_info(r)->to_ns);
	for (uint64_t n = 399; n >= 100; n--) {
		uint64_t at = reader_newest(r, n);

		assert_true(at >= last && at > begin[0]);
		last = at;
		assert_int_equal(window_load(r, at, UINT64_MAX, n, &w, err), 0);
		assert_true(w->n_events >= n - n % 100 - 1 && w->n_events <= n);
		window_free(w);
	}
	reader_free(r);
}

static void tasks_over_time(void **state)
{
	struct fixture *f = *state;
	uint64_t renamed, reused;
	struct window_record e;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	fixture_task(f, 1000, "first");
	fixture_busy(f, 200);
	fixture_seal(f);
	fixture_busy(f, 200);
	renamed = f->now;
	fixture_task(f, 1000, "second");
	fixture_busy(f, 200);
	f->now += 10;
	reused = f->now;
	fixture_task(f, 1000, "third");
	e = fixture_usual(f, 0);
	e.r.tid = 1000;
	fixture_add(f, &e);
	fixture_seal(f);
	w = fixture_load(f, renamed, UINT64_MAX);
	assert_int_equal(w->n_tasks, 3);
	assert_string_equal(window_task_at(w, 1000, 0)->comm, "first");
	assert_string_equal(window_task_at(w, 1000, renamed - 1)->comm, "first");
	assert_string_equal(window_task_at(w, 1000, renamed)->comm, "second");
	assert_string_equal(window_task_at(w, 1000, reused - 1)->comm, "second");
	assert_string_equal(window_task_at(w, 1000, reused)->comm, "third");
	assert_null(window_task_at(w, 999, reused));
	assert_null(window_task_at(w, 1001, reused));
	window_free(w);
	w = fixture_load(f, 0, UINT64_MAX);
	assert_int_equal(w->n_tasks, 3);
	window_free(w);
}

static void ids_pull_their_entries_in(void **state)
{
	const char *frames[] = { "main+0x1 (a)", "start+0x2 (a)" }, *other[] = { "k:schedule+0x1" };
	struct fixture *f = *state;
	struct ct_stack_blob *s[2];
	struct window_record e;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	fixture_object(f, OBJ(CT_OBJ_SOCK, 1), OBJ(CT_OBJ_SOCK, 2), "one");
	fixture_object(f, OBJ(CT_OBJ_SOCK, 2), OBJ(CT_OBJ_SOCK, 1), "two");
	fixture_object(f, OBJ(CT_OBJ_EPOLL, 3), 0, "three");
	fixture_object(f, OBJ(CT_OBJ_FILE, 4), 0, "four");
	fixture_object(f, OBJ(CT_OBJ_FILE, 5), 0, "not wanted");
	s[0] = blob_stack(f->now, frames, 2);
	s[1] = blob_stack(f->now, other, 1);
	assert_int_equal(writer_blob(f->w, &s[0]->h), 0);
	assert_int_equal(writer_blob(f->w, &s[1]->h), 0);
	fixture_task(f, 50, "child of the wait");
	fixture_seal(f);
	e = (struct window_record){
		.r = { .ts = f->now, .kind = CT_SEND, .tid = 1, .obj = OBJ(CT_OBJ_SOCK, 1) }
	};
	fixture_add(f, &e);
	e = (struct window_record){ .r = { .ts = f->now, .kind = CT_EPMEMBER, .tid = 1 },
				    .x = { OBJ(CT_OBJ_EPOLL, 3), 1 } };
	fixture_add(f, &e);
	e = (struct window_record){ .r = { .ts = f->now, .kind = CT_BLK_ISSUE },
				    .x = { 8, OBJ(CT_OBJ_FILE, 4) } };
	fixture_add(f, &e);
	e = (struct window_record){
		.r = { .ts = f->now, .kind = CT_VISIT, .tid = 1, .obj = OBJ(CT_OBJ_TASK, 50) },
		.x = { s[0]->id, 1 }
	};
	fixture_add(f, &e);
	fixture_seal(f);
	w = fixture_load(f, f->now - 1, UINT64_MAX);
	assert_int_equal(w->n_events, 4);
	assert_int_equal(w->n_objects, 4);
	assert_string_equal(window_object(w, OBJ(CT_OBJ_SOCK, 2))->name, "two");
	assert_string_equal(window_object(w, OBJ(CT_OBJ_EPOLL, 3))->name, "three");
	assert_string_equal(window_object(w, OBJ(CT_OBJ_FILE, 4))->name, "four");
	assert_null(window_object(w, OBJ(CT_OBJ_FILE, 5)));
	assert_int_equal(w->n_stacks, 1);
	assert_int_equal(window_stack(w, s[0]->id)->n_frames, 2);
	assert_string_equal(window_stack(w, s[0]->id)->frames[1], "start+0x2 (a)");
	assert_null(window_stack(w, s[1]->id));
	assert_string_equal(window_task_at(w, 50, 0)->comm, "child of the wa");
	window_free(w);
	free(s[0]);
	free(s[1]);
}

static void a_stack_too_long_says_so(void **state)
{
	_cleanup_free_ char *frame = malloc(2001);
	const char *frames[100];
	struct ct_stack_blob *s;
	const char *p;

	memset(frame, 'f', 2000);
	frame[2000] = 0;
	for (int i = 0; i < 100; i++)
		frames[i] = frame;
	s = blob_stack(1, frames, 100);
	assert_non_null(s);
	assert_int_equal(s->n_frames, 33);
	assert_int_equal(s->h.size % 8, 0);
	p = s->frames;
	for (int i = 0; i < 32; i++)
		p += strlen(p) + 1;
	assert_non_null(strstr(p, "left out"));
	assert_int_equal(blob_stack_id(frames, 0) == 0, 0);
	assert_int_not_equal(blob_stack_id(frames, 1), blob_stack_id(frames, 2));
	free(s);
}

static void a_task_that_exited_is_known_one_segment_longer(void **state)
{
	struct fixture *f = *state;
	struct window_record e;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	fixture_task(f, 5, "gone");
	writer_forget_task(f->w, 5);
	fixture_seal(f);
	for (int segment = 0; segment < 2; segment++) {
		e = fixture_usual(f, 0);
		e.r.tid = 5;
		fixture_add(f, &e);
		fixture_seal(f);
		w = fixture_load(f, f->now - 1, UINT64_MAX);
		assert_int_equal(window_task_at(w, 5, 0) != NULL, segment == 0);
		window_free(w);
	}
	fixture_task(f, 6, "old");
	writer_forget_task(f->w, 6);
	fixture_task(f, 6, "new");
	fixture_seal(f);
	fixture_seal(f);
	e = fixture_usual(f, 0);
	e.r.tid = 6;
	fixture_add(f, &e);
	fixture_seal(f);
	w = fixture_load(f, f->now - 1, UINT64_MAX);
	assert_string_equal(window_task_at(w, 6, 0)->comm, "new");
	window_free(w);
}

static void a_full_dictionary_drops_what_is_not_used(void **state)
{
	struct writer_options opt = { .size_bytes = FIXTURE_BYTES, .n_cpus = 1, .max_tasks = 100 };
	struct fixture *f = *state;
	struct window_record e;
	struct window *w;
	char err[256];

	assert_int_equal(writer_open(f->path, &opt, &f->w, err), 0);
	fixture_task(f, 1, "used");
	for (uint32_t tid = 2; tid < 1000; tid++) {
		fixture_task(f, tid, "unused");
		if (tid % 40 == 0) {
			e = fixture_usual(f, 0);
			e.r.tid = 1;
			fixture_add(f, &e);
			fixture_seal(f);
		}
	}
	assert_int_equal(writer_stats(f->w).dict_tasks, 100);
	assert_int_equal(writer_stats(f->w).dict_evicted, 899);
	w = fixture_load(f, f->now - 1, UINT64_MAX);
	assert_string_equal(window_task_at(w, 1, 0)->comm, "used");
	window_free(w);
}

/* A socket is recorded several times. The reader keeps the newest state, and when the connection was last
 * recorded as not made. */
static void a_connection_is_made(void **state)
{
	static const uint8_t states[] = { TCP_SYN_SENT, TCP_SYN_SENT, TCP_ESTABLISHED, TCP_CLOSE_WAIT };
	struct fixture *f = *state;
	struct ct_object_blob o = { .h = { .kind = CT_OBJECT, .size = sizeof(o) }, .protocol = IPPROTO_TCP };
	const struct window_object *tcp, *udp;
	struct window_record e = { .r = { .kind = CT_FD, .tid = 1 } };
	uint64_t last_ns = 0;
	struct window *w;

	fixture_open(f, FIXTURE_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		f->now += 1000;
		o.h.ts = e.r.ts = f->now;
		o.state = states[i];
		last_ns = o.state == TCP_SYN_SENT ? f->now : last_ns;
		for (unsigned n = 1; n <= 2; n++) {
			o.id = e.r.obj = OBJ(CT_OBJ_SOCK, n);
			o.protocol = n == 1 ? IPPROTO_TCP : IPPROTO_UDP;
			assert_int_equal(writer_blob(f->w, &o.h), 0);
			fixture_add(f, &e);
		}
		fixture_seal(f);
	}
	w = fixture_load(f, 0, UINT64_MAX);
	tcp = window_object(w, OBJ(CT_OBJ_SOCK, 1));
	udp = window_object(w, OBJ(CT_OBJ_SOCK, 2));
	assert_int_equal(tcp->state, TCP_CLOSE_WAIT);
	assert_int_equal(tcp->connecting_ns, last_ns);
	assert_true(tcp->ts_ns > last_ns);
	assert_int_equal(udp->connecting_ns, 0);
	window_free(w);
}

static void what_the_writer_refuses(void **state)
{
	struct fixture *f = *state;
	struct window_record e = fixture_usual(f, 0);
	struct ct_task_blob t = { .h = { .kind = CT_TASK, .size = sizeof(t) } };
	struct ct_object_blob o = { .h = { .kind = CT_OBJECT, .size = sizeof(o) }, .id = 1, .name_len = 1 };
	int ret = 0;

	fixture_open(f, FIXTURE_BYTES);
	e.r.kind = 0;
	assert_int_equal(writer_add(f->w, 0, &e.r, e.x), -EINVAL);
	e.r.kind = CT_KIND_LAST + 1;
	assert_int_equal(writer_add(f->w, 0, &e.r, e.x), -EINVAL);
	e.r.kind = CT_GAP;
	assert_int_equal(writer_add(f->w, 0, &e.r, NULL), -EINVAL);
	e.r.kind = CT_SWITCH;
	assert_int_equal(writer_add(f->w, 8192, &e.r, NULL), -EINVAL);
	assert_int_equal(writer_blob(f->w, &o.h), -EINVAL);
	t.h.size = 56;
	assert_int_equal(writer_blob(f->w, &t.h), -EINVAL);
	t.h.kind = CT_RAWSTACK;
	assert_int_equal(writer_blob(f->w, &t.h), -EINVAL);
	assert_int_equal(writer_pending(f->w), 0);
	for (unsigned i = 0; i < (1u << 20) + 1 && !ret; i++)
		ret = writer_add(f->w, 0, &e.r, NULL);
	assert_int_equal(ret, -ENOMEM);
	assert_in_range(writer_pending(f->w), 31u << 20, 32u << 20);
}

static void late_tasks_are_pending(void **state)
{
	struct fixture *f = *state;
	struct ct_task_blob t = { .h = { .kind = CT_TASK, .size = sizeof(t), .tid = 7, .ts = 20 } };
	struct ct_task_blob late = { .h = { .kind = CT_TASK, .size = sizeof(t), .tid = 7, .ts = 10 },
				     .comm = "late" };

	fixture_open(f, FIXTURE_BYTES);
	assert_int_equal(writer_blob(f->w, &t.h), 0);
	assert_int_equal(writer_blob(f->w, &late.h), 0);
	assert_int_equal(writer_pending(f->w), 2 * sizeof(t));
}

static void info_tells_what_is_in_it(void **state)
{
	struct fixture *f = *state;
	const struct reader_info *i;
	char err[READER_ERR_MAX];
	struct window_record e;
	struct reader *r;

	fixture_open(f, FIXTURE_BYTES);
	fixture_busy(f, 1000);
	e = (struct window_record){
		.r = { .ts = f->now, .kind = CT_GAP, .state = CT_LOSS_OBJECTS, .peer = 77 }
	};
	fixture_add(f, &e);
	fixture_seal(f);
	fixture_seal(f);
	assert_int_equal(reader_open(f->path, &r, err), 0);
	i = reader_info(r);
	assert_int_equal(i->version, FORMAT_MAJOR << 8 | FORMAT_MINOR);
	assert_int_equal(i->file_bytes, FIXTURE_BYTES);
	assert_int_equal(i->n_slots, FIXTURE_BYTES / i->slot_bytes - 1);
	assert_int_equal(i->n_segments, 2);
	assert_int_equal(i->n_bad_slots, 0);
	assert_int_equal(i->n_boots, 1);
	assert_int_equal(i->from_ns, 1000000000);
	assert_int_equal(i->to_ns, f->now);
	assert_int_equal(i->first_seq, 1);
	assert_int_equal(i->records, 1001);
	assert_int_equal(i->records_by_kind[CT_GAP], 1);
	assert_int_equal(i->records_by_kind[CT_SWITCH] + i->records_by_kind[CT_WAKE], 1000);
	assert_int_equal(i->lost_by_cause[CT_LOSS_OBJECTS], 77);
	assert_true(i->offsets.boot_to_real_ns > 0);
	assert_int_equal(i->n_cpus, 4);
	assert_string_equal(i->hooks, "sched/switch=tp_btf");
	assert_string_equal(i->host, "here");
	assert_string_equal(i->kernel, "6.1.0");
	reader_free(r);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_kind_with_edges),
		TEST(times_at_the_edges),
		TEST(backwards_in_time),
		TEST(late_records_of_the_segment_before),
		TEST(an_empty_segment_has_its_checkpoint),
		TEST(a_name_that_comes_late),
		TEST(a_window_ends_where_it_was_asked_to),
		TEST(windows_that_cannot_be),
		TEST(newest_part_that_fits),
		TEST(tasks_over_time),
		TEST(ids_pull_their_entries_in),
		TEST(a_stack_too_long_says_so),
		TEST(a_task_that_exited_is_known_one_segment_longer),
		TEST(a_full_dictionary_drops_what_is_not_used),
		TEST(a_connection_is_made),
		TEST(what_the_writer_refuses),
		TEST(late_tasks_are_pending),
		TEST(info_tells_what_is_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
