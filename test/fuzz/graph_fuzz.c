// SPDX-License-Identifier: GPL-2.0-or-later
/* Every 12 bytes of the input make a record. The ids come from small sets, so many records share a
 * task or object. */
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "test/fuzz/analyse.h"
#include "test/unit/trace/window_fill.h"

#define BYTES  12u
#define TIDS   12u
#define CPUS   3u
#define STACKS 4u

static const uint64_t objects[] = {
	0,
	CT_OBJ_ID(CT_OBJ_FUTEX, 0x1000),
	CT_OBJ_ID(CT_OBJ_FUTEX, 0x1004),
	CT_OBJ_ID(CT_OBJ_PIPE, 7),
	CT_OBJ_ID(CT_OBJ_SOCK, 11),
	CT_OBJ_ID(CT_OBJ_SOCK, 12),
	CT_OBJ_ID(CT_OBJ_SOCK, 13),
	CT_OBJ_ID(CT_OBJ_SOCK, 14),
	CT_OBJ_ID(CT_OBJ_FILE, 21),
	CT_OBJ_ID(CT_OBJ_BLOCKDEV, 3),
	CT_OBJ_ID(CT_OBJ_EVENTFD, 31),
	CT_OBJ_ID(CT_OBJ_EPOLL, 41),
	CT_OBJ_ID(CT_OBJ_TASK, 3),
	CT_OBJ_ID(CT_OBJ_DATA, 51),
	CT_OBJ_ID(CT_OBJ_QUEUE, 61),
	CT_OBJ_ID(CT_OBJ_MARK, 62),
	CT_OBJ_ID(CT_OBJ_PIDFD, 71),
	0x7fffffff,
};

static uint64_t object_of(uint8_t b)
{
	return objects[b % ARRAY_SIZE(objects)];
}

static uint8_t kind_of(uint8_t b)
{
	if (b < 64)
		return CT_SWITCH;
	if (b < 112)
		return CT_WAKE;
	if (b < 128)
		return CT_FOUND;
	if (b < 132)
		return CT_SHED;
	return (uint8_t)(1 + b % CT_KIND_LAST);
}

static void make_coarse(const uint8_t *b, struct window_record *e)
{
	if (e->r.kind == CT_FOUND) {
		e->r.aux = b[8] % (CT_FOUND_WAITED + 2);
		e->r.tid = b[5] % (TIDS + 2);
		e->x[0] = b[10] & 1 ? e->r.ts - MIN((uint64_t)b[10] << 12, e->r.ts) : (uint64_t)b[10] << 20;
		e->x[1] = (uint64_t)b[9] << 8 | (uint64_t)b[7] << 38;
	} else if (e->r.kind == CT_SHED && b[4] & 0x80) {
		e->r.flags = 0;
		e->r.state = b[2] & 1 ? CT_SHED_COARSE : b[2] % (CT_SHED_STEPS + 1);
		e->r.wait = b[3] & 1 ? CT_SHED_COARSE : b[3] % (CT_SHED_STEPS + 1);
	}
}

/* on[]: the task that runs on each CPU. A CT_FOUND, or a record with b[1] >= 0x80, need not agree
 * with on[]. */
static struct window_record event_of(const uint8_t *b, uint64_t ts, uint32_t on[CPUS])
{
	static const uint8_t states[] = { CT_ST_SLEEP,   CT_ST_SLEEP, CT_ST_SLEEP,   CT_ST_DISK,
					  CT_ST_RUNNING, CT_ST_DEAD,  CT_ST_STOPPED, CT_ST_SLEEP };
	struct window_record e = { .cpu = b[1] % CPUS };
	uint32_t *here = &on[e.cpu];

