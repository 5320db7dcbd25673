/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.h - describes this machine for a baseline. Any thread. */
#ifndef CTRACE_CLI_CHECK_MACHINE_H
#define CTRACE_CLI_CHECK_MACHINE_H

#include "cli/compare/baseline.h"

/* A fact that cannot be read is "" or 0. */
struct baseline_machine machine_now(void);

#endif
