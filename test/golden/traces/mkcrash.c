// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkcrash FILE [ill | idle] - writes a trace in which curl asks shopd, and a worker thread of shopd crashes
 * while it serves the request. Another process is killed, a third one ends with status 1, and a
 * fourth one gets a signal for which it has a handler. With "ill", some names have HTML tags, and
 * control characters that must not reach a terminal. With "idle", both threads of shopd wait for their next
 * work before the crash, and shopd does not answer the request.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/format/blob.h"
#include "trace/write/writer.h"

#define T0      (1000 * NSEC_PER_SEC)
#define SOCK(n) CT_OBJ_ID(CT_OBJ_SOCK, n)
#define QUEUE   CT_OBJ_FUTEX_ID(200, 0x7f0012345678)

enum { CURL = 100, SHOPD = 200, WORKER = 201, VICTIM = 300, KILLER = 400, SCRIPT = 500, CATCHER = 600 };
enum { SERVED = 1, ASKED = 2 };

static struct writer *writer;
static uint64_t now = T0;

static void check(int r, const char *what)
{
	if (r)
		errx(1, "%s: %s", what, strerror(-r));
}

static uint16_t cpu_of(uint32_t tid)
{
	return (uint16_t)(tid == WORKER ? 6 : tid / 100 - 1);
}

static void add_x(struct ct_rec rec, uint64_t x0, uint64_t x1)
{
	const uint64_t words[2] = { x0, x1 };

	rec.ts = now += NSEC_PER_MSEC;
	if (!rec.nr)
		rec.nr = CT_NR_NONE;
	check(writer_add(writer, cpu_of(rec.tid ? rec.tid : rec.peer), &rec, words), "record");
}

static void add(struct ct_rec rec)
{
	add_x(rec, 0, 0);
}

static void task(uint32_t tid, uint32_t tgid, const char *comm, const char *cmdline)
{
	struct ct_task_blob b = { .h = { .ts = T0, .kind = CT_TASK, .size = sizeof(b), .tid = tid },
				  .tgid = tgid,
				  .ppid = 1,
				  .start_ns = tid };
	struct ct_rec runs = { .ts = T0, .kind = CT_SWITCH, .peer = tid, .nr = CT_NR_NONE };
	union {
		struct ct_cmdline_blob c;
		char room[sizeof(struct ct_cmdline_blob) + CT_CMDLINE_MAX];
	} u = { .c = { .h = { .ts = T0, .kind = CT_CMDLINE, .tid = tgid } } };
	size_t n = strlen(cmdline);

	strncpy(b.comm, comm, sizeof(b.comm) - 1);
	check(writer_blob(writer, &b.h), "task");
	check(writer_add(writer, cpu_of(tid), &runs, NULL), "switch");
	if (!n)
		return;
	u.c.h.size = (uint16_t)(sizeof(u.c) + (n + 7) / 8 * 8);
	u.c.len = (uint16_t)n;
	memcpy(u.room + sizeof(u.c), cmdline, n);
	check(writer_blob(writer, &u.c.h), "command line");
}

static void sock(unsigned n, unsigned peer, const char *name)
{
	size_t len = strlen(name), size = sizeof(struct ct_object_blob) + (len + 7) / 8 * 8;
	union {
		struct ct_object_blob o;
		char room[sizeof(struct ct_object_blob) + CT_OBJ_NAME_MAX];
	} u = { .o = { .h = { .ts = T0, .kind = CT_OBJECT, .size = (uint16_t)size },
		       .id = SOCK(n),
		       .peer = SOCK(peer),
		       .family = AF_UNIX,
		       .type = SOCK_STREAM,
		       .name_len = (uint16_t)len } };

	memcpy(u.room + sizeof(u.o), name, len);
	check(writer_blob(writer, &u.o.h), "object");
}

static void blocks(uint32_t tid, enum ct_wait wait, uint64_t obj)
{
	add((struct ct_rec){
		.kind = CT_SWITCH, .tid = tid, .state = CT_ST_SLEEP, .wait = (uint8_t)wait, .obj = obj });
}

static void wakes(uint32_t waker, uint32_t wakee, enum ct_wait wait, uint64_t obj)
{
	add((struct ct_rec){
		.kind = CT_WAKE, .tid = wakee, .peer = waker, .nr = 202, .aux = (uint16_t)wait, .obj = obj });
	add((struct ct_rec){ .kind = CT_SWITCH, .peer = wakee });
}

