/* SPDX-License-Identifier: GPL-2.0-or-later */
/* percpu_ring.h - maps and empties the rings of the CPUs, and the side ring (struct cpu_side in
 * ctrace/cpu.h). Not thread-safe, except percpu_ring_cpu(). */
#ifndef CTRACE_DAEMON_KERNEL_PERCPU_RING_H
#define CTRACE_DAEMON_KERNEL_PERCPU_RING_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/cpu.h"

struct percpu_ring;

/* Maps n entries of cpus_fd (the map ct_cpus), each with a ring of `bytes` bytes, and the side
 * ring. The caller keeps both descriptors. Returns 0 or -errno. */
int percpu_ring_new(int cpus_fd, unsigned n, uint64_t bytes, int side_fd, uint64_t side_bytes,
		    struct percpu_ring **ret);
void percpu_ring_free(struct percpu_ring *r);
/* Returns the state of a CPU, which the BPF programs also write. Any thread may call it. */
struct cpu *percpu_ring_cpu(const struct percpu_ring *r, unsigned cpu);
/*
 * Calls fn with the records in the rings, in each ring up to an incomplete record. Each call gets
 * one blob, or records of fixed size back to back. Returns the number of records, blobs included.
 * - data: 8-byte aligned, valid during the call of fn
 * - size: 0 for a blob that is larger than the room for its kind (cpu_room())
 */
typedef void (*percpu_ring_record_fn)(void *arg, uint16_t cpu, const void *data, size_t size);
long percpu_ring_consume(struct percpu_ring *r, percpu_ring_record_fn fn, void *arg);
uint64_t percpu_ring_high_water(const struct percpu_ring *r);

#endif
