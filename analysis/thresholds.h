/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - private to analysis/: the numbers that decide an answer.
 *
 * Each entry says its unit and its meaning. The unit 1/n is a share: a larger n is a smaller share.
 * Most entries also say which wrong answers follow if the number is smaller, and if it is larger. The
 * test in brackets (test/unit/analysis) fails with such a number:
 * - for a score or a factor, with a number that is 30 % smaller or larger;
 * - for all others, with half or double the number.
 *
 * Most limits on the amount of work are in the files that count the refused work.
 */
#ifndef CTRACE_ANALYSIS_THRESHOLDS_H
#define CTRACE_ANALYSIS_THRESHOLDS_H

/* Decisions from the times of a few runs. The tests are in stats_test.c. */
/* share: The U test (stats/ranks.h) finds a difference (slower or faster) in at most this share of
 * the checks of equal commands. A check that may look at its runs n times uses this number divided
 * by n.
 * If smaller, five runs of each side cannot show a regression (test few_runs).
 * If larger, more checks of equal commands end in a regression (test few_runs). */
#define DECIDE_ALPHA 0.01
/* factor: The last run of a warm-up is longer than all later runs, by more than WARM_UP_SPREADS * the
 * spread of the later runs. The spread is the median distance from the median.
 * If smaller, one long run at the start counts as a warm-up (test warm_up).
 * If larger, a warm-up is not noticed (no test). */
#define WARM_UP_SPREADS 3
/* 1/n: At most this share of the runs can be a warm-up (test warm_up). */
#define WARM_UP_SHARE 4
/* orders, orders: A factor explains some values (stats/levels.h) if at most LEVELS_AS_LARGE of
 * LEVELS_SHUFFLES random orders of the values explain as much. So a factor that has no effect seems to
 * explain them in one of 500 cases: with five attributes, for one of 100 types of transactions.
 * If fewer orders, or more that may explain as much, chance is reported more often (test levels_chance).
 * If more orders, the test takes longer. If none may explain as much, a factor needs more values (test
 * levels_effect). */
#define LEVELS_SHUFFLES 999
#define LEVELS_AS_LARGE 1

/* Diagnosis: which stalls are normal. A diagnosis divides the time of the victim into branches, for
 * example one branch for each task for which the victim waited. It then looks for the cause of one of
 * these branches. The stall is the time of this branch. */
/* ns: A shorter stall is normal, unless it is a cycle of waits. If the user gives the window, the
 * limit is at most half of the window. A later task of the chain starves only if its wait for a CPU
 * reaches this limit, or half of the stall. If a task ran for this long, its work alone is a stall, so the
 * task does not starve unless STARVED_RATIO says so.
 * If smaller, verdicts are about delays that nobody notices (test short_wait_for_a_lock), and a short work
 * that waits for a CPU counts as the cause (test part_of_the_cpu).
 * If larger, real stalls count as normal (tests longer_wait_for_a_lock,
 * server_waits_for_the_cpu), and long work does not count as a cause (test long_work_beside_a_hog). */
#define DIAGNOSE_STALL_NS 500000000ULL
/* ns: A victim sends requests to other tasks, and waits for the answers. If these waits are shorter than this
 * on average, they are ordinary requests: the victim works normally, or it has many of them in a window that
 * the user gives (CAUSE_CHATTY).
 * If smaller, ordinary requests count as a stall (test pingpong_is_normal).
 * If larger, a slow service counts as normal (test slow_answers). */
#define DIAGNOSE_QUICK_NS 5000000ULL
/* waits: Short waits are the cause (CAUSE_CHATTY) only if there are at least this many of them.
 * If smaller, a few calls count as many (test nine_calls).
 * If larger, ctrace blames a slow peer for many short calls (test fifteen_calls). */
#define CHATTY_WAITS 10
/* ns: A stall shorter than this is normal if the victim waits for a child that computes.
 * If smaller, the ordinary work of a child counts as a stall (test child_works).
 * If larger, a slow child counts as normal (test child_works_long). */
#define DIAGNOSE_CHILD_BUSY_NS 2000000000ULL

/* bytes: A task that sleeps again and again reads a stream slowly, and does not poll, if it gets at least
 * this much between two sleeps. A message that only tells a state is mostly shorter than a page of memory.
 * If smaller, a task that polls, and reads short messages, seems to work (test gets_short_messages).
 * If larger, a slow reader seems to poll (test reads_a_stream_slowly). */
#define PACED_BYTES 4096
/* messages: A client that gets this many messages of PACED_BYTES on average or more since it last sent
 * something reads a long answer, and does not wait for news. If smaller, a single long news counts as an
 * answer (test gets_one_long_news). If larger, a download whose first parts are slow counts as news. */
#define LONG_ANSWER_PARTS 2
/* ns: A client that got parts of a stream for this long reads a stream, and does not wait for news. If
 * smaller, a burst of news counts as a stream (test burst_of_news). If larger, a short stream that dries up
 * does not count (test stream_dries_up). */
#define STREAM_NS 1000000000ULL
/* A stream has dried up if no pause between its parts was as long as the present one divided by this. If
 * smaller, news at irregular times count as a stream (test irregular_news). If larger, a stream with a pause
 * of its own does not count (test stream_with_a_pause). */
#define STREAM_PAUSES 4
/* ns: Nor may such a pause be longer than this. If smaller, a stream with a pause of its own does not count
 * (test stream_with_a_pause). If larger, the lines of a log count as a stream when the log is quiet for long
 * (test quiet_log). */
