/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in trace/: in writing, reading, sorting and
 * encoding.
 *
 * Each comment gives the unit, the meaning of the number, the effect of a smaller number ("Below"),
 * the effect of a larger number ("Above"), and the evidence. The limits beyond which a reader
 * refuses a file are in format/limits.h and limits.c. The size of a table is in the file of the
 * table.
 */
#ifndef CTRACE_TRACE_THRESHOLDS_H
#define CTRACE_TRACE_THRESHOLDS_H

/*
 * Writing
 */

/* ns: The trace is synced to the disk once in this time. After a power cut or a crash of the
 * machine, about this much of the trace is missing. Below: more syncs of a disk that other programs
 * use too. Above: the records of a hang just before a crash are missing. No evidence yet. */
#define STORE_SYNC_NS 5000000000ULL
/* Bytes: Sealed segments that wait for the disk have at most this size in sum. Further segments are
 * lost, and become a gap in the trace. Below: a short stall of the disk makes a gap. Above: a stuck
 * disk takes more memory. No evidence yet: a_disk_that_stands_still (faults_test.c) only checks
 * that the limit holds. */
#define STORE_QUEUE_BYTES (16u << 20)
/* ns: If the trace file was removed or replaced, this is the time between two tries to create it
 * again. Below: more useless tries. Above: more of the trace is lost. No evidence yet. */
#define STORE_AGAIN_NS 10000000000ULL
/* ns: An error of the disk counts as over when no further error has come for this time. Below: a
 * disk that fails from time to time causes many messages. Above: ctraced reports late that all is
 * well. No evidence yet. */
#define STORE_CALM_NS 5000000000ULL
/* Bytes: A snapshot is written in parts of this size. After each part, the daemon waits until the
 * previous part is on the disk. Below: snapshots take longer. Above: other programs wait for the
 * disk. No evidence yet. */
#define CUT_PIECE_BYTES (8u << 20)

/* ns: An open segment that stays small is saved again and again, and sealed at this age. Below:
 * more segments, each of which takes at least one slot, so that a quiet machine uses up the file
 * sooner. Above: each save writes and compresses more, and a damaged slot loses more. Evidence:
 * doc/format.md, "A quiet machine". */
#define WRITER_OPEN_NS 8000000000ULL
/* Bytes, before encoding: A larger open segment is sealed and not saved, because its copy would not
 * fit into a slot. Below: less of a slot is used. Above: a segment is encoded, found too large for
 * a slot, and encoded again. Evidence: encoding makes records 5 times smaller, and on an idle
 * machine the parts of an encoded segment that are no records have 10 KiB in sum. */
#define WRITER_SAVE_BYTES (256u << 10)
/* slots: Some slots of the file are for copies of the open segment: one in RINGFILE_SAVES_SHARE
 * slots, but at most RINGFILE_SAVES_MAX. If there would be fewer than RINGFILE_SAVES_MIN, the file
 * has no slots for copies. Below: a copy that has been synced is overwritten before the next sync,
 * or while a reader still needs it. Above: less room for the trace. Evidence: one copy a second is
 * written, and one sync in STORE_SYNC_NS. */
#define RINGFILE_SAVES_MIN   16u
#define RINGFILE_SAVES_MAX   128u
#define RINGFILE_SAVES_SHARE 32u

/*
 * Reading
 */

/* Bytes: One scan of a file reads at most this much of the bodies of segments, to choose among the
 * copies of a segment. Below: a damaged copy is taken for a whole one. Above: a hostile file costs
 * more time. Evidence: a real file has copies of about 16 segments. For each of these segments, the
 * scan reads one body, mostly of one slot. It reads the body of a further copy only if the first
 * body is damaged. */
#define FILE_INDEX_COMPARE_BYTES (16u << 20)

/*
 * Encoding and sorting
 */

/* Level of zstd: how hard it compresses. Below (negative): more bytes for each record. Above: more
 * CPU time. No evidence yet. */
#define ZSTD_LEVEL 1
/* Bytes: A block smaller than this is stored without compression. Below: the header of the zstd
 * frame takes more bytes than compression saves. Above: more bytes for each record. No evidence
 * yet. */
#define ZSTD_MIN_BYTES 48
/* Bytes, before compression: A block that is no column (names, states, lists of ids) is kept if it
 * has at most this size. If the next segment, or the next copy of the open one, has the same block,
 * the block is not compressed again. Below: a machine with many tasks compresses the same block
 * every second. Above: more memory, up to twice this size for each of eight types of blocks.
 * Evidence: the states of 10 000 tasks are 480 KB. */
#define ENCODE_KEEP_BYTES (512u << 10)
/* Moves: If the simple sort needs more than this many moves for each record, on average, qsort_r()
 * takes over, because the records are far from sorted. The number changes only the time that
 * sorting takes. No evidence yet. */
#define MOVES_PER_RECORD 16

#endif
