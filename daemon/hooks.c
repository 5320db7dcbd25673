/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/hooks.h"
#include "lib/cleanup.h"

#define CONTEXT_WITHOUT "wakes from this interrupt are laid at the door of the task that it interrupted"

const struct hook_def hooks_defs[] = {
	{ "sched", "sched/switch", "nothing can be traced", true },
	{ "sched", "sched/waking", "nobody knows who ended a wait", true },
	{ "sched", "sched/wakeup_new", "the first wake of a new task", false },
	{ "life", "life/fork", "new tasks have no name and no creator", true },
	{ "life", "life/exec", "programs keep the name of the shell that started them", false },
	{ "life", "life/rename", "threads that name themselves keep their old name", false },
	{ "life", "life/exit", "the end of a task, and its exit status", true },
	{ "irq", "irq/softirq", CONTEXT_WITHOUT, false },
	{ "irq", "irq/handler", CONTEXT_WITHOUT, false },
	{ "irq", "irq/timer", CONTEXT_WITHOUT "; long runs are not sampled", false },
	{ "irq", "irq/ipi", CONTEXT_WITHOUT, false },
	{ "iter", "iter/task", "tasks that were there before have no name and no wait", false },
	{ "iter", "iter/files", "descriptors opened before are not known by what they stand for", false },
};
const size_t hooks_n_defs = ARRAY_SIZE(hooks_defs);

#define TP(hook, prog, target)                                                                               \
	{                                                                                                    \
		hook, prog, "tp_btf", target, 0                                                              \
	}

const struct hook_prog hooks_progs[] = {
	TP("sched/switch", "ct_switch", "sched_switch"),
	TP("sched/waking", "ct_waking", "sched_waking"),
	TP("sched/wakeup_new", "ct_wake_new", "sched_wakeup_new"),
	TP("life/fork", "ct_fork", "sched_process_fork"),
	TP("life/exec", "ct_exec", "sched_process_exec"),
	TP("life/rename", "ct_rename", "task_rename"),
	TP("life/exit", "ct_exit", "sched_process_exit"),
	TP("irq/softirq", "ct_softirq_exit", "softirq_exit"),
	TP("irq/softirq", "ct_softirq_entry", "softirq_entry"),
	TP("irq/handler", "ct_irq_exit", "irq_handler_exit"),
	TP("irq/handler", "ct_irq_entry", "irq_handler_entry"),
	TP("irq/timer", "ct_hrtimer_exit", "hrtimer_expire_exit"),
	TP("irq/timer", "ct_hrtimer_entry", "hrtimer_expire_entry"),
	TP("irq/ipi", "ct_irq_work_exit", "irq_work_exit"),
	TP("irq/ipi", "ct_irq_work_entry", "irq_work_entry"),
	TP("irq/ipi", "ct_reschedule_exit", "reschedule_exit"),
	TP("irq/ipi", "ct_reschedule_entry", "reschedule_entry"),
	TP("irq/ipi", "ct_call_function_exit", "call_function_exit"),
	TP("irq/ipi", "ct_call_function_entry", "call_function_entry"),
	TP("irq/ipi", "ct_call_function_single_exit", "call_function_single_exit"),
	TP("irq/ipi", "ct_call_function_single_entry", "call_function_single_entry"),
	{ "iter/task", "ct_iter_tasks", "iter", "", 0 },
	{ "iter/files", "ct_iter_files", "iter", "", 0 },
};
const size_t hooks_n_progs = ARRAY_SIZE(hooks_progs);