#define STREAM_PAUSE_NS 1400000000ULL
/* parts: A stream has at least this many. If smaller, a few news count as a stream (test few_news). If
 * larger, a short stream does not count (test stream_with_a_pause). */
#define STREAM_PARTS 8
/* bytes: the parts of a stream are at least this long on average. If smaller, short news that come often
 * count as a stream (test short_news). If larger, a stream of voice does not count (test stream_dries_up). */
#define STREAM_BYTES 1024
/* messages: A client that gets news of this many messages of other clients waits for further ones.
 * If smaller, a part of an answer that comes just after a message of another client counts as news (test
 * one_news). If larger, a client that waits for rare news seems to hang (test two_news). */
#define NEWS_MESSAGES 2
/* records: at most this many after the birth of a process are searched for its connect().
 * If smaller, a client that connects late seems to have inherited its connection, and to hang.
 * A larger number takes more time. */
#define BORN_CONNECT_LOOKS 4096
/* waits: A consumer counts as fed only if at least this many of its waits got something. Then it is
 * normal that its producer sleeps.
 * If smaller, a service that sleeps in two requests counts as normal (test fed_twice).
 * If larger, the consumer of a slow producer seems to hang (test fed_three_times). */
#define FED_WAITS 3
/* intervals: is_fed_often() looks at up to this many intervals before the examined wait, and at as
 * many intervals after it. works_for_changes() looks at as many before it. */
#define FED_LOOKS 512
/* messages: One-way messages need no answer. Only messages after which the client waited in its
 * event loop are counted. With fewer of them than this, the client's messages are not one-way.
 * If smaller, a client that has lost one answer seems to idle (test one_message_unanswered).
 * If larger, an idle client of a message bus or of a display seems to hang (test
 * two_messages_unanswered). */
#define ONE_WAY_TURNS 2
/* 1/n of the counted messages: If more than this share had an answer, the client's messages are
 * not one-way.
 * If the share is smaller, an idle client seems to hang (test three_answered).
 * If the share is larger, a client that has lost an answer seems to idle (test two_answered). */
#define ONE_WAY_SHARE 2
/* messages: is_one_way() looks at up to this many of the client's last messages, and idle_client_gets_news()
 * at as many of the server's. */
#define ONE_WAY_LOOKS 32

/* records or intervals: heard_since() and wait_before() look at up to this many before the message of a
 * server, and is_dropped() at as many after the message of a client. */
#define EVENT_LOOKS 256

/* Diagnosis: which branch the chain follows. A breakdown divides the time of a task into branches: one
 * for the CPU, and one for each task or thing for which the task waited. */
/* 1/n of the time of a breakdown: A branch with more than this share is an alternative to the
 * largest branch. Also, a part of the time with more than this share is told: a wait for a CPU, and each task
 * that had this CPU.
 * If the share is smaller, ctrace asks a person more questions (tests less_than_a_fifth,
 * rival_with_less_than_a_fifth, disk_rival_with_less_than_a_fifth).
 * If the share is larger, the real cause is not among the options (tests more_than_a_fifth,
 * rival_with_more_than_a_fifth, disk_rival_with_more_than_a_fifth). */
#define BRANCH_SHARE 5
/* 1/n of the time of a breakdown: This number replaces BRANCH_SHARE if the largest branch is a guess,
 * and no other branch has more than 1/BRANCH_SHARE of the time.
 * If the share is smaller, ctrace asks a person more questions (test a_guess_without_alternative).
 * If the share is larger, ctrace takes a guess without a question (test a_guess_is_asked_about). */
#define BRANCH_SHARE_GUESS 20
/* 1/n of the stall: A wait of the victim may have begun before the window. The sentence says so if the
 * time before is more than this share of the stall. If the share is smaller, the sentence of a window that
 * cuts off a moment of a wait is longer than needed (test began_a_little_earlier). If the share is larger, a
 * wait seems to be shorter than it is (test began_earlier). */
#define BEFORE_SHARE 5
/* fifths of a task's time: If at least this share of the time has no records, the chain ends at the task,
 * and the cause is "unknown". If the share is less, the chain goes on: to what the task did in the time
 * with records.
 * If smaller, a task with records for 40 % of the time has the cause "unknown" (test capped_itself).
 * If larger, a task with records for 14 % of the time gets a cause (test hardly_recorded). */
#define BRANCH_UNKNOWN_FIFTHS 4

/* Diagnosis: does a task spin, poll, starve? */
/* ns: A task may yield SPIN_YIELDS times, and once more for each stretch of this length. With more
 * yields, it spins.
 * If smaller, a task that spins seems to compute (test looks_again_and_again).
 * If larger, a task that yields now and then seems to spin (test works_in_portions). */
#define SPIN_YIELD_NS 10000000ULL
/* yields: A task with more yields than this spins. The limit grows by one yield for each SPIN_YIELD_NS
 * of the window.
 * If smaller, a short burst of yields counts as spinning (test works_in_portions).
 * If larger, a short spin is not found (test looks_again_and_again). */
#define SPIN_YIELDS 20
/* samples: Fewer samples of a task on the CPU do not show that it spins.
 * If smaller, a task that computes seems to spin by chance (test three_samples).
 * If larger, a short spin is not found (test five_samples). */
#define SPIN_SAMPLES 4
/* 1/n of the samples: A task spins if more than this share is in calls that yield or look for
 * events.
 * If the share is smaller, a task that polls beside its work seems to spin (test
 * polls_beside_its_work).
 * If the share is larger, a loop around poll() seems to compute (test loop_around_poll). */
