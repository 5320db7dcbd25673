/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - the numbers that decide something in daemon/.
 *
 * Each entry says: the unit; what the number means; what goes wrong below and above it; the evidence.
 * Evidence names tests in test/unit/daemon: "edges" are those of governor_edges_test.c, "policy" those of
 * policy_edges_test.c, the others those of the room's *_test.c. Or it names a table in doc/. "On both sides"
 * means that a test fails with half of the number, and one with twice the number. A test says that the number
 * is so; only a table says that it is right.
 *
 * Defaults of settings stand in config/. Sizes of tables and of buffers, which count what they refuse, stand
 * with the tables. How many runs of a BPF program are timed is in include/ctrace/govern_state.h.
 */
#ifndef CTRACE_DAEMON_THRESHOLDS_H
#define CTRACE_DAEMON_THRESHOLDS_H

/*
 * Governor: the bucket of the budget. doc/service.md, "Measured", has what storms cost with all of this.
 */

/* ns of budget that the bucket holds. Below: a short burst leads to a step. Above: a storm goes on for longer
 * at its full cost. Evidence: edges (start, cap), a_burst_is_paid_for, a_storm_is_held_to_the_budget, on both
 * sides. */
#define GOVERNOR_HOLD_NS 1000000000ULL
/* ns after the start, in which all is new and symbols are read; and ns of budget that the bucket holds then.
 * Below: each start of the daemon leads to a step. Above: a storm at the start costs more. Evidence: edges
 * (start), on both sides of both. */
#define GOVERNOR_BEGIN_NS 10000000000ULL
#define GOVERNOR_START_NS 30000000000ULL
/* ns. What the daemon spends in so much time is one reading. Below: readings cost more. Above: a storm is
 * noticed later. Evidence: edges (tick), on both sides. */
#define GOVERNOR_TICK_NS 20000000ULL
/* ns. The rate that decides is smoothed over so much time. Below: one burst is a rate. Above: steps follow a
 * storm later. Evidence: edges (smoothing), on both sides. */
#define GOVERNOR_RATE_NS 200000000.0
/* ns. The same for the cost that `ctrace status` shows, which decides nothing. Evidence: edges (smoothing),
 * on both sides. */
#define GOVERNOR_COST_NS 2000000000.0

/*
 * Governor: steps forward
 */

/* ns. A step shows its effect after so much time. Below: several steps where one is enough. Above: a storm
 * costs too much for longer. Evidence: edges (settle), on both sides. */
#define GOVERNOR_SETTLE_NS 100000000ULL
/* Part of the budget. If the capture costs less, the rest costs too much, and steps of the capture do not
 * help. Below: inspections lead to a pause. Above: a capture that costs nearly all is no reason for a step.
 * Evidence: edges (capture), on both sides. */
#define GOVERNOR_CAPTURE 0.6
/* Times the budget, from which the step `messages`, `waits` or `pause` is taken at once. Below: more is left
 * out than has to be. Above: a storm costs too much until the last step is reached. Evidence: edges
 * (several_steps), on both sides. */
#define GOVERNOR_TO_MESSAGES 2
#define GOVERNOR_TO_WAITS    4
#define GOVERNOR_TO_PAUSE    8

/*
 * Governor: steps back
 */

/* Part of the budget below which a step back is due; the second one for the step `pause`, whose present cost
 * is the whole cost. Below: records stay out for longer than they have to. Above: the step is taken again at
 * once. Evidence: edges (calm), on both sides. */
#define GOVERNOR_CALM       0.6
#define GOVERNOR_CALM_PAUSE 0.8
/* ns of calm before a step back. Below: steps come and go. Above: records stay out for longer. Evidence:
 * edges (calm), on both sides. */
#define GOVERNOR_CALM_NS 2000000000ULL
/* A part (1/n) of the budget, and ns. Below that part the calm needs only this time. Evidence: edges (calm),
 * on both sides of both. */
#define GOVERNOR_QUIET_SHARE 4.0
#define GOVERNOR_QUIET_NS    1000000000ULL
/* ns. A step back that lasts less was too early: the next one waits twice as long, up to so many times.
 * Below: steps come and go. Above: after one storm records stay out for minutes. Evidence: edges (flap), on
 * both sides of both. */
