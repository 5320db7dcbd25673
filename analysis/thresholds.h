/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - private to analysis/: the numbers that decide an answer.
 *
 * Each entry says: the unit; what the number means; what goes wrong below and above it; the evidence.
 * After "Below" and "Above" stands the wrong answer: "Above: real stalls are normal" says that with a
 * larger number, ctrace calls real stalls normal.
 *
 * Evidence names cases of the unit tests (test/unit/analysis): a case "below" fails if the number is
 * smaller, a case "above" fails if it is larger. Smaller and larger mean 30 % for a score or a
 * factor, and half or twice for the other numbers. If the unit is a share 1/n, "below" means a
 * smaller share. A number with "no evidence yet" is a guess: no test fails if it changes.
 *
 * The code compares some times with half of another time (a majority); that number has no name. A
 * limit on how much the analysis looks at stands in the file that counts what the limit refuses.
 */
#ifndef CTRACE_ANALYSIS_THRESHOLDS_H
#define CTRACE_ANALYSIS_THRESHOLDS_H

/*
 * Diagnosis: which stalls are normal
 */
/* ns: A stall shorter than this is normal. A task that waited for a CPU for less than this is to
 * blame for no other task's wait, unless its time in the run queue is most of the victim's wait.
 * Below: verdicts about delays that nobody notices. Above: real stalls are normal. Evidence:
 * short_wait_for_a_lock below; longer_wait_for_a_lock, server_waits_for_the_cpu above. */
#define DIAGNOSE_STALL_NS 500000000ULL
/* ns: A task whose requests are answered faster than this, on average, works normally. Below: ordinary
 * requests are a stall. Above: a slow service is normal. Evidence: pingpong_is_normal below; slow_answers
 * above. */
#define DIAGNOSE_QUICK_NS 5000000ULL
/* waits: If a person asks about a time, short waits are the cause (CAUSE_CHATTY) only if there are
 * at least this many of them in this time. Below: a few calls are called many. Above: many calls
 * are called a slow peer. Evidence: nine_calls below; fifteen_calls above. */
#define CHATTY_WAITS 10
/* ns: A stall shorter than this is normal if the victim waits for a child that computes. Below: the ordinary
 * work of a child is a stall. Above: a slow child is normal. Evidence: child_works below; child_works_long
 * above. */
#define DIAGNOSE_CHILD_BUSY_NS 2000000000ULL

/* waits: A task that got something from a sleeping producer at least this often is fed by it, and does not
 * hang. Below: a service that sleeps in two requests is normal. Above: the consumer of a slow producer hangs.
 * Evidence: fed_twice below; fed_three_times above. */
#define FED_WAITS 3
/* intervals: To find out whether a task is fed (FED_WAITS), the search looks at up to this many
 * intervals before the examined wait, and at up to this many after the examined wait. */
#define FED_LOOKS 512
/* turns, and 1/n of the turns: A connection carries messages that need no answer if the client has
 * waited in its event loop after at least this many messages, and at most this share of them had an
 * answer before the next message. Below: a client that has lost one answer idles. Above: the client
 * of a message bus or of a display hangs while it idles. Evidence: one_message_unanswered below;
 * two_messages_unanswered above. For the share: three_answered below; two_answered above. */
#define ONE_WAY_TURNS 2
#define ONE_WAY_SHARE 2
/* turns: The search for such messages looks at up to this many messages before the present one. */
#define ONE_WAY_LOOKS 32

/*
 * Diagnosis: which branch the chain follows
 */
/* 1/n of the time: A branch with more than this share is an alternative to the largest branch. A
 * task that had the CPU or the disk for less than this share of the wait is not named. Below: more
 * questions to a person. Above: the real cause is no option. Evidence: less_than_a_fifth,
 * rival_with_less_than_a_fifth, disk_rival_with_less_than_a_fifth below; more_than_a_fifth,
 * rival_with_more_than_a_fifth, disk_rival_with_more_than_a_fifth above. */
