/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in graph/.
 *
 * Each entry says: the unit; what the number means; what goes wrong if the number is smaller
 * (Below) or larger (Above); the evidence. The evidence names cases of the text files in
 * test/unit/graph/ and test/unit/analysis/. A case that is named with "below" fails if the number
 * is half as large. A case that is named with "above" fails if the number is twice as large. If the
 * unit is a share 1/n, "below" means that the share is half as large (n is twice as large). The
 * limits at the end keep time and memory bounded. In a trace of ordinary size these limits decide
 * nothing.
 */
#ifndef CTRACE_GRAPH_THRESHOLDS_H
#define CTRACE_GRAPH_THRESHOLDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Order of records. The time of a record is the time at which its BPF program ran. One system call runs
 * several such programs, some of them on other CPUs. So the records of one call differ in time, and their
 * order may differ from the order of the events.
 */

/* ns: A send or a receive is recorded when its call returns. The task at the other end may be
 * woken up to this much earlier. Below: the edge does not find the record of its send or receive.
 * Above: the edge takes the record of the next message. Evidence: send_recorded_late,
 * receive_recorded_late below; next_message, next_receive above. */
#define MESSAGE_LATE_NS 1000000ULL
/* ns: If bytes arrive this long or longer after they were sent, on a connection within this host,
 * they were kept back on their way. Below: a receiver that gets its interrupt late seems to wait
 * for the network. Above: the sender seems to have held up the receiver. Evidence:
 * sent_before_and_late below; sent_before_and_delayed above. */
#define MESSAGE_DELAYED_NS 5000000ULL
/* ns: Like MESSAGE_LATE_NS, but for a send by the waker itself. The time is longer, because the
 * sender may lose the CPU inside the call. Below: the edge does not find the record of the send.
 * Above: the edge takes a later send of a task that an interrupt stopped. Evidence:
 * sender_loses_its_cpu below; interrupted_thread_sends_later above. */
#define MESSAGE_SAME_TASK_NS 20000000ULL
/* ns: A CT_WAITFD record has one descriptor of the set that a wait polls. If the record is older
 * than this when a wait starts, it does not belong to the set of this wait. A set that does not
 * change is recorded again once a second (bpf/wait_fds.h). Below: a wait has no set. Above: a
 * wait has the set of an earlier wait. Evidence: set_recorded_before below; set_of_before above. */
#define WAITFD_OLD_NS 2000000000ULL
/* ns: A signal makes a wake-up, and the signal is recorded at most this long after the wake-up.
 * Below: the wake-up has no cause. Above: another signal of the same sender is taken for the
 * cause. Evidence: wake_for_a_signal below; signal_after_a_wake above. */
#define SIGNAL_LATE_NS 200000ULL
/* ns: A CT_FOUND has the begin of a wait. This begin differs by at most this time from the begin in
 * another record of the same wait, because the kernel does not keep the begin of a wait exactly.
 * Below: one wait becomes two. Above: two short waits become one. Evidence: found_begin_differs
 * below; found_another_wait above. */
#define FOUND_SLACK_NS 1000000ULL
/* ns: Wake-ups of one waker that are at most this far apart come from one call. Below: a thundering herd is
 * not recognised. Above: two calls in a row are taken for one. Evidence: one_call_wakes_two,
 * one_connection_wakes_two below; two_calls_wake_one_each, two_connections_wake_one_each above. */
#define ONE_CALL_NS 100000ULL

/*
 * When a task counts as killed: a signal that ends programs was sent as the task woke, and the task
 * exited soon after.
 */

/* ns: The record of the signal comes at most this long before the wake-up. The task that gets the signal
 * wakes the other threads of its process (zap_other_threads() in kernel/signal.c). Below: a killed thread
 * counts as woken. Above: a thread that is woken while its process handles the signal counts as killed.
 * Evidence: killed_by_its_own_thread below; woken_after_a_signal above. */
#define KILLER_EARLY_NS 20000ULL
/* ns: The record of the signal comes at most this long after the wake-up. This time is longer than
 * SIGNAL_LATE_NS, because complete_signal() in kernel/signal.c wakes all threads of a killed process before
 * the signal is traced. Below: a killed thread counts as woken. Above: a thread that is woken just before the
 * kill counts as killed. Evidence: killed_with_many_threads below; killed_later above. */
#define KILLER_LATE_NS 2000000ULL
/* ns: A killed task exits at most this long after the wake-up. Below: a program that cleans up counts as
 * woken. Above: a program that handles the signal and later ends by itself counts as killed. Evidence:
 * ends_when_told below; ends_later above. */
#define KILLED_GONE_NS 300000000ULL

/* When a task makes no progress: between two waits of one kind it did nothing of its own. */

