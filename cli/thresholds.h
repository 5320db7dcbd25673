/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thresholds.h - private to cli/: the numbers that decide what a command shows, how much of a trace
 * it loads, and how long it waits for the daemon.
 *
 * In the comments, "Lower:" says what is worse with a smaller number, and "Higher:" what is worse with
 * a larger number. The numbers for the verdict of a diagnosis are in analysis/thresholds.h.
 */
#ifndef CTRACE_CLI_THRESHOLDS_H
#define CTRACE_CLI_THRESHOLDS_H

#include "lib/clock.h"

/* columns: At a terminal, a longer word of a table may be shortened to this. Lower: different names look the
 * same. Higher: more rows take two lines. */
#define SHEET_WORD 20
/* columns: A narrower terminal is treated as one of this width. Lower: a line for each word. Higher: the
 * terminal breaks lines within words. */
#define SHEET_COLUMNS_MIN 20
/* columns: If a line that begins with spaces is wrapped, its second row begins this much further to the right
 * than the first one. So the text after a number such as "1. " is in one column. */
#define SHEET_INDENT 3
/* columns: If a line of a table begins without spaces and is wrapped, its second row begins with this many
 * spaces. So only the first words of the lines, such as ALARM, are at the left edge. */
#define SHEET_ROW_INDENT 6
/* rows: A short answer leaves this many rows of the terminal free, for the prompt. Lower: the prompt moves
 * the first line out of sight. Higher: less of the answer is shown. */
#define SHEET_PROMPT 1

/* patterns: `ctrace patterns` shows this many without --limit. Higher: the important ones, which come
 * first, are further from the prompt. */
#define PATTERNS_SHOWN 10

/* tasks: `ctrace top` shows this many tasks that wait for the same task, those with the longest waits.
 * Higher: a lock with many waiters hides the other trees. */
#define TOP_SIBLINGS 8
/* `ctrace top` shows a tree down to this depth. Higher: the indentation leaves no room for text. */
#define TOP_DEPTH 12
/* ns: `ctrace top` lists an ended wait of at least this length. Lower: the list has waits that nobody
 * has noticed. */
#define TOP_ENDED_NS (1 * NSEC_PER_SEC)
/* ns: `ctrace top` lists an ended wait for this long after its end. */
#define TOP_ENDED_KEEP_NS (60 * NSEC_PER_SEC)
#define TOP_ENDED_SHOWN   5
/* ns: The averages of `ctrace top` are about this time: an earlier update counts less, by a factor of e for
 * each TOP_AVERAGE_NS. Higher: they show a change later. Lower: they jump. */
#define TOP_AVERAGE_NS (60 * NSEC_PER_SEC)
/* 1/n of a CPU: `ctrace top` takes at most this much CPU time. If its updates need more, they come
 * less often. Lower n: on a machine with many tasks, `ctrace top` takes more CPU time. Higher n: on such a
 * machine, the screen changes less often. */
#define TOP_COST 100
/* tracks: `ctrace export` draws at most this many requests of one service, or jobs of one queue, that lie
 * over each other, and leaves out the others. Higher: nobody can read so many, and the search for a free
 * track takes longer. */
#define SPAN_TRACKS 256
/* intervals or edges: An export with at least this many shows its progress, each time it has written this
 * many. Lower: a short export flickers on the terminal. Higher: a person waits for seconds without a word. */
#define EXPORT_LARGE 65536
/* ns: `ctrace top` reads the sockets again after this time. Higher: it shows later which tasks poll new
 * connections, and that a server does not read a request. */
#define TOP_SOCKETS_NS (3 * NSEC_PER_SEC)
/* ns: `ctrace top` asks the daemon for its status at most once in this time. */
#define TOP_DAEMON_NS (5 * NSEC_PER_SEC)
/* ms: `ctrace top` waits at most this long for the status. Higher: a daemon that does not answer
 * stops the screen for longer. */
#define TOP_DAEMON_WAIT_MS 200

/* records: A trace of up to this size is loaded as a whole. Higher: more memory, about 60 bytes
 * a record. Evidence: `ctrace diagnose --tid` takes 434 MB for 7.4 M records of a busy machine. */