#define BRANCH_SHARE 5
/* 1/n of the time: If the largest branch is a guess and has no alternative by BRANCH_SHARE, a branch with
 * more than this share is an alternative. Below: more questions to a person. Above: a guess stands without a
 * question. Evidence: a_guess_without_alternative below; a_guess_is_asked_about above. */
#define BRANCH_SHARE_GUESS 20
/* fifths of the time: The time of which nothing is known is a branch if it has at least this share. Below: a
 * task with few lost records has the cause "unknown". Above: a task without records gets a cause.
 * Evidence: capped_itself below; hardly_recorded above. */
#define BRANCH_UNKNOWN_FIFTHS 4

/*
 * Diagnosis: does a task spin, poll, starve?
 */
/* ns: A task spins if it yields the CPU more often than the sum of two numbers: its time divided by
 * SPIN_YIELD_NS, and SPIN_YIELDS. Below: a task that spins computes. Above: a task that yields now and then
 * spins. Evidence: looks_again_and_again below; works_in_portions above. */
#define SPIN_YIELD_NS 10000000ULL
/* yields: A task spins only if it yields this many times in addition to once in each SPIN_YIELD_NS. Below: a
 * short burst of yields is spinning. Above: a short spin is not found. Evidence: works_in_portions below;
 * looks_again_and_again above. */
#define SPIN_YIELDS 20
/* samples: With fewer samples on the CPU than this, the samples do not show that a task spins. Below: chance
 * decides. Above: a short spin is not found. Evidence: three_samples below; five_samples above. */
#define SPIN_SAMPLES 4
/* 1/n of the samples: A task spins if a larger share of its samples than this is in calls that yield or look
 * for events. Below: a task that polls beside its work spins. Above: a loop around poll() computes.
 * Evidence: polls_beside_its_work below; loop_around_poll above. */
#define SPIN_SAMPLE_SHARE 3
/* waits: A task that sleeps fewer times than this does not poll. Below: two sleeps are polling. Above: a
 * short polling is not found. Evidence: two_sleeps below; three_sleeps above. */
#define POLL_WAITS 3
/* ns: A task polls only if its sleeps are shorter than this on average. Below: a slow polling is not found.
 * Above: a periodic job polls. Evidence: looks_every_1500_ms below; works_every_3_s above. */
#define POLL_WAIT_NS 2000000000ULL
/* ns: A task that polls may wait for the process that it told to do something at most this long before its
 * first sleep. Below: a command that looks up names before it polls has told nobody. Above: earlier work
 * counts. Evidence: tells_and_looks_up below; told_long_before above. */
#define PROMPT_NS 500000000ULL
/* ns: A task that computes for longer than this between two sleeps has done something else. Below: a task
 * that looks at much between two sleeps is not polling all the time. Above: earlier work counts. Evidence:
 * looks_at_much below; works_between above. */
#define PROMPT_WORK_NS 20000000ULL
/* times the time on the CPU: A task starves if it waited for a CPU for longer than this. Below: a task with
 * a fair share beside three others starves. Above: a task with a fifth of a CPU does not starve.
 * Evidence: three_rivals below; four_rivals above. */
#define STARVED_RATIO 3
/* ns: A sample shows that its task ran for this long before the sample, or for less if the task had run for
 * less without blocking. This number is the period of the samples of a CPU (ct_sample_period_ns in
 * bpf/config.h). Below: a task that had the CPU has no name. Above: a task that had little of the CPU is
 * named. Evidence: sampled_every_90_ms below; sampled_every_120_ms above. */
#define CPU_SAMPLE_NS 50000000ULL
/* 1/n of the time: While switches are not recorded, a task had the CPU if its samples show it for at least
 * this share of the time, and if at least this share of the looks at that CPU found the task there. Below: a
 * task with a part of the CPU is named. Above: no task is named. Evidence: sampled_for_a_third below;
 * sampled_every_90_ms above. */
#define CPU_SAMPLED_SHARE 2
/* 1/n of the window: If only long waits were recorded for more than this share, the sentence says
 * so. Below: a sentence mentions a moment that changes nothing. Above: a sentence leans on missing
 * records and does not say so. Evidence: coarse_for_a_moment below; coarse_for_a_while above. */
