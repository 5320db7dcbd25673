/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in graph/. Each entry has its unit and its
 * meaning. Most entries also say what goes wrong if the number is smaller or larger. The case in
 * brackets (in test/unit/graph/ or test/unit/analysis/) shows this: unless the entry says
 * otherwise, the case fails if the number is halved or doubled. A share 1/n is smaller if n is
 * larger.
 */
#ifndef CTRACE_GRAPH_THRESHOLDS_H
#define CTRACE_GRAPH_THRESHOLDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Order of records. A record has the time at which its BPF program ran. One call may run several
 * such programs, also on other CPUs. So the records may be in another order than the events.
 */

/* ns: A send or a receive is recorded when its call returns. Before that, the call wakes the task
 * at the other end, at most this much earlier. If smaller, the record is not found (cases
 * send_recorded_late, receive_recorded_late). If larger, the record of the next message is taken
 * (cases next_message, next_receive). */
#define MESSAGE_LATE_NS 1000000ULL
/* ns: If bytes on a TCP connection within this host are under way for at least this long, TCP has
 * kept them back. Then the connection has held up the receiver; the sender has not. If smaller, a
 * receiver that gets its interrupt late seems to wait for the connection (case
 * sent_before_and_late). If larger, the sender seems to have held up the receiver (case
 * sent_before_and_delayed). Also: the news of room for bytes is under way for at most this long. If smaller,
 * no receive seems to have made the room (case room_just_before_the_wake). If larger, a receive counts that
 * did not make it (case room_long_before_the_wake). */
#define MESSAGE_DELAYED_NS 5000000ULL
/* ns: A send or a receive of the task that made a wake-up counts as the cause of the wake-up, if it is
 * recorded at most this much later. This is longer than MESSAGE_LATE_NS, because the task may lose
 * its CPU before its send is recorded. If smaller, the send is not found (case
 * sender_loses_its_cpu). If larger, a later send of the task is taken (case
 * interrupted_thread_sends_later). Another task's send counts if its bytes are received at most this much
 * later than the wake-up, and before the send is recorded (cases received_first and received_later). */
#define MESSAGE_SAME_TASK_NS 20000000ULL
/* ns: CT_WAITFD records hold the set of descriptors that a task polls. If a task polls the same set
 * again and again, the set is recorded only once a second (bpf/wait_fds.h), so a wait may use
 * records from before its begin. Records that are older than this at the begin of a wait are not
 * used. If smaller, a wait may have no set (case set_recorded_before). If larger, a wait may have
 * the set of an earlier wait (case set_of_before). */
#define WAITFD_OLD_NS 2000000000ULL
/* ns: A signal is recorded at most this long after the wake-up that it makes. If smaller, no cause
 * of the wake-up is found (case wake_for_a_signal). If larger, another signal of the same sender is
 * taken for the cause (case signal_after_a_wake). */
#define SIGNAL_LATE_NS 200000ULL
/* ns: Two records of one wait say when the wait began. These two times differ by at most this,
 * because the kernel does not keep the begin of a wait exactly. If smaller, one wait becomes two
 * (case found_begin_differs). If larger, two short waits become one (case found_another_wait). */
#define FOUND_SLACK_NS 1000000ULL
/* ns: Wake-ups of one waker that are at most this far apart come from one call. If smaller, a
 * thundering herd is not recognised (cases one_call_wakes_two, one_connection_wakes_two). If
 * larger, two calls in a row are taken for one (cases two_calls_wake_one_each,
 * two_connections_wake_one_each). */
#define ONE_CALL_NS 100000ULL

/* A task counts as killed if a fatal signal was sent at about the time of its wake-up, and the task
 * exited soon after. */

/* ns: The record of the signal comes at most this long before the wake-up. A killed thread wakes
 * the other threads of its process (zap_other_threads() in kernel/signal.c). If smaller, a killed
 * thread counts as woken (case killed_by_its_own_thread). If larger, a thread that is woken while
 * its process handles the signal counts as killed (case woken_after_a_signal). */
