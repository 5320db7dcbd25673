// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctrace/fields.h"
#include "test/unit/trace/trace_fixture.h"
#include "trace/format/blob.h"
#include "trace/snapshot/cut.h"
#include "trace/snapshot/redact_names.h"

#define SOCK_ID  CT_OBJ_ID(CT_OBJ_SOCK, 4711)
#define FILE_ID  CT_OBJ_ID(CT_OBJ_FILE, 4712)
#define DISK_ID  CT_OBJ_ID(CT_OBJ_BLOCKDEV, 8 << 20)
#define POINTER  0xffff888012345678ULL
#define EARLY_ID CT_OBJ_ID(CT_OBJ_SOCK, (POINTER & ((1ULL << 58) - 1)) | 1ULL << 58)
#define EPOLL_ID CT_OBJ_ID(CT_OBJ_EPOLL, POINTER)
#define FUSE_ID  CT_OBJ_ID(CT_OBJ_FUSEDEV, POINTER)
#define TIMER    0xffffffff81234567ULL
#define MARK_ID  CT_OBJ_ID(CT_OBJ_MARK, 0x123456789)

/* Test vectors of the reference implementation. Each input is a prefix of the key. */
static void test_siphash(void **state)
{
	struct siphash_key key;
	uint8_t in[16];

	for (uint8_t i = 0; i < 16; i++)
		((uint8_t *)&key)[i] = in[i] = i;
	assert_true(siphash(&key, in, 0) == 0x726fdb47dd0e0e31ULL);
	assert_true(siphash(&key, in, 1) == 0x74f839c593dc67fdULL);
	assert_true(siphash(&key, in, 8) == 0x93f5f5799a932462ULL);
	assert_true(siphash(&key, in, 15) == 0xa129ca6149be45e5ULL);
}

static void test_paths(void **state)
{
	const struct siphash_key key = { { 1, 2 } };
	char deep[CT_OBJ_NAME_MAX + 1] = "", buf[CT_OBJ_NAME_MAX + 1], again[CT_OBJ_NAME_MAX + 1];

	assert_int_equal(redact_path(&key, "", 0, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	assert_int_equal(redact_path(&key, "/srv/shop/db", 12, buf, sizeof(buf)), 3 * 9);
	assert_int_equal(buf[0], '/');
	assert_int_equal(buf[9], '/');
	assert_int_equal(redact_path(&key, ".../shop/db", 11, again, sizeof(again)), 3 + 2 * 9);
	assert_string_equal(again + 3, buf + 9);
	redact_path(&key, "/tmp/.X11-unix/X12", 18, buf, sizeof(buf));
	assert_string_equal(buf + 9, "/.X11-unix/X12");
	redact_path(&key, "/run/user/wayland-0", 19, buf, sizeof(buf));
	assert_string_equal(buf + 2 * 9, "/wayland-0");
	assert_int_equal(redact_path(&key, "/X1y/X/wayland-", 15, buf, sizeof(buf)), 3 * 9);
	assert_int_equal(redact_path(&key, "@bus", 4, buf, sizeof(buf)), 9);
	assert_int_equal(buf[0], '@');
	for (int i = 0; i < 40; i++)
		strcat(deep, "/abc");
	assert_true(redact_path(&key, deep, strlen(deep), buf, sizeof(buf)) < sizeof(buf));
	assert_int_equal(strncmp(buf, ".../", 4), 0);
	assert_null(strstr(buf, "abc"));
}

static void test_frames(void **state)
{
	static const char *const kept[] = { "k:schedule+0x12", "poll+0x10 (libc.so.6)",
					    "... (the rest was left out)" };
	const struct siphash_key key = { { 1, 2 } };
	char buf[REDACT_FRAME_MAX], other[REDACT_FRAME_MAX];

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		redact_frame(&key, kept[i], buf);
		assert_string_equal(buf, kept[i]);
	}
	redact_frame(&key, "shop::pay(int)+0x1f (shopd)", buf);
	assert_null(strstr(buf, "shop"));
	assert_non_null(strstr(buf, "+0x1f ("));
	redact_frame(&key, "shop::pay(int)+0x20 (shopd)", other);
	assert_int_equal(strncmp(buf, other, 8), 0);
	redact_frame(&key, "0x7f001122 (shopd)", buf);
	assert_int_equal(strncmp(buf, "0x7f001122 (", 12), 0);
	assert_null(strstr(buf, "shop"));
	redact_frame(&key, "shop", buf);
	assert_int_equal(strlen(buf), 8);
	redact_frame(&key, "(shop)", buf);
	assert_null(strstr(buf, "shop"));
}

static void test_modules(void **state)
{
	static const char *const kept[] = {
		"libc.so.6",
		"libc-2.31.so",
		"libpthread-2.31.so",
		"libpthread.so.0",
		"libstdc++.so.6.0.30",
		"libgcc_s.so.1",
		"libgcc_s-12-20220319.so.1",
		"libm.so.6",
		"ld-linux-x86-64.so.2",
		"ld-linux-aarch64.so.1",
		"ld-2.31.so",
		"[vdso]",
	};
	static const char *const others[] = {
		"libc-client.so",
		"libc-client.so.2007e",
		"libc-2.31-client.so",
		"libc.so.client",
		"libc",
		"libpthreadpool.so",
		"libstdc++shop.so",
		"ld-linuxshop",
		"libm.sockets",
		"libc2.so",
		"[vdso]x",
	};
	const struct siphash_key key = { { 1, 2 } };
	char frame[REDACT_FRAME_MAX], buf[REDACT_FRAME_MAX];

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		snprintf(frame, sizeof(frame), "payfn+0x1 (%s)", kept[i]);
		redact_frame(&key, frame, buf);
		assert_string_equal(buf, frame);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(frame, sizeof(frame), "payfn+0x1 (%s)", others[i]);
		redact_frame(&key, frame, buf);
		if (strstr(buf, "pay") || strstr(buf, others[i]))
			fail_msg("%s", buf);
	}
}

