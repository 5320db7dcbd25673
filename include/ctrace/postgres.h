/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * postgres.h - the only place for facts about PostgreSQL: its lock manager, and some of its waits.
 * All sessions of a server share the memory with the locks, at the same addresses. The facts hold
 * for PostgreSQL 9.6 to 17 on x86-64 and arm64, except those about standbys and archives (since version 11)
 * and checkpoints (since version 12). Structures: src/include/storage/lock.h and proc.h.
 */
#ifndef CTRACE_POSTGRES_H
#define CTRACE_POSTGRES_H

#include "ctrace/abi.h"

/* A session waits for a lock of a row, a table, a transaction and so on below this function.
 * src/backend/storage/lmgr/proc.c */
#define POSTGRES_LOCK_FUNCTION "ProcSleep"
/* Below these functions, a session waits for another process of its server, whose title begins with
 * POSTGRES_..._TITLE: a commit waits until a standby has the log (src/backend/replication/syncrep.c), a
 * command waits for the end of a checkpoint (src/backend/postmaster/checkpointer.c), or the end of a backup
 * waits until the log is archived (src/backend/access/transam/xlog.c; _14: up to version 14). */
#define POSTGRES_STANDBY_FUNCTION    "SyncRepWaitForLSN"
#define POSTGRES_STANDBY_TITLE       "walsender "
#define POSTGRES_CHECKPOINT_FUNCTION "RequestCheckpoint"
#define POSTGRES_CHECKPOINT_TITLE    "checkpointer"
#define POSTGRES_ARCHIVE_FUNCTION    "do_pg_backup_stop"
#define POSTGRES_ARCHIVE_FUNCTION_14 "do_pg_stop_backup"
#define POSTGRES_ARCHIVE_TITLE       "archiver"
/* Such a process with this in its title sends a copy of the database, and not the log. */
#define POSTGRES_BACKUP_TITLE "sending backup"

/* Global variable: the address of the session's PGPROC. src/backend/storage/lmgr/proc.c */
#define POSTGRES_OWN_PROC "MyProc"

/* A list with a head. The head and the members have this structure. */
struct postgres_list {
	ct_u64 prev, next;
};

/* LOCK */
struct postgres_lock {
	ct_u8 tag[16];
	ct_u32 granted, wanted;      /* masks of modes */
	struct postgres_list owners; /* of postgres_hold.of_lock */
	/* the waiting sessions, the next owner first; a member is at the start of its PGPROC */
	struct postgres_list waiters;
};
_Static_assert(sizeof(struct postgres_lock) == 56, "postgres_lock");

/* PROCLOCK: what one session has of a lock */
struct postgres_hold {
	ct_u64 lock, proc;
	ct_u64 leader; /* PGPROC of the session to which a parallel worker belongs */
	ct_u32 held;   /* mask of modes */
	ct_u32 released;
	struct postgres_list of_lock;
};
_Static_assert(sizeof(struct postgres_hold) == 48, "postgres_hold");

/*
 * PGPROC. The offsets of its members differ from version to version. In every version, this holds
 * for the first POSTGRES_PROC_BYTES of the PGPROC of a waiting session:
 * - A struct postgres_wait begins at some multiple of 8.
 * - The process id of the session has a lower offset than this struct. The offset is the same in
 *   all sessions. The process id is there twice: the first one is in the latch. Process id 0: a
 *   prepared transaction, which has no process.
 */
#define POSTGRES_PROC_BYTES 256
struct postgres_wait {
	ct_u64 lock, hold; /* waitLock, waitProcLock */
	ct_u32 mode;       /* waitLockMode */
	ct_u32 held;
};
_Static_assert(sizeof(struct postgres_wait) == 24, "postgres_wait");

/* A mask of modes has the bit 1 << mode. LockConflicts in src/backend/storage/lmgr/lock.c: the modes
 * that conflict with mode 1 (AccessShareLock), ..., mode 8 (AccessExclusiveLock). */
#define POSTGRES_MODES 8
#define POSTGRES_CONFLICTS                                                                                   \
	{                                                                                                    \
		0, 0x100, 0x180, 0x1e0, 0x1f0, 0x1d8, 0x1f8, 0x1fc, 0x1fe                                    \
	}

#endif
