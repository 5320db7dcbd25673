/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in daemon/.
 *
 * Each entry has the unit and the meaning. Most entries also say the effect of a smaller number
 * ("Smaller:") and of a larger number ("Larger:"), and the evidence for the number. The unit "part"
 * is a part of 1; the unit "times" is a factor.
 *
 * Most evidence is a table in doc/, or tests in test/unit/daemon. At least one of these tests fails
 * if the number is halved or doubled. This shows only that the code uses the number.
 *
 * Defaults of settings are in daemon/config/ and detect/thresholds.h.
 */
#ifndef CTRACE_DAEMON_THRESHOLDS_H
#define CTRACE_DAEMON_THRESHOLDS_H

/*
 * Governor: the bucket of the budget (governor.h). The cost of storms: doc/service.md, "Measured".
 */

/* ns: the bucket holds at most the CPU time that the budget allows in this time. Smaller: a short
 * burst makes the governor take a step. Larger: a storm runs longer at full cost. Evidence: `start`
 * and `cap` in governor_edges_test.c, a_burst_is_paid_for and a_storm_is_held_to_the_budget in
 * governor_test.c. */
#define GOVERNOR_HOLD_NS 1000000000ULL
/* After the daemon begins, GOVERNOR_START_NS takes the place of GOVERNOR_HOLD_NS for a time of
 * GOVERNOR_BEGIN_NS. Both are in ns. Smaller: each start of the daemon makes the governor take a
 * step. Larger: a storm at this time costs more. Evidence: `start` in governor_edges_test.c. */
#define GOVERNOR_BEGIN_NS 10000000000ULL
#define GOVERNOR_START_NS 30000000000ULL
/* ns: the governor decides at most once in this time. Evidence: `tick` in governor_edges_test.c. */
#define GOVERNOR_TICK_NS 20000000ULL
/* ns: the governor decides by the cost, smoothed over this time. Smaller: a burst looks like a high
 * cost. Larger: the steps follow a storm later. Evidence: `smoothing` in governor_edges_test.c. */
#define GOVERNOR_RATE_NS 200000000.0
/* ns: two values are smoothed over this time: the cost of tracing that `ctrace status` shows, and
 * the estimated cost of tracing after a step back from CT_SHED_COARSE. Evidence for the first
 * value: `smoothing` in governor_edges_test.c. */
#define GOVERNOR_COST_NS 2000000000.0

/*
 * Governor: steps forward. Each one makes tracing cheaper, and leaves out more records (governor.h).
 */

/* ns: after this time the effect of a step can be measured. Smaller: several steps against a storm
 * for which one is enough. Larger: a storm costs too much for longer. Evidence: `settle` in
 * governor_edges_test.c. */
#define GOVERNOR_SETTLE_NS 100000000ULL
/* part of the budget: if tracing is above the budget, but the capture alone is below this part, the
 * governor stops the inspections. Smaller: it pauses the capture because of inspections. Larger: it
 * stops the inspections although the capture is expensive. Evidence: `capture` in
 * governor_edges_test.c. */
#define GOVERNOR_CAPTURE 0.6
/* ns: after this time, the inspections are tried again if the capture alone is within the budget. Then
 * they go on until the bucket is empty. Smaller: more tries that cost more than the budget allows in a
 * second. Larger: on a busy machine, long waits have no stacks for longer. Evidence:
 * `inspections_stop_before_a_pause` in governor_test.c. */
#define GOVERNOR_BLIND_NS 30000000000ULL
/* part of the budget: if the runs of BPF programs, as far as the budget counts them, together cost less, the
 * cost is that of the daemon itself. A step would leave out records, and hardly change the cost. Larger: a
 * storm costs too much if the daemon handles its records at a far higher cost than the programs make them.
 * Smaller: on a slow machine, the daemon leaves out records though nothing happens, or a storm whose group is
 * capped pauses the capture for all. Evidence: `upkeep` in governor_edges_test.c. */
#define GOVERNOR_PROGRAMS 0.1

/*
 * Governor: steps back. Each one undoes a step forward.
 */

/* GOVERNOR_CALM, part of the budget: if the cost stays below this, the governor takes a step back.
 * In the step `pauses`, GOVERNOR_CALM_PAUSE takes the place of GOVERNOR_CALM, because a step back
 * from `pauses` costs nothing. Smaller: records are left out for too long. Larger: the same step
 * forward follows at once. Evidence: `calm` in governor_edges_test.c. */
#define GOVERNOR_CALM       0.6
#define GOVERNOR_CALM_PAUSE 0.8
/* ns: after this time without a pause, the governor leaves the step `pauses`, even at a high cost.
 * Smaller: steps forward and back in a storm near the budget. Larger: the status speaks of pauses
 * for longer. Evidence: `no_pause` in governor_edges_test.c. */
#define GOVERNOR_NO_PAUSE_NS 10000000000ULL
/* ns: the cost has to be low for this time before a step back. Smaller: steps forward and back all
 * the time. Larger: records are left out for longer. Evidence: `calm` in governor_edges_test.c. */
#define GOVERNOR_CALM_NS 2000000000ULL
/* If the cost is below the budget / GOVERNOR_QUIET_SHARE, the time before a step back is
 * GOVERNOR_QUIET_NS (ns) in place of GOVERNOR_CALM_NS. Evidence: `calm` in governor_edges_test.c. */
