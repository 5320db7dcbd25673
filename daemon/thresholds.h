/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in daemon/.
 *
 * Each entry begins with the unit. Then it says what the number means, what goes wrong with a
 * smaller or a larger number, and which evidence there is for the number. If several numbers share
 * an entry, the entry names each of them. "part" and "times" are units too: a part of 1, and a
 * factor.
 *
 * The evidence is either a table in doc/, or a test in test/unit/daemon. A test shows only that the
 * code uses this number. Only a table shows that the number is a good choice. "No evidence yet"
 * means that there is neither a test nor a table for the number.
 *
 * Defaults of settings are in config/. Sizes of tables and of buffers are beside the tables and
 * buffers, which count what they refuse. How many runs of a BPF program are timed is in
 * include/ctrace/govern_state.h.
 */
#ifndef CTRACE_DAEMON_THRESHOLDS_H
#define CTRACE_DAEMON_THRESHOLDS_H

/*
 * Governor: the bucket of the budget (governor.h). doc/service.md, "Measured", shows the cost of
 * storms with these numbers.
 */

/* ns: the bucket holds at most the budget of this much time. With a smaller number, a short burst
 * is enough for the governor to take a step. With a larger number, a storm runs longer at full
 * cost. Evidence: if this number is halved or doubled, one of these tests fails: `start` and `cap`
 * in governor_edges_test.c, a_burst_is_paid_for and a_storm_is_held_to_the_budget in
 * governor_test.c. */
#define GOVERNOR_HOLD_NS 1000000000ULL
/* GOVERNOR_BEGIN_NS, ns: the start of the daemon takes this long. During the start all tasks are
 * new, and symbols are read. GOVERNOR_START_NS, ns: during the start, the bucket holds at most the
 * budget of this much time. With smaller numbers, each start of the daemon makes the governor take
 * a step. With larger numbers, a storm during the start costs more. Evidence: if one of these
 * numbers is halved or doubled, the test `start` in governor_edges_test.c fails. */
#define GOVERNOR_BEGIN_NS 10000000000ULL
#define GOVERNOR_START_NS 30000000000ULL
/* ns: the governor measures the cost and decides once in this time. With a smaller number, the
 * measurements cost more. With a larger number, the governor notices a storm later. Evidence: if
 * this number is halved or doubled, the test `tick` in governor_edges_test.c fails. */
#define GOVERNOR_TICK_NS 20000000ULL
/* ns: the governor decides by the cost, smoothed over this time. With a smaller number, a burst
 * looks like a high cost. With a larger number, the steps follow a storm later. Evidence: if this
 * number is halved or doubled, the test `smoothing` in governor_edges_test.c fails. */
#define GOVERNOR_RATE_NS 200000000.0
/* ns: two costs are smoothed over this time. The cost that `ctrace status` shows decides nothing.
 * The cost that the capture would have in the step CT_SHED_HOOKS decides about a step back from
 * CT_SHED_COARSE. Evidence for the first cost: if this number is halved or doubled, the test
 * `smoothing` in governor_edges_test.c fails. */
#define GOVERNOR_COST_NS 2000000000.0

/*
 * Governor: steps forward
 */

/* ns: after this time the effect of a step can be measured. With a smaller number, the governor
 * takes several steps against a storm that one step would hold to the budget. With a larger number,
 * a storm costs more than the budget for longer. Evidence: if this number is halved or doubled, the
 * test `settle` in governor_edges_test.c fails. */
#define GOVERNOR_SETTLE_NS 100000000ULL
/* part of the budget: if the capture costs less than this, the inspections are the reason why
 * tracing costs more than the budget. To record less does not help then. With a smaller number,
 * inspections lead to a pause of the capture. With a larger number, the governor stops the
 * inspections although nearly all of the cost is that of the capture. Evidence: if this number is
 * halved or doubled, the test `capture` in governor_edges_test.c fails. */
#define GOVERNOR_CAPTURE 0.6
/*
 * Governor: steps back
 */

/* GOVERNOR_CALM, part of the budget: if the cost stays below this, the governor takes a step back.
 * GOVERNOR_CALM_PAUSE, part of the budget: the same for a step back from the step `pauses`. It is
 * larger, because this step back does not raise the cost. With smaller numbers, records are left
 * out for longer than necessary. With larger numbers, the governor takes the same step forward
 * again at once. Evidence: if one of these numbers is halved or doubled, the test `calm` in
 * governor_edges_test.c fails. */
#define GOVERNOR_CALM       0.6
#define GOVERNOR_CALM_PAUSE 0.8
/* ns: if the step `pauses` has been in force for this time without a pause, the governor takes a
 * step back, even if the cost is high. With a smaller number, a storm near the budget makes the
 * governor take steps forward and back. With a larger number, the status and the trace say for
 * longer that pauses are possible. Evidence: if this number is halved or doubled, the test
 * `no_pause` in governor_edges_test.c fails. */
