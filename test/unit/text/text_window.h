/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_window.h - a window of a trace, written as text, with one line for each record.
 *
 *   task 10 app running              thread 10 of process 10; runs from time 0 on, on its own CPU
 *   task 11 app of 10 parent 1       thread 11 of process 10, whose parent process is 1
 *   task 12 app cgroup 5             process 12, in the control group whose object is cgroup:5
 *   object sock:1 family=unix type=stream peer=sock:2 name="/run/x"
 *                                    connecting=TIME: when it was last recorded as not connected yet
 *   connection sock:1 sock:2 stream  the two ends of a unix connection; the first one has a name
 *   stack 7 "inner+0x1" "main+0x4 (a)"
 *                                    innermost first
 *   cmdline 5ms app[10] "shopd: idle"
 *                                    the command line of a process, from 5 ms on
 *   10ms app[10] blocks futex futex:0x1000 owner=app[11]
 *   12.1ms app[11] wakes app[10] futex:0x1000 which runs
 *   until 100ms                      the end of the window
 *   machine x86_64                   the architecture; without this line, that of the test itself
 *
 * Times are in ns, us, ms or s.  Records are sorted by time.  Records of one time stay in the order of the
 * text.  A comment goes from '#' to the end of the line.
 *
 * A field that a line leaves out is 0, with these exceptions:
 *
 *   nr            "none"
 *   of            1, in "waitfd"
 *   parent        1, in "task"
 *   len           4
 *   state         follows from the verb
 *   address       the address in OBJECT
 *   since         in "found": the time of the record
 *   made          in "mark": the time of the record
 *
 * A task is written as NAME[TID], as NAME if only one task has this name, or as TID.  A task that is written
 * as TID need not be declared.  "idle" is the idle task.  An object is KIND:NUMBER, or raw:NUMBER for a whole
 * id. A futex, data or queue may also be KIND:PID:ADDRESS.
 *
 * Records, each after a time; WAIT is a word of describe_wait():
 *
 *   A runs                                 a switch from the idle task to A
 *   A blocks WAIT [OBJECT] [then B]        [state=disk] [flags=timeout,iowait,...]
 *                                          [owner=B] first adds a record: B owns the futex
 *   A preempted [then B]
 *   A yields [then B]
 *   A dies [then B]
 *   A found folded|queued|blocked|waited [WAIT] [OBJECT]
 *                                          [since=TIME] [switches=N] [ran=TIME] [queued=TIME]
 *                                          [state=disk] [flags=]
 *   A wakes B [OBJECT] [which runs]        [in=WAIT] [flags=ready,exiting,...] [ctx=softirq] [vector=3]
 *   timer wakes B [which runs]             an interrupt wakes B; instead of timer: softirq, hardirq, ipi, irq
 *   A futex OBJECT owner=B [op=N]          the owner of a futex
 *   A waitfd FD OBJECT                     [index=N] [of=N] [events=N]
 *   A forks B [flags=thread]
 *   A execs
 *   A exits [status=N] [flags=last]
 *   A signals B SIGNAL                     [flags=fatal,ignored,group,kernel] [code=N]
 *   A handles SIGNAL [flags=fatal]
 *   A sends BYTES OBJECT
 *   A receives BYTES OBJECT
 *   A flock read|write|unlock OBJECT       [how=posix|flock|ofd] [first=BYTE] [last=BYTE] [result=-11]
 *   A held OBJECT [flags=waiter,read]      [how=posix|flock|ofd] [first=BYTE] [last=BYTE]
 *   A issues read|write|flush|discard BYTES OBJECT
 *                                          [sector=N] [file=OBJECT]; OBJECT is a disk. While A has the CPU,
 *                                          the disk gets a request
 *   A completes read|write|flush|discard BYTES OBJECT
 *                                          [sector=N] [file=OBJECT]; the request is done
 *   A fd FD OBJECT                         [flags=read,write,lock]
 *   A epmember FD OBJECT EPOLL             [events=N], by default EPOLLIN, as for a waitfd
 *   A sample STACK [ran=TIME] [flags=kernel,fatal]
 *   A visit STACK [WAIT] [OBJECT]          [lock=database,no-task] [owner=B]
 *   A writes OBJECT VALUE [len=N]
 *   A reads OBJECT VALUE [len=N]
 *   A polls OBJECT                         [flags=reg,code,spin] [address=N]
 *   A job enqueue|start|end NUMBER         [OBJECT] [flags=loose] [function=N] [stack=N]
 *   A mark NAME begin|end|point            [id=N] [made=TIME] [flags=parent,hashed,call]
 *   A hang RULE                            RULE is a word of describe_hang()
 *   A capped [OBJECT] since=TIME           if TIME is the time of the record, a cap begins;
 *                                          otherwise the cap that began at TIME ends;
 *                                          [flags=group] [wait=WAIT] [state=sleep]
 *   gap FROM..TO [cause=shed] [lost=N]     on all CPUs, or [cpu=N]; cause= is a word of describe_loss()
 *   step STEP [was=STEP]                   STEP is a word of describe_shed()
 *   group since=TIME [lost=N]              as in "A capped", the cap of a group begins or ends
 *
 * The CPU of a record is cpu=N.  Without cpu=N, it is the last known CPU of A.  If the line has no A, as in
 * "timer wakes B", it is the last known CPU of the idle task.  The run of "which runs" is on the last known
 * CPU of B.  If no CPU is known, it is CPU 0.  Each record may have nr=NUMBER, the number of the system call.
 *
 * States that the reader of a trace knows without a record:
 *
 *   checkpoint TIME                  the "state" lines below this line hold at TIME
 *   resync FROM..TO                  nothing is known of the time FROM..TO; the "state" lines below
 *                                    this line hold at TO
 *   state A blocked WAIT [OBJECT] since=TIME [owner=B] [cpu=N]
 *   state A capped [WAIT] [OBJECT] since=TIME [owner=B] [cpu=N]
 *   state A runnable|running|folded since=TIME [cpu=N]
 *
 * In these lines, since=TIME is the time at which the state began.
 *
 * Lines that repeat. "+5ms" is a time from the beginning of a round. "$i" is the number of the round, counted
 * from 0, or from first=:
 *
 *   repeat 10 every 20ms from 10ms [first=100]
 *   +5ms app runs
 *   end
 *
 * Lines that begin with "segment" or "edge" are a causal graph made by hand: text_window_graph().
 */