#define GOVERNOR_QUIET_SHARE 4.0
#define GOVERNOR_QUIET_NS    1000000000ULL
/* GOVERNOR_FLAP_NS, ns: if a step forward follows a step back within this time, the governor doubles
 * `patience`. The governor multiplies GOVERNOR_CALM_NS and GOVERNOR_QUIET_NS by `patience`, which is
 * 1 at first. GOVERNOR_PATIENCE, times: the largest `patience`. Smaller numbers: steps forward and
 * back all the time. Larger numbers: records are left out for minutes after a storm. Evidence: `flap`
 * in governor_edges_test.c. */
#define GOVERNOR_FLAP_NS  10000000000ULL
#define GOVERNOR_PATIENCE 32
/* A factor. If a step back comes more than GOVERNOR_LASTED * GOVERNOR_FLAP_NS after the last step
 * forward, the governor halves `patience`. Evidence: `flap` in governor_edges_test.c. */
#define GOVERNOR_LASTED 3

/*
 * Governor: pauses
 */

/* ns: before a pause ends, the bucket has to hold the cost of the start of the capture, and of a
 * capture of this length. Smaller: the starts cost more than the capture. Larger: longer pauses.
 * Evidence: `pauses` in governor_edges_test.c. */
#define GOVERNOR_ON_NS 60000000ULL
/* part: the weight of the latest start of the capture in the average cost of a start. Evidence:
 * `cost_of_a_resume` in governor_edges_test.c. */
#define GOVERNOR_ON_NEW 0.25
/* GOVERNOR_OFF_MIN_NS and GOVERNOR_OFF_MAX_NS, ns: the shortest and the longest pause. Smaller: the
 * BPF programs are attached again and again. Larger: long gaps in the trace. Evidence: `pauses` in
 * governor_edges_test.c. */
#define GOVERNOR_OFF_MIN_NS 400000000ULL
#define GOVERNOR_OFF_MAX_NS 30000000000ULL

/*
 * Governor: caps of groups
 */

/* GOVERNOR_SHARE, part of all records: a group that makes more records can be capped.
 * GOVERNOR_SHARE_STORM: replaces GOVERNOR_SHARE if the capture costs more than GOVERNOR_STORM times
 * the budget. Smaller: a group is capped although other tasks make most records. Larger: all tasks
 * lose records because of one group. Evidence: `share` in governor_edges_test.c. */
#define GOVERNOR_SHARE       0.5
#define GOVERNOR_SHARE_STORM 0.25
#define GOVERNOR_STORM       4
/* ppm of the machine's CPU time. Some runs of BPF programs make no record: in a coarse step, the
 * run for a short wait; while a group is capped, the run for an event of a capped task. Such a run
 * slows only the task of the wait or event. So the budget does not count the CPU time of these runs
 * up to this number, but only what is above it. Smaller: a large storm pauses the capture for all
 * tasks. Larger: a storm costs more. Evidence: `passed` in governor_edges_test.c. */
#define GOVERNOR_PASSED_PPM 200000
/* ns: when the step CT_SHED_COARSE or a cap begins, the rings still have earlier records. The
 * daemon handles them for about this time, and the cost stays high. So the governor waits this long
 * before it takes the next step, CT_SHED_PAUSES. Exception: if no group is capped, and the capture
 * costs GOVERNOR_STORM times the budget or more, the governor waits only GOVERNOR_SETTLE_NS.
 * Smaller: needless pauses. Larger: a storm costs too much for longer, if neither the coarse step
 * nor the cap is enough. Evidence: `rest` in governor_edges_test.c. */
#define GOVERNOR_REST_NS 1500000000ULL
/* The cap of a group lasts at least GOVERNOR_CAP_MIN_NS (ns). Then it ends when the bucket of CPU
 * time (governor.h) is filled by more than GOVERNOR_FULL (part of the bucket). After
 * GOVERNOR_CAP_MAX_NS (ns), the cap ends in any case. GOVERNOR_CAP_TIMES can make a cap longer.
 * Smaller: a cap costs as much as it saves. Larger: the trace says less about the group. Evidence:
 * `cap` in governor_edges_test.c. */
#define GOVERNOR_CAP_MIN_NS 400000000ULL
#define GOVERNOR_CAP_MAX_NS 5000000000ULL
#define GOVERNOR_FULL       0.9
/* times: the daemon measures how long it takes to end caps. Each later cap lasts at least this many
 * times the measured time. Smaller: caps of groups with thousands of tasks cost more than the
 * budget. Evidence: `cap` in governor_edges_test.c. */
#define GOVERNOR_CAP_TIMES 64
/* counted records (one in CAPS_SAMPLE is counted): with fewer, the share of a group or task is not
 * known. Evidence: `groups` and `most` in governor_edges_test.c. */
#define GROUPS_LEAST 256
/* times: the message about a step names a budget larger by this factor, as an example. The factor
 * decides nothing. */
#define GOVERNOR_MORE 3
/* part of all records: a task, user or control group that makes more than this is named in the
 * status and in messages. Evidence: `most` in governor_edges_test.c. */
#define MOST_SHARE 0.25
/* ns: after this time the counts of groups are halved. Smaller: often, fewer than GROUPS_LEAST
 * records are counted. Larger: the governor caps the group of an earlier storm. Evidence: `groups`
 * in governor_edges_test.c. */
#define GROUPS_HALF_NS 500000000u
/* records: one in this many is counted for caps; a power of two. Smaller: each record costs more.
 * Larger: small groups and short storms are not noticed. No evidence yet. */
#define CAPS_SAMPLE 16
/* ns: a BPF program that is running when the cap of a group ends can still cap a task. So the daemon
 * looks for such tasks again after this time. Smaller: if a program runs for longer than this, a task
 * stays capped. No evidence yet for this number. */
