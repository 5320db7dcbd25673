/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in graph/.
 *
 * Each entry says: what the number means; what goes wrong below and above it; the evidence.
 * Evidence names cases of the text files in test/unit/graph/ and test/unit/analysis/: those below fail if the
 * number is half as large, those above if it is twice as large.
 * Limits, at the end, keep time and memory bounded and decide nothing in a trace of ordinary size.
 */
#ifndef CTRACE_GRAPH_THRESHOLDS_H
#define CTRACE_GRAPH_THRESHOLDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Order of records.  A record has the time at which its BPF program ran.  One call runs several of them, some
 * on other CPUs, so its records are apart in time, and may be in another order than the events.
 */

/* ns.  A call that sends or receives is recorded when it returns, and the other end may be woken so
 * much before.  Below: the edge has no record.  Above: the next message is taken for this one.
 * Evidence: send_recorded_late and receive_recorded_late below, next_message and next_receive above. */
#define MESSAGE_LATE_NS 1000000ULL
/* ns.  The same where the waker is known to be the sender, which may lose the CPU inside the call.
 * Evidence: sender_loses_its_cpu below, interrupted_thread_sends_later above. */
#define MESSAGE_SAME_TASK_NS 20000000ULL
/* ns.  A set that does not change is written again once a second (bpf/wait_fds.h): an entry that is twice as
 * old is none of the present set.  Evidence: set_recorded_before below, set_of_before above. */
#define WAITFD_OLD_NS 2000000000ULL
/* ns.  A signal is recorded so much after the wake-up that it makes.  Below: the wake-up has no cause.
 * Above: another signal of the same sender is taken for it.  Evidence: wake_for_a_signal below,
 * signal_after_a_wake above. */
#define SIGNAL_LATE_NS 200000ULL
/* ns.  Wake-ups that one call makes are so near to each other.  Below: a crowd of wakees is not
 * recognised. Above: two calls in a row are taken for one.  Evidence: one_call_wakes_two and
 * one_connection_wakes_two below, two_calls_wake_one_each and two_connections_wake_one_each above. */
#define ONE_CALL_NS 100000ULL

/*
 * Killed: a signal that ends programs was sent as the task woke, and the task was gone soon after.
 */

/* ns from the record of the signal to the wake-up: a task that the signal kills wakes the other threads of
 * its process (zap_other_threads() in kernel/signal.c).  Below: a killed thread counts as woken.  Above: a
 * thread that is woken while its process handles the signal counts as killed.
 * Evidence: killed_by_its_own_thread below, woken_after_a_signal above. */
#define KILLER_EARLY_NS 20000ULL
/* ns from the wake-up to the record of the signal.  It is longer than SIGNAL_LATE_NS, as complete_signal() in
 * kernel/signal.c wakes all threads of a process that is killed before the signal is traced.  Below: a
 * killed thread counts as woken.  Above: a thread that is woken just before the kill counts as killed.
 * Evidence: killed_with_many_threads below, killed_later above. */
#define KILLER_LATE_NS 2000000ULL
/* ns from the wake-up to the exit.  Below: a program that cleans up was not killed.  Above: one that
 * handles the signal and later ends by itself was.  Evidence: ends_when_told below, ends_later above. */
#define KILLED_GONE_NS 300000000ULL

/*
 * No progress: between two waits of one kind a task did nothing of its own.
 */

/* ns, and a part (1/n) of the time since.  A task that runs more than both together between two waits
 * has done something else.  Below: a client that polls once a second and logs is not followed.  Above:
 * work is taken for a repeat.  Evidence for the time: looks_between_short_polls below,
 * works_between_short_polls above; for the part: looks_between_long_polls and loop_looks_and_waits below,
 * works_between_long_polls and loop_works_and_waits above. */
#define PROGRESS_NS    20000000ULL
#define PROGRESS_SHARE 10
/* ns.  A longer wait for something else, in between, ends the repeats.  Below: a client that logs to a slow
 * disk is not followed.  Above: the client is followed into its next task.  Evidence: logs_between_polls
 * below, waits_between_polls above. */
#define OTHER_WAIT_NS 50000000ULL
/* ns.  A task that runs no longer after a wake-up, and leaves no record, has not done what it was woken
 * for.  Below: an idle look at a queue is work.  Above: short work that leaves no record is none.
 * Evidence: loop_looks and the_other_is_back_too below, loop_works and the_other_works above. */