#define KILLER_EARLY_NS 20000ULL
/* ns: The record of the signal comes at most this long after the wake-up. complete_signal() in
 * kernel/signal.c wakes all threads before the signal is traced. If smaller, a killed thread counts
 * as woken (case killed_with_many_threads). If larger, a thread that is woken just before the kill
 * counts as killed (case killed_later). */
#define KILLER_LATE_NS 2000000ULL
/* ns: A killed task exits at most this long after the wake-up. If smaller, a program that cleans up
 * before it exits does not count as killed (case ends_when_told). If larger, a program that handles
 * the signal and ends later counts as killed (case ends_later). No program handles SIGKILL, so there is no
 * limit for SIGKILL (case ends_late_after_sigkill). */
#define KILLED_GONE_NS 300000000ULL

/* ns: A task that gives up its wait for a file lock wakes the tasks behind it before it has run for so long.
 * If smaller, such a task seems to unlock the file (case gives_up_slowly). If larger, a task that gives up
 * one lock, and soon unlocks another one, seems only to give up (case unlocks_after_giving_up). */
#define GAVE_UP_RAN_NS 1000000ULL

/* ns, and 1/n of a time: Two equal polls of a task count as one wait if the task makes no progress in
 * between. It makes progress if it runs for longer than PROGRESS_NS plus 1/PROGRESS_SHARE of the
 * time since the begin of the first poll.
 * If smaller, a client that only writes a log between its polls seems to make progress.
 * Cases for PROGRESS_NS: looks_between_short_polls. Cases for the share: looks_between_long_polls,
 * loop_looks_and_waits.
 * If larger, a task that works between its polls seems to make no progress. Cases for PROGRESS_NS:
 * works_between_short_polls. Cases for the share: works_between_long_polls, loop_works_and_waits. */
#define PROGRESS_NS    20000000ULL
#define PROGRESS_SHARE 10
/* ns: If a polling task waits for something else for longer than this, its series of polls ends. If
 * smaller, a client that writes a log to a slow disk ends its series (case logs_between_polls). If
 * larger, the series goes on into the next work (case waits_between_polls). */
#define OTHER_WAIT_NS 50000000ULL
/* ns: A false wake-up: the wakee runs for at most this long, has no record of an action, and goes
 * back to the same wait. If smaller, a look at an empty queue counts as work (cases loop_looks,
 * the_other_is_back_too). If larger, short work without recorded actions counts as a false wake-up
 * (cases loop_works, the_other_works). */
#define FALSE_WAKE_NS 50000ULL
/* ns: A task polls for a file lock if it begins to sleep at most this long after a failed try. If
 * smaller, a task that writes a log before it sleeps does not count as polling (case
 * sleeps_after_a_try). If larger, a task that has given up still counts as polling (case
 * sleeps_for_another_reason). */
#define LOCK_TRY_OLD_NS 100000000ULL

/* ns: An inspection showed the owner of a lock of a database at most this long before the end of the wait.
 * Then this owner is certain, even if it has run since. If smaller, the owner that the inspection for a
 * snapshot showed is not certain (case shown_just_before). If larger, a task that has unlocked since is
 * blamed as the certain owner (case shown_owner_runs_later). */
#define SHOWN_LOCK_OLD_NS 500000000ULL

/* A polling task that has run for at most the returned time has made no progress. since_ns: the time since
 * its first poll began. */
static inline uint64_t no_progress_ns(uint64_t since_ns)
{
	return PROGRESS_NS + since_ns / PROGRESS_SHARE;
}
static inline bool has_made_progress(uint64_t ran_ns, uint64_t since_ns)
{
	return ran_ns > no_progress_ns(since_ns);
}

/* Habits: what a task or an object does again and again. */