#define SPIN_SAMPLE_SHARE 3
/* tasks, messages: onward_find() follows the work of a waiting task to at most this many tasks, and remembers
 * at most this many messages that no task has received. Beyond that, it names no task. Larger numbers take
 * more time. */
#define ONWARD_TASKS    64
#define ONWARD_MESSAGES 64
/* waits: A task that sleeps fewer times than this does not poll.
 * If smaller, two sleeps count as polling (test two_sleeps).
 * If larger, a short polling is not found (test three_sleeps). */
#define POLL_WAITS 3
/* ns: A task polls only if its sleeps are shorter than this on average.
 * If smaller, a slow polling is not found (test looks_every_1500_ms).
 * If larger, a periodic job seems to poll (test works_every_3_s). */
#define POLL_WAIT_NS 2000000000ULL
/* ns: A task may poll because it gave another process an order: a signal, or bytes in a pipe. The
 * task gave the order at most this long before its first sleep.
 * If smaller, ctrace misses the order of a task that looks up names before it polls (test
 * tells_and_looks_up).
 * If larger, earlier work counts as the order (test told_long_before). */
#define PROMPT_NS 500000000ULL
/* ns: While a task polls, it sleeps again and again, with short runs in between. A run that is longer
 * than this is no part of the polling. The polling begins after the last such run.
 * If smaller, the polling seems to begin anew after each check that takes long (test looks_at_much).
 * If larger, work between two sleeps counts as polling (test works_between). */
#define PROMPT_WORK_NS 20000000ULL
/* factor: A task starves if it waited for a CPU for more than this many times its time on a CPU. If the task
 * holds up others, this may be so in one part of the time only (is_starved() in root_cause.c).
 * If the factor is between 1 and this, the answer says both times. Then the task starves only if its work
 * alone is no stall (DIAGNOSE_STALL_NS), and it holds up no others by a lock or in a pool.
 * If smaller, a task with a fair share beside three others seems to starve (test three_rivals).
 * If larger, a task with a fifth of a CPU does not seem to starve (test four_rivals). */
#define STARVED_RATIO 3
/* 1/n of the window: A task starves only if it waited for a CPU for at least this share.
 * If the share is smaller, a task that seldom runs on a busy machine seems to starve (test
 * queued_for_a_sixth).
 * If the share is larger, the verdict about a starved task that also sleeps is "normal" (test
 * queued_for_a_quarter). */
#define STARVED_SHARE 5
/* ns: The period of the samples of a CPU (ct_sample_period_ns in bpf/config.h). A sample says how long
 * its task has been on the CPU. Of this time, only the last part, of at most this length, is counted.
 * If smaller, the task that had the CPU is not named (test sampled_every_90_ms).
 * If larger, a task that had little of the CPU is named (test sampled_every_120_ms). */
#define CPU_SAMPLE_NS 50000000ULL
/* 1/n: A task had the CPU if its samples fill at least this share of the time. The task must also
 * have this share of the records that show a task on this CPU.
 * If the share is smaller, a task with a part of the CPU is named (test sampled_for_a_third).
 * If the share is larger, no task is named (test sampled_every_90_ms). */
#define CPU_SAMPLED_SHARE 2
/* 1/n of the window: To keep its budget, the daemon may leave out all waits shorter than 8 ms for
 * some time (a coarse stretch). The sentence of a diagnosis mentions the coarse stretches if they
 * add up to more than this share.
 * If the share is smaller, the sentence mentions a coarse stretch that is too short to change the
 * diagnosis (test coarse_for_a_moment).
 * If the share is larger, the sentence does not mention that records are missing (test
 * coarse_for_a_while). */
#define COARSE_SHARE 10
/* records: Requests that a disk got before a wait may be at the disk in the wait. At most this many records
 * of requests before the wait are searched for them. A disk has at most about 1000 requests at a time. */
#define DISK_USE_LOOKS 4096
/* ns of a wait for each byte: If a disk moves fewer bytes than this, a limit of bytes a second does not hold
 * it back. Then the bytes do not tell which task had the disk.
 * If smaller, a task that uses up the limit is not found (test held_back_by_a_low_limit).
 * If larger, one small request counts as the use of the disk (test one_block). */
#define DISK_USE_BYTE_NS 4000
/* connections: A process with this many connections to a server may have all that the server accepts.
 * If smaller, a client with a few connections is blamed for a server that accepts none (test a_small_crowd).
 * If larger, a process that keeps the places of a small server is not found (test crowd). */
#define CROWD_MIN 8
/* tenths of the time: A worker that is busy for this share counts as busy all the time.
 * If smaller, a pool with an idle worker seems full (test pool_has_room).
 * If larger, a full pool seems to have room (test pool_is_busy). */
#define POOL_BUSY_TENTHS 8
/* ns: A write ended the polling if the polling ends at most this much later.
 * If smaller, a write that ended the polling does not count as its end (test goes_on_after_200_ms).
 * If larger, a write that did not end the polling counts as its end (test goes_on_after_400_ms). */
#define FLAG_ENDED_NS 250000000ULL
/* ns: Two writes at most this far apart are one hand-over: a set and a reset of the variable.
 * If smaller, one hand-over counts as two (test written_together).
 * If larger, two hand-overs count as one (test written_one_after_the_other). */
#define FLAG_TOGETHER_NS 1000000ULL

/* Comparison of a wait (the examined wait) with earlier waits. The reference is the earlier wait of
 * the usual length. The tests are in thresholds_waits.txt. */
