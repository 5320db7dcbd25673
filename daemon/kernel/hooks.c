/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/kernel/hooks.h"
#include "lib/cleanup.h"

#define CONTEXT_WITHOUT "wakes from this interrupt are attributed to the task that it interrupted"

const struct hook_def hooks_defs[] = {
	{ "sched", "sched/switch", "nothing can be traced", true, 0, CT_SHED_COARSE },
	{ "sched", "sched/waking", "the waker that ended a wait is not known", true, 0, CT_SHED_COARSE },
	{ "sched", "sched/wakeup_new", "the first wake of a new task is not known", false, 0,
	  CT_SHED_COARSE },
	{ "sched", "sched/coarse", "a very busy machine leads to pauses of the recording", false,
	  CT_SHED_COARSE, 0 },
	{ "life", "life/fork", "new tasks have no name and no creator", true, 0, 0 },
	{ "life", "life/exec", "programs keep the name of the shell that started them", false, 0, 0 },
	{ "life", "life/rename", "threads that name themselves keep their old name", false, 0, 0 },
	{ "life", "life/exit", "the end of a task and its exit status are not known", true, 0, 0 },
	{ "irq", "irq/softirq", CONTEXT_WITHOUT, false, 0, CT_SHED_HOOKS },
	{ "irq", "irq/handler", CONTEXT_WITHOUT, false, 0, CT_SHED_HOOKS },
	{ "irq", "irq/timer", CONTEXT_WITHOUT "; long runs are not sampled", false, 0, 0 },
	{ "irq", "irq/ipi", CONTEXT_WITHOUT, false, 0, CT_SHED_HOOKS },
	{ "signal", "signal/generate", "the sender of a signal is not known", false, 0, 0 },
	{ "signal", "signal/deliver", "the time when a signal took effect is not known", false, 0, 0 },
	{ "signal", "signal/crash", "a crash is recorded without its stack", false, 0, 0 },
	{ "msg", "msg/send", "messages are not matched from sender to receiver", false, 0, CT_SHED_HOOKS },
	{ "msg", "msg/recv", "messages are not matched from sender to receiver", false, 0, CT_SHED_HOOKS },
	{ "block", "block/issue", "the requests to a disk, and their tasks, are not known", false, 0, 0 },
	{ "block", "block/done", "the end of a request to a disk is not known", false, 0, 0 },
	{ "lock", "lock/posix", "the owner of a lock taken with fcntl is known only from /proc/locks", false,
	  0, 0 },
	{ "lock", "lock/flock", "the owner of a lock taken with flock is known only from /proc/locks", false,
	  0, 0 },
	{ "watch", "watch/write", "no variable can be watched ('ctrace watch')", false, 0, 0 },
	{ "watch", "watch/read", "reads of a watched variable are not recorded", false, 0, 0 },
	{ "iter", "iter/task", "tasks older than the daemon have no name and no wait", false, 0, 0 },
	{ "iter", "iter/files", "the objects of descriptors that were opened before are not known", false, 0,
	  0 },
	{ "jobs", "jobs/report", "the begin, the end and the origin of a framework's job are not known",
	  false, 0, 0 },
	{ "jobs", "jobs/text", "the texts of calls are not known, so calls with a text are not recorded",
	  false, 0, 0 },
};
const size_t hooks_n_defs = ARRAY_SIZE(hooks_defs);

#define TP(hook, prog, target)                                                                               \
	{                                                                                                    \
		hook, prog, "tp_btf", target, 0                                                              \
	}
#define FEXIT(hook, function)                                                                                \
	{                                                                                                    \
		hook, "ct_fexit_" #function, "fexit", #function, 1                                           \
	}

const struct hook_prog hooks_progs[] = {
	TP("sched/switch", "ct_switch", "sched_switch"),
	TP("sched/waking", "ct_waking", "sched_waking"),
	TP("sched/wakeup_new", "ct_wake_new", "sched_wakeup_new"),
	TP("sched/coarse", "ct_waking_coarse", "sched_waking"),
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
	TP("signal/generate", "ct_signal", "signal_generate"),
	TP("signal/deliver", "ct_signal_deliver", "signal_deliver"),
	TP("signal/crash", "ct_crash", "signal_deliver"),
	/* At the start of the capture, the programs are attached in this order. Receives come first: if
	 * a send has a record, and its receive has none, all later bytes of the connection are matched
	 * with the wrong sends. Later, ct_govern switches both on and off at once. */
	TP("msg/recv", "ct_recv", "sock_recv_length"),
	FEXIT("msg/recv", unix_stream_recvmsg),
	FEXIT("msg/recv", unix_dgram_recvmsg),
	FEXIT("msg/recv", inet_recvmsg),
	FEXIT("msg/recv", inet6_recvmsg),
	TP("msg/send", "ct_send", "sock_send_length"),
	FEXIT("msg/send", unix_stream_sendmsg),
	FEXIT("msg/send", unix_dgram_sendmsg),
	FEXIT("msg/send", inet_sendmsg),
	FEXIT("msg/send", inet6_sendmsg),
	TP("block/issue", "ct_block_issue", "block_rq_issue"),
	TP("block/done", "ct_block_done", "block_rq_complete"),
	TP("lock/posix", "ct_lock_posix", "posix_lock_inode"),
	TP("lock/flock", "ct_lock_flock", "flock_lock_inode"),
	{ "watch/write", "ct_watch_write", "breakpoint", "", 0 },
	{ "watch/read", "ct_watch_any", "breakpoint", "", 0 },
	{ "iter/task", "ct_iter_tasks", "iter", "", 0 },
	{ "iter/files", "ct_iter_files", "iter", "", 0 },
	{ "jobs/report", "ct_job_entry", "uprobe", "", 0 },
	{ "jobs/report", "ct_job_return", "uprobe", "", 0 },
	{ "jobs/text", "ct_call_entry", "uprobe", "", 0 },
};
const size_t hooks_n_progs = ARRAY_SIZE(hooks_progs);
