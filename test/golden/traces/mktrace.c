// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mktrace FILE BOOTS [ill | html | markup | folded | reuse | marks | command | slow | MACHINE] [CPUS LIMITS]
 * - writes the trace for the golden tests: most kinds of records, at fixed times, in BOOTS boots. MACHINE is
 * the recorded machine (default: x86_64). The other words change the content:
 *
 *   ill      all names have bytes that must not reach a terminal; there is also a recorded command
 *   html     as ill, but the names would change a page that does not escape them
 *   markup   as ill, but all names have characters that mean something in HTML, XML, JSON, CSV or folded
 *            stacks; some names are as long as the format allows
 *   folded   a task whose switches are left out
 *   reuse    three processes with the same pid, one after the other, instead of the usual records
 *   marks    the records of transactions instead of the usual records
 *   inputs   key presses instead of the usual records
 *   command  only a recorded command
 *   slow     as command, but the run is slower, and on another machine
 *
 * CPUS and LIMITS are the settings of the recorded command (trace/snapshot/label.h).
 */
#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "ctrace/fields.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/format/blob.h"
#include "trace/snapshot/label.h"
#include "trace/words/markname.h"
#include "trace/write/writer.h"

#define T0      (1000 * NSEC_PER_SEC)
#define PIPE    CT_OBJ_ID(CT_OBJ_PIPE, 77)
#define SOCK    CT_OBJ_ID(CT_OBJ_SOCK, 78)
#define UNIX    CT_OBJ_ID(CT_OBJ_SOCK, 79)
#define FILE_   CT_OBJ_ID(CT_OBJ_FILE, 80)
#define DISPLAY CT_OBJ_ID(CT_OBJ_SOCK, 81)
#define DISK    CT_OBJ_ID(CT_OBJ_BLOCKDEV, 8 << 20)
#define WORD    CT_OBJ_FUTEX_ID(100, 0x7f0012345678)

#define WEB 7042

enum { SH = 100, WORKER = 101, SERVER = 200, CHILD = 300, RECORD = 400, COMMAND = 401, HOG = 402 };

/* Names that could act on a terminal or deceive a reader. Each has at most 15 bytes. */
static const char *const ill[] = {
	"\x1b[35m\x1b]0;t\a",
	"\xc2\x9b"
	"35m\x9b\xff", /* the control character 0x9b, in UTF-8 and as a plain byte */
	"\xe2\x80\xae"
	"gp.\xe2\x81\xa6", /* text from right to left */
	"a\nFORGED\t\r\x7f",
	"\xe2\x80\x8b"
	"b\xef\xbb\xbf"
	"c\xc2\xad", /* invisible characters */
	"\xf3\xa0\x81\x81"
	"d\xed\xa0\x80\xe2\x80\xa8", /* a tag character, half of a surrogate pair, a line separator */
};
static const char *const html[] = {
	"</script><b>x",    "<script>p=1;//",   "\"><img src=x o",
	"'-->&lt;<!--",     "a\n<svg/onload=p", "\xe2\x80\xa8\xe2\x80\xae<i>",
	"\\u003cb\x1b[31m", "{{7*7}}${p=1}`",
};
static bool is_ill, is_html;

static const char *const markup[] = {
	"<script>1//", "=1+\";x,y'", "]]>-->&amp;<b>", "</title></svg>", "a;b 12", "\\u0041%s\xef\xbf\xbf",
};
#define LONG_BYTES 4000
static bool is_markup, is_folded;

static struct writer *writer;
static uint64_t now = T0;

static void check(int r, const char *what)
{
	if (r)
		errx(1, "%s: %s", what, strerror(-r));
}

/* bytes: at most LONG_BYTES */
static const char *long_name(size_t bytes)
{
	static char text[LONG_BYTES + 1];
	static const char part[] = "<i a=\"b\">;'x' ";

	for (size_t i = 0; i < bytes; i++)
		text[i] = part[i % (sizeof(part) - 1)];
	text[bytes] = 0;
	return text;
}