/* factor: The examined wait is too long if it lasts at least MISSING_LONG * the usual length. The earlier
 * wake-ups count as regular only if each gap between two successive ones is shorter than the examined
 * wait / MISSING_LONG.
 * If smaller, a chance delay counts as a missing wake-up (test three_times_as_long).
 * If larger, a missing wake-up is not found (test seven_times_as_long). */
#define MISSING_LONG 5
/* 0..1: If the examined wait and the reference are less alike than this, no task is named.
 * If smaller, a task is named because of earlier waits that had another reason (test
 * no_frame_of_three).
 * If larger, no task is named despite earlier waits that had the same reason (test
 * one_frame_of_three). */
#define MISSING_GOOD_SCORE 0.6F
/* waits: With fewer earlier waits, no task is named.
 * If smaller, a task is named because of a coincidence (test habit_of_two).
 * If larger, no task is named after a few similar waits (test habit_of_four). */
#define MISSING_GOOD_COUNT 3
/* 0..1: If the examined wait and the reference are less alike than this, the answer is a guess.
 * If smaller, a guess counts as certain (test one_frame_of_three).
 * If larger, a certain answer counts as a guess (test two_frames_of_three). */
#define MISSING_SURE_SCORE 0.8F
/* waits: With fewer earlier waits, the answer is a guess.
 * If smaller, a guess counts as certain (test habit_of_six).
 * If larger, a certain answer counts as a guess (test seven_times_as_long). */
#define MISSING_SURE_COUNT 8
/* 1/n: Some earlier waits may not have ended in the usual way. If their number is more than 1/n of the
 * number of earlier waits with the usual end, the answer is a guess.
 * If the share is smaller, a certain answer counts as a guess (test seldom_otherwise).
 * If the share is larger, a guess counts as certain (test often_otherwise). */
#define MISSING_SURE_OTHERS 4
/* ns: If the task runs for longer than this between two parts of a wait, the parts are two waits.
 * If smaller, a short look divides a wait (test look_in_between).
 * If larger, two waits with work between them count as one (test work_in_between). */
#define MISSING_RAN_NS 1000000ULL
/* 0..1: An earlier wait is ignored if it and the examined wait are less alike than this.
 * If smaller, waits that had another reason are not ignored (test no_frame_of_three).
 * If larger, waits that had the same reason are ignored (the same test). */
#define SIMILAR_LEAST 0.4F
/* 0..1: The usual length is the median of the waits whose score is at most this much below the
 * best.
 * If smaller, few waits decide the length (test three_frames_of_four_are_near).
 * If larger, waits that differ decide the length (test two_frames_of_three_are_not_near). */
#define SIMILAR_NEAR_BEST 0.15F
/* 0..1: How alike the places of two waits are if the objects are not the same, but serve one purpose.
 * Example: each thread of a pool waits on a condition variable of its own.
 * If smaller, such waits name no task (test condition_of_another).
 * If larger, such waits count like waits on the same object (test
 * condition_and_stack_of_another). */
#define SIMILAR_OTHER_OBJECT 0.8F
/* factor: Multiplies the score of a wait whose stack has nothing in common with the stack of the
 * examined wait.
 * If smaller, waits with other stacks do not count (test one_frame_of_three).
 * If larger, stacks do not matter (test no_frame_of_three). */
#define SIMILAR_STACK 0.5F
/* bytes: Futexes of two traces count as one if they are at the same place of their pages.
 * Random addresses differ by whole pages, and no page is smaller than this.
 * If smaller, other futexes count as the same (test other_place_in_the_page).
 * If larger, the same futex does not count (test the_feeder_sleeps). */
#define ACROSS_PAGE_BYTES 4096

/* The list of hangs. The tests are in thresholds_waits.txt. DIAGNOSE_STALL_NS and OTHER_WAIT_NS
 * (graph/thresholds.h) decide about the list too. */
/* ns: A shorter wait gets no row in the list of hangs.
 * If smaller, there are more rows, and a diagnosis for each (test lock_of_a_second).
 * If larger, hangs are missed (the same test). */
#define HANGS_WAIT_NS 1000000000ULL
/* ns: A shorter run on a CPU gets no row in the list of hangs. A main thread may wait for another
 * task, for example on a condition variable or on an eventfd. If the other task runs, and the wait
 * lasts at least this long, the wait is an alarm.
 * If smaller, there are alarms about ordinary work (tests two_seconds_of_work,
 * main_waits_for_a_worker).
 * If larger, hangs are missed (tests two_seconds_of_work, main_waits_for_a_worker_for_long). */
#define HANGS_RUN_NS 2000000000ULL
/* ns: A wait longer than this divides a run on a CPU into two.
 * If smaller, a long run with short waits gets no row (test work_with_short_waits).
 * If larger, ordinary work with waits counts as a long run (the same test). */
#define HANGS_SHORT_WAIT_NS 10000000ULL
/* ns: Waits for the same thing are one hang while the task runs for at most this long between them,
 * in sum. HANGS_BETWEEN_SHARE makes the limit larger.
 * If smaller, many tries to take a lock are many short waits instead of one hang (test
 * work_between_two_tries).
 * If larger, waits with work between them count as one hang (the same test). */
#define HANGS_BETWEEN_NS 5000000ULL
/* 1/n: The limit HANGS_BETWEEN_NS grows with the time since the first wait for the same thing began.
 * This share of that time is added to the limit.
 * If the share is smaller, many tries to take a lock are many short waits instead of one hang (test
 * tries_of_a_lock).
 * If the share is larger, waits with work between them count as one hang (the same test). */
