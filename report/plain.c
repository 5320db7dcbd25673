// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/plain.h"

const char *plain_verdict(enum verdict verdict)
{
	static const char *const words[] = {
		[VERDICT_NORMAL] = "no problem of the victim was found",
		[VERDICT_LONG_WAIT] = "the victim was blocked",
		[VERDICT_LONG_RUNNING] = "the victim computed",
		[VERDICT_STARVED] = "the victim waited for a CPU for longer than it ran",
		[VERDICT_REPEATED_YIELD] = "the victim looked again and again, without progress",
	};

	return words[verdict];
}

const char *plain_cause(enum cause_kind cause)
{
	static const char *const words[] = {
		[CAUSE_BUSY] = "the last task of the chain computes",
		[CAUSE_CHATTY] = "many short waits for other tasks add up",
		[CAUSE_CIRCULAR_WAIT] = "tasks wait for each other",
		[CAUSE_DISK] = "the disk",
		[CAUSE_EXTERNAL] = "a person, a device, or another program that sends nothing",
		[CAUSE_LOCK_HOLDER] = "a task holds a lock",
		[CAUSE_MEMORY] = "memory is short",
		[CAUSE_MISSING_WAKEUP] = "a wake-up did not come",
		[CAUSE_NETWORK] = "another host, or a lost message",
		[CAUSE_POLLING] = "a task looks again and again for something that does not come",
		[CAUSE_QUEUEING] = "all workers of a pool are busy",
		[CAUSE_SLOW_PEER] = "another task is slow",
		[CAUSE_STARVED] = "a task could run, but got no CPU",
		[CAUSE_STOPPED] = "a task is stopped",
		[CAUSE_TIMER] = "a task sleeps, or waits for a timer or its own time limit",
	};

	return words[cause];
}

const char *plain_confidence(const struct diagnosis *d)
{
	return d->strong ? "certain" : "partly inferred";
}

const char *plain_strength(enum edge_strength strength)
{
	if (strength == EDGE_STRONG)
		return "certain";
	return strength == EDGE_BOOSTED ? "inferred, likely" : "inferred";
}

const char *plain_time(enum time_kind time)
{
	static const char *const words[TIME_KINDS] = {
		[TIME_RUNNING] = "runs",
		[TIME_RUNNABLE] = "waits for a CPU",
		[TIME_LOCK] = "waits for a lock",
		[TIME_IPC] = "waits for another task",
		[TIME_DISK] = "waits for the disk",
		[TIME_NETWORK] = "waits for the network",
		[TIME_TIMER] = "sleeps, or waits for a timer or its own time limit",
		[TIME_QUEUE] = "waits for a wake-up",
		[TIME_FAULT] = "waits for memory",
		[TIME_UNKNOWN] = "state not known",
		[TIME_SHORT] = "many short runs and waits",
	};

	return time < TIME_KINDS ? words[time] : words[TIME_UNKNOWN];
}

const char *plain_resource(enum resource_kind kind)
{
	static const char *const words[RESOURCE_KINDS] = {
		[RESOURCE_ARCHIVE] = "archive of the database",
		[RESOURCE_CHECKPOINT] = "checkpoint of the database",
		[RESOURCE_DATA_FLAG] = "variable in memory",
		[RESOURCE_DATABASE_LOCK] = "lock of the database",
		[RESOURCE_FILE_LOCK] = "file lock",
		[RESOURCE_FUSE] = "FUSE file system",
		[RESOURCE_JAVA_LOCK] = "Java lock",
		[RESOURCE_KERNEL_LOCK] = "lock in the kernel",
		[RESOURCE_NETWORK_FS] = "network file system",
		[RESOURCE_STANDBY] = "standby of the database",
	};

	return kind < RESOURCE_KINDS && words[kind] ? words[kind] : resource_kind_word(kind);
}
