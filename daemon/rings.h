/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rings.h - the BPF ring buffers, one for each CPU, mapped and emptied.  Not
 * libbpf's consumer, which goes on for as long as somebody keeps writing and does
 * not tell how full a ring was.  For one thread at a time.
 */
#ifndef CTRACE_DAEMON_RINGS_H
#define CTRACE_DAEMON_RINGS_H

#include <stddef.h>
#include <stdint.h>

struct rings;

/* Makes a ring of bytes (a power of two, at least a page) for each of the n CPUs and enters it into the array
 * of maps outer_fd.  0 or -errno. */
int rings_new(int outer_fd, unsigned n, uint64_t bytes, struct rings **ret);
void rings_free(struct rings *r);
/* An epoll descriptor: readable when the kernel asks for a visit. */
int rings_fd(const struct rings *r);
/* Hands over what is in the rings at the time of the call.  Returns how many records. */
typedef void (*rings_record_fn)(void *arg, uint16_t cpu, const void *data, size_t size);
long rings_consume(struct rings *r, rings_record_fn fn, void *arg);
/* The largest fill of a ring that rings_consume() found, in bytes. */
uint64_t rings_high_water(const struct rings *r);

#endif
