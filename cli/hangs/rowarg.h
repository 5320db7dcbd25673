/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rowarg.h - the options --hang N and --request N. They choose the task and the time of a row of `ctrace
 * hangs FILE` or `ctrace requests FILE`, in place of --tid, --from and --to.
 *
 * The lists get the other options that choose tasks and the window. So `--comm web --hang 2` is row 2 of
 * `ctrace hangs FILE --comm web`.
 *
 * Functions that return int return an exit code, and print their errors themselves. They may end the process
 * after Ctrl-C (hangs_search.h). One thread.
 */
#ifndef CTRACE_CLI_HANGS_ROWARG_H
#define CTRACE_CLI_HANGS_ROWARG_H

#include "cli/cli.h"
#include "cli/input/selectorarg.h"
#include "trace/words/words.h"

struct hang;
struct hangs;

/* The numbers of the rows; 0: the option is not given. */
struct rowarg {
	uint32_t hang, request;
};

/* Rows for an array of options. member: a struct rowarg in `type`. */
#define ROWARG_HANG(type, member)                                                                            \
	{                                                                                                    \
		CLI_NUMBER(type, member.hang), "hang", "N",                                                  \
			"the task and the time of hang N in the list of 'ctrace hangs FILE'"                 \
	}
#define ROWARG_REQUEST(type, member)                                                                         \
	{                                                                                                    \
		CLI_NUMBER(type, member.request), "request", "N",                                            \
			"the task and the time of request N in the list of 'ctrace requests FILE'"           \
	}
#define ROWARG_OPTIONS(type, member) ROWARG_HANG(type, member), ROWARG_REQUEST(type, member)
#define ROWARG_USAGE                 "[--hang N | --request N]"

static inline bool rowarg_is_set(const struct rowarg *row)
{
	return row->hang || row->request;
}

/* Refuses both options together. */
int rowarg_check(const struct cli_usage *usage, const struct rowarg *row);

/* The texts to which rowarg_use() lets options point. last: the last moment of the row. */
struct rowarg_texts {
	char from[32], to[32], last[32], boot[16];
};

/* Without the options, does nothing. Otherwise finds the row, and makes *who and *window choose its task and
 * its time. */
int rowarg_use(const struct rowarg *row, const char *path, struct selector *who, struct windowarg *window,
	       struct rowarg_texts *texts);
/* As rowarg_use(), but chooses all tasks of the process. */
int rowarg_use_process(const struct rowarg *row, const char *path, struct selector *who,
		       struct windowarg *window, struct rowarg_texts *texts);
/* As rowarg_use(), but *window is the whole boot. For commands that look at one moment: texts->last. */
int rowarg_use_moment(const struct rowarg *row, const char *path, struct selector *who,
		      struct windowarg *window, struct rowarg_texts *texts);

/* Sets *ret to the list of hangs, and *ret_row to the one with this number, which is in this list. The list
 * may have fewer rows than that of `ctrace hangs`. `in` is loaded. The caller frees *ret. */
int rowarg_hang(const struct analysis_input *in, uint32_t number, const struct selector *who,
		const struct windowarg *window, const struct timearg_moment *at, struct hangs **ret,
		struct hang **ret_row);

/* Adds the options as a shell reads them, each after a blank: " --comm 'my app' --from -30s". */
void rowarg_add_tasks(struct words *t, const struct selector *who);
void rowarg_add_window(struct words *t, const struct windowarg *window);

#endif
