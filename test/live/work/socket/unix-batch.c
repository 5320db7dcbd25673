/* SPDX-License-Identifier: GPL-2.0-or-later */
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
