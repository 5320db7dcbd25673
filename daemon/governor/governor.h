/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor.h - decides what to leave out, so that the tracer costs no more than
 * its budget.  Pure: it is told the time and what was spent, and answers what to
 * do.
 *
 * The budget is a bucket that fills at its rate and holds what may be spent at
 * once.  When it is empty and more is being spent than comes in, the next step is
 * taken, or several if the cost is many times the budget.  Where one group of tasks
 * makes most of the records, its records are left out instead, for a while: a storm
 * costs those who make it.  In the last step the
 * capture pauses until enough has been saved for a while of it.  A step back is
 * taken after a while well below the budget; a step back that did not last makes
 * the next one wait longer.
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define GOVERNOR_TICK_NS    20000000ULL    /* what comes sooner after the last tick is put together with it */
#define GOVERNOR_HOLD_NS    1000000000ULL  /* in the bucket: what may be spent at once, in time */
#define GOVERNOR_BEGIN_NS   10000000000ULL /* the start: symbols are read, everything is new */
#define GOVERNOR_START_NS   30000000000ULL /* what the bucket holds during that */
#define GOVERNOR_SETTLE_NS  100000000ULL   /* a step is given that long to show its effect */
#define GOVERNOR_ON_NS      60000000ULL    /* the least of capture between two pauses, if it can be paid */
#define GOVERNOR_OFF_MIN_NS 400000000ULL   /* of a pause */
#define GOVERNOR_OFF_MAX_NS 30000000000ULL
#define GOVERNOR_CALM_NS    2000000000ULL  /* below the budget for so long: a step back */
#define GOVERNOR_QUIET_NS   1000000000ULL  /* the same, when it is below a quarter of it */
#define GOVERNOR_FLAP_NS    10000000000ULL /* a step back that lasted less was one too many */
#define GOVERNOR_PATIENCE   32             /* times the above is waited at most */
#define GOVERNOR_REST_NS    1500000000ULL /* what was recorded before a group was capped is written by then */
#define GOVERNOR_CAP_MIN_NS 400000000ULL  /* that long the records of a group are left out at least, and */
#define GOVERNOR_CAP_MAX_NS 5000000000ULL /* at most; in between until the bucket is nearly full */
#define GOVERNOR_CAP_TIMES                                                                                   \
	64 /* both are longer when it took long to end the last cap: so many times that                      \
	    */
#define GOVERNOR_SHARE       0.5 /* of the records, from which a group is capped */
#define GOVERNOR_STORM       4   /* from so many times the budget on */
#define GOVERNOR_SHARE_STORM 0.25
/*
 * To pass over the events of a capped group costs its own tasks their time, on their CPU.  It is not
 * counted against the budget up to this part of the machine: else a storm that is large enough would
 * still have the capture pause for everybody.  Storms on all CPUs are passed over for 2 to 10 %: an event
 * costs those who make it at least five times as much.
 */
#define GOVERNOR_PASSED_PPM 200000

/* CPU time that the tracer has used by now. */
struct governor_spent {
	uint64_t capture_ns; /* by recording: the programs, and the thread that takes what they write */
	uint64_t other_ns;
	uint64_t passed_ns; /* of capture_ns: by passing over the events of capped tasks */
};

struct governor {
	uint32_t budget_ppm; /* of the CPU time of the whole machine; 0: nothing is ever shed */
	enum ct_shed step;
	bool paused;
	double cost_ppm;   /* what was spent over the last seconds */
	double passed_ppm; /* of that, what is not counted against the budget: see GOVERNOR_PASSED_PPM */
	/* the same, over a moment, as it is since the last change; of which the capture, without the
	 * inspections */
	double rate_ppm, capture_ppm;
	double on_ns;     /* the cost of starting the capture, beside its rate */
	double bucket_ns; /* of CPU time; below 0: overspent */
	uint64_t begin_ns, last_ns;
	struct governor_spent spent;
	unsigned cpus;
	uint64_t up_ns, down_ns; /* the last step of either kind; 0: none */
	uint64_t rate_ns;        /* since when rate_ppm is measured */
	uint64_t calm_ns;        /* since when a step back may be due; 0: it is not */
	uint64_t pause_ns;       /* the last pause or resume */
	uint64_t cap_ns;         /* since when groups are capped; 0: none is */
	uint64_t uncap_ns;       /* how long it took to end the last cap: there may be many tasks */
	/* The caller's, before each tick: what part of the records the group makes that can be capped and
	 * makes most; 0: there is none. */
	double share;
	unsigned patience;
};

enum governor_act {
	GOVERNOR_STAY,
	GOVERNOR_STEP,   /* g->step has changed */
	GOVERNOR_PAUSE,  /* stop the capture */
	GOVERNOR_RESUME, /* and go on with it, then say governor_resumed() */
	GOVERNOR_CAP,    /* leave out the records of that group */
	GOVERNOR_UNCAP,  /* record those of all groups again */
};

/* now_ns: not 0, and of a clock that does not go on while the machine is suspended.  cpus: those that are
 * on-line.
 */
void governor_init(struct governor *g, uint32_t budget_ppm, uint64_t now_ns,
		   const struct governor_spent *spent, unsigned cpus);
enum governor_act governor_tick(struct governor *g, uint64_t now_ns, const struct governor_spent *spent,
				unsigned cpus);
/* The capture goes on; what was spent since the tick is what that costs by itself. */
void governor_resumed(struct governor *g, uint64_t now_ns, const struct governor_spent *spent);
/* No group is capped any more; to end that took so long. */
void governor_uncapped(struct governor *g, uint64_t now_ns, uint64_t took_ns);

#endif