#ifndef CTRACE_TEST_TEXT_WINDOW_H
#define CTRACE_TEST_TEXT_WINDOW_H

#include "test/unit/text/text_line.h"
#include "trace/format/window.h"

struct text_window;

struct text_window *text_window_new(void);
void text_window_free(struct text_window *t);
/* Adds a line. If the line is wrong, returns false and sets error, of TEXT_ERROR_MAX bytes. */
bool text_window_add(struct text_window *t, const char *line, char *error);
/* The window is valid until text_window_free(). If a line "repeat" has no line "end", returns
 * NULL and sets error. */
const struct window *text_window_done(struct text_window *t, char *error);

const char *text_window_graph(const struct text_window *t, size_t i);

/* If the word names no task, or several, sets an error and returns 0. */
uint32_t text_task(const struct text_window *t, struct text_line *l, const char *word);
uint64_t text_object(struct text_line *l, const char *word);

#define TEXT_NAME_MAX 64
/* text_put_task() and text_put_object() write to buf, of TEXT_NAME_MAX bytes, and return buf. A
 * task is "app[10]", or "10" if it has no name. An object is "pipe:77". The number 0 is "-". */
const char *text_put_task(const struct window *w, uint32_t tid, uint64_t ns, char *buf);
const char *text_put_object(uint64_t obj, char *buf);

#endif