#define FALSE_WAKE_NS 50000ULL
/* ns.  A failed try of a file lock is what the sleep after it is for, if it is not older.  Below: a task that
 * logs before it sleeps polls for nothing.  Above: a task that has given up polls for the lock.
 * Evidence: sleeps_after_a_try below, sleeps_for_another_reason above. */
#define LOCK_TRY_OLD_NS 100000000ULL

static inline bool has_made_progress(uint64_t ran_ns, uint64_t since_ns)
{
	return ran_ns > PROGRESS_NS + since_ns / PROGRESS_SHARE;
}

/*
 * Habits: what a task or an object does again and again.
 */

/* ns.  Several posters and several waiters of a futex within this time: which post was for whom is not
 * known.  Below: a post is believed to be for the task that it woke.  Above: a post after a pause is not.
 * Evidence: posts_at_one_time below, posts_with_a_pause above. */
#define POST_MANY_NS 100000000ULL
/* How often each of two tasks has to have posted, and to have been woken, for a futex to be a lock that
 * they hand to each other.  Below: a producer and a consumer that answer each other twice share a lock.
 * Evidence: own_lock below, turns above; turns_and_a_poster and turns_and_a_waiter for both of the two. */
#define TURNS_MIN 4
/* How many sleeps of one length are a loop that does something from time to time, and the part (1/n) by
 * which two such sleeps may differ.  Evidence for the count: sleep and rounds_begin_with_a_timer, on both
 * sides; for the part: sleeps_alike for a smaller one, sleeps_not_alike for a larger one. */
#define SLEEPS_PERIODIC    3
#define SLEEPS_ALIKE_SHARE 4
/* A task that polls for so many descriptors at most, one of which it has sent a request on, waits for the
 * answer: the other one may be a wake-up channel.  Below: such a wait divides its work.  Above: an event
 * loop that is also a client is not idle.  Evidence: poll_for_answer_alone below,
 * poll_for_answer_and_others above. */
#define ANSWER_SET_MAX 2
/* Two stacks are alike if so many of n frames are the same, and at least the first few: the start of
 * every thread's stack is the same.  Evidence for the part: stacks_not_alike below, stacks_alike above;
 * for the first few: stacks_at_the_start below, neighbours_alike above. */
#define STACKS_ALIKE_PART 3
#define STACKS_ALIKE_OF   4
#define STACKS_ALIKE_MIN  3
/* Kernel fact: the first port that is given out to those who connect, by default
 * (net.ipv4.ip_local_port_range, Documentation/networking/ip-sysctl.rst).  Decides only where the listening
 * socket was never seen.  Evidence besides: low_port_serves, on both sides. */
#define PORT_EPHEMERAL 32768
/* ns.  Bytes that are in a queue so long while their reader finds nothing have been read.  Below: bytes
 * that the loopback still carries are forgotten.  Above: after a loss of records messages are matched
 * wrongly.  Evidence: bytes_on_their_way below, bytes_taken_before above. */
#define FLOW_STALE_NS 10000000ULL

/*
 * Limits.
 */

/* Steps that all walks along the records in one graph may take together (scan.h): for any graph, and more
 * for each event, object and task.  Evidence: test/unit/trace/limits_test.c. */
#define GRAPH_SCAN_STEPS      (1ULL << 26)
#define GRAPH_SCAN_STEPS_EACH 64
/* Processes that have started one another, from a task up. */
#define ANCESTORS_MAX 64
/* Tasks on the way from the victim, and pieces, of one path. */
#define PATH_MAX_DEPTH  32
#define PATH_MAX_PIECES (4u << 20)
/* Requests that anybody may have sent, among which the one that is answered is looked for. */
#define MATCH_LOOKS 64
/* Datagrams that may be lost one after the other. */
#define MATCH_LOST 1024
/* Tasks that are woken together by posts on a futex, and told apart. */
#define HANDS_HERD 6
/* Wake-ups by one connection: edges before and after that are looked at for those woken together, processes
 * that are told apart, and edges after it among which the first message is looked for. */
#define HERD_NEAR  32
#define HERD_MATES 8
#define HERD_LOOKS 256
/* Intervals without length that are looked at for the one that a wake-up ended. */
#define WAIT_ENDED_LOOKS 8
/* Kernel fact: PID_MAX_LIMIT, include/linux/threads.h.  A damaged file may have larger ones. */
#define TIDS_MAX (1u << 22)

#endif
