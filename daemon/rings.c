/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "daemon/rings.h"

struct ring {
	int fd;
	uint64_t *consumer; /* how far we have read; our page */
	uint8_t *producer;  /* how far the kernel has written; its page, then the data twice over */
	uint16_t cpu;
};

struct rings {
	struct ring *v;
	unsigned n;
	uint64_t bytes, high_water;
	size_t page;
	int epoll_fd;
};

static void ring_done(struct rings *r, struct ring *g)
{
	if (g->consumer)
		munmap(g->consumer, r->page);
	if (g->producer)
		munmap(g->producer, r->page + 2 * r->bytes);
	if (g->fd >= 0)
		close(g->fd);
}

void rings_free(struct rings *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < r->n; i++)
		ring_done(r, &r->v[i]);
	if (r->epoll_fd >= 0)
		close(r->epoll_fd);
	free(r->v);
	free(r);
}

static int ring_init(struct rings *r, struct ring *g, int outer_fd)
{
	struct epoll_event ev = { .events = EPOLLIN };
	uint32_t key = g->cpu;
	void *p;

	g->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ct_ring", 0, 0, r->bytes, NULL);
	if (g->fd < 0)
		return g->fd;
	p = mmap(NULL, r->page, PROT_READ | PROT_WRITE, MAP_SHARED, g->fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	g->consumer = p;
	p = mmap(NULL, r->page + 2 * r->bytes, PROT_READ, MAP_SHARED, g->fd, r->page);
	if (p == MAP_FAILED)
		return -errno;
	g->producer = p;
	if (epoll_ctl(r->epoll_fd, EPOLL_CTL_ADD, g->fd, &ev))
		return -errno;
	return bpf_map_update_elem(outer_fd, &key, &g->fd, 0);
}

int rings_new(int outer_fd, unsigned n, uint64_t bytes, struct rings **ret)
{
	struct rings *r = calloc(1, sizeof(*r));
	int err = 0;

	if (!r)
		return -ENOMEM;
	r->bytes = bytes;
	r->page = sysconf(_SC_PAGESIZE);
	r->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	r->v = calloc(n, sizeof(*r->v));
	if (r->epoll_fd < 0 || !r->v)
		err = -ENOMEM;
	while (!err && r->n < n) {
		struct ring *g = &r->v[r->n];

		g->cpu = r->n++;
		err = ring_init(r, g, outer_fd);
	}
	if (err) {
		rings_free(r);
		return err;
	}
	*ret = r;
	return 0;
}

int rings_fd(const struct rings *r)
{
	return r->epoll_fd;
}

uint64_t rings_high_water(const struct rings *r)
{
	return r->high_water;
}

/* The layout is that of kernel/bpf/ringbuf.c: a header of 8 bytes, whose first word is the length with two
 * flags, then the data, padded to 8. */
static long ring_consume(struct rings *r, struct ring *g, rings_record_fn fn, void *arg)
{
	uint64_t at = *g->consumer, end = __atomic_load_n((uint64_t *)g->producer, __ATOMIC_ACQUIRE);
	const uint8_t *data = g->producer + r->page;
	long n = 0;

	if (end - at > r->high_water)
		r->high_water = end - at;
	while (at < end) {
		const uint8_t *rec = data + (at & (r->bytes - 1));
		uint32_t head = __atomic_load_n((const uint32_t *)rec, __ATOMIC_ACQUIRE);
		uint32_t size = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (head & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(head & BPF_RINGBUF_DISCARD_BIT)) {
			fn(arg, g->cpu, rec + BPF_RINGBUF_HDR_SZ, size);
			n++;
		}
		at += (size + BPF_RINGBUF_HDR_SZ + 7) & ~7ULL;
		__atomic_store_n(g->consumer, at, __ATOMIC_RELEASE);
	}
	return n;
}

long rings_consume(struct rings *r, rings_record_fn fn, void *arg)
{
	long n = 0;

	for (unsigned i = 0; i < r->n; i++)
		n += ring_consume(r, &r->v[i], fn, arg);
	return n;
}