#define GOVERNOR_NO_PAUSE_NS 10000000000ULL
/* ns: the cost has to be low for this time before a step back. With a smaller number, the governor
 * takes steps forward and back all the time. With a larger number, records are left out for longer.
 * Evidence: if this number is halved or doubled, the test `calm` in governor_edges_test.c fails. */
#define GOVERNOR_CALM_NS 2000000000ULL
/* GOVERNOR_QUIET_SHARE, a part (1/n) of the budget: if the cost is below this part, a shorter time
 * of low cost is enough before a step back. GOVERNOR_QUIET_NS, ns: this shorter time. Evidence: if
 * one of these numbers is halved or doubled, the test `calm` in governor_edges_test.c fails. */
#define GOVERNOR_QUIET_SHARE 4.0
#define GOVERNOR_QUIET_NS    1000000000ULL
/* GOVERNOR_FLAP_NS, ns: if a step forward follows a step back within this time, the step back was
 * too early. The governor then waits twice as long before the next step back. GOVERNOR_PATIENCE,
 * times: this wait is at most this many times GOVERNOR_CALM_NS. With smaller numbers, the governor
 * takes steps forward and back all the time. With larger numbers, records are left out for minutes
 * after one storm. Evidence: if one of these numbers is halved or doubled, the test `flap` in
 * governor_edges_test.c fails. */
#define GOVERNOR_FLAP_NS  10000000000ULL
#define GOVERNOR_PATIENCE 32
/* times GOVERNOR_FLAP_NS: if the last step forward was longer ago than this when the governor takes
 * a step back, the wait before the next step back becomes half as long as it was. Evidence: if this
 * number is halved or doubled, the test `flap` in governor_edges_test.c fails. */
#define GOVERNOR_LASTED 3

/*
 * Governor: pauses
 */

/* ns: before a pause ends, the bucket has to hold enough to start the capture and to run it for
 * this time. With a smaller number, the start of the capture costs more than the capture itself.
 * With a larger number, the pauses are longer. Evidence: if this number is halved or doubled, the
 * test `pauses` in governor_edges_test.c fails. */
#define GOVERNOR_ON_NS 60000000ULL
/* part: the weight of the latest start of the capture in the average cost of a start. Evidence: if
 * this number is halved or doubled, the test `cost_of_a_resume` in governor_edges_test.c fails. */
#define GOVERNOR_ON_NEW 0.25
/* GOVERNOR_OFF_MIN_NS and GOVERNOR_OFF_MAX_NS, ns: the shortest and the longest pause. With smaller
 * numbers, the BPF programs are attached again and again. With larger numbers, the trace has long
 * gaps. Evidence: if one of these numbers is halved or doubled, the test `pauses` in
 * governor_edges_test.c fails. */
#define GOVERNOR_OFF_MIN_NS 400000000ULL
#define GOVERNOR_OFF_MAX_NS 30000000000ULL

/*
 * Governor: caps of groups
 */

/* GOVERNOR_SHARE, part of all records: if a group makes more than this part, it can be capped.
 * GOVERNOR_SHARE_STORM, part of all records: if the capture costs more than GOVERNOR_STORM times
 * the budget, this smaller part is enough. With smaller numbers, a group is capped although other
 * groups make the records. With larger numbers, all tasks lose records although one group makes
 * most of the records. Evidence: if one of these numbers is halved or doubled, the test `share` in
 * governor_edges_test.c fails. */
#define GOVERNOR_SHARE       0.5
#define GOVERNOR_SHARE_STORM 0.25
#define GOVERNOR_STORM       4
/* ppm of the machine's CPU time: a BPF program needs some time to leave out an event of a capped
 * group, or a short wait in a coarse step. This time slows down only the task that makes the event.
 * So up to this limit the time does not count against the budget. With a smaller number, a large
 * storm pauses the capture for all tasks. With a larger number, a storm costs more. Evidence: if
 * this number is halved or doubled, the test `passed` in governor_edges_test.c fails.
 * doc/service.md, "Measured", has the figures of an earlier version. */
#define GOVERNOR_PASSED_PPM 200000
/* ns: when a coarse step or a cap begins, the records from before are still to be written. This
 * takes about this time, and then the governor may take the next step. There is an exception in the
 * step CT_SHED_COARSE without a cap: if the capture costs more than GOVERNOR_STORM times the
 * budget, GOVERNOR_SETTLE_NS is enough. With a smaller number, pauses begin that are not needed.
 * With a larger number, a storm of two groups costs more than the budget for longer. Evidence: if
 * this number is halved or doubled, the test `rest` in governor_edges_test.c fails. */
