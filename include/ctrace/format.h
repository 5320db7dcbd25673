/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h - every byte of a trace file; doc/format.md explains the fields. A file is a row of
 * slots. Slot 0 has the file header, the other slots have file segments. A segment is a header and
 * a row of blocks. It fills n_slots neighbouring slots. A reader refuses a greater major version. If
 * only the minor version is greater, the reader skips what is new: longer headers, block types,
 * record kinds.
 */
#ifndef CTRACE_FORMAT_H
#define CTRACE_FORMAT_H

#include <stdint.h>

#include "ctrace/abi.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the format is copied to and from memory");

#define FORMAT_MAJOR 1
#define FORMAT_MINOR 12

#define FORMAT_FILE_MAGIC                                                                                    \
	"\x89"                                                                                               \
	"CTR\r\n\x1a\n"
#define FORMAT_SEGMENT_MAGIC "CTRSEG\x1a\n"
#define FORMAT_MAGIC_BYTES   8

#define FORMAT_SLOT_BYTES     65536u /* the size that the writer uses */
#define FORMAT_SLOT_BYTES_MIN 4096u  /* a reader accepts powers of two from MIN to MAX */
#define FORMAT_SLOT_BYTES_MAX (16u << 20)
#define FORMAT_META_MAX       32768u
#define FORMAT_COPY_AT        36864u /* offset of the copy of the file header and meta data */
/* Limits against hostile files, applied in trace/format/limits.c. */
#define FORMAT_SLOTS_MAX   (1u << 31)
#define FORMAT_CPUS_MAX    8192u
#define FORMAT_RECORDS_MAX (1u << 20)   /* records of a segment */
#define FORMAT_RAW_MAX     (128u << 20) /* sum of the raw sizes of the blocks of a segment */
#define FORMAT_BODY_MAX    (256u << 20) /* bytes of the body of a segment */
/*
 * Boot times are below this (146 years), and so are their differences from other clocks. So the sum
 * of a time and a difference fits into a signed number.
 */
#define FORMAT_TIME_MAX (1ULL << 62)

struct format_file {
	uint8_t magic[FORMAT_MAGIC_BYTES];
	uint16_t major;
	uint16_t minor;
	uint32_t header_bytes;
	uint32_t slot_bytes;
	uint32_t n_slots;
	uint64_t file_id; /* random; every segment repeats it */
	uint64_t created_real_ns;
	uint32_t n_cpus;
	uint32_t meta_bytes;
	uint8_t reserved[12];
	uint32_t crc; /* CRC32C of header and meta data, with this field 0 */
};
_Static_assert(sizeof(struct format_file) == 64, "format_file");

#define FORMAT_SEGMENT_RESTART   0x1u /* just before begin_ns the daemon did not capture */
#define FORMAT_SEGMENT_UNWRITTEN 0x2u /* records from gap_from_ns to begin_ns are missing */
/*
 * Since version 1.3: a copy of a segment that was still open. All copies of one segment have the seq
 * of this segment. Of these copies, the one with the greatest end_ns has all records of the others.
 */
#define FORMAT_SEGMENT_SAVED 0x4u

/* Bits that describe a kind of record: how many words x[] it has (abi.h), and how its fields are
 * predicted (predict.h, doc/format.md). */
#define FORMAT_KIND_WORDS    0x03
#define FORMAT_KIND_SWITCH   0x20
#define FORMAT_KIND_WAKE     0x40
#define FORMAT_KIND_PEER_TID 0x80

#define FORMAT_KINDS  64
#define FORMAT_CAUSES 8

struct format_segment {
	uint8_t magic[FORMAT_MAGIC_BYTES];
	uint16_t major;
	uint16_t minor;
	uint32_t header_bytes;
	uint64_t file_id;
	uint64_t seq;
	uint8_t boot_id[16];
	uint32_t n_slots;
	uint32_t flags;
	/* time of the checkpoint; without a gap, also end_ns of the segment before */
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t min_ns;
	uint64_t max_ns;
	int64_t boot_to_mono_ns;
	int64_t boot_to_real_ns;
	uint32_t body_bytes;
	uint32_t body_crc;
	uint32_t n_records;
	uint32_t n_cpus;
	uint32_t n_tasks;
	uint32_t n_objects;
	uint32_t n_stacks;
	uint32_t n_states;
	/* [enum ct_loss]: lost records, as the CT_GAP records of the segment say. CT_LOSS_DISK also
	 * counts gap_records. */
	uint64_t lost[FORMAT_CAUSES];
	uint8_t kind_info[FORMAT_KINDS]; /* FORMAT_KIND_* of every kind that the writer knew */
	uint32_t kinds[FORMAT_KINDS];
	uint64_t gap_from_ns;
	uint64_t gap_records;
	uint8_t reserved[36];
	uint32_t crc; /* CRC32C of the header, with this field 0 */
};
_Static_assert(sizeof(struct format_segment) == 576, "format_segment");