#define LOAD_WHOLE_RECORDS 16000000ULL
/* LOAD_MEMORY_SHARE, 1/n of the memory of the machine, and LOAD_RECORD_BYTES, bytes a record: If the records
 * of a trace may take more memory than this share, and the user has not chosen a window, a command looks at
 * the newest part of the trace. Lower n: the machine, on which a service may hang, may run out of memory.
 * Higher n: a shorter part. Evidence for the bytes: `ctrace diagnose` takes 240 bytes a record of a trace in
 * which most records are switches. */
#define LOAD_MEMORY_SHARE 2
#define LOAD_RECORD_BYTES 240
/* ns: From a larger trace, a command loads the range that the user asks about, LOAD_BEFORE_NS
 * before it, and LOAD_AFTER_NS after it. Lower: the reason of a wait that began before the range is
 * not known, and the work after a wait at the end of the range is not seen. Higher: more to load. */
#define LOAD_BEFORE_NS (30 * NSEC_PER_SEC)
#define LOAD_AFTER_NS  (5 * NSEC_PER_SEC)
/* ns: `ctrace graph` loads this time before its window. Lower: if a segment in the window began before this
 * time, the graph lacks the edges that came to it until then. Higher: more to load. Evidence: of 2 s of a
 * busy trace, 10 s instead of 30 s lose 0.8 % of the edges, and halve the time. */
#define GRAPH_BEFORE_NS (10 * NSEC_PER_SEC)
/* ns: A command that shows a part of a trace shows at least this much of it with --at. Lower: a moment such
 * as 14:03:12.5 shows nothing. Higher: more than the moment that was asked for. */
#define MOMENT_NS NSEC_PER_SEC
/* ns: `ctrace diagnose --at` may find no hang of the named task at that time. If the task was then
 * in a wait of at least this length, `ctrace diagnose` diagnoses only this wait. Otherwise, it
 * diagnoses the whole time around the moment (LOAD_AROUND_NS). Lower: of many short waits, only one
 * is diagnosed. Higher: the answer may be about a longer wait before or after the moment. */
#define VICTIM_WAIT_NS (100 * NSEC_PER_MSEC)
/* factor: If the user names tasks, `ctrace diagnose` chooses one of the hangs of these tasks. It
 * prefers a less bad hang to the worst one only if the less bad one is more than this many times as
 * long (counts_more() has further conditions).
 * Lower: it prefers a long idle wait to a worse hang that is a little shorter. Higher: it prefers a
 * bad but short hang at the start of the program to the long hang that the user saw. */
#define DIAGNOSE_LONGER 2
/* ns: `ctrace diagnose` without a file looks back this far. Lower: the start of a long hang is
 * not seen. Higher: more to load. On a busy server, 5 minutes are about 30 MB and 8 M records. */
#define NOW_NS (300 * NSEC_PER_SEC)
/* ns: `ctrace slice` first loads this much before and after the moment that the user asks about.
 * Lower: more walks start again, with more records. Higher: more to load. */
#define SLICE_AROUND_NS (6 * NSEC_PER_SEC)
/* ns: `ctrace slice` repeats a walk with more records if the walk comes nearer than this to the
 * ends of the loaded records. Lower: an answer may differ from that of the whole trace. Higher:
 * more to load. */
#define SLICE_MARGIN_NS (3 * NSEC_PER_SEC)
/* threads that decode a trace, at most. Lower: loading takes longer. Higher: more memory, one
 * file segment for each thread. Evidence: 7.9 M records of a busy machine load in 0.39 s with 1,
 * 0.19 s with 2 and 0.16 s with 4 threads. */
#define LOAD_THREADS_MAX 4u

/* threads that diagnose hangs at the same time, at most. Higher: more memory. A trace of 20 M records
 * takes 1.2 GB. Each thread usually takes 20 MB more, but 600 MB if the critical path of its hang has
 * PATH_MAX_PIECES pieces. */
