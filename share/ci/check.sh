#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A step of a CI job: compares a command with its earlier runs. Usage: check.sh CMD [ARG...]
#
# The first job writes the baseline ($CTRACE_BASELINE). Later jobs read and update it. So keep the
# baseline in a cache of the CI server, or in the repository. Exit status: see ctrace-check(1).
set -u
ctrace=${CTRACE:-ctrace}
baseline=${CTRACE_BASELINE:-ctrace-baseline.json}
reports=${CTRACE_REPORTS:-ctrace-reports}
options=${CTRACE_OPTIONS:-}

mkdir -p "$reports" || exit 2
# Without root, the check measures only times, and finds no causes. So use sudo, if it runs
# `ctrace check` without a password.
sudo=
if [ "$(id -u)" != 0 ] && sudo -n "$ctrace" check --help >/dev/null 2>&1; then
	sudo="sudo -n"
fi
# shellcheck disable=SC2086 # the options and sudo are lists of words
$sudo "$ctrace" check --baseline "$baseline" --update $options \
	--report junit="$reports/check.xml" --report markdown="$reports/check.md" \
	--report gitlab="$reports/check.json" --report openmetrics="$reports/check.txt" -- "$@"
