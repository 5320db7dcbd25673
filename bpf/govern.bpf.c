/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * govern.bpf.c - a program that does nothing: the daemon measures with it how much a call of a
 * program costs.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

SEC("tp_btf/task_rename")
int ct_empty(__u64 *ctx)
{
	return 0;
}