#define DIAGNOSE_THREADS 16
/* candidates: If only the worst hang is wanted, one thread diagnoses this many candidates before
 * other threads start. Lower: the other threads work for nothing. Higher: the other threads begin
 * later. Evidence: in two traces of a busy machine, the second candidate is the worst hang. If all
 * threads start with the first candidate, `ctrace diagnose` takes 1.9 times the CPU time, and
 * a fifth more memory. */
#define DIAGNOSE_ALONE 8u
/* bytes: free() gives a block of this size or more back to the kernel at once. Lower: more page
 * faults. Higher: each thread keeps more free memory. Evidence: `ctrace hangs` of 7.8 M records
 * of a busy machine takes 520 MB with 1 MiB, and 600 MB with the default of glibc. The CPU time
 * is the same. */
#define MMAP_FROM (1 << 20)

/* 1/n of the time that the user asks about: `ctrace path` and `ctrace diagnose` do not show a
 * shorter part by itself. */
#define SHOW_SHARE 1000
/* 1/n of the time that the user asks about. The headline of `ctrace path` says how much time (X) would be
 * saved without the largest wait. The headline also names the best other change, if this change saves at
 * least 2 X plus this share. */
#define SHOW_BETTER_SHARE 20
/* ns: If the count of records is older than this, `ctrace status` and `ctrace budget` say how old
 * it is. There are no new counts in a coarse step. */
#define SHOW_MOST_NS (3 * NSEC_PER_SEC)
/* factor: `ctrace status` and `ctrace budget` tell the user to try a larger budget: the present budget,
 * multiplied by this. */
#define SHOW_BUDGET_TIMES 3
/* percent of the CPU time of the machine: From this much on, `ctrace status` shows the time of
 * BPF programs for events that they do not record (GOVERNOR_PASSED_PPM). */
#define SHOW_PASSED_PERCENT 0.01
/* ns: If one pass of the search for frameworks takes longer, `ctrace status` says that the search
 * is stuck. A usual pass takes milliseconds. */
#define SHOW_STUCK_NS (10 * NSEC_PER_SEC)

/* If one of the next four numbers is lower, a daemon on a busy machine seems to be dead. If it is
 * higher, and the daemon is dead, the error comes later. */
/* ms: While many other clients connect, a command waits at most this long for its connection to the
 * daemon. */
#define WAIT_CONNECT_MS 5000
/* ms: A command waits at most this long for an answer that the daemon can give at once. */
#define WAIT_ANSWER_MS 10000
/* ms: A command waits at most this long for a watchpoint. The daemon first looks for the
 * variable. */
#define WAIT_WATCH_MS 30000
/* ms: `ctrace mark` waits at most this long for the answer of the daemon. A script waits for
 * `ctrace mark`. No evidence yet. */
#define WAIT_MARK_MS 1000
/* ns: `ctrace record` looks at the settings of its command (CPUs, limits) when the command starts,
 * and again after this time. The time doubles after each look, up to SETTINGS_LAST_NS. Higher: a short
 * command may move to another control group (version 1) and end before the next look. Then the trace
 * has the limits of the old control group. */
#define SETTINGS_FIRST_NS (2 * NSEC_PER_MSEC)
#define SETTINGS_LAST_NS  (1 * NSEC_PER_SEC)
/* thousandths: for each group of runs, `ctrace compare --by` shows a metric, such as the median time. It
 * also shows the shares of running, lock, disk and other classes in this time. A class has a column
 * only if its share is larger than this in one of the groups. Lower: columns of zeroes. */
#define COMPARE_CLASS_PERMILLE 5
/* services: `ctrace metrics --requests` has a histogram of its own for at most this many services,
 * and one for all other services. Higher: more series in Prometheus; each service has 19. Lower:
 * services are not told apart. */
#define METRICS_SERVICES 20
/* `ctrace frameworks` lists at most FRAMEWORKS_MAX descriptions, and at most FRAMEWORKS_FILES_MAX
 * files of each. */
