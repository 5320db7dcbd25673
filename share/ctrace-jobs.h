/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * ctrace-jobs.h - for programs with their own queue of jobs. The functions report to ctrace when a
 * job enters a queue, when it starts, and when it ends. Copy this file into your program.
 *
 *	ctrace_job_enqueue(queue, job);		before other threads can see the job
 *	ctrace_job_start(queue, job);		in the thread that runs the job
 *	do_it(job);
 *	ctrace_job_end(queue, job);		in the same thread
 *
 * queue and job are addresses, or other numbers except 0. Two jobs that exist at the same time
 * must have different numbers. A job exists from ctrace_job_enqueue() to ctrace_job_end(). Any
 * thread may call the functions.
 *
 * Each call compiles to a nop instruction, and to a note with its address in the ELF file. The note
 * has the format of <sys/sdt.h>, so other tools find it too, for example as ctrace_jobs:start.
 *
 * ctraced records the jobs only with the setting "frameworks = /path/to/program", and ctrace record
 * only with the option --frameworks /path/to/program. Each call then takes about a microsecond.
 *
 * For C and C++, gcc and clang, x86-64 and arm64. On other machines the functions do nothing.
 */
#ifndef CTRACE_JOBS_H
#define CTRACE_JOBS_H

#include <stdint.h>

#if defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__))
#define CTRACE_JOBS_NOTE(name, queue, job)                                                                   \
	__asm__ __volatile__("990:	nop\n"                                                                    \
			     "	.pushsection .note.stapsdt,\"?\",\"note\"\n"                                  \
			     "	.balign 4\n"                                                                  \
			     "	.4byte 992f-991f, 994f-993f, 3\n"                                             \
			     "991:	.asciz \"stapsdt\"\n"                                                     \
			     "992:	.balign 4\n"                                                              \
			     "993:	.8byte 990b\n"                                                            \
			     "	.8byte _.stapsdt.base\n"                                                      \
			     "	.8byte 0\n"                                                                   \
			     "	.asciz \"ctrace_jobs\"\n"                                                     \
			     "	.asciz \"" name "\"\n"                                                       \
			     "	.asciz \"8@%0 8@%1\"\n"                                                       \
			     "994:	.balign 4\n"                                                              \
			     "	.popsection\n"                                                                \
			     "	.ifndef _.stapsdt.base\n"                                                     \
			     "	.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"        \
			     "	.weak _.stapsdt.base\n"                                                       \
			     "	.hidden _.stapsdt.base\n"                                                     \
			     "_.stapsdt.base: .space 1\n"                                                    \
			     "	.size _.stapsdt.base, 1\n"                                                    \
			     "	.popsection\n"                                                                \
			     "	.endif\n"                                                                     \
			     :                                                                               \
			     : "r"((uint64_t)(uintptr_t)(queue)), "r"((uint64_t)(uintptr_t)(job))            \
			     : "memory")
#else
#define CTRACE_JOBS_NOTE(name, queue, job) ((void)(queue), (void)(job))
#endif

static inline void ctrace_job_enqueue(const void *queue, const void *job)
{
	CTRACE_JOBS_NOTE("enqueue", queue, job);
}

static inline void ctrace_job_start(const void *queue, const void *job)
{
	CTRACE_JOBS_NOTE("start", queue, job);
}

static inline void ctrace_job_end(const void *queue, const void *job)
{
	CTRACE_JOBS_NOTE("end", queue, job);
}

#endif
