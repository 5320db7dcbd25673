/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inspect_look.h - one inspection of one task, without the queues and the thread. Not thread-safe. */
#ifndef CTRACE_DAEMON_INSPECT_INSPECT_LOOK_H
#define CTRACE_DAEMON_INSPECT_INSPECT_LOOK_H

#include "daemon/inspect/inspect_java.h"
#include "daemon/inspect/polled.h"
#include "lib/map.h"
#include "daemon/stack/symbols.h"
#include "daemon/stack/unwind.h"
#include "daemon/inspect/inspect_result.h"

/* Many accesses to a watched variable come from the same few places, so the stacks of the last
 * accesses are kept. */
#define INSPECT_LOOK_KNOWN 16
struct inspect_look_known {
	uint64_t ns;
	uint32_t tgid, n;
	uint64_t ip[CT_RAWSTACK_MAX];
	struct ct_stack_blob *stack;
};

/* If `futexes` has this many entries, it is emptied before a new entry is added. */
#define INSPECT_FUTEXES_MAX 4096

struct inspect_look {
	struct unwind *unwind;
	struct symbols *symbols;
	struct polled *polled;
	struct map futexes; /* keys: futexes whose names were already searched for */
	struct map procs;   /* see inspect_postgres() */
	struct java_layouts java;
	uint32_t own_pidns, own_ipcns;
	uint64_t suspended_ns;
	struct inspect_look_known known[INSPECT_LOOK_KNOWN];
	/* the present stack: n names in `text` */
	size_t n;
	bool cut; /* the outermost frames of the stack are missing */
	char text[CT_ITER_KSTACK + UNWIND_FRAMES_MAX][SYMBOLS_TEXT_MAX];
};

int inspect_look_new(const struct symbols_kernel *kernel, struct inspect_look **ret);
void inspect_look_free(struct inspect_look *l);
bool inspect_look_same_wait(const struct inspect_look *l, const struct inspect_want *w,
			    const struct ct_iter_task *t);
/* t: as just read by the task iterator. Returns 0, -ESRCH if the wait has ended, or -ENOMEM. The
 * caller frees *ret with inspect_result_free(). */
int inspect_look_wait(struct inspect_look *l, const struct inspect_want *w, const struct ct_iter_task *t,
		      struct inspect_result **ret);
/* Returns 0 or -ENOMEM. The caller frees *ret with inspect_result_free(). */
int inspect_look_sample(struct inspect_look *l, const struct ct_rawstack_blob *raw,
			struct inspect_result **ret);
bool inspect_look_spin_wanted(struct inspect_look *l, uint32_t tid);
void inspect_look_spin(struct inspect_look *l, const struct ct_iter_task *t, struct inspect_result *r);
int inspect_look_crash(struct inspect_look *l, const struct ct_rawcrash_blob *raw,
		       struct inspect_result **ret);
/* Returns 0, -ENOMEM, or -ESRCH if the process has ended, or runs another program by now: then the code at
 * the saved address is not known. */
int inspect_look_job(struct inspect_look *l, const struct ct_rawjob_blob *raw, struct inspect_result **ret);
int inspect_look_access(struct inspect_look *l, const struct ct_rawaccess_blob *raw,
			struct inspect_result **ret);
struct ct_rec inspect_look_access_rec(const struct ct_rawaccess_blob *raw);

#endif
