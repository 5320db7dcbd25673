/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * percpu_ring.h - maps and empties the rings of the CPUs, and the side ring (struct cpu_side in
 * ctrace/cpu.h). Only one thread at a time may call the functions. Exception: any thread may call
 * percpu_ring_cpu().
 */
#ifndef CTRACE_DAEMON_KERNEL_PERCPU_RING_H
#define CTRACE_DAEMON_KERNEL_PERCPU_RING_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/cpu.h"

struct percpu_ring;

/* Maps the n entries of the map cpus_fd (ct_cpus), each with a ring of `bytes` bytes, and the side
 * ring side_fd of side_bytes bytes. The caller keeps both descriptors. Returns 0 or -errno. */
int percpu_ring_new(int cpus_fd, unsigned n, uint64_t bytes, int side_fd, uint64_t side_bytes,
		    struct percpu_ring **ret);
/* Accepts NULL. */
void percpu_ring_free(struct percpu_ring *r);
/* Returns the state of one CPU, which the BPF programs also write. Any thread may call this
 * function. */
struct cpu *percpu_ring_cpu(const struct percpu_ring *r, unsigned cpu);
/* percpu_ring_consume() calls fn with the records and blobs that are in the rings at the time of
 * the call. In each ring it stops at a record that is not complete. Each call of fn gets one blob,
 * or fixed records back to back. data is 8-byte aligned, and valid during the call of fn. size is 0
 * if a blob is larger than its place in the ring. Returns the number of records and blobs. */
typedef void (*percpu_ring_record_fn)(void *arg, uint16_t cpu, const void *data, size_t size);
long percpu_ring_consume(struct percpu_ring *r, percpu_ring_record_fn fn, void *arg);
/* Returns the largest number of bytes that percpu_ring_consume() has found so far in the ring of
 * any one CPU. */
uint64_t percpu_ring_high_water(const struct percpu_ring *r);

#endif