/* ns: If several tasks post on one futex, and wake several tasks, no record shows for which task a
 * post was meant. A pause that is longer than this ends such a series of posts. If smaller, each
 * post seems meant for the task that it woke (case posts_at_one_time). If larger, the series does
 * not end at a pause (case posts_with_a_pause). */
#define POST_MANY_NS 100000000ULL
/* posts, and wake-ups: Two tasks use a futex as a lock if each of them has posted on it at least
 * this often, and was woken on it at least this often. If smaller, a producer and a consumer that
 * answer each other twice seem to use a lock (case own_lock in causal.txt). If larger, a lock is
 * not recognised (case turns). If the code did not count the wake-ups, the case turns_and_a_poster
 * would fail. If it did not count the posts, turns_and_a_waiter would fail. */
#define TURNS_MIN 4
/* sleeps: A task that sleeps at least this often in a row, each time for about as long as before,
 * does something periodically. If smaller, two sleeps that are alike by chance are periodic. If
 * larger, a periodic job is found late. The cases `sleep` and rounds_begin_with_a_timer fail with
 * half and with twice the number. */
#define SLEEPS_PERIODIC 3
/* 1/n of a wait: A thread is active if it computes, or waits for something outside of its process,
 * for at least this share of another thread's wait. If the share is smaller, a thread that computes
 * only now and then is active (case one_computes_a_little). If the share is larger, a thread that
 * computes most of the time is not active (case one_computes_mostly). */
#define ACTIVE_SHARE 2
/* 1/n of the later of two sleeps: Two sleeps in a row are alike if their lengths differ by at most
 * this share. If the share is smaller, the sleeps of a periodic job are not alike (case
 * sleeps_alike). If the share is larger, any two sleeps are alike (case sleeps_not_alike). */
#define SLEEPS_ALIKE_SHARE 4
/* descriptors: A task that polls at most this many, and has sent a request on one of them, waits
 * for the answer. Another descriptor may be there to wake the task up. If smaller, the task counts
 * as idle in such a wait (case poll_for_answer_alone). If larger, an event loop that is also a
 * client is never idle (case poll_for_answer_and_others). */
#define ANSWER_SET_MAX 2
/* share (STACKS_ALIKE_PART / STACKS_ALIKE_OF): Two stacks are alike if enough of their outermost frames are
 * equal: at least this share of the frames of the longer stack. If smaller, stacks of different work are
 * alike (case stacks_not_alike). If larger, stacks of the same work are not alike (case stacks_alike). */
#define STACKS_ALIKE_PART 3
#define STACKS_ALIKE_OF   4
/* frames: Two stacks are alike only if at least this many outermost frames are equal. Fewer equal frames do
 * not show the same work: the first functions are the same in all threads. If smaller, stacks of different
 * work are alike (case stacks_at_the_start). If larger, stacks of the same work are not alike (case
 * neighbours_alike). */
#define STACKS_ALIKE_MIN 3
/* Kernel fact: by default, a connecting socket gets a local port from this number on
 * (net.ipv4.ip_local_port_range, Documentation/networking/ip-sysctl.rst). If the listening socket
 * was never seen, and only one end of a connection has a smaller port, that end is the server. The
 * case low_port_serves fails with half and with twice the number. */
#define PORT_EPHEMERAL 32768
/* ns: A task finds nothing to read, although some bytes sent to it have no record of a receive. If the
 * oldest of these bytes were sent more than this long before, all of them count as read. If smaller,
 * bytes that are still on their way over loopback are forgotten (cases bytes_on_their_way, sent_just_before).
 * If larger, after a loss of records, messages are matched wrongly (cases bytes_taken_before,
 * sent_long_before). */
