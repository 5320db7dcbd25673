/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * describe.h - words for the content of a trace. Pure; any thread.
 *
 * Functions with a buffer return the length of the whole text. The text in the buffer is safe to
 * print (lib/clean.h), and 0-terminated even if cut.
 *
 * Functions that return a word return "unknown" for a value of a later version, unless the comment
 * of the function says otherwise.
 */
#ifndef CTRACE_TRACE_WORDS_DESCRIBE_H
#define CTRACE_TRACE_WORDS_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format/window.h"

#define DESCRIBE_MAX 256

/* The text is for example "tcp 127.0.0.1:80->10.0.0.1:4242", "unix @/tmp/x", "pipe:[123]" or
 * "/path/of/file". For an id of the kind CT_OBJ_NONE, such as 0, it is "". Any other id has a text,
 * even if the window does not know the id. */
size_t describe_object(const struct window *w, uint64_t id, char *buf, size_t size);

/* Returns a word such as "futex" or "read", or "run" for CT_W_NONE. */
const char *describe_wait(enum ct_wait wait);
/* machine: window.machine. Returns "" for CT_NR_NONE, and NULL for an unknown call. */
const char *describe_syscall(enum machine machine, unsigned nr);
/* A word such as "switch", or NULL for an unknown kind. */
const char *describe_record(unsigned kind);
/* Returns a word such as "key" or "button-up", or NULL. */
const char *describe_input(enum ct_input what);
/* Returns 0 for an unknown word. */
unsigned describe_record_kind(const char *word);
const char *describe_context(unsigned ctx);
const char *describe_loss(unsigned cause);
/* enum ct_hang: for example "loop" */
const char *describe_hang(unsigned rule);
/* enum ct_shed: for example "coarse" */
const char *describe_shed(unsigned step);
/* enum ct_found: for example "folded" */
const char *describe_found(unsigned what);
/* CT_ST_*: for example "sleep" */
const char *describe_state(unsigned state);
/* Returns the name without "SIG", such as "KILL", or NULL for an unknown number. */
const char *describe_signal(unsigned sig);

size_t describe_clean(const char *s, char *buf, size_t size);

#endif