#define HANGS_BETWEEN_SHARE 20
/* ns: A wait for a child that computes, or at a pipe for a program that computes, is an alarm if it lasts at
 * least this long, and a person or another program ended it by a signal. If the child itself waits for
 * children, see has_short_children().
 * If smaller, there are alarms about the ordinary work of a child (test child_at_work).
 * If larger, a child in an endless loop is missed (test child_is_killed). */
#define HANGS_CHILD_BUSY_NS 3000000000ULL
/* ns: Such a wait is an alarm without this signal, too, if it lasts at least this long. In the tests with
 * real programs, most wrong alarms were about children that went on computing, and did ordinary work: a
 * compiler, a backup, the hash of a file (doc/accuracy.md). If smaller, there are alarms about such work
 * (test child_at_long_work). If larger, a child in an endless loop is missed that nobody kills (test
 * child_at_work_for_a_minute). */
#define HANGS_CHILD_LONG_NS 60000000000ULL
/* 1/n of the longer hang: Two hangs are about equally long if they differ by at most this.
 * If the share is smaller, a hang that is a little longer comes before a hang with more waiting
 * tasks (test two_holders_below).
 * If the share is larger, a much longer hang comes second (test two_holders_above). */
#define HANGS_ALIKE_SHARE 10

/* Slices: how far ctrace believes that an edge leads from a cause to its effect. A strong edge is
 * certain to do so. A weak edge is a guess. A boosted edge is a guess with a further sign for it, such
 * as stacks that are alike. The score of a weak or boosted edge (0..1) is SURE_WEAK or SURE_BOOSTED,
 * multiplied by the factors below that fit the edge.
 * If a score or a factor is smaller, ctrace believes such edges too little.
 * The tests are in thresholds_slice.txt. */
/* 0..1: The score of a boosted edge (a guess with a further sign for it) before the factors below.
 * Tests: one_doubt_many fails if the number is smaller, two_doubts if it is larger. */
#define SURE_BOOSTED 0.8
/* 0..1: The score of a weak edge before the factors below.
 * Tests: two_doubts fails if the number is smaller, one_doubt_many if it is larger. */
#define SURE_WEAK 0.5
/* 0..1: The score of a strong edge other than the nearest one (distance() in candidate.c).
 * Tests: certain_way_by_a_later_edge fails if the number is smaller, likely_way_by_the_nearest_edge
 * if it is larger. */
#define SURE_LATER 0.6
/* factor: Multiplies the score of an edge of a lock handoff or of an interrupt: both are often
 * chance.
 * Tests: handover_or_two_doubts fails if the number is smaller, handover_or_one_doubt if it is
 * larger. */
#define SURE_HAPPENSTANCE 0.4
/* factor: Multiplies the score of a false wake.
 * Tests: false_wake_or_three_doubts fails if the number is smaller, false_wake_or_two_doubts if it
 * is larger. */
#define SURE_FALSE_WAKE 0.3
/* factor: Multiplies the score of an edge that is one of several possible edges (EDGE_MANY).
 * Tests: one_doubt_many fails if the number is smaller, two_doubts if it is larger. */
#define SURE_MANY 0.7
/* factor: Multiplies the score of an edge that arrives after the segment has begun.
 * Tests: one_doubt_midst fails if the number is smaller, two_doubts if it is larger. */
#define SURE_MIDST 0.8
/* factor: Multiplies the score of an edge between stacks with nothing in common. For equal stacks,
 * the factor is 1.
 * Tests: other_stack_is_one_doubt fails if the number is smaller, other_stack_and_another_doubt if
 * it is larger. */
#define SURE_OTHER_STACKS 0.7
/* 0..1: A very old edge loses this part of its score: the factor is 1 - SURE_OLD.
 * Tests: old_or_half_of_the_stack fails if the number is smaller, old_or_little_of_the_stack if it
 * is larger. */
#define SURE_OLD 0.2
/* ns: The score of an edge of this age loses half of SURE_OLD.
 * If smaller, an edge that is not old loses much of its score (test
 * tenth_of_a_second_or_more_than_half).
 * If larger, age does not matter (test tenth_of_a_second_or_most_of_the_stack). */
#define SURE_AGE_NS 100000000ULL

/* What-if. The tests are in whatif_test.c. */
/* ns: If a send ends a wait, its record comes at most this long after the end of the wait.
 * If smaller, the message counts a second time (test test_record_after_the_wait).
 * If larger, a later message counts as part of the wait (the same test). */
#define WHATIF_SEND_SLACK_NS 200000ULL
/* 1/n of the range: A task of the path may wait for a CPU that another task has. If such waits reach this
 * share, a row of the what-if table says how much shorter the range would be without the process of the
 * other task.
 * If the share is smaller, the table has rows with next to no saved time (test test_rivals).
 * If the share is larger, a useful row is missing (the same test). */
#define WHATIF_RIVAL_SHARE 50

/* Requests. The tests are in requests.txt. */
/* per cent: The requests between these two ranks by latency are the usual ones. With a wider range,
 * very fast or slow requests count as usual. With a narrower range, few requests count as usual
 * (test usual_and_slow). */
#define REQUEST_USUAL_FROM 40
#define REQUEST_USUAL_TO   60
/* per cent: The slowest requests are those from this rank on (test usual_and_slow). */
#define REQUEST_SLOW_FROM 99
/* requests: For a service, at most this many usual requests are examined, and at most this many of
 * the slowest.
 * If smaller, rare reasons are missed.
 * If larger, a trace of a million requests takes minutes. */