#define FRAMEWORKS_MAX       64
#define FRAMEWORKS_FILES_MAX 8
/* The daemon counts the hits of probes every 250 ms (JOBS_LOOK_MS), or later if it is busy. `ctrace
 * frameworks` asks at most FRAMEWORKS_LOOKS times whether the daemon has counted the hits again,
 * and waits FRAMEWORKS_LOOK_NS between two questions. Lower: no figures of a busy daemon. Higher: a
 * stuck daemon is noticed later. */
#define FRAMEWORKS_LOOKS   30
#define FRAMEWORKS_LOOK_NS (100 * NSEC_PER_MSEC)
/* ns: The first `ctrace metrics --requests` looks back this far. Lower: fewer requests in the first
 * figures. Higher: the first run takes longer. */
#define METRICS_FIRST_NS (30 * NSEC_PER_SEC)
/* ns: A later run looks back to the previous run, but at most this far. Higher: a run after a long
 * pause takes much memory. Lower: a rare timer skips requests. */
#define METRICS_MOST_NS (300 * NSEC_PER_SEC)
/* ns: A request that ends in the window counts if it began at most this long before the window.
 * Higher: more to load. Lower: long requests are missing. */
#define METRICS_BEFORE_NS (10 * NSEC_PER_SEC)
/* ms: A command waits at most this long for a snapshot. The daemon may copy the whole trace. */
#define WAIT_SNAPSHOT_MS 120000
/* ms: A command waits at most this long for the start of a daemon. The kernel verifies the BPF
 * programs, which takes about 1 s on a quiet machine. */
#define WAIT_READY_MS 60000
/* ms: A command waits at most this long for the end of a process that it killed. */
#define WAIT_KILLED_MS 5000

/* The runs of `ctrace check`. */
/* ms: Between SIGTERM and SIGKILL, a command has this time to end. Lower: the command cannot remove
 * its files. Higher: Ctrl-C takes longer. */
#define CHECK_GRACE_MS 1000
/* ms: A process that outlives the command by less than this is not reported. Lower: processes that
 * are about to end are reported. Higher: a command that starts a service takes longer to check. */
#define CHECK_ORPHAN_MS 100
/* runs: The cost of tracing is known only after this many traced and this many untraced runs. */
#define CHECK_UNTRACED_MIN 2
/* runs: For this many traced runs, there is one untraced run. Lower: the check takes longer.
 * Higher: the cost of tracing is known less well. */
#define CHECK_TRACED_PER_UNTRACED 3
/* p of the U test of traced and untraced runs: Up to this p, the cost of tracing counts as high,
 * even if tracing adds little to the length of a run. */
#define CHECK_COST_P 0.01
/* factor: The default of --max-runs is --runs, multiplied by this. */
#define CHECK_MAX_RUNS_TIMES 3
/* p of the test for a trend: Up to this p, the report says that the runs became slower or
 * faster. */
#define CHECK_TREND_P 0.01
/* parts: The text and the Markdown of `ctrace check` show at most this many. */
#define CHECK_ROWS 10
/* factor: The outer fence of Tukey, in distances of the quartiles above the third quartile (outliers.h).
 * Lower: usual runs are shown as outliers (with 1.5, one in 300). Higher: a run that other work disturbed
 * stays unexplained. Evidence: of values with a normal distribution, 1 in 850 000 is above it. */
#define CHECK_OUTLIER_FENCE 3
/* runs: The text and the Markdown of `ctrace check` explain at most this many outliers. */
#define CHECK_OUTLIERS_SHOWN 3
/* bytes: If the first run of the new command fails, this much of the end of its stderr is shown. */
#define CHECK_SHOWN_BYTES 2000
/* counts: The sentence of `ctrace check --patterns` names at most this many counts that grew. */
#define CHECK_SAID_COUNTS 2
/* 1/n of the metric: A part that changed by less has no row of its own in the report. It is a part of
 * the row "others". Evidence: such a change is 0.0 % in the report. Higher n: the report has rows such
 * as -41 ns. Lower n: the report does not show the part that caused a small regression. */
#define CHECK_ROW_SHARE 2000

/* parts: `ctrace compare` shows this many without --limit. */
#define COMPARE_ROWS 10
/* 1/n of the larger count: A part whose count changed by less gets no note. Higher n: notes such as
 * "1021 -> 1034 times", which vary from run to run. Lower n: a part that happens a few times more often
 * gets none. */