#define COARSE_SHARE 10
/* tenths of the time: A worker that is busy for at least this share is busy throughout. Below: a pool with an
 * idle worker is full. Above: a full pool has room. Evidence: pool_has_room below; pool_is_busy above. */
#define POOL_BUSY_TENTHS 8
/* ns: A write ended the polling if the polling ends at most this much later. In between, the
 * polling task may sleep or wait for a CPU. Below: a write that ended the polling does not count as
 * its end. Above: a write that did not end the polling counts as its end. Evidence:
 * goes_on_after_200_ms below; goes_on_after_400_ms above. */
#define FLAG_ENDED_NS 250000000ULL
/* ns: Two writes at most this far apart are one hand-over: one task sets the variable, another resets it.
 * Below: one hand-over counts as two. Above: two hand-overs count as one. Evidence: written_together below;
 * written_one_after_the_other above. */
#define FLAG_TOGETHER_NS 1000000ULL

/*
 * Comparison with earlier waits. The evidence is in thresholds_waits.txt.
 */
/* times: A wait is too long if it lasts at least this many times the usual length. Earlier wake-ups came at
 * regular times if the wait lasts longer than this many times the longest gap between two of these wake-ups.
 * Below: a chance delay is a missing wake-up. Above: a missing wake-up is not found. Evidence:
 * three_times_as_long below; seven_times_as_long above. */
#define MISSING_LONG 5
/* 0..1: No task is named if the earlier waits are less alike than this. Below: waits for another
 * reason name a task. Above: waits for the same reason name no task. Evidence: no_frame_of_three
 * below; one_frame_of_three above. */
#define MISSING_GOOD_SCORE 0.6F
/* waits: No task is named if there are fewer earlier waits than this. If the task itself has fewer,
 * the waits of other tasks of its role count as well. Below: chance names a task. Above: a short
 * habit names no task. Evidence: habit_of_two below; habit_of_four above. */
#define MISSING_GOOD_COUNT 3
/* 0..1: The answer is a guess if the earlier waits are less alike than this. Below: a guess is certain.
 * Above: a certain answer is a guess. Evidence: one_frame_of_three below; two_frames_of_three above. */
#define MISSING_SURE_SCORE 0.8F
/* waits: The answer is a guess if there are fewer earlier waits than this. Below: a guess is certain. Above:
 * a certain answer is a guess. Evidence: habit_of_six below; seven_times_as_long above. */
#define MISSING_SURE_COUNT 8
/* 1/n of the earlier waits that are alike: The answer is a guess if more waits than this ended in
 * another way. Below: a certain answer is a guess. Above: a guess is certain. Evidence:
 * seldom_otherwise below; often_otherwise above. */
#define MISSING_SURE_OTHERS 4
/* ns: Two parts of a wait, which a time limit has cut, are two waits if the task is awake for longer than
 * this in between. Below: a short look divides a wait. Above: two waits with work in between are one.
 * Evidence: look_in_between below; work_in_between above. */
#define MISSING_RAN_NS 1000000ULL
/* 0..1: An earlier wait does not count if it is less alike than this. Below: waits for another
 * reason count. Above: waits for the same reason do not count. Evidence: no_frame_of_three on both
 * sides. */
#define SIMILAR_LEAST 0.4F
/* 0..1: The usual length is the median length of the most alike waits: those whose score is at most this much
 * below the best score. Below: few waits decide the length. Above: waits that differ decide the length.
 * Evidence: three_frames_of_four_are_near below; two_frames_of_three_are_not_near above. */
#define SIMILAR_NEAR_BEST 0.15F
/* 0..1: How alike the places of two waits are if their objects differ and serve the same purpose:
 * sockets to the same address, two pipes, or objects of one kind that two tasks use. Below: such
 * waits name no task. Above: such waits count like waits on the same object. Evidence:
 * condition_of_another below; condition_and_stack_of_another above. */
#define SIMILAR_OTHER_OBJECT 0.8F
/* factor: The score of two waits is multiplied by this if their stacks have nothing in common. Below: waits
 * with other stacks do not count. Above: stacks do not matter. Evidence: one_frame_of_three below;
 * no_frame_of_three above. */
