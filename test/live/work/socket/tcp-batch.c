/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch.h"

static uint16_t port;

static int dial(void)
{
	return tcp_connect(port);
}

int main(void)
{
	batch_listener = tcp_listen(&port);
	batch_connect = dial;
	return batch_main("tcp");
}