static void crash(const char *const frames[3])
{
	_cleanup_free_ struct ct_stack_blob *stack = blob_stack(T0, frames, 3);

	if (!stack)
		errx(1, "out of memory");
	check(writer_blob(writer, &stack->h), "stack");
	add((struct ct_rec){ .kind = CT_SIGNAL,
			     .tid = WORKER,
			     .peer = WORKER,
			     .state = 11,
			     .flags = CT_GF_FATAL | CT_GF_KERNEL,
			     .obj = SHOPD,
			     .aux = 1 });
	add((struct ct_rec){ .kind = CT_SIGDELIVER, .tid = WORKER, .state = 11, .flags = CT_GF_FATAL });
	add_x((struct ct_rec){ .kind = CT_SAMPLE, .tid = WORKER, .flags = CT_PF_FATAL, .obj = 0x401234 },
	      stack->id, 0);
	add((struct ct_rec){ .kind = CT_SIGDELIVER, .tid = SHOPD, .state = 9, .flags = CT_GF_FATAL });
	add((struct ct_rec){ .kind = CT_EXIT, .tid = SHOPD, .peer = 11, .obj = SHOPD });
	add((struct ct_rec){
		.kind = CT_EXIT, .tid = WORKER, .peer = 139, .flags = CT_LF_GROUP_DEAD, .obj = SHOPD });
	add_x((struct ct_rec){ .kind = CT_HANG, .tid = WORKER, .state = CT_HANG_CRASH, .nr = CT_NR_NONE }, T0,
	      1);
}

static void others(void)
{
	add((struct ct_rec){ .kind = CT_SIGNAL,
			     .tid = KILLER,
			     .peer = VICTIM,
			     .state = 9,
			     .flags = CT_GF_FATAL | CT_GF_GROUP,
			     .nr = 62,
			     .obj = VICTIM });
	add((struct ct_rec){ .kind = CT_SIGDELIVER, .tid = VICTIM, .state = 9, .flags = CT_GF_FATAL });
	add((struct ct_rec){
		.kind = CT_EXIT, .tid = VICTIM, .peer = 9, .flags = CT_LF_GROUP_DEAD, .obj = VICTIM });
	add((struct ct_rec){
		.kind = CT_EXIT, .tid = SCRIPT, .peer = 1 << 8, .flags = CT_LF_GROUP_DEAD, .obj = SCRIPT });
	add((struct ct_rec){ .kind = CT_SIGDELIVER, .tid = CATCHER, .state = 11 });
	add((struct ct_rec){ .kind = CT_EXIT, .tid = CATCHER, .flags = CT_LF_GROUP_DEAD, .obj = CATCHER });
}

int main(int argc, char **argv)
{
	struct writer_options opt = { .size_bytes = 4 << 20,
				      .hooks = "sched/switch=tp_btf,sched/waking=tp_btf",
				      .host = "golden",
				      .kernel = "6.1.0-test",
				      .machine = "x86_64",
				      .boot_id = (const uint8_t[16]){ 1 },
				      .n_cpus = 7 };
	bool ill = argc > 2 && !strcmp(argv[2], "ill"), idle = argc > 2 && !strcmp(argv[2], "idle");
	const char *const frames[] = { ill ? "<b>\x1b[31m\"\n+0x1 (x)" : "parse_item+0x12 (shopd)",
				       "serve+0x40 (shopd)", "start_thread+0x2 (libc.so.6)" };
	char why[256];

	if (argc < 2 || argc > 3 || (argc > 2 && !ill && !idle))
		errx(2, "usage: mkcrash FILE [ill | idle]");
	if (writer_open(argv[1], &opt, &writer, why))
		errx(1, "%s", why);
	check(writer_begin(writer, T0, NULL, 0), "begin");
	task(CURL, CURL, ill ? "<i>\x1b[35m\a" : "curl", "");
	task(SHOPD, SHOPD, ill ? "a\nFORGED" : "shopd", ill ? "shopd \x1b]0;t\a 'x'" : "shopd --port 80");
	task(WORKER, SHOPD, ill ? "w\"\r" : "worker", "");
	task(VICTIM, VICTIM, "victim", "");
	task(KILLER, KILLER,
	     ill ? "\xe2\x80\xae"
		   "gp."
		 : "killer",
	     "");
	task(SCRIPT, SCRIPT, "python3", "python3 report.py");
	task(CATCHER, CATCHER, "catcher", "");
	sock(SERVED, ASKED, ill ? "/run/\x1b[1m<a>" : "/run/shop");
	sock(ASKED, SERVED, "");
	blocks(SHOPD, CT_W_READ, SOCK(SERVED));
	blocks(WORKER, CT_W_FUTEX, QUEUE);
	add((struct ct_rec){ .kind = CT_SEND, .tid = CURL, .peer = 20, .obj = SOCK(ASKED) });
	wakes(CURL, SHOPD, CT_W_WRITE, SOCK(ASKED));
	add((struct ct_rec){ .kind = CT_RECV, .tid = SHOPD, .peer = 20, .obj = SOCK(SERVED) });
	wakes(SHOPD, WORKER, CT_W_FUTEX, QUEUE);
	if (idle) {
		blocks(SHOPD, CT_W_READ, SOCK(SERVED));
		blocks(WORKER, CT_W_EPOLL, 0);
		wakes(KILLER, WORKER, CT_W_EPOLL, 0);
	}
	crash(frames);
	others();
	check(writer_seal(writer, now + NSEC_PER_MSEC, NULL, 0), "seal");
	writer_free(writer);
	return 0;
}
