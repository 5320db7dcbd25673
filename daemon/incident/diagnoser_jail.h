/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnoser_jail.h - takes privileges from a process that reads hostile bytes. Neither the process nor its
 * children can get them back.
 */
#ifndef CTRACE_DAEMON_INCIDENT_DIAGNOSER_JAIL_H
#define CTRACE_DAEMON_INCIDENT_DIAGNOSER_JAIL_H

/*
 * Closes all descriptors except keep_fd. From then on the process ends when its parent ends, runs as nobody
 * (if it ran as root and may change its user), and has no groups and no capabilities. The process may still
 * make the system calls for memory, for descriptors that are open or that it receives, and for children
 * like itself. Returns 0 or -errno.
 */
int diagnoser_jail(int keep_fd);
/* For a child of a process that called diagnoser_jail(). Sets limits of memory and CPU time. The child can
 * create no children, and keeps only the system calls that read, write and manage memory. Returns 0 or
 * -errno. */
int diagnoser_jail_child(void);

#endif
