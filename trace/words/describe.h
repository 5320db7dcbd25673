/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * describe.h - words for what a trace holds: objects, waits, system calls.
 *
 * Pure: no I/O, no allocation, no globals that change; any thread.  Names come
 * from the trace and may hold any byte: what is written to a buffer here is as lib/clean.h shows it, so that
 * it is safe to print.
 *
 * Functions that fill a buffer return the length that the whole text has, as
 * snprintf() does; the text is cut to fit and always 0-terminated.
 */
#ifndef CTRACE_TRACE_WORDS_DESCRIBE_H
#define CTRACE_TRACE_WORDS_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format/window.h"

/* Long enough for nearly every object. */
#define DESCRIBE_MAX 256

/*
 * An object in words: "tcp 127.0.0.1:80->10.0.0.1:4242", "unix @/tmp/x", "pipe:[123]", "futex 0x7f.. of pid
 * 12",
 * "/path/of/file", "pid 12 (sh)".  An id that the window does not know gives what the id itself says; id 0
 * gives "".
 */
size_t describe_object(const struct window *w, uint64_t id, char *buf, size_t size);

/* "futex", "read", ...: the class of a wait, in one word ("run" for CT_W_NONE). */
const char *describe_wait(enum ct_wait wait);
/* A system call of that machine (struct window's): "read"; "" for CT_NR_NONE, NULL when not known. */
const char *describe_syscall(enum machine machine, unsigned nr);
/* A record's kind: "switch", "wake", ...; NULL when not known. */
const char *describe_record(unsigned kind);
/* Which record kind that word is, 0 when none. */
unsigned describe_record_kind(const char *word);
/* The context of a wake: "task", "softirq", ... */
const char *describe_context(unsigned ctx);
/* Why records were lost: "ring-full", ... */
const char *describe_loss(unsigned cause);
/* By which rule a hang was noticed: "loop", "deadlock", ... */
const char *describe_hang(unsigned rule);
/* What the tracer leaves out: "none", "samples", ... */
const char *describe_shed(unsigned step);
/* A task state (CT_ST_*), in one word: "sleep", "disk", ... */
const char *describe_state(unsigned state);
/* A signal without its SIG: "KILL"; NULL when not known. */
const char *describe_signal(unsigned sig);

/* clean_text() of lib/clean.h. */
size_t describe_clean(const char *s, char *buf, size_t size);

#endif