#define GOVERNOR_FLAP_NS  10000000000ULL
#define GOVERNOR_PATIENCE 32
/* Times GOVERNOR_FLAP_NS. A step that has lasted so long halves the wait. Evidence: edges (flap), on both
 * sides. */
#define GOVERNOR_LASTED 3

/*
 * Governor: pauses
 */

/* ns of capture that the bucket has to pay for at the end of a pause. Below: the start of the capture costs
 * more than the capture. Above: pauses are longer. Evidence: edges (pauses), on both sides. */
#define GOVERNOR_ON_NS 60000000ULL
/* Part that the latest start of the capture has in the mean cost of a start. Evidence: edges
 * (cost_of_a_resume), on both sides, that it is so. */
#define GOVERNOR_ON_NEW 0.25
/* ns. A pause lasts so long at least, and at most. Below: the programs are attached again and again. Above:
 * long gaps in the trace. Evidence: edges (pauses), on both sides of both. */
#define GOVERNOR_OFF_MIN_NS 400000000ULL
#define GOVERNOR_OFF_MAX_NS 30000000000ULL

/*
 * Governor: caps of groups
 */

/* Part of the records from which a group is capped; from GOVERNOR_STORM times the budget on, the second part
 * is enough. Below: a group pays for others. Above: all others pay for a group. Evidence: edges (share), on
 * both sides of all three. */
#define GOVERNOR_SHARE       0.5
#define GOVERNOR_SHARE_STORM 0.25
#define GOVERNOR_STORM       4
/* ppm of the machine. To pass over the events of a capped group costs its own tasks their time, on their CPU.
 * Up to this part of the machine it does not count against the budget. Below: a storm that is large enough
 * pauses the capture for all. Above: what remains of a storm may cost more. Evidence: edges (passed), on both
 * sides; storms on all CPUs take 2 to 10 % (doc/service.md, "Caps of groups"). */
#define GOVERNOR_PASSED_PPM 200000
/* ns. The records of the time before a cap are written by then, and a step may be needed. Below: a cap leads
 * to a step as well. Above: a storm of two groups costs too much for longer. Evidence: edges (rest), on both
 * sides. */
#define GOVERNOR_REST_NS 1500000000ULL
/* ns. A cap lasts so long at least, and at most; in between until the bucket holds the third number, a part
 * of its room. Below: each cap costs as much as it saves. Above: less is known of the group. Evidence: edges
 * (cap), on both sides of all three. */
#define GOVERNOR_CAP_MIN_NS 400000000ULL
#define GOVERNOR_CAP_MAX_NS 5000000000ULL
#define GOVERNOR_FULL       0.9
/* Times what it took to end the last cap: a cap lasts so long at least. Below: groups of thousands of tasks
 * cost more than the budget. Evidence: edges (cap), on both sides. */
#define GOVERNOR_CAP_TIMES 64
/* Counts of records, of which one in CAPS_SAMPLE counts. Fewer say nothing about the share of a group.
 * Evidence: edges (groups), on both sides. */
#define GROUPS_LEAST 256
/* ns. Old counts weigh half as much after this time. Below: few counts. Above: the group of the last storm is
 * capped. Evidence: edges (groups), on both sides. */
#define GROUPS_HALF_NS 500000000u
/* Records: one in so many is looked at for caps; a power of two. Below: a record costs more. Above: small
 * groups and short storms are missed. No evidence yet. */
#define CAPS_SAMPLE 16
/* ns. A program that was running when the cap of a group ended may still cap a task of the group. After this
 * time no program does. It has to be longer than any program runs. No evidence yet. */
#define CAPS_OVER_NS 20000000ULL
/* Tasks. More than this are found sooner by a walk over all tasks. No evidence yet. */
#define CAPS_READ_EACH 16
/* ns between two messages about the same group. No evidence yet. */
#define CAPS_SAY_NS 600000000000ULL

/*
 * Governor: measuring
 */