#define CAPS_OVER_NS 20000000ULL
/* tasks: at the end of a cap of a group, the daemon reads the states of the tasks that were capped.
 * If there are more of them than this, it reads all tasks of the machine in one walk. Otherwise one
 * read for each task is faster. No evidence yet. */
#define CAPS_READ_EACH 16
/* ns: the daemon logs a message when it caps a group. For this time after a message, it logs no
 * further message about the same group. But if it logs a message about another group in between,
 * the time is over at once. No evidence yet. */
#define CAPS_SAY_NS 600000000000ULL

/*
 * Governor: measuring
 */

/* ns: after this time, failed attaches are tried again. Also, the present step is recorded again: the
 * record says what is left out. Larger: a short snapshot has no such record. No evidence yet. */
#define GOVERNOR_AGAIN_NS 5000000000ULL
/* ns: between two looks at the number of CPUs. No evidence yet. */
#define GOVERNOR_CPUS_NS 2000000000ULL
/* GOVERNOR_READ_NS, ns: in a coarse step, between two readings of all tasks. GOVERNOR_READ_TIMES,
 * times: the daemon also waits at least this many times the CPU time of the last reading. No
 * evidence yet. */
#define GOVERNOR_READ_NS    400000000ULL
#define GOVERNOR_READ_TIMES 100
/* times: the daemon measures this often in a row how far the scheduler's clock is from boot time
 * and from the tick counter. The best result counts. Smaller: a delay makes all waits look longer.
 * No evidence yet. */
#define CLOCK_TRIES 3
/* ns: between two measurements of the scheduler's clock against boot time. NTP adjusts a clock by
 * at most 0.5 ms in a second, so the error is at most 5 ms. No evidence yet. */
#define DRAIN_CLOCK_NS 10000000000ULL
/* part (1/n) of one CPU: the daemon spends at most this much CPU time to ask the kernel whether
 * sockets have unread data. Smaller n: a server that does not read, with 10 000 descriptors, costs
 * more. Larger n: some clients of this server are reported later. No evidence yet. */
#define UNREAD_TIMES 100
/* ns: the daemon measures again and again how far the tick counter is ahead of the scheduler's clock. A
 * measurement late in a tick is too small by up to a tick. So if a measurement is less than a tick below the
 * value in use, the daemon lowers the value in use by CLOCK_DRIFT_NS at most. Smaller: the value in use stays
 * too large for longer; if it is too large by more than a tick, long waits look short, and are not recorded.
 * Larger: the value in use gets too small; then short waits look longer, and cost the BPF program more time.
 * No evidence yet. */
#define CLOCK_DRIFT_NS 500000ULL
/* ns: `ctrace status` shows the cost of the BPF programs over this time. It decides nothing. */
#define GOVERNOR_BPF_NS 2000000000ULL
/* GOVERN_CALLS, calls: the daemon measures how long a batch of this many calls of a BPF program takes.
 * GOVERN_BATCHES, batches: of this many batches, the fastest one gives the cost of a call. Fewer
 * batches: if interrupts disturb all of them, the cost is too large. More calls or batches: the daemon's
 * start takes longer. No evidence yet. */
#define GOVERN_CALLS   100
#define GOVERN_BATCHES 8
/*
 * ns: costs of BPF programs. GOVERN_CALL_NS and GOVERN_MEAN_NS are used until the real costs are
 * measured. doc/service.md, "Measured", compares the computed cost with the cost that the kernel
 * measures.
 * - GOVERN_CALL_NS: the call of a program, without its run
 * - GOVERN_MEAN_NS: a run
 * - GOVERN_LIGHT_NS: a run that only notes an interrupt or leaves out a record; never measured
 */
#define GOVERN_CALL_NS  60
#define GOVERN_MEAN_NS  200
#define GOVERN_LIGHT_NS 10
/* ns: in a coarse step, a BPF program runs at the end of each wait. This is the cost of a run that
 * finds the wait too short for a record. Such runs are counted, not measured. */
#define GOVERN_SHORT_NS 20
/* ns: CPU time of the drain thread for two records, a switch and a wake. This time is a part of the
 * estimated cost after a step back from CT_SHED_COARSE. Smaller: a step back, and soon the same
 * step forward. Larger: records are left out for too long. Evidence: doc/performance.md, "Many
 * CPUs", has 38 ns for a record, and some 13 ns more for the detector. This number is about twice
 * the sum for two records. */
#define GOVERN_DRAIN_NS 200
/* ns: if the measured cost of a call is above this number, the measurement is wrong, and is not
 * used. No evidence yet. */
#define GOVERN_CALL_MAX_NS 2000
/* timed runs of a BPF program: if fewer runs were timed since the last look, the former mean counts
 * as well. No evidence yet. */
#define GOVERN_RUNS_FEW 16

/*
 * Inspections: which waits, and when
 */

/* ns: between two scans of the tasks. Evidence: long_wait_is_inspected_once in tasks_test.c. */
#define INSPECT_POLICY_SCAN_NS 100000000ULL
/* INSPECT_POLICY_LOOP_NS, ns, and INSPECT_POLICY_LOOP_WAITS, waits: a loop of short waits is
 * inspected after this time and this many waits. Smaller: each retry of a call costs an inspection.
 * Larger: short loops have no stack. Evidence: `age_of_a_loop` and `waits_of_a_loop` in
 * policy_edges_test.c. */