/* ns, and 1/n of the time since the first wait: A task runs between two waits. If it runs for
 * longer than the sum of both numbers, it has made progress, and the second wait is no repeat of
 * the first one. Below: a client that polls once a second and logs is not followed. Above: work
 * counts as a repeat of the poll. Evidence for the time: looks_between_short_polls below;
 * works_between_short_polls above. For the share: looks_between_long_polls, loop_looks_and_waits
 * below; works_between_long_polls, loop_works_and_waits above. */
#define PROGRESS_NS    20000000ULL
#define PROGRESS_SHARE 10
/* ns: If a task waits for something else for longer than this between two polls, the series of
 * polls ends. Below: a client that logs to a slow disk is not followed. Above: the client is
 * followed into its next work. Evidence: logs_between_polls below; waits_between_polls above. */
#define OTHER_WAIT_NS 50000000ULL
/* ns: A wake-up is false if the wakee goes back to the same wait, ran for at most this long in
 * between, and left no record. Below: a look at an empty queue counts as work. Above: short work
 * that leaves no record counts as nothing. Evidence: loop_looks, the_other_is_back_too below;
 * loop_works, the_other_works above. */
#define FALSE_WAKE_NS 50000ULL
/* ns: A task polls for a file lock if it tries to take the lock, fails, and sleeps at most this
 * long after the try. Below: a task that logs before it sleeps does not count as polling. Above:
 * a task that has given up still counts as polling. Evidence: sleeps_after_a_try below;
 * sleeps_for_another_reason above. */
#define LOCK_TRY_OLD_NS 100000000ULL

/* since_ns: the time since the start of the first wait. Returns for how long the task may have run
 * in this time, at most, if it has made no progress. */
static inline uint64_t no_progress_ns(uint64_t since_ns)
{
	return PROGRESS_NS + since_ns / PROGRESS_SHARE;
}
static inline bool has_made_progress(uint64_t ran_ns, uint64_t since_ns)
{
	return ran_ns > no_progress_ns(since_ns);
}

/*
 * Habits: what a task or an object does again and again.
 */

/* ns: Suppose that several tasks post on a futex and several tasks wait on it. If the pauses
 * between the posts are at most this long, it is not known which post is for which waiter.
 * Below: each post counts as meant for the task that it woke. Above: a post after a pause has no
 * known waiter either. Evidence: posts_at_one_time below; posts_with_a_pause above. */
#define POST_MANY_NS 100000000ULL
/* times: A futex is a lock that two tasks hand to each other if each of them has posted, and was
 * woken, at least this often. Below: a producer and a consumer that answer each other twice
 * count as users of a lock. Above: a lock is not recognised. Evidence: own_lock below; turns
 * above. Two cases show that both counts are needed: in turns_and_a_poster a task only posts,
 * and in turns_and_a_waiter a task is only woken. */
#define TURNS_MIN 4
/* sleeps: A task that makes at least this many sleeps of one length in a row does something
 * periodically. Below: two sleeps that are alike by chance are periodic. Above: a periodic job
 * is found late. Evidence: sleep and rounds_begin_with_a_timer, which are both a case below and
 * a case above. */
#define SLEEPS_PERIODIC 3
/* 1/n of a wait: A thread is active in a wait of another thread if it computed, or waited for
 * something outside of its process, for at least this share of the wait. Below: a thread that
 * looks at its clock is active. Above: a thread that waits for a lock now and then is not
 * active. Evidence: one_computes_a_little below; one_computes_mostly above. */
#define ACTIVE_SHARE 2
/* 1/n of the later of two sleeps: The two sleeps have one length if they differ by at most this.
 * Below: the sleeps of a periodic job differ. Above: any two sleeps are alike. Evidence:
 * sleeps_alike below; sleeps_not_alike above. */
#define SLEEPS_ALIKE_SHARE 4
/* descriptors: A task that polls at most this many descriptors, and has sent a request on one of
 * them, waits for the answer. The other descriptor may be a channel to wake the task up. Below:
 * such a wait ends the segment. Above: an event loop that is also a client is never idle.
 * Evidence: poll_for_answer_alone below; poll_for_answer_and_others above. */
#define ANSWER_SET_MAX 2
/* share, and frames: Two stacks are alike if their outermost frames are the same. These must be at
 * least the share PART / OF of the frames of the longer stack, and at least MIN frames. MIN is
 * needed because a few outermost frames are the same in all threads. Below: stacks of different
 * work are alike. Above: stacks of the same work are not alike. Evidence for the share:
 * stacks_not_alike below; stacks_alike above. For MIN: stacks_at_the_start below; neighbours_alike
 * above. */
#define STACKS_ALIKE_PART 3
#define STACKS_ALIKE_OF   4
#define STACKS_ALIKE_MIN  3
/* Kernel fact: the first local port that a connecting socket gets by default
 * (net.ipv4.ip_local_port_range, Documentation/networking/ip-sysctl.rst). If the listening
 * socket of a connection was never seen, this number decides which end is the server: the end
 * with a lower port, if the other end has this port or a higher one. Evidence: low_port_serves,
 * which is both a case below and a case above. */