/* ns. A step in force is recorded again, for readers of a part of the trace; and programs that could not be
 * attached are tried again. Below: more records. Above: a short snapshot does not say what is left out. No
 * evidence yet. */
#define GOVERNOR_AGAIN_NS 5000000000ULL
/* ns between two looks at the number of CPUs. Above: the budget is wrong for longer after a change. No
 * evidence yet. */
#define GOVERNOR_CPUS_NS 2000000000ULL
/* ns. The share of the programs, which `ctrace status` shows, is that of so much time. It decides nothing. */
#define GOVERNOR_BPF_NS 2000000000ULL
/* Calls in a batch, and batches, of which the fastest counts, to measure what the call of a program costs.
 * Below: an interrupt is part of the cost. Above: the start takes longer. No evidence yet. */
#define GOVERN_CALLS   100
#define GOVERN_BATCHES 8
/* ns. The cost of a call, of a run, and of a run that only keeps the context, until they are measured. The
 * counted cost is about that of the kernel's own statistics: doc/service.md, "Measured". */
#define GOVERN_CALL_NS  60
#define GOVERN_MEAN_NS  200
#define GOVERN_LIGHT_NS 10
/* ns. A call that seems to cost more was measured wrongly. No evidence yet. */
#define GOVERN_CALL_MAX_NS 2000
/* Runs. With fewer timed runs, the former mean counts as well. No evidence yet. */
#define GOVERN_RUNS_FEW 16

/*
 * Inspections: which waits, and when
 */

/* ns between two scans of the tasks. Below: more CPU time. Above: a long wait is inspected later. Evidence:
 * long_wait_is_inspected_once, on both sides. */
#define INSPECT_POLICY_SCAN_NS 100000000ULL
/* ns, and waits. A loop of short waits that is so old, and has had so many waits, is inspected. Below: each
 * retry costs an inspection. Above: short loops have no stack. Evidence: policy
 * (age_of_a_loop, waits_of_a_loop), on both sides of both. */
#define INSPECT_POLICY_LOOP_NS    1000000000ULL
#define INSPECT_POLICY_LOOP_WAITS 3
/* ns, and a part (1/n) of its time. A task that runs more than both between the waits does real work, and the
 * loop ends. Below: a loop that looks at something large is none. Above: a periodic job is a loop. Evidence:
 * policy (work_in_a_loop), on both sides of both. */
#define TASKS_LOOP_RAN_NS    1000000ULL
#define TASKS_LOOP_RAN_SHARE 10
/* ns. A loop is inspected again after so much time. Evidence: policy (loop_again), on both sides, that it is
 * so. */
#define INSPECT_POLICY_LOOP_AGAIN 2000000000ULL
/* Yields from one scan to the next: a task with so many spins, and is looked at. Evidence: policy (yields),
 * on both sides. */
#define INSPECT_POLICY_YIELDS 10
/* Inspections a second. One group gets half of them at most; spinning tasks get what is left above half.
 * Below: on a machine with many waits most have no stack. Above: inspections cost more than the capture.
 * Evidence: policy (per_second), on both sides, that it is so. */
#define INSPECT_POLICY_PER_SEC 100
/* ns, and doublings. The same wait over again is inspected after 2, 4, ... 64 s. Below: the usual waits of a
 * service take all inspections. Above: a wait that has changed has an old stack. Evidence: policy (back_off),
 * on both sides of both, that it is so. */
#define INSPECT_POLICY_BACKOFF_BASE 2000000000ULL
#define INSPECT_POLICY_BACKOFF_MAX  5
/* Times a long wait, and ns. A wait that is so long is inspected even so, if the last inspection was that
 * long ago. Evidence: policy (stuck), on both sides of both, that it is so. */
#define INSPECT_POLICY_STUCK       10
#define INSPECT_POLICY_STUCK_AGAIN 10000000000ULL

/*
 * Inspections: how
 */

/* Inspections a second where the options do not say, and a part (1/n) of a second's work that may run at once
 * after a rest. No evidence yet. */