#define INSPECT_POLICY_LOOP_NS    1000000000ULL
#define INSPECT_POLICY_LOOP_WAITS 3
/* TASKS_LOOP_RAN_NS, ns, and TASKS_LOOP_RAN_SHARE, a part (1/n) of the loop's time: if a task in a
 * loop of short waits has run for longer than TASKS_LOOP_RAN_NS, and for longer than this part, it
 * does real work. This ends the loop. Smaller times: a loop with an expensive condition does not
 * count. Larger times: a periodic job counts as a loop. Evidence: `work_in_a_loop` in
 * policy_edges_test.c. */
#define TASKS_LOOP_RAN_NS    1000000ULL
#define TASKS_LOOP_RAN_SHARE 10
/* ns: a loop of short waits is inspected again after this time at the earliest. Evidence:
 * `loop_again` in policy_edges_test.c. */
#define INSPECT_POLICY_LOOP_AGAIN 2000000000ULL
/* yields: a task that yields this often between two scans counts as spinning, and is inspected.
 * Evidence: `yields` in policy_edges_test.c. */
#define INSPECT_POLICY_YIELDS 10
/* inspections a second. One group of tasks gets at most half. Spinning tasks are inspected only
 * while more than half of these inspections are left. Smaller: most waits of a busy machine have no
 * stack. Larger: inspections cost more than the capture. Evidence: `per_second` in
 * policy_edges_test.c. */
#define INSPECT_POLICY_PER_SEC 100
/* If a task repeats a wait (same object, same system call), the time between inspections begins at
 * INSPECT_POLICY_BACKOFF_BASE, in ns. It doubles INSPECT_POLICY_BACKOFF_MAX times: 2 s, 4 s, ... 64 s.
 * Smaller: the usual waits of a service take all inspections. Larger: if the task makes the same
 * call from another function, the stack with that function comes into the trace later. Evidence:
 * `back_off` in policy_edges_test.c. */
#define INSPECT_POLICY_BACKOFF_BASE 2000000000ULL
#define INSPECT_POLICY_BACKOFF_MAX  5
/* INSPECT_POLICY_STUCK, a multiple of the setting long-wait: a wait of this length (2 s by default) is
 * inspected even if the time of INSPECT_POLICY_BACKOFF_* is not over. INSPECT_POLICY_STUCK_AGAIN,
 * ns: this happens only if the last inspection of the task is at least this old. Evidence: `stuck`
 * in policy_edges_test.c. */
#define INSPECT_POLICY_STUCK       10
#define INSPECT_POLICY_STUCK_AGAIN 10000000000ULL

/*
 * Inspections: how
 */

/* INSPECT_PER_SEC, inspections a second: the limit if inspect_options.max_per_sec is 0.
 * After a time without inspections, this limit divided by INSPECT_SLACK_SHARE is the number of
 * inspections that may begin at once. No evidence yet. */
#define INSPECT_PER_SEC     100
#define INSPECT_SLACK_SHARE 4
/* inspections a second: the limit of the daemon's inspection thread. Only a snapshot
 * (SNAPSHOT_REQUEST_INSPECTIONS_MAX) or a watched variable can reach this limit. No evidence
 * yet. */
#define DRAIN_INSPECTIONS_PER_S 2000
/* samples of tasks that run long, a second. Further samples are not recorded, but counted
 * (samples_refused). No evidence yet. */
#define DRAIN_SAMPLES_PER_S 200
/* stacks of enqueues of jobs, a second, of all CPUs and queues together (bpf/uprobe.bpf.c says how many reach
 * the daemon). Further stacks are not recorded, but counted (job_stacks_refused). Smaller: a machine with
 * many queues has few stacks of each. Larger: the stacks cost more. Evidence: doc/frameworks.md, "What it
 * costs". */
#define DRAIN_JOB_STACKS_PER_S 64
/* ns: an inspection that takes longer is stuck, and another thread takes over. Smaller: a slow file
 * system makes all threads count as stuck. Larger: the other thread takes over later, and until then
 * there are no inspections. No evidence yet. */
#define INSPECT_STUCK_NS 10000000000ULL
/* TASKS_SINCE_NS and INSPECT_SAME_WAIT_NS, ns: two sources may give starts of one wait that differ
 * by this. The scheduler's clock can be late by two ticks at 100 Hz, 20 ms. Smaller: the present
 * wait counts as another one. Larger: another wait counts as the present one. Evidence: the length
 * of a tick; for TASKS_SINCE_NS also `since` in policy_edges_test.c. */
#define TASKS_SINCE_NS       20000000ULL
#define INSPECT_SAME_WAIT_NS 20000000ULL
/* ns: the stack of an access to a watched variable is kept for later accesses from the same place.
 * Larger: meanwhile, another file may be mapped at this place. No evidence yet. */
#define INSPECT_LOOK_KNOWN_NS 1000000000ULL
/* ns: the time limit to unwind one stack. Smaller: deep stacks with large tables stay incomplete.
 * Larger: one program holds up all inspections. No evidence yet. */
#define UNWIND_TIME_NS 50000000ULL
/* bytes: a frame pointer may lie this far above the stack pointer. This is twice the usual limit of
 * a stack (8 MiB). Smaller: unwinding stops at frames with large arrays. Larger: any number
 * passes for a frame pointer. No evidence yet. */
#define UNWIND_FP_REACH (16ULL << 20)
/* ns: what is known about a file system is kept for this time. The device number of an unmounted
 * file system may be used again. Larger: the daemon reads a file that it must not read. No evidence
 * yet. */
#define UNWIND_MOUNTS_KEPT_NS 10000000000ULL
/* ns: an address of the kernel without a symbol may be in a new module. Then the list of modules is
 * read, at most once in this time, and the symbols only if the module is new. Smaller: unknown
 * addresses cost CPU time. Larger: frames in a new module have no name for longer. No evidence yet. */
