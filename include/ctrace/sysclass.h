/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysclass.h - 16 bits for each system call number: why a task waits in this call, and which
 * arguments are the descriptor and the time limit. daemon/kernel/wait_calls.c fills the table
 * before the BPF programs are loaded. Any thread.
 */
#ifndef CTRACE_SYSCLASS_H
#define CTRACE_SYSCLASS_H

#define SYSCLASS_N 512

/*
 * The bits of a class:
 * - 0..4: CT_W_*
 * - 5..7: 1 + index of the argument that is the descriptor; 0: none
 * - 8..10: 1 + index of the argument that is the time limit; 0: none
 * - 11: set: the time limit is in milliseconds; else a pointer to a structure
 * - 12..15: enum sysclass_how
 */
#define SYSCLASS(wait, fd, limit, ms, how) ((wait) | (fd) << 5 | (limit) << 8 | (ms) << 11 | (how) << 12)
#define SYSCLASS_WAIT(c)                   ((c)&31)
#define SYSCLASS_FD(c)                     ((c) >> 5 & 7)
#define SYSCLASS_LIMIT(c)                  ((c) >> 8 & 7)
#define SYSCLASS_MS(c)                     ((c) >> 11 & 1)
#define SYSCLASS_HOW(c)                    ((c) >> 12)

enum sysclass_how {
	SYSCLASS_PLAIN = 0,
	SYSCLASS_TIMED, /* always has a time limit: nanosleep */
	SYSCLASS_FUTEX,
	SYSCLASS_FUTEX2,
	SYSCLASS_FUTEX_WAITV,
	SYSCLASS_POLL, /* argument 0: array of struct pollfd */
	SYSCLASS_SELECT,
	SYSCLASS_FCNTL,  /* waits only with F_SETLKW and F_OFD_SETLKW */
	SYSCLASS_WAIT4,  /* argument 0: a pid */
	SYSCLASS_WAITID, /* argument 0: kind of argument 1 (a pid, a pidfd, ...) */
	SYSCLASS_CLONE,  /* waits if argument 0 has CLONE_VFORK */
	SYSCLASS_CLONE3, /* waits if the flags at argument 0 have CLONE_VFORK */
	SYSCLASS_YIELD,
	SYSCLASS_SENDTO,   /* arguments 4 and 5: a destination, or 0 */
	SYSCLASS_SENDMSG,  /* argument 1: a struct msghdr */
	SYSCLASS_SENDMMSG, /* argument 1: an array of struct mmsghdr, argument 2: their number */
};

#endif
