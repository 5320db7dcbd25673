// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/describe.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "ctrace/fields.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "trace/words/resource.h"
#include "trace/words/texts.h"

/* for ids that are kernel addresses: 40 bits tell objects apart */
#define SHORT_IDENT 0xffffffffff
#define RAW_MAX     1024
#define ADDRESS_MAX (INET6_ADDRSTRLEN + 10)

static const char *const syscalls_x86_64[] = {
#include "trace/words/syscalls_x86_64.inc"
};
static const char *const syscalls_arm64[] = {
#include "trace/words/syscalls_arm64.inc"
};

static const char *pick(const char *const *table, size_t n, unsigned i)
{
	return i < n ? table[i] : NULL;
}
#define PICK(table, i) pick((table), ARRAY_SIZE(table), (i))

const char *describe_syscall(enum machine machine, unsigned nr)
{
	if (nr == CT_NR_NONE)
		return "";
	switch (machine_known(machine)) {
	case MACHINE_X86_64:
		return PICK(syscalls_x86_64, nr);
	case MACHINE_ARM64:
		return PICK(syscalls_arm64, nr);
	case MACHINE_THIS:
	case MACHINE_OTHER:
		break;
	}
	return NULL;
}

static const char *const record_names[] = {
	[CT_SWITCH] = "switch",
	[CT_WAKE] = "wake",
	[CT_WAKE_NEW] = "wake-new",
	[CT_FUTEX] = "futex",
	[CT_WAITFD] = "wait-fd",
	[CT_FORK] = "fork",
	[CT_EXEC] = "exec",
	[CT_EXIT] = "exit",
	[CT_SIGNAL] = "signal",
	[CT_SIGDELIVER] = "signal-deliver",
	[CT_SEND] = "send",
	[CT_RECV] = "recv",
	[CT_READY] = "ready",
	[CT_BLK_ISSUE] = "block-issue",
	[CT_BLK_DONE] = "block-done",
	[CT_FLOCK] = "file-lock",
	[CT_HELD] = "held",
	[CT_FD] = "fd",
	[CT_EPMEMBER] = "epoll-member",
	[CT_SAMPLE] = "sample",
	[CT_VISIT] = "visit",
	[CT_GAP] = "gap",
	[CT_ACCESS] = "access",
	[CT_POLLED] = "polled",
	[CT_JOB] = "job",
	[CT_HANG] = "hang",
	[CT_SHED] = "shed",
	[CT_FOUND] = "found",
	[CT_MARK] = "mark",
	[CT_INPUT] = "input",
	[CT_JOB_STACK] = "job-stack",
	[CT_LOCK] = "lock",
	[CT_TASK] = "task",
	[CT_OBJECT] = "object",
	[CT_STACK] = "stack",
};

const char *describe_record(unsigned kind)
{
	return PICK(record_names, kind);
}

const char *describe_input(enum ct_input what)
{
	static const char *const names[] = {
		[CT_INPUT_OTHER] = "other",         [CT_INPUT_KEY] = "key",
		[CT_INPUT_KEY_UP] = "key-up",       [CT_INPUT_BUTTON] = "button",
		[CT_INPUT_BUTTON_UP] = "button-up", [CT_INPUT_MOTION] = "motion",
		[CT_INPUT_TOUCH] = "touch",         [CT_INPUT_TOUCH_UP] = "touch-up",
		[CT_INPUT_DRAW] = "draw",
	};

	return PICK(names, what);
}

unsigned describe_record_kind(const char *word)
{
	size_t i = texts_find(record_names, ARRAY_SIZE(record_names), word);

	return i < ARRAY_SIZE(record_names) ? (unsigned)i : 0;
}