#define REQUEST_SAMPLE 400
/* tasks and intervals: To find out whether a client of a service without answers waited for one, at most this
 * many are looked at in all. If smaller, the sink of a stream of messages counts as a service. If larger, a
 * trace with a million such messages takes seconds longer. */
#define SERVICE_LOOKS 20000000
/* The sentence about a request names at most REQUEST_SAID reasons, each with at least
 * 1/REQUEST_SAID_SHARE of the time. Fewer reasons do not explain the request; more make the
 * sentence long (test usual_and_slow). */
#define REQUEST_SAID       3
#define REQUEST_SAID_SHARE 20
/* services: The shape of a request has at most this many services that were asked for its sake. Further ones
 * are left out. If smaller, requests that differ have one shape. If larger, the list takes more memory. */
#define SHAPE_SERVICES 24
/* shapes: For each service, at most this many shapes are kept. */
#define SERVICE_SHAPES 8
/* services: The words for a shape name at most this many services (test shape_of_many_services). */
#define SHAPE_SAID 4
/* services: The longest row of services in which each service asks the next one. */
#define REQUEST_MAX_DEPTH 16
/* intervals: While a child request is under way, at most this many intervals of its sender are
 * searched for work on the parent request. */
#define CHILD_LOOKS 4096
/* 1/n of a wait: The wait of a request is for a connection if other requests used this connection, and
 * it was free for at most this share.
 * If the share is smaller, a wait for a connection is missed, because a pool needs some time to hand
 * over a connection (test waits_for_connection).
 * If the share is larger, a wait for something else counts as a wait for a connection that happened to
 * be busy (test connection_was_free). */
#define CONNECTION_FREE 10
/* requests: The most requests on a connection, one after the other, that are examined for one wait. */
#define CONNECTION_LOOKS 4096
/* threads: The most threads of a process that are searched for a free one. */
#define FREE_THREAD_LOOKS 64
/* ns: A release of a lock of Go that finds no waiter is for a goroutine that begins to wait within this time,
 * and then does not wait: the goroutine has said that it waits before it calls the probed function.
 * If shorter, such a goroutine seems to wait until a later release (test lock_race).
 * If longer, a real wait is missed. */
#define LOCK_RACE_NS 1000000
/* receives: The most receives of a goroutine that are looked at to find out which request it serves. If
 * fewer, the request is not known if the goroutine has asked many times for its sake. */
#define STRAND_LOOKS 64

/* Queues of jobs. The tests are in jobs.txt. */
/* ns: While the probes of a framework are detached, the daemon says so every 5 s (JOBS_AUTO_TELL_NS in
 * daemon/thresholds.h). If it has not said so for this long, the record of the attaching is lost.
 * If smaller, one lost or late record makes jobs count whose other records are missing (test
 * repetition_lost). If larger, more jobs after a lost record do not count (test on_lost). */
#define UNPROBED_TOLD_NS 10000000000ULL
/* ns: A job function gets its probe when its first job is enqueued. So the start of a job may be
 * missing if the job was enqueued at most this long after the first job of its function. It does
 * not matter when the first start is recorded: the next job may come much later (test
 * unseen_then_idle).
 * If smaller, jobs that ran before their function had a probe seem to wait (test unseen_starts).
 * If larger, a job that later jobs overtake for ever does not seem to wait (test overtaken). */
#define JOB_UNSEEN_NS 1000000000ULL
/* 0..1: Jobs hardly wait if they spend less than this share of their time in the queue.
 * If smaller, a queue without a problem gets a verdict (test hardly_wait).
 * If larger, a queue in which jobs wait gets no verdict (test one_thread). */
#define QUEUE_WAIT_SHARE 0.1
/* ns: All threads are stuck if no job has ended while the oldest waiting job waited for this long.
 * If smaller, long jobs look stuck (test long_jobs).
 * If larger, a stuck pool is noticed late (test stuck_pool). */
#define QUEUE_STUCK_NS 1000000000ULL
/* factor: Long jobs hold up the others only if the 99th percentile of the execution times is at
 * least this many times their median.
 * Tests: one_thread fails if the number is smaller, few_long_jobs if it is larger. */
#define QUEUE_LONG_TIMES 10
/* 0..1: If all threads of a pool run jobs, further jobs wait. If the running jobs compute, or wait for a
 * CPU, for less than this share of their execution, the pool has too few threads. Otherwise, the pool has
 * too much to compute: it is overloaded.
 * Tests: jobs_that_sleep fails if the number is smaller, jobs_that_compute if it is larger. */
#define QUEUE_CPU_SHARE 0.5
/* 0..1: A job may have other jobs inside of itself. If more than this share of the execution counts more
 * than once for this reason, ctrace does not say which kind of job is slow, or what a pool lacks.
 * Tests: rarely_nested fails if the number is smaller, nested_loop if it is larger. */
#define QUEUE_NESTED_SHARE 0.05
/* 0..1: While jobs wait, threads may be free. Then fewer jobs run than at other times. The verdict
 * is QUEUE_LATE if this is so for more than this share of the time in which jobs wait.
 * Tests: taking_turns fails if the number is smaller, free_thread if it is larger. */
#define QUEUE_LATE_SHARE 0.5
/* jobs: At least this many short jobs that wait for one thread are a flood.
 * Tests: no_flood fails if the number is smaller, flood if it is larger. */
#define QUEUE_FLOOD_WAITING 100
/* versions: The jobs of one function that a task enqueues between two of its waits are one version.
 * Jobs are obsolete only if at least this many versions were enqueued while an earlier version had
 * not ended, and because of a timer or a person.
 * If smaller, a few slow rounds of a timer count (test few_versions).
 * If larger, obsolete jobs are found late (test obsolete_jobs). */
