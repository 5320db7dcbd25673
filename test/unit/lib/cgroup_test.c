// SPDX-License-Identifier: GPL-2.0-or-later
#include "lib/cgroup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/cleanup.h"

#define ID    "4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c7a9be02d4f1c"
#define POD   "3f2a8c1e-9d4b-4a7e-8f10-0123456789ab"
#define POD_  "3f2a8c1e_9d4b_4a7e_8f10_0123456789ab"
#define SHORT "4f1c7a9be02d"

static const struct {
	const char *path, *container, *id, *unit;
} cases[] = {
	{ "/system.slice/docker-" ID ".scope", SHORT, ID, "docker-" ID ".scope" },
	{ "/docker/" ID, SHORT, ID, "" },
	{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container", SHORT, ID,
	  "libpod-" ID ".scope" },
	{ "/libpod_parent/libpod-" ID, SHORT, ID, "" },
	{ "/machine.slice/libpod-conmon-" ID ".scope", "", "", "libpod-conmon-" ID ".scope" },
	{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_ ".slice/cri-containerd-" ID
	  ".scope",
	  SHORT, ID, "cri-containerd-" ID ".scope" },
	{ "/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID ".scope", SHORT, ID, "crio-" ID ".scope" },
	{ "/kubepods/besteffort/pod" POD "/" ID, SHORT, ID, "" },
	{ "/system.slice/containerd.service/kubepods-burstable-pod" POD_ ".slice:cri-containerd:" ID, SHORT,
	  ID, "containerd.service" },
	{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD_ ".slice", "pod-3f2a8c1e",
	  "", "" },
	{ "/kubepods/pod" POD, "pod-3f2a8c1e", "", "" },
	{ ".../kubepods-burstable-pod" POD_ ".slice/cri-containerd-" ID ".scope", SHORT, ID,
	  "cri-containerd-" ID ".scope" },
	{ "/lxc.payload.web/system.slice/nginx.service", "web", "", "nginx.service" },
	{ "/lxc.payload/web", "web", "", "" },
	{ "/lxc/web/init.scope", "web", "", "init.scope" },
	{ "/lxc.monitor.web", "", "", "" },
	{ "/machine.slice/systemd-nspawn@build.service/payload", "build", "",
	  "systemd-nspawn@build.service" },
	{ "/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/libvirt/vcpu0", "qemu-1-vm", "",
	  "machine-qemu-1-vm.scope" },
	{ "/docker/" ID "/lxc.payload.inner/init.scope", "inner", ID, "init.scope" },
	{ "/system.slice/nginx.service", "", "", "nginx.service" },
	{ "/system.slice/system-getty.slice/getty@tty1.service", "", "", "getty@tty1.service" },
	{ "/user.slice/user-1000.slice/session-2.scope", "", "", "session-2.scope" },
	{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-firefox-4242.scope", "", "",
	  "app-gnome-firefox-4242.scope" },
	{ "/user.slice/user-0.slice", "", "", "" },
	{ "/init.scope", "", "", "init.scope" },
	{ "/", "", "", "" },
	{ "", "", "", "" },
	{ "/docker/" ID "0", "", "", "" },
	{ "/builds/4f1c7a9be02d", "", "", "" },
	{ "/system.slice/docker-proxy.scope", "", "", "docker-proxy.scope" },
	{ "/system.slice/docker-.scope", "", "", "docker-.scope" },
	{ "/kubepods/podcast", "", "", "" },
	{ "/.service", "", "", "" },
	{ "/a\\x2", "", "", "" },
};

static void test_paths(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[CGROUP_NAME_MAX], id[CGROUP_ID_LEN + 1];

		assert_int_equal(cgroup_container(cases[i].path, name), !!*cases[i].container);
		assert_string_equal(name, cases[i].container);
		assert_int_equal(cgroup_container_id(cases[i].path, id), !!*cases[i].id);
		assert_string_equal(id, cases[i].id);
		assert_int_equal(cgroup_unit(cases[i].path, name), !!*cases[i].unit);
		assert_memory_equal(name, cases[i].unit, MIN(strlen(cases[i].unit) + 1, sizeof(name) - 1));
	}
}

static void test_long_names(void **state)
{
	char path[4096], name[CGROUP_NAME_MAX];

	snprintf(path, sizeof(path), "/lxc.payload.%03000d", 7);
	assert_true(cgroup_container(path, name));
	assert_int_equal(strlen(name), CGROUP_NAME_MAX - 1);
	snprintf(path, sizeof(path), "/%03000d.service", 7);
	assert_true(cgroup_unit(path, name));
	assert_int_equal(strlen(name), CGROUP_NAME_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