#define GOVERNOR_REST_NS 1500000000ULL
/* GOVERNOR_CAP_MIN_NS and GOVERNOR_CAP_MAX_NS, ns: the shortest and the longest cap of a group.
 * GOVERNOR_FULL, part of the bucket: between these two times, the cap ends when the bucket is
 * filled to more than this part. With smaller numbers, each cap costs as much as it saves. With
 * larger numbers, the trace says less about the group. Evidence: if one of these numbers is halved
 * or doubled, the test `cap` in governor_edges_test.c fails. */
#define GOVERNOR_CAP_MIN_NS 400000000ULL
#define GOVERNOR_CAP_MAX_NS 5000000000ULL
#define GOVERNOR_FULL       0.9
/* times: to end the caps of groups takes some time. The next caps last at least this many times
 * that time. With a smaller number, caps of groups with thousands of tasks cost more than the
 * budget. Evidence: if this number is halved or doubled, the test `cap` in governor_edges_test.c
 * fails. */
#define GOVERNOR_CAP_TIMES 64
/* counted records (one in CAPS_SAMPLE is counted): with fewer counted records, the share of a group
 * or of a task is not known. Evidence: if this number is halved or doubled, one of the tests
 * `groups` and `most` in governor_edges_test.c fails. */
#define GROUPS_LEAST 256
/* times: as an example, the message about a step names a budget that is larger by this factor. The
 * factor decides nothing. */
#define GOVERNOR_MORE 3
/* part of all records: if a task, user or control group makes more than this part, the status and
 * the message about a step name it. With a smaller number, a name is shown although others make the
 * records. With a larger number, a task that makes a third of the records is not named. Evidence:
 * if this number is halved or doubled, the test `most` in governor_edges_test.c fails. */
#define MOST_SHARE 0.25
/* ns: after this time all counts of groups are halved, so that old records weigh less. With a
 * smaller number, there are often fewer counted records than GROUPS_LEAST. With a larger number,
 * the governor caps the group of the last storm instead of the present one. Evidence: if this
 * number is halved or doubled, the test `groups` in governor_edges_test.c fails. */
#define GROUPS_HALF_NS 500000000u
/* records: one record in this many is counted for caps; a power of two. With a smaller number, each
 * record costs more. With a larger number, small groups and short storms are not noticed. No
 * evidence yet. */
#define CAPS_SAMPLE 16
/* ns: a BPF program that was running when the cap of a group ended can still cap a task of the
 * group. After this time no such program runs any more. So this time has to be longer than any run
 * of a program. No evidence yet. */
#define CAPS_OVER_NS 20000000ULL
/* tasks: if more tasks than this have to be read, one walk over all tasks of the machine is faster
 * than a read of each task. No evidence yet. */
#define CAPS_READ_EACH 16
/* ns: the time between two messages about the same group. No evidence yet. */
#define CAPS_SAY_NS 600000000000ULL

/*
 * Governor: measuring
 */

/* ns: after this time the step in force is recorded again, for readers that see only a part of the
 * trace. After the same time, the daemon tries again to attach programs that it could not attach.
 * With a smaller number, there are more records. With a larger number, a short snapshot does not
 * show what is left out. No evidence yet. */
#define GOVERNOR_AGAIN_NS 5000000000ULL
/* ns: the time between two looks at the number of CPUs. With a larger number, the budget is wrong
 * for longer after a change. No evidence yet. */
#define GOVERNOR_CPUS_NS 2000000000ULL
/* GOVERNOR_READ_NS, ns: in a coarse step, the time between two readings of all tasks.
 * GOVERNOR_READ_TIMES, times: the time between two readings is at least this many times the CPU
 * time of a reading. With smaller numbers, the readings cost more. With larger numbers, a long wait
 * is noticed later. No evidence yet. */
#define GOVERNOR_READ_NS    400000000ULL
#define GOVERNOR_READ_TIMES 100
/* times: to find the difference between two clocks, the daemon measures it this many times in a
 * row. A delay during a measurement makes its result larger, so the smallest result counts. With a
 * smaller number, a delay makes all waits look longer. With a larger number, each reading of all
 * tasks costs more. No evidence yet. */
#define CLOCK_TRIES 3
/* ns: the difference between the clock of the scheduler and boot time is measured again after this
 * time. With a smaller number, the measurements cost more. With a larger number, the recorded
 * beginnings of waits are wrong by more. With this number they are wrong by at most 5 ms, because
 * NTP adjusts a clock by at most 0.5 ms in a second. No evidence yet. */
#define DRAIN_CLOCK_NS 10000000000ULL
/* part (1/n) of one CPU: the looks for unread data of sockets may together take this much CPU time.
 * With a smaller n, a server with 10 000 descriptors that does not read costs more. With a larger
 * n, some clients of such a server are reported later. No evidence yet. */
#define UNREAD_TIMES 100
/* ns: in a coarse step, the daemon measures the difference between the clock of the scheduler and
 * boot time again and again. From one measurement to the next, the difference changes by less than
 * this number: the measurements are mostly less than a second apart, and NTP adjusts a clock by at
 * most 0.5 ms in a second. With a smaller number, a wait that is a little longer than CT_COARSE_NS
 * is not recorded. With a larger number, short waits cost more. No evidence yet. */