#define QUEUE_OBSOLETE_VERSIONS 5
/* versions: Some versions are enqueued while an earlier version has not ended. For at most this
 * many of them, ctrace looks for what woke the task that enqueued the version. A larger number
 * takes more time, and shows nothing new. */
#define QUEUE_OBSOLETE_LOOKS 1024
/* frames: Call stacks are near if one is the other with at most this many further frames (jobs/callers.h).
 * If smaller, a wrapper that only some calls pass makes two groups (test further_frame).
 * If larger, two callers that differ in one function are one group (test two_callers). */
#define CALLERS_EDITS 1
/* frames: Near stacks have the same functions in this many innermost frames: the function that takes the job,
 * and its caller. If smaller, a direct call and one through a helper are one group (test
 * helper_is_another_caller). If larger, as with a smaller CALLERS_EDITS (test further_frame). */
#define CALLERS_INNER 2
/* functions: If up to this many functions in a row call themselves again, they count once.
 * If smaller, each depth of a recursion is a group of its own (test recursion). A larger number takes more
 * time. */
#define CALLERS_PERIOD 4
/* times: Threads that idle on one thing are a pool (jobs/pools.h) if at least two of them idled, and then
 * worked, this often.
 * If smaller, threads that wait for a common start and a common end are a pool (test not_a_pool).
 * If larger, pools with few or long jobs are missed (test found_pool). */
#define POOL_ROUNDS 3
/* 1/n of the waits: At least this share of the waits of a pool is ended by something else than one of its
 * own threads.
 * If the share is smaller, threads that pass on a lock without a known owner are a pool (test
 * passed_on_is_no_pool).
 * If larger, a pool whose jobs enqueue further jobs is missed (test pool_that_feeds_itself). */
#define POOL_OUTSIDE_SHARE 2
/* jobs: A larger capacity of a queue in a trace is no capacity, but damaged (JOB_CAPACITY_MAX in
 * ctrace/job.h). */
#define QUEUE_DECLARED_MAX 65535
/* jobs: A caller can be the slow kind of a queue only if this many of its jobs have a stack.
 * If smaller, one long job of a rare caller names this caller (test one_long_job_of_a_caller).
 * If larger, a slow caller of few jobs is not named (test slow_caller). */
#define QUEUE_CALLER_JOBS 3
/* 0..1: A queue is behind a long wait if jobs of a task of the chain waited in it for at least this share
 * of the wait.
 * Tests: short_queue fails if the number is smaller, long_queue if it is larger. */
#define BEHIND_SHARE 0.5

/* Transactions. The tests are in transactions.txt. REQUEST_USUAL_FROM and REQUEST_USUAL_TO also say which
 * transactions are usual. REQUEST_SLOW_FROM also says which transactions are slow. */
/* transactions: A trace with more of them is refused.
 * If larger, the list takes more than 100 MB. */
#define TRANSACTIONS_MAX 1000000
/* transactions: At most this many transactions of a type are divided into parts. If a type has more,
 * they are sorted by length, and transactions at equal distances in this order are divided.
 * If smaller, rare shapes are missed.
 * If larger, a trace with many requests takes minutes. */
#define TRANSACTION_DIVIDED 20000
/* transactions: The reasons come from at most this many usual transactions, and from at most this many
 * slow ones.
 * If smaller, rare reasons are missed.
 * If larger, each shape of a type takes seconds. */
#define TRANSACTION_SAMPLE 100
/* shapes: A type has at most this many shapes; further ones are counted. */
#define TRANSACTION_SHAPES 32
/* 1/n: A part belongs to the shape if it has at least this share of the time of the transaction.
 * If the share is smaller, chance makes many shapes (test small_parts).
 * If the share is larger, different paths have one shape (test two_shapes). */
#define TRANSACTION_SHAPE_SHARE 20
/* steps: If up to this many steps repeat the steps just before them, the shape leaves out the repeat. So
 * the number of rounds of a loop does not matter.
 * If smaller, a loop with more rounds is another shape (test loop).
 * If larger, the search takes longer. */
#define TRANSACTION_CYCLE 4
/* steps: A shape names at most this many steps. With more steps, it is too long to read. */
#define TRANSACTION_SHAPE_STEPS 24
/* tasks: The path of a transaction goes back from forked tasks to their parents, over at most this
 * many tasks. */
#define TRANSACTION_FORKS 64
/* factors: An outlier is longer than at least one limit. The first limit is the mean plus TRANSACTION_SD
 * standard deviations. The second is the median plus TRANSACTION_MAD times mad_ns (transaction.h).
 * Outliers make the first limit larger, and hardly change the second.
 * If smaller, usual transactions are outliers; if larger, slow ones are not (test outliers). */
#define TRANSACTION_SD  3
#define TRANSACTION_MAD 5
/* transactions: A group with fewer transactions has no outliers.
 * If smaller, chance makes outliers (test too_few_for_outliers).
 * If larger, outliers in a small group are missed (test two_shapes). */
#define TRANSACTION_OUTLIERS_OF 5

/* Inputs. The tests are in inputs.txt. */
/* ns: The work for an input is followed for this long.
 * If smaller, the update of a slow program is missed.
 * If larger, an endless exchange of two threads is followed for longer. */
#define INPUT_REACH_NS 10000000000ULL
/* ns: After a write to a pseudo terminal, a kernel thread wakes the reader within this time.
 * If smaller, a reader is not found when the CPU of the kernel thread is busy.
 * If larger, the search takes longer, and the wake-up may be for a later write. */
