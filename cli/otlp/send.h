/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send.h - private to cli/otlp: sends messages of OTLP over HTTP, with the program curl. curl is a program of
 * its own, because libcurl would quadruple the time that each start of ctrace takes. One thread.
 */
#ifndef CTRACE_CLI_OTLP_SEND_H
#define CTRACE_CLI_OTLP_SEND_H

#include <stddef.h>
#include <stdint.h>

/* Returns an exit code. */
int send_check(const char *url);
/* Sends an ExportTraceServiceRequest of n bytes. Tries again if the receiver is busy. Follows no redirect.
 * Adds to *rejected the number of spans that the receiver refused. Prints its errors; returns an exit code.
 */
int send_post(const char *url, const uint8_t *message, size_t n, uint64_t *rejected);

#endif