#define CLOCK_DRIFT_NS 500000ULL
/* ns: the cost of the BPF programs that `ctrace status` shows is measured over this time. This cost
 * decides nothing. */
#define GOVERNOR_BPF_NS 2000000000ULL
/* GOVERN_CALLS, calls: to measure the cost of a call of a BPF program, the daemon times batches of
 * this many calls. GOVERN_BATCHES, batches: it times this many batches, and takes the fastest one.
 * With smaller numbers, an interrupt becomes a part of the cost. With larger numbers, the start
 * takes longer. No evidence yet. */
#define GOVERN_CALLS   100
#define GOVERN_BATCHES 8
/* ns: three costs of BPF programs. GOVERN_CALL_NS: the time that the kernel needs to call a program,
 * without the run of the program. GOVERN_MEAN_NS: the run of a program. The daemon assumes these two
 * until it has measured the real ones. GOVERN_LIGHT_NS: a run that only notes an interrupt or leaves
 * out a record. Such runs are not measured. doc/service.md, "Measured", compares the cost that the
 * daemon computes with the cost that the kernel counts. */
#define GOVERN_CALL_NS  60
#define GOVERN_MEAN_NS  200
#define GOVERN_LIGHT_NS 10
/* ns: in a coarse step, the cost of a run that finds that a wait is too short for a record. Such
 * runs are counted, but their time is not measured. */
#define GOVERN_SHORT_NS 20
/* ns: the CPU time that the drain thread needs for two records together: that of a switch and that
 * of a wake. With this number the governor estimates, in the step CT_SHED_COARSE, the cost of the
 * step CT_SHED_HOOKS. With a smaller number, the governor takes a step back, and soon has to take
 * the same step forward again. With a larger number, records are left out for longer than
 * necessary. Evidence: doc/performance.md, "Budgets", the row "drain, encode and write". */
#define GOVERN_DRAIN_NS 200
/* ns: if the measured cost of a call is larger than this, the measurement was wrong and is not
 * used. No evidence yet. */
#define GOVERN_CALL_MAX_NS 2000
/* timed runs: with fewer timed runs of a BPF program, the former mean of the times of its runs
 * counts as well. No evidence yet. */
#define GOVERN_RUNS_FEW 16

/*
 * Inspections: which waits, and when
 */

/* ns: the time between two scans of the tasks. With a smaller number, the scans cost more CPU time.
 * With a larger number, a long wait is inspected later. Evidence: if this number is halved or
 * doubled, the test long_wait_is_inspected_once in tasks_test.c fails. */
#define INSPECT_POLICY_SCAN_NS 100000000ULL
/* INSPECT_POLICY_LOOP_NS, ns, and INSPECT_POLICY_LOOP_WAITS, waits: a loop of short waits is
 * inspected when it has lasted this long and has had this many waits. With smaller numbers, each
 * retry of a call costs an inspection. With larger numbers, short loops have no stack in the trace.
 * Evidence: if one of these numbers is halved or doubled, one of the tests `age_of_a_loop` and
 * `waits_of_a_loop` in policy_edges_test.c fails. */
#define INSPECT_POLICY_LOOP_NS    1000000000ULL
#define INSPECT_POLICY_LOOP_WAITS 3
/* TASKS_LOOP_RAN_NS, ns, and TASKS_LOOP_RAN_SHARE, a part (1/n) of the loop's time: if a task has
 * run in a loop of short waits for more than both of these, it does real work, and the loop ends.
 * With smaller times, a loop with an expensive condition does not count as a loop. With larger
 * times, a periodic job counts as a loop. Evidence: if one of these numbers is halved or doubled,
 * the test `work_in_a_loop` in policy_edges_test.c fails. */
#define TASKS_LOOP_RAN_NS    1000000ULL
#define TASKS_LOOP_RAN_SHARE 10
/* ns: a loop of short waits is inspected again after this time. Evidence: if this number is halved
 * or doubled, the test `loop_again` in policy_edges_test.c fails. */
#define INSPECT_POLICY_LOOP_AGAIN 2000000000ULL
/* yields: if a task gives its CPU away this often between two scans, it spins, and is inspected.
 * Evidence: if this number is halved or doubled, the test `yields` in policy_edges_test.c fails. */
#define INSPECT_POLICY_YIELDS 10
/* inspections a second. One group of tasks gets at most half of these inspections. Spinning tasks
 * are inspected only while more than half of these inspections are unused. With a smaller number,
 * most waits on a machine with many waits have no stack. With a larger number, inspections cost
 * more than the capture. Evidence: if this number is halved or doubled, the test `per_second` in
 * policy_edges_test.c fails. */
