/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h - every byte of a trace file.
 *
 * A file is a row of slots of slot_bytes each. Slot 0 holds the file header. The other slots hold
 * file segments. Most of these slots form a ring; a few may hold copies of the segment that is
 * still open (FORMAT_SEGMENT_SAVED). A segment begins at the start of a slot and takes n_slots
 * slots in a row; it never wraps around the end of the file. To read a segment, a reader needs no
 * other segment. A segment is a header, then a body. The body is a row of blocks. doc/format.md
 * says what the blocks hold.
 *
 * All numbers are little-endian. A reader refuses a greater major version. A reader skips the
 * additions of a greater minor version: longer headers, new block types, new record kinds.
 *
 * This header has no functions and no state. trace/format/ reads and checks the bytes.
 */
#ifndef CTRACE_FORMAT_H
#define CTRACE_FORMAT_H

#include <stdint.h>

#include "ctrace/abi.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the format is copied to and from memory");

#define FORMAT_MAJOR 1
#define FORMAT_MINOR 7

#define FORMAT_FILE_MAGIC                                                                                    \
	"\x89"                                                                                               \
	"CTR\r\n\x1a\n"
#define FORMAT_SEGMENT_MAGIC "CTRSEG\x1a\n"
#define FORMAT_MAGIC_BYTES   8

#define FORMAT_SLOT_BYTES     65536u /* the size that the writer uses */
#define FORMAT_SLOT_BYTES_MIN 4096u  /* a reader accepts powers of two from MIN to MAX */
#define FORMAT_SLOT_BYTES_MAX (16u << 20)
#define FORMAT_META_MAX       32768u
#define FORMAT_COPY_AT        36864u /* offset of the copy of the file header and its meta data */
/*
 * trace/format/limits.c applies these limits, so that a few bytes cannot make a reader overflow or
 * allocate much memory.
 */
#define FORMAT_SLOTS_MAX   (1u << 31)
#define FORMAT_CPUS_MAX    8192u
#define FORMAT_RECORDS_MAX (1u << 20)   /* records of a segment */
#define FORMAT_RAW_MAX     (128u << 20) /* sum of the raw sizes of the blocks of a segment */
#define FORMAT_BODY_MAX    (256u << 20) /* bytes of the body of a segment */
/*
 * Every boot time is below this limit (146 years), and so is the distance from boot time to any
 * other clock. So the sum of a boot time and such a distance fits into a signed number.
 */
#define FORMAT_TIME_MAX (1ULL << 62)

/* The file header, at the start of the file. meta_bytes bytes of meta data follow. */
struct format_file {
	uint8_t magic[FORMAT_MAGIC_BYTES];
	uint16_t major;
	uint16_t minor;
	uint32_t header_bytes; /* size of this structure; the meta data follow it */
	uint32_t slot_bytes;
	uint32_t n_slots; /* without slot 0 */
	uint64_t file_id; /* random; every segment of the file repeats it */
	uint64_t created_real_ns;
	uint32_t n_cpus;
	uint32_t meta_bytes;
	uint8_t reserved[12]; /* 0 */
	uint32_t crc;         /* CRC32C of header_bytes + meta_bytes bytes, this field taken as 0 */
};
_Static_assert(sizeof(struct format_file) == 64, "format_file");

#define FORMAT_SEGMENT_RESTART   0x1u /* just before begin_ns the daemon did not capture */
#define FORMAT_SEGMENT_UNWRITTEN 0x2u /* the records from gap_from_ns to begin_ns could not be written */
/*
 * Since version 1.3: a copy of a segment that was still open. The file may have several copies of
 * one segment, with the same seq. The copy with the greatest end_ns has all records of the other
 * copies.
 */
#define FORMAT_SEGMENT_SAVED 0x4u

/*
 * How the fields of a kind are predicted (predict.h, doc/format.md), and how many extra words the
 * kind has.
 */
#define FORMAT_KIND_WORDS    0x03 /* number of extra words: 0, 1 or 2 */
#define FORMAT_KIND_SWITCH   0x20 /* after the record, peer is the task on the record's CPU */
#define FORMAT_KIND_WAKE     0x40 /* predicted tid: the last wakee of the task on this CPU */
#define FORMAT_KIND_PEER_TID 0x80 /* peer is a task id, not a number */

#define FORMAT_KINDS  64
#define FORMAT_CAUSES 8

struct format_segment {
	uint8_t magic[FORMAT_MAGIC_BYTES];
	uint16_t major;
	uint16_t minor;
	uint32_t header_bytes; /* size of this structure; the body follows it */
	uint64_t file_id;
	uint64_t seq; /* 1, 2, 3, ... in a file */
	uint8_t boot_id[16];
	uint32_t n_slots;
	uint32_t flags;    /* FORMAT_SEGMENT_* */
	uint64_t begin_ns; /* boot time of the checkpoint. Without RESTART and UNWRITTEN: the end of
			      the previous segment */
	uint64_t end_ns;
	uint64_t min_ns; /* smallest time of its records; begin_ns if it has no records */
	uint64_t max_ns;
	int64_t boot_to_mono_ns; /* at end_ns */
	int64_t boot_to_real_ns;
	uint32_t body_bytes;
	uint32_t body_crc; /* CRC32C of the body */
	uint32_t n_records;
	uint32_t n_cpus; /* number of CPUs of the machine */
	uint32_t n_tasks;
	uint32_t n_objects;
	uint32_t n_stacks;
	uint32_t n_states;
	/* number of lost records, by cause: the sum over the CT_GAP records of the segment. For
	 * CT_LOSS_DISK, gap_records is added */
	uint64_t lost[FORMAT_CAUSES];
	uint8_t kind_info[FORMAT_KINDS]; /* FORMAT_KIND_* of every kind that the writer knew */
	uint32_t kinds[FORMAT_KINDS];    /* number of records, by kind */
	uint64_t gap_from_ns;            /* FORMAT_SEGMENT_UNWRITTEN: start of the unwritten time;
					    else 0 */
	uint64_t gap_records;            /* how many records were not written (0: not known);
					    `lost` counts them too */
	uint8_t reserved[36];            /* 0 */
	uint32_t crc;                    /* CRC32C of header_bytes bytes, this field taken as 0 */
};
_Static_assert(sizeof(struct format_segment) == 576, "format_segment");

