/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each variable brings its type into the type information that layout_test.c compares. */
#include "vmlinux.h"
#include "ctrace/abi.h"
#include "ctrace/cpu.h"

struct ct_rec rec;
struct ct_task_blob task_blob;
struct ct_rawcmdline_blob rawcmdline_blob;
struct ct_object_blob object_blob;
struct ct_stack_blob stack_blob;
struct ct_rawstack_blob rawstack_blob;
struct ct_rawjob_blob rawjob_blob;
struct ct_iter_task iter_task;
struct cpu cpu;
