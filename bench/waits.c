/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits MILLISECONDS
 *
 * Prints "ready". Then prints a line "TID FROM TO" (ns of CLOCK_BOOTTIME) for each long wait of a user
 * task. A long wait takes at least MILLISECONDS. At SIGTERM or SIGINT, ends with "refused N": N waits had no
 * room in the ring buffer.
 *
 * bench/busy compares these waits with a trace, to count the waits that ctrace misses. So that this program
 * does not miss the same waits as ctrace, the two share no code.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "bench/waits.h"
#include "waits.skel.h"

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = 1;
}

static int print(void *ctx, void *data, size_t size)
{
	const struct long_wait *w = data;

	printf("%u %llu %llu\n", w->tid, w->from_ns, w->to_ns);
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
