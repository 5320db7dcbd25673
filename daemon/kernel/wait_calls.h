/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_calls.h - says for each system call what a task in it may wait for. */
#ifndef CTRACE_DAEMON_KERNEL_WAIT_CALLS_H
#define CTRACE_DAEMON_KERNEL_WAIT_CALLS_H

#include <stdint.h>

#include "ctrace/sysclass.h"

/* Fills the table of the BPF programs: one SYSCLASS() word for each number of a system call. */
void wait_calls_fill(uint16_t *table);

#endif
