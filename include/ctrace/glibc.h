/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glibc.h - the only place for facts about glibc: locks in user memory, signals, names of functions
 * and files. Each fact names its source file and versions. "Since 2.4" means 2.4 to at least 2.40.
 * The layouts are of x86-64 and arm64. test/abi compares them with the C library of the build. A
 * program may use another C library, so a lock's bytes are only a hint.
 */
#ifndef CTRACE_GLIBC_H
#define CTRACE_GLIBC_H

#include "ctrace/abi.h"

/* pthread_mutex_t. sysdeps/nptl/bits/struct_mutex.h, sysdeps/x86/nptl/bits/struct_mutex.h; since
 * 2.4. */
struct glibc_mutex {
	ct_s32 lock;
	ct_u32 count;
	ct_s32 owner; /* tid in the pid namespace of the process */
	ct_u32 nusers;
	ct_s32 kind;
};
_Static_assert(sizeof(struct glibc_mutex) == 20, "glibc_mutex");

/* The futex word of a locked mutex with waiters. sysdeps/nptl/lowlevellock.h; since 2.4. (In a
 * robust or PI mutex, this word has the tid of the owner in the bits FUTEX_TID_MASK of the kernel,
 * and the bit FUTEX_WAITERS.) */
#define GLIBC_MUTEX_CONTENDED 2
/* Bits of kind. GLIBC_MUTEX_ROBUST is PTHREAD_MUTEX_ROBUST_NORMAL_NP. GLIBC_MUTEX_KIND_BITS has all
 * bits that are in use: recursive 1, error-checking 2, adaptive 3, robust 16, PI 32, protected 64,
 * shared 128, elision 256 and 512. nptl/pthreadP.h; since 2.18. */
#define GLIBC_MUTEX_ROBUST    0x10
#define GLIBC_MUTEX_KIND_BITS 0x3f3

/* pthread_rwlock_t. sysdeps/nptl/bits/struct_rwlock.h, sysdeps/x86/nptl/bits/struct_rwlock.h; since
 * 2.25. */
struct glibc_rwlock {
	ct_u32 readers;
	ct_u32 writers;
	ct_u32 wrphase_futex;
	ct_u32 writers_futex;
	ct_u32 pad[2];
	ct_s32 cur_writer; /* tid in the pid namespace of the process */
	ct_s32 shared;
};
_Static_assert(sizeof(struct glibc_rwlock) == 32, "glibc_rwlock");

/* Bits of `readers` while a writer has the lock: PTHREAD_RWLOCK_WRPHASE, PTHREAD_RWLOCK_WRLOCKED.
 * nptl/pthread_rwlock_common.c; since 2.25. */
#define GLIBC_RWLOCK_WRITING 3
/* Value of wrphase_futex or writers_futex while a task waits on this word: 1 |
 * PTHREAD_RWLOCK_FUTEX_USED. nptl/pthread_rwlock_common.c; since 2.25. */
#define GLIBC_RWLOCK_CONTENDED 3

/* pthread_cond_t. Two groups of waiters take turns. Each group waits on its own word in g_signals.
 * pthread_cond_signal() may have to wait on a word in g_refs until earlier waiters have left.
 * sysdeps/nptl/bits/thread-shared-types.h, nptl/pthread_cond_common.c; 2.25 to 2.40. */
struct glibc_cond {
	ct_u64 wseq;
	ct_u64 g1_start;
	ct_u32 g_refs[2];
	ct_u32 g_size[2];
	ct_u32 g1_orig_size;
	ct_u32 wrefs;
	ct_u32 g_signals[2];
};
_Static_assert(sizeof(struct glibc_cond) == 48, "glibc_cond");

#define GLIBC_COND_REFS_TO_SIGNALS                                                                           \
	(__builtin_offsetof(struct glibc_cond, g_signals) - __builtin_offsetof(struct glibc_cond, g_refs))
#define GLIBC_COND_OTHER_GROUP sizeof(ct_u32) /* bytes between the words of the two groups */

/* A waiter for a condition variable or read-write lock waits on one of two words in 8 aligned
 * bytes. */
#define GLIBC_FUTEX_PAIR(addr) ((addr) & ~7ULL)
_Static_assert(__builtin_offsetof(struct glibc_cond, g_signals) % 8 == 0 &&
		       __builtin_offsetof(struct glibc_rwlock, wrphase_futex) % 8 == 0,
	       "GLIBC_FUTEX_PAIR");

/* pthread_join() waits with a futex call that is not private, until the kernel clears the tid in
 * struct pthread. sysdeps/nptl/futex-internal.h, nptl/pthread_join_common.c; since 2.4. */

/* SIGCANCEL and SIGSETXID, which glibc uses itself. sysdeps/unix/sysv/linux/internal-signals.h;
 * since 2.4. */
#define GLIBC_SIGNALS 32, 33

/* A task that blocks in a frame with one of these prefixes waits for a lock. The functions are in
 * the directory nptl/ of glibc. __lll_lock_wait exists since 2.4. */
#define GLIBC_RWLOCK_FUNCTIONS "pthread_rwlock_"
#define GLIBC_LOCK_FUNCTIONS   GLIBC_RWLOCK_FUNCTIONS, "pthread_mutex_lock+", "__lll_lock_wait"
/* Prefix of the names by which glibc calls its own functions. include/libc-symbols.h; since 2.3. */
#define GLIBC_HIDDEN_PREFIX "__GI_"

/* Prefixes of the names of glibc's files. "libc." is for libc.so.6. "ld-" and "ld64" are for the
 * dynamic linker. The others are for files before 2.34: libc-2.33.so, and the libraries for threads
 * and timers. Sources: shlib-versions, Makerules. */
#define GLIBC_FILES "libc.", "libc-", "libpthread", "librt", "ld-", "ld64"
/* Parts of a frame "function+0x12 (file)" that show a file of glibc. */
#define GLIBC_FRAME_FILES "(libc.so", "(libpthread", "(ld-linux"

#endif