#define FLOW_STALE_NS 10000000ULL
/* messages, and 1/n of the messages: A hub, such as a D-Bus daemon, passes messages on between its
 * connections (flow_reverse_hubs()). To count as a hub on a connection, a process has to send at least
 * HUB_MESSAGES messages on it. At most 1/HUB_OWN of these messages may be its own, and not come from
 * another connection. It also has to pass on the messages that it receives on the connection, except
 * at most 1/HUB_OWN of them.
 * If HUB_OWN is 2, a server that grants locks counts as a hub (case no_hub). Half of the messages that
 * it receives are releases of a lock. It seems to pass these on, because it then grants the lock to
 * the next client.
 * If HUB_OWN is 8, a D-Bus daemon does not count as a hub, because it also sends a few messages of its
 * own. */
#define HUB_MESSAGES 4
#define HUB_OWN      4
/* messages: Of the messages that a task has received and not yet passed on, the search for hubs notes at
 * most this many. After a further message, no send counts as passed on until the task idles. */
#define HUB_BATCH 16

/* ns: If a server pauses in an answer for longer than this, the bytes after the pause are no part
 * of the answer, but a message without a request. If smaller, an answer that comes slowly is cut
 * (case answer_in_parts, if below 1 ms). If larger, the messages of a subscription make one endless
 * answer (case news_later). */
#define REQUEST_PART_NS 1000000000ULL

/* wake-ups: If a wait lasts for a pipe, an eventfd or a futex, a task that made one of the last PAST_WAKES
 * wake-ups of the waiter through this object may end the wait. If smaller, only one of several writers
 * counts (case past_wakers_apart). If larger, a task that has not written for long counts (case
 * past_waker_long_ago). */
#define PAST_WAKES 16

/* Limits of searches. */

/* steps: All walks along the records of one graph (scan.h) together may take GRAPH_SCAN_STEPS, and
 * GRAPH_SCAN_STEPS_EACH more for every event, object and task. Evidence:
 * test/unit/trace/limits_test.c. */
#define GRAPH_SCAN_STEPS      (1ULL << 26)
#define GRAPH_SCAN_STEPS_EACH 64
/* generations: a search for an ancestor of a process goes back at most this far */
#define ANCESTORS_MAX 64
/* Limits of one critical path. DEPTH: nested frames (path.h), including frame 0. PIECES: a path
 * that has this many pieces follows no further wait. */
#define PATH_MAX_DEPTH  32
#define PATH_MAX_PIECES (4u << 20)
/* records: at most this many are searched for the socket that a task used last, for a message of a task
 * between two parts of a wait or after a wait, or for what tasks did between a receive of their bytes and the
 * record of their send. For the last, it is this many for each message of the connection, all together. */
#define SPOKE_LOOKS 256
/* records: started_child() looks for the send of a message at up to this many records before its receive.
 * Fewer: on a busy machine, ctrace does not know what a service manager waits for. */
#define NOTIFY_LOOKS 1024
/* intervals: HotSpot waits for a lock in many short waits, most of them of 1 s. The daemon records the
 * stack of such a task at least every 64 s. In 64 s, the task has about 200 intervals: 64 waits, as many
 * runs, and as many waits for a CPU. If a wait has no stack, at most this many intervals before it are
 * searched for a wait that has one. If smaller, no stack is found, and it is not known that the task
 * waits for a lock. If larger, no wrong answer is known. */
#define LOCK_LOOKS 256
/* intervals: of a task that waits for an io_uring, so many earlier intervals are looked at to see who wrote
 * to the pipes of the ring. Smaller: after many waits that timed out, nobody is blamed. Larger: it takes long
 * in a loop of short waits. No evidence yet. */
#define RING_LOOKS 1024
/* tries: After a failed try of a file lock, so many of the task's tries before and after it are searched for
 * another failed try of the same file. If larger, the search takes longer. */
#define LOCK_TRIES_NEAR 64
/* turns: While a task waits for a mutex, at most this many other tasks are followed that got the mutex one
 * after the other. If there are more, the owner is not known. If larger, the search takes longer. */
