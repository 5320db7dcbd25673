/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "work.h"
#include <linux/io_uring.h>
#include <sys/syscall.h>

static int p[2];

static void writer(void)
{
	role("writer");
	close(p[0]);
	compute_ms(2600);
	tell(p[1]);
}

int main(void)
{
	struct io_uring_params params = {};
	struct stamp s;

	expect("long-wait", "busy|slow-peer", "pipe|unknown|queue", "writer", "victim,writer");
	int ring = syscall(SYS_io_uring_setup, 4, &params);
	if (ring < 0)
		skip("no io_uring here");
	char *sq = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	struct io_uring_sqe *e = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	if (sq == MAP_FAILED || e == MAP_FAILED)
		skip("the rings of io_uring cannot be mapped");
	CHECK(pipe(p));
	process(writer);
	close(p[1]);
	*e = (struct io_uring_sqe){
		.opcode = IORING_OP_READ, .fd = p[0], .addr = (uintptr_t)&s, .len = sizeof(s)
	};
	((unsigned *)(sq + params.sq_off.array))[0] = 0;
	__atomic_store_n((unsigned *)(sq + params.sq_off.tail), 1, __ATOMIC_RELEASE);
	victim();
	nap_ms(50);
	hang_begins();
	long before = sleeps();
	CHECK(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0));
	caused("pipe", s, before);
	hang_ends();
	return finish();
}