#define INSPECT_POLICY_PER_SEC 100
/* INSPECT_POLICY_BACKOFF_BASE, ns, and INSPECT_POLICY_BACKOFF_MAX, doublings: if a task is in the
 * same wait again and again, the time between its inspections is 2 s, then 4 s, and so on up to 64
 * s. With smaller numbers, the usual waits of a service take all inspections. With larger numbers,
 * the recorded stack of a changed wait is old. Evidence: if one of these numbers is halved or
 * doubled, the test `back_off` in policy_edges_test.c fails. */
#define INSPECT_POLICY_BACKOFF_BASE 2000000000ULL
#define INSPECT_POLICY_BACKOFF_MAX  5
/* INSPECT_POLICY_STUCK, times the setting long-wait: a wait that has lasted this long is inspected,
 * even if the time between two inspections (INSPECT_POLICY_BACKOFF_BASE) is not over.
 * INSPECT_POLICY_STUCK_AGAIN, ns: but the last inspection of the task must be at least this old.
 * Evidence: if one of these numbers is halved or doubled, the test `stuck` in policy_edges_test.c
 * fails. */
#define INSPECT_POLICY_STUCK       10
#define INSPECT_POLICY_STUCK_AGAIN 10000000000ULL

/*
 * Inspections: how
 */

/* INSPECT_PER_SEC, inspections a second: the limit if inspect_options.max_per_sec is 0.
 * INSPECT_SLACK_SHARE, a part (1/n) of a second: after a time without inspections, as many
 * inspections may run at once as the limit allows in this part of a second. No evidence yet. */
#define INSPECT_PER_SEC     100
#define INSPECT_SLACK_SHARE 4
/* inspections a second: the limit of the daemon's inspection thread. It is far above
 * INSPECT_POLICY_PER_SEC. So only a snapshot, or the accesses to a watched variable, can reach this
 * limit. A snapshot asks for up to SNAPSHOT_REQUEST_INSPECTIONS_MAX inspections at once. No
 * evidence yet. */
#define DRAIN_INSPECTIONS_PER_S 2000
/* samples a second: the daemon finds the names in the stacks of at most this many samples of
 * running tasks. With a smaller number, there are fewer samples of tasks that run for long. With a
 * larger number, samples cost more. No evidence yet. */
#define DRAIN_SAMPLES_PER_S 200
/* ns: if an inspection takes longer than this, it is stuck, like the process that it looks at. Then
 * another thread takes over. With a smaller number, a slow file system makes all inspection threads
 * count as stuck. With a larger number, there are no inspections for longer. No evidence yet. */
#define INSPECT_STUCK_NS 10000000000ULL
/* TASKS_SINCE_NS and INSPECT_SAME_WAIT_NS, ns: two starts of a wait may differ by this much, and
 * still count as starts of the same wait. The iterator takes the start of a wait from the
 * scheduler's clock. This time can be late by two ticks at 100 Hz (CONFIG_HZ_100), which are 20 ms.
 * With smaller numbers, the present wait is taken for another one. With larger numbers, another
 * wait is taken for the present one. Evidence: the length of a tick. For TASKS_SINCE_NS also: if
 * this number is halved or doubled, the test `since` in policy_edges_test.c fails. */
#define TASKS_SINCE_NS       20000000ULL
#define INSPECT_SAME_WAIT_NS 20000000ULL
/* ns: the daemon keeps the stack of an access to a watched variable, with its names, for this time,
 * for later accesses from the same place. With a larger number, another file may be mapped at that
 * place by then. No evidence yet. */
#define INSPECT_LOOK_KNOWN_NS 1000000000ULL
/* ns: the longest time to unwind one stack. With a smaller number, deep stacks of programs with
 * large tables stay incomplete. With a larger number, one program holds up all inspections. No
 * evidence yet. */
#define UNWIND_TIME_NS 50000000ULL
/* bytes: a frame pointer may lie this far above the stack pointer. This is twice the usual limit of
 * a stack (8 MiB). With a smaller number, the unwinding stops at frames with large arrays. With a
 * larger number, any number passes for a frame pointer. No evidence yet. */
#define UNWIND_FP_REACH (16ULL << 20)
/* ns: the daemon keeps its knowledge about a file system for this time, because the kernel uses the
 * number of a device again after an unmount. With a larger number, the daemon reads a file that it
 * must not read. No evidence yet. */
#define UNWIND_MOUNTS_KEPT_NS 10000000000ULL
/* ns: if an address of the kernel has no symbol, it can be in a module that was loaded meanwhile.
 * So the symbols are read again, at most once in this time. With a smaller number, unknown
 * addresses cost much CPU time. No evidence yet. */
#define SYMBOLS_RELOAD_NS 30000000000ULL
/* bytes: no function of the kernel is larger than this. So an address that is further behind a
 * symbol is in no known function. No evidence yet. */
#define SYMBOLS_REACH_MAX (1u << 20)
/* ns: the file in which a JIT compiler lists its functions is checked again after this time. With a
 * smaller number, a file that grows is read more often. With a larger number, new functions have no
 * names for longer. No evidence yet. */