#define COMPARE_COUNT_SHARE 10
/* share of the time of a side: If other programs took more than one COMPARE_BUSY_SHARE-th of it, the
 * comparison says so. Lower: only for a machine that has hardly any time for the command. Higher: also on a
 * machine with some other work, where the parts still tell the causes apart. */
#define COMPARE_BUSY_SHARE 2

/* spans: `ctrace export` writes or sends at most this many in one message of OTLP. Lower: more requests over
 * HTTP. Higher: more memory. Evidence: 512 is the default of the exporters of OpenTelemetry (their setting
 * OTEL_BSP_MAX_EXPORT_BATCH_SIZE). */
#define OTLP_SPANS 512
/* bytes: A message is also finished when its spans take this much memory. Higher: a receiver may refuse the
 * message. Evidence: receivers have limits from 4 MiB (gRPC) to 20 MiB (the collector of OpenTelemetry). The
 * packed message is smaller than its spans in memory. */
#define OTLP_BYTES (1 << 20)
/* waits: this many of the longest waits of a span become events. Higher: the cause of the delay is
 * harder to see among these events. */
#define OTLP_WAITS 3
/* requests, jobs: The first request of a trace of OTLP is looked for through this many parents, and a tree of
 * jobs is cut at this depth. Higher: a damaged trace takes longer, and a job that always enqueues the next
 * one makes a tree that no viewer shows. Lower: a deep tree is cut into several traces. Also the number of
 * jobs of a worker that are looked at for the job inside of which another one was enqueued. */
#define OTLP_PARENTS 64
/* ranges of work: If a mark of a traceparent names no socket, `ctrace export` looks at this many earlier
 * ranges in which the thread worked for requests. If one of these requests is still open, the mark is not
 * used. Lower: the mark of an event loop with more open requests may go to the wrong request. Higher: a
 * thread needs longer to have marks again after a request that got no answer. If a mark names its socket,
 * this is the number of sent requests that the thread may not have read yet. No evidence yet. */
#define OTLP_CONTEXT_LOOKS 64
/* ns: The four marks of a traceparent count only if each comes at most this long after the one before, or
 * records show that the task lost its CPU in between. Lower: a traceparent is not used if interrupts, or a host
 * of this virtual machine, took the CPU in between. Higher: if marks were lost, the marks of two requests may
 * count as one traceparent. Evidence: the four marks take about 4 us. */
#define OTLP_CONTEXT_NS (1 * NSEC_PER_MSEC)
/* ns: If the signal that ended a process was not recorded, a crash has the time at which the last thread
 * exited. A thread that exited at most this much earlier was ended by the crash too. Lower: its request has
 * no error. Higher: the request of a thread that ended by itself has an error. No evidence yet. */
#define OTLP_CRASH_NS (10 * NSEC_PER_MSEC)
/* seconds: ctrace waits at most OTLP_CONNECT_S for the connection to a receiver, and at most
 * OTLP_ANSWER_S for connection and answer together. Lower: ctrace gives up a receiver that is far
 * away or busy. Higher: ctrace hangs for longer if the receiver does not answer. */
#define OTLP_CONNECT_S 5
#define OTLP_ANSWER_S  30
/* times: If the receiver is busy, ctrace sends a message again, up to this many times in all. It
 * waits for one second before the second try, and for two seconds before the third one. */
#define OTLP_TRIES 3
/* seconds: If the receiver says in the header Retry-After that it is busy for longer, ctrace gives up. If it
 * says a shorter time, ctrace waits for this time instead. Lower: the user has to send again. Higher: the
 * command seems to hang. No evidence yet. */
#define OTLP_RETRY_AFTER_S 30

/* ms: `ctrace view --open` waits this long for an error of xdg-open. Lower: an error of a slow xdg-open is
 * not reported. Higher: if xdg-open runs as long as the browser, the prompt comes back later. No evidence
 * yet. */
#define BROWSER_WAIT_MS 3000

#endif
