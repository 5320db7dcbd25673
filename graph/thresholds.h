/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in graph/. Below and Above say what goes wrong
 * if a number is smaller or larger. Evidence names cases in test/unit/graph/ and
 * test/unit/analysis/: a "below" case fails if the number is halved, an "above" case if it is
 * doubled. (With the unit 1/n, below means that n is doubled.)
 */
#ifndef CTRACE_GRAPH_THRESHOLDS_H
#define CTRACE_GRAPH_THRESHOLDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Order of records. A record has the time at which its BPF program ran. One call may run several
 * such programs, also on other CPUs. So the records may be in another order than the events.
 */

/* ns: A send or a receive is recorded when its call returns. The wake-up of the task at the other
 * end comes at most this much earlier. Below: the record is not found. Above: the record of the
 * next message is taken. Evidence: send_recorded_late, receive_recorded_late below; next_message,
 * next_receive above. */
#define MESSAGE_LATE_NS 1000000ULL
/* ns: Bytes on a connection within this host that need at least this long were kept back on their
 * way. Below: a receiver that gets its interrupt late seems to wait for the network. Above: the
 * sender seems to have held up the receiver. Evidence: sent_before_and_late below;
 * sent_before_and_delayed above. */
#define MESSAGE_DELAYED_NS 5000000ULL
/* ns: Like MESSAGE_LATE_NS, but for a send by the waker, which may lose the CPU inside the call.
 * Below: the send is not found. Above: a later send is taken. Evidence: sender_loses_its_cpu below;
 * interrupted_thread_sends_later above. */
#define MESSAGE_SAME_TASK_NS 20000000ULL
/* ns: A CT_WAITFD record that is older than this at the start of a wait is not of this wait. An
 * unchanged set is recorded again once a second (bpf/wait_fds.h). Below: a wait has no set. Above:
 * a wait has the set of an earlier wait. Evidence: set_recorded_before below; set_of_before
 * above. */
#define WAITFD_OLD_NS 2000000000ULL
/* ns: A signal is recorded at most this long after the wake-up that it makes. Below: the wake-up
 * has no cause. Above: another signal of the same sender is taken for the cause. Evidence:
 * wake_for_a_signal below; signal_after_a_wake above. */
#define SIGNAL_LATE_NS 200000ULL
/* ns: Two records of one wait give begins that differ by at most this. The kernel does not keep the
 * begin of a wait exactly. Below: one wait becomes two. Above: two short waits become one.
 * Evidence: found_begin_differs below; found_another_wait above. */
#define FOUND_SLACK_NS 1000000ULL
/* ns: Wake-ups of one waker that are at most this far apart come from one call. Below: a thundering
 * herd is not recognised. Above: two calls in a row are taken for one. Evidence:
 * one_call_wakes_two, one_connection_wakes_two below; two_calls_wake_one_each,
 * two_connections_wake_one_each above. */
#define ONE_CALL_NS 100000ULL

/* A task counts as killed if a fatal signal was sent as it woke, and it exited soon after. */

/* ns: The record of the signal comes at most this long before the wake-up. A killed thread wakes
 * the other threads of its process (zap_other_threads() in kernel/signal.c). Below: a killed thread
 * counts as woken. Above: a thread that is woken while its process handles the signal counts as
 * killed. Evidence: killed_by_its_own_thread below; woken_after_a_signal above. */
#define KILLER_EARLY_NS 20000ULL
/* ns: The record of the signal comes at most this long after the wake-up. complete_signal() in
 * kernel/signal.c wakes all threads before the signal is traced. Below: a killed thread counts as
 * woken. Above: a thread that is woken just before the kill counts as killed. Evidence:
 * killed_with_many_threads below; killed_later above. */
#define KILLER_LATE_NS 2000000ULL
/* ns: A killed task exits at most this long after the wake-up. Below: a program that cleans up
 * counts as woken. Above: a program that handles the signal and ends later counts as killed.
 * Evidence: ends_when_told below; ends_later above. */
#define KILLED_GONE_NS 300000000ULL

/* ns, and 1/n of the time since the first wait: A task has made progress if, between two waits, it
 * runs for longer than the sum of both. Then the second wait is no repeat of the first. Below: if a
 * client polls once a second and logs, its polls are no repeats. Above: polls with work in between
 * are repeats. Evidence for the time: looks_between_short_polls below; works_between_short_polls
 * above. For the share: looks_between_long_polls, loop_looks_and_waits below;
 * works_between_long_polls, loop_works_and_waits above. */
#define PROGRESS_NS    20000000ULL
#define PROGRESS_SHARE 10
/* ns: If a polling task waits for something else for longer than this, its series of polls ends.
 * Below: a client that logs to a slow disk ends its series. Above: the series goes on into the next
 * work. Evidence: logs_between_polls below; waits_between_polls above. */