#define SYMBOLS_JIT_CHECK_NS 1000000000ULL

/*
 * Inspections: which variable a task polls. The whole search was tested on fourteen loops, each
 * with and without optimisation (inspect/polled.h). No single number has evidence yet.
 */

/* POLLED_LOOKS, looks: for a task that never sleeps, a decision needs this many looks.
 * POLLED_LOOK_AGAIN_NS, ns: the time between two looks. In this time the task enters the kernel, at
 * least for a tick. With smaller numbers, a task that computes seems to poll. */
#define POLLED_LOOKS         4
#define POLLED_LOOK_AGAIN_NS 20000000
/* ns: a value is read twice, with this time in between. A value that changes is hardly ever a flag.
 * With a smaller number, a counter is taken for a flag. */
#define POLLED_VALUE_AGAIN_NS 2000000
/* points (polled.c gives them): a variable with fewer points is not named. With a smaller number,
 * wrong variables are named. With a larger number, no variable is named. */
#define POLLED_SCORE_MIN 6
/* POLLED_AGAIN_NS, ns: if a variable was found, the next look at the task is after this time.
 * POLLED_REST_NS, ns: if no variable was found, the next look is after twice this time. Each
 * further failure doubles the time. POLLED_REST_TIMES, doublings: the time is doubled at most this
 * often. */
#define POLLED_AGAIN_NS   3000000000ULL
#define POLLED_REST_NS    250000000ULL
#define POLLED_REST_TIMES 6

/*
 * Capture
 */

/* DRAIN_BUSY_MS, ms: after a busy round, the drain thread waits for this time before its next
 * round. Each quiet round makes the wait longer by DRAIN_BUSY_MS, up to DRAIN_QUIET_MS.
 * DRAIN_QUIET_N, records: a round with fewer records is quiet. With smaller times, an idle machine
 * wakes up more often. With larger times, the rings fill, and a hang is noticed later. Evidence:
 * doc/performance.md, "A quiet machine", has the cost when hardly anything is recorded. The single
 * numbers have no evidence yet. */
#define DRAIN_BUSY_MS  50
#define DRAIN_QUIET_MS 250
#define DRAIN_QUIET_N  512
/* ns: after losses, all tasks are read again, at most once in this time. With a smaller number,
 * losses make a busy machine busier. With a larger number, the states of tasks are unknown for
 * longer. No evidence yet. */
#define DRAIN_RESYNC_NS 10000000000ULL
/* ns: the daemon reads the descriptor table of an inspected process, and writes it into the trace,
 * at most once in this time. No evidence yet. */
#define DRAIN_FILES_AGAIN_NS 5000000000ULL
/* marks: clients may make at most this many in a second. A mark takes a connection, so a script makes
 * some hundred in a second at most. No evidence yet. */
#define MARKS_PER_SECOND 1000
/* names: marks may have at most this many different names since the start. No evidence yet. */
#define MARKS_NAMES_MAX 4096
/* ns: a mark may arrive at most this much after it was made. No evidence yet. */
#define MARKS_LATE_NS 60000000000ULL
/* bytes: other threads queue records for the drain thread with drain_post(). The queue holds at
 * most this many bytes. If it is full, further records are refused and counted. No evidence yet. */
#define DRAIN_POSTED_MAX (32u << 20)
/* ns: at the end of the daemon, the disk gets this much time to take the end of the trace. The sum
 * of this time and WORKER_STOP_S has to be less than TimeoutStopSec of the systemd unit. Evidence:
 * share/ctraced.service (30 s). */
#define DRAIN_STOP_NS 15000000000ULL
/* RECORDER_SEAL_BYTES, bytes, and RECORDER_SEAL_NS, ns: a file segment is sealed when it has this
 * size or this age. But a small segment of this age stays open, and a copy of it is written. The
 * daemon also needs time to notice the age and to write. So the trace on the disk is about a second
 * behind. With smaller numbers, columns compress worse. With larger numbers, a crash loses more. No
 * evidence yet. */
#define RECORDER_SEAL_BYTES (4u << 20)
#define RECORDER_SEAL_NS    800000000ULL
/* CGROUPS_WALK_NS, ns: the shortest time between two walks over the control groups.
 * CGROUPS_WALK_SHARE, times: the time between two walks is also at least this many times the CPU
 * time of the last walk. So walks take at most one part in 200 of a CPU, even if control groups
 * come and go all the time. No evidence yet. */
#define CGROUPS_WALK_NS    1000000000ULL
#define CGROUPS_WALK_SHARE 200
/* ns: if a write or a sync of the trace takes longer than this, a message reports it. With a
 * smaller number, a busy disk causes messages. With a larger number, the message comes late.
 * Evidence: if this number is halved or doubled, the test a_disk_that_does_not_answer in
 * trace_storage_test.c fails. */
