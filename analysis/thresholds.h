/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - private to analysis/: the numbers that decide an answer, each with its unit, what it
 * trades, and its evidence.
 *
 * Evidence is a fact about the kernel or glibc, or a unit test (test/unit/analysis) that fails if the
 * number is smaller or larger: by 30 % for a score or a factor, else by half or twice.  "larger: none"
 * says that no test notices it.  A number with "no evidence yet" is a guess that no test notices either
 * way: measure before you rely on it.
 *
 * Half of a time (a majority) needs no name.  Limits on how much is looked at, which count what they
 * refuse, stand with what they limit.
 */
#ifndef CTRACE_ANALYSIS_THRESHOLDS_H
#define CTRACE_ANALYSIS_THRESHOLDS_H

/*
 * Diagnosis: what is worth a verdict
 */
/* ns: A shorter stall is normal, and the queue for a CPU has held up nobody if it is shorter.
 * Lower: more verdicts about what nobody notices. Evidence: smaller: short_wait_for_a_lock; larger:
 * longer_wait_for_a_lock, server_waits_for_the_cpu. */
#define DIAGNOSE_STALL_NS 500000000ULL
/* ns: A task whose requests are answered so fast on average works. Higher: a slow service is taken
 * for work. Evidence: smaller: pingpong_is_normal; larger: slow_answers. */
#define DIAGNOSE_QUICK_NS 5000000ULL
/* ns: A child that computes for less is at work. Higher: a slow child is normal. Evidence: smaller:
 * child_works; larger: child_works_long. */
#define DIAGNOSE_CHILD_BUSY_NS 2000000000ULL

/*
 * Diagnosis: which branch the chain follows
 */
/* 1/n of the time: A branch with more than this share is an alternative. A rival with less of the CPU
 * is named as weak; one with less of the disk is not named. Lower share: more questions to a person.
 * Evidence: smaller: more_than_a_fifth, rival_with_more_than_a_fifth,
 * disk_rival_with_more_than_a_fifth; larger: less_than_a_fifth, rival_with_less_than_a_fifth,
 * disk_rival_with_less_than_a_fifth. */
#define BRANCH_SHARE 5
/* 1/n of the time: The same share where the largest branch is a guess. Evidence: smaller:
 * a_guess_is_asked_about; larger: a_guess_without_alternative. */
#define BRANCH_SHARE_GUESS 20
/* fifths of the time: Time of which nothing is known is a branch from this share on. Evidence:
 * smaller: capped_itself; larger: hardly_recorded. */
#define BRANCH_UNKNOWN_FIFTHS 4

/*
 * Diagnosis: does a task spin, poll, starve?
 */
/* ns: More than one yield in this time is spinning. Lower: a task that yields now and then counts.
 * Evidence: smaller: looks_again_and_again; larger: works_in_portions. */
#define SPIN_YIELD_NS 10000000ULL
/* yields: So many yields more are needed, so that a short burst is none. Evidence: smaller:
 * works_in_portions; larger: looks_again_and_again. */
#define SPIN_YIELDS 20
/* samples: Fewer samples on the CPU say nothing. Evidence: smaller: three_samples; larger:
 * five_samples. */
#define SPIN_SAMPLES 4
/* 1/n of the samples: A larger share in calls that look or yield is spinning. Evidence: smaller:
 * loop_around_poll; larger: polls_beside_its_work. */
#define SPIN_SAMPLE_SHARE 3
/* waits: Fewer sleeps are no polling. Evidence: smaller: two_sleeps; larger: three_sleeps. */
#define POLL_WAITS 3
/* ns: A loop with longer sleeps on average is a periodic job. Evidence: smaller:
 * looks_every_1500_ms; larger: works_every_3_s. */
#define POLL_WAIT_NS 2000000000ULL
/* times its time on the CPU: A task that waited for the CPU for longer starves. Lower: the fair share
 * beside three rivals is starvation. Evidence: smaller: three_rivals; larger: four_rivals. */
#define STARVED_RATIO 3
/* tenths of the time: A worker is busy throughout from this share on. Evidence: smaller:
 * pool_has_room; larger: pool_is_busy. */
#define POOL_BUSY_TENTHS 8
/* ns: A task that polls goes on so soon after the write, also if it sleeps in between or waits for
 * a CPU. Evidence: smaller: goes_on_after_200_ms; larger: goes_on_after_400_ms. */
#define FLAG_ENDED_NS 250000000ULL
/* ns: Writes that are nearer belong to one hand-over: one task sets, the other takes. Evidence:
 * smaller: written_together; larger: written_one_after_the_other. */
#define FLAG_TOGETHER_NS 1000000ULL

/*
 * Comparison with earlier waits.  The evidence is in thresholds_waits.txt.
 */
/* times its like: A wait that takes less is normal. Evidence: smaller: three_times_as_long; larger:
 * seven_times_as_long. */
#define MISSING_LONG 5
/* 0..1: Less alike waits name nobody. Evidence: smaller: no_frame_of_three; larger: one_frame_of_three. */
#define MISSING_GOOD_SCORE 0.6F
/* waits: Fewer waits name nobody; with fewer of its own, waits of tasks of its role count as well.
 * Evidence: smaller: habit_of_two; larger: habit_of_four. */
#define MISSING_GOOD_COUNT 3
/* 0..1: From here on the answer is not a guess. Evidence: smaller: one_frame_of_three; larger:
 * two_frames_of_three. */