	e.r = (struct ct_rec){ .ts = ts,
			       .kind = kind_of(b[0]),
			       .state = b[2] % 24,
			       .wait = b[3] % (CT_W_YIELD + 2),
			       .flags = b[4],
			       .tid = b[5] % (TIDS + 2),
			       .peer = b[6] % (TIDS + 2),
			       .nr = b[7] % 32 ? b[7] : CT_NR_NONE,
			       .aux = (uint16_t)(b[8] % 32),
			       .obj = object_of(b[9]) };
	e.x[0] = b[10] & 1 ? b[10] % (STACKS + 1) : object_of(b[10]);
	e.x[1] = b[10];
	make_coarse(b, &e);
	if (b[1] & 0x80 || e.r.kind == CT_FOUND)
		return e;
	if (e.r.kind == CT_SWITCH) {
		e.r.state = states[b[2] % ARRAY_SIZE(states)];
		e.r.flags &= CT_SF_TIMEOUT | CT_SF_IOWAIT;
		e.r.tid = *here;
		*here = e.r.peer;
	} else if (e.r.kind == CT_WAKE) {
		e.r.state = b[2] < 192 ? CT_CTX_TASK : b[2] % 6;
		e.r.flags = b[4] < 192 ? 0 : b[4];
		e.r.peer = *here;
	} else {
		e.r.tid = *here;
	}
	return e;
}

static void fill_objects(struct window *w, struct window_object *o)
{
	for (size_t i = 1; i < ARRAY_SIZE(objects); i++) {
		bool sock = CT_OBJ_KIND(objects[i]) == CT_OBJ_SOCK;
		uint64_t ino = objects[i] & CT_OBJ_MASK;

		o[w->n_objects++] =
			(struct window_object){ .id = objects[i],
						.ino = ino,
						.family = sock ? (ino < 13 ? 1 : 2) : 0,
						.type = sock ? 1 : 0,
						.peer = sock && ino < 13 ? objects[ino == 11 ? 5 : 4] : 0,
						.lport = sock ? (uint16_t)ino : 0,
						.rport = sock ? (uint16_t)(ino ^ 3) : 0,
						.name = "" };
	}
	for (size_t i = 1; i < w->n_objects; i++)
		for (size_t k = i; k && o[k - 1].id > o[k].id; k--) {
			struct window_object x = o[k];

			o[k] = o[k - 1];
			o[k - 1] = x;
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *frames[] = { "k:futex_wait+0x1", "pthread_rwlock_wrlock+0x2 (a)", "main+0x3 (a)" };
	struct window_stack stacks[STACKS];
	struct window_task tasks[TIDS];
	struct window_object o[ARRAY_SIZE(objects)];
	struct window w = { .n_cpus = CPUS,
			    .tasks = tasks,
			    .n_tasks = TIDS,
			    .objects = o,
			    .stacks = stacks,
			    .n_stacks = STACKS };
	uint32_t on[CPUS] = { 1, 2, 3 };
	_cleanup_free_ struct window_record *records = NULL;
	uint64_t ts = 1000;

	n = MIN(n / BYTES, (size_t)400);
	records = calloc(n + 1, sizeof(*records));
	if (!records)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *b = data + i * BYTES;

		/* at most 4.3 s, or at most 65 us, after the previous record */
		ts += b[11] & 1 ? (uint64_t)b[11] << 24 : (uint64_t)b[11] << 8;
		records[i] = event_of(b, ts, on);
	}
	window_fill(&w, records, n);
	w.to_ns = w.file_to_ns = ts + 1000;
	for (uint32_t i = 0; i < TIDS; i++)
		tasks[i] = (struct window_task){
			.tid = i + 1, .tgid = 1 + i / 2 * 2, .ppid = i < 4 ? 0 : 1, .comm = "t"
		};
	for (uint32_t i = 0; i < STACKS; i++)
		stacks[i] =
			(struct window_stack){ .id = i + 1, .n_frames = (uint16_t)(i % 4), .frames = frames };
	fill_objects(&w, o);
	analyse_window(&w);
	window_empty(&w);
	return 0;
}