#define SYMBOLS_RELOAD_NS 30000000000ULL
/* bytes: if an address of the kernel is further than this after the beginning of the function
 * before it, the address gets no name. No evidence yet. */
#define SYMBOLS_REACH_MAX (1u << 20)
/* ns: between two checks of the file with a JIT compiler's functions. No evidence yet. */
#define SYMBOLS_JIT_CHECK_NS 1000000000ULL

/*
 * Inspections: which variable a task polls. The whole search was tested (inspect/polled.h), but no
 * single number has evidence yet.
 */

/* POLLED_LOOKS, looks: so many looks at a task that may spin are needed before the search decides.
 * POLLED_LOOK_AGAIN_NS, ns: between two looks. A look sees the registers of the task's last entry
 * into the kernel. Between two looks, a timer tick interrupts the task at least once, so each look
 * sees newer registers. Smaller numbers: a task that computes seems to poll. */
#define POLLED_LOOKS         4
#define POLLED_LOOK_AGAIN_NS 20000000
/* ns: between two reads of a value. A value that changes is hardly ever a flag. Smaller: a counter
 * is taken for a flag. */
#define POLLED_VALUE_AGAIN_NS 2000000
/* points (polled.c gives them): a variable with fewer points is not named. Smaller: wrong variables
 * are named. Larger: no variable is named. */
#define POLLED_SCORE_MIN 6
/* POLLED_AGAIN_NS, ns: until the next look, if a variable was found. POLLED_REST_NS, ns: if none
 * was found, the next look is after twice this time, and each further failure doubles the time.
 * POLLED_REST_TIMES: doublings at most. */
#define POLLED_AGAIN_NS   3000000000ULL
#define POLLED_REST_NS    250000000ULL
#define POLLED_REST_TIMES 6

/*
 * Capture
 */

/* DRAIN_BUSY_MS, ms: the drain thread waits this long after a busy round. After each quiet round,
 * the wait is longer by DRAIN_BUSY_MS, up to DRAIN_QUIET_MS. DRAIN_QUIET_N, records: a round with
 * fewer is quiet; a ring of 4 MiB has 131 000. Smaller times, or a smaller number: more wake-ups of the
 * daemon. Larger times: the rings fill, and hangs are noticed later. Evidence: doc/performance.md, "A quiet
 * machine". Beside a ping-pong of 42 000 records/s on a busy machine, the daemon took 1.6 % of a CPU with
 * DRAIN_QUIET_N 512, and 1.25 % with 8192 (medians of 5 interleaved runs). */
#define DRAIN_BUSY_MS  50
#define DRAIN_QUIET_MS 250
#define DRAIN_QUIET_N  8192
/* ns: after losses, all tasks are read again at most once in this time. Smaller: losses make a busy
 * machine busier. Larger: the states of tasks are unknown for longer. No evidence yet. */
#define DRAIN_RESYNC_NS 10000000000ULL
/* ns: an inspection may read all descriptors of a process. The next such read of the same process comes
 * at least this time later. No evidence yet. */
#define DRAIN_FILES_AGAIN_NS 5000000000ULL
/* marks: clients may make at most this many in a second. Each mark takes a connection, so a script
 * makes some hundred in a second at most. No evidence yet. */
#define MARKS_PER_SECOND 1000
/* names: marks may have at most this many different names until the daemon ends. No evidence
 * yet. */
#define MARKS_NAMES_MAX 4096
/* ns: a mark that arrives more than this after it was made gets the time of its arrival. No evidence
 * yet. */
#define MARKS_LATE_NS 60000000000ULL
/* bytes: the queue of drain_post(). A full queue refuses and counts further records. No evidence
 * yet. */
#define DRAIN_POSTED_MAX (32u << 20)
/* ns: at the daemon's end, the disk gets this time for the end of the trace. The sum of this time
 * and WORKER_STOP_S has to be less than TimeoutStopSec. Evidence: share/ctraced.service (30 s). */
#define DRAIN_STOP_NS 15000000000ULL
/* RECORDER_SEAL_BYTES, bytes, and RECORDER_SEAL_NS, ns: at this size, or this time after the last
 * write, the open file segment is written to the disk as a copy, and stays open. If no copy can be
 * written (writer_save()), for example because the segment is too large or too old, the segment is
 * sealed. Smaller numbers: columns compress worse. Larger numbers: a crash loses more. No evidence yet
 * for these numbers. */
#define RECORDER_SEAL_BYTES (4u << 20)
#define RECORDER_SEAL_NS    800000000ULL
/* CGROUPS_WALK_NS, ns: the least time from one walk over the control groups to the next.
 * CGROUPS_WALK_SHARE, times: the CPU time of the last walk, multiplied by this factor, is another
 * least time. The larger one applies. No evidence yet. */
#define CGROUPS_WALK_NS    1000000000ULL
#define CGROUPS_WALK_SHARE 200
/* ns: the CPU quota and the memory limit of a task are read again after this time, if such a limit holds the
 * task up again. Smaller: costs more. Larger: after a change, the old limits are told for longer. No evidence
 * yet. */
#define CGROUPS_LIMITS_NS 10000000000ULL
/* ns: a message reports a write or sync of the trace that takes longer. Smaller: messages about a
 * busy disk. Evidence: a_disk_that_does_not_answer in trace_storage_test.c. */
#define TRACE_STORAGE_STUCK_NS 10000000000ULL
/* us: between two looks at the state of the disk. A message about a stuck disk is late by at most
 * this. */