#define MISSING_SURE_SCORE 0.8F
/* waits: The same for their number. Evidence: smaller: habit_of_six; larger: seven_times_as_long. */
#define MISSING_SURE_COUNT 8
/* 1/n of the waits: If more ended in another way, the answer is a guess. Evidence: smaller:
 * often_otherwise; larger: seldom_otherwise. */
#define MISSING_SURE_OTHERS 4
/* ns: A task that runs longer between two parts of a wait begins a new wait. Evidence: smaller:
 * look_in_between; larger: work_in_between. */
#define MISSING_RAN_NS 1000000ULL
/* 0..1: Less alike waits are other waits. Evidence: smaller, larger: no_frame_of_three. */
#define SIMILAR_LEAST 0.4F
/* 0..1: The waits that tell the usual length are at most so much less alike than the best. Evidence:
 * smaller: three_frames_of_four_are_near; larger: two_frames_of_three_are_not_near. */
#define SIMILAR_NEAR_BEST 0.15F
/* 0..1: A wait on another object that serves the same purpose: a socket to the same address, the next
 * pipe, another task's object of the kind. Evidence: smaller: condition_of_another; larger:
 * condition_and_stack_of_another. */
#define SIMILAR_OTHER_OBJECT 0.8F
/* 0..1: Two waits with nothing in common on their stacks keep so much of their score. Evidence: smaller:
 * one_frame_of_three; larger: no_frame_of_three. */
#define SIMILAR_STACK 0.5F

/*
 * Hangs.  The evidence is in thresholds_waits.txt.  How long a task queues for a CPU before it is looked at
 * is DIAGNOSE_STALL_NS; a wait for something else that ends a run of waits is OTHER_WAIT_NS (graph/).
 */
/* ns: A shorter wait is not looked at. Lower: more rows, and a diagnosis for each. Evidence: smaller,
 * larger: lock_of_a_second. */
#define HANGS_WAIT_NS 1000000000ULL
/* ns: The same for a run.  A main thread that waits so long on a condition for a busy task is an alarm.
 * Evidence: smaller, larger: two_seconds_of_work; smaller: main_waits_for_a_worker; larger:
 * main_waits_for_a_worker_for_long. */
#define HANGS_RUN_NS 2000000000ULL
/* ns: A shorter wait between two runs does not divide them. Evidence: smaller, larger:
 * work_with_short_waits. */
#define HANGS_SHORT_WAIT_NS 10000000ULL
/* ns: A task that runs longer between two waits begins another wait.  The share is added to it. Evidence:
 * smaller, larger: work_between_two_tries. */
#define HANGS_BETWEEN_NS 5000000ULL
/* 1/n of the time since the first wait: The task may run so much longer. Evidence: smaller, larger:
 * tries_of_a_lock. */
#define HANGS_BETWEEN_SHARE 20
/* ns: A child that computes for longer is an alarm. Evidence: smaller: child_at_work; larger:
 * child_at_work_for_long. */
#define HANGS_CHILD_BUSY_NS 3000000000ULL

/*
 * Slices: how far an edge is believed.  The evidence is in thresholds_slice.txt: which of two ways is taken.
 */
/* 0..1: A weak edge that something speaks for, at best. Evidence: smaller: one_doubt_many; larger:
 * two_doubts. */
#define SURE_BOOSTED 0.8
/* 0..1: Any other weak edge, at best. Evidence: smaller: two_doubts; larger: one_doubt_many. */
#define SURE_WEAK 0.5
/* 0..1: A strong edge that is not the nearest to the start. Evidence: smaller:
 * certain_way_by_a_later_edge; larger: likely_way_by_the_nearest_edge. */
#define SURE_LATER 0.6
/* factor: A hand-over of a mutex, or an interrupt. Evidence: smaller: handover_or_two_doubts; larger:
 * handover_or_one_doubt. */
#define SURE_HAPPENSTANCE 0.4
/* factor: The task went back to sleep on the same object. Evidence: smaller: false_wake_or_three_doubts;
 * larger: false_wake_or_two_doubts. */
#define SURE_FALSE_WAKE 0.3
/* factor: Several others could have been meant. Evidence: smaller: one_doubt_many; larger: two_doubts. */
#define SURE_MANY 0.7
/* factor: A weak edge that arrives after the segment has begun. Evidence: smaller: one_doubt_midst;
 * larger: two_doubts. */
#define SURE_MIDST 0.8
/* factor: The stacks of the two segments have nothing in common; 1 if they are the same, half-way if they
 * are not known. Evidence: smaller: other_stack_is_one_doubt; larger: other_stack_and_another_doubt. */
#define SURE_OTHER_STACKS 0.7
/* 0..1: So much a weak edge loses by its age at most. Evidence: smaller: old_or_half_of_the_stack;
 * larger: old_or_little_of_the_stack. */
#define SURE_OLD 0.2
/* ns: At this age it loses half of that. Evidence: smaller: tenth_of_a_second_or_more_than_half; larger:
 * tenth_of_a_second_or_most_of_the_stack. */
#define SURE_AGE_NS 100000000ULL

/*
 * What-if.  The evidence is in whatif_test.
 */
/* ns: The record of a send comes at most so long after what it woke has gone on. Evidence: smaller,
 * larger: test_record_after_the_wait. */
#define WHATIF_SEND_SLACK_NS 200000ULL
/* 1/n of the time: A rival with less of the CPU is no question worth asking. Evidence: smaller, larger:
 * test_rivals. */
#define WHATIF_RIVAL_SHARE 50

#endif
