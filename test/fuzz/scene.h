/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene.h - small traces, with which the fuzzers begin. The records are the same on every machine.
 * The file at path must not exist. On an error the program ends. */
#ifndef CTRACE_TEST_SCENE_H
#define CTRACE_TEST_SCENE_H

enum scene { SCENE_LOCKS, SCENE_MESSAGES, SCENE_LIVES, SCENE_HOLES, SCENE_LAST = SCENE_HOLES };

void scene_write(const char *path, enum scene which);

#endif
