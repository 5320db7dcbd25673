/* SPDX-License-Identifier: GPL-2.0-or-later */
static volatile int library_flag;

int library_get(void);
void library_set(int value);

int library_get(void)
{
	return library_flag;
}

__attribute__((noinline)) void library_set(int value)
{
	library_flag = value;
}
