/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write.h - writes a small file that other programs read, with the usual rights. One thread. */
#ifndef CTRACE_CLI_CHECK_WRITE_H
#define CTRACE_CLI_CHECK_WRITE_H

#include <stdio.h>

/*
 * Writes what put() writes to the file `path`. A regular or missing file appears whole or not at all: it is
 * written as PATH.partial and renamed. put() returns 0 or -errno. Returns CLI_OK, or CLI_FAILED
 * after printing an error.
 */
int write_file(const char *path, int (*put)(FILE *f, const void *arg), const void *arg);

#endif