/* Precedes every block. Zeroes after the block pad it to a multiple of 8 bytes. */
struct format_block {
	uint16_t type;
	uint8_t codec; /* FORMAT_CODEC_* */
	/* above 1: the block consists of items of `width` bytes, and is stored as byte planes: the
	 * first bytes of all items, then their second bytes, and so on */
	uint8_t width;
	uint32_t raw_bytes;
	uint32_t stored_bytes;
	uint32_t reserved; /* 0 */
};
_Static_assert(sizeof(struct format_block) == 16, "format_block");

enum format_codec { FORMAT_CODEC_RAW = 0, FORMAT_CODEC_ZSTD = 1 };

/* The writer leaves out empty blocks. No type occurs twice in a segment. */
enum format_block_type {
	FORMAT_META = 1, /* pairs of 0-terminated strings: name, value */
	FORMAT_CPUS = 2, /* struct format_cpu, sorted by cpu; columns have this order of CPUs */
	FORMAT_TIDS = 3, /* uint32_t: task ids; the columns TID and PEER hold indices into it */
	FORMAT_OBJS = 4, /* uint64_t: object ids; the column OBJ holds indices into it */

	/* columns of the records */
	FORMAT_COL_KIND = 8,  /* 1 byte a record */
	FORMAT_COL_MASK = 9,  /* 1 byte a record: FORMAT_MASK_* of the fields that the prediction missed */
	FORMAT_COL_TLEN = 10, /* 1 byte a record: the size of its time difference in bytes, 0..8 */
	FORMAT_COL_T0 = 11,   /* T0 to T7: column Tn has byte n of each time difference of more than
				 n bytes */
	FORMAT_COL_T7 = 18,
	FORMAT_COL_TID = 19,   /* varint: index into TIDS */
	FORMAT_COL_PEER = 20,  /* varint: index into TIDS, in kinds of records where peer is a task */
	FORMAT_COL_COUNT = 21, /* varint: peer, in kinds of records where it is a number */
	FORMAT_COL_STATE = 22, /* 1 byte */
	FORMAT_COL_WAIT = 23,  /* 1 byte */
	FORMAT_COL_FLAGS = 24, /* 1 byte */
	FORMAT_COL_NR = 25,    /* 2 bytes */
	FORMAT_COL_AUX = 26,   /* 2 bytes */
	FORMAT_COL_OBJ = 27,   /* varint: index into OBJS */
	FORMAT_COL_X0 = 28,    /* varint, zigzag: difference of x0 to its predicted value */
	FORMAT_COL_X1 = 29,    /* the same for x1 */

	FORMAT_TASKS = 32,   /* struct ct_task_blob and struct ct_cmdline_blob */
	FORMAT_OBJECTS = 33, /* struct ct_object_blob */
	FORMAT_STACKS = 34,  /* struct ct_stack_blob */
	FORMAT_STATES = 35,  /* struct format_state, sorted by tid: the checkpoint at begin_ns */
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

/* The records of one CPU, in the order in which they were captured. */
struct format_cpu {
	uint16_t cpu;
	uint16_t reserved; /* 0 */
	uint32_t n_records;
	uint64_t min_ns;
	uint64_t max_ns;
};
_Static_assert(sizeof(struct format_cpu) == 24, "format_cpu");

#define FORMAT_CPU_NONE 0xffffu
enum format_run { FORMAT_RUN_BLOCKED = 0, FORMAT_RUN_RUNNABLE = 1, FORMAT_RUN_RUNNING = 2 };
/*
 * Since version 1.2: the state of the task is not known, because its records are left out since
 * last.ts (CT_SHED with CT_GV_CAP).
 */
#define FORMAT_STATE_CAPPED 0x1u
/* Since version 1.4: the task ran or waited briefly since last.ts; its switches are left out
 * (CT_FOUND_FOLDED). run is FORMAT_RUN_RUNNABLE. */
#define FORMAT_STATE_FOLDED 0x2u

/* The state of a task at the checkpoint. */
struct format_state {
	struct ct_rec last; /* like a CT_SWITCH: tid, state, wait, flags, nr, obj; ts: the begin of
			       this state */
	uint32_t owner;     /* owner of the futex, as CT_FUTEX.peer */
	uint8_t run;        /* FORMAT_RUN_* */
	uint8_t flags;      /* FORMAT_STATE_* */
	uint8_t reserved[2];
	uint16_t cpu; /* the CPU on which the task runs, or on which it ran last; FORMAT_CPU_NONE:
			 not known */
	uint16_t reserved2;
	uint32_t reserved3;
};
_Static_assert(sizeof(struct format_state) == 48, "format_state");

#endif