#define TRACE_STORAGE_STUCK_NS 10000000000ULL
/* us: the time between two looks at the state of the disk. A message about a stuck disk comes late
 * by at most this time. */
#define TRACE_STORAGE_EVERY_USEC 1000000
/* ns: if the drain thread finishes no round for this time, it is stuck, and systemd may restart the
 * daemon (WatchdogSec). With a smaller number, a machine without free CPU time ends the daemon.
 * With a larger number, a stuck daemon records nothing for longer. No evidence yet. */
#define CTRACED_STUCK_NS 10000000000ULL
/* ms: at its start the daemon sleeps again and again, each time for a millisecond, for this time at
 * most. If the attached programs have recorded nothing by then, the kernel never calls them. With a
 * smaller number, the daemon does not start on a busy machine. No evidence yet. */
#define PROBE_FIRES_MS 200
/* ns: for a request with `bpf_stats` (doc/protocol.md), the kernel measures its BPF programs for
 * this time. With a smaller number, the result is less exact. With a larger number, all BPF
 * programs of the machine cost more for longer. No evidence yet. */
#define REPORT_BPF_NS 200000000

/*
 * Snapshots
 */

/* SNAPSHOT_REQUEST_PREPARE_NS, ns: the longest time for the preparation of a snapshot, in which
 * long waits are inspected and descriptors are read. SNAPSHOT_REQUEST_PAUSE_NS, ns: the time
 * between two checks of whether the inspections are done. SNAPSHOT_REQUEST_INSPECTIONS_MAX,
 * inspections: one snapshot asks for at most this many. With smaller numbers, some waits have no
 * stack. With larger numbers, each snapshot takes longer. No evidence yet. */
#define SNAPSHOT_REQUEST_PREPARE_NS      150000000ULL
#define SNAPSHOT_REQUEST_PAUSE_NS        2000000
#define SNAPSHOT_REQUEST_INSPECTIONS_MAX 200
/* ns: before a snapshot, the disk gets this much time to take the sealed file segments. With a
 * smaller number, a snapshot on a slow disk lacks the end of its window. With a larger number, a
 * stuck disk holds up the snapshot for longer. No evidence yet. */
#define SNAPSHOT_REQUEST_FLUSH_NS 3000000000ULL
/* ns: if a window ends less than this time before the request, it counts as a window that ends now.
 * So the window includes the results of the preparation, which are a little later than the request.
 * No evidence yet. */
#define SNAPSHOT_REQUEST_NOW_NS 1000000000ULL

/*
 * Incidents: the work after a reported hang
 */

/* ns: if a hang began long before its report, its snapshot has only the last part of the hang, of
 * this length. With a smaller number, the beginning of the hang is missing. With a larger number,
 * snapshots are large. No evidence yet. */
#define INCIDENTS_SPAN_NS 120000000000ULL
/* ns: if the worker had no room for a snapshot, the daemon tries it again after this time. No
 * evidence yet. */
#define INCIDENTS_RETRY_NS 1000000000ULL
/* ns: the time between two messages about hangs that get no snapshot. No evidence yet. */
#define INCIDENTS_SAY_LIMITED_NS 60000000000ULL
/* ns: if the time of a note about a hang is further in the future than this, the note was written
 * while the clock was wrong. No evidence yet. */
#define INCIDENTS_AHEAD_NS 86400000000000ULL
/* DIAGNOSER_MEMORY, bytes: the most memory for one diagnosis. DIAGNOSER_EVENTS_MAX, events: this
 * many events fit into this memory (150 bytes each). DIAGNOSER_CPU_S and DIAGNOSER_WALL_S, s: the
 * most CPU time and wall clock time for one diagnosis. With smaller numbers, hangs of a busy
 * machine get no diagnosis. With larger numbers, a diagnosis takes more memory and CPU time from
 * other programs. No evidence yet. */
#define DIAGNOSER_MEMORY     (512ULL << 20)
#define DIAGNOSER_EVENTS_MAX 3000000
#define DIAGNOSER_CPU_S      10
#define DIAGNOSER_WALL_S     60
/* s: the daemon gives up a diagnosis this long after DIAGNOSER_WALL_S. The process that diagnoses
 * gives it up at DIAGNOSER_WALL_S by itself. So the daemon has to give up a diagnosis only if that
 * process does not run. No evidence yet. */
#define DIAGNOSER_LATE_S 5
/* DIAGNOSER_TRIES, tries: if a diagnosis needs more than DIAGNOSER_MEMORY, it is tried again, at
 * most this often, each time with less of the trace. DIAGNOSER_TRIES_BEFORE, tries: the first
 * tries, up to this number, halve the time before the hang. The other tries halve the time of the
 * hang. No evidence yet. */
#define DIAGNOSER_TRIES        6
#define DIAGNOSER_TRIES_BEFORE 3

/*
 * Control socket: limits for clients
 */

