/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnoser_jail.h - what a process that reads hostile bytes gives up.  For good, and for its children.
 */
#ifndef CTRACE_DAEMON_INCIDENT_DIAGNOSER_JAIL_H
#define CTRACE_DAEMON_INCIDENT_DIAGNOSER_JAIL_H

/*
 * Closes all descriptors but keep_fd, ends with the parent, becomes nobody without groups and capabilities,
 * and leaves the system calls to memory, to descriptors that are open or are sent, and to children like
 * itself.  0 or -errno.
 */
int diagnoser_jail(int keep_fd);
/* In such a child: limits of memory and CPU time, no more children, nothing but read, write and memory.  0 or
 * -errno. */
int diagnoser_jail_child(void);

#endif
