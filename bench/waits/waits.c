/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits MILLISECONDS
 *
 * Prints "ready". Then prints a line "TID FROM TO WAKER CONTEXT WAIT OBJECT" for each long wait of a user
 * task. A long wait takes at least MILLISECONDS.
 * - FROM, TO: ns of CLOCK_BOOTTIME
 * - WAKER: the task on the CPU on which the wake-up happened; 0: no task
 * - CONTEXT: "task", or "interrupt" if an interrupt made the wake-up
 * - WAIT: the reason, in the words of `ctrace dump`; "?": not known
 * - OBJECT: "futex:" and the address; "socket:" or "pipe:" and the inode number; "?": another object, or none
 * At SIGTERM or SIGINT, ends with "refused N": N waits had no room in the ring buffer.
 *
 * bench/busy compares these waits with a trace, to count the waits that ctrace misses or records wrongly. So
 * that this program does not make the same errors as ctrace, the two share no code.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <linux/magic.h>
#include <bpf/libbpf.h>
#include "bench/waits/waits.h"
#include "waits.skel.h"

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = 1;
}

enum call_object { OBJECT_NOT_KNOWN, OBJECT_FUTEX, OBJECT_FILE };

static const struct call {
	int nr;
	const char *wait;
	enum call_object object; /* what the first argument names */
} calls[] = {
	{ SYS_futex, "futex", OBJECT_FUTEX },
	{ SYS_read, "read", OBJECT_FILE },
	{ SYS_readv, "read", OBJECT_FILE },
	{ SYS_recvfrom, "read", OBJECT_FILE },
	{ SYS_recvmsg, "read", OBJECT_FILE },
	{ SYS_write, "write", OBJECT_FILE },
	{ SYS_writev, "write", OBJECT_FILE },
	{ SYS_sendto, "write", OBJECT_FILE },
	{ SYS_sendmsg, "write", OBJECT_FILE },
	{ SYS_accept, "accept", OBJECT_FILE },
	{ SYS_accept4, "accept", OBJECT_FILE },
	{ SYS_connect, "connect", OBJECT_FILE },
	{ SYS_ppoll, "poll", OBJECT_NOT_KNOWN },
	{ SYS_epoll_pwait, "epoll", OBJECT_NOT_KNOWN },
#ifdef SYS_poll
	{ SYS_poll, "poll", OBJECT_NOT_KNOWN },
	{ SYS_epoll_wait, "epoll", OBJECT_NOT_KNOWN },
	{ SYS_pause, "signal", OBJECT_NOT_KNOWN },
#endif
	{ SYS_nanosleep, "sleep", OBJECT_NOT_KNOWN },
	{ SYS_clock_nanosleep, "sleep", OBJECT_NOT_KNOWN },
	{ SYS_wait4, "child", OBJECT_NOT_KNOWN },
	{ SYS_waitid, "child", OBJECT_NOT_KNOWN },
	{ SYS_rt_sigsuspend, "signal", OBJECT_NOT_KNOWN },
	{ SYS_rt_sigtimedwait, "signal", OBJECT_NOT_KNOWN },
	{ SYS_flock, "file-lock", OBJECT_NOT_KNOWN },
	{ SYS_semop, "sysvipc", OBJECT_NOT_KNOWN },
	{ SYS_semtimedop, "sysvipc", OBJECT_NOT_KNOWN },
	{ SYS_io_uring_enter, "io_uring", OBJECT_NOT_KNOWN },
};

static const struct call *call_of(const struct long_wait *w)
{
	static const struct call unknown = { -1, "?", OBJECT_NOT_KNOWN };
	static const struct call sleep = { -1, "sleep", OBJECT_NOT_KNOWN };

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].nr == w->call) /* a poll of no descriptor only sleeps */
			return strcmp(calls[i].wait, "poll") || w->args[1] ? &calls[i] : &sleep;
	return &unknown;
}

static void print_object(const struct long_wait *w, enum call_object object)
{
	if (object == OBJECT_FUTEX)
		printf("futex:%llu\n", w->args[0]);
	else if (object == OBJECT_FILE && (w->fs == SOCKFS_MAGIC || w->fs == PIPEFS_MAGIC))
		printf("%s:%llu\n", w->fs == SOCKFS_MAGIC ? "socket" : "pipe", w->inode);
	else
		puts("?");
}

static int print(void *ctx, void *data, size_t size)
{
	const struct long_wait *w = data;
	const struct call *call = call_of(w);

	printf("%u %llu %llu %u %s %s ", w->tid, w->from_ns, w->to_ns, w->waker,
	       w->interrupt ? "interrupt" : "task", call->wait);
	print_object(w, call->object);
	return 0;
}

static int follow(struct waits_bpf *b)
{
	struct ring_buffer *ring = ring_buffer__new(bpf_map__fd(b->maps.waits), print, NULL, NULL);
	int r = ring ? waits_bpf__attach(b) : -errno;

	if (!r)
		puts("ready");
	fflush(stdout);
	while (!r && !stopped) {
		int n = ring_buffer__poll(ring, 100);

		r = n < 0 && n != -EINTR ? n : 0;
	}
	if (!r) {
		ring_buffer__consume(ring);
		printf("refused %llu\n", (unsigned long long)b->bss->refused);
	}
	ring_buffer__free(ring);
	return r;
}

int main(int argc, char **argv)
{
	long least_ms = argc > 1 ? atol(argv[1]) : 0;
	struct sigaction act = { .sa_handler = stop };
	struct waits_bpf *b;
	int r;

	if (least_ms <= 0) {
		fprintf(stderr, "usage: waits MILLISECONDS\n");
		return 2;
	}
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	b = waits_bpf__open();
	if (!b)
		r = -errno;
	else {
		b->rodata->least_ns = least_ms * 1000000ULL;
		r = waits_bpf__load(b);
		if (!r)
			r = follow(b);
		waits_bpf__destroy(b);
	}
	if (r)
		fprintf(stderr, "waits: %s\n", strerror(-r));
	return !!r;
}