/* CONTROL_CLIENTS_MAX, connections: the most at a time. CONTROL_ROOT_CLIENTS, connections: this
 * many of them are kept for root. CONTROL_USER_CLIENTS, connections: a user other than root has at
 * most this many. With smaller numbers, a monitoring program and an interactive user shut each
 * other out. With larger numbers, hostile clients take more memory. Evidence: if one of these
 * numbers is halved or doubled, the test room_for_root in control_test.c fails. */
#define CONTROL_CLIENTS_MAX  16
#define CONTROL_ROOT_CLIENTS 4
#define CONTROL_USER_CLIENTS 4
/* connections: at most this many are accepted in one round of the event loop. With a smaller
 * number, connections wait. With a larger number, one user holds up the loop. No evidence yet. */
#define CONTROL_ACCEPT_MAX 64
/* connections: the kernel keeps this many connections that are not accepted yet. At 8000
 * connections a second, the last of them waits for 64 ms. No evidence yet. */
#define CONTROL_BACKLOG 512
/* s: if a client sends no request, or does not take its answer, for this time, the daemon
 * disconnects it. With a smaller number, a slow client is disconnected. With a larger number, idle
 * clients keep others out. No evidence yet. */
#define CONTROL_TIMEOUT_S 10
/* CONTROL_PACE_PERCENT, percent of a CPU: the connections and requests of all users other than root
 * together may take this much CPU time. CONTROL_PACE_NS, ns: after a time of little use, they may
 * take this much CPU time at once. With smaller numbers, `ctrace status` is slow when many users
 * ask. With larger numbers, users slow down the daemon. No evidence yet. */
#define CONTROL_PACE_PERCENT 10
#define CONTROL_PACE_NS      20000000ULL
/* us: if there are no free descriptors, or if SERVICE_CLOSE_MAX / 2 descriptors wait to be closed,
 * the daemon rests for this time: it accepts no connection, and receives nothing from users other
 * than root. No evidence yet. */
#define CONTROL_REST_USEC 100000
/* us: the time between two checks that the file of the socket still exists. No evidence yet. */
#define CONTROL_LOOK_USEC 2000000

/*
 * Workers: threads for jobs beside the event loop
 */

/* jobs: this many jobs may wait in the queue of a worker, if the caller sets no limit. No evidence
 * yet. */
#define WORKER_QUEUE_MAX 64
/* threads: WORKER_STUCK_USER threads may be stuck on jobs of one user, and WORKER_STUCK_OTHERS
 * threads on jobs of all users other than root together. Each of these threads may be stuck for
 * ever. With smaller numbers, one stuck file system shuts a user out. With larger numbers, there
 * are more threads. Evidence: if WORKER_STUCK_USER is halved or doubled, the test stuck_job in
 * worker_test.c fails. If WORKER_STUCK_OTHERS is halved, the test waits_for_the_stuck fails. */
#define WORKER_STUCK_USER   2
#define WORKER_STUCK_OTHERS 4
/* s: at the end of the daemon, the present job of a worker gets this much time. See also
 * DRAIN_STOP_NS. No evidence yet. */
#define WORKER_STOP_S 2
/* ns: if a request of a client (SERVICE_LIMIT_NS) or the closing of a descriptor (SERVICE_CLOSE_NS)
 * makes no progress for this time, the daemon gives it up. With smaller numbers, snapshots that go
 * to slow disks fail. With larger numbers, a stuck client holds up others for longer. No evidence
 * yet. */
#define SERVICE_LIMIT_NS 10000000000ULL
#define SERVICE_CLOSE_NS 2000000000ULL
/* descriptors: at most this many may wait to be closed. If half as many wait, the daemon accepts no
 * connection, and receives nothing more from users other than root. No evidence yet. */
#define SERVICE_CLOSE_MAX 512

/*
 * Jobs of frameworks
 */

/* ms: the start of the daemon waits at most this long for the first look at all processes and
 * directories. At its end, the daemon waits at most as long for the end of the thread *jobs*. With
 * a larger number, the daemon starts later. No evidence yet. */
#define JOBS_FIRST_MS 3000
/* ms: the time between two checks of whether files of frameworks were replaced. With a smaller
 * number, there are more wake-ups. With a larger number, the jobs of an upgraded program are missed
 * for longer. No evidence yet. */
#define JOBS_LOOK_MS 250
/* JOBS_SCAN_MS, ms: the shortest time between two scans of all processes. JOBS_SCAN_REST, times:
 * the time between two scans is also at least this many times the CPU time of the last scan. So
 * scans take at most one part in 200 of a CPU. JOBS_CALLS_REST, times: the same for the work on
 * functions that jobs run, which takes at most one part in 10 of a CPU. No evidence yet. */
#define JOBS_SCAN_MS    5000
#define JOBS_SCAN_REST  200
#define JOBS_CALLS_REST 10

#endif
