/* SPDX-License-Identifier: GPL-2.0-or-later */
/* out.h - where a command writes a document: a file that appears whole or not at all, or stdout. One
 * thread. The functions print their errors themselves. */
#ifndef CTRACE_CLI_EXPORT_OUT_H
#define CTRACE_CLI_EXPORT_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/client/outfile.h"

struct out {
	const char *path; /* NULL: stdout */
	struct outfile file;
	FILE *f;
	int fd;
	int err; /* errno of the first write that failed */
};

/* Refuses the output `path` if it is the input `trace`. Returns an exit code. */
int out_check(const char *path, const char *trace);
/* Refuses stdout (a path of NULL or "-") if it is a terminal. For texts that only a program reads. Returns an
 * exit code. */
int out_check_terminal(const char *path);
/*
 * path: NULL or "-" stand for stdout. trace: the path of the input, which must not be the same
 * file. binary: the document is not for people. Its bytes bypass the cleaner of stdout
 * (cli/output.h). If stdout is a terminal, out_open() refuses to write the document there. Returns
 * an exit code. The caller always calls out_close(), and does not move *o.
 */
int out_open(struct out *o, const char *path, const char *trace, bool binary);
/* code: the exit code so far. If it is 0, finishes the output. Returns the exit code. */
int out_close(struct out *o, int code);

#endif