#define INSPECT_PER_SEC     100
#define INSPECT_SLACK_SHARE 4
/* Inspections a second of the daemon's thread: above the policy's, so that only a snapshot, which asks for
 * SNAPSHOT_REQUEST_INSPECTIONS_MAX at once, meets it. No evidence yet. */
#define DRAIN_INSPECTIONS_PER_S 2000
/* Stacks of running tasks a second that get names. Below: fewer samples of tasks that run long. Above: they
 * cost more. No evidence yet. */
#define DRAIN_SAMPLES_PER_S 200
/* ns. An inspection that takes so long is stuck behind the process that it looks at: another thread goes on.
 * Below: a slow file system takes all threads. Above: no inspections for longer. No evidence yet. */
#define INSPECT_STUCK_NS 10000000000ULL
/* ns. The scheduler's clock, by which the iterator says since when a task waits, is late by so much: two
 * ticks at 100 Hz (CONFIG_HZ_100). Below: the present wait is taken for another one. Above: the reverse.
 * Evidence: the fact itself; policy (since), on both sides of the first, that it is so. */
#define TASKS_SINCE_NS       20000000ULL
#define INSPECT_SAME_WAIT_NS 20000000ULL
/* ns. The words for the stack of an access are kept for so long. Above: another file may be mapped there. No
 * evidence yet. */
#define INSPECT_LOOK_KNOWN_NS 1000000000ULL
/* ns for one stack. Below: deep stacks of programs with large tables stay short. Above: one program holds up
 * all inspections. No evidence yet. */
#define UNWIND_TIME_NS 50000000ULL
/* Bytes that a frame pointer may be above the stack pointer: twice the usual limit of a stack (8 MiB).
 * Below: frames with large arrays end the stack. Above: any number is a frame pointer. No evidence yet. */
#define UNWIND_FP_REACH (16ULL << 20)
/* ns. Device numbers are used again after an unmount. Above: a wrong file is read. No evidence yet. */
#define UNWIND_MOUNTS_KEPT_NS 10000000000ULL
/* ns. An address of the kernel without a symbol may be in a newly loaded module: the symbols are read again
 * after so much time. Below: unknown addresses cost much CPU time. No evidence yet. */
#define SYMBOLS_RELOAD_NS 30000000000ULL
/* Bytes. No function of the kernel is larger: an address so far behind a symbol is in no known function. No
 * evidence yet. */
#define SYMBOLS_REACH_MAX (1u << 20)
/* ns. A file with the symbols of compiled code is looked at again after so much time. Below: more reads of a
 * file that grows. Above: new functions have no names for longer. No evidence yet. */
#define SYMBOLS_JIT_CHECK_NS 1000000000ULL

/*
 * Inspections: which variable a task polls. polled.h says how it was tried: fourteen loops, each with and
 * without optimisation. No number by itself has evidence yet.
 */

/* Looks at a task that never sleeps, before it is decided; ns between two of them: by then the task has been
 * in the kernel again, at least for a tick. Below: a task that computes polls. */
#define POLLED_LOOKS         4
#define POLLED_LOOK_AGAIN_NS 20000000
/* ns between two reads of a value, which must not change. Below: a counter is a flag. */
#define POLLED_VALUE_AGAIN_NS 2000000
/* Points (polled.c gives them) that a candidate needs. Below: wrong names. Above: no names. */
#define POLLED_SCORE_MIN 6
/* ns. A task is looked at again so long after a variable was found; after none was found, twice this, and
 * twice more each time, up to so many times. */
#define POLLED_AGAIN_NS   3000000000ULL
#define POLLED_REST_NS    250000000ULL
#define POLLED_REST_TIMES 6

/*
 * Capture
 */

/* ms between two rounds of the drain thread: the first after a busy round, then so much more each time, up to
 * the second; and records below which a round is quiet. Below: more wake-ups of an idle machine. Above: the
 * rings fill, and a hang is noticed later. Evidence: doc/performance.md has the cost with next to nothing to
 * record; none yet for each number. */
#define DRAIN_BUSY_MS  50
#define DRAIN_QUIET_MS 250
#define DRAIN_QUIET_N  512
/* ns between two looks at all tasks after losses. Below: losses on a busy machine make it busier. Above: the
 * states are unknown for longer. No evidence yet. */