static const char *named(const char *name)
{
	static size_t next;

	if (is_html)
		return html[next++ % ARRAY_SIZE(html)];
	if (is_markup)
		return markup[next++ % ARRAY_SIZE(markup)];

	return is_ill ? ill[next++ % ARRAY_SIZE(ill)] : name;
}

static uint32_t parent_of(uint32_t tid)
{
	return tid == COMMAND ? RECORD : 1;
}

static void task_at(uint64_t ts, uint32_t tid, uint32_t tgid, const char *comm)
{
	struct ct_task_blob b = { .h = { .ts = ts, .kind = CT_TASK, .size = sizeof(b), .tid = tid },
				  .tgid = tgid,
				  .ppid = parent_of(tid),
				  .cgroup_id = tid == CHILD ? WEB : 0,
				  .start_ns = tid };

	b.h.flags = tid == RECORD ? CT_TF_TRACER : 0;
	strncpy(b.comm, tid == RECORD ? comm : named(comm), sizeof(b.comm) - 1);
	check(writer_blob(writer, &b.h), "task");
}

static void task(uint32_t tid, uint32_t tgid, const char *comm)
{
	task_at(T0, tid, tgid, comm);
}

static void object(struct ct_object_blob o, uint64_t id, const char *name)
{
	size_t len = strlen(name);
	union {
		struct ct_object_blob o;
		char room[sizeof(struct ct_object_blob) + CT_OBJ_NAME_MAX];
	} u = { 0 };

	o.h = (struct ct_blob){
		.ts = T0, .kind = CT_OBJECT, .size = (uint16_t)(sizeof(o) + (len + 7) / 8 * 8), .tid = SH
	};
	o.id = id;
	o.ino = id & CT_OBJ_MASK;
	o.name_len = (uint16_t)len;
	u.o = o;
	memcpy(u.room + sizeof(o), name, len);
	check(writer_blob(writer, &u.o.h), "object");
}

struct calls {
	uint16_t read, write, kill, futex;
};
static const struct calls arm64 = { .read = 63, .write = 64, .kill = 129, .futex = 98 };
static struct calls nr = { .read = 0, .write = 1, .kill = 62, .futex = 202 };

static void add_x(struct ct_rec r, uint64_t x0, uint64_t x1)
{
	uint64_t x[2] = { x0, x1 };

	now += NSEC_PER_MSEC;
	r.ts = now;
	if (r.kind != CT_SWITCH && r.kind != CT_WAKE && r.kind != CT_SIGNAL && !r.nr)
		r.nr = CT_NR_NONE;
	check(writer_add(writer, r.tid % 2, &r, x), "record");
}

static void add(struct ct_rec r)
{
	add_x(r, 0, 0);
}

static void pass(uint64_t us, struct ct_rec r)
{
	now += us * NSEC_PER_USEC;
	r.ts = now;
	r.kind = r.kind ? r.kind : CT_SWITCH;
	r.nr = CT_NR_NONE;
	check(writer_add(writer, 1, &r, NULL), "record");
}