static void test_own(void **state)
{
	static const char own[][CT_COMM_LEN] = { "ctrace",        "ctraced",      "ctraced-store",
						 "ctraced-names", "ctrace-visit", "ctraced-clients",
						 "ctraced-closer" },
			  others[][CT_COMM_LEN] = { "ctrace-payroll", "ctracedb", "ctraced-pay", "ctrac",
						    "" };

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		assert_true(redact_is_own(own[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(redact_is_own(others[i]));
}

static void test_addresses(void **state)
{
	const struct siphash_key key = { { 1, 2 } };
	uint8_t local[16] = { 127, 0, 0, 1 }, any[16] = { 0 }, remote[16] = { 192, 0, 2, 7 },
		again[16] = { 192, 0, 2, 7 };
	uint8_t six[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 7 }, six_local[16] = { [15] = 1 };

	redact_address(&key, AF_INET, local);
	assert_int_equal(local[0], 127);
	redact_address(&key, AF_INET, any);
	assert_int_equal(any[0], 0);
	redact_address(&key, AF_INET, remote);
	assert_int_equal(remote[0] & 0xf0, 0xf0);
	redact_address(&key, AF_INET, again);
	assert_memory_equal(remote, again, 16);
	redact_address(&key, AF_INET6, six);
	assert_int_equal(six[0] << 8 | six[1], 0x100);
	redact_address(&key, AF_INET6, six_local);
	assert_int_equal(six_local[15], 1);
}

static const struct device {
	uint64_t id;
	const char *name;
	bool kept;
} devices[] = {
	{ CT_OBJ_ID(CT_OBJ_CHARDEV, 1), "/dev/null", true },
	{ CT_OBJ_ID(CT_OBJ_CHARDEV, 2), "/srv/secretdir/null", false },
	{ CT_OBJ_ID(CT_OBJ_TTY, 3), "/dev/pts/3", true },
	{ CT_OBJ_ID(CT_OBJ_TTY, 4), ".../secretroot/dev/pts/0", false },
	{ FUSE_ID, "/run/secretuser/fuse", false },
	{ CT_OBJ_ID(CT_OBJ_BLOCKDEV, 5), "/home/secretuser/disk", false },
	{ CT_OBJ_ID(CT_OBJ_BLOCKDEV, 6), "/dev/dm-0", true },
	{ CT_OBJ_ID(CT_OBJ_BLOCKDEV, 7), "/dev/mapper/secretvolume", false },
	{ EPOLL_ID, "[eventpoll]", false },
	{ EARLY_ID, "", true },
};

static void put_object(struct fixture *f, uint64_t id, const char *name)
{
	union {
		char room[sizeof(struct ct_object_blob) + CT_OBJ_NAME_MAX];
		struct ct_object_blob o;
	} b = { 0 };

	b.o = (struct ct_object_blob){ .h = { .ts = f->now, .kind = CT_OBJECT },
				       .id = id,
				       .name_len = (uint16_t)strlen(name) };
	b.o.h.size = (uint16_t)(sizeof(b.o) + ((b.o.name_len + 7u) & ~7u));
	memcpy(b.o.name, name, b.o.name_len);
	if (id == SOCK_ID) {
		b.o.x = POINTER;
		b.o.peer = EARLY_ID;
		b.o.family = AF_INET;
		b.o.lport = 443;
		memcpy(b.o.raddr, (uint8_t[]){ 192, 0, 2, 7 }, 4);
	}
	assert_int_equal(writer_blob(f->w, &b.o.h), 0);
}

static void write_pointers(struct fixture *f)
{
	struct window_record e = fixture_usual(f, 0);

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		put_object(f, devices[i].id, devices[i].name);
		e.r.kind = CT_READY;
		e.r.obj = devices[i].id;
		fixture_add(f, &e);
	}
	e.r.kind = CT_EPMEMBER;
	e.r.obj = EARLY_ID;
	e.x[0] = EPOLL_ID;
	e.x[1] = 1;
	fixture_add(f, &e);
	e.r.kind = CT_WAKE;
	e.r.state = CT_CTX_TIMER;
	e.r.obj = TIMER;
	fixture_add(f, &e);
}

/* Sends to the remote address of SOCK_ID, to ::1, to the unix socket /run/secretsock, to two groups, and to a
 * destination of a later version. */
static void write_sends(struct fixture *f)
{
	uint64_t name = ct_dest_name("/run/secretsock");
	struct window_record e = fixture_usual(f, 0);

	e.r = (struct ct_rec){ .ts = e.r.ts, .kind = CT_SEND, .tid = 4000, .obj = SOCK_ID };
	ct_send_to(&e.r, CT_DEST_IPV4, 53, htonl(0xc0000207));
	fixture_add(f, &e);
	ct_send_to(&e.r, CT_DEST_IPV6, 54, 1);
	fixture_add(f, &e);
	ct_send_to(&e.r, CT_DEST_UNIX, (uint16_t)(name >> 32), (uint32_t)name);
	fixture_add(f, &e);
	ct_send_to(&e.r, CT_DEST_IPV4, 55, htonl(0xe00000fb));
	fixture_add(f, &e);
	ct_send_to(&e.r, CT_DEST_IPV4, 55, htonl(0xc00002ff));
	fixture_add(f, &e);
	ct_send_to(&e.r, CT_DEST_UNIX + 1, 56, 57);
	fixture_add(f, &e);
}

static void write_secrets(struct fixture *f)
{
	const char *const frames[] = { "k:schedule+0x12", "secretfn+0x1 (secretmod)" };
	struct ct_stack_blob *stack = blob_stack(1, frames, 2);
	struct window_record e = fixture_usual(f, 0);

	fixture_task(f, 4000, "secretprog");
	put_object(f, SOCK_ID, "/run/secretsock");
	put_object(f, FILE_ID, "/home/secretuser/secretfile");
	put_object(f, DISK_ID, "sda");
	assert_int_equal(writer_blob(f->w, &stack->h), 0);
	for (unsigned i = 0; i < 3; i++) {
		e.r.kind = CT_VISIT;
		e.r.tid = 4000;
		e.r.obj = (uint64_t[]){ SOCK_ID, FILE_ID, DISK_ID }[i];
		e.x[0] = stack->id;
		fixture_add(f, &e);
	}
	e.r.kind = CT_ACCESS;
	e.x[0] = 0x5ec2e7;
	e.x[1] = stack->id;
	fixture_add(f, &e);
	e.r.kind = CT_JOB_STACK;
	fixture_add(f, &e);
	write_pointers(f);
	write_sends(f);
	put_object(f, MARK_ID, "secretmark");
	e.r.kind = CT_MARK;
	e.r.obj = MARK_ID;
	e.r.flags = 0;
	e.x[0] = 0x5ec2e7;
	e.x[1] = e.r.ts;
	fixture_add(f, &e);
	free(stack);
}

static void redact_to(struct fixture *f, const char *path)
{
	char err[READER_ERR_MAX] = "";
	struct reader *r;
	uint64_t n;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);

	assert_int_equal(reader_open(f->path, &r, err), 0);
	assert_int_equal(
		cut_window(r, &(struct cut_options){ .to_ns = UINT64_MAX, .redact = true }, fd, &n, err), 0);
	assert_int_equal(n, reader_info(r)->n_segments);
	reader_free(r);
	close(fd);
}

static bool is_pointer(uint64_t id)
{
	return id == EARLY_ID || id == EPOLL_ID || id == FUSE_ID || id == TIMER || id == MARK_ID;
}

static struct {
	uint64_t old, new;
} pointers[8];

static uint64_t become(uint64_t old, uint64_t new)
{
	size_t i = 0;

	if (!is_pointer(old))
		return old;
	while (pointers[i].old && pointers[i].old != old)
		i++;
	if (!pointers[i].old) {
		pointers[i].old = old;
		pointers[i].new = new;
	}
	return pointers[i].new;
}

static void check_id(uint64_t old, uint64_t new)
{
	assert_true(new == become(old, new));
	if (!is_pointer(old))
		return;
	assert_true(old != new &&CT_OBJ_KIND(old) == CT_OBJ_KIND(new));
	assert_true(CT_OBJ_KIND(old) != CT_OBJ_SOCK || new & 1ULL << 58);
}

/* o: the redacted description of SOCK_ID */
static void check_send(const struct ct_rec *x, const struct ct_rec *y, const struct window_object *o)
{
	uint32_t address = ct_send_address(y);

	switch (ct_send_port(x) == 55 ? CT_DEST_NONE : ct_send_dest(x)) {
	case CT_DEST_IPV4:
		assert_int_equal(ct_send_dest(y), CT_DEST_IPV4);
		assert_int_equal(ct_send_port(y), 53);
		assert_memory_equal(&address, o->raddr, sizeof(address));
		break;
	case CT_DEST_IPV6:
		assert_int_equal(ct_send_port(y), 54);
		assert_int_equal(address, 1);
		break;
	case CT_DEST_UNIX:
	case CT_DEST_NONE:
		assert_int_equal(ct_send_dest(y), CT_DEST_NONE);
		assert_int_equal(ct_send_name(y), 0);
	}
}

static void check_events(const struct window *a, const struct window *b)
{
	assert_int_equal(a->n_events, b->n_events);
	for (size_t i = 0; i < a->n_events; i++) {
		struct window_record before = window_record(a, &a->events[i]), *x = &before;
		struct window_record after = window_record(b, &b->events[i]), *y = &after;

		check_id(x->r.obj, y->r.obj);
		y->r.obj = x->r.obj;
		if (x->r.kind == CT_MARK && x->r.obj == MARK_ID) {
			assert_true(y->r.flags & CT_MF_HASHED && x->x[0] != y->x[0] && x->x[1] == y->x[1]);
			continue;
		}
		if (x->r.kind == CT_MARK)
			continue;
		if (x->r.kind == CT_SEND) {
			check_send(&x->r, &y->r, window_object(b, SOCK_ID));
			continue;
		}
		assert_memory_equal(&x->r, &y->r, sizeof(x->r));
		assert_int_equal(x->cpu, y->cpu);
		if (x->r.kind == CT_ACCESS)
			assert_true(y->x[0] == 0 && window_stack(b, y->x[1]));
		else if (x->r.kind == CT_JOB_STACK && window_stack(a, x->x[1]))
			assert_true(y->x[0] == x->x[0] && y->x[1] != x->x[1] && window_stack(b, y->x[1]));
		else if (x->r.kind == CT_VISIT && x->x[0] && window_stack(a, x->x[0]))
			assert_non_null(window_stack(b, y->x[0]));
		else if (x->r.kind == CT_EPMEMBER)
			check_id(x->x[0], y->x[0]);
		else if (x->r.kind != CT_VISIT && x->r.kind != CT_SAMPLE && x->r.kind != CT_POLLED &&
			 x->r.kind != CT_JOB_STACK)
			assert_memory_equal(x->x, y->x, sizeof(x->x));
	}
	assert_int_equal(a->n_states, b->n_states);
	assert_memory_equal(a->states, b->states, a->n_states * sizeof(*a->states));
}

static void check_devices(const struct window *b)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		const struct device *d = &devices[i];
		const struct window_object *o = window_object(b, become(d->id, 0));

		assert_non_null(o);
		if (d->kept)
			assert_string_equal(o->name, d->name);
		else
			assert_string_not_equal(o->name, d->name);
	}
}

