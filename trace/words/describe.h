/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * describe.h - words for the content of a trace: objects, waits, system calls.
 *
 * Pure: no I/O, no allocation, no globals that change; any thread. Names in a trace may have any
 * bytes. All text that these functions write to a buffer is safe to print (lib/clean.h).
 *
 * Functions that fill a buffer return the length of the whole text, as snprintf() does. The text is
 * cut to fit and always 0-terminated. Functions that return a word return "unknown" for a value
 * that this version does not know, unless their comments say otherwise.
 */
#ifndef CTRACE_TRACE_WORDS_DESCRIBE_H
#define CTRACE_TRACE_WORDS_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/format/window.h"

/* Bytes. Long enough for the text of nearly every object. */
#define DESCRIBE_MAX 256

/*
 * Describes an object, for example as "tcp 127.0.0.1:80->10.0.0.1:4242", "unix @/tmp/x",
 * "pipe:[123]", "futex 0x7f.. of pid 12", "/path/of/file" or "pid 12 (sh)". If the window does not
 * know the id, makes the text from the id alone. For id 0, the text is "".
 */
size_t describe_object(const struct window *w, uint64_t id, char *buf, size_t size);

/* Returns the class of a wait in one word, such as "futex" or "read". For CT_W_NONE, this is
 * "run". */
const char *describe_wait(enum ct_wait wait);
/* Returns the name of the system call that has the number nr on that machine (window.machine), such
 * as "read". Returns "" for CT_NR_NONE, and NULL if the name is not known. */
const char *describe_syscall(enum machine machine, unsigned nr);
/* Returns the word for a kind of record, such as "switch" or "wake", or NULL if the kind is not
 * known. */
const char *describe_record(unsigned kind);
/* Returns the kind of record for a word of describe_record(), or 0 if no kind has this word. */
unsigned describe_record_kind(const char *word);
/* Returns the word for the context of a wake, such as "task" or "softirq". */
const char *describe_context(unsigned ctx);
/* Returns the word for the reason why records were lost, such as "ring-full". */
const char *describe_loss(unsigned cause);
/* Returns the word for the rule by which the daemon noticed a hang (enum ct_hang), such as "loop"
 * or "deadlock". */
const char *describe_hang(unsigned rule);
/* Returns the word for a step of the governor (enum ct_shed), such as "none" or "coarse". */
const char *describe_shed(unsigned step);
/* Returns the word for the state that a CT_FOUND record gives for its task (enum ct_found), such as
 * "folded" or "blocked". */
const char *describe_found(unsigned what);
/* Returns the word for a state of a task (CT_ST_*), such as "sleep" or "disk". */
const char *describe_state(unsigned state);
/* Returns the name of a signal without "SIG", such as "KILL", or NULL if the number is not
 * known. */
const char *describe_signal(unsigned sig);

/* As clean_text() (lib/clean.h). */
size_t describe_clean(const char *s, char *buf, size_t size);

#endif
