/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A unix server reads the requests of three clients with one wake, and answers them together. */
#include "batch.h"

static int dial(void)
{
	return unix_connect("batch");
}

int main(void)
{
	batch_listener = unix_listen("batch");
	batch_connect = dial;
	return batch_main("unix");
}
