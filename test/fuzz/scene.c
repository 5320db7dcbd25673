// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/fuzz/scene.h"

#include <err.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "ctrace/fields.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/format/blob.h"
#include "trace/write/writer.h"

#define MS    NSEC_PER_MSEC
#define TASKS 10u
#define CPUS  2u

#define WEB    7042
#define MUTEX  CT_OBJ_FUTEX_ID(100, 0x7f0000001000)
#define OTHER  CT_OBJ_FUTEX_ID(100, 0x7f0000002000)
#define COND   CT_OBJ_FUTEX_ID(100, 0x7f0000003000)
#define PIPE   CT_OBJ_ID(CT_OBJ_PIPE, 71)
#define UNIX_A CT_OBJ_ID(CT_OBJ_SOCK, 72)
#define UNIX_B CT_OBJ_ID(CT_OBJ_SOCK, 73)
#define TCP_A  CT_OBJ_ID(CT_OBJ_SOCK, 74)
#define TCP_B  CT_OBJ_ID(CT_OBJ_SOCK, 75)
#define UDP_A  CT_OBJ_ID(CT_OBJ_SOCK, 79)
#define UDP_B  CT_OBJ_ID(CT_OBJ_SOCK, 80)
#define DGRAM  CT_OBJ_ID(CT_OBJ_SOCK, 81)
#define EPOLL  CT_OBJ_ID(CT_OBJ_EPOLL, 76)
#define EVENT  CT_OBJ_ID(CT_OBJ_EVENTFD, 77)
#define FILE_  CT_OBJ_ID(CT_OBJ_FILE, 78)
#define DISK   CT_OBJ_ID(CT_OBJ_BLOCKDEV, 8 << 20)
#define DATA   CT_OBJ_USER_ID(CT_OBJ_DATA, 100, 0x404040)
#define MARK   CT_OBJ_ID(CT_OBJ_MARK, 99)
#define QUEUE  CT_OBJ_USER_ID(CT_OBJ_QUEUE, 100, 0x405000)
#define TIMER  0xffffffff81000000ULL

enum { MAIN = 100, OWNER, READER, SERVER, CLIENT, FEEDER, WORKER, SHELL, CHILD, IDLER };

struct scene_writer {
	struct writer *w;
	uint64_t now_ns;
	struct window_state states[TASKS];
	uint64_t stack_id;
};

static void check(int r, const char *what)
{
	if (r)
		errx(1, "%s: %s", what, strerror(-r));
}

static void add_x(struct scene_writer *s, uint16_t cpu, struct ct_rec r, uint64_t x0, uint64_t x1)
{
	uint64_t x[2] = { x0, x1 };

	s->now_ns += 10 * NSEC_PER_USEC;
	r.ts = s->now_ns;
	check(writer_add(s->w, cpu, &r, x), "record");
}

static void add(struct scene_writer *s, uint16_t cpu, struct ct_rec r)
{
	add_x(s, cpu, r, 0, 0);
}

static void pass(struct scene_writer *s, uint64_t ms)
{
	s->now_ns += ms * MS;
}

static struct window_state *state_of(struct scene_writer *s, uint32_t tid)
{
	return &s->states[tid - MAIN];
}

static void sleeps(struct scene_writer *s, uint32_t tid, enum ct_wait wait, uint64_t obj, uint16_t nr)
{
	struct ct_rec r = { .kind = CT_SWITCH,
			    .tid = tid,
			    .state = wait == CT_W_SYNC ? CT_ST_DISK : CT_ST_SLEEP,
			    .wait = wait,
			    .nr = nr,
			    .obj = obj,
			    .aux = 120 | 120 << 8 };

	add(s, tid % CPUS, r);
	r.ts = s->now_ns;
	*state_of(s, tid) = (struct window_state){ .last = r, .cpu = tid % CPUS };
}

