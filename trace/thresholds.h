/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in trace/.
 *
 * Each comment gives the unit, the meaning, what a smaller number does ("Below"), what a larger one
 * does ("Above"), and the evidence. The limits of a reader are in format/limits.h and limits.c.
 */
#ifndef CTRACE_TRACE_THRESHOLDS_H
#define CTRACE_TRACE_THRESHOLDS_H

/* Writing */

/* ns: The trace is synced once in this time. A crash of the machine loses about the records of this
 * time. Below: more syncs of a disk that other programs use too. Above: the records of a hang
 * before a crash are missing. No evidence yet. */
#define STORE_SYNC_NS 5000000000ULL
/* Bytes: The segments that wait for the disk may have this size together. One segment alone may be
 * larger. Further segments become a gap in the trace. Below: a short stall of the disk makes a gap.
 * Above: a stuck disk takes more memory. No evidence yet: a_disk_that_stands_still (faults_test.c)
 * only checks that the limit holds. */
#define STORE_QUEUE_BYTES (16u << 20)
/* ns: After the trace file was removed or replaced, ctraced tries to create it again once in this
 * time. Below: more useless tries. Above: more of the trace is lost. No evidence yet. */
#define STORE_AGAIN_NS 10000000000ULL
/* ns: After this time without a further error, the disk counts as good. Below: more messages about
 * a disk that fails from time to time. Above: ctraced reports late that all is well. No evidence
 * yet. */
#define STORE_CALM_NS 5000000000ULL
/* Bytes: A snapshot goes to the disk in pieces of this size. Before each piece, the daemon waits
 * until the previous piece is on the disk. Below: snapshots take longer. Above: other programs wait
 * for the disk. No evidence yet. */
#define CUT_PIECE_BYTES (8u << 20)

/* ns: The age at which an open segment is sealed even if it is small. Below: more segments of at
 * least one slot each, so a quiet machine uses up the file sooner. Above: each copy costs more, and
 * a damaged slot loses more. Evidence: doc/format.md, "A quiet machine". */
#define WRITER_OPEN_NS 8000000000ULL
/* Bytes, before encoding: A larger open segment is sealed and not copied, because its copy may not
 * fit into a slot. Below: less of a slot is used. Above: a segment is encoded for a copy that does
 * not fit, and then again to be sealed. Evidence: encoding makes records 5 times smaller. On an
 * idle machine, an encoded segment has 10 KiB besides its records. */
#define WRITER_SAVE_BYTES (256u << 10)
/* Bytes: If the records of a copy of the open segment take at most this size, encoded, they are not
 * compressed. Below: the copies of an idle machine take more CPU time. Above: more bytes are written to the
 * disk, and fewer copies fit into a slot at first, so they are encoded again. Evidence: a record takes about
 * 8 bytes, so an idle machine has 3 KiB in a segment. */
#define WRITER_PLAIN_BYTES (24u << 10)
/*
 * slots: A file has slots for copies of the open segment: its number of slots divided by
 * RINGFILE_SAVES_SHARE, but at most RINGFILE_SAVES_MAX. If this number of slots for copies is less
 * than RINGFILE_SAVES_MIN, the file has none. Below (fewer slots): a copy is overwritten before the
 * next sync, or while a reader needs it. Above (more slots): less room for the trace. Evidence: the
 * daemon writes one copy a second, so it writes 5 copies from one sync to the next (STORE_SYNC_NS).
 */
#define RINGFILE_SAVES_MIN   16u
#define RINGFILE_SAVES_MAX   128u
#define RINGFILE_SAVES_SHARE 32u

/* Reading */

/*
 * Bytes: A scan of a file checks the newest copy of each segment. If this copy is damaged, the scan
 * checks the next one. For all these checks, it reads at most this number of bytes. Below: a
 * damaged copy is taken for a whole one. Above: a hostile file costs more time. Evidence: a real
 * file has copies of about 16 segments. Most of these segments fit into a slot of 64 KiB, so a scan
 * reads about 1 MiB.
 */
#define FILE_INDEX_COMPARE_BYTES (16u << 20)

/* Encoding and sorting */

/* Level of zstd. Below (negative): more bytes for each record. Above: more CPU time. No evidence
 * yet. */
#define ZSTD_LEVEL 1
/* Bytes: A smaller block is stored without compression. If this number is smaller, blocks that are
 * too small to shrink cost CPU time. If it is larger, records take more bytes. No evidence yet. */
#define ZSTD_MIN_BYTES 48
/*
 * Bytes, before compression: A larger block of names, states or ids is not kept for the next
 * segment. A block that is kept, and has not changed, is not compressed again. Below: many tasks
 * cost more compression. Above: more memory, up to twice this size for each of eight types of
 * blocks. Evidence: the states of 10 000 tasks are 480 KB.
 */
#define ENCODE_KEEP_BYTES (512u << 10)
/* Moves: If the simple sort needs more moves for each record than this, on average, qsort_r() takes
 * over. Only the time of sorting changes. No evidence yet. */
#define MOVES_PER_RECORD 16

#endif
