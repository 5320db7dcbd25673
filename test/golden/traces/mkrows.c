// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkrows FILE [marked|gapped] ROWS... - writes a trace in which a client asks "shop" for pages, one for each
 * argument ROWS. For a page with ROWS rows, shop asks a database for the list of rows, and then for
 * each row. With "marked", shop marks each page with a trace context (ctrace-traceparent.h), in the ways of
 * `enum marking`, one after the other. The numbers of the context are PAGE * 0x100 + 1, + 2 and + 3. In
 * the first round of the ways, the marks name the socket. With "gapped", each page is marked with MIXED_GAP.
 */
#include <err.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/words/markname.h"
#include "trace/write/writer.h"

#define T0      (1000 * NSEC_PER_SEC)
#define SOCK(n) CT_OBJ_ID(CT_OBJ_SOCK, n)

enum { CLIENT = 100, SHOP = 200, DB = 300 };
/* sockets of two connections: READER (of the client) to PAGE (of shop); ASKER (of shop) to ROW (of db) */
enum { PAGE = 1, READER = 2, ROW = 3, ASKER = 4 };

enum { IDLE_CPU = 3 }; /* without a task */

/* How a page gets its context. Only the ways up to PREEMPTED are valid. */
enum marking {
	GOOD,
	AGAIN,     /* twice the same */
	CHILD,     /* and the database marks another one for the list of rows */
	WOKEN,     /* a client sends the next request while shop makes the marks */
	PREEMPTED, /* shop loses its CPU for a while between the marks */
	NO_TRACE,  /* the trace id is 0 */
	NO_PARENT, /* the id of the parent is 0 */
	DIFFERENT, /* two different ones */
	LOST,      /* without the mark of the first half of the trace id */
	COMMAND,   /* made by `ctrace mark` */
	HASHED,    /* the parent is only a hash */
	LATE,      /* after the answer */
	ELSEWHERE, /* the socket is one of the database; in the second round, of no program */
	/* the first two marks of one context, and the last two of another one. Between them is: */
	MIXED_LATE,  /* a pause */
	MIXED_WAIT,  /* a wait */
	MIXED_YIELD, /* a call of sched_yield() */
	MARKINGS,
	MIXED_GAP /* a gap, only with "gapped" */
};

static struct writer *writer;
static bool marked, gapped;
static uint64_t now = T0;

static void check(int r, const char *what)
{
	if (r)
		errx(1, "%s: %s", what, strerror(-r));
}

