/* SPDX-License-Identifier: GPL-2.0-or-later */
/* part.h - a part of a profile (profile.h). Pure; any thread. */
#ifndef CTRACE_ANALYSIS_PROFILE_PART_H
#define CTRACE_ANALYSIS_PROFILE_PART_H

#include <stdint.h>

enum part_class {
	PART_CLASS_RUNNING,
	/* waiting for a CPU, in these cases:
	 * - a task of the program had the CPU;
	 * - it is not known which task had the CPU;
	 * - the CPU quota was used up */
	PART_CLASS_CPU,
	PART_CLASS_LOCK,
	PART_CLASS_IPC,
	PART_CLASS_DISK,
	PART_CLASS_NETWORK,
	PART_CLASS_TIMER,
	PART_CLASS_QUEUE,
	PART_CLASS_FAULT,
	PART_CLASS_SHORT, /* waits shorter than CT_COARSE_NS; only their sum is known */
	PART_CLASS_UNKNOWN,
	/* waiting for a CPU that another program or ctrace had, or that was idle; or for a disk that
	 * other programs used too */
	PART_CLASS_ENVIRONMENT,
	PART_CLASSES,
};
/* Returns "running", "cpu", "lock", ... */
const char *part_class_name(enum part_class c);
/* Returns PART_CLASSES if no class has this word. */
enum part_class part_class_of(const char *word);

#define PART_TEXT_MAX 512 /* bytes of each text of a part, with its 0 */

struct profile_part {
	/* `key` and `detail` name the part. `detail` is a function or a symbol. Only samples or an
	 * inspection find `detail`, so it may be "" in another run. */
	char *key, *detail;
	char *text; /* for people; safe to print */
	uint64_t ns;
	uint64_t count; /* the number of intervals; for a running function: the number of samples */
	/* wakes: how often a task woke at the end of a piece of this part (path.h). queued_ns: how long the
	 * woken tasks then waited for a CPU. Only waits of PART_CLASS_ENVIRONMENT are in queued_ns, and
	 * they are not in `ns`. Baseline files have neither wakes nor queued_ns. */
	uint64_t wakes, queued_ns;
	enum part_class class;
};

/* Frees the texts. Accepts a part of zeroes. */
void part_done(struct profile_part *p);
/* Orders by key, then by detail, like texts_order(). */
int part_name_order(const char *key, const char *detail, const char *other_key, const char *other_detail);
int part_order(const struct profile_part *a, const struct profile_part *b);

#endif
