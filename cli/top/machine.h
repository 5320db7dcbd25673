/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.h - how busy the machine is, from /proc/stat and /proc/pressure. One thread. */
#ifndef CTRACE_CLI_TOP_MACHINE_H
#define CTRACE_CLI_TOP_MACHINE_H

#include <stdint.h>

#define MACHINE_WORDS_MAX 256

struct machine {
	uint64_t busy_ticks, all_ticks; /* since the boot */
	double busy_percent; /* of all CPUs, since the last call; at the first call, since the boot */
};

void machine_update(struct machine *m);
/* Writes for example "4 CPUs, 23 % busy; in the last 10 s, tasks waited for a CPU 12 %, a disk 0 %, memory
 * 0 %". */
void machine_words(const struct machine *m, char buf[MACHINE_WORDS_MAX]);

#endif
