/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg.h - a flame graph as one SVG file, with a script inside for zoom and search. The file needs no
 * other file, and no network. One thread.
 */
#ifndef CTRACE_CLI_FLAME_SVG_H
#define CTRACE_CLI_FLAME_SVG_H

#include <stdio.h>

#include "analysis/flame/flame.h"

/* flame->total_ns must not be 0. Returns 0 or -ENOMEM. The caller checks f for errors. */
int svg_write(FILE *f, const struct flame *flame, enum flame_kind kind);

#endif
