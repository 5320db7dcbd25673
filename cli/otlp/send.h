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
#define SEND_TEXT_MAX 512

/* What the receiver says about messages that it accepts */
struct send_said {
	uint64_t rejected;           /* spans */
	char why[SEND_TEXT_MAX];     /* the first reason for which it refuses spans; "": none */
	char warning[SEND_TEXT_MAX]; /* its first remark about a message without refused spans; "": none */
};

/* Sends an ExportTraceServiceRequest of n bytes. Tries again if the receiver is busy. Follows no redirect.
 * Adds to *said what the receiver says. Prints other errors; returns an exit code. */
int send_post(const char *url, const uint8_t *message, size_t n, struct send_said *said);
/* Prints what the receiver has said. Returns CLI_FAILED if it refused spans. */
int send_report(const char *url, const struct send_said *said);

#endif