static void wakes(struct scene_writer *s, uint32_t tid, uint32_t waker, uint64_t obj, enum ct_wait by)
{
	add(s, waker % CPUS,
	    (struct ct_rec){ .kind = CT_WAKE, .tid = tid, .peer = waker, .nr = 1, .obj = obj, .aux = by });
}

static void interrupt_wakes(struct scene_writer *s, uint32_t tid, enum ct_ctx ctx, uint64_t obj)
{
	add(s, tid % CPUS,
	    (struct ct_rec){ .kind = CT_WAKE,
			     .tid = tid,
			     .state = ctx,
			     .flags = CT_WF_IDLE | (ctx == CT_CTX_SOFTIRQ ? CT_WF_READY : 0),
			     .nr = CT_NR_NONE,
			     .obj = obj });
}

static void runs(struct scene_writer *s, uint32_t tid)
{
	add(s, tid % CPUS,
	    (struct ct_rec){ .kind = CT_SWITCH, .peer = tid, .nr = CT_NR_NONE, .aux = 120 | 120 << 8 });
	state_of(s, tid)->run = WINDOW_RUN_RUNNING;
	state_of(s, tid)->last.ts = s->now_ns;
}

static void waits_for_lock(struct scene_writer *s, uint32_t tid, uint32_t owner, uint64_t lock)
{
	add_x(s, tid % CPUS, (struct ct_rec){ .kind = CT_FUTEX, .tid = tid, .peer = owner, .obj = lock },
	      lock & 0x7fffffffffff, 128 | 2ULL << 32);
	sleeps(s, tid, CT_W_FUTEX, lock, 202);
	state_of(s, tid)->owner = owner;
}

static void visited(struct scene_writer *s, uint32_t tid, uint64_t ms)
{
	const struct ct_rec *last = &state_of(s, tid)->last;

	add_x(s, 0,
	      (struct ct_rec){ .kind = CT_VISIT,
			       .tid = tid,
			       .state = last->state,
			       .wait = last->wait,
			       .nr = last->nr,
			       .obj = last->obj },
	      s->stack_id, ms * MS);
}

static void seals(struct scene_writer *s)
{
	s->now_ns += MS;
	check(writer_seal(s->w, s->now_ns, s->states, TASKS), "seal");
}

static void task(struct scene_writer *s, uint32_t tid, uint32_t tgid, const char *comm)
{
	struct ct_task_blob b = { .h = { .ts = s->now_ns, .kind = CT_TASK, .size = sizeof(b), .tid = tid },
				  .tgid = tgid,
				  .ppid = tgid == CHILD ? SHELL : 1,
				  .cgroup_id = tgid == SERVER ? WEB : 0,
				  .start_ns = tid };

	strncpy(b.comm, comm, sizeof(b.comm) - 1);
	check(writer_blob(s->w, &b.h), "task");
}

static void cmdline(struct scene_writer *s, uint32_t tgid, const char *text)
{
	size_t len = strlen(text);
	union {
		struct ct_cmdline_blob c;
		char room[sizeof(struct ct_cmdline_blob) + CT_CMDLINE_MAX];
	} u = { .c = { .h = { .ts = s->now_ns,
			      .kind = CT_CMDLINE,
			      .size = (uint16_t)(sizeof(u.c) + (len + 7) / 8 * 8),
			      .tid = tgid },
		       .len = (uint16_t)len } };

	memcpy(u.room + sizeof(u.c), text, len);
	check(writer_blob(s->w, &u.c.h), "cmdline");
}

static void object(struct scene_writer *s, struct ct_object_blob o, uint64_t id, const char *name)
{
	size_t len = strlen(name);
	union {
		struct ct_object_blob o;
		char room[sizeof(struct ct_object_blob) + CT_OBJ_NAME_MAX];
	} u = { 0 };

	o.h = (struct ct_blob){ .ts = s->now_ns,
				.kind = CT_OBJECT,
				.size = (uint16_t)(sizeof(o) + (len + 7) / 8 * 8),
				.tid = MAIN };
	o.id = id;
	o.ino = id & CT_OBJ_MASK;
	o.name_len = (uint16_t)len;
	u.o = o;
	memcpy(u.room + sizeof(o), name, len);
	check(writer_blob(s->w, &u.o.h), "object");
}

