// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/resource.h"

#include <linux/magic.h>
#include <linux/major.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "ctrace/fields.h"
#include "trace/words/call.h"

/* Numbers of file systems that linux/magic.h lacks: AUFS_SUPER_MAGIC of aufs, BCACHEFS_STATFS_MAGIC of
 * bcachefs, ZFS_SUPER_MAGIC of OpenZFS. */
#define AUFS_MAGIC     0x61756673
#define BCACHEFS_MAGIC 0xca451a4e
#define ZFS_MAGIC      0x2fc12fc1

const char *resource_kind_word(enum resource_kind kind)
{
	static const char *const words[RESOURCE_KINDS] = {
		[RESOURCE_NONE] = "unknown",
		[RESOURCE_ARCHIVE] = "archive",
		[RESOURCE_CHECKPOINT] = "checkpoint",
		[RESOURCE_CHILD] = "child",
		[RESOURCE_CPU] = "cpu",
		[RESOURCE_DATA_FLAG] = "data-flag",
		[RESOURCE_DATABASE_LOCK] = "database-lock",
		[RESOURCE_DISK] = "disk",
		[RESOURCE_EVENTFD] = "eventfd",
		[RESOURCE_FILE_LOCK] = "file-lock",
		[RESOURCE_FUSE] = "fuse",
		[RESOURCE_FUTEX] = "futex",
		[RESOURCE_INPUT] = "input",
		[RESOURCE_JAVA_LOCK] = "java-lock",
		[RESOURCE_JAVA_TASK] = "java-task",
		[RESOURCE_KERNEL_LOCK] = "kernel-lock",
		[RESOURCE_LOCK] = "lock",
		[RESOURCE_MEMORY] = "memory",
		[RESOURCE_NETWORK_FS] = "network-file-system",
		[RESOURCE_PIPE] = "pipe",
		[RESOURCE_QUEUE] = "queue",
		[RESOURCE_SEMAPHORE] = "semaphore",
		[RESOURCE_SIGNAL] = "signal",
		[RESOURCE_STANDBY] = "standby",
		[RESOURCE_TCP] = "tcp",
		[RESOURCE_TIMER] = "timer",
		[RESOURCE_UDP] = "udp",
		[RESOURCE_UNIX] = "unix",
		[RESOURCE_UNKNOWN] = "unknown",
	};

	return (unsigned)kind < RESOURCE_KINDS ? words[kind] : "unknown";
}

enum resource_kind resource_of_socket(const struct window_object *o)
{
	if (!o)
		return RESOURCE_UNKNOWN;
	if (o->family == AF_UNIX)
		return RESOURCE_UNIX;
	if (o->family == AF_INET || o->family == AF_INET6) {
		if (o->protocol == IPPROTO_TCP || (!o->protocol && o->type == SOCK_STREAM))
			return RESOURCE_TCP;
		if (o->protocol == IPPROTO_UDP || (!o->protocol && o->type == SOCK_DGRAM))
			return RESOURCE_UDP;
	}
	return RESOURCE_UNKNOWN;
}

const char *resource_network_fs(const struct window_object *o)
{
	switch (o ? o->fs_magic : 0) {
	case NFS_SUPER_MAGIC:
		return "NFS";
	case SMB_SUPER_MAGIC:
	case CIFS_SUPER_MAGIC:
	case SMB2_SUPER_MAGIC:
		return "SMB";
	case V9FS_MAGIC:
		return "9p";
	case CEPH_SUPER_MAGIC:
		return "Ceph";
	case AFS_SUPER_MAGIC:
	case AFS_FS_MAGIC:
		return "AFS";
	case CODA_SUPER_MAGIC:
		return "Coda";
	default:
		return NULL;
	}
}

bool resource_is_local_file(const struct window_object *o)
{
	if (!o || ct_dev_major(o->dev))
		return o && !resource_network_fs(o);
	switch (o->fs_magic) {
	case BTRFS_SUPER_MAGIC:
	case ECRYPTFS_SUPER_MAGIC:
	case EROFS_SUPER_MAGIC_V1:
	case OVERLAYFS_SUPER_MAGIC:
	case RAMFS_MAGIC:
	case TMPFS_MAGIC:
	case AUFS_MAGIC:
	case BCACHEFS_MAGIC:
	case ZFS_MAGIC:
		return true;
	default:
		return false;
	}
}

