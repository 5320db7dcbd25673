/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outfile.h - a trace file that appears whole or not at all: it is written as NAME.partial and
 * renamed at the end. These functions print their errors themselves. One thread, and one file at a
 * time.
 */
#ifndef CTRACE_CLI_CLIENT_OUTFILE_H
#define CTRACE_CLI_CLIENT_OUTFILE_H

struct outfile {
	char *path;
	char *partial;
	int fd; /* the partial file; empty at first, for reading and writing */
};

/*
 * Creates NAME.partial: a new file with mode 0600 that belongs to the caller. path NULL: NAME is
 * "ctrace-YYYYmmdd-HHMMSS.ctr" in the current directory. Returns 0, or CLI_FAILED: NAME exists and is no
 * regular file; NAME.partial is a link or belongs to another user; the directory cannot be written; or
 * another ctrace is writing the same file.
 */
int outfile_open(const char *path, struct outfile *ret);
/* Syncs the file and renames it. Returns 0 or CLI_FAILED. outfile_done() has to be called in both cases; it
 * removes a partial file that could not be renamed. */
int outfile_commit(struct outfile *o);
/* Removes the partial file if it was not renamed, and releases everything. Accepts OUTFILE_NONE. */
void outfile_done(struct outfile *o);

#define OUTFILE_NONE                                                                                         \
	{                                                                                                    \
		.fd = -1                                                                                     \
	}

#endif
