/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glibc.h - facts about glibc: its locks in user memory, the values of their futex words, its
 * signals, the names of its functions and files. This is the only place for such facts. BPF
 * programs and user space share this header.
 *
 * Each fact names the file of glibc's sources that it comes from, and the versions for which it is
 * true ("since 2.4" means from 2.4 to at least 2.40). The facts are for 64-bit machines; x86-64 and
 * arm64 have the same layouts. test/abi compares the layouts with the C library of the build.
 *
 * A program may use another C library, and may write anything into its locks. So the bytes of a
 * lock are only a hint, and the code that reads them checks them.
 */
#ifndef CTRACE_GLIBC_H
#define CTRACE_GLIBC_H

#include "ctrace/abi.h"

/* The beginning of pthread_mutex_t. sysdeps/nptl/bits/struct_mutex.h and
 * sysdeps/x86/nptl/bits/struct_mutex.h; since 2.4. */
struct glibc_mutex {
	ct_s32 lock; /* the futex */
	ct_u32 count;
	ct_s32 owner; /* tid in the pid namespace of the process */
	ct_u32 nusers;
	ct_s32 kind;
};
_Static_assert(sizeof(struct glibc_mutex) == 20, "glibc_mutex");

#define GLIBC_MUTEX_OWNER __builtin_offsetof(struct glibc_mutex, owner)
/* The value of the futex word of a mutex that is locked and that another task may wait for.
 * sysdeps/nptl/lowlevellock.h; since 2.4. (A robust or PI mutex has the owner's tid in this word
 * instead: the kernel's FUTEX_TID_MASK and FUTEX_WAITERS.) */
#define GLIBC_MUTEX_CONTENDED 2
/* Bits of the member kind: PTHREAD_MUTEX_ROBUST_NORMAL_NP; and the mask of all bits in use: recursive 1,
 * error-checking 2, adaptive 3, robust 16, PI 32, protected 64, shared 128, elision 256 and 512.
 * nptl/pthreadP.h; since 2.18. */
#define GLIBC_MUTEX_ROBUST    0x10
#define GLIBC_MUTEX_KIND_BITS 0x3f3

/* The beginning of pthread_rwlock_t. sysdeps/nptl/bits/struct_rwlock.h and
 * sysdeps/x86/nptl/bits/struct_rwlock.h; since 2.25. */
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

/* Distances in bytes to the owner's tid, from each of the two words that a task may wait on. */
#define GLIBC_RWLOCK_WRPHASE_TO_OWNER                                                                        \
	(__builtin_offsetof(struct glibc_rwlock, cur_writer) -                                               \
	 __builtin_offsetof(struct glibc_rwlock, wrphase_futex))
#define GLIBC_RWLOCK_WRITERS_TO_OWNER                                                                        \
	(__builtin_offsetof(struct glibc_rwlock, cur_writer) -                                               \
	 __builtin_offsetof(struct glibc_rwlock, writers_futex))
/* GLIBC_RWLOCK_WRITING: the bits of the member readers that are set while a writer has the lock
 * (PTHREAD_RWLOCK_WRPHASE, PTHREAD_RWLOCK_WRLOCKED). GLIBC_RWLOCK_CONTENDED: the value of
 * wrphase_futex or writers_futex while a task waits on it (1 | PTHREAD_RWLOCK_FUTEX_USED).
 * nptl/pthread_rwlock_common.c; since 2.25. */
#define GLIBC_RWLOCK_WRITING   3
#define GLIBC_RWLOCK_CONTENDED 3

/* pthread_cond_t. A condition variable has two groups of waiters, which take turns. Waiters wait on
 * the word of their group in g_signals. A task that signals may have to wait on a word in g_refs
 * until the waiters of an earlier signal have left.
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
#define GLIBC_COND_OTHER_GROUP sizeof(ct_u32) /* distance in bytes between the words of the two groups */

/* A task that waits for a condition variable or a read-write lock waits on one of two neighbouring
 * words. Both words lie in 8 aligned bytes, and GLIBC_FUTEX_PAIR() gives the address of these 8
 * bytes. */
#define GLIBC_FUTEX_PAIR(addr) ((addr) & ~7ULL)
_Static_assert(__builtin_offsetof(struct glibc_cond, g_signals) % 8 == 0 &&
		       __builtin_offsetof(struct glibc_rwlock, wrphase_futex) % 8 == 0,
	       "GLIBC_FUTEX_PAIR");

/* pthread_join() waits with a futex call that is not private, until the kernel clears the tid in the struct
 * pthread of the thread that is joined. sysdeps/nptl/futex-internal.h, nptl/pthread_join_common.c; since 2.4.
 */

/* SIGCANCEL and SIGSETXID: glibc uses these signals itself.
 * sysdeps/unix/sysv/linux/internal-signals.h; since 2.4. */
#define GLIBC_SIGNALS 32, 33

/* The beginnings of the names of functions in which a task waits for a lock. nptl/; __lll_lock_wait
 * since 2.4. */
#define GLIBC_LOCK_FUNCTIONS "pthread_rwlock_", "pthread_mutex_lock+", "__lll_lock_wait"
/* The prefix of the names by which glibc calls its own functions. include/libc-symbols.h; since
 * 2.3. */
#define GLIBC_HIDDEN_PREFIX "__GI_"

/* The beginnings of the names of glibc's files: the library (libc.so.6, before 2.34 libc-2.33.so),
 * threads and timers (libraries of their own before 2.34), the dynamic linker. shlib-versions,
 * Makerules. */
#define GLIBC_FILES "libc.", "libc-", "libpthread", "librt", "ld-", "ld64"
/* The parts of a frame "function+0x12 (file)" that show that the file is one of glibc's. */
#define GLIBC_FRAME_FILES "(libc.so", "(libpthread", "(ld-linux"

#endif