#define PORT_EPHEMERAL 32768
/* ns: If the reader of a socket finds nothing to read, it has already read all bytes that were sent more than
 * this long before. Below: bytes that are still on their way over loopback are forgotten. Above: after a loss
 * of records, messages are matched wrongly. Evidence: bytes_on_their_way below; bytes_taken_before above. */
#define FLOW_STALE_NS 10000000ULL

/* ns: A server may send its answer in parts. If a part comes longer than this after the part
 * before it, and no request came in between, the part is news that the server sends on its own.
 * Below: an answer that comes slowly is cut. Above: messages of a subscription make one endless
 * answer. Evidence: answer_in_parts below; news_later above. */
#define REQUEST_PART_NS 1000000000ULL

/* Limits of searches. */

/* Steps that all walks along the records of one graph may take together (scan.h): a fixed number
 * (STEPS), and a number for each event, object and task of the graph (EACH). Evidence:
 * test/unit/trace/limits_test.c. */
#define GRAPH_SCAN_STEPS      (1ULL << 26)
#define GRAPH_SCAN_STEPS_EACH 64
/* Generations: the search for an ancestor of a task goes up this far: to the parent of its
 * process, the grandparent and so on. */
#define ANCESTORS_MAX 64
/* Limits of one critical path. DEPTH: the number of tasks between the victim and a piece of the
 * path. PIECES: the number of pieces. */
#define PATH_MAX_DEPTH  32
#define PATH_MAX_PIECES (4u << 20)
/* records: The search for the socket that a task used last goes back over at most this many
 * records. */
#define SPOKE_LOOKS 256
/* ns: A waiter on a futex may have given work to a task that it woke. The wake-ups that the
 * waiter made count only if they came after its last wait that was longer than this. Below: a
 * thread that waits until its new thread has begun does not count as waiting for that thread.
 * Above: a wake-up that was made for earlier work counts. Evidence: join_after_begin below;
 * work_before_pause above. */
#define HANDED_PAUSE_NS 10000000ULL
/* questions: An event loop may ask other tasks, one after the other, before it answers. The
 * critical path looks at this many of these questions. If there are more, the time of the first
 * questions counts for one of the later questions. */
#define ASKED_STEPS 8
/* threads, and moments: The search for the only active thread of a process is made in processes
 * with at most THREADS threads. To see whether a thread computes, it looks at the state of the
 * thread at MOMENTS moments of a wait. MOMENTS is a prime, because many threads work
 * periodically. */
#define ACTIVE_THREADS 256
#define ACTIVE_MOMENTS 31
/* A round of an event loop is the time between two of its polls. EVENTS: the number of records
 * of all tasks in a round. RECEIVES: the number of sockets on which the loop receives in a
 * round. LOOKS: the number of intervals of the loop in a round. If a round has more, it is not
 * known for which request the loop acted. LEGS: the number of questions that the critical path
 * looks at, of those that a loop asked for one request. */
#define ROUND_EVENTS   (1u << 15)
#define ROUND_RECEIVES 64
#define ROUND_LOOKS    4096
#define LEGS_MAX       256
/* records: A traced task tells its tracer by a signal that it stops. The search for this signal
 * goes back over at most this many records. The task sends the signal just before it stops. */
#define TRACER_LOOKS 256
/* records: The search for the task to which a waiter gave work goes back over at most this many
 * records. */
#define HANDED_LOOKS 1024
/* intervals: The search for the last wait of a thread in an epoll goes back over at most this many
 * intervals. */
#define DEBT_LOOKS 256
/* requests: A datagram socket may be open to all clients. The search for the request that a
 * segment answers there looks at this many requests. */
#define MATCH_LOOKS 64
/* datagrams: The search for a received datagram looks at this many datagrams of a queue. The
 * datagrams in front of the found datagram were lost. */
#define MATCH_LOST 1024
/* tasks: One call may wake many tasks on a futex. At most this many of these tasks are noted. */
#define HANDS_HERD 6
/* One connection may wake several processes. NEAR: the search for the other wake-ups looks at
 * this many edges before and after a wake-up. MATES: the number of other processes that are
 * noted. LOOKS: the search for the first message looks at this many edges after the wake-up. */
#define HERD_NEAR  32
#define HERD_MATES 8
#define HERD_LOOKS 256
/* intervals: The search for the wait that a wake-up ended looks at this many intervals. One
 * interval is not enough, because some intervals have no length. */
#define WAIT_ENDED_LOOKS 8
/* Kernel fact: PID_MAX_LIMIT, include/linux/threads.h. A damaged file may have larger tids. */
#define TIDS_MAX (1u << 22)

#endif