static enum resource_kind of_file(const struct window_object *o)
{
	if (o && o->fs_magic == FUSE_SUPER_MAGIC)
		return RESOURCE_FUSE;
	return resource_network_fs(o) ? RESOURCE_NETWORK_FS : RESOURCE_DISK;
}

enum resource_kind resource_of_object(const struct window *w, uint64_t id)
{
	const struct window_object *o = id ? window_object(w, id) : NULL;

	switch (CT_OBJ_KIND(id)) {
	case CT_OBJ_FUTEX:
		return RESOURCE_FUTEX;
	case CT_OBJ_PIPE:
	case CT_OBJ_FIFO:
		return RESOURCE_PIPE;
	case CT_OBJ_SOCK:
		return resource_of_socket(o);
	case CT_OBJ_FILE:
	case CT_OBJ_DIR:
		return of_file(o);
	case CT_OBJ_BLOCKDEV:
		return RESOURCE_DISK;
	case CT_OBJ_CHARDEV:
		return o && ct_dev_major(o->dev) == INPUT_MAJOR ? RESOURCE_INPUT : RESOURCE_UNKNOWN;
	case CT_OBJ_EVENTFD:
		return RESOURCE_EVENTFD;
	case CT_OBJ_TIMERFD:
		return RESOURCE_TIMER;
	case CT_OBJ_SIGNALFD:
		return RESOURCE_SIGNAL;
	case CT_OBJ_PIDFD:
	case CT_OBJ_TASK:
		return RESOURCE_CHILD;
	case CT_OBJ_FUSEDEV:
		return RESOURCE_FUSE;
	case CT_OBJ_DATA:
		return RESOURCE_DATA_FLAG;
	case CT_OBJ_QUEUE:
		return RESOURCE_QUEUE;
	case CT_OBJ_TTY:
		return RESOURCE_INPUT;
	case CT_OBJ_CGROUP:
	case CT_OBJ_MARK:
	case CT_OBJ_NONE:
	case CT_OBJ_EPOLL:
	case CT_OBJ_INOTIFY:
	case CT_OBJ_URING:
	case CT_OBJ_ANON:
		break;
	}
	return RESOURCE_UNKNOWN;
}

/* The calls for semaphores and for queues of messages have one class. */
static enum resource_kind of_ipc_call(enum call call)
{
	if (call == CALL_SEMOP || call == CALL_SEMTIMEDOP)
		return RESOURCE_SEMAPHORE;
	return call == CALL_MSGSND || call == CALL_MSGRCV || call == CALL_MQ_TIMEDSEND ||
			       call == CALL_MQ_TIMEDRECEIVE
		       ? RESOURCE_QUEUE
		       : RESOURCE_UNKNOWN;
}

enum resource_kind resource_of_wait(const struct window *w, enum ct_wait wait, unsigned nr, uint64_t id)
{
	switch (wait) {
	case CT_W_NONE:
	case CT_W_YIELD:
		return RESOURCE_CPU;
	case CT_W_SLEEP:
		return RESOURCE_TIMER;
	case CT_W_CHILD:
	case CT_W_VFORK:
		return RESOURCE_CHILD;
	case CT_W_SIGNAL:
	case CT_W_STOPPED:
		return RESOURCE_SIGNAL;
	case CT_W_FLOCK:
		return RESOURCE_FILE_LOCK;
	case CT_W_SYSVIPC:
		return of_ipc_call(call_of(w->machine, nr));
	case CT_W_FAULT:
		/* Without a file, the wait is for swap or for the lock of the memory map. */
		return id ? resource_of_object(w, id) : RESOURCE_UNKNOWN;
	case CT_W_SYNC:
		return id ? resource_of_object(w, id) : RESOURCE_DISK;
	case CT_W_FUTEX:
		return RESOURCE_FUTEX;
	case CT_W_MEMORY:
		return RESOURCE_MEMORY;
	case CT_W_READ:
	case CT_W_WRITE:
	case CT_W_POLL:
	case CT_W_EPOLL:
	case CT_W_ACCEPT:
	case CT_W_CONNECT:
	case CT_W_FILE:
	case CT_W_OPEN:
	case CT_W_EXITED:
	case CT_W_KTHREAD:
	case CT_W_URING:
	case CT_W_OTHER:
		break;
	}
	return resource_of_object(w, id);
}