#define LOCK_TURNS 64
/* ns: Task A gives work to task B (wakes or creates it), and then waits on a futex whose owner is not
 * known. Then ctrace may blame B for this wait, unless A had another wait in between, longer than this.
 * If smaller, B is wrongly not blamed. Example: A creates B, waits briefly until B has begun, and then
 * waits for B (case join_after_begin, if below 5 ms). If larger, B is blamed for a wait that has
 * nothing to do with the work that A gave to B (case work_before_pause). */
#define HANDED_PAUSE_NS 10000000ULL
/* threads, and intervals: An order of a newcomer may pass through at most STEPS threads of a server, until
 * one of them ends the wait. LOOKS: at most so many intervals of each are searched for its last wait. If
 * there are more, the last thread seems to be the awaited one. If larger, the search takes longer. */
#define NEWCOMER_STEPS 4
#define NEWCOMER_LOOKS 64
/* questions: If an event loop asks more than this many before it answers a request, the time of the
 * first questions counts as time of a later question. */
#define ASKED_STEPS 8
/* looks: A frame is a task and a range of time on the critical path (path.h). In one frame, ctrace
 * finds out at most this often which task could end the polls of one epoll object. It uses each
 * result also for the polls that are at most 1/FRAME_LOOKS of the frame away. More looks cost more
 * time: about 10 us each for 50 connections. */
#define FRAME_LOOKS 4096
/* waits, and intervals: A signal interrupted a wait. MAX: the task goes on with the same wait so often.
 * LOOKS: intervals until it goes on. If larger, the search takes longer. */
#define INTERRUPTS_MAX  16
#define INTERRUPT_LOOKS 64
/* intervals: at most this many after the end of a child are searched for the answer of a helper. If smaller,
 * the answer is not found behind many short polls. If larger, the search takes longer. */
#define ANSWER_LOOKS 1024
/* requests: A poll that a signal interrupted may wait for an answer on a connection, if most of the last
 * requests on it got one. If smaller, a protocol with few answers seems to owe one. If larger, the search
 * takes longer. */
#define DEBT_REQUESTS 16
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
/* messages: at most this many of one connection are searched for a request that a server has passed on to
 * another client, or for the answer to such a request. If smaller, a worker that also sends many messages of
 * other kinds is not known as a worker. If larger, the search takes longer. */
#define WORKER_LOOKS 16
/* records: at most this many are searched for the signal by which a ptraced task tells its tracer
 * that it stops. The signal comes just before the stop. */
#define TRACER_LOOKS 256
/* records: at most this many are searched for the task to which a waiter gave work */
#define HANDED_LOOKS 1024
/* intervals: at most this many of a thread are searched for its last wait for work. If smaller, a thread that
 * has waited often in its work explains waits from before this work, too. If larger, the search takes much
 * longer: it is made for very many waits (with 1024, `ctrace hangs` takes twice the time on a busy server in
 * Erlang). */
#define HANDED_WAITS 32
/* waits: a task that awaits input had at most this many waits since the input was sent. If it had more, it is
 * not known whether the input arrived. If larger, the search takes longer. */
#define ARRIVAL_LOOKS 4096
/* intervals: at most this many of each thread of a server are searched for the connect() that made a
 * connection. If there are more, it is not known which thread serves the connection. If larger, the search
 * takes longer. */
#define CONNECT_LOOKS 1024
/* Limits of the search for the destinations of an unconnected datagram socket. MAX: destinations that are
 * told apart. LOOKS: sends that are looked at. ANSWER_LOOKS: sends of the sockets at a destination. If one of
 * these limits is exceeded, the task that owes an answer is not known. If larger, the search takes longer. */