/* Each task has a CPU of its own. */
static void task(uint32_t tid, const char *comm)
{
	struct ct_task_blob b = { .h = { .ts = T0, .kind = CT_TASK, .size = sizeof(b), .tid = tid },
				  .tgid = tid,
				  .ppid = 1,
				  .start_ns = tid };

	struct ct_rec runs = { .ts = now, .kind = CT_SWITCH, .peer = tid, .nr = CT_NR_NONE };

	strncpy(b.comm, comm, sizeof(b.comm) - 1);
	check(writer_blob(writer, &b.h), "task");
	check(writer_add(writer, tid / 100 - 1, &runs, NULL), "switch");
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

static void message(uint32_t from, unsigned from_sock, uint32_t to, unsigned to_sock, uint32_t bytes)
{
	struct ct_rec send = { .kind = CT_SEND, .tid = from, .peer = bytes, .nr = CT_NR_NONE },
		      recv = { .kind = CT_RECV, .tid = to, .peer = bytes, .nr = CT_NR_NONE };

	send.ts = now += 4000;
	send.obj = SOCK(from_sock);
	check(writer_add(writer, from / 100 - 1, &send, NULL), "send");
	recv.ts = now += 6000;
	recv.obj = SOCK(to_sock);
	check(writer_add(writer, to / 100 - 1, &recv, NULL), "receive");
}

static void name(const char *text)
{
	union {
		struct ct_object_blob o;
		char room[sizeof(struct ct_object_blob) + CT_OBJ_NAME_MAX];
	} u = { .o = { .h = { .ts = T0, .kind = CT_OBJECT },
		       .id = markname_id(text),
		       .name_len = (uint16_t)strlen(text) } };

	u.o.h.size = (uint16_t)(sizeof(u.o) + (strlen(text) + 7) / 8 * 8);
	memcpy(u.room + sizeof(u.o), text, strlen(text));
	check(writer_blob(writer, &u.o.h), "object");
}

static const char *const names[] = { "traceparent.socket", "traceparent.trace-high", "traceparent.trace-low",
				     "traceparent.parent" };

static void mark(uint32_t tid, unsigned which, uint64_t id, uint8_t flags)
{
	struct ct_rec r = { .kind = CT_MARK,
			    .tid = tid,
			    .state = CT_MARK_POINT,
			    .flags = flags,
			    .nr = CT_NR_NONE,
			    .obj = markname_id(names[which]) };

	r.ts = now += 100;
	check(writer_add(writer, (uint16_t)(tid / 100 - 1), &r, (const uint64_t[]){ id, now }), "mark");
}

static void mark_all(uint32_t tid, uint64_t socket, uint64_t high, uint64_t parent)
{
	mark(tid, 0, socket, 0);
	mark(tid, 1, high, 0);
	mark(tid, 2, high ? high + 1 : 0, 0);
	mark(tid, 3, parent, 0);
}

static void lose_records(void)
{
	struct ct_rec r = { .kind = CT_GAP, .tid = IDLE_CPU, .peer = 2, .state = CT_LOSS_RING_FULL };

	r.ts = now += 100;
	check(writer_add(writer, IDLE_CPU, &r, (const uint64_t[]){ now - 50, now }), "gap");
}

/* wait: CT_W_NONE: another task preempts this one, and has the CPU for longer */
static void leave_cpu(uint32_t tid, enum ct_wait wait)
{
	struct ct_rec out = { .kind = CT_SWITCH,
			      .tid = tid,
			      .state = wait == CT_W_SLEEP ? CT_ST_SLEEP : CT_ST_RUNNING,
			      .wait = wait,
			      .flags = wait == CT_W_NONE ? CT_SF_PREEMPT : 0,
			      .nr = CT_NR_NONE },
		      in = { .kind = CT_SWITCH, .peer = tid, .nr = CT_NR_NONE };

	out.ts = now += 100;
	check(writer_add(writer, (uint16_t)(tid / 100 - 1), &out, NULL), "switch");
	in.ts = now += wait == CT_W_NONE ? 2 * NSEC_PER_MSEC : 100;
	check(writer_add(writer, (uint16_t)(tid / 100 - 1), &in, NULL), "switch");
}

static void wake(uint32_t tid, uint32_t by, unsigned socket)
{
	struct ct_rec r = { .kind = CT_WAKE,
			    .tid = tid,
			    .peer = by,
			    .flags = CT_WF_READY,
			    .nr = CT_NR_NONE,
			    .obj = SOCK(socket) };

	r.ts = now += 100;
	check(writer_add(writer, (uint16_t)(by / 100 - 1), &r, NULL), "wake");
}

static void mark_mixed(enum marking how, uint64_t socket, uint64_t of)
{
	mark(SHOP, 0, socket, 0);
	mark(SHOP, 1, of + 1, 0);
	if (how == MIXED_GAP)
		lose_records();
	else if (how == MIXED_WAIT || how == MIXED_YIELD)
		leave_cpu(SHOP, how == MIXED_WAIT ? CT_W_SLEEP : CT_W_YIELD);
	else
		now += 2 * NSEC_PER_MSEC;
	mark(SHOP, 2, of + 0x12, 0);
	mark(SHOP, 3, of + 0x13, 0);
}

static void mark_page(int page, bool answered)
{
	enum marking how = gapped ? MIXED_GAP : (enum marking)(page % MARKINGS);
	uint64_t of = (uint64_t)page << 8, socket = page < MARKINGS ? PAGE : 0;

	if (!marked || answered != (how == LATE))
		return;
	if (how == LOST || how == COMMAND || how == HASHED) {
		mark(SHOP, 0, socket, how == COMMAND ? CT_MF_PARENT : 0);
		if (how != LOST)
			mark(SHOP, 1, of + 1, how == COMMAND ? CT_MF_PARENT : 0);
		mark(SHOP, 2, of + 2, how == COMMAND ? CT_MF_PARENT : 0);
		mark(SHOP, 3, of + 3, how == COMMAND ? CT_MF_PARENT : how == HASHED ? CT_MF_HASHED : 0);
		return;
	}
	if (how == WOKEN || how == PREEMPTED) {
		mark(SHOP, 0, socket, 0);
		mark(SHOP, 1, of + 1, 0);
		if (how == WOKEN)
			wake(SHOP, CLIENT, PAGE);
		else
			leave_cpu(SHOP, CT_W_NONE);
		mark(SHOP, 2, of + 2, 0);
		mark(SHOP, 3, of + 3, 0);
		return;
	}
	if (how == MIXED_GAP || how == MIXED_LATE || how == MIXED_WAIT || how == MIXED_YIELD) {
		mark_mixed(how, socket, of);
		return;
	}
	if (how == ELSEWHERE)
		socket = page < MARKINGS ? ROW : 999;
	mark_all(SHOP, socket, how == NO_TRACE ? 0 : of + 1, how == NO_PARENT ? 0 : of + 3);
	if (how == AGAIN || how == DIFFERENT)
		mark_all(SHOP, socket, of + (how == AGAIN ? 1 : 9), of + 3);
}

static void ask(uint32_t bytes, uint64_t context)
{
	message(SHOP, ASKER, DB, ROW, bytes);
	if (context)
		mark_all(DB, ROW, context, context + 2);
	message(DB, ROW, SHOP, ASKER, 100);
}

int main(int argc, char **argv)
{
	struct writer_options opt = { .size_bytes = 4 << 20,
				      .hooks = "sched/switch=tp_btf,sched/waking=tp_btf",
				      .host = "golden",
				      .kernel = "6.1.0-test",
				      .machine = "x86_64",
				      .boot_id = (const uint8_t[16]){ 1 },
				      .n_cpus = IDLE_CPU + 1 };
	char why[256];

	gapped = argc > 2 && !strcmp(argv[2], "gapped");
	marked = gapped || (argc > 2 && !strcmp(argv[2], "marked"));
	argc -= marked;
	if (argc < 3)
		errx(2, "usage: mkrows FILE [marked|gapped] ROWS...");
	if (writer_open(argv[1], &opt, &writer, why))
		errx(1, "%s", why);
	check(writer_begin(writer, T0, NULL, 0), "begin");
	task(CLIENT, "client");
	task(SHOP, "shop");
	task(DB, "db");
	sock(PAGE, READER, "/run/shop");
	sock(READER, PAGE, "");
	sock(ROW, ASKER, "/run/db");
	sock(ASKER, ROW, "");
	for (unsigned i = 0; i < ARRAY_SIZE(names) && marked; i++)
		name(names[i]);
	for (int i = 0; i < argc - 2; i++) {
		message(CLIENT, READER, SHOP, PAGE, 20);
		mark_page(i, false);
		ask(300, marked && i % MARKINGS == CHILD ? ((uint64_t)i << 8) + 0x81 : 0);
		for (int row = 0; row < atoi(argv[i + 2 + marked]); row++)
			ask(40, 0);
		message(SHOP, PAGE, CLIENT, READER, 1000);
		mark_page(i, true);
		now += NSEC_PER_MSEC;
	}
	check(writer_seal(writer, now, NULL, 0), "seal");
	writer_free(writer);
	return 0;
}
