/* SPDX-License-Identifier: GPL-2.0-or-later */
/* otlp.h - writes or sends requests, jobs and hangs as spans of OpenTelemetry (doc/export.md). One thread. */
#ifndef CTRACE_CLI_OTLP_OTLP_H
#define CTRACE_CLI_OTLP_OTLP_H

#include "cli/export/export.h"

/* Prints its errors, and returns an exit code. After Ctrl-C in the search for hangs, ends the process. */
int export_otlp(const struct export *x);

#endif
