// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/delay/delayed.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/delay/probe.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#if defined(__x86_64__)

#define OPTIONS                                                                                              \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |                 \
	 PTRACE_O_TRACEVFORK)

/* ptrace(2) reports a new task twice, in any order: by its first stop, and by an event of its creator, such
 * as PTRACE_EVENT_CLONE. TASK_NEW: only the first stop was reported. The task stays stopped until the event
 * tells from which task it has inherited the breakpoint. */
enum task_state { TASK_RUNS, TASK_NEW, TASK_HELD };

struct task {
	pid_t tid, pid;
	enum task_state state;
	struct probe probe; /* addr 0: none */
	uint64_t since_ns, until_ns;
};

struct tracer {
	const struct delayed_plan *plan;
	struct delayed_run *ret;
	pid_t command;
	uint64_t begin_ns;
	struct task tasks[DELAYED_TASKS_MAX];
	size_t n;
};

static struct task *task_of(struct tracer *t, pid_t tid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->tasks[i].tid == tid)
			return &t->tasks[i];
	return NULL;
}

static pid_t process_of(pid_t tid)
{
	char path[64], line[128];
	int pid = tid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	if (f)
		fclose(f);
	return pid;
}

/* probe: the breakpoint of the creator. The new task has the same memory, or a copy, and so the same
 * breakpoint. Returns NULL if there are too many tasks. */
static struct task *add_task(struct tracer *t, pid_t tid, const struct probe *probe)
{
	struct task *x = &t->tasks[t->n];

	if (t->n == DELAYED_TASKS_MAX)
		return NULL;
	*x = (struct task){ .tid = tid, .pid = process_of(tid), .probe = *probe };
	t->n++;
	return x;
}

static void remove_task(struct tracer *t, struct task *x)
{
	*x = t->tasks[--t->n];
}

static void go_on(const struct task *x, int signal)
{
	ptrace(PTRACE_CONT, x->tid, NULL, (void *)(intptr_t)signal);
}

/* A new program has its own memory, so it needs a breakpoint of its own. */
static void new_program(struct tracer *t, struct task *x)
{
	x->probe = (struct probe){ 0 };
	x->state = TASK_RUNS;
	x->pid = x->tid;
	if (!t->begin_ns && x->tid == t->command)
		t->begin_ns = clock_boot_ns();
	if (probe_find(x->pid, t->plan->function, &x->probe) || probe_set(x->pid, &x->probe)) {
		x->probe = (struct probe){ 0 };
		t->ret->others++;
	} else {
		t->ret->programs++;
	}
}

/* Waits until a task stops or ends. Does not take the report of its end. */
static bool stopped(pid_t tid)
{
	siginfo_t info = { 0 };

	while (waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL))
		if (errno != EINTR)
			return false;
	return info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED;
}

/* Lets the task go on after the first instruction of the function, if this is possible without
 * taking the breakpoint away. */
static bool skip(struct task *x)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, x->tid, NULL, &regs) || !probe_skip(x->tid, &x->probe, &regs) ||
	    ptrace(PTRACE_SETREGS, x->tid, NULL, &regs))
		return false;
	x->state = TASK_RUNS;
	go_on(x, 0);
	return true;
}

/* Executes the first instruction of the function without the breakpoint, and lets the task go on.
 * Waits for the end of this step: no other task of the process may step meanwhile. */
static void step(struct task *x)
{
	sigset_t late;
	int status, signal = 0, sig;

	if (skip(x))
		return;
	sigemptyset(&late);
	probe_unset(x->pid, &x->probe);
	x->state = TASK_RUNS;
	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, x->tid, NULL, NULL))
			return; /* the task was killed; the report of its end comes later */
		if (!stopped(x->tid) || waitpid(x->tid, &status, __WALL) < 0)
			return;
		if (WSTOPSIG(status) == SIGTRAP && !(status >> 16))
			break;
		sig = status >> 16 ? 0 : WSTOPSIG(status);
		/* The task gets the signals after the step: the first one by go_on(). */
		if (sig && signal)
			sigaddset(&late, sig);
		signal = signal ? signal : sig;
	}
	probe_set(x->pid, &x->probe);
	for (sig = 1; sig < NSIG; sig++)
		if (sigismember(&late, sig) == 1)
			(void)syscall(SYS_tgkill, x->pid, x->tid, sig);
	go_on(x, signal);
}