#define TRACE_STORAGE_EVERY_USEC 1000000
/* ns: a drain thread that finishes no round for this time is stuck, and systemd may restart the
 * daemon (WatchdogSec). Smaller: a machine without free CPU time ends the daemon. Larger: a stuck
 * daemon records nothing for longer. No evidence yet. */
#define CTRACED_STUCK_NS 10000000000ULL
/* us: between two times at which the daemon gives freed memory back. Smaller: costs CPU time, 2 ms each time,
 * in which other threads may wait for memory. Larger: more freed memory stays. Evidence: after 80 minutes
 * beside builds and tests, a daemon had 80 MiB, and 73 MiB after it gave memory back. */
#define CTRACED_TRIM_USEC 60000000
/* ms: if the attached programs record nothing for this time at the start, the daemon assumes that
 * the kernel never calls them. Smaller: the daemon does not start on a busy machine. No evidence
 * yet. */
#define PROBE_FIRES_MS 200
/* ns: for a request with `bpf_stats` (doc/protocol.md), the kernel measures its BPF programs for
 * this time. Larger: all BPF programs cost more for longer. No evidence yet. */
#define REPORT_BPF_NS 200000000

/*
 * Snapshots
 */

/* SNAPSHOT_REQUEST_PREPARE_NS, ns: the longest preparation of a snapshot.
 * SNAPSHOT_REQUEST_PAUSE_NS, ns: the time between two checks whether the inspections for a snapshot
 * have ended. SNAPSHOT_REQUEST_INSPECTIONS_MAX, inspections: at most so many for one snapshot.
 * Smaller: some waits have no stack. Larger: a snapshot takes longer. No evidence yet. */
#define SNAPSHOT_REQUEST_PREPARE_NS      150000000ULL
#define SNAPSHOT_REQUEST_PAUSE_NS        2000000
#define SNAPSHOT_REQUEST_INSPECTIONS_MAX 200
/* MAX, descriptors, and NS, ns: at most so many descriptors of locked files are looked at, for so long, to
 * see which open file has the lock. Smaller: the owner of a lock that was passed on is not certain. Larger: a
 * snapshot takes longer: about 20 us for each descriptor, and 0.5 us for each lock of its open file, of which
 * a user may make very many. No evidence yet. */
#define SNAPSHOT_REQUEST_MARKS_MAX 1000
#define SNAPSHOT_REQUEST_MARKS_NS  50000000ULL
/* ns: before a snapshot, the disk gets this time for the sealed file segments. Smaller: on a slow
 * disk, the end of the window is missing. Larger: a stuck disk holds up the snapshot. No evidence
 * yet. */
#define SNAPSHOT_REQUEST_FLUSH_NS 3000000000ULL
/* ns: if the window ends less than this before the request, the snapshot also shows the time up to
 * now. So the snapshot has the records that its preparation adds. No evidence yet. */
#define SNAPSHOT_REQUEST_NOW_NS 1000000000ULL

/*
 * Incidents: the work after a reported hang
 */

/* ns: a hang may be noticed long after it began. Its snapshot reaches back from the moment at which
 * the hang was noticed, by at most this time plus the setting snapshot-before. Smaller: the
 * beginning of the hang is missing. No evidence yet. */
#define INCIDENTS_SPAN_NS 120000000000ULL
/* ns: if the worker refuses a job of an incident (the snapshot, or the writing of its JSON file),
 * the job is tried again after this time. No evidence yet. */
#define INCIDENTS_RETRY_NS 1000000000ULL
/* incidents, of INCIDENTS_OPEN_MAX: pages are given up until new hangs have this many slots. Smaller: a
 * hang may get no snapshot because earlier hangs wait for their pages. Larger: fewer hangs get a page if
 * there are several at once. No evidence yet. */
#define INCIDENTS_SPARE 4
/* ns: between two messages about hangs without a snapshot, unless a new incident comes in between.
 * No evidence yet. */
#define INCIDENTS_SAY_LIMITED_NS 60000000000ULL
/* ns: if the time in the name of a hang's file is further in the future than this, a wrong clock gave
 * it, and the age of the hang is not known. Of the hangs of one user, the daemon removes such a hang
 * first. No evidence yet for this number. */
#define INCIDENTS_AHEAD_NS 86400000000000ULL
/* DIAGNOSER_MEMORY, bytes: for one diagnosis. DIAGNOSER_EVENTS_MAX, events: so many fit into this
 * memory (150 bytes each). DIAGNOSER_CPU_S and DIAGNOSER_WALL_S, s: CPU time and wall clock time of
 * one diagnosis. Smaller: hangs of a busy machine get no diagnosis. Larger: other programs have
 * less memory and CPU time. No evidence yet. */
#define DIAGNOSER_MEMORY     (512ULL << 20)
#define DIAGNOSER_EVENTS_MAX 3000000
#define DIAGNOSER_CPU_S      10
#define DIAGNOSER_WALL_S     60
/* s: a separate process diagnoses hangs. It ends a diagnosis that takes DIAGNOSER_WALL_S. But if the
 * process is stopped or gets no CPU, it gives no answer at all. So the daemon waits for the answer
 * only this much longer than DIAGNOSER_WALL_S. No evidence yet for this number. */
#define DIAGNOSER_LATE_S 5
/* ns of CPU time: the page of a hang has a list of other hangs. The search for them ends when this
 * try to make the page has used this much of DIAGNOSER_CPU_S. Smaller: the list lacks short hangs of a busy
 * machine. Larger: less is left for the picture, and a page that takes too long is lost. No evidence yet. */