#define SIMILAR_STACK 0.5F

/*
 * Hangs. The evidence is in thresholds_waits.txt. Two numbers stand elsewhere. A task that is runnable for at
 * least DIAGNOSE_STALL_NS gets a row. A wait for something else that is longer than OTHER_WAIT_NS (graph/)
 * ends a series of waits.
 */
/* ns: A wait shorter than this gets no row. Below: more rows, and a diagnosis for each. Above: hangs are
 * missed. Evidence: lock_of_a_second on both sides. */
#define HANGS_WAIT_NS 1000000000ULL
/* ns: A run on a CPU shorter than this gets no row. A main thread that waits for a busy task on a condition
 * or an eventfd is an alarm if the wait lasts at least this long. Below: alarms about ordinary work. Above:
 * hangs are missed. Evidence: two_seconds_of_work on both sides; main_waits_for_a_worker below;
 * main_waits_for_a_worker_for_long above. */
#define HANGS_RUN_NS 2000000000ULL
/* ns: A wait longer than this divides a run on a CPU into two. Below: a long run with short waits gets no
 * row. Above: ordinary work with waits is a long run. Evidence: work_with_short_waits on both sides. */
#define HANGS_SHORT_WAIT_NS 10000000ULL
/* ns: Waits for the same thing are one wait, unless the task runs between them for longer than this plus the
 * time by HANGS_BETWEEN_SHARE. Below: a lock that is tried again and again makes many short waits.
 * Above: waits with work in between are one hang. Evidence: work_between_two_tries on both sides. */
#define HANGS_BETWEEN_NS 5000000ULL
/* 1/n of the time since the first of these waits began: This part of the time is added to
 * HANGS_BETWEEN_NS. Below and above: as for HANGS_BETWEEN_NS. Evidence: tries_of_a_lock on both
 * sides. */
#define HANGS_BETWEEN_SHARE 20
/* ns: A wait for a child that computes is an alarm if it lasts at least this long. Below: alarms about the
 * ordinary work of a child. Above: a child in an endless loop is missed. Evidence: child_at_work below;
 * child_at_work_for_long above. */
#define HANGS_CHILD_BUSY_NS 3000000000ULL
/* 1/n of the longer hang: Two hangs are about equally long if they differ by at most this. The hang with
 * more waiting tasks then comes first. Below: the hang that began a little earlier comes first, even if only
 * one task waits. Above: a much longer hang comes second. Evidence: two_holders on both sides. */
#define HANGS_ALIKE_SHARE 10

/*
 * Slices: how far an edge is believed. The score of an edge (0..1) is a product of these numbers,
 * and decides which of two ways is taken. Below: an edge of this sort is believed too little.
 * Above: an edge of this sort is believed too much. The evidence is in thresholds_slice.txt.
 */
/* 0..1: The score of a boosted edge (a weak edge with another sign for it) before the factors.
 * Evidence: one_doubt_many below; two_doubts above. */
#define SURE_BOOSTED 0.8
/* 0..1: The score of any other weak edge before the factors. Evidence: two_doubts below; one_doubt_many
 * above. */
#define SURE_WEAK 0.5
/* 0..1: The score of a strong edge if another strong edge is nearer to the start of the segment.
 * The nearest strong edge has the score 1. Evidence: certain_way_by_a_later_edge below;
 * likely_way_by_the_nearest_edge above. */
#define SURE_LATER 0.6
/* factor: For an edge that often comes about by chance: the handoff of a lock, or an interrupt. Evidence:
 * handover_or_two_doubts below; handover_or_one_doubt above. */
#define SURE_HAPPENSTANCE 0.4
/* factor: For a false wake: the task went back to sleep on the same object. Evidence:
 * false_wake_or_three_doubts below; false_wake_or_two_doubts above. */
#define SURE_FALSE_WAKE 0.3
/* factor: For a post that may have been for another waiter, because several tasks post and several wait.
 * Evidence: one_doubt_many below; two_doubts above. */
