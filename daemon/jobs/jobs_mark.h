/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_mark.h - finds the marks that a program makes with ctrace-marks.h. For each mark, the
 * program's ELF file has a note of sys/sdt.h (jobs_note.h). The provider of the note is
 * "ctrace_marks". The name of the note is for example "begin:checkout". jobs_note.args[0] is the id
 * of the transaction. The bytes of a note may be hostile. Pure.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_MARK_H
#define CTRACE_DAEMON_JOBS_JOBS_MARK_H

#include <stdbool.h>

#include "daemon/jobs/jobs_note.h"

/* how many marks of one file get a probe; each probe takes descriptors of the daemon */
#define JOBS_MARKS_MAX 64

/* Makes the rule for a mark's probe. Returns false if the note is no mark. */
bool jobs_mark_rule(const struct jobs_note *n, struct job_rule *ret);

#endif
