/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - private to cli/delay: a breakpoint at the start of a function of a traced process. One
 * thread. The process must be stopped. */
#ifndef CTRACE_CLI_DELAY_PROBE_H
#define CTRACE_CLI_DELAY_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#define PROBE_CODE 4

struct probe {
	uint64_t addr;            /* in the memory of the process */
	uint8_t code[PROBE_CODE]; /* the first bytes of the function */
};

/* Finds the function in the program that the process executes, not in its libraries. Returns 0;
 * -ENOENT: there is no such function; -EBADMSG or another -errno: the program cannot be read. */
int probe_find(pid_t pid, const char *function, struct probe *ret);
/* probe_set() writes the breakpoint. probe_unset() writes the first byte of the function back. Both
 * return 0 or -errno. */
int probe_set(pid_t pid, const struct probe *p);
int probe_unset(pid_t pid, const struct probe *p);

#if defined(__x86_64__)
/* Does what the first instruction of the function does, so that the breakpoint can stay. Updates *regs;
 * the caller writes them to the thread. Knows endbr64, push, and "sub $N,%rsp", and returns false for
 * any other instruction. Does not set the flags: no function reads them at its start. */
bool probe_skip(pid_t tid, const struct probe *p, struct user_regs_struct *regs);
#endif

#endif
