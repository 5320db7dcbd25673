/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shown.h - private to cli/: the frames of a flame (analysis/flame/flame.h) as text. */
#ifndef CTRACE_CLI_EXPORT_SHOWN_H
#define CTRACE_CLI_EXPORT_SHOWN_H

#include "analysis/flame/flame.h"

/* shown_text() writes `text` in its shown form (lib/clean.h). shown_frame() writes the text of a
 * node in this form. Both functions cut a text that does not fit into buf, and return buf. */
#define SHOWN_FRAME_MAX 1024
const char *shown_text(const char *text, char buf[SHOWN_FRAME_MAX]);
const char *shown_frame(const struct flame *f, uint32_t node, char buf[SHOWN_FRAME_MAX]);
/* Prints a warning if frames are missing from the flame because of a limit (f->refused). */
void shown_limits(const struct flame *f);

#endif