#define DRAIN_RESYNC_NS 10000000000ULL
/* ns. The descriptor table of a process is written at most once in this time. No evidence yet. */
#define DRAIN_FILES_AGAIN_NS 5000000000ULL
/* Bytes of streams that wait to be written; more are refused and counted. No evidence yet. */
#define DRAIN_POSTED_MAX (32u << 20)
/* ns for the disk to take the end of the trace. It has to be less than TimeoutStopSec of the unit, with
 * WORKER_STOP_S. Evidence: share/ctraced.service (30 s). */
#define DRAIN_STOP_NS 15000000000ULL
/* Bytes, and ns. A file segment is sealed when it is so large or so old; with the time to notice and to
 * write, what is on disk is about a second old. Below: columns compress worse. Above: more is lost by a
 * crash. No evidence yet. */
#define RECORDER_SEAL_BYTES (4u << 20)
#define RECORDER_SEAL_NS    800000000ULL
/* ns between two walks over the control groups, and times the CPU time of the last walk: where control groups
 * come and go all the time, walks take one part in so many of a CPU. No evidence yet. */
#define CGROUPS_WALK_NS    1000000000ULL
#define CGROUPS_WALK_SHARE 200
/* ns. A write or a sync that takes so long is told. Below: a busy disk makes messages. Above: the message
 * comes late. Evidence: a_disk_that_does_not_answer, on both sides, that it is so. */
#define TRACE_STORAGE_STUCK_NS 10000000000ULL
/* us between two looks at the disk. It only delays the message. */
#define TRACE_STORAGE_EVERY_USEC 1000000
/* ns. A drain thread that has made no round for so long is stuck, and systemd may restart the daemon
 * (WatchdogSec). Below: a round on a machine without CPU time is an end. Above: a stuck daemon records
 * nothing for longer. No evidence yet. */
#define CTRACED_STUCK_NS 10000000000ULL
/* ms. Attached programs record something within this time of sleeping and waking, or the kernel never calls
 * them. Below: no start on a busy machine. No evidence yet. */
#define PROBE_FIRES_MS 200
/* ns for which the kernel measures its programs for a request with `bpf_stats` (doc/protocol.md). Below: few
 * runs. Above: all programs of the machine cost more for longer. No evidence yet. */
#define REPORT_BPF_NS 200000000

/*
 * Snapshots
 */

/* ns for the preparation of a snapshot, in which long waits are inspected and descriptors are read; ns
 * between two looks whether the inspections are done; inspections at most. Below: waits without a stack.
 * Above: each snapshot takes longer. No evidence yet. */
#define SNAPSHOT_REQUEST_PREPARE_NS      150000000ULL
#define SNAPSHOT_REQUEST_PAUSE_NS        2000000
#define SNAPSHOT_REQUEST_INSPECTIONS_MAX 200
/* ns for the disk to take what was sealed. Below: a slow disk costs the end of the window. Above: a stuck
 * disk holds up the snapshot. No evidence yet. */
#define SNAPSHOT_REQUEST_FLUSH_NS 3000000000ULL
/* ns. A window that ended less than this ago ends now: the results of the preparation are a little later than
 * the request. No evidence yet. */
#define SNAPSHOT_REQUEST_NOW_NS 1000000000ULL

/*
 * Incidents: what follows a reported hang
 */

/* ns. So much of a hang that is not new is in its snapshot. Below: the begin of the hang is missing. Above:
 * large snapshots. No evidence yet. */
#define INCIDENTS_SPAN_NS 120000000000ULL
/* ns until a snapshot is tried again when the worker had no room. No evidence yet. */
#define INCIDENTS_RETRY_NS 1000000000ULL
/* ns between two messages about hangs without a snapshot. No evidence yet. */
#define INCIDENTS_SAY_LIMITED_NS 60000000000ULL
/* ns. A note from so far in the future is from a time when the clock was wrong. No evidence yet. */
#define INCIDENTS_AHEAD_NS 86400000000000ULL
/* Bytes of memory, events that fit into it (150 bytes each), s of CPU time and s for one diagnosis. Below:
 * hangs of a busy machine have none. Above: a diagnosis disturbs the machine. No evidence yet. */
