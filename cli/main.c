// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/output.h"
#include "cli/sheet/sheet.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

static const struct command commands[] = {
	{ "record", "Record now, while a command runs or for a time, without the service", cmd_record },
	{ "snapshot", "Save what the running daemon has recorded", cmd_snapshot },
	{ "status", "Show the state of the running daemon", cmd_status },
	{ "budget", "Show or change what the running daemon may cost", cmd_budget },
	{ "metrics", "Print the daemon's figures for Prometheus", cmd_metrics },
	{ "doctor", "Show what this machine allows, hook by hook", cmd_doctor },
	{ "frameworks", "List the frameworks whose jobs can be recorded, and their probes", cmd_frameworks },
	{ "watch", "Record who writes a variable of a process", cmd_watch },
	{ "mark", "Mark the begin or end of a transaction, from a script", cmd_mark },
	{ "waits", "Show who waits for whom now", cmd_waits },
	{ "top", "Show, again and again, which tasks wait for which, and how long", cmd_top },
	{ "diagnose", "Say why something was slow or stuck, and who was to blame", cmd_diagnose },
	{ "view", "Make a page for a browser that explains a hang", cmd_view },
	{ "slice", "Show the causes of a task's work, or what it caused", cmd_slice },
	{ "hangs", "Show the hangs that were caught, or the worst stalls in a trace", cmd_hangs },
	{ "crashes", "Show the crashes in a trace: the stack, and what led to each", cmd_crashes },
	{ "requests", "Show the requests of each service: how many, how slow, and why", cmd_requests },
	{ "jobs", "Show the queues of jobs: how long jobs wait, and why", cmd_jobs },
	{ "transactions", "Show the transactions of users: how many, how slow, and why", cmd_transactions },
	{ "patterns", "Show what a program repeats, and which repetitions grow", cmd_patterns },
	{ "path", "Show the critical path of a task", cmd_path },
	{ "compare", "Say why new runs of a command are slower than old ones", cmd_compare },
	{ "graph", "Show the causal graph, for programs or as a picture", cmd_graph },
	{ "flame", "Draw where tasks wait or run, as a flame graph", cmd_flame },
	{ "export", "Write a trace in the format of another program", cmd_export },
	{ "check", "Run a command again and again, and say whether it became slower, and why", cmd_check },
	{ "delay", "Hold the calls of a function, and say whether anything waits for them", cmd_delay },
	{ "info", "Show what is in a trace", cmd_info },
	{ "dump", "Print the records of a trace", cmd_dump },
};

static void print_help(FILE *f)
{
	fputs("Usage: ctrace COMMAND [ARGUMENT...]\n"
	      "Answers after the fact: why was this slow or stuck, and who was to blame?\n"
	      "\nCommands:\n",
	      f);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(f, "  %-12s %s\n", commands[i].name, commands[i].summary);
	fputs("\n"
	      "'ctrace help COMMAND' shows the options of a command. Exit status: 0 success, 1 failure, 2 wrong usage.\n",
	      f);
}

static void print_commands(const void *arg)
{
	(void)arg;
	print_help(stdout);
}

static void show(void (*print)(const void *arg), const void *arg)
{
	struct sheet sheet;

	sheet_begin(&sheet, SHEET_FULL);
	print(arg);
	sheet_end(&sheet);
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	const char *names[ARRAY_SIZE(commands) + 2], *near;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i].name;
	names[ARRAY_SIZE(commands)] = "help";
	names[ARRAY_SIZE(commands) + 1] = NULL;
	near = cli_nearest(name, names);
	if (near)
		cli_error("there is no command '%s'; did you mean '%s'?", name, near);
	else
		cli_error("there is no command '%s'; 'ctrace --help' lists them", name);
	return CLI_USAGE;
}

static int help(int argc, char **argv)
{
	const struct command *c;

	if (argc == 0) {
		usage_show(print_commands, NULL);
		return CLI_OK;
	}
	c = find(argv[0]);
	if (!c)
		return unknown(argv[0]);
	return c->run(2, (char *[]){ argv[0], "--help", NULL });
}

static int run(int argc, char **argv)
{
	const struct command *c;
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word) {
		print_help(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return help(0, NULL);
	if (!strcmp(word, "help"))
		return help(argc - 2, argv + 2);
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		puts("ctrace " CTRACE_VERSION);
		return CLI_OK;
	}
	c = find(word);
	return c ? c->run(argc - 1, argv + 1) : unknown(word);
}

/* If stdin, stdout or stderr is closed, a file opened later could get its number, and output could
 * go into that file. */
static void open_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

static void return_memory(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, MMAP_FROM);
}

int main(int argc, char **argv)
{
	int code;

	open_standard_files();
	return_memory();
	cli_ignore_signals();
	if (output_begin())
		return cli_error("out of memory");
	usage_show = show;
	code = run(argc, argv);
	return cli_output_end(code);
}