#define OTHER_WAIT_NS 50000000ULL
/* ns: A false wake-up: the wakee runs for at most this long, has no record of an action, and goes
 * back to the same wait. Below: a look at an empty queue counts as work. Above: short work without
 * recorded actions counts as a false wake-up. Evidence: loop_looks, the_other_is_back_too below;
 * loop_works, the_other_works above. */
#define FALSE_WAKE_NS 50000ULL
/* ns: A task polls for a file lock if it begins to sleep at most this long after a failed try.
 * Below: a task that logs before it sleeps does not count as polling. Above: a task that has given
 * up still counts as polling. Evidence: sleeps_after_a_try below; sleeps_for_another_reason
 * above. */
#define LOCK_TRY_OLD_NS 100000000ULL

/* Returns the longest time that a task can run without progress in the since_ns after its first
 * wait. */
static inline uint64_t no_progress_ns(uint64_t since_ns)
{
	return PROGRESS_NS + since_ns / PROGRESS_SHARE;
}
static inline bool has_made_progress(uint64_t ran_ns, uint64_t since_ns)
{
	return ran_ns > no_progress_ns(since_ns);
}

/* Habits: what a task or an object does again and again. */

/* ns: Several tasks may post on one futex and wake several tasks. Then it is not known for which
 * task a post was meant. A pause longer than this ends such a series of posts. Below: each post
 * counts as meant for the task that it woke. Above: a post after a pause does not. Evidence:
 * posts_at_one_time below; posts_with_a_pause above. */
#define POST_MANY_NS 100000000ULL
/* times: Two tasks use a futex as a lock if each of them has posted, and was woken, at least this
 * often. Below: a producer and a consumer that answer each other twice count as users of a lock.
 * Above: a lock is not recognised. Evidence: own_lock below; turns above. Without the count of
 * wake-ups, the case turns_and_a_poster fails; without the count of posts, turns_and_a_waiter. */
#define TURNS_MIN 4
/* sleeps: A task that makes at least this many sleeps of one length in a row does something
 * periodically. Below: two sleeps that are alike by chance are periodic. Above: a periodic job
 * is found late. Evidence: the cases `sleep` and rounds_begin_with_a_timer. Each of the two is a
 * case below and a case above. */
#define SLEEPS_PERIODIC 3
/* 1/n of a wait: A thread is active if it computes, or waits for something outside of its process,
 * for at least this share of another thread's wait. Below: a thread that looks at its clock is
 * active. Above: a thread that waits for a lock now and then is not active. Evidence:
 * one_computes_a_little below; one_computes_mostly above. */
#define ACTIVE_SHARE 2
/* 1/n of the later of two sleeps: Sleeps that differ by at most this have one length. Below: the
 * sleeps of a periodic job differ. Above: any two sleeps are alike. Evidence: sleeps_alike below;
 * sleeps_not_alike above. */
#define SLEEPS_ALIKE_SHARE 4
/* descriptors: A task that polls at most this many, and has sent a request on one of them, waits
 * for the answer. Another descriptor may be there to wake the task up. Below: such a wait ends the
 * segment. Above: an event loop that is also a client is never idle. Evidence:
 * poll_for_answer_alone below; poll_for_answer_and_others above. */
#define ANSWER_SET_MAX 2
/* share, and frames: Two stacks are alike if their outermost frames are equal: at least MIN frames,
 * and at least PART / OF of the frames of the longer stack. MIN is needed because a few outermost
 * frames are the same in all threads. Below: stacks of different work are alike. Above: stacks of
 * the same work are not alike. Evidence for the share: stacks_not_alike below; stacks_alike above.
 * For MIN: stacks_at_the_start below; neighbours_alike above. */
#define STACKS_ALIKE_PART 3
#define STACKS_ALIKE_OF   4
#define STACKS_ALIKE_MIN  3
/* Kernel fact: the first local port that a connecting socket gets by default
 * (net.ipv4.ip_local_port_range, Documentation/networking/ip-sysctl.rst). If the listening socket
 * was never seen, and only one end has a port below this, that end is the server. Evidence:
 * low_port_serves, which is both a case below and a case above. */
#define PORT_EPHEMERAL 32768
/* ns: A reader that finds nothing to read has read all bytes that were sent to it more than this
 * long before. Below: bytes that are still on their way over loopback are forgotten. Above: after a
 * loss of records, messages are matched wrongly. Evidence: bytes_on_their_way below;
 * bytes_taken_before above. */
#define FLOW_STALE_NS 10000000ULL
/* messages: A hub asks on a connection (flow_reverse_hubs()) if it sent at least HUB_MESSAGES messages
 * on it, and has passed on all but 1/HUB_OWN of the messages of each direction. If HUB_OWN is
 * smaller, a server counts as a hub that grants locks: it passes on each release, which is half of
 * what it receives (test no_hub). If it is larger, a hub with a few messages of its own does not
 * count, such as a D-Bus daemon. */
