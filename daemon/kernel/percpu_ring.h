/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * percpu_ring.h - the rings of the CPUs and the side ring, mapped and emptied.  For one
 * thread at a time, except percpu_ring_cpu().
 */
#ifndef CTRACE_DAEMON_KERNEL_PERCPU_RING_H
#define CTRACE_DAEMON_KERNEL_PERCPU_RING_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/cpu.h"

struct percpu_ring;

/* Maps the n entries of cpus_fd (ct_cpus), of rings of bytes each, and the side ring side_fd of side_bytes.
 * Both stay the caller's.  0 or -errno. */
int percpu_ring_new(int cpus_fd, unsigned n, uint64_t bytes, int side_fd, uint64_t side_bytes,
		    struct percpu_ring **ret);
void percpu_ring_free(struct percpu_ring *r);
/* The state of a CPU, shared with the kernel. */
struct cpu *percpu_ring_cpu(const struct percpu_ring *r, unsigned cpu);
/* Hands over what is in the rings at the time of the call: a blob, or fixed records that lie back to back;
 * 8-byte aligned.  Returns how many records. What does not fit into its place is handed over with a size of
 * 0. */
typedef void (*percpu_ring_record_fn)(void *arg, uint16_t cpu, const void *data, size_t size);
long percpu_ring_consume(struct percpu_ring *r, percpu_ring_record_fn fn, void *arg);
/* The largest fill of a CPU's ring that percpu_ring_consume() found, in bytes. */
uint64_t percpu_ring_high_water(const struct percpu_ring *r);

#endif