/* The command reads a file and computes. If it is not slow, it also sleeps. HOG preempts it for a while. */
static void command(bool slow)
{
	const struct ct_rec back = { .kind = CT_SWITCH, .peer = COMMAND };

	task(RECORD, RECORD, "ctrace");
	task(COMMAND, COMMAND, "job");
	task(HOG, HOG, "hog");
	object((struct ct_object_blob){ .dev = 8 << 20 }, FILE_, named("/var/tmp/job.Ab12Cd/input"));
	pass(1000, (struct ct_rec){ .kind = CT_FORK, .tid = RECORD, .peer = COMMAND, .obj = COMMAND });
	pass(1000,
	     (struct ct_rec){ .tid = RECORD, .peer = COMMAND, .state = CT_ST_SLEEP, .wait = CT_W_POLL });
	pass(500, (struct ct_rec){ .kind = CT_EXEC, .tid = COMMAND, .peer = COMMAND });
	pass(2000, (struct ct_rec){ .tid = COMMAND,
				    .state = CT_ST_DISK,
				    .wait = CT_W_FILE,
				    .flags = CT_SF_IOWAIT,
				    .obj = FILE_ });
	pass(slow ? 9000 : 3000, (struct ct_rec){ .kind = CT_WAKE, .tid = COMMAND, .state = CT_CTX_SOFTIRQ });
	pass(0, back);
	pass(slow ? 3500 : 3000, (struct ct_rec){ .tid = COMMAND, .peer = HOG, .flags = CT_SF_PREEMPT });
	pass(slow ? 500 : 1500, (struct ct_rec){ .tid = HOG, .peer = COMMAND, .state = CT_ST_SLEEP });
	if (!slow) {
		pass(250, (struct ct_rec){ .tid = COMMAND, .state = CT_ST_SLEEP, .wait = CT_W_SLEEP });
		pass(1250, (struct ct_rec){ .kind = CT_WAKE, .tid = COMMAND, .state = CT_CTX_TIMER });
		pass(0, back);
	}
	pass(250, (struct ct_rec){ .kind = CT_EXIT, .tid = COMMAND, .flags = CT_LF_GROUP_DEAD });
	pass(0, (struct ct_rec){ .tid = COMMAND, .state = CT_ST_DEAD });
}