const char *describe_wait(enum ct_wait wait)
{
	static const char *const names[] = {
		[CT_W_NONE] = "run",        [CT_W_FUTEX] = "futex",     [CT_W_READ] = "read",
		[CT_W_WRITE] = "write",     [CT_W_POLL] = "poll",       [CT_W_EPOLL] = "epoll",
		[CT_W_ACCEPT] = "accept",   [CT_W_CONNECT] = "connect", [CT_W_SLEEP] = "sleep",
		[CT_W_CHILD] = "child",     [CT_W_VFORK] = "vfork",     [CT_W_SIGNAL] = "signal",
		[CT_W_FLOCK] = "file-lock", [CT_W_SYNC] = "sync",       [CT_W_FILE] = "file",
		[CT_W_OPEN] = "open",       [CT_W_SYSVIPC] = "sysvipc", [CT_W_FAULT] = "fault",
		[CT_W_STOPPED] = "stopped", [CT_W_EXITED] = "exited",   [CT_W_KTHREAD] = "kthread",
		[CT_W_URING] = "io_uring",  [CT_W_OTHER] = "other",     [CT_W_YIELD] = "yield",
		[CT_W_MEMORY] = "memory",
	};
	const char *s = PICK(names, (unsigned)wait);

	return s ? s : "unknown";
}

const char *describe_context(unsigned ctx)
{
	static const char *const names[] = {
		[CT_CTX_TASK] = "task",   [CT_CTX_SOFTIRQ] = "softirq", [CT_CTX_HARDIRQ] = "hardirq",
		[CT_CTX_TIMER] = "timer", [CT_CTX_IPI] = "ipi",         [CT_CTX_IRQ] = "irq",
	};
	const char *s = PICK(names, ctx);

	return s ? s : "unknown";
}

const char *describe_hang(unsigned rule)
{
	static const char *const names[] = {
		[CT_HANG_LOOP] = "loop",   [CT_HANG_BUSY] = "busy",           [CT_HANG_STARVED] = "starved",
		[CT_HANG_DISK] = "disk",   [CT_HANG_DEADLOCK] = "deadlock",   [CT_HANG_SERVICE] = "service",
		[CT_HANG_CRASH] = "crash", [CT_HANG_EXCEPTION] = "exception",
	};
	const char *s = PICK(names, rule);

	return s ? s : "unknown";
}

const char *describe_shed(unsigned step)
{
	static const char *const names[] = {
		[CT_SHED_NONE] = "none",         [CT_SHED_SAMPLES] = "samples", [CT_SHED_STACKS] = "stacks",
		[CT_SHED_MESSAGES] = "messages", [CT_SHED_WAKES] = "wakes",     [CT_SHED_WAITS] = "waits",
		[CT_SHED_PAUSE] = "pause",       [CT_SHED_HOOKS] = "hooks",     [CT_SHED_COARSE] = "coarse",
		[CT_SHED_PAUSES] = "pauses",
	};
	const char *s = PICK(names, step);

	return s ? s : "unknown";
}

const char *describe_found(unsigned what)
{
	static const char *const names[] = {
		[CT_FOUND_FOLDED] = "folded",
		[CT_FOUND_QUEUED] = "queued",
		[CT_FOUND_BLOCKED] = "blocked",
		[CT_FOUND_WAITED] = "waited",
	};
	const char *s = PICK(names, what);

	return s ? s : "unknown";
}

const char *describe_loss(unsigned cause)
{
	static const char *const names[] = {
		[CT_LOSS_RING_FULL] = "ring-full", [CT_LOSS_STORAGE] = "storage",
		[CT_LOSS_OBJECTS] = "objects",     [CT_LOSS_DAEMON] = "daemon",
		[CT_LOSS_DISK] = "disk",           [CT_LOSS_SLOT] = "slot",
		[CT_LOSS_DOWN] = "down",           [CT_LOSS_SHED] = "shed",
	};
	const char *s = PICK(names, cause);

	return s ? s : "unknown";
}

const char *describe_state(unsigned state)
{
	if (state & CT_ST_DEAD)
		return "dead";
	if (state & CT_ST_TRACED)
		return "traced";
	if (state & CT_ST_STOPPED)
		return "stopped";
	if (state & CT_ST_DISK)
		return "disk";
	if (state & CT_ST_SLEEP)
		return "sleep";
	if (state & CT_ST_PARKED)
		return "parked";
	return state == CT_ST_RUNNING ? "running" : "unknown";
}