#define DIAGNOSER_SEARCH_NS 5000000000ULL
/* ns of CPU time: if earlier tries ran out of memory, the search ends when all tries together have used this
 * much of DIAGNOSER_CPU_S. Smaller: after several tries, the page lacks hangs. Larger: a page that takes too
 * long is lost. No evidence yet. */
#define DIAGNOSER_SEARCH_ALL_NS 8000000000ULL
/* bytes: the page of a hang may have so many. Smaller: complicated hangs get no page. Larger: fewer
 * incidents fit into hangs-size. Evidence: VIEW_REASONS keeps a page below about 5 MB. */
#define INCIDENTS_PAGE_BYTES (8ULL << 20)
/* DIAGNOSER_TRIES, tries: a diagnosis that needs more than DIAGNOSER_MEMORY is tried again at most
 * this often, with less of the trace each time. DIAGNOSER_TRIES_BEFORE, tries: each of this many first
 * tries leaves out the first half of the time that is left before the hang. Each later try leaves out
 * the first half of the time that is left before ctraced noticed the hang. If a try has no
 * time to leave out, it is skipped. No evidence yet. */
#define DIAGNOSER_TRIES        6
#define DIAGNOSER_TRIES_BEFORE 3

/*
 * Control socket: limits for clients
 */

/* CONTROL_CLIENTS_MAX, connections: at most so many of all users together. CONTROL_ROOT_CLIENTS: so
 * many of these connections are kept for root. CONTROL_USER_CLIENTS: at most so many of one user
 * other than root. Smaller: a monitoring program and a user shut each other out. Larger: hostile
 * clients take more memory. Evidence: room_for_root in control_test.c. */
#define CONTROL_CLIENTS_MAX  16
#define CONTROL_ROOT_CLIENTS 4
#define CONTROL_USER_CLIENTS 4
/* connections: at most so many are accepted in one round of the event loop. Smaller: connections
 * wait. Larger: one user holds up the loop. No evidence yet. */
#define CONTROL_ACCEPT_MAX 64
/* connections: at most so many wait to be accepted. At 8000 connections a second, the last one
 * waits for 64 ms. No evidence yet. */
#define CONTROL_BACKLOG 512
/* s: a client that sends no request, or does not take its answer, is disconnected after this time.
 * Smaller: slow clients are disconnected. Larger: idle clients keep others out. No evidence yet. */
#define CONTROL_TIMEOUT_S 10
/* CONTROL_PACE_PERCENT, percent of a CPU: requests of all users other than root together may take this
 * share on average. CONTROL_PACE_NS, ns of CPU time: the largest burst of such requests, after a time
 * with few of them. Smaller: `ctrace status` is slow when many users ask. Larger: users slow down the
 * daemon. No evidence yet. */
#define CONTROL_PACE_PERCENT 10
#define CONTROL_PACE_NS      20000000ULL
/* us: the length of a rest. During a rest, the daemon accepts no connection, and handles requests of
 * root only. A rest begins if no descriptor or no memory is free for a new connection, or if the
 * thread `closer` has SERVICE_CLOSE_MAX / 2 or more descriptors to close. No evidence yet. */
#define CONTROL_REST_USEC 100000
/* us: between two checks that the file of the socket still exists. No evidence yet. */
#define CONTROL_LOOK_USEC 2000000

/*
 * Workers: threads for jobs beside the event loop
 */

/* jobs: at most so many are in the queue of a worker without options (worker_new()), and in the
 * queue of the thread `clients` (service.c). No evidence yet. */
#define WORKER_QUEUE_MAX 64
/* threads: of the threads of one worker, at most WORKER_STUCK_USER may be stuck on jobs of one user,
 * and at most WORKER_STUCK_OTHERS on jobs of all users other than root together. Smaller: one stuck
 * file system shuts a user out. Larger: more threads. Evidence: waits_for_the_stuck in
 * worker_test.c; for WORKER_STUCK_USER also stuck_job. */
#define WORKER_STUCK_USER   2
#define WORKER_STUCK_OTHERS 4
/* s: at its end, the daemon waits at most this long for the present job of a worker. See also
 * DRAIN_STOP_NS. No evidence yet. */
#define WORKER_STOP_S 2
/* ns: a client's request (SERVICE_LIMIT_NS), or the closing of a descriptor (SERVICE_CLOSE_NS), is
 * given up after this time without progress. Smaller: snapshots to slow disks fail. Larger: a stuck
 * client holds up others. No evidence yet. */
#define SERVICE_LIMIT_NS 10000000000ULL
#define SERVICE_CLOSE_NS 2000000000ULL
/* descriptors: at most this many wait to be closed. While half of this number or more wait, the daemon
 * accepts no connection, and receives only from root. No evidence yet. */
#define SERVICE_CLOSE_MAX 512

/*
 * Jobs of frameworks
 */

/* ms: the daemon's start waits at most this long for the first look at all processes and
 * directories. The daemon's end waits at most this long for the thread *jobs*. No evidence yet. */
#define JOBS_FIRST_MS 3000
/* ms: between two checks for replaced files of frameworks. Larger: jobs of an upgraded program are
 * missed for longer. No evidence yet. */
#define JOBS_LOOK_MS 250
/* ms: the same with `frameworks = auto`; and the time between two rounds of the meter, while the hits of the
 * probes stay within the limit. Larger: a flood costs more before it is noticed. Smaller: an idle daemon
 * takes more CPU time. Evidence: doc/frameworks.md#what-it-costs. */
#define JOBS_CALM_MS 1000
/* JOBS_SEEN_SCANS, scans: the list of mappings of a process that runs for long is read once in so many scans.
 * Larger: a library outside of the usual directories that such a process loads late is found later.
 * Smaller: an idle daemon takes more CPU time. Evidence: doc/frameworks.md#what-it-costs. */