static struct ct_object_blob tcp(uint16_t lport, uint16_t rport)
{
	return (struct ct_object_blob){ .family = AF_INET,
					.type = SOCK_STREAM,
					.protocol = IPPROTO_TCP,
					.state = 1,
					.lport = lport,
					.rport = rport,
					.laddr = { 127, 0, 0, 1 },
					.raddr = { 127, 0, 0, 1 } };
}

static struct ct_object_blob udp(uint16_t lport)
{
	return (struct ct_object_blob){ .family = AF_INET,
					.type = SOCK_DGRAM,
					.protocol = IPPROTO_UDP,
					.lport = lport,
					.laddr = { 127, 0, 0, 1 } };
}

static void names(struct scene_writer *s)
{
	static const char *const frames[] = { "k:futex_wait+0x12", "pthread_mutex_lock (libc.so.6)",
					      "work+0x10 (a \x1b[31m)", "main+0x20 (a)" };
	static const char *const comms[] = { "main",   "owner",  "reader", "server", "client",
					     "feeder", "worker", "sh",     "child",  "idler" };
	_cleanup_free_ struct ct_stack_blob *stack = blob_stack(s->now_ns, frames, ARRAY_SIZE(frames));
	const struct ct_object_blob plain = { 0 };

	if (!stack)
		errx(1, "out of memory");
	for (uint32_t i = 0; i < TASKS; i++)
		task(s, MAIN + i, i < 3 ? MAIN : MAIN + i, comms[i]);
	cmdline(s, MAIN, "/usr/bin/python3 -W ignore /srv/app.py \xff\x1b[31m");
	cmdline(s, SERVER, "-");
	cmdline(s, CHILD, "/bin/sh -c");
	s->stack_id = stack->id;
	check(writer_blob(s->w, &stack->h), "stack");
	object(s, (struct ct_object_blob){ .family = AF_UNIX, .type = SOCK_STREAM, .peer = UNIX_B }, UNIX_A,
	       "");
	object(s, (struct ct_object_blob){ .family = AF_UNIX, .type = SOCK_STREAM, .peer = UNIX_A }, UNIX_B,
	       "/run/x\xff");
	object(s, tcp(4242, 80), TCP_A, "");
	object(s, tcp(80, 4242), TCP_B, "");
	object(s, udp(40000), UDP_A, "");
	object(s, udp(53), UDP_B, "");
	object(s, (struct ct_object_blob){ .family = AF_UNIX, .type = SOCK_DGRAM }, DGRAM, "/run/log");
	object(s, plain, PIPE, "");
	object(s, plain, EVENT, "");
	object(s, plain, FILE_, "/srv/a \"file\"\n");
	object(s, plain, DATA, "flag (a)");
	object(s, plain, MARK, "order");
	object(s, (struct ct_object_blob){ .peer = CT_OBJ_CONTAINER_ID(WEB) }, CT_OBJ_ID(CT_OBJ_CGROUP, WEB),
	       "/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
	object(s, plain, CT_OBJ_CONTAINER_ID(WEB), "web-1");
}

static void begins(struct scene_writer *s, const char *path, uint8_t boot)
{
	uint8_t boot_id[16] = { boot };
	struct writer_options opt = { .size_bytes = 4 << 20,
				      .n_cpus = CPUS,
				      .hooks = "sched/switch=tp_btf",
				      .host = "seed",
				      .kernel = "6.1.0-test",
				      .boot_id = boot_id };
	char why[256];

	if (writer_open(path, &opt, &s->w, why))
		errx(1, "%s", why);
	check(writer_begin(s->w, s->now_ns, s->states, TASKS), "begin");
	names(s);
}

static void locks(struct scene_writer *s)
{
	for (unsigned i = 0; i < 3; i++) {
		runs(s, OWNER);
		add_x(s, 1, (struct ct_rec){ .kind = CT_BLK_ISSUE, .tid = OWNER, .peer = 4096, .obj = DISK },
		      2048 + i, FILE_);
		sleeps(s, OWNER, CT_W_SYNC, FILE_, 74);
		runs(s, MAIN);
		waits_for_lock(s, MAIN, OWNER, MUTEX);
		pass(s, 900);
		visited(s, MAIN, 900);
		visited(s, OWNER, 901);
		add_x(s, 1, (struct ct_rec){ .kind = CT_BLK_DONE, .peer = 4096, .obj = DISK }, 2048 + i, 0);
		interrupt_wakes(s, OWNER, CT_CTX_HARDIRQ, 0);
		runs(s, OWNER);
		wakes(s, MAIN, OWNER, MUTEX, CT_W_FUTEX);
		runs(s, MAIN);
		sleeps(s, OWNER, CT_W_SLEEP, 0, 230);
		waits_for_lock(s, MAIN, 0, COND);
		interrupt_wakes(s, MAIN, CT_CTX_TIMER, TIMER);
		runs(s, MAIN);
		add_x(s, 0,
		      (struct ct_rec){ .kind = CT_SAMPLE, .tid = MAIN, .nr = CT_NR_NONE, .obj = 0x401000 },
		      s->stack_id, 40 * MS);
		add_x(s, 0,
		      (struct ct_rec){ .kind = CT_POLLED, .tid = MAIN, .flags = CT_QF_SPIN, .obj = DATA }, i,
		      0x404040);
		sleeps(s, MAIN, CT_W_SLEEP, 0, 230);
		pass(s, 20);
		interrupt_wakes(s, MAIN, CT_CTX_TIMER, TIMER);
	}
	runs(s, OWNER);
	add_x(s, 1, (struct ct_rec){ .kind = CT_ACCESS, .tid = OWNER, .aux = 4, .obj = DATA }, 1,
	      s->stack_id);
	waits_for_lock(s, OWNER, READER, MUTEX);
	runs(s, READER);
	waits_for_lock(s, READER, OWNER, OTHER);
	pass(s, 2000);
	add_x(s, 0,
	      (struct ct_rec){ .kind = CT_HANG,
			       .tid = OWNER,
			       .state = CT_HANG_DEADLOCK,
			       .wait = CT_W_FUTEX,
			       .nr = 202,
			       .peer = READER,
			       .obj = MUTEX },
	      s->now_ns - 2000 * MS, 1000 * MS);
}

static void sends(struct scene_writer *s, uint32_t tid, uint64_t sock, uint32_t to, uint64_t other)
{
	wakes(s, to, tid, other, CT_W_WRITE);
	add(s, tid % CPUS, (struct ct_rec){ .kind = CT_SEND, .tid = tid, .peer = 64, .nr = 1, .obj = sock });
}

static void receives(struct scene_writer *s, uint32_t tid, uint64_t sock)
{
	runs(s, tid);
	add(s, tid % CPUS, (struct ct_rec){ .kind = CT_RECV, .tid = tid, .peer = 64, .obj = sock });
}

/* The client sends four requests. For each, the server asks a feeder through a pipe. The fourth
 * request gets no answer. */
/* Streams of HTTP/2 begin and end in the server. */
static void stream(struct scene_writer *s, enum ct_mark what, uint64_t id)
{
	add_x(s, SERVER % CPUS,
	      (struct ct_rec){
		      .kind = CT_MARK, .tid = SERVER, .state = what, .flags = CT_MF_STREAM, .obj = MARK },
	      id, s->now_ns);
}

static void messages(struct scene_writer *s)
{
	add_x(s, 1, (struct ct_rec){ .kind = CT_EPMEMBER, .tid = SERVER, .peer = 5, .obj = UNIX_B }, EPOLL,
	      1);
	add(s, 1,
	    (struct ct_rec){ .kind = CT_FD, .tid = FEEDER, .peer = 3, .flags = CT_FF_READ, .obj = PIPE });
	for (unsigned i = 0; i < 4; i++) {
		runs(s, SERVER);
		sleeps(s, SERVER, CT_W_EPOLL, EPOLL, 232);
		runs(s, FEEDER);
		sleeps(s, FEEDER, CT_W_READ, PIPE, 0);
		runs(s, CLIENT);
		sends(s, CLIENT, UNIX_A, SERVER, UNIX_B);
		sleeps(s, CLIENT, CT_W_READ, UNIX_A, 0);
		receives(s, SERVER, UNIX_B);
		wakes(s, FEEDER, SERVER, PIPE, CT_W_WRITE);
		add(s, 1,
		    (struct ct_rec){
			    .kind = CT_WAITFD, .tid = SERVER, .peer = 5, .wait = 2, .aux = 1, .obj = TCP_B });
		sleeps(s, SERVER, CT_W_POLL, 0, 7);
		runs(s, FEEDER);
		pass(s, 300);
		add(s, 1, (struct ct_rec){ .kind = CT_READY, .state = CT_CTX_SOFTIRQ, .obj = TCP_B });
		interrupt_wakes(s, SERVER, CT_CTX_SOFTIRQ, TCP_B);
		sleeps(s, FEEDER, CT_W_READ, EVENT, 0);
		receives(s, SERVER, TCP_B);
		stream(s, CT_MARK_BEGIN, 100 + i);
		stream(s, CT_MARK_BEGIN, 200 + i);
		stream(s, CT_MARK_END, 100 + i);
		if (i == 3)
			break;
		sends(s, SERVER, UNIX_B, CLIENT, UNIX_A);
		receives(s, CLIENT, UNIX_A);
		sleeps(s, CLIENT, CT_W_SLEEP, 0, 230);
		pass(s, 5);
		interrupt_wakes(s, CLIENT, CT_CTX_TIMER, TIMER);
	}
	sleeps(s, SERVER, CT_W_CONNECT, TCP_A, 42);
	pass(s, 1500);
	visited(s, CLIENT, 1500);
	visited(s, SERVER, 1490);
}

static void sends_to(struct scene_writer *s, enum ct_dest dest, uint16_t port, uint32_t address)
{
	struct ct_rec r = { .kind = CT_SEND, .tid = IDLER, .peer = 64, .obj = UDP_A };

	ct_send_to(&r, dest, port, address);
	add(s, IDLER % CPUS, r);
}

/* A server gets a datagram, and does not answer. */
static void datagrams(struct scene_writer *s)
{
	uint64_t name = ct_dest_name("/run/log");

	add(s, 1, (struct ct_rec){ .kind = CT_FD, .tid = WORKER, .peer = 3, .obj = UDP_B });
	add(s, 1, (struct ct_rec){ .kind = CT_FD, .tid = WORKER, .peer = 4, .obj = DGRAM });
	runs(s, IDLER);
	sends_to(s, CT_DEST_UNIX, (uint16_t)(name >> 32), (uint32_t)name);
	sends_to(s, CT_DEST_IPV6, 53, 1);
	sends_to(s, CT_DEST_IPV4, 53, htonl(INADDR_LOOPBACK));
	sleeps(s, IDLER, CT_W_READ, UDP_A, 0);
	receives(s, WORKER, UDP_B);
	pass(s, 1500);
}

static void marks(struct scene_writer *s)
{
	add_x(s, 0, (struct ct_rec){ .kind = CT_MARK, .tid = MAIN, .state = CT_MARK_BEGIN, .obj = MARK }, 7,
	      s->now_ns);
	pass(s, 3);
	add_x(s, 0, (struct ct_rec){ .kind = CT_MARK, .tid = MAIN, .state = CT_MARK_END, .obj = MARK }, 7,
	      s->now_ns);
	add_x(s, 0, (struct ct_rec){ .kind = CT_MARK, .tid = MAIN, .state = CT_MARK_BEGIN, .obj = MARK }, 8,
	      s->now_ns);
}

static void inputs(struct scene_writer *s)
{
	add_x(s, 0, (struct ct_rec){ .kind = CT_INPUT, .tid = MAIN, .state = CT_INPUT_KEY }, s->now_ns - 1,
	      0);
	pass(s, 3);
	add_x(s, 0,
	      (struct ct_rec){ .kind = CT_INPUT, .tid = MAIN, .state = CT_INPUT_DRAW, .flags = CT_IF_DRAWS },
	      0, 0);
}

static void lives(struct scene_writer *s)
{
	runs(s, SHELL);
	add(s, 1, (struct ct_rec){ .kind = CT_FORK, .tid = SHELL, .peer = CHILD, .obj = CHILD });
	add(s, 1, (struct ct_rec){ .kind = CT_WAKE_NEW, .tid = CHILD, .peer = SHELL });
	sleeps(s, SHELL, CT_W_CHILD, CT_OBJ_ID(CT_OBJ_TASK, CHILD), 61);
	runs(s, CHILD);
	add(s, 0, (struct ct_rec){ .kind = CT_EXEC, .tid = CHILD, .peer = CHILD });
	add_x(s, 0, (struct ct_rec){ .kind = CT_HELD, .tid = IDLER, .state = 1, .wait = 1, .obj = FILE_ }, 0,
	      99);
	add_x(s, 0,
	      (struct ct_rec){
		      .kind = CT_FLOCK, .tid = CHILD, .peer = (uint32_t)-11, .state = 1, .obj = FILE_ },
	      0, INT64_MAX);
	sleeps(s, CHILD, CT_W_FLOCK, FILE_, 72);
	pass(s, 700);
	visited(s, CHILD, 700);
	runs(s, MAIN);
	add_x(s, 0, (struct ct_rec){ .kind = CT_JOB, .tid = MAIN, .state = CT_JOB_ENQUEUE, .obj = QUEUE },
	      0x5000, 0x401100);
	add_x(s, 0, (struct ct_rec){ .kind = CT_JOB_STACK, .tid = MAIN, .obj = QUEUE }, 0x5000, s->stack_id);
	add_x(s, 0, (struct ct_rec){ .kind = CT_LOCK, .tid = MAIN, .obj = QUEUE }, 0x6000, 0);
	add_x(s, 0, (struct ct_rec){ .kind = CT_LOCK, .tid = MAIN, .state = CT_LOCK_RELEASE, .obj = QUEUE },
	      0x7000, 0);
	wakes(s, WORKER, MAIN, COND, CT_W_FUTEX);
	sleeps(s, MAIN, CT_W_EPOLL, EPOLL, 232);
	runs(s, WORKER);
	add_x(s, 0, (struct ct_rec){ .kind = CT_JOB, .tid = WORKER, .state = CT_JOB_START, .obj = QUEUE },
	      0x5000, 0x401100);
	pass(s, 250);
	add_x(s, 0, (struct ct_rec){ .kind = CT_JOB, .tid = WORKER, .state = CT_JOB_END, .obj = QUEUE },
	      0x5000, 0x401100);
	wakes(s, MAIN, WORKER, EVENT, CT_W_WRITE);
	sleeps(s, WORKER, CT_W_FUTEX, COND, 202);
	runs(s, MAIN);
	marks(s);
	inputs(s);
	add(s, 0,
	    (struct ct_rec){ .kind = CT_SIGNAL,
			     .tid = MAIN,
			     .peer = CHILD,
			     .state = 9,
			     .flags = CT_GF_FATAL | CT_GF_GROUP,
			     .nr = 62,
			     .obj = CHILD });
	wakes(s, CHILD, MAIN, 0, CT_W_OTHER);
	sleeps(s, MAIN, CT_W_EPOLL, EPOLL, 232);
	runs(s, CHILD);
	add(s, 0, (struct ct_rec){ .kind = CT_SIGDELIVER, .tid = CHILD, .state = 9, .flags = CT_GF_FATAL });
	add(s, 0,
	    (struct ct_rec){
		    .kind = CT_EXIT, .tid = CHILD, .peer = 9, .flags = CT_LF_GROUP_DEAD, .obj = CHILD });
	wakes(s, SHELL, CHILD, 0, CT_W_EXITED);
	sleeps(s, CHILD, CT_W_EXITED, 0, CT_NR_NONE);
	runs(s, SHELL);
	sleeps(s, SHELL, CT_W_READ, PIPE, 0);
	pass(s, 1200);
}

static void holes(struct scene_writer *s)
{
	runs(s, OWNER);
	runs(s, MAIN);
	waits_for_lock(s, MAIN, OWNER, MUTEX);
	pass(s, 100);
	add_x(s, 1, (struct ct_rec){ .kind = CT_GAP, .tid = 1, .peer = 12345, .state = CT_LOSS_RING_FULL },
	      s->now_ns - 50 * MS, s->now_ns);
	add_x(s, 0, (struct ct_rec){ .kind = CT_SHED, .state = CT_SHED_WAITS, .wait = CT_SHED_STACKS },
	      s->now_ns - 50 * MS, 20000);
	wakes(s, MAIN, OWNER, MUTEX, CT_W_FUTEX);
	seals(s);
	pass(s, 400);
	add_x(s, 0, (struct ct_rec){ .kind = CT_GAP, .tid = CT_GAP_ALL_CPUS, .state = CT_LOSS_SHED },
	      s->now_ns - 300 * MS, s->now_ns);
	seals(s);
	runs(s, MAIN);
	add_x(s, 0,
	      (struct ct_rec){
		      .kind = CT_SHED, .tid = MAIN, .peer = 10, .flags = CT_GV_CAP, .aux = CT_W_READ },
	      s->now_ns - 10 * MS, 30000);
	waits_for_lock(s, MAIN, OWNER, MUTEX);
	pass(s, 600);
	visited(s, MAIN, 600);
}

static void play(struct scene_writer *s, enum scene which)
{
	switch (which) {
	case SCENE_LOCKS:
		locks(s);
		break;
	case SCENE_MESSAGES:
		messages(s);
		datagrams(s);
		break;
	case SCENE_LIVES:
		lives(s);
		break;
	case SCENE_HOLES:
		holes(s);
		break;
	}
}

void scene_write(const char *path, enum scene which)
{
	struct scene_writer s = { .now_ns = 1000 * NSEC_PER_SEC };

	for (uint32_t i = 0; i < TASKS; i++)
		s.states[i] = (struct window_state){ .last = { .ts = s.now_ns,
							       .kind = CT_SWITCH,
							       .tid = MAIN + i,
							       .state = CT_ST_SLEEP,
							       .wait = i % 2 ? CT_W_READ : CT_W_SLEEP,
							       .obj = i % 2 ? PIPE : 0 },
						     .cpu = 0xffff };
	begins(&s, path, 1);
	play(&s, which);
	seals(&s);
	if (which == SCENE_HOLES) {
		writer_free(s.w);
		pass(&s, 500);
		begins(&s, path, 1);
		locks(&s);
		seals(&s);
		writer_free(s.w);
		begins(&s, path, 2);
	}
	messages(&s);
	seals(&s);
	lives(&s);
	seals(&s);
	writer_free(s.w);
}