static void check_state(struct reader *r, uint64_t from_ns)
{
	char err[READER_ERR_MAX];
	struct window *w;

	assert_int_equal(window_load(r, from_ns, UINT64_MAX, 0, &w, err), 0);
	assert_int_equal(w->n_states, 1);
	check_id(EPOLL_ID, w->states[0].last.obj);
	window_free(w);
}

static void check_names(const struct window *b)
{
	const struct window_object *sock = window_object(b, SOCK_ID), *file = window_object(b, FILE_ID);

	for (size_t i = 0; i < b->n_tasks; i++)
		assert_null(strstr(b->tasks[i].comm, "secret"));
	for (size_t i = 0; i < b->n_objects; i++)
		assert_null(strstr(b->objects[i].name, "secret"));
	for (size_t i = 0; i < b->n_stacks; i++)
		for (unsigned k = 0; k < b->stacks[i].n_frames; k++)
			assert_null(strstr(b->stacks[i].frames[k], "secret"));
	assert_int_equal(strlen(file->name), 3 * 9);
	assert_int_equal(sock->lport, 443);
	assert_true(sock->x == 0);
	check_id(EARLY_ID, sock->peer);
	assert_int_equal(sock->raddr[0] & 0xf0, 0xf0);
	assert_string_equal(window_object(b, DISK_ID)->name, "sda");
	assert_int_equal(strncmp(window_task_at(b, 4000, UINT64_MAX)->comm, "p-", 2), 0);
}

