/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * victim.h - finds the task to explain: the one that the options name or number, or else the recorded
 * command, or else the worst hang. A function returns an exit code of ctrace, and prints its errors
 * itself. One thread.
 */
#ifndef CTRACE_CLI_HANGS_VICTIM_H
#define CTRACE_CLI_HANGS_VICTIM_H

#include "analysis/hangs/hangs.h"
#include "cli/cli.h"
#include "cli/hangs/rowarg.h"
#include "cli/input/selectorarg.h"

struct victim_request {
	struct selector who;
	struct windowarg window;
	struct rowarg row;
};

/* Rows for an array of options. member: a struct victim_request in `type`. */
#define VICTIM_OPTIONS(type, member)                                                                         \
	SELECTORARG_OPTIONS(type, member.who), WINDOWARG_OPTIONS(type, member.window),                       \
		ROWARG_OPTIONS(type, member.row)

enum victim_choice {
	VICTIM_NAMED,      /* the options name the task */
	VICTIM_NUMBERED,   /* --hang gives the number of its hang */
	VICTIM_COMMAND,    /* a task of the recorded command */
	VICTIM_DESCENDANT, /* the recorded command does not hang, but a task that it started does */
	VICTIM_WORST,
};

struct victim {
	uint32_t task;
	enum victim_choice choice;
	/* made without the rules of the user, and without questions to the user; NULL: not made yet */
	struct diagnosis *diagnosis;
	bool alarm;
	/* The list of all hangs of the window, if victim_choose() made it, or NULL. Then `row` is the row of
	 * the victim, and `diagnosis` may be that of the row. */
	struct hangs *hangs;
	struct hang *row;
};

#define VICTIM_USAGE SELECTORARG_USAGE " " WINDOWARG_USAGE " " ROWARG_USAGE

int victim_check(const struct cli_usage *usage, const struct victim_request *rq);
/* If --request is given, makes *rq choose the task and the time of this request. `texts` must live as long as
 * *rq. Call it before analysis_open(). */
int victim_use_request(struct victim_request *rq, const char *path, struct rowarg_texts *texts);
/* Reads the times of the request. Call it between analysis_open() and analysis_load(): it sets the
 * window to load. */
int victim_window(struct analysis_input *in, const struct victim_request *rq, struct timearg_moment *ret);
/* Finds the task. May narrow the window of `in`: to the hang of the task; or, without a hang, to
 * the life of the task or to its long wait at the time of --at. The caller calls victim_done(), also
 * after an error. May end the process after Ctrl-C (hangs_search.h). */
int victim_choose(struct analysis_input *in, const struct victim_request *rq, const struct timearg_moment *at,
		  struct victim *ret);
/* Frees the diagnosis, and sets it to NULL. */
void victim_drop_diagnosis(struct victim *v);
void victim_done(struct victim *v);

#endif
