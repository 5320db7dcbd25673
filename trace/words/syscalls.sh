#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints a C table, number to name, of the system calls that the C compiler given as arguments knows.
set -eu
echo '#include <asm/unistd.h>' | "$@" -E -dM - | sed -n 's/^#define __NR_\([a-z_0-9]*\) .*/\1/p' |
	grep -v -x -e syscalls -e arch_specific_syscall | LC_ALL=C sort -u | sed 's/.*/[__NR_&] = "&",/'