static void test_trace(void **state)
{
	const struct window_state state_of_epoll = {
		.last = { .kind = CT_SWITCH, .tid = 4000, .wait = CT_W_EPOLL, .obj = EPOLL_ID },
		.cpu = 0xffff,
	};
	struct fixture *f = *state;
	char path[128], err[READER_ERR_MAX];
	struct window *a, *b;
	struct reader *r, *old;
	uint8_t *bytes;
	size_t n;

	fixture_open(f, FIXTURE_BYTES);
	for (unsigned i = 0; i < 3; i++) {
		fixture_busy(f, 5000);
		write_secrets(f);
		f->now += 1000000;
		assert_int_equal(writer_seal(f->w, f->now, &state_of_epoll, 1), 0);
	}
	snprintf(path, sizeof(path), "%s/redacted.ctr", f->dir);
	redact_to(f, path);
	assert_int_equal(reader_open(f->path, &old, err), 0);
	assert_int_equal(reader_open(path, &r, err), 0);
	assert_string_equal(reader_info(r)->hooks, reader_info(old)->hooks);
	assert_string_not_equal(reader_info(r)->host, reader_info(old)->host);
	assert_int_equal(reader_info(r)->n_bad_slots, 0);
	assert_int_equal(window_load(old, 0, UINT64_MAX, 0, &a, err), 0);
	assert_int_equal(window_load(r, 0, UINT64_MAX, 0, &b, err), 0);
	check_events(a, b);
	check_names(b);
	check_devices(b);
	check_state(r, f->now - 1);
	window_free(a);
	window_free(b);
	reader_free(r);
	reader_free(old);
	bytes = fixture_slurp(path, &n);
	assert_null(memmem(bytes, n, "secret", 6));
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siphash),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test_setup_teardown(test_trace, fixture_setup, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
