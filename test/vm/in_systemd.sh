#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs under systemd, in each of two boots. Prints sections for run_systemd, as in_guest.sh does.
unit=ctraced.service
state=/var/lib/ctrace
export LC_ALL=C TERM=dumb SYSTEMD_PAGER= SYSTEMD_COLORS=0
section() {
	name=$1
	shift
	echo "@@begin $name"
	"$@" 2>/tmp/stderr
	rc=$?
	echo
	[ $rc = 0 ] || tail -c 1200 /tmp/stderr
	echo "@@end $name $rc"
	return $rc
}
# await SECONDS COMMAND...: runs COMMAND until it succeeds, at most 2 * SECONDS times.
await() {
	n=$(($1 * 2))
	shift
	until "$@" >/dev/null 2>&1; do
		n=$((n - 1))
		[ $n -gt 0 ] || return 1
		sleep 0.5
	done
}
property() { systemctl show -P "$1" $unit; }
records() { ctrace status --json; }
another() { [ "$(property MainPID)" != "$1" ] && [ "$(property MainPID)" != 0 ] && records; }
unit_log() { journalctl -q -o cat "$@" | tail -25; }
uptime_is() { read -r up _ </proc/uptime && echo "@@uptime $1 $up"; }

# dies NAME SIGNAL: sends SIGNAL to the daemon. KILL kills the daemon. After STOP, the watchdog of systemd kills it.
# systemd must start a new daemon.
dies() {
	pid=$(property MainPID)
	kill "-$2" "$pid"
	section "$1" await 60 another "$pid"
	section "$1.status" ctrace status --json
	sleep 2 # the daemon writes new records to the file after a second
	section "$1.info" ctrace info $state/ctrace.ctr --json
	uptime_is "$1"
}

caught() { journalctl -q CTRACE_RULE=deadlock -n 1 -o cat | grep -q .; }
hang() {
	LIVE_SCALE=20 systemd-run -q --scope --unit="docker-$(cat /container).scope" /hangs >/hang.out 2>&1 &
	section hang.noticed await 90 caught
	section hang.journal journalctl -q CTRACE_RULE=deadlock -n 1 -o json
	section hang.list ctrace hangs
	snapshot=$(find $state/hangs -name '*.ctr')
	section hang.diagnose ctrace diagnose "$snapshot" --json
	sed -n 's/^victim_tid=//p' /hang.out >/victim
	sed 's/\([0-9]*\)\.\([0-9]*\) .*/\1\2/' /proc/uptime >/when
	systemctl kill -s KILL "docker-$(cat /container).scope"
	uptime_is hang
}

full_disk() {
	fallocate -l "$(($(df -k --output=avail / | tail -n 1)))K" /fill
	dd if=/dev/zero of=/fill.rest bs=4K 2>/dev/null
	section full.used df -k /
	section full.before ctrace status --json
	section full.snapshot sh -c "! ctrace snapshot --last 10s -o /x.ctr"
	sleep 2
	section full.after ctrace status --json
	section full.active systemctl is-active $unit
	rm -f /fill /fill.rest
	uptime_is full
}

refuses() {
	section "$1" sh -c "! systemctl restart $unit"
	section "$1.log" sh -c "journalctl -q -o cat -b -t ctraced -n 1"
	systemctl stop $unit
	systemctl reset-failed $unit
}

cannot_trace() {
	mount --bind /dev/null /sys/kernel/btf/vmlinux
	refuses nobtf
	umount /sys/kernel/btf/vmlinux
	mount -t securityfs none /sys/kernel/security 2>/dev/null
	echo confidentiality >/sys/kernel/security/lockdown
	refuses lockdown
	uptime_is refused
}

first_boot() {
	section install dpkg --force-confold -i /package.deb
	section enabled systemctl is-enabled $unit
	section active await 60 systemctl is-active $unit
	section recording await 60 records
	section log unit_log -u $unit
	section failed systemctl --failed --no-legend --plain
	uptime_is started
	section security systemd-analyze security --no-pager $unit
	section paranoid cat /proc/sys/kernel/perf_event_paranoid
	section doctor ctrace doctor --json
	section status ctrace status --json
	uptime_is asked
	dies watchdog STOP
	section watchdog.log sh -c "journalctl -q -o cat -u $unit | grep -i watchdog"
	dies killed KILL
	hang
	full_disk
	section info.before ctrace info $state/ctrace.ctr --json
	section log.end unit_log -u $unit
	touch /.second-boot
	sync
	echo "@@status 0"
	systemctl reboot
}

second_boot() {
	section boots journalctl --list-boots --no-pager
	section again.active await 60 records
	section again.failed systemctl --failed --no-legend --plain
	section again.log unit_log -b -u $unit
	section info.now ctrace info $state/ctrace.ctr --json
	section again.journal journalctl -q -b -1 CTRACE_RULE=deadlock -n 1 -o json
	section again.list ctrace hangs
	snapshot=$(find $state/hangs -name '*.ctr')
	section again.diagnose ctrace diagnose "$snapshot" --json
	# The range ends before hang() kills the program.
	section again.trace ctrace diagnose $state/ctrace.ctr --boot 1 --tid "$(cat /victim)" --json \
		--from "boot:$(($(cat /when)0000000 - 2000000000))" --to "boot:$(cat /when)0000000"
	section info.earlier ctrace info $state/ctrace.ctr --boot 1 --json
	uptime_is again
	cannot_trace
	section purge dpkg --purge ctrace
	section purge.rest sh -c "! ls -d /run/ctrace /usr/sbin/ctraced 2>/dev/null"
	uptime_is end
	echo "@@status 0"
	systemctl poweroff
}

stty -F /dev/ttyS1 raw -echo
exec >/dev/ttyS1 2>&1 </dev/null
systemctl is-system-running --wait >/dev/null
uptime_is boot
if [ -e /.second-boot ]; then
	second_boot
else
	uname -r
	first_boot
fi