static void names(void)
{
	static const struct ct_object_blob tcp = { .family = AF_INET,
						   .type = SOCK_STREAM,
						   .protocol = IPPROTO_TCP,
						   .state = 1,
						   .lport = 80,
						   .rport = 4242,
						   .laddr = { 127, 0, 0, 1 },
						   .raddr = { 10, 0, 0, 1 } };

	task(SH, SH, "sh");
	task(WORKER, SH, "sh:\x01worker");
	task(SERVER, SERVER, "caf\xe9 \"x\"");
	task(CHILD, CHILD, "child");
	object((struct ct_object_blob){ 0 }, PIPE, "");
	object(tcp, SOCK, "");
	object((struct ct_object_blob){ .family = AF_UNIX, .type = SOCK_STREAM }, UNIX, named("@/tmp/x"));
	object((struct ct_object_blob){ 0 }, FILE_,
	       is_markup ? long_name(CT_OBJ_NAME_MAX) : named("/srv/a \"file\"\n"));
	object((struct ct_object_blob){ 0 }, WORD, "");
	object((struct ct_object_blob){ .peer = CT_OBJ_CONTAINER_ID(WEB) }, CT_OBJ_ID(CT_OBJ_CGROUP, WEB),
	       is_ill ? "/\xe2\x80\xae\nFORGED\xff/docker/"
			"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
		      : "/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
	object((struct ct_object_blob){ 0 }, CT_OBJ_CONTAINER_ID(WEB), named("web-1\x1b"));
}

static void waits(void)
{
	add((struct ct_rec){ .kind = CT_SWITCH,
			     .tid = SH,
			     .peer = 0,
			     .state = CT_ST_SLEEP,
			     .wait = CT_W_READ,
			     .nr = nr.read,
			     .obj = PIPE,
			     .aux = 120 | 120 << 8 });
	add((struct ct_rec){ .kind = CT_SWITCH,
			     .tid = 0,
			     .peer = SERVER,
			     .flags = CT_SF_PREEMPT,
			     .nr = CT_NR_NONE,
			     .aux = 120 | 100 << 8 });
	add((struct ct_rec){
		.kind = CT_WAKE, .tid = SH, .peer = SERVER, .nr = nr.write, .obj = PIPE, .aux = CT_W_WRITE });
	add((struct ct_rec){ .kind = CT_WAKE,
			     .tid = SERVER,
			     .peer = SH,
			     .state = CT_CTX_SOFTIRQ,
			     .wait = 3,
			     .flags = CT_WF_READY,
			     .nr = CT_NR_NONE,
			     .obj = SOCK });
	add((struct ct_rec){ .kind = CT_WAKE,
			     .tid = SERVER,
			     .peer = 0,
			     .state = CT_CTX_TIMER,
			     .flags = CT_WF_IDLE,
			     .nr = CT_NR_NONE,
			     .obj = 0xffffffff81000000 });
	add_x((struct ct_rec){ .kind = CT_FUTEX, .tid = WORKER, .peer = SH, .obj = WORD }, 0x7f0012345678,
	      128 | 2ULL << 32);
	add((struct ct_rec){ .kind = CT_WAITFD, .tid = SERVER, .peer = 5, .wait = 2, .aux = 1, .obj = SOCK });
}

static void lives(void)
{
	add((struct ct_rec){ .kind = CT_FORK, .tid = SH, .peer = CHILD, .obj = CHILD });
	add((struct ct_rec){ .kind = CT_WAKE_NEW, .tid = CHILD, .peer = SH });
	add((struct ct_rec){ .kind = CT_EXEC, .tid = CHILD, .peer = CHILD });
	add((struct ct_rec){ .kind = CT_SIGNAL,
			     .tid = SH,
			     .peer = CHILD,
			     .state = 9,
			     .flags = CT_GF_FATAL | CT_GF_GROUP,
			     .nr = nr.kill,
			     .obj = CHILD });
	add((struct ct_rec){ .kind = CT_SIGDELIVER, .tid = CHILD, .state = 9, .flags = CT_GF_FATAL });
	add((struct ct_rec){
		.kind = CT_EXIT, .tid = CHILD, .peer = 9, .flags = CT_LF_GROUP_DEAD, .obj = CHILD });
}

static void traffic(void)
{
	struct ct_rec send = { .kind = CT_SEND, .tid = SERVER, .peer = 512, .obj = UNIX };
	uint64_t to = ct_dest_name("/run/server");

	ct_send_to(&send, CT_DEST_UNIX, (uint16_t)(to >> 32), (uint32_t)to);
	add(send);
	add((struct ct_rec){ .kind = CT_RECV, .tid = SH, .peer = 512, .obj = UNIX });
	add((struct ct_rec){ .kind = CT_READY, .state = CT_CTX_SOFTIRQ, .obj = SOCK });
	add_x((struct ct_rec){ .kind = CT_BLK_ISSUE, .tid = SH, .peer = 4096, .state = 1, .obj = DISK }, 2048,
	      FILE_);
	add_x((struct ct_rec){ .kind = CT_BLK_DONE, .tid = SH, .peer = 4096, .state = 1, .obj = DISK }, 2048,
	      0);
	add_x((struct ct_rec){ .kind = CT_FLOCK, .tid = SH, .peer = (uint32_t)-11, .state = 1, .obj = FILE_ },
	      0, INT64_MAX);
	add_x((struct ct_rec){ .kind = CT_HELD, .tid = SERVER, .state = 1, .wait = 1, .obj = FILE_ }, 0, 99);
	add((struct ct_rec){ .kind = CT_FD, .tid = SH, .peer = 3, .obj = FILE_ });
	add_x((struct ct_rec){ .kind = CT_EPMEMBER, .tid = SERVER, .peer = 5, .obj = SOCK },
	      CT_OBJ_ID(CT_OBJ_EPOLL, 0xabcdef), 1);
}

static void looks(void)
{
	const char *const frames[] = { "k:futex_wait+0x12", named("pthread_mutex_lock (libc.so.6)"),
				       is_markup ? long_name(LONG_BYTES) : named("main (\x1b[31m)") };
	_cleanup_free_ struct ct_stack_blob *stack = blob_stack(T0, frames, ARRAY_SIZE(frames));

	if (!stack)
		errx(1, "out of memory");
	check(writer_blob(writer, &stack->h), "stack");
	add_x((struct ct_rec){ .kind = CT_SAMPLE,
			       .tid = SERVER,
			       .flags = CT_PF_KERNEL,
			       .nr = nr.write,
			       .obj = 0x401000 },
	      stack->id, 7 * NSEC_PER_MSEC);
	add_x((struct ct_rec){ .kind = CT_VISIT,
			       .tid = WORKER,
			       .state = CT_ST_SLEEP,
			       .wait = CT_W_FUTEX,
			       .nr = nr.futex,
			       .obj = WORD },
	      stack->id, 300 * NSEC_PER_MSEC);
	add_x((struct ct_rec){ .kind = CT_FOUND,
			       .tid = WORKER,
			       .aux = CT_FOUND_BLOCKED,
			       .state = CT_ST_SLEEP,
			       .wait = CT_W_FUTEX,
			       .nr = nr.futex,
			       .obj = WORD,
			       .peer = 412 },
	      T0, 5ULL << 32 | 7);
	if (is_ill)
		add_x((struct ct_rec){ .kind = CT_HANG,
				       .tid = WORKER,
				       .state = CT_HANG_LOOP,
				       .wait = CT_W_FLOCK,
				       .nr = nr.write,
				       .obj = FILE_ },
		      T0, NSEC_PER_MSEC);
	add_x((struct ct_rec){ .kind = CT_GAP, .tid = 1, .peer = 12345, .state = CT_LOSS_RING_FULL },
	      now - NSEC_PER_MSEC, now);
}

static void mark(const char *name, enum ct_mark what, uint64_t id)
{
	uint64_t obj = markname_id(name);

	object((struct ct_object_blob){ 0 }, obj, named(name));
	add_x((struct ct_rec){ .kind = CT_MARK, .tid = SH, .state = what, .obj = obj }, id,
	      now + NSEC_PER_MSEC);
}

/* SH waits for `ms` + 1 milliseconds. If `obj` is 0, a timer wakes SH. Otherwise SERVER wakes SH. */
static void wait_ms(enum ct_wait wait, uint64_t obj, unsigned ms)
{
	add((struct ct_rec){ .kind = CT_SWITCH,
			     .tid = SH,
			     .state = CT_ST_SLEEP,
			     .wait = wait,
			     .nr = nr.read,
			     .obj = obj,
			     .aux = 120 | 120 << 8 });
	now += ms * NSEC_PER_MSEC;
	add((struct ct_rec){ .kind = CT_WAKE,
			     .tid = SH,
			     .peer = obj ? SERVER : 0,
			     .state = obj ? CT_CTX_TASK : CT_CTX_TIMER,
			     .nr = obj ? nr.write : CT_NR_NONE,
			     .obj = obj,
			     .aux = obj ? CT_W_WRITE : 0 });
	add((struct ct_rec){ .kind = CT_SWITCH, .tid = 0, .peer = SH, .nr = CT_NR_NONE });
}

static void transactions(void)
{
	add((struct ct_rec){ .kind = CT_SWITCH, .tid = 0, .peer = SH, .nr = CT_NR_NONE });
	for (unsigned i = 1; i <= 10; i++) {
		mark("order", CT_MARK_BEGIN, i);
		wait_ms(i % 3 ? CT_W_READ : CT_W_SLEEP, i % 3 ? PIPE : 0, i == 10 ? 90 : 5 + i % 2);
		mark("order", CT_MARK_END, i);
	}
	mark("load", CT_MARK_BEGIN, 0);
	mark("load", CT_MARK_END, 0);
	mark("seen", CT_MARK_POINT, 0);
	mark("order", CT_MARK_BEGIN, 11);
}

/* SH takes three key presses. One causes no update of the display, and one is not over. */
static void inputs(void)
{
	object((struct ct_object_blob){ .family = AF_UNIX, .type = SOCK_STREAM, .peer = DISPLAY }, UNIX, "");
	object((struct ct_object_blob){ .family = AF_UNIX, .type = SOCK_STREAM, .peer = UNIX }, DISPLAY,
	       "@/tmp/.X11-unix/X0");
	add((struct ct_rec){ .kind = CT_SWITCH, .tid = 0, .peer = SH, .nr = CT_NR_NONE });
	now += 10 * NSEC_PER_MSEC; /* so that all times have the same number of digits */
	for (unsigned i = 0; i < 3; i++) {
		add_x((struct ct_rec){ .kind = CT_INPUT, .tid = SH, .state = CT_INPUT_KEY },
		      now - NSEC_PER_MSEC, 0);
		now += 5 * NSEC_PER_MSEC;
		if (!i)
			add((struct ct_rec){
				.kind = CT_SEND, .tid = SH, .peer = 60, .nr = nr.write, .obj = UNIX });
		if (i < 2)
			wait_ms(CT_W_POLL, 0, 3);
	}
}

/* In 50 ms, SH runs for 20 ms, waits for a CPU for 10 ms, and has short waits. */
static void folded(void)
{
	const struct ct_rec found = { .kind = CT_FOUND, .tid = SH, .aux = CT_FOUND_FOLDED, .peer = 10 };
	uint64_t unit = CT_FOUND_UNIT_NS;

	add_x((struct ct_rec){ .kind = CT_SHED, .state = CT_SHED_COARSE }, now, 0);
	add_x(found, now + NSEC_PER_MSEC, 1ULL << 32 | 1);
	now += 25 * NSEC_PER_MSEC;
	add_x((struct ct_rec){ .kind = CT_SAMPLE, .tid = SH, .nr = nr.write, .obj = 0x401000 }, 0,
	      7 * NSEC_PER_MSEC);
	now += 24 * NSEC_PER_MSEC;
	add_x(found, now + NSEC_PER_MSEC,
	      (1 + 10 * NSEC_PER_MSEC / unit) << 32 | (1 + 20 * NSEC_PER_MSEC / unit));
}

/* The process CHILD and its thread CHILD + 1 run, and the thread wakes CHILD. */
static void life(const char *comm, const char *thread)
{
	add((struct ct_rec){ .kind = CT_FORK, .tid = SH, .peer = CHILD, .obj = CHILD });
	task_at(now, CHILD, CHILD, comm);
	add((struct ct_rec){ .kind = CT_SWITCH, .tid = 0, .peer = CHILD, .nr = CT_NR_NONE });
	add((struct ct_rec){ .kind = CT_FORK, .tid = CHILD, .peer = CHILD + 1, .obj = CHILD });
	task_at(now, CHILD + 1, CHILD, thread);
	add((struct ct_rec){ .kind = CT_SWITCH,
			     .tid = CHILD,
			     .state = CT_ST_SLEEP,
			     .wait = CT_W_READ,
			     .nr = nr.read,
			     .obj = PIPE });
	add((struct ct_rec){ .kind = CT_SWITCH, .tid = 0, .peer = CHILD + 1, .nr = CT_NR_NONE });
	add((struct ct_rec){ .kind = CT_WAKE,
			     .tid = CHILD,
			     .peer = CHILD + 1,
			     .state = CT_CTX_TASK,
			     .nr = nr.write,
			     .obj = PIPE,
			     .aux = CT_W_WRITE });
	add((struct ct_rec){ .kind = CT_EXIT, .tid = CHILD + 1 });
	add((struct ct_rec){ .kind = CT_SWITCH, .tid = CHILD + 1, .state = CT_ST_DEAD, .nr = CT_NR_NONE });
	add((struct ct_rec){ .kind = CT_SWITCH, .tid = 0, .peer = CHILD, .nr = CT_NR_NONE });
	add((struct ct_rec){ .kind = CT_EXIT, .tid = CHILD, .flags = CT_LF_GROUP_DEAD });
	add((struct ct_rec){ .kind = CT_SWITCH, .tid = CHILD, .state = CT_ST_DEAD, .nr = CT_NR_NONE });
}

static void reuse(void)
{
	life("first", "first-thread");
	life("second", "second-thread");
	life("third", "third-thread");
}

static void all_kinds(void)
{
	waits();
	lives();
	traffic();
	looks();
	if (is_ill) {
		mark("\x1b[31m", CT_MARK_BEGIN, 7);
		mark("\x1b[31m", CT_MARK_END, 7);
	}
}

static void label(const char *path, const char *cpus, const char *limits)
{
	const struct label labels[] = { { "command_cpus", cpus }, { "command_limits", limits } };
	_cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC);
	char why[LABEL_ERR_MAX];

	if (fd < 0)
		err(1, "%s", path);
	if (label_add(fd, labels, ARRAY_SIZE(labels), why))
		errx(1, "%s", why);
}

