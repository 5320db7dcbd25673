/* SPDX-License-Identifier: GPL-2.0-or-later */
/* write.h - writes a small file, whole or not at all. One thread. */
#ifndef CTRACE_CLI_CHECK_WRITE_H
#define CTRACE_CLI_CHECK_WRITE_H

#include <stdio.h>

/*
 * Makes the file `path` (mode 0666 & ~umask) with the content that put() writes; put() returns 0 or -errno.
 * If `path` is missing or a regular file, writes PATH.partial and renames it. So nobody sees a part of the
 * content, and an error leaves the old file as it was. Returns CLI_OK, or CLI_FAILED after printing an error.
 */
int write_file(const char *path, int (*put)(FILE *f, const void *arg), const void *arg);

/* As write_file(), but only the owner can read the file (mode 0600). */
int write_private_file(const char *path, int (*put)(FILE *f, const void *arg), const void *arg);

/* Tells whether write_file() will probably succeed. Returns CLI_OK, or CLI_FAILED after printing an error. */
int write_test(const char *path);

#endif
