/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - the functions of the command table, in cmd_<name>.c. Each returns an exit code. */
#ifndef CTRACE_CLI_CMD_COMMANDS_H
#define CTRACE_CLI_CMD_COMMANDS_H

int cmd_record(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_budget(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_frameworks(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_delay(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_watch(int argc, char **argv);
int cmd_waits(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_hangs(int argc, char **argv);
int cmd_requests(int argc, char **argv);
int cmd_jobs(int argc, char **argv);
int cmd_transactions(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_path(int argc, char **argv);
int cmd_crashes(int argc, char **argv);
int cmd_patterns(int argc, char **argv);
int cmd_diagnose(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_slice(int argc, char **argv);
int cmd_graph(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_flame(int argc, char **argv);

#endif
