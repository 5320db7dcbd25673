/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write.h - writes a small file that other programs may read (mode 0666 & ~umask). One thread. */
#ifndef CTRACE_CLI_CHECK_WRITE_H
#define CTRACE_CLI_CHECK_WRITE_H

#include <stdio.h>

/*
 * Makes the file `path` with the content that put() writes. A regular or missing file appears whole
 * or not at all: it is written as PATH.partial and renamed. put() returns 0 or -errno. Returns
 * CLI_OK, or CLI_FAILED after printing an error.
 */
int write_file(const char *path, int (*put)(FILE *f, const void *arg), const void *arg);

/* Tells whether write_file() will probably succeed; does not write the file. Returns CLI_OK, or
 * CLI_FAILED after printing an error. */
int write_test(const char *path);

#endif