#define JOBS_SEEN_SCANS 64
/* JOBS_SCAN_MS, ms: between two scans of all processes. JOBS_SCAN_REST, times: before the next
 * scan, the thread *jobs* also waits at least this many times the CPU time of the last scan.
 * JOBS_CALLS_REST, times: if a process enqueues a new function as a job, the thread attaches a
 * probe to the function. Then the thread waits this many times the CPU time of attaching the probe.
 * JOBS_SOON_REST, times: if a process ends that has mapped a file, the thread looks at once for
 * another one, but waits at least this many times the CPU time of the last scan. No evidence yet. */
#define JOBS_SCAN_MS   5000
#define JOBS_SCAN_REST 200
/* JOBS_AUTO_SCAN_MS, ms: JOBS_SCAN_MS with `frameworks = auto`. Most programs need no scan, because the
 * probes on the files in the usual directories act in each new process. Larger: jobs in a new container, and
 * of an upgraded library, are missed for longer. Smaller: an idle daemon takes more CPU time.
 * JOBS_AUTO_SCAN_SHARE, times: with `frameworks = auto`, the scans take at most this part of what the probes
 * may cost. Evidence: doc/frameworks.md#what-it-costs. */
#define JOBS_AUTO_SCAN_MS    15000
#define JOBS_AUTO_SCAN_SHARE 4
/* ns: if a probe was refused for a reason that may pass, the file is probed anew after JOBS_RETRY_NS, and
 * then each time after twice as long, up to JOBS_RETRY_MAX_NS. Smaller: the other probes of the file are
 * absent more often. Larger: the jobs are missed for longer. No evidence yet. */
#define JOBS_RETRY_NS     60000000000ULL
#define JOBS_RETRY_MAX_NS 3600000000000ULL
#define JOBS_CALLS_REST   10
#define JOBS_SOON_REST    20
/* ns: a task that waits in the kernel for its memory for so long hangs, so no probe is put on a file that its
 * process has mapped. Smaller: a program that reads its pages from a slow disk holds up the probes. Larger:
 * if such a task is there, the thread *jobs* waits longer. No evidence yet. */
#define JOBS_HANGS_NS 50000000
/* ns: the look for such tasks, at all tasks of the machine, serves all files that are found in this time.
 * Larger: a task that begins to hang in between is not seen. Smaller: the start of the daemon takes longer.
 * No evidence yet. */
#define JOBS_HANGS_AGAIN_NS 200000000
/* ns: the CPU time that one hit takes from the probed program, with the run of the BPF program. By the
 * instruction under the probe: JOBS_HIT_EMULATED_NS, the kernel carries it out itself;
 * JOBS_HIT_STEPPED_NS, the kernel runs a copy as a single step. JOBS_HIT_RETURN_NS: in addition, if
 * the return of the function has a probe too. Larger: `frameworks = auto` detaches probes earlier.
 * Evidence: bench/probes, see doc/frameworks.md; the means on a busy machine. */
#define JOBS_HIT_EMULATED_NS 850
#define JOBS_HIT_STEPPED_NS  14000
#define JOBS_HIT_RETURN_NS   800
/* ns: CPU time that a stack of an enqueue costs: about 2 us in the probed program, and about 80 us in the
 * daemon, which finds the names of the functions. Larger: `frameworks = auto` leaves out stacks earlier.
 * Evidence: doc/frameworks.md#what-it-costs. */
#define JOBS_STACK_NS 82000
/* times: with `frameworks = auto`, the hits of all probes may cost this part of the budget. Smaller:
 * less is left for the recording itself, which also has to record the jobs. Larger: probes are
 * detached where they would do no harm. Evidence: with the usual budget of 1 % and 2 CPUs, this
 * allows 4700 hits a second; the flood and the steady program of the test `jobs-automatic` are far on
 * both sides. */
#define JOBS_AUTO_SHARE 5
/* ns: the probes may at once cost as much as the limit allows in this time. Smaller: a burst of
 * jobs, such as the start of a program, loses its records. Larger: a flood costs more before it
 * is noticed. Evidence: `burst` in jobs_auto_test.c. */
#define JOBS_AUTO_BURST_NS 2000000000.0
/* ns: if the probes have used up what the limit allows in this time, no more stacks of enqueues are recorded.
 * Larger: a framework may lose its probes because of stacks. Smaller: a burst of jobs has fewer stacks.
 * Evidence: `stacks` in jobs_auto_test.c. */
#define JOBS_AUTO_STACKS_NS 1000000000.0
/* ns: detached probes are attached again after JOBS_AUTO_PAUSE_NS. If they are detached again
 * within the time of the last pause, or within JOBS_AUTO_CALM_NS, the next pause is twice as long, up
 * to JOBS_AUTO_PAUSE_MAX_NS. Each such time without a detaching halves the pause. Smaller: in a
 * lasting flood, more CPU time for vain attempts: each one costs up to 0.25 s of the flood
 * (JOBS_LOOK_MS). Larger: jobs are missed for longer after a flood. Evidence: `pauses` in
 * jobs_auto_test.c. */
#define JOBS_AUTO_PAUSE_NS     10000000000ULL
#define JOBS_AUTO_PAUSE_MAX_NS 640000000000ULL
#define JOBS_AUTO_CALM_NS      60000000000ULL
/* ns: while probes are detached, a record in the trace says so this often. Larger: a short snapshot
 * has no such record, and its jobs seem to be all jobs. No evidence yet. */
#define JOBS_AUTO_TELL_NS 5000000000ULL

#endif
