/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in daemon/.
 *
 * Each entry says: the unit; what the number means; what goes wrong with a smaller number ("Below") and with
 * a larger one ("Above"); the evidence. If several numbers share an entry, the entry names each of them. The
 * evidence is either a table in doc/, or tests in test/unit/daemon. "edges (X)" is the test with the
 * name X in governor_edges_test.c; "policy (X)" is the test with the name X in policy_edges_test.c. A name
 * alone is a test in the *_test.c of the code. "On both sides" means that one test fails with half of the
 * number, and one test fails with twice the number. A test only shows that the code uses this number ("that
 * it is so"). Only a table shows that the number is a good choice.
 *
 * Defaults of settings are in config/. Sizes of tables and of buffers are beside the tables and buffers,
 * which count what they refuse. How many runs of a BPF program are timed is in
 * include/ctrace/govern_state.h.
 */
#ifndef CTRACE_DAEMON_THRESHOLDS_H
#define CTRACE_DAEMON_THRESHOLDS_H

/*
 * Governor: the bucket of the budget. doc/service.md, "Measured", shows what storms cost with these
 * numbers.
 */

/* ns: the bucket holds at most the budget of this much time. Below: a short burst is enough for the governor
 * to take a step. Above: a storm runs longer at full cost. Evidence: edges (start) and edges (cap),
 * a_burst_is_paid_for, a_storm_is_held_to_the_budget, on both sides. */
#define GOVERNOR_HOLD_NS 1000000000ULL
/* GOVERNOR_BEGIN_NS, ns: the start of the daemon, when all tasks are new and symbols are read, takes this
 * long. GOVERNOR_START_NS, ns: during the start, the bucket holds at most the budget of this much time.
 * Below: each start of the daemon makes the governor take a step. Above: a storm during the start costs
 * more. Evidence: edges (start), for both numbers on both sides. */
#define GOVERNOR_BEGIN_NS 10000000000ULL
#define GOVERNOR_START_NS 30000000000ULL
/* ns: the governor measures the cost, and decides, once in this time. Below: the measurements cost
 * more. Above: the governor notices a storm later. Evidence: edges (tick), on both sides. */
#define GOVERNOR_TICK_NS 20000000ULL
/* ns: the rate of spending, by which the governor decides, is smoothed over this time. Below: a burst looks
 * like a high rate. Above: the steps follow a storm later. Evidence: edges (smoothing), on both sides. */
#define GOVERNOR_RATE_NS 200000000.0
/* ns: the cost that `ctrace status` shows is smoothed over this time, and so is the cost that the capture
 * would have in the step before a coarse one. The shown cost decides nothing; the other cost decides about a
 * step back. Evidence for the shown cost: edges (smoothing), on both sides. */
#define GOVERNOR_COST_NS 2000000000.0

/*
 * Governor: steps forward
 */

/* ns: after this time the effect of a step can be measured. Below: the governor takes several steps where
 * one is enough. Above: a storm costs too much for longer. Evidence: edges (settle), on both sides. */
#define GOVERNOR_SETTLE_NS 100000000ULL
/* part of the budget: if the capture costs less than this, then inspections and other work cost too much.
 * To record less does not help then. Below: inspections lead to a pause of the capture. Above: the
 * governor stops inspections although the capture takes nearly all of the cost. Evidence: edges (capture), on
 * both sides. */
#define GOVERNOR_CAPTURE 0.6
/*
 * Governor: steps back
 */

/* part of the budget: if the cost stays below this, the governor takes a step back. GOVERNOR_CALM_PAUSE is
 * for the step `pauses`, in which the measured cost does not rise after the step back. Below: records are
 * left out for longer than necessary. Above: the governor takes the same step forward again at once.
 * Evidence: edges (calm), on both sides. */
#define GOVERNOR_CALM       0.6
#define GOVERNOR_CALM_PAUSE 0.8
/* ns: if the step `pauses` has been in force for this time without a pause, the governor takes a step back,
 * at any cost. Below: a storm near the budget makes the governor take steps forward and back. Above: the
 * status and the trace say for longer that pauses are possible. Evidence: edges (no_pause), on both sides. */
#define GOVERNOR_NO_PAUSE_NS 10000000000ULL
/* ns: the cost has to be low for this time before a step back. Below: the governor takes steps forward
 * and back all the time. Above: records are left out for longer. Evidence: edges (calm), on both sides. */
#define GOVERNOR_CALM_NS 2000000000ULL
/* GOVERNOR_QUIET_SHARE, a part (1/n) of the budget: if the cost is below this, the shorter time
 * GOVERNOR_QUIET_NS (ns) is enough before a step back. Evidence: edges (calm), for both numbers on both
 * sides. */
#define GOVERNOR_QUIET_SHARE 4.0
#define GOVERNOR_QUIET_NS    1000000000ULL
/* GOVERNOR_FLAP_NS, ns: a step back was too early if a step forward follows within this time; the next step
 * back then waits twice as long. GOVERNOR_PATIENCE, times: the wait is never more than this many times the
 * usual one. Below: the governor takes steps forward and back all the time. Above: after one storm, records
 * are left out for minutes. Evidence: edges (flap), for both numbers on both sides. */
#define GOVERNOR_FLAP_NS  10000000000ULL
#define GOVERNOR_PATIENCE 32
/* times GOVERNOR_FLAP_NS: if a step forward has lasted longer than this when the governor takes a step back,
 * the next step back waits half as long. Evidence: edges (flap), on both sides. */
#define GOVERNOR_LASTED 3

/*
 * Governor: pauses
 */

/* ns: before a pause ends, the bucket has to hold enough to start the capture and to run it for this time.
 * Below: to start the capture costs more than the capture itself. Above: the pauses are longer. Evidence:
 * edges (pauses), on both sides. */
#define GOVERNOR_ON_NS 60000000ULL
/* part: the weight of the latest start of the capture in the average cost of a start. Evidence:
 * edges (cost_of_a_resume), on both sides, that it is so. */
#define GOVERNOR_ON_NEW 0.25
/* GOVERNOR_OFF_MIN_NS and GOVERNOR_OFF_MAX_NS, ns: the shortest and the longest pause. Below: the programs
 * are attached again and again. Above: the trace has long gaps. Evidence: edges (pauses), for both numbers on
 * both sides. */
#define GOVERNOR_OFF_MIN_NS 400000000ULL
#define GOVERNOR_OFF_MAX_NS 30000000000ULL

/*
 * Governor: caps of groups
 */

/* GOVERNOR_SHARE, part of all records: a group that makes more than this can be capped.
 * GOVERNOR_SHARE_STORM, part of all records: this smaller part is enough if the capture costs more than
 * GOVERNOR_STORM times the budget. Below: a group is capped although others make the records. Above: all
 * tasks lose records although one group makes them. Evidence: edges (share), for the three numbers on both
 * sides. */
#define GOVERNOR_SHARE       0.5
#define GOVERNOR_SHARE_STORM 0.25
#define GOVERNOR_STORM       4
/* ppm of the machine's CPU time: a BPF program needs some time to leave out an event of a capped group, or a
 * short wait in a coarse step. This time is taken from the task that makes the event, on its CPU. So up to
 * this limit the time does not count against the budget. Below: a storm that is large enough pauses the
 * capture for all tasks. Above: the rest of a storm can cost more. Evidence: edges (passed), on both sides.
 * doc/service.md, "Measured", has the figures of an earlier version. */
#define GOVERNOR_PASSED_PPM 200000
/* ns: after a coarse step or a cap has begun, the records from before are written within this time. If the
 * cost is still too high then, the governor takes the last step. Without a cap, a cost of GOVERNOR_STORM
 * times the budget leads to the last step already after GOVERNOR_SETTLE_NS. Below: pauses begin that are not
 * needed. Above: a storm of two groups costs too much for longer. Evidence: edges (rest), on both sides. */
#define GOVERNOR_REST_NS 1500000000ULL
/* GOVERNOR_CAP_MIN_NS and GOVERNOR_CAP_MAX_NS, ns: the shortest and the longest cap. GOVERNOR_FULL, part of
 * the bucket: between these two times, the cap ends when the bucket is filled to more than this part. Below:
 * each cap costs as much as it saves. Above: the trace says less about the group. Evidence: edges (cap), for
 * the three numbers on both sides. */
#define GOVERNOR_CAP_MIN_NS 400000000ULL
#define GOVERNOR_CAP_MAX_NS 5000000000ULL
#define GOVERNOR_FULL       0.9
/* times: the caps of groups take some time to end. The next caps last at least this many times as long.
 * Below: caps of groups with thousands of tasks cost more than the budget. Evidence: edges (cap), on both
 * sides. */
#define GOVERNOR_CAP_TIMES 64
/* counted records (one in CAPS_SAMPLE is counted): with fewer of them, the share of a group or of a task is
 * not known. Evidence: edges (groups, most), on both sides. */
#define GROUPS_LEAST 256
/* times: the message about a step names a budget that is larger by this factor, as an example. The factor
 * decides nothing. */
#define GOVERNOR_MORE 3
/* part of all records: a task, user or control group that makes more than this is named in the status and in
 * the message about a step. Below: a name is shown although others make the records. Above: a task that makes
 * a third of the records is not named. Evidence: edges (most), on both sides. */
#define MOST_SHARE 0.25
/* ns: after this time all counts are halved, so that old records weigh less. Below: there are too few counts.
 * Above: the group of the last storm is capped instead of the present one. Evidence: edges (groups), on both
 * sides. */
#define GROUPS_HALF_NS 500000000u
/* records: one record in this many is counted for caps; a power of two. Below: each record costs more.
 * Above: small groups and short storms are not noticed. No evidence yet. */
#define CAPS_SAMPLE 16
/* ns: a program that was running when the cap of a group ended can still cap a task of the group. After this
 * time no such program runs any more, so this time has to be longer than any run of a program. No evidence
 * yet. */
#define CAPS_OVER_NS 20000000ULL
/* tasks: more tasks than this are read faster by a walk over all tasks than one by one. No evidence yet. */
#define CAPS_READ_EACH 16
/* ns: the time between two messages about the same group. No evidence yet. */
#define CAPS_SAY_NS 600000000000ULL

/*
 * Governor: measuring
 */

/* ns: the step in force is recorded again after this time, for readers that see only a part of the trace.
 * After the same time, programs that could not be attached are tried again. Below: there are more records.
 * Above: a short snapshot does not show what is left out. No evidence yet. */
#define GOVERNOR_AGAIN_NS 5000000000ULL
/* ns: the time between two looks at the number of CPUs. Above: after a change, the budget is wrong for
 * longer. No evidence yet. */
#define GOVERNOR_CPUS_NS 2000000000ULL
/* GOVERNOR_READ_NS, ns: in a coarse step all tasks are read after this time. GOVERNOR_READ_TIMES: the time
 * between two readings is at least this many times the CPU time of a reading. Below: the readings cost more.
 * Above: a lasting wait is noticed later. No evidence yet. */
#define GOVERNOR_READ_NS    400000000ULL
#define GOVERNOR_READ_TIMES 100
/* times: how often the distance between two clocks is measured. A delay during a measurement makes its result
 * larger, so the smallest result counts. Below: a delay makes all waits look longer. Above: each reading of
 * all tasks costs more. No evidence yet. */
#define CLOCK_TRIES 3
/* ns: the clock of the scheduler is measured again after this time. Below: the measurements cost more. Above:
 * the recorded beginnings of waits are wrong by more. With this number they are wrong by at most 5 ms, as NTP
 * adjusts a clock by at most 0.5 ms in a second. No evidence yet. */
#define DRAIN_CLOCK_NS 10000000000ULL
/* times: the daemon looks for unread data of sockets so seldom that all these looks together take at most
 * 1/n of one CPU. Below: a server with 10 000 descriptors, which does not read, costs more. Above:
 * with such a server, some clients are reported later. No evidence yet. */
#define UNREAD_TIMES 100
/* ns: the clocks of the kernel drift apart by less than this between two measurements in a coarse step, which
 * are mostly less than a second apart (NTP adjusts by at most 0.5 ms in a second). Below: a wait that is a
 * little longer than CT_COARSE_NS is not recorded. Above: short waits cost more. No evidence yet. */
#define CLOCK_DRIFT_NS 500000ULL
/* ns: the share of the programs that `ctrace status` shows is measured over this time. This share decides
 * nothing. */
#define GOVERNOR_BPF_NS 2000000000ULL
/* GOVERN_CALLS, calls: how many calls of a program make one batch, to measure the cost of a call.
 * GOVERN_BATCHES, batches: how many batches are timed; the fastest one counts. Below: an interrupt becomes
 * a part of the cost. Above: the start takes longer. No evidence yet. */
#define GOVERN_CALLS   100
#define GOVERN_BATCHES 8
/* ns: three costs, assumed until they are measured. GOVERN_CALL_NS: the cost of a call of a program.
 * GOVERN_MEAN_NS: the cost of the run itself. GOVERN_LIGHT_NS: the cost of a run that only keeps the context
 * of interrupts. The resulting cost is about that of the kernel's own statistics: doc/service.md, "Measured".
 */
#define GOVERN_CALL_NS  60
#define GOVERN_MEAN_NS  200
#define GOVERN_LIGHT_NS 10
/* ns: the cost of a run that finds, in a coarse step, that a wait is too short for a record. This cost is
 * assumed until it is measured. */
#define GOVERN_SHORT_NS 20
/* ns: the CPU time of the drain thread for the two records of a switch and a wake. From this number the
 * governor estimates, in a coarse step, what the step before would cost. Below: the governor goes back too
 * early. Above: the governor goes back too late. Evidence: doc/performance.md, "drain". */
#define GOVERN_DRAIN_NS 200
/* ns: a measured cost of a call that is larger than this counts as a wrong measurement. No evidence yet. */
#define GOVERN_CALL_MAX_NS 2000
/* timed runs: with fewer of them, the former mean time counts as well. No evidence yet. */
#define GOVERN_RUNS_FEW 16

/*
 * Inspections: which waits, and when
 */

/* ns: the time between two scans of the tasks. Below: more CPU time. Above: a long wait is inspected later.
 * Evidence: long_wait_is_inspected_once, on both sides. */
#define INSPECT_POLICY_SCAN_NS 100000000ULL
/* INSPECT_POLICY_LOOP_NS, ns, and INSPECT_POLICY_LOOP_WAITS, waits: a loop of short waits is inspected when
 * it has lasted this long and has had this many waits. Below: each retry of a call costs an inspection.
 * Above: short loops have no stack in the trace. Evidence: policy (age_of_a_loop, waits_of_a_loop), for both
 * numbers on both sides. */
#define INSPECT_POLICY_LOOP_NS    1000000000ULL
#define INSPECT_POLICY_LOOP_WAITS 3
/* TASKS_LOOP_RAN_NS, ns, and TASKS_LOOP_RAN_SHARE, a part (1/n) of the loop's time: if the task has run for
 * more than both of these since the loop began, it does real work, and the loop ends. Below: a loop with an
 * expensive condition does not count as a loop. Above: a periodic job counts as a loop. Evidence:
 * policy (work_in_a_loop), for both numbers on both sides. */
#define TASKS_LOOP_RAN_NS    1000000ULL
#define TASKS_LOOP_RAN_SHARE 10
/* ns: a loop is inspected again after this time. Evidence: policy (loop_again), on both sides, that it is
 * so. */
#define INSPECT_POLICY_LOOP_AGAIN 2000000000ULL
/* yields: a task that gives its CPU away this often between two scans spins, and is inspected. Evidence:
 * policy (yields), on both sides. */
#define INSPECT_POLICY_YIELDS 10
/* inspections a second. One group of tasks gets at most half of these inspections. Spinning tasks are
 * inspected only while more than half of these inspections are unused. Below: on a machine with many waits,
 * most waits have no stack. Above: inspections cost more than the capture. Evidence: policy (per_second), on
 * both sides, that it is so. */
#define INSPECT_POLICY_PER_SEC 100
/* INSPECT_POLICY_BACKOFF_BASE, ns, and INSPECT_POLICY_BACKOFF_MAX, doublings: if a task is in the same wait
 * again and again, the time between its inspections is 2 s, then 4 s, and so on up to 64 s. Below: the usual
 * waits of a service take all inspections. Above: the stack of a wait that has changed is old. Evidence:
 * policy (back_off), for both numbers on both sides, that it is so. */
#define INSPECT_POLICY_BACKOFF_BASE 2000000000ULL
#define INSPECT_POLICY_BACKOFF_MAX  5
/* INSPECT_POLICY_STUCK, times the setting long-wait: a wait that has lasted this long is inspected even
 * if the time between two inspections (INSPECT_POLICY_BACKOFF_BASE) has not passed.
 * INSPECT_POLICY_STUCK_AGAIN, ns: this much time has to pass since the task's last inspection.
 * Evidence: policy (stuck), for both numbers on both sides, that it is so. */
#define INSPECT_POLICY_STUCK       10
#define INSPECT_POLICY_STUCK_AGAIN 10000000000ULL

/*
 * Inspections: how
 */

/* INSPECT_PER_SEC, inspections a second: the limit if the caller sets none. INSPECT_SLACK_SHARE, a part (1/n)
 * of a second: after a rest, the inspections of this much time may run at once. No evidence yet. */
#define INSPECT_PER_SEC     100
#define INSPECT_SLACK_SHARE 4
/* inspections a second: the limit of the daemon's inspection thread. This limit is far above the limit of the
 * policy. Only a snapshot, or the accesses to a watched variable, can reach this limit: a snapshot asks for
 * up to SNAPSHOT_REQUEST_INSPECTIONS_MAX inspections at once. No evidence yet. */
#define DRAIN_INSPECTIONS_PER_S 2000
/* samples a second: the stacks of at most this many samples of running tasks get names. Below: there
 * are fewer samples of tasks that run for long. Above: samples cost more. No evidence yet. */
#define DRAIN_SAMPLES_PER_S 200
/* ns: an inspection that takes longer than this is stuck, like the process that it looks at. Then another
 * thread takes over. Below: a slow file system blocks all threads. Above: there are no inspections for
 * longer. No evidence yet. */
#define INSPECT_STUCK_NS 10000000000ULL
/* ns: the iterator reads the start of a wait from the scheduler's clock, which can be late by this much:
 * two ticks at 100 Hz (CONFIG_HZ_100). Below: the present wait is taken for another one. Above: another
 * wait is taken for the present one. Evidence: the length of a tick; policy (since), for TASKS_SINCE_NS
 * on both sides, that it is so. */
#define TASKS_SINCE_NS       20000000ULL
#define INSPECT_SAME_WAIT_NS 20000000ULL
/* ns: the named stack of an access to a watched variable is kept for this time, for later accesses from the
 * same place. Above: another file may be mapped at that place by then. No evidence yet. */
#define INSPECT_LOOK_KNOWN_NS 1000000000ULL
/* ns: the longest time for one stack. Below: deep stacks of programs with large tables stay incomplete.
 * Above: one program holds up all inspections. No evidence yet. */
#define UNWIND_TIME_NS 50000000ULL
/* bytes: a frame pointer may lie this far above the stack pointer. This reach is twice the usual limit of
 * a stack (8 MiB). Below: the walk stops at frames with large arrays. Above: any number passes for a frame
 * pointer. No evidence yet. */
#define UNWIND_FP_REACH (16ULL << 20)
/* ns: what is known about a file system is kept for this time, because the kernel uses the number of a
 * device again after an unmount. Above: the daemon reads a file that it must not read. No evidence
 * yet. */
#define UNWIND_MOUNTS_KEPT_NS 10000000000ULL
/* ns: an address of the kernel without a symbol can be in a module that was loaded meanwhile, so the
 * symbols are read again, at most once in this time. Below: unknown addresses cost much CPU time. No
 * evidence yet. */
#define SYMBOLS_RELOAD_NS 30000000000ULL
/* bytes: no function of the kernel is larger than this. So an address further behind a symbol is in no
 * known function. No evidence yet. */
#define SYMBOLS_REACH_MAX (1u << 20)
/* ns: the file in which a JIT compiler lists its functions is checked again after this time. Below: a file
 * that grows is read more often. Above: new functions have no names for longer. No evidence yet. */
#define SYMBOLS_JIT_CHECK_NS 1000000000ULL

/*
 * Inspections: which variable a task polls. polled.h says how the search was tested as a whole: on
 * fourteen loops, each with and without optimisation. No single number has evidence yet.
 */

/* POLLED_LOOKS, looks: how many looks at a task that never sleeps are needed for a decision.
 * POLLED_LOOK_AGAIN_NS, ns: the time between two looks; the task enters the kernel within this time, at
 * least for a tick. Below: a task that computes seems to poll. */
#define POLLED_LOOKS         4
#define POLLED_LOOK_AGAIN_NS 20000000
/* ns: a value is read twice, with this time in between, and must not change. Below: a counter is
 * taken for a flag. */
#define POLLED_VALUE_AGAIN_NS 2000000
/* points (polled.c gives them): a candidate with fewer points is not named. Below: wrong names.
 * Above: no names. */
#define POLLED_SCORE_MIN 6
/* POLLED_AGAIN_NS, ns: if a variable was found, the task is looked at again after this time.
 * POLLED_REST_NS, ns: if none was found, the task is looked at again after twice this time; each further
 * failure doubles the time. POLLED_REST_TIMES, doublings: the time is doubled at most this often. */
#define POLLED_AGAIN_NS   3000000000ULL
#define POLLED_REST_NS    250000000ULL
#define POLLED_REST_TIMES 6

/*
 * Capture
 */

/* DRAIN_BUSY_MS, ms: after a busy round, the drain thread waits for this time before its next round. Each
 * quiet round makes the wait longer by DRAIN_BUSY_MS, up to DRAIN_QUIET_MS. DRAIN_QUIET_N: a round with
 * fewer records is quiet. Below: an idle machine wakes up more often. Above: the rings fill, and a hang is
 * noticed later. Evidence: doc/performance.md has the cost when hardly anything is recorded. No evidence yet
 * for the single numbers. */
#define DRAIN_BUSY_MS  50
#define DRAIN_QUIET_MS 250
#define DRAIN_QUIET_N  512
/* ns: after losses, all tasks are read again, at most once in this time. Below: losses on a busy machine
 * make the machine busier. Above: the states of tasks are unknown for longer. No evidence yet. */
#define DRAIN_RESYNC_NS 10000000000ULL
/* ns: inspections have the descriptor table of a process written at most once in this time. No evidence
 * yet. */
#define DRAIN_FILES_AGAIN_NS 5000000000ULL
/* bytes: other threads queue records for the drain thread with drain_post(). The queue holds at most this
 * much; what does not fit is refused and counted. No evidence yet. */
#define DRAIN_POSTED_MAX (32u << 20)
/* ns: at the end of the daemon, the disk gets this much time to take the end of the trace. This time
 * and WORKER_STOP_S together have to be less than TimeoutStopSec of the systemd unit. Evidence:
 * share/ctraced.service (30 s). */
#define DRAIN_STOP_NS 15000000000ULL
/* RECORDER_SEAL_BYTES, bytes, and RECORDER_SEAL_NS, ns: a file segment is sealed when it has this size or
 * this age. A small segment of this age stays open, and a copy of it is written. With the time to notice
 * this and to write, the trace on the disk is about a second behind. Below: columns compress worse.
 * Above: a crash loses more. No evidence yet. */
#define RECORDER_SEAL_BYTES (4u << 20)
#define RECORDER_SEAL_NS    800000000ULL
/* CGROUPS_WALK_NS, ns: the shortest time between two walks over the control groups. CGROUPS_WALK_SHARE, times
 * the CPU time of the last walk: also a shortest time between two walks. So walks take at most one part in
 * 200 of a CPU, even if control groups come and go all the time. No evidence yet. */
#define CGROUPS_WALK_NS    1000000000ULL
#define CGROUPS_WALK_SHARE 200
/* ns: a write or a sync of the trace that takes longer is reported in a message. Below: a busy disk
 * causes messages. Above: the message comes late. Evidence: a_disk_that_does_not_answer, on both sides,
 * that it is so. */
#define TRACE_STORAGE_STUCK_NS 10000000000ULL
/* us: the time between two looks whether the disk is stuck. The message comes late by at most this time. */
#define TRACE_STORAGE_EVERY_USEC 1000000
/* ns: a drain thread without a finished round for this time is stuck, and systemd may restart the
 * daemon (WatchdogSec). Below: a round on a machine without free CPU time ends the daemon. Above: a
 * stuck daemon records nothing for longer. No evidence yet. */
#define CTRACED_STUCK_NS 10000000000ULL
/* ms: at its start the daemon sleeps, one millisecond at a time, for this time at most. If the attached
 * programs have recorded nothing by then, the kernel never calls them. Below: the daemon does not start on a
 * busy machine. No evidence yet. */
#define PROBE_FIRES_MS 200
/* ns: for a request with `bpf_stats` (doc/protocol.md), the kernel measures its programs for this time.
 * Below: too few runs are measured. Above: all programs of the machine cost more for longer. No evidence
 * yet. */
#define REPORT_BPF_NS 200000000

/*
 * Snapshots
 */

/* SNAPSHOT_REQUEST_PREPARE_NS, ns: the longest time for the preparation of a snapshot, in which long
 * waits are inspected and descriptors are read. SNAPSHOT_REQUEST_PAUSE_NS, ns: the time between two
 * looks whether the inspections are done. SNAPSHOT_REQUEST_INSPECTIONS_MAX, inspections: the most that
 * one snapshot asks for. Below: some waits have no stack. Above: each snapshot takes longer. No evidence
 * yet. */
#define SNAPSHOT_REQUEST_PREPARE_NS      150000000ULL
#define SNAPSHOT_REQUEST_PAUSE_NS        2000000
#define SNAPSHOT_REQUEST_INSPECTIONS_MAX 200
/* ns: before a snapshot, the disk gets this much time to take what was sealed. Below: on a slow disk, the
 * snapshot lacks the end of its window. Above: a stuck disk holds up the snapshot. No evidence yet. */
#define SNAPSHOT_REQUEST_FLUSH_NS 3000000000ULL
/* ns: a window that ends less than this time before the request is taken as one that ends now. So the window
 * includes the results of the preparation, which are a little later than the request. No evidence yet. */
#define SNAPSHOT_REQUEST_NOW_NS 1000000000ULL

/*
 * Incidents: what follows a reported hang
 */

/* ns: if a hang began long before it was noticed, its snapshot has only this last part of the hang. Below:
 * the beginning of the hang is missing. Above: large snapshots. No evidence yet. */
#define INCIDENTS_SPAN_NS 120000000000ULL
/* ns: if the worker had no room for a snapshot, the snapshot is tried again after this time. No
 * evidence yet. */
#define INCIDENTS_RETRY_NS 1000000000ULL
/* ns: the time between two messages about hangs that get no snapshot. No evidence yet. */
#define INCIDENTS_SAY_LIMITED_NS 60000000000ULL
/* ns: a note whose time is further in the future than this was written while the clock was wrong.
 * No evidence yet. */
#define INCIDENTS_AHEAD_NS 86400000000000ULL
/* DIAGNOSER_MEMORY, bytes: the memory for one diagnosis. DIAGNOSER_EVENTS_MAX, events: this many fit into
 * this memory (150 bytes each). DIAGNOSER_CPU_S and DIAGNOSER_WALL_S, s: the CPU time and the wall clock time
 * for one diagnosis. Below: hangs of a busy machine get no diagnosis. Above: a diagnosis takes too much from
 * the machine. No evidence yet. */
#define DIAGNOSER_MEMORY     (512ULL << 20)
#define DIAGNOSER_EVENTS_MAX 3000000
#define DIAGNOSER_CPU_S      10
#define DIAGNOSER_WALL_S     60
/* s: the daemon gives up a diagnosis this long after DIAGNOSER_WALL_S. At DIAGNOSER_WALL_S, the process that
 * diagnoses gives up the diagnosis by itself. So the daemon gives up a diagnosis only if that process does
 * not run. No evidence yet. */
#define DIAGNOSER_LATE_S 5
/* DIAGNOSER_TRIES, tries: if a diagnosis needs too much memory, the diagnosis is tried again this often, each
 * time with less of the trace. DIAGNOSER_TRIES_BEFORE, tries: this many of the tries come first and halve the
 * time before the hang. The other tries halve the time of the hang. No evidence yet. */
#define DIAGNOSER_TRIES        6
#define DIAGNOSER_TRIES_BEFORE 3

/*
 * Control socket: what clients may take
 */

/* CONTROL_CLIENTS_MAX, connections: the most at a time. CONTROL_ROOT_CLIENTS: this many of them are kept for
 * root. CONTROL_USER_CLIENTS: another user has at most this many. Below: a monitoring program and an
 * interactive user shut each other out. Above: hostile clients take more memory. Evidence: room_for_root,
 * for the three numbers on both sides, that it is so. */
#define CONTROL_CLIENTS_MAX  16
#define CONTROL_ROOT_CLIENTS 4
#define CONTROL_USER_CLIENTS 4
/* connections: at most this many are accepted in one round of the event loop. Below: connections wait. Above:
 * one user holds up the loop. No evidence yet. */
#define CONTROL_ACCEPT_MAX 64
/* connections: the kernel keeps this many that are not accepted yet. At 8000 connections a second, the last
 * of them waits for 64 ms. No evidence yet. */
#define CONTROL_BACKLOG 512
/* s: a client that sends no request, or does not take its answer, for this time is disconnected.
 * Below: a slow client is disconnected. Above: idle clients keep others out. No evidence yet. */
#define CONTROL_TIMEOUT_S 10
/* CONTROL_PACE_PERCENT, percent of a CPU: the connections and requests of users other than root may take
 * this much CPU time. CONTROL_PACE_NS, ns: after a rest, they may take this much CPU time at once. Below:
 * `ctrace status` is slow when many users ask. Above: users slow down the daemon. No evidence yet. */
#define CONTROL_PACE_PERCENT 10
#define CONTROL_PACE_NS      20000000ULL
/* us: if there are no free descriptors, or if the thread that closes descriptors is behind, no connection is
 * accepted for this time, and nothing is received from users other than root. No evidence yet. */
#define CONTROL_REST_USEC 100000
/* us: the time between two looks whether the file of the socket still exists. No evidence yet. */
#define CONTROL_LOOK_USEC 2000000

/*
 * Workers: jobs beside the event loop
 */

/* jobs: this many may wait in the queue of a worker if the caller sets no limit. No evidence yet. */
#define WORKER_QUEUE_MAX 64
/* threads: WORKER_STUCK_USER may be stuck on jobs of one user, and WORKER_STUCK_OTHERS on jobs of all users
 * but root together. Each of them may be stuck for ever. Below: one stuck file system shuts a user out.
 * Above: more threads. Evidence: stuck_job, for WORKER_STUCK_USER on both sides; waits_for_the_stuck, for
 * WORKER_STUCK_OTHERS from below. */
#define WORKER_STUCK_USER   2
#define WORKER_STUCK_OTHERS 4
/* s: at the end of the daemon, the present job of a worker gets this much time; see DRAIN_STOP_NS.
 * No evidence yet. */
#define WORKER_STOP_S 2
/* ns: a request of a client (SERVICE_LIMIT_NS), or the closing of a descriptor (SERVICE_CLOSE_NS), is given
 * up if it makes no progress for this time. Below: snapshots that go to slow disks fail. Above: a stuck
 * client holds up others for longer. No evidence yet. */
#define SERVICE_LIMIT_NS 10000000000ULL
#define SERVICE_CLOSE_NS 2000000000ULL
/* descriptors: the most that may wait to be closed. If half as many wait, no connection is accepted, and
 * nothing more is received from users other than root. No evidence yet. */
#define SERVICE_CLOSE_MAX 512

/*
 * Jobs of frameworks
 */

/* ms: the start of the daemon waits at most this long for the first look at all processes and directories.
 * The end of the daemon waits as long for the thread to end. Above: the daemon starts later. No evidence
 * yet. */
#define JOBS_FIRST_MS 3000
/* ms: the time between two looks whether files were replaced. Below: more wake-ups. Above: the jobs of
 * an upgraded program are missed for longer. No evidence yet. */
#define JOBS_LOOK_MS 250
/* JOBS_SCAN_MS, ms: the shortest time between two scans of all processes. JOBS_SCAN_REST, times the CPU
 * time of the last scan: also a shortest time between two scans, so that scans take at most one part in 200
 * of a CPU. JOBS_CALLS_REST: the same for the work on functions that jobs run, at most one part in 10. No
 * evidence yet. */
#define JOBS_SCAN_MS    5000
#define JOBS_SCAN_REST  200
#define JOBS_CALLS_REST 10

#endif
