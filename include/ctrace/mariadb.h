/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mariadb.h - the only place for facts about MariaDB and MySQL. */
#ifndef CTRACE_MARIADB_H
#define CTRACE_MARIADB_H

/* A session waits for a lock of metadata (of a table, a schema, GET_LOCK() and so on) below this
 * function. sql/mdl.cc; MySQL and MariaDB since 5.5 */
#define MARIADB_METADATA_FUNCTION "MDL_wait::timed_wait"
/* A session waits for the lock of a row or a table of InnoDB below one of these functions.
 * storage/innobase/lock/: MariaDB since 10.6; older versions, and MySQL */
#define MARIADB_INNODB_FUNCTIONS "lock_wait", "lock_wait_suspend_thread"
/* The files of these functions, as in a frame */
#define MARIADB_FILES "(mariadbd)", "(mysqld)"

#endif