#define HUB_MESSAGES 4
#define HUB_OWN	     4
/* messages: The most messages that a hub receives before it passes on the first of them. */
#define HUB_BATCH 16

/* ns: If a server pauses in an answer for longer than this, the bytes after the pause are no answer
 * but news. Below: an answer that comes slowly is cut. Above: messages of a subscription make one
 * endless answer. Evidence: answer_in_parts below; news_later above. */
#define REQUEST_PART_NS 1000000000ULL

/* Limits of searches. */

/* steps: All walks along the records of one graph (scan.h) may take STEPS in sum, and EACH more for
 * every event, object and task. Evidence: test/unit/trace/limits_test.c. */
#define GRAPH_SCAN_STEPS      (1ULL << 26)
#define GRAPH_SCAN_STEPS_EACH 64
/* generations: a search for an ancestor of a process goes back at most this far */
#define ANCESTORS_MAX 64
/* Limits of one critical path. DEPTH: nested frames (path.h), including frame 0. PIECES: at this
 * number of pieces, the path follows no further wait. */
#define PATH_MAX_DEPTH  32
#define PATH_MAX_PIECES (4u << 20)
/* records: at most this many are searched for the socket that a task used last */
#define SPOKE_LOOKS 256
/* intervals: how far back the stack of a wait for a lock with time limits is searched. HotSpot makes
 * four shorter waits, and then one of 1 s again and again; the daemon looks at a stack at least
 * every 3 s. Fewer: the wait counts as one for a wake-up. More: nothing found. */
#define LOCK_LOOKS 16
/* ns: A waiter on a futex may have given work to a task that it woke earlier. The wake-up does not
 * count if the waiter has since waited for longer than this. Below: after a brief wait for the
 * begin of a new thread, the next wait does not count as a wait for the new thread. Above: a
 * wake-up that was made for earlier work counts. Evidence: join_after_begin below;
 * work_before_pause above. */
#define HANDED_PAUSE_NS 10000000ULL
/* questions: If an event loop asks more than this many before it answers a request, the time of the
 * first questions counts as time of a later question. */
#define ASKED_STEPS 8
/* looks: How often the critical path looks, in one frame, which task could end the polls of an event
 * loop. More looks cost time (about 10 us each for 50 connections); a result is at most this part
 * of the frame too old. */
#define FRAME_LOOKS 4096
/* threads, and moments: The search for the active thread of a process. THREADS: the largest process
 * that is searched. MOMENTS: how often the state of a thread is looked at in a wait; a prime,
 * because many threads work periodically. */
#define ACTIVE_THREADS 256
#define ACTIVE_MOMENTS 31
/* Limits of one round of an event loop. A round is the time between two polls of the loop. EVENTS:
 * records of all tasks. RECEIVES: sockets on which the loop receives. LOOKS: intervals of the loop.
 * If a round exceeds one of these limits, it is not known for which request the loop worked. LEGS:
 * questions that the loop asked for one request; further questions are left out. */
#define ROUND_EVENTS   (1u << 15)
#define ROUND_RECEIVES 64
#define ROUND_LOOKS    4096
#define LEGS_MAX       256
/* records: at most this many are searched for the signal by which a ptraced task tells its tracer
 * that it stops. The signal comes just before the stop. */
#define TRACER_LOOKS 256
/* records: at most this many are searched for the task to which a waiter gave work */
#define HANDED_LOOKS 1024
/* intervals: at most this many are searched for the last wait of a thread in an epoll */
#define DEBT_LOOKS 256
/* requests: at most this many are searched for one of these:
 * - the parent of a request
 * - the next new request of a task
 * - on a datagram socket for all clients, the request that a segment answers */
#define MATCH_LOOKS 64
/* datagrams: at most this many in a queue are searched for a received datagram. The datagrams in
 * front of it were lost. */
#define MATCH_LOST 1024
/* tasks: one call on a futex may wake many; at most this many are noted */
#define HANDS_HERD 6
/* edges, and processes: One connection may wake several processes. NEAR: edges before and after a
 * wake-up that are searched for other wake-ups. MATES: other processes that are noted. LOOKS: edges
 * after the wake-up that are searched for the first message. */
#define HERD_NEAR  32
#define HERD_MATES 8
#define HERD_LOOKS 256
/* intervals: at most this many are searched for the wait that a wake-up ended. Some intervals have
 * no length, so 1 is not enough. */
#define WAIT_ENDED_LOOKS 8
/* Kernel fact: PID_MAX_LIMIT, include/linux/threads.h. A damaged file may have larger tids. */
#define TIDS_MAX (1u << 22)

#endif
