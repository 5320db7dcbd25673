/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outfile.h - a trace file that appears whole or not at all: it is written as
 * NAME.partial and renamed at the end.  Errors are said by these functions.
 */
#ifndef CTRACE_CLI_CLIENT_OUTFILE_H
#define CTRACE_CLI_CLIENT_OUTFILE_H

struct outfile {
	char *path;
	char *partial;
	int fd; /* of the partial file; empty, for reading and writing */
};

/*
 * Makes NAME.partial (mode 0600, the caller's, never a file that was there).  path NULL:
 * "ctrace-YYYYmmdd-HHMMSS.ctr" in the current directory.  0, or CLI_FAILED (said): what is there is no
 * regular file, NAME.partial is a link or somebody else's, the directory cannot be written, another ctrace is
 * writing the same file.
 */
int outfile_open(const char *path, struct outfile *ret);
/* Syncs and renames: 0 or CLI_FAILED (said; the partial file is gone). */
int outfile_commit(struct outfile *o);
/* Removes the partial file if it was not committed and releases everything; a zeroed one with fd -1 is fine.
 */
void outfile_done(struct outfile *o);

#define OUTFILE_NONE                                                                                         \
	{                                                                                                    \
		.fd = -1                                                                                     \
	}

#endif
