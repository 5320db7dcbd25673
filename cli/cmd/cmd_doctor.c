// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cmd/commands.h"
#include "cli/client/client.h"
#include "cli/client/oneshot.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/clean.h"
#include "lib/cleanup.h"
#include "procfs/hostns.h"

static const struct cli_usage usage = {
	.name = "doctor",
	.args = "[--json] [--socket PATH]",
	.about =
		"Shows what this machine allows, and which hooks into the kernel are live. Asks the running daemon.\n"
		"If no daemon runs and you are root, it starts one for a moment.",
	.options = client_options,
};

struct finding {
	const char *name;
	char value[128];
	bool good;
	const char *advice;
};
enum {
	FOUND_PRIVILEGE,
	FOUND_NAMESPACES,
	FOUND_KERNEL,
	FOUND_BTF,
	FOUND_LOCKDOWN,
	FOUND_PARANOID,
	FOUND_DAEMON,
	FOUND_CNT
};

static bool first_line(const char *path, char buf[128])
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");

	if (!f || !fgets(buf, 128, f))
		return false;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

static void look_at_privilege(struct finding *f)
{
	/* Bits of CapEff in /proc/self/status. ctraced needs BPF and PERFMON, or SYS_ADMIN. */
	const unsigned long long bpf = 1ULL << 39, perfmon = 1ULL << 38, admin = 1ULL << 21;
	_cleanup_fclose_ FILE *s = fopen("/proc/self/status", "re");
	unsigned long long caps = 0;
	char line[256];

	while (s && fgets(line, sizeof(line), s))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	f->name = "privilege";
	f->good = caps & admin || (caps & bpf && caps & perfmon);
	snprintf(f->value, sizeof(f->value), "%s%s", geteuid() ? "not root" : "root",
		 f->good ? "" : ", without the capabilities to trace");
	f->advice = "run it as root; in a container, give it CAP_BPF and CAP_PERFMON";
}

/* Even in a privileged container, a task may have another tid than on the host. */
static void look_at_namespaces(struct finding *f)
{
	unsigned found = hostns_look();

	f->name = "namespaces";
	f->advice = hostns_advice(found);
	f->good = !f->advice;
	snprintf(f->value, sizeof(f->value), "%s%s",
		 f->good ? "those of the machine" : "not those of the machine",
		 found & HOSTNS_CGROUP ? "; but control groups are named relative to a container's" : "");
}

static void look_at_kernel(struct finding *f)
{
	struct utsname u = { 0 };
	unsigned major = 0, minor = 0;

	uname(&u);
	sscanf(u.release, "%u.%u", &major, &minor);
	f->name = "kernel";
	f->good = major > 5 || (major == 5 && minor >= 15);
	snprintf(f->value, sizeof(f->value), "%.60s %.40s", u.release, u.machine);
	f->advice = "ctrace needs Linux 5.15 or newer";
}

static void look_at_lockdown(struct finding *f)
{
	char line[128] = "", word[32] = "unknown";
	const char *open;

	if (first_line("/sys/kernel/security/lockdown", line)) {
		open = strchr(line, '[');
		if (open)
			sscanf(open, "[%31[a-z]", word);
	} else {
		strcpy(word, "none seen");
	}
	f->name = "lockdown";
	f->good = strcmp(word, "confidentiality") != 0;
	snprintf(f->value, sizeof(f->value), "%s", word);
	f->advice = "the kernel forbids BPF to read its memory; boot without lockdown=confidentiality";
}

static void look(struct finding f[FOUND_CNT])
{
	memset(f, 0, FOUND_CNT * sizeof(*f));
	look_at_privilege(&f[FOUND_PRIVILEGE]);
	look_at_namespaces(&f[FOUND_NAMESPACES]);
	look_at_kernel(&f[FOUND_KERNEL]);
	f[FOUND_BTF].name = "btf";
	f[FOUND_BTF].good = !access("/sys/kernel/btf/vmlinux", R_OK);
	strcpy(f[FOUND_BTF].value, f[FOUND_BTF].good ? "yes" : "no");
	f[FOUND_BTF].advice =
		access("/sys/kernel", F_OK)
			? "sysfs is not mounted here; mount it (mount -t sysfs sysfs /sys)"
			: "the kernel must be built with CONFIG_DEBUG_INFO_BTF; those of distributions are";
	look_at_lockdown(&f[FOUND_LOCKDOWN]);
	f[FOUND_PARANOID].name = "perf_event_paranoid";
	/* always good: root may ignore this limit, but many people ask about the limit */
	f[FOUND_PARANOID].good = true;
	if (!first_line("/proc/sys/kernel/perf_event_paranoid", f[FOUND_PARANOID].value))
		strcpy(f[FOUND_PARANOID].value, "not there");
	f[FOUND_DAEMON].name = "daemon";
	f[FOUND_DAEMON].good = true;
}