/* Precedes every block. Zeroes pad a block to a multiple of 8 bytes. */
struct format_block {
	uint16_t type;
	uint8_t codec;
	/* above 1: the block has items of `width` bytes, stored as planes (doc/format.md) */
	uint8_t width;
	uint32_t raw_bytes;
	uint32_t stored_bytes;
	uint32_t reserved;
};
_Static_assert(sizeof(struct format_block) == 16, "format_block");

enum format_codec { FORMAT_CODEC_RAW = 0, FORMAT_CODEC_ZSTD = 1 };

/* No type occurs twice in a segment. Empty blocks are left out. */
enum format_block_type {
	FORMAT_META = 1,
	FORMAT_CPUS = 2,
	FORMAT_TIDS = 3,
	FORMAT_OBJS = 4,

	FORMAT_COL_KIND = 8,
	FORMAT_COL_MASK = 9,
	FORMAT_COL_TLEN = 10,
	FORMAT_COL_T0 = 11,
	FORMAT_COL_T7 = 18,
	FORMAT_COL_TID = 19,
	FORMAT_COL_PEER = 20,
	FORMAT_COL_COUNT = 21,
	FORMAT_COL_STATE = 22,
	FORMAT_COL_WAIT = 23,
	FORMAT_COL_FLAGS = 24,
	FORMAT_COL_NR = 25,
	FORMAT_COL_AUX = 26,
	FORMAT_COL_OBJ = 27,
	FORMAT_COL_X0 = 28,
	FORMAT_COL_X1 = 29,

	FORMAT_TASKS = 32,
	FORMAT_OBJECTS = 33,
	FORMAT_STACKS = 34,
	FORMAT_STATES = 35,
	FORMAT_BLOCK_TYPES = 36,
};

enum format_mask {
	FORMAT_MASK_TID = 0x01,
	FORMAT_MASK_PEER = 0x02,
	FORMAT_MASK_STATE = 0x04,
	FORMAT_MASK_WAIT = 0x08,
	FORMAT_MASK_FLAGS = 0x10,
	FORMAT_MASK_NR = 0x20,
	FORMAT_MASK_AUX = 0x40,
	FORMAT_MASK_OBJ = 0x80,
};

/* The records of a CPU are in the order in which they were captured. */
struct format_cpu {
	uint16_t cpu;
	uint16_t reserved;
	uint32_t n_records;
	uint64_t min_ns;
	uint64_t max_ns;
};
_Static_assert(sizeof(struct format_cpu) == 24, "format_cpu");

#define FORMAT_CPU_NONE 0xffffu
enum format_run { FORMAT_RUN_BLOCKED = 0, FORMAT_RUN_RUNNABLE = 1, FORMAT_RUN_RUNNING = 2 };
/* Since version 1.2: the state is not known since last.ts, because of a cap (CT_GV_CAP). */
#define FORMAT_STATE_CAPPED 0x1u
/* Since version 1.4: the task is folded since last.ts (CT_FOUND_FOLDED). run is
 * FORMAT_RUN_RUNNABLE. */
#define FORMAT_STATE_FOLDED 0x2u

struct format_state {
	struct ct_rec last; /* like a CT_SWITCH; ts: the begin of this state */
	uint32_t owner;     /* as CT_FUTEX.peer */
	uint8_t run;
	uint8_t flags;
	uint8_t reserved[2];
	uint16_t cpu; /* the present or last CPU, or FORMAT_CPU_NONE */
	uint16_t reserved2;
	uint32_t reserved3;
};
_Static_assert(sizeof(struct format_state) == 48, "format_state");

#endif
