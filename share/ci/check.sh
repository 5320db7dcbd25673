#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A step of a CI job: fails if a command became slower. Usage: check.sh CMD [ARG...]
#
# The baseline has to survive from job to job: keep CTRACE_BASELINE in a cache of the CI server, or
# in the repository. The first run makes the baseline. Exit status: see ctrace-check(1).
set -u
ctrace=${CTRACE:-ctrace}
baseline=${CTRACE_BASELINE:-ctrace-baseline.json}
reports=${CTRACE_REPORTS:-ctrace-reports}
options=${CTRACE_OPTIONS:-}

mkdir -p "$reports" || exit 2
# ctrace finds causes only as root, or with a sudo that asks for no password. Otherwise it measures
# only times.
sudo=
if [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; then
	sudo="sudo -n"
fi
# shellcheck disable=SC2086 # the options and sudo are lists of words
$sudo "$ctrace" check --baseline "$baseline" --update $options \
	--report junit="$reports/check.xml" --report markdown="$reports/check.md" \
	--report gitlab="$reports/check.json" --report openmetrics="$reports/check.txt" -- "$@"
