/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/kernel/percpu_ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctrace/abi.h"
#include "lib/cleanup.h"

/* bytes: the ring is read in pieces of this size. A piece is cleared while it is still in the cache
 * of the CPU. */
#define PERCPU_RING_PIECE 8192ULL
/* The memory of a record comes from the cache of the CPU that has written it, which takes long. The CPU that
 * reads cannot fetch it early by itself, because each record says where the next one begins. */
#define PERCPU_RING_AHEAD 2048 /* bytes */

struct percpu_ring {
	uint8_t *entries;
	size_t entries_bytes;
	uint64_t bytes;
	unsigned n;
	uint64_t high_water;

	uint64_t *side_consumer;
	/* A page with the kernel's write position. After it, the data of the side ring is mapped
	 * twice, back to back. So a record that begins at the end of the data and goes on at its
	 * beginning can be read in one piece. */
	uint8_t *side_producer;
	uint64_t side_bytes;
	size_t page;
};

void percpu_ring_free(struct percpu_ring *r)
{
	if (!r)
		return;
	if (r->entries)
		munmap(r->entries, r->entries_bytes);
	if (r->side_consumer)
		munmap(r->side_consumer, r->page);
	if (r->side_producer)
		munmap(r->side_producer, r->page + 2 * r->side_bytes);
	free(r);
}

static void *percpu_ring_map(int fd, size_t bytes, int prot, size_t at)
{
	void *p = mmap(NULL, bytes, prot, MAP_SHARED, fd, (off_t)at);

	return p == MAP_FAILED ? NULL : p;
}

int percpu_ring_new(int cpus_fd, unsigned n, uint64_t bytes, int side_fd, uint64_t side_bytes,
		    struct percpu_ring **ret)
{
	struct percpu_ring *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->page = (size_t)sysconf(_SC_PAGESIZE);
	r->n = n;
	r->bytes = bytes;
	r->side_bytes = side_bytes;
	r->entries_bytes = (n * CPU_ENTRY_BYTES(bytes) + r->page - 1) / r->page * r->page;
	r->entries = percpu_ring_map(cpus_fd, r->entries_bytes, PROT_READ | PROT_WRITE, 0);
	if (r->entries)
		r->side_consumer = percpu_ring_map(side_fd, r->page, PROT_READ | PROT_WRITE, 0);
	if (r->side_consumer)
		r->side_producer = percpu_ring_map(side_fd, r->page + 2 * side_bytes, PROT_READ, r->page);
	if (!r->side_producer) {
		int err = -errno;

		percpu_ring_free(r);
		return err;
	}
	for (unsigned i = 0; i < n; i++)
		percpu_ring_cpu(r, i)->id = i;
	*ret = r;
	return 0;
}

struct cpu *percpu_ring_cpu(const struct percpu_ring *r, unsigned cpu)
{
	return (struct cpu *)(r->entries + cpu * CPU_ENTRY_BYTES(r->bytes));
}

uint64_t percpu_ring_high_water(const struct percpu_ring *r)
{
	return r->high_water;
}

struct piece {
	uint8_t *lap; /* the next record is at the address lap + at */
	/* at: position of the next record. run: position of the first record that fn has not got yet. */
	uint64_t at, run;
	long n;
	percpu_ring_record_fn fn;
	void *arg;
	/* The records that end here may grow: the last one, and one that an interrupt overtakes while it
	 * grows. */
	uint64_t head, grows;
	uint16_t cpu;
};

static void piece_flush(struct piece *p)
{
	if (p->at != p->run)
		p->fn(p->arg, p->cpu, p->lap + p->run, p->at - p->run);
	p->run = p->at;
}

static void piece_blob(struct piece *p, const struct ct_blob *b, uint32_t room)
{
	piece_flush(p);
	if (b->size) {
		p->fn(p->arg, p->cpu, b, b->size <= room ? b->size : 0);
		p->n++;
	}
	p->run = p->at + room;
}

/* For a receive that may grow (struct cpu_recv). Takes its bytes, so that the program begins a new record.
 * Returns false if the program adds bytes at this moment. */
