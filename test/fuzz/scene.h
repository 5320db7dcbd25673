/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene.h - small traces in which there is something to find: waits for locks with owners, messages, pipes,
 * disks, children, jobs, samples, stacks, and what is missing in between.  The seeds of the fuzzers.
 *
 * Nothing in them depends on the machine or on the time.  The program ends when something fails.
 */
#ifndef CTRACE_TEST_SCENE_H
#define CTRACE_TEST_SCENE_H

enum scene { SCENE_LOCKS, SCENE_MESSAGES, SCENE_LIVES, SCENE_HOLES, SCENE_LAST = SCENE_HOLES };

/* Writes the scene into path, which must not be there. */
void scene_write(const char *path, enum scene which);

#endif