/* Returns true if the task stopped at its breakpoint. Then its next instruction is the first one of
 * the function. */
static bool at_probe(const struct task *x)
{
	struct user_regs_struct regs;

	if (!x->probe.addr || ptrace(PTRACE_GETREGS, x->tid, NULL, &regs) || regs.rip != x->probe.addr + 1)
		return false;
	regs.rip = x->probe.addr;
	return !ptrace(PTRACE_SETREGS, x->tid, NULL, &regs);
}

static void hold(struct tracer *t, struct task *x)
{
	if (t->ret->calls >= t->plan->max_calls) {
		t->ret->removed = true;
		probe_unset(x->pid, &x->probe);
		go_on(x, 0);
		return;
	}
	t->ret->calls++;
	x->state = TASK_HELD;
	x->since_ns = clock_boot_ns();
	x->until_ns = x->since_ns + t->plan->delay_ns;
	if (!t->plan->delay_ns)
		step(x);
}

static bool is_stop_signal(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

static int on_birth(struct tracer *t, struct task *x)
{
	unsigned long tid = 0;
	struct task *made;

	ptrace(PTRACE_GETEVENTMSG, x->tid, NULL, &tid);
	made = task_of(t, (pid_t)tid);
	if (!made && !add_task(t, (pid_t)tid, &x->probe))
		return -E2BIG;
	if (made && made->state == TASK_NEW) {
		made->probe = x->probe;
		made->state = TASK_RUNS;
		go_on(made, 0);
	}
	go_on(x, 0);
	return 0;
}

static void on_exec(struct tracer *t, pid_t tid)
{
	unsigned long before = 0;
	struct task *x;

	/* a thread that executes a program gets the id of the main thread */
	ptrace(PTRACE_GETEVENTMSG, tid, NULL, &before);
	x = (pid_t)before == tid ? NULL : task_of(t, (pid_t)before);
	if (x)
		remove_task(t, x);
	x = task_of(t, tid);
	if (x) {
		new_program(t, x);
		go_on(x, 0);
	}
}

static void on_signal(struct tracer *t, struct task *x, int signal)
{
	if (signal == SIGTRAP && at_probe(x))
		hold(t, x);
	else
		go_on(x, signal);
}

static int on_stop(struct tracer *t, pid_t tid, int status)
{
	static const struct probe none;
	struct task *x = task_of(t, tid);

	if (!x) {
		x = add_task(t, tid, &none);
		if (x)
			x->state = TASK_NEW;
		return x ? 0 : -E2BIG;
	}
	switch (status >> 16) {
	case PTRACE_EVENT_EXEC:
		on_exec(t, tid);
		return 0;
	case PTRACE_EVENT_CLONE:
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
		return on_birth(t, x);
	case PTRACE_EVENT_STOP:
		if (is_stop_signal(WSTOPSIG(status)))
			ptrace(PTRACE_LISTEN, tid, NULL, NULL);
		else
			go_on(x, 0);
		return 0;
	}
	on_signal(t, x, WSTOPSIG(status));
	return 0;
}

/* Lets each task go on if its delay is over. Returns in how many ns to look again, at most 1 s. */
static uint64_t release(struct tracer *t)
{
	uint64_t now = clock_boot_ns(), next = now + NSEC_PER_SEC;

	for (size_t i = 0; i < t->n; i++) {
		struct task *x = &t->tasks[i];

		if (x->state == TASK_HELD && x->until_ns <= now) {
			t->ret->held_ns += clock_boot_ns() - x->since_ns;
			step(x);
		} else if (x->state == TASK_HELD) {
			next = MIN(next, x->until_ns);
		}
	}
	now = clock_boot_ns();
	return next > now ? next - now : 0;
}

/* Kills all tasks that are left: their memory has breakpoints. */
static void end_rest(struct tracer *t)
{
	for (size_t i = 0; i < t->n; i++) {
		t->ret->n_left += t->tasks[i].tid == t->tasks[i].pid && t->tasks[i].pid != t->command;
		kill(t->tasks[i].pid, SIGKILL);
	}
	while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR) {
	}
}

