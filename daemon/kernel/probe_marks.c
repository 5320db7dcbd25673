/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_marks.c - finds the functions of the kernel that show which interrupt is in progress, and gives their
 * addresses to the programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctrace/softirq.h"
#include "daemon/kernel/probe_private.h"
#include "lib/cleanup.h"

#define SOFTIRQ(vector) GOVERN_MARK(CT_CTX_SOFTIRQ, vector)

/* A kernel has some of these functions. Its compiler may add a suffix to the name, such as ".isra.0". */
static const struct mark_function {
	const char *name;
	uint32_t what;
} mark_functions[] = {
	{ "net_rx_action", SOFTIRQ(NET_RX_SOFTIRQ) },
	{ "net_tx_action", SOFTIRQ(NET_TX_SOFTIRQ) },
	{ "blk_done_softirq", SOFTIRQ(BLOCK_SOFTIRQ) },
	{ "irq_poll_softirq", SOFTIRQ(IRQ_POLL_SOFTIRQ) },
	{ "run_timer_softirq", SOFTIRQ(TIMER_SOFTIRQ) },
	{ "hrtimer_run_softirq", SOFTIRQ(HRTIMER_SOFTIRQ) },
	{ "tasklet_action", SOFTIRQ(TASKLET_SOFTIRQ) },
	{ "tasklet_hi_action", SOFTIRQ(HI_SOFTIRQ) },
	{ "rcu_core", SOFTIRQ(RCU_SOFTIRQ) },
	{ "rcu_core_si", SOFTIRQ(RCU_SOFTIRQ) },
	{ "sysvec_reschedule_ipi", GOVERN_MARK(CT_CTX_IPI, 0) },
	{ "generic_smp_call_function_single_interrupt", GOVERN_MARK(CT_CTX_IPI, 0) },
	{ "flush_smp_call_function_queue", GOVERN_MARK(CT_CTX_IPI, 0) },
	{ "__flush_smp_call_function_queue", GOVERN_MARK(CT_CTX_IPI, 0) },
	{ "irq_work_single", GOVERN_MARK(CT_CTX_IPI, 0) },
	{ "handle_irq_event", GOVERN_MARK(CT_CTX_HARDIRQ, 0) },
	{ "handle_irq_event_percpu", GOVERN_MARK(CT_CTX_HARDIRQ, 0) },
	{ "irq_exit", GOVERN_MARK_CUT_IN },
	{ "irq_exit_rcu", GOVERN_MARK_CUT_IN },
	{ "__irq_exit_rcu", GOVERN_MARK_CUT_IN },
};
_Static_assert(sizeof(mark_functions) / sizeof(*mark_functions) <= GOVERN_MARKS, "GOVERN_MARKS");

/* name: a line of /proc/kallsyms ("ffffffff81000000 T name"), from the name on. Returns the entry of
 * mark_functions with this name. NULL: there is none, or the symbol is one of a module (a tab follows the
 * name). */
static const struct mark_function *mark_in(const char *name)
{
	for (size_t i = 0; i < sizeof(mark_functions) / sizeof(*mark_functions); i++) {
		size_t n = strlen(mark_functions[i].name);

		if (!strncmp(name, mark_functions[i].name, n) && (name[n] == '\n' || name[n] == '.'))
			return &mark_functions[i];
	}
	return NULL;
}

void probe_mark(struct probe *p)
{
	volatile struct govern_marks *m = &p->skel->data_marks->ct_marks;
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	const struct mark_function *open = NULL;
	_cleanup_free_ char *line = NULL;
	uint64_t from = 0, addr;
	uint32_t n = 0;
	size_t cap = 0;
	char *end;

	/* The symbols of the kernel itself are in the order of their addresses. So a function ends at the
	 * first symbol with a higher address. Addresses of 0 are hidden. */
	while (f && n < GOVERN_MARKS && getline(&line, &cap, f) > 0) {
		addr = strtoull(line, &end, 16);
		if (end[0] != ' ' || !end[1] || end[2] != ' ')
			continue;
		if (open && addr > from) {
			m->v[n].from = from;
			m->v[n].what = open->what;
			__atomic_store_n(&m->v[n].bytes, (uint32_t)(addr - from), __ATOMIC_RELEASE);
			n++;
			open = NULL;
		}
		if (!open && addr && strchr("tT", end[1]) && (open = mark_in(end + 3)))
			from = addr;
	}
	__atomic_store_n(&m->n, n, __ATOMIC_RELEASE);
}