static bool piece_grown(struct piece *p)
{
	struct ct_rec *in = (void *)(p->lap + p->at), rec;
	uint32_t bytes = __atomic_load_n(&in->peer, __ATOMIC_ACQUIRE);

	if (bytes & CPU_RECV_BUSY ||
	    !__atomic_compare_exchange_n(&in->peer, &bytes, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return false;
	piece_flush(p);
	rec = *in;
	rec.peer = bytes;
	p->fn(p->arg, p->cpu, &rec, sizeof(rec));
	p->run = p->at + sizeof(rec);
	return true;
}

static void piece_read(struct piece *p, uint64_t end)
{
	while (p->at < end) {
		const struct ct_blob *b = (const void *)(p->lap + p->at);
		uint32_t room;

		__builtin_prefetch(p->lap + p->at + PERCPU_RING_AHEAD, 1);
		/* the BPF program writes ts last, so ts is read first */
		if (!__atomic_load_n(&b->ts, __ATOMIC_ACQUIRE))
			break;
		room = cpu_room(b->kind);
		if (CT_KIND_IS_BLOB(b->kind)) {
			piece_blob(p, b, room);
		} else {
			if (b->kind == CT_RECV && (p->at + room == p->head || p->at + room == p->grows) &&
			    !piece_grown(p))
				break;
			p->n++;
		}
		p->at += room;
	}
	piece_flush(p);
}

static long ring_consume(struct percpu_ring *r, unsigned cpu, percpu_ring_record_fn fn, void *arg)
{
	struct cpu *c = percpu_ring_cpu(r, cpu);
	uint64_t head = __atomic_load_n(&c->head, __ATOMIC_ACQUIRE), at = c->tail;
	struct piece p = { .fn = fn, .arg = arg, .head = head, .cpu = (uint16_t)cpu };

	p.grows = __atomic_load_n(&c->recv.end, __ATOMIC_ACQUIRE); /* after head */
	if (head - at > r->high_water)
		r->high_water = head - at;
	while (at != head) {
		uint64_t off = at & (r->bytes - 1), size = MIN(head - at, PERCPU_RING_PIECE);
		uint8_t *from = (uint8_t *)c + CPU_RING_AT + off;

		p.lap = from - at;
		p.at = p.run = at;
		piece_read(&p, at + MIN(size, r->bytes - off));
		if (p.at == at)
			break;
		memset(from, 0, p.at - at);
		at = p.at;
		__atomic_store_n(&c->tail, at, __ATOMIC_RELEASE);
	}
	return p.n;
}

/* A record (kernel/bpf/ringbuf.c): 8 bytes of header, which begin with the length and two flags,
 * then data, padded to a multiple of 8. */
static long side_consume(struct percpu_ring *r, percpu_ring_record_fn fn, void *arg)
{
	uint64_t at = *r->side_consumer;
	uint64_t end = __atomic_load_n((uint64_t *)r->side_producer, __ATOMIC_ACQUIRE);
	const uint8_t *data = r->side_producer + r->page;
	long n = 0;

	while (at < end) {
		const uint8_t *rec = data + (at & (r->side_bytes - 1));
		const struct cpu_side *side = (const void *)(rec + BPF_RINGBUF_HDR_SZ);
		uint32_t head = __atomic_load_n((const uint32_t *)rec, __ATOMIC_ACQUIRE);
		uint32_t size = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (head & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(head & BPF_RINGBUF_DISCARD_BIT) && size > sizeof(*side)) {
			fn(arg, (uint16_t)side->cpu, side + 1, size - sizeof(*side));
			n++;
		}
		at += (size + BPF_RINGBUF_HDR_SZ + 7) & ~7ULL;
		__atomic_store_n(r->side_consumer, at, __ATOMIC_RELEASE);
	}
	return n;
}

long percpu_ring_consume(struct percpu_ring *r, percpu_ring_record_fn fn, void *arg)
{
	long n = 0;

	for (unsigned i = 0; i < r->n; i++)
		n += ring_consume(r, i, fn, arg);
	return n + side_consume(r, fn, arg);
}
