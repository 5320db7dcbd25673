/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene.h - small traces, with which the fuzzers begin. The traces have locks whose owners are
 * known, messages, pipes, disks, children, jobs, samples, stacks and gaps.
 *
 * The records do not depend on the machine or on the present time. On an error the program ends.
 */
#ifndef CTRACE_TEST_SCENE_H
#define CTRACE_TEST_SCENE_H

enum scene { SCENE_LOCKS, SCENE_MESSAGES, SCENE_LIVES, SCENE_HOLES, SCENE_LAST = SCENE_HOLES };

/* Writes the scene to path, which must not exist. */
void scene_write(const char *path, enum scene which);

#endif
