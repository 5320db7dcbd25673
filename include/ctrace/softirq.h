/* SPDX-License-Identifier: GPL-2.0-or-later */
/* softirq.h - the kernel's softirq vectors (include/linux/interrupt.h, since 4.5). No system header
 * has them. */
#ifndef CTRACE_SOFTIRQ_H
#define CTRACE_SOFTIRQ_H

enum softirq {
	HI_SOFTIRQ = 0,
	TIMER_SOFTIRQ,
	NET_TX_SOFTIRQ,
	NET_RX_SOFTIRQ,
	BLOCK_SOFTIRQ,
	IRQ_POLL_SOFTIRQ,
	TASKLET_SOFTIRQ,
	SCHED_SOFTIRQ,
	HRTIMER_SOFTIRQ,
	RCU_SOFTIRQ,
};

#endif
