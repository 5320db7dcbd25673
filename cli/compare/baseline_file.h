/* SPDX-License-Identifier: GPL-2.0-or-later */
/* baseline_file.h - reads runs from files: a trace of `ctrace record -- CMD`, or a baseline.
 * baseline_file_add() and baseline_command() return an exit code, and print their errors. One thread. */
#ifndef CTRACE_CLI_COMPARE_BASELINE_FILE_H
#define CTRACE_CLI_COMPARE_BASELINE_FILE_H

#include "cli/input/analysis_input.h"
#include "cli/compare/baseline.h"
#include "cli/compare/transaction_runs.h"

/* Adds the runs of a file: the run of a trace, or all runs of a baseline. If pick is not NULL, each
 * transaction of a trace is a run. */
int baseline_file_add(struct baseline *b, const char *path, const struct transaction_pick *pick);
/* Finds the main task of the recorded command, and the part of the window in which this task lived. Warns if
 * the window lacks the begin or the end of the command. */
int baseline_command(const struct analysis_input *in, uint32_t *ret_task, uint64_t *ret_from_ns,
		     uint64_t *ret_to_ns);
/* Adds the counts of the events of the command, which lived in [from_ns, to_ns). cut: the window lacks a
 * part of the command's life. If cut, or if records were lost, only adds 1 to n_incomplete. Returns 0,
 * -E2BIG or -ENOMEM. */
int baseline_count(struct baseline *b, const struct analysis_input *in, uint32_t task, uint64_t from_ns,
		   uint64_t to_ns, bool cut);
struct baseline_machine baseline_machine_of(const struct reader *r);

#endif