#define DIAGNOSER_MEMORY     (512ULL << 20)
#define DIAGNOSER_EVENTS_MAX 3000000
#define DIAGNOSER_CPU_S      10
#define DIAGNOSER_WALL_S     60
/* s after which a diagnosis without an answer is given up: the process ends itself before. No evidence yet.
 */
#define DIAGNOSER_LATE_S 5
/* Tries with half of the window each; the first ones halve the time before the hang, the others the hang. No
 * evidence yet. */
#define DIAGNOSER_TRIES        6
#define DIAGNOSER_TRIES_BEFORE 3

/*
 * Control socket: what clients may take
 */

/* Connections; of these root's; those of one other user. Below: monitoring and a person shut each other out.
 * Above: more memory for hostile clients. Evidence: room_for_root, on both sides of all three, that it is
 * so. */
#define CONTROL_CLIENTS_MAX  16
#define CONTROL_ROOT_CLIENTS 4
#define CONTROL_USER_CLIENTS 4
/* Connections taken in a round of the event loop. Below: connections wait. Above: one user holds up the loop.
 * No evidence yet. */
#define CONTROL_ACCEPT_MAX 64
/* Connections that wait in the kernel: at a pace of 8000 a second the last one waits for 64 ms. No evidence
 * yet. */
#define CONTROL_BACKLOG 512
/* s without a request, or without taking the answer. Below: a slow client is cut off. Above: idle ones
 * keep others out. No evidence yet. */
#define CONTROL_TIMEOUT_S 10
/* Percent of a CPU that connections and requests of users other than root may take; ns of it at once after a
 * rest. Below: `ctrace status` is slow where many ask. Above: users slow down the daemon. No
 * evidence yet. */
#define CONTROL_PACE_PERCENT 10
#define CONTROL_PACE_NS      20000000ULL
/* us for which nothing is received when no descriptors are left, or when the thread that closes them is
 * behind. No evidence yet. */
#define CONTROL_REST_USEC 100000
/* us between two looks whether the socket is still there. No evidence yet. */
#define CONTROL_LOOK_USEC 2000000

/*
 * Workers: jobs beside the event loop
 */

/* Jobs that wait where the options do not say. No evidence yet. */
#define WORKER_QUEUE_MAX 64
/* Threads that may be stuck for one user, and for all users but root: each can hold one for ever. Below: one
 * stuck file system shuts a user out. Above: more threads. Evidence: stuck_job, on both
 * sides of the first; waits_for_the_stuck, of the second from below. */
#define WORKER_STUCK_USER   2
#define WORKER_STUCK_OTHERS 4
/* s for the job on hand at the end of the daemon; see DRAIN_STOP_NS. No evidence yet. */
#define WORKER_STOP_S 2
/* ns without progress, after which a request of a client, or the closing of a descriptor, is given up. Below:
 * snapshots onto slow disks fail. Above: a stuck client holds up others for longer. No evidence yet. */
#define SERVICE_LIMIT_NS 10000000000ULL
#define SERVICE_CLOSE_NS 2000000000ULL
/* Descriptors that wait to be closed; with half as many no more are received. No evidence yet. */
#define SERVICE_CLOSE_MAX 512

/*
 * Jobs of frameworks
 */

/* ms that the start waits for the first look everywhere. Above: the daemon starts later. No evidence yet. */
#define JOBS_FIRST_MS 3000
/* ms between two looks whether files were replaced. Below: more wake-ups. Above: the jobs of an upgraded
 * program are missed for longer. No evidence yet. */
#define JOBS_LOOK_MS 250
/* ms between two scans of all processes, and times the CPU time of the last scan: scans take one part in so
 * many of a CPU. The last number is the same for the work on functions that jobs run. No evidence yet. */
#define JOBS_SCAN_MS    5000
#define JOBS_SCAN_REST  200
#define JOBS_CALLS_REST 10

#endif
