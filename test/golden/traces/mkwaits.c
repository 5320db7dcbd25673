// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkwaits FILE VICTIMS ROUNDS [HELPERS] - writes a trace whose hangs take long to diagnose. VICTIMS
 * tasks wait at a pipe until a server writes to it. Each victim waits 10 ms longer than the next one.
 * Before the write, the server asks one of HELPERS helpers (default: 1) ROUNDS times, once every
 * 200 us, and waits for each answer. It asks the helpers in turn. A round has 6 records.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "trace/write/writer.h"

#define T0       (1000 * NSEC_PER_SEC)
#define ROUND_NS 200000ULL
#define PIPE(i)  CT_OBJ_ID(CT_OBJ_PIPE, 77 + (i))

enum { SERVER = 200, HELPER = 201, VICTIM = 1000, HELPERS_MAX = 500 };
enum {
	RESULT, /* the pipe from the server to the victims */
	REQUEST /* the pipe to the first helper. Then come its answer, and the pipes of the next helper */
};

static struct writer *writer;

static void check(int r, const char *what)
{
	if (r)
		errx(1, "%s: %s", what, strerror(-r));
}

static void task(uint32_t tid, const char *comm)
{
	struct ct_task_blob b = { .h = { .ts = T0, .kind = CT_TASK, .size = sizeof(b), .tid = tid },
				  .tgid = tid,
				  .ppid = 1,
				  .start_ns = tid };

	strncpy(b.comm, comm, sizeof(b.comm) - 1);
	check(writer_blob(writer, &b.h), "task");
}

static void add(struct ct_rec r, unsigned cpu)
{
	check(writer_add(writer, cpu, &r, NULL), "record");
}

/* Exact times would compress so well that a reader would refuse the file (limits.h). */
static uint64_t jitter(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 51;
}

static void wait_for(uint64_t ts, unsigned cpu, uint32_t prev, uint32_t next, unsigned pipe)
{
	add((struct ct_rec){ .ts = ts,
			     .kind = CT_SWITCH,
			     .tid = prev,
			     .peer = next,
			     .state = CT_ST_SLEEP,
			     .wait = prev ? CT_W_READ : CT_W_NONE,
			     .nr = prev ? 0 : CT_NR_NONE,
			     .obj = prev ? PIPE(pipe) : 0,
			     .aux = 120 | 120 << 8 },
	    cpu);
}

static void wake(uint64_t ts, unsigned cpu, uint32_t tid, uint32_t waker, unsigned pipe)
{
	add((struct ct_rec){ .ts = ts,
			     .kind = CT_WAKE,
			     .tid = tid,
			     .peer = waker,
			     .nr = 1,
			     .obj = PIPE(pipe),
			     .aux = CT_W_WRITE },
	    cpu);
}

static uint64_t rounds(uint64_t ts, unsigned n, unsigned helpers)
{
	for (unsigned i = 0; i < helpers; i++, ts += 2000) {
		wait_for(ts, 1, 0, HELPER + i, 0);
		wait_for(ts + 1000, 1, HELPER + i, 0, REQUEST + 2 * i);
	}
	wait_for(ts, 0, 0, SERVER, 0);
	for (unsigned i = 0; i < n; i++, ts += ROUND_NS) {
		uint32_t helper = HELPER + i % helpers, request = REQUEST + 2 * (i % helpers),
			 answer = request + 1;

		wake(ts + 10000 + jitter(), 0, helper, SERVER, request);
		wait_for(ts + 20000 + jitter(), 1, 0, helper, 0);
		wait_for(ts + 30000 + jitter(), 0, SERVER, 0, answer);
		wake(ts + 150000 + jitter(), 1, SERVER, helper, answer);
		wait_for(ts + 160000 + jitter(), 0, 0, SERVER, 0);
		wait_for(ts + 170000 + jitter(), 1, helper, 0, request);
		if (i % 10000 == 9999)
			check(writer_seal(writer, ts + 180000, NULL, 0), "seal");
	}
	return ts;
}

int main(int argc, char **argv)
{
	unsigned n = argc >= 4 ? (unsigned)atoi(argv[3]) : 0,
		 helpers = argc == 5 ? (unsigned)atoi(argv[4]) : 1;
	struct writer_options opt = { .size_bytes = 64 << 20,
				      .hooks = "sched/switch=tp_btf,sched/waking=tp_btf",
				      .host = "golden",
				      .kernel = "6.1.0-test",
				      .machine = "x86_64",
				      .boot_id = (const uint8_t[16]){ 1 },
				      .n_cpus = 2 };
	uint32_t victims = argc == 4 || argc == 5 ? (uint32_t)atoi(argv[2]) : 0;
	uint64_t ts = T0;
	char why[256];

	if (!victims || !helpers || helpers > HELPERS_MAX)
		errx(2, "usage: mkwaits FILE VICTIMS ROUNDS [HELPERS]");
	if (writer_open(argv[1], &opt, &writer, why))
		errx(1, "%s", why);
	check(writer_begin(writer, T0, NULL, 0), "begin");
	task(SERVER, "server");
	for (uint32_t i = 0; i < helpers; i++)
		task(HELPER + i, "helper");
	for (uint32_t i = 0; i < victims; i++, ts += 10 * NSEC_PER_MSEC) {
		task(VICTIM + i, "victim");
		wait_for(ts, 0, 0, VICTIM + i, 0);
		wait_for(ts + 1000, 0, VICTIM + i, 0, RESULT);
	}
	ts = rounds(ts, n, helpers);
	for (uint32_t i = 0; i < victims; i++)
		wake(ts + 10000, 0, VICTIM + i, SERVER, RESULT);
	check(writer_seal(writer, ts + NSEC_PER_MSEC, NULL, 0), "seal");
	writer_free(writer);
	return 0;
}