/* Follows the tasks until the command ends. Returns 0 or -errno. */
static int follow(struct tracer *t)
{
	sigset_t child;
	int r = 0;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (!r) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);
		struct task *x;

		if (!tid) {
			uint64_t ns = release(t);
			struct timespec limit = { (time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC) };

			sigtimedwait(&child, NULL, &limit);
			continue;
		}
		if (tid < 0)
			return -errno;
		if (WIFSTOPPED(status)) {
			r = on_stop(t, tid, status);
			continue;
		}
		x = task_of(t, tid);
		if (x)
			remove_task(t, x);
		if (tid == t->command) {
			t->ret->status = status;
			t->ret->ns = t->begin_ns ? clock_boot_ns() - t->begin_ns : 0;
			return 0;
		}
	}
	return r;
}

/* In the child: waits until it is traced, and executes the command. */
static void execute(const struct delayed_plan *plan, int ready_fd, int error_fd)
{
	int null_fd = open("/dev/null", O_RDWR);
	sigset_t none;
	char c;

	while (read(ready_fd, &c, 1) < 0 && errno == EINTR) {
	}
	dup2(null_fd, STDIN_FILENO);
	if (!plan->show) {
		dup2(null_fd, STDOUT_FILENO);
		dup2(null_fd, STDERR_FILENO);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	cli_restore_signals();
	execvp(plan->argv[0], plan->argv);
	if (write(error_fd, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

static int start(struct tracer *t, int *ret_error_fd)
{
	static const struct probe none;
	int ready[2], error[2];

	if (pipe2(ready, O_CLOEXEC))
		return -errno;
	if (pipe2(error, O_CLOEXEC | O_NONBLOCK)) {
		close(ready[0]);
		close(ready[1]);
		return -errno;
	}
	t->command = fork();
	if (!t->command) {
		close(ready[1]);
		execute(t->plan, ready[0], error[1]);
	}
	close(ready[0]);
	close(error[1]);
	*ret_error_fd = error[0];
	if (t->command < 0 || ptrace(PTRACE_SEIZE, t->command, NULL, OPTIONS)) {
		int r = -errno;

		if (t->command > 0)
			kill(t->command, SIGKILL);
		close(ready[1]);
		return r;
	}
	add_task(t, t->command, &none);
	close(ready[1]);
	return 0;
}

void delayed_run(const struct delayed_plan *plan, struct delayed_run *ret)
{
	struct tracer *t = calloc(1, sizeof(*t));
	_cleanup_close_ int error_fd = -1;
	sigset_t block, before;
	int r;

	*ret = (struct delayed_run){ .end = DELAYED_NO_TRACE, .error = ENOMEM };
	if (!t)
		return;
	t->plan = plan;
	t->ret = ret;
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &before);
	r = start(t, &error_fd);
	r = r ? r : follow(t);
	end_rest(t);
	sigprocmask(SIG_SETMASK, &before, NULL);
	ret->error = -r;
	if (!r)
		ret->end = DELAYED_EXITED;
	if (error_fd >= 0 && read(error_fd, &ret->error, sizeof(ret->error)) == sizeof(ret->error))
		ret->end = DELAYED_NO_START;
	free(t);
}

bool delayed_supported(void)
{
	return true;
}

#else

void delayed_run(const struct delayed_plan *plan, struct delayed_run *ret)
{
	*ret = (struct delayed_run){ .end = DELAYED_NO_TRACE, .error = ENOTSUP };
}

bool delayed_supported(void)
{
	return false;
}

#endif
