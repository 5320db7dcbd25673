/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in trace/: what reaches the disk, and when.
 *
 * Each entry says: the unit; what the number means; what goes wrong below and above it; the evidence. What a
 * reader refuses is in format/limits.h and limits.c. Sizes of tables stand with the tables.
 */
#ifndef CTRACE_TRACE_THRESHOLDS_H
#define CTRACE_TRACE_THRESHOLDS_H

/*
 * Writing
 */

/* ns. So much of the trace a power cut can take: all that is older has reached the disk. Below: more syncs of
 * a disk that others use. Above: a crash of the machine takes the hang before it. No evidence yet. */
#define STORE_SYNC_NS 5000000000ULL
/* Bytes of sealed segments that wait for the disk; beyond that they are lost, and told. Below: a short stall
 * of the disk is a gap. Above: a stuck disk takes memory. Evidence: a_disk_that_stands_still (faults_test.c),
 * on both sides, that it is so. */
#define STORE_QUEUE_BYTES (16u << 20)
/* ns between two tries to begin a file that has gone anew. No evidence yet. */
#define STORE_AGAIN_NS 10000000000ULL
/* ns. A trouble of the disk is over when there was none for so long. Below: a disk that fails now and then
 * makes a message each time. Above: it is told late that all is well. No evidence yet. */
#define STORE_CALM_NS 5000000000ULL
/* Bytes of a snapshot that are written before the disk is waited for. Below: snapshots take longer. Above:
 * other programs wait for the disk. No evidence yet. */
#define CUT_PIECE_BYTES (8u << 20)

/*
 * Encoding
 */

/* Level of zstd. Below (negative): more bytes for each record. Above: more CPU time. No evidence yet. */
#define ZSTD_LEVEL 1
/* Bytes. A smaller column does not pay for the header of a zstd frame. No evidence yet. */
#define ZSTD_MIN_BYTES 48
/* Moves for each record, on average, until the simple sort gives up: then the records are not nearly in
 * order. It changes only the time. No evidence yet. */
#define MOVES_PER_RECORD 16

#endif
