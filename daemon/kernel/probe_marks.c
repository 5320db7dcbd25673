/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe_marks.c - finds the functions of the kernel that show which interrupt is in progress. */
#include <string.h>

#include "ctrace/softirq.h"
#include "daemon/kernel/probe_private.h"

#define SOFTIRQ(vector) GOVERN_MARK(CT_CTX_SOFTIRQ, vector)

/* No kernel has all of these functions. A compiler may add a suffix such as ".isra.0". */
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

static uint32_t mark_in(const char *name)
{
	for (size_t i = 0; i < sizeof(mark_functions) / sizeof(*mark_functions); i++) {
		size_t n;

		if (*name != *mark_functions[i].name) /* fast: there are 100 000 names */
			continue;
		n = strlen(mark_functions[i].name);
		if (!strncmp(name, mark_functions[i].name, n) && (!name[n] || name[n] == '.'))
			return mark_functions[i].what;
	}
	return 0;
}

/* Here, a mark is a function of the kernel that is in mark_functions. A mark ends where the next
 * function of the kernel begins. */
void probe_mark(struct probe *p, const char *name, uint64_t addr)
{
	volatile struct govern_marks *m = &p->skel->data_marks->ct_marks;

	if (p->mark.what && addr > p->mark.from) {
		m->v[p->mark.n].from = p->mark.from;
		m->v[p->mark.n].what = p->mark.what;
		__atomic_store_n(&m->v[p->mark.n].bytes, (uint32_t)(addr - p->mark.from), __ATOMIC_RELEASE);
		p->mark.n++;
		p->mark.what = 0;
	}
	if (!p->mark.what && p->mark.n < GOVERN_MARKS) {
		p->mark.what = mark_in(name);
		p->mark.from = addr;
	}
}

void probe_mark_end(struct probe *p)
{
	__atomic_store_n(&p->skel->data_marks->ct_marks.n, p->mark.n, __ATOMIC_RELEASE);
}
