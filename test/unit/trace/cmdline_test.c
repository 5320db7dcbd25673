// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lib/cleanup.h"
#include "trace/words/cmdline.h"

static void test_short(void **state)
{
	static const struct {
		const char *text, *comm, *want;
	} cases[] = {
		{ "/usr/bin/python3 /usr/bin/gunicorn -w 4 app:app", "python3", " (gunicorn -w 4 app:app)" },
		{ "/usr/bin/python3.11 -u -W ignore /srv/shop.py 8000", "python3", " (shop.py 8000)" },
		{ "/usr/bin/python3 /usr/bin/gunicorn -w 4 app:app", "gunicorn", " (-w 4 app:app)" },
		{ "python3 -m http.server 8000", "python3", " (http.server 8000)" },
		{ "python3 -c import time; time.sleep(9)", "python3", " (-c import time; time.sleep(9))" },
		{ "python3", "python3", "" },
		{ "java -Xmx1g -cp /a.jar:/b.jar com.shop.Main 7", "java", " (com.shop.Main 7)" },
		{ "java -jar /srv/shop.jar", "http-nio-8080", " (shop.jar)" },
		{ "-bash", "bash", "" },
		{ "/bin/sh -e /etc/rc.local start", "rc.local", " (-e /etc/rc.local start)" },
		{ "bash -c make -j4", "bash", " (-c make -j4)" },
		{ "/usr/bin/curl -s http://a/", "curl", " (-s http://a/)" },
		{ "/usr/bin/sleep 100", "sleep", " (sleep 100)" },
		{ "sleep 1m", "sleep", " (1m)" },
		{ "tail -5", "tail", " (-5)" },
		{ "/usr/sbin/mariadbd", "mariadbd", "" },
		{ "/usr/sbin/mariadbd --port 3307", "connection", " (mariadbd --port 3307)" },
		{ "nginx: worker process", "nginx", " (worker process)" },
		{ "postgres: 15/main: ann shop [local] idle in transaction", "postgres",
		  " (15/main: ann shop [local] idle in tra...)" },
		{ "a-program-with-a-long-name x", "a-program-with-", " (x)" },
		{ "/opt/tools/ x", "tools", " (tools/ x)" },
		{ "", "cat", "" },
		{ " ", "cat", "" },
		{ "-", "cat", "" },
		{ "/", "cat", " (/)" },
		{ "cat a\033[31mb", "cat", " (a\\x1b[31mb)" },
		{ "/usr/bin/pgbouncer /etc/pgbouncer/instances/one/pgbouncer.ini", "pgbouncer",
		  " (pgbouncer.ini)" },
		{ "a /b/ /c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u / x", "a", " (b/ u / x)" },
		{ "cat 123456789012345678901234567890123456\xc3\xa9\xc3\xa9\xc3\xa9", "cat",
		  " (123456789012345678901234567890123456...)" },
	};
	char buf[CMDLINE_SHORT_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(cmdline_short(cases[i].text, cases[i].comm, 40, buf), cases[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_short) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