static json_t *ask(const char *socket, char *where, size_t size, char err[CLIENT_ERR_MAX])
{
	json_t *answer = NULL;
	struct oneshot *own = NULL;
	int r = client_command(socket, "doctor", WAIT_ANSWER_MS, &answer, err);

	if (!r) {
		snprintf(where, size, "running, %s", socket);
	} else if ((r == -ENOENT || r == -ECONNREFUSED) && !geteuid()) {
		snprintf(where, size, "not running at %s; one was started for a moment", socket);
		if (oneshot_start("/tmp", ONESHOT_SIZE_MIN, "no", &own))
			strcpy(err, "ctraced could not be started");
		else
			(void)client_command(oneshot_socket(own), "doctor", WAIT_ANSWER_MS, &answer, err);
		oneshot_free(own);
	} else {
		snprintf(where, size, "not asked");
	}
	return answer;
}

static int print_json(const struct finding *f, json_t *answer, bool able)
{
	json_t *checks = json_array(), *doc = answer ? answer : json_object();

	for (unsigned i = 0; i < FOUND_CNT; i++)
		json_array_append_new(checks, json_pack("{s:s,s:o,s:b,s:o}", "name", f[i].name, "value",
							text_json(f[i].value), "ok", f[i].good, "advice",
							text_json(f[i].good ? "" : f[i].advice)));
	json_object_set_new(doc, "checks", checks);
	json_object_set_new(doc, "able", json_boolean(able));
	if (!answer)
		json_object_set_new(doc, "hooks", json_array());
	return text_print_json(text_document("ctrace.doctor/1", doc));
}

static void print_mark(bool good)
{
	printf("%s%-5s%s", cli_sgr(stdout, good ? "32" : "31"), good ? "ok" : "no", cli_sgr(stdout, "0"));
}

static const char *str(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void print_hooks(const json_t *hooks)
{
	size_t i;
	json_t *h;

	printf("\nHooks:\n");
	json_array_foreach (hooks, i, h) {
		bool live = json_is_true(json_object_get(h, "live"));

		print_mark(live);
		printf(" %-20s %s\n", str(h, "name"), live ? str(h, "how") : str(h, "why"));
		if (!live && *str(h, "without"))
			printf("      %-20s without it: %s\n", "", str(h, "without"));
	}
}

static void print_text(const struct finding *f, const json_t *answer)
{
	for (unsigned i = 0; i < FOUND_CNT; i++) {
		_cleanup_free_ char *value = clean_dup(f[i].value), *advice = clean_dup(f[i].advice ?: "");

		print_mark(f[i].good);
		printf(" %-20s %s\n", f[i].name, value ?: "");
		if (!f[i].good)
			printf("      %-20s %s\n", "", advice ?: "");
	}
	if (answer)
		print_hooks(json_object_get(answer, "hooks"));
}

int cmd_doctor(int argc, char **argv)
{
	struct cli_parse p = cli_parse(&usage, argc, argv);
	struct finding found[FOUND_CNT];
	struct client_options o = { .socket = client_socket() };
	char err[CLIENT_ERR_MAX];
	bool able = true;
	json_t *answer;

	if (cli_parse_into(&p, &o))
		return p.exit_code;
	look(found);
	answer = ask(o.socket, found[FOUND_DAEMON].value, sizeof(found[FOUND_DAEMON].value), err);
	if (!answer) {
		found[FOUND_DAEMON].good = false;
		found[FOUND_DAEMON].advice = err;
	}
	for (unsigned i = 0; i < FOUND_CNT; i++)
		able = able && (found[i].good || (answer && i != FOUND_DAEMON));
	if (o.json) {
		print_json(found, answer, able);
	} else {
		if (answer)
			/* if this fails, the cleaner of stdout (output.h) makes the strings safe */
			(void)text_clean(answer);
		print_text(found, answer);
		json_decref(answer);
	}
	return able ? CLI_OK : CLI_FAILED;
}