#define INPUT_TERMINAL_NS 50000000ULL
/* pieces: The work for an input has at most this many pieces. A piece is what one task does without idling.
 * If smaller, updates that many tasks make together are missed.
 * If larger, an endless exchange of two threads is followed for longer. */
#define INPUT_PIECES 256

/* Profiles. The tests are in profile.txt. */
/* letters: In a directory for temporary files, a word of letters and digits of at least this length
 * may be random. mkstemp() makes six random letters.
 * If smaller, short words such as "v1" count as random (test names).
 * If larger, the files of two runs have two names (test names). */
#define PROFILE_RANDOM_LETTERS 6
/* digits: A number of at least this many digits in a name may differ in the next run. Example: the
 * id of a process.
 * If smaller, "sha256sum" loses its number; if larger, names differ from run to run (test names). */
#define PROFILE_NUMBER_DIGITS 4
/* port: For clients, the kernel chooses ports of this number or more (net.ipv4.ip_local_port_range). A
 * smaller port is that of a server.
 * Test: names. */
#define PROFILE_CLIENT_PORT 32768
/* functions: Samples divide the running time of a profile among at most this many functions. */
#define PROFILE_FUNCTIONS_MAX 2048
/* samples: A function with fewer samples gets no running time of its own, because chance decides which
 * functions the samples hit (a Poisson process). After 3 samples, the true running time is at least 27 %
 * of the shown one, with a confidence of 95 %. After 2 samples it is at least 18 %, after one sample 5 %.
 * If smaller, a function that ran for a moment gets a third of a short run (test one_of_three), or the
 * whole run (test two_samples).
 * If larger, a run of some tenths of a second has no function (test few_samples). */
#define PROFILE_SAMPLES_MIN 3
/* 1/n of the running time of a program: Each sample shows CPU_SAMPLE_NS of this time. If the samples
 * together show at least this share, the functions divide all of the time in proportion to their samples.
 * Otherwise a function gets CPU_SAMPLE_NS for each of its samples. The rest has no function.
 * If the share is smaller, the time of runs that were too short for a sample goes to the functions of
 * longer runs (test few_samples).
 * If the share is larger, late samples leave much time without a function (test samples). */
#define PROFILE_SAMPLED_SHARE 2

/* 1/n: The sentence of a comparison names only parts that have at least this share of all changes.
 * If the share is smaller, the sentence names noise; if it is larger, it leaves out a cause (test
 * delta). */
#define DELTA_SAID_SHARE 20
/* parts: The sentence of a comparison names at most this many parts. */
#define DELTA_SAID_ROWS 3

/* Patterns of repetitions. The tests are in patterns_test.c. */
/* -1..1: A pattern grows only if the rank correlation of its counts with the order of the transactions is at
 * least this.
 * If smaller, a count that goes up and down seems to grow (test up_and_down).
 * If larger, a count that grows with a few setbacks does not (test grows_with_setbacks). */
#define PATTERNS_GROWS 0.7
/* steps: The correlations from 0 to 1 are divided into this many steps. Of two patterns in one step,
 * the one with the larger growth comes first. Of two in different steps, the surer one comes first.
 * A count that grows in every transaction has a step of its own.
 * If smaller, large noise comes before a small exact growth (test surest_first).
 * If larger, one setback puts a large growth behind a small one (test about_as_sure). */
#define PATTERNS_SURE 10
/* 1/n of the transactions: Growth is the difference between two mean counts: that of the first 1/n
 * of the transactions, and that of the last 1/n.
 * If the share is smaller, a single transaction decides (test one_odd_end).
 * If the share is larger, the growth seems smaller than it is (test thirds). */
#define PATTERNS_ENDS 3
/* 0..1: A count changed from one trace to the other if the two counts differ by at least this share of
 * the larger count.
 * If smaller, the list is full of noise (test compare_noise).
 * If larger, a pattern that grew by a fifth is not shown (test compare_change). */
#define PATTERNS_CHANGED 0.1
/* share: The accepted share of false alarms. If two commands are equal, at most this share of the checks
 * finds a count that grew. A check that may decide n times uses this number divided by n.
 * False alarms are rarer with more runs, but more frequent if more counts vary from run to run.
 * If smaller, five runs of each side are not enough if two counts vary (test few_runs of counts_test.c).
 * If larger, four runs of each side are enough if one count varies. Then up to one of 70 checks gives a
 * false alarm (same test).
 * Evidence: see "Counts" in doc/check.md. */
#define COUNTS_ALPHA 0.01

/*
 * Crashes. The tests are in crashes.txt.
 */
/* ns: The stack of a crash is recorded at most this long before or after the record of its signal.
 * If smaller, the stack is not found while the CPU is busy with interrupts (test late_stack).
 * If larger, a stack of an earlier task with the same tid could be taken (test old_stack). */
#define CRASH_STACK_NS 100000000ULL
/* records: The search for the signal that ended a process looks at this many signals to it.
 * If smaller, the sender is not known if other signals follow at once (test other_signals). */
#define CRASH_SIGNALS_LOOK 256
/* ns: A thread that ends after an uncaught exception ends at most this long after the report of the
 * exception. If smaller, a thread is not listed that writes its stack to a slow terminal (test
 * thread_ends_late). If larger, a thread is listed that has handled the exception, and ends later (test
 * thread_goes_on). */
#define CRASH_THREAD_END_NS 1000000000ULL
/* links: The sentence about a crash names at most this many tasks of the path (test long_path). */
#define CRASH_LINKS_SAID 4

#endif
