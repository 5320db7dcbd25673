#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in the guest. Prints sections for run_vm: "@@begin NAME", the output, "@@end NAME STATUS".
section() {
	name=$1
	shift
	echo "@@begin $name"
	"$@" 2>/tmp/stderr
	rc=$?
	echo
	[ $rc = 0 ] || tail -c 600 /tmp/stderr
	echo "@@end $name $rc"
	return $rc
}
value() { sed -n "s/^$1=//p" "/tmp/$2.out"; }
sock=/run/ctraced.sock
state=/tmp/state
start_daemon() {
	# The emulated guest is slow: with a budget, the daemon would leave out records. 0: no budget.
	ctraced --state-dir $state --socket $sock --size 32M --budget 0 2>>/tmp/daemon.log &
	daemon=$!
	n=0
	until ctrace status --socket $sock --json >/dev/null 2>&1; do
		n=$((n + 1))
		kill -0 $daemon 2>/dev/null && [ $n -lt 100 ] || return 1
		sleep 0.3
	done
}
diagnose() {
	span="--tid $(value victim_tid "$2") --from mono:$(value t_start_ns "$2") --to mono:$(value t_end_ns "$2")"
	section "diagnose.$1" ctrace diagnose "$3" $span --json
	section "path.$1" ctrace path "$3" $span --json
}

uname -r
if ! start_daemon; then
	section daemon cat /tmp/daemon.log
	exit 1
fi
section doctor ctrace doctor --socket $sock --json
for work in $WORKS; do
	"/programs/$work" >"/tmp/$work.out" 2>&1
	section "work.$work" cat "/tmp/$work.out"
	sleep 1
	section "snapshot.$work" ctrace snapshot --socket $sock --last 30s -o "/tmp/$work.ctr"
	diagnose "$work" "$work" "/tmp/$work.ctr"
	rm -f "/tmp/$work.ctr"
done
section status ctrace status --socket $sock --json

LIVE_SCALE=20 /programs/deadlock >/tmp/deadlock.out 2>&1 &
hung=$!
sleep 3
section work.deadlock cat /tmp/deadlock.out
section waits ctrace waits --json
kill -9 $hung

last=${WORKS##* }
kill -9 $daemon
wait $daemon 2>/dev/null
section info.killed ctrace info $state/ctrace.ctr --json
diagnose killed "$last" $state/ctrace.ctr
start_daemon
section restarted ctrace status --socket $sock --json
kill -TERM $daemon
wait $daemon
section stopped sh -c "exit $?"
section info.again ctrace info $state/ctrace.ctr --json
section daemon cat /tmp/daemon.log
