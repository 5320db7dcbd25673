/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outfile.h - an output file that appears whole or not at all: it is written as NAME.partial, and renamed
 * at the end. The functions print their errors. One thread, one file at a time. */
#ifndef CTRACE_CLI_CLIENT_OUTFILE_H
#define CTRACE_CLI_CLIENT_OUTFILE_H

struct outfile {
	char *path;
	char *partial;
	int fd;
};

/*
 * Creates NAME.partial with mode 0600. NAME is the path; if path is NULL, "ctrace-YYYYmmdd-HHMMSS.ctr" in
 * the current directory. Returns 0, or CLI_FAILED if:
 * - NAME exists and is no regular file;
 * - NAME.partial exists, and is no regular file, has several links, or belongs to another user;
 * - another ctrace is writing the same file;
 * - NAME.partial cannot be created, or memory is short.
 */
int outfile_open(const char *path, struct outfile *ret);
/* Syncs the partial file and renames it to NAME. Returns 0 or CLI_FAILED. Call outfile_done() in any case. */
int outfile_commit(struct outfile *o);
/* Removes a partial file that was not renamed. Accepts OUTFILE_NONE. */
void outfile_done(struct outfile *o);

#define OUTFILE_NONE                                                                                         \
	{                                                                                                    \
		.fd = -1                                                                                     \
	}

#endif
