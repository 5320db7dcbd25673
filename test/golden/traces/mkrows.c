// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkrows FILE ROWS... - writes a trace in which a client asks "shop" for pages, one for each
 * argument ROWS. For a page with ROWS rows, shop asks a database for the list of rows, and then for
 * each row.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/clock.h"
#include "trace/write/writer.h"

#define T0      (1000 * NSEC_PER_SEC)
#define SOCK(n) CT_OBJ_ID(CT_OBJ_SOCK, n)

enum { CLIENT = 100, SHOP = 200, DB = 300 };
/* sockets of two connections: READER (of the client) to PAGE (of shop); ASKER (of shop) to ROW (of db) */
enum { PAGE = 1, READER = 2, ROW = 3, ASKER = 4 };

static struct writer *writer;
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

static void ask(uint32_t bytes)
{
	message(SHOP, ASKER, DB, ROW, bytes);
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
				      .n_cpus = 3 };
	char why[256];

	if (argc < 3)
		errx(2, "usage: mkrows FILE ROWS...");
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
	for (int i = 2; i < argc; i++) {
		message(CLIENT, READER, SHOP, PAGE, 20);
		ask(300);
		for (int row = 0; row < atoi(argv[i]); row++)
			ask(40);
		message(SHOP, PAGE, CLIENT, READER, 1000);
		now += NSEC_PER_MSEC;
	}
	check(writer_seal(writer, now, NULL, 0), "seal");
	writer_free(writer);
	return 0;
}