const char *describe_signal(unsigned sig)
{
	return sig && sig < _NSIG ? sigabbrev_np((int)sig) : NULL;
}

size_t describe_clean(const char *s, char *buf, size_t size)
{
	return clean_text(s, buf, size);
}

__attribute__((format(printf, 3, 4))) static size_t put(char *buf, size_t size, const char *fmt, ...)
{
	char raw[RAW_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	return clean_text(raw, buf, size);
}

static void address(const struct window_object *o, const uint8_t *addr, uint16_t port, char buf[ADDRESS_MAX])
{
	static const uint8_t none[16];
	char ip[INET6_ADDRSTRLEN] = "";
	bool six = o->family == AF_INET6;

	if (!port && !memcmp(addr, none, sizeof(none))) {
		snprintf(buf, ADDRESS_MAX, "*");
		return;
	}
	inet_ntop(six ? AF_INET6 : AF_INET, addr, ip, sizeof(ip));
	if (port)
		snprintf(buf, ADDRESS_MAX, six ? "[%s]:%u" : "%s:%u", ip, port);
	else
		snprintf(buf, ADDRESS_MAX, six ? "[%s]:*" : "%s:*", ip);
}

static size_t describe_inet(const struct window_object *o, char *buf, size_t size)
{
	enum resource_kind kind = resource_of_socket(o);
	const char *word = kind != RESOURCE_UNKNOWN ? resource_kind_word(kind)
			   : o->type == SOCK_RAW    ? "raw"
						    : "ip";
	char l[ADDRESS_MAX], r[ADDRESS_MAX];

	address(o, o->laddr, o->lport, l);
	if (o->state == TCP_LISTEN)
		return put(buf, size, "%s %s (listening)", word, l);
	address(o, o->raddr, o->rport, r);
	return put(buf, size, "%s %s->%s", word, l, r);
}

static size_t describe_unix(const struct window *w, const struct window_object *o, char *buf, size_t size)
{
	const struct window_object *peer = o->peer ? window_object(w, o->peer) : NULL;

	if (o->name[0])
		return put(buf, size, "unix %s", o->name);
	if (peer && peer->name[0])
		return put(buf, size, "unix ->%s", peer->name);
	if (o->peer)
		return put(buf, size, "unix socket:[%" PRIu64 "]->socket:[%" PRIu64 "]", o->ino,
			   (uint64_t)(o->peer & CT_OBJ_MASK));
	return put(buf, size, "unix socket:[%" PRIu64 "]", o->ino);
}

static size_t describe_sock(const struct window *w, const struct window_object *o, uint64_t ident, char *buf,
			    size_t size)
{
	if (o && o->family == AF_UNIX)
		return describe_unix(w, o, buf, size);
	if (o && (o->family == AF_INET || o->family == AF_INET6))
		return describe_inet(o, buf, size);
	if (o && o->family == AF_NETLINK)
		return put(buf, size, "netlink socket:[%" PRIu64 "]", ident);
	if (ident & CT_OBJ_NOT_ACCEPTED)
		return put(buf, size, "socket not accepted yet");
	return put(buf, size, "socket:[%" PRIu64 "]", ident);
}

static size_t describe_task(const struct window *w, uint32_t tid, char *buf, size_t size)
{
	const struct window_task *t = window_task_at(w, tid, w->to_ns);

	return t ? put(buf, size, "pid %u (%s)", tid, t->comm) : put(buf, size, "pid %u", tid);
}

/* The id of a futex has only the low 12 bits of the process's pid. So the pid comes from o->tid, which
 * is a task that used the futex. */
static size_t describe_futex(const struct window *w, const struct window_object *o, uint64_t ident, char *buf,
			     size_t size)
{
	const struct window_task *t = o ? window_task_at(w, o->tid, o->ts_ns) : NULL;
	uint64_t uaddr = ct_obj_uaddr(ident);

	if (o && o->name[0])
		return put(buf, size, "futex %s", o->name);
	return t ? put(buf, size, "futex 0x%" PRIx64 " of pid %u", uaddr, t->tgid)
		 : put(buf, size, "futex 0x%" PRIx64, uaddr);
}

static size_t describe_user(const struct window_object *o, const char *word, uint64_t ident, char *buf,
			    size_t size)
{
	uint64_t uaddr = ct_obj_uaddr(ident);

	return o && o->name[0] ? put(buf, size, "%s", o->name) : put(buf, size, "%s 0x%" PRIx64, word, uaddr);
}

static size_t describe_blockdev(const struct window_object *o, uint64_t ident, char *buf, size_t size)
{
	if (o && o->name[0])
		return put(buf, size, o->name[0] == '/' ? "%s" : "disk %s", o->name);
	return put(buf, size, "disk %u:%u", ct_dev_major(ident), ct_dev_minor(ident));
}

size_t describe_object(const struct window *w, uint64_t id, char *buf, size_t size)
{
	const struct window_object *o = id ? window_object(w, id) : NULL;
	uint64_t ident = id & CT_OBJ_MASK;
	const char *word = "object";

	switch (CT_OBJ_KIND(id)) {
	case CT_OBJ_NONE:
		return put(buf, size, "%s", "");
	case CT_OBJ_FUTEX:
		return describe_futex(w, o, ident, buf, size);
	case CT_OBJ_SOCK:
		return describe_sock(w, o, ident, buf, size);
	case CT_OBJ_PIPE:
		return put(buf, size, "pipe:[%" PRIu64 "]", ident);
	case CT_OBJ_TASK:
		return describe_task(w, (uint32_t)ident, buf, size);
	case CT_OBJ_BLOCKDEV:
		return describe_blockdev(o, ident, buf, size);
	case CT_OBJ_FILE:
		word = "file";
		break;
	case CT_OBJ_DIR:
		word = "directory";
		break;
	case CT_OBJ_CHARDEV:
		word = "device";
		break;
	case CT_OBJ_TTY:
		word = "terminal";
		break;
	case CT_OBJ_FIFO:
		word = "fifo";
		break;
	case CT_OBJ_CGROUP:
		word = "cgroup";
		break;
	case CT_OBJ_MARK:
		word = "mark";
		break;
	case CT_OBJ_EVENTFD:
		return put(buf, size, "eventfd %" PRIx64, ident & SHORT_IDENT);
	case CT_OBJ_EPOLL:
		return put(buf, size, "epoll %" PRIx64, ident & SHORT_IDENT);
	case CT_OBJ_TIMERFD:
		return put(buf, size, "timerfd %" PRIx64, ident & SHORT_IDENT);
	case CT_OBJ_SIGNALFD:
		return put(buf, size, "signalfd %" PRIx64, ident & SHORT_IDENT);
	case CT_OBJ_INOTIFY:
		return put(buf, size, "inotify %" PRIx64, ident & SHORT_IDENT);
	case CT_OBJ_PIDFD:
		return put(buf, size, "pidfd %" PRIx64, ident & SHORT_IDENT);
	case CT_OBJ_URING:
		return put(buf, size, "io_uring %" PRIx64, ident & SHORT_IDENT);
	case CT_OBJ_FUSEDEV:
		return put(buf, size, "/dev/fuse %" PRIx64, ident & SHORT_IDENT);
	case CT_OBJ_DATA:
		return describe_user(o, "variable", ident, buf, size);
	case CT_OBJ_QUEUE:
		return describe_user(o, "queue", ident, buf, size);
	case CT_OBJ_ANON:
		return o && o->name[0] ? put(buf, size, "%s", o->name)
				       : put(buf, size, "anonymous inode %" PRIx64, ident & SHORT_IDENT);
	}
	if (o && o->name[0])
		return put(buf, size, "%s", o->name);
	return o && o->ino ? put(buf, size, "%s inode %" PRIu64, word, o->ino)
			   : put(buf, size, "%s %" PRIx64, word, ident);
}