#define DEST_MAX          8
#define DEST_LOOKS        64
#define DEST_ANSWER_LOOKS 4096
/* Limits of the search for the owner of a file lock. LOCKERS_MAX: locks that are held at the same time on the
 * wanted bytes. RECORDS_MAX: records of the file. If one of these limits is exceeded, the owner is not known.
 * If smaller, the owner of a lock is not found beside many other locks (test_many_readers and
 * test_many_records in test/unit/graph/owner_test.c). If larger, the search takes longer. A program that
 * tries to get a lock again and again asks for the owner each time. */
#define LOCKERS_MAX      64
#define LOCK_RECORDS_MAX (1u << 14)
/* port: the first that Linux gives to a socket that chooses none (ip_local_port_range). If smaller, a server
 * with a high port counts as a client. If larger, a client counts as a server. */
#define DEST_PORT_AUTOMATIC 32768
/* ns: a socket that sends first, so much later than the begin of the trace, asks. If smaller, the answer to a
 * datagram from before the trace counts as a question (case dest_unix_at_the_begin).
 * If larger, nobody is blamed for the answer to a real question. */
#define DEST_BEGIN_NS 1000000000ULL
/* sends: to learn whether a standby of PostgreSQL confirms at once, so many of the last sends to it are
 * looked at. It confirms at once if half of them got an answer before the next send. */
#define STANDBY_SENDS 8
/* intervals: at most this many are searched for the last wait of a thread in an epoll */
#define DEBT_LOOKS 256
/* intervals: at most this many are searched for the wait in which a helper got its last command. If smaller,
 * the command of a helper is not found that other tasks preempt often. If larger, the search takes longer. */
#define COMMAND_LOOKS 4096
/* requests: at most this many are searched for one of these:
 * - the parent of a request
 * - the next new request of a task
 * - the next new request of one client of a hub
 * - the request that a server answers on a datagram socket with several clients */
#define MATCH_LOOKS 64
/* messages: at most this many of the last ones at one end of a connection are searched for the processes that
 * use this end */
#define PAST_USERS 64
/* caps: if the trace has more records of caps of tasks whose processes use a connection than this, it is not
 * known which of its bytes were unread at a wake-up. If larger, a connection takes longer. */
#define CAPS_MAX (1u << 14)
/* datagrams: at most this many in a queue are searched for a received datagram. The datagrams in
 * front of it were lost. */
#define MATCH_LOST 1024
/* tasks: one call on a futex may wake many; at most this many are noted */
#define HANDS_HERD 6
/* edges, and processes: One connection may wake several processes. NEAR: edges before and after a
 * wake-up that are searched for other wake-ups. MATES: other processes that are noted. LOOKS: edges
 * after the wake-up that are searched for the first message of the client. */
#define HERD_NEAR  32
#define HERD_MATES 8
#define HERD_LOOKS 256
/* intervals: at most this many are searched for the wait that a wake-up ended. Some intervals have
 * no length, so 1 is not enough. */
#define WAIT_ENDED_LOOKS 8
/* records: a descriptor table with more of them may lack the last descriptors, because only the first part of
 * a very large table is read (FILES_BYTES_MAX, daemon/kernel/probe_iter.c) */
#define TABLE_WHOLE_MAX (1u << 14)
/* records: only so many members of an epoll are read (EPOLL_MEMBERS, bpf/iter.bpf.c). So if there are as
 * many, further ones may be missing. */
#define TABLE_MEMBERS_MAX 64
/* ns: The window may cut a table that ends less than this before the end of the window. If smaller, a part of
 * a table counts as the whole one (case table_at_the_end). */
#define TABLE_CUT_NS 1000000ULL
/* ns: A table of the same process that begins less than this after the record before belongs to the same
 * reading. If smaller, the table of one thread seems to show what the others have closed (case
 * thread_with_own_table). If larger, a table that is read again soon does not show what was closed in
 * between. */
#define TABLE_READ_NS 1000000ULL
/* Kernel fact: PID_MAX_LIMIT, include/linux/threads.h. A damaged file may have larger tids. */
#define TIDS_MAX (1u << 22)

#endif
