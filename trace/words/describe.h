/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * describe.h - words for the content of a trace: objects, waits, system calls.
 *
 * Pure: no I/O, no allocation, no globals that change; any thread. Names in a trace may have any
 * bytes: lib/clean.h makes all text that these functions write to a buffer safe to print.
 *
 * Functions that fill a buffer return the length of the whole text, as snprintf() does. The text is
 * cut to fit and always 0-terminated.
 */
#ifndef CTRACE_TRACE_WORDS_DESCRIBE_H
#define CTRACE_TRACE_WORDS_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format/window.h"

/* Long enough for nearly every object. */
#define DESCRIBE_MAX 256

/*
 * An object in words: "tcp 127.0.0.1:80->10.0.0.1:4242", "unix @/tmp/x", "pipe:[123]", "futex
 * 0x7f.. of pid 12", "/path/of/file", "pid 12 (sh)". If the window does not know the id, the words
 * are made from the id alone. id 0 gives "".
 */
size_t describe_object(const struct window *w, uint64_t id, char *buf, size_t size);

/* The class of a wait in one word: "futex", "read", ...; "run" for CT_W_NONE. */
const char *describe_wait(enum ct_wait wait);
/* The name of a system call ("read") by its number on that machine (window.machine). "" for
 * CT_NR_NONE; NULL: not known. */
const char *describe_syscall(enum machine machine, unsigned nr);
/* A record's kind: "switch", "wake", ...; NULL when not known. */
const char *describe_record(unsigned kind);
/* The record kind for a word of describe_record(); 0: no kind has this word. */
unsigned describe_record_kind(const char *word);
/* The context of a wake: "task", "softirq", ... */
const char *describe_context(unsigned ctx);
/* Why records were lost: "ring-full", ... */
const char *describe_loss(unsigned cause);
/* The rule by which a hang was noticed: "loop", "deadlock", ... */
const char *describe_hang(unsigned rule);
/* A step of the governor (enum ct_shed): "none", "hooks", "coarse", ... */
const char *describe_shed(unsigned step);
/* What a CT_FOUND says about its task (enum ct_found): "folded", "blocked", ... */
const char *describe_found(unsigned what);
/* A task state (CT_ST_*), in one word: "sleep", "disk", ... */
const char *describe_state(unsigned state);
/* A signal, without "SIG": "KILL". NULL: not known. */
const char *describe_signal(unsigned sig);

/* As clean_text() (lib/clean.h). */
size_t describe_clean(const char *s, char *buf, size_t size);

#endif