int main(int argc, char **argv)
{
	struct writer_options opt = { .size_bytes = 4 << 20,
				      .hooks = "sched/switch=tp_btf,sched/waking=tp_btf",
				      .host = "golden",
				      .kernel = "6.1.0-test",
				      .n_cpus = 2 };
	int boots = argc >= 3 ? atoi(argv[2]) : 0;
	bool marks = argc >= 4 && !strcmp(argv[3], "marks");
	bool keys = argc >= 4 && !strcmp(argv[3], "inputs");
	bool reused = argc >= 4 && !strcmp(argv[3], "reuse");
	bool slow = argc >= 4 && !strcmp(argv[3], "slow");
	bool runs = slow || (argc >= 4 && !strcmp(argv[3], "command"));
	char why[256];

	is_html = argc >= 4 && !strcmp(argv[3], "html");
	is_ill = is_html || (argc >= 4 && !strcmp(argv[3], "ill"));
	is_folded = argc >= 4 && !strcmp(argv[3], "folded");
	is_markup = argc >= 4 && !strcmp(argv[3], "markup");
	if (boots < 1 || (argc > 4 && argc != 6))
		errx(2,
		     "usage: mktrace FILE BOOTS [ill|html|markup|folded|reuse|marks|inputs|command|slow|aarch64|another machine] [CPUS LIMITS]");
	opt.machine = argc >= 4 && !is_ill && !is_markup && !is_folded && !reused && !marks && !keys && !runs
			      ? argv[3]
			      : "x86_64";
	opt.kernel = slow ? "6.2.0-test" : opt.kernel;
	if (!strcmp(opt.machine, "aarch64"))
		nr = arm64;
	if (runs) {
		opt.cpu = "Test CPU 9000";
		opt.governor = slow ? "powersave" : "performance";
		opt.limits = "none";
	}
	if (is_ill) {
		opt.cpu = "CPU\x1b[35m\xe2\x80\xae";
		opt.hooks = "sched/switch=tp_btf,\x1b[35m\nFORGED=\xe2\x80\xae\xff";
		opt.host = "h\nFORGED\xe2\x80\xae";
		opt.kernel = "6.1.0\x1b[35m\xc2\x9b";
	}
	for (int b = 0; b < boots; b++) {
		uint8_t id[16] = { (uint8_t)(b + 1) };

		opt.boot_id = id;
		now = T0;
		if (writer_open(argv[1], &opt, &writer, why))
			errx(1, "%s", why);
		check(writer_begin(writer, T0, NULL, 0), "begin");
		if (!runs)
			names();
		if (marks)
			transactions();
		else if (keys)
			inputs();
		else if (is_folded)
			folded();
		else if (reused)
			reuse();
		else if (!runs)
			all_kinds();
		if (runs || is_ill || is_markup)
			command(slow);
		check(writer_seal(writer, now + NSEC_PER_MSEC, NULL, 0), "seal");
		writer_free(writer);
	}
	if (argc == 6)
		label(argv[1], argv[4], argv[5]);
	return 0;
}