#define SURE_MANY 0.7
/* factor: For a weak edge that arrives after the segment has begun. Evidence: one_doubt_midst below;
 * two_doubts above. */
#define SURE_MIDST 0.8
/* factor: For an edge between two segments whose stacks have nothing in common. If the stacks are equal, the
 * factor is 1. The more the stacks differ, the nearer the factor is to this number. If a stack is not known,
 * the factor is half-way between this number and 1. Evidence: other_stack_is_one_doubt below;
 * other_stack_and_another_doubt above. */
#define SURE_OTHER_STACKS 0.7
/* 0..1: The part of its score that a very old weak edge loses. Evidence: old_or_half_of_the_stack below;
 * old_or_little_of_the_stack above. */
#define SURE_OLD 0.2
/* ns: A weak edge of this age loses half of SURE_OLD. Below: an edge seems too old too soon. Above: age does
 * not matter. Evidence: tenth_of_a_second_or_more_than_half below; tenth_of_a_second_or_most_of_the_stack
 * above. */
#define SURE_AGE_NS 100000000ULL

/*
 * What-if. The evidence is in whatif_test.
 */
/* ns: A send may be recorded at most this long after the end of the wait that it ended. Below: the
 * message of this send counts a second time. Above: a later message counts as part of the wait.
 * Evidence: test_record_after_the_wait on both sides. */
#define WHATIF_SEND_SLACK_NS 200000ULL
/* 1/n of the range: The table has no question about a process whose task had the CPU for less than this.
 * Below: questions that save next to nothing. Above: a question worth asking is missing. Evidence:
 * test_rivals on both sides. */
#define WHATIF_RIVAL_SHARE 50

/*
 * Requests. The evidence is in requests.txt.
 */
/* per cent: The requests whose latency lies between these ranks are the usual ones, with which the slowest
 * are compared. Below and above: too few requests, or slow ones, count as usual. Evidence: usual_and_slow on
 * both sides. */
#define REQUEST_USUAL_FROM 40
#define REQUEST_USUAL_TO   60
/* per cent: The slowest requests are those from this rank on. Evidence: usual_and_slow on both sides. */
#define REQUEST_SLOW_FROM 99
/* requests: Of the usual and of the slowest requests of a service, at most this many are divided into parts;
 * they are evenly distributed over the ranks. Below: rare reasons are missed. Above: a trace of a million
 * requests takes minutes. */
#define REQUEST_SAMPLE 400
/* The sentence about a request names at most SAID reasons, each with at least 1/SAID_SHARE of the time.
 * Below: the sentence does not explain the request. Above: the sentence is long. Evidence: usual_and_slow on
 * both sides. */
#define REQUEST_SAID       3
#define REQUEST_SAID_SHARE 20
/* services: A request that asks a service, which asks a service, and so on: at most this many are followed.
 */
#define REQUEST_MAX_DEPTH 16
/* intervals: While a child request is under way, at most this many intervals of the asking task are looked at
 * for work that it does meanwhile. */
#define CHILD_LOOKS 4096

/*
 * Queues of jobs. The evidence is in jobs.txt.
 */
/* 0..1: Jobs hardly wait if less than this share of all their time is spent in the queue. Below: a queue
 * without a problem gets a verdict. Above: a queue in which jobs wait gets none. Evidence: hardly_wait below;
 * one_thread above. */
#define QUEUE_WAIT_SHARE 0.1
/* ns: All threads are stuck if no job has ended for as long as the oldest waiting job has waited, and this is
 * at least so long. Below: long jobs look stuck. Above: a stuck pool is noticed late. Evidence: long_jobs
 * below; stuck_pool above. */
#define QUEUE_STUCK_NS 1000000000ULL
/* factor: A few long jobs hold up the others if the 99th per cent of the execution is this many times the
 * usual. Evidence: one_thread below; few_long_jobs above. */
#define QUEUE_LONG_TIMES 10
/* 0..1: A pool is too small if its jobs have a CPU for less than this share of their execution; otherwise it
 * is overloaded. Evidence: jobs_that_sleep below; jobs_that_compute above. */
#define QUEUE_CPU_SHARE 0.5

#endif
