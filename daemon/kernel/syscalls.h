/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscalls.h - which system call waits for what, by the numbers of this machine. */
#ifndef CTRACE_DAEMON_KERNEL_SYSCALLS_H
#define CTRACE_DAEMON_KERNEL_SYSCALLS_H

#include <stdint.h>

#include "ctrace/sysclass.h"

/* Fills the table that the BPF programs read: a SYSCLASS() word for each number. */
void syscalls_classes(uint16_t *table);

#endif
