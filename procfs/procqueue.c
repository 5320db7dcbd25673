// SPDX-License-Identifier: GPL-2.0-or-later
#include "procfs/procqueue.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "lib/cleanup.h"

/* The columns are key, msqid, perms, cbytes, qnum, lspid, lrpid and others: sysvipc_msg_proc_show() in
 * ipc/msg.c. */
bool procqueue_parse(const char *line, struct procqueue *ret)
{
	struct procqueue q;

	if (sscanf(line, " %*d %" SCNd32 " %*o %*u %*u %" SCNu32 " %" SCNu32, &q.id, &q.sender,
		   &q.receiver) != 3)
		return false;
	*ret = q;
	return true;
}

int procqueues_read(struct procqueues *ret)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sysvipc/msg", "re");
	struct procqueues all = { 0 };
	struct procqueue q;
	char line[256];

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (procqueue_parse(line, &q) && VEC_PUSH(&all.v, q)) {
			procqueues_done(&all);
			return -ENOMEM;
		}
	}
	*ret = all;
	return 0;
}

void procqueues_done(struct procqueues *q)
{
	VEC_FREE(&q->v);
}

static const struct procqueue *queue_find(const struct procqueues *q, int32_t id)
{
	for (size_t i = 0; i < q->v.n; i++)
		if (q->v.v[i].id == id)
			return &q->v.v[i];
	return NULL;
}

uint32_t procqueues_reader(const struct procqueues *q, int32_t id, uint32_t pid)
{
	const struct procqueue *full = queue_find(q, id);

	return full && full->receiver != pid ? full->receiver : 0;
}

uint32_t procqueues_server(const struct procqueues *q, int32_t id, uint32_t pid)
{
	const struct procqueue *answers = queue_find(q, id), *asked;

	if (!answers || !answers->sender || answers->sender == pid)
		return 0;
	for (size_t i = 0; i < q->v.n; i++) {
		asked = &q->v.v[i];
		if (asked != answers && asked->sender == pid && asked->receiver == answers->sender)
			return answers->sender;
	}
	return 0;
}
