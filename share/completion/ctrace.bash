# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for ctrace(1) and ctraced(8). Commands and options come from --help, so they always fit
# the installed program.

# Prints "SHORT LONG ARGUMENT" ("-" for none) for each option of a help text.
_ctrace_options()
{
	local line

	while IFS= read -r line; do
		[[ $line =~ ^\ \ +((-.),\ )?(--[a-z-]+)(\ ([^\ ]+))?(\ .*)?$ ]] &&
			echo "${BASH_REMATCH[2]:--} ${BASH_REMATCH[3]} ${BASH_REMATCH[5]:--}"
	done
}

# Completes the argument of an option.
_ctrace_values()
{
	local exe=$1 option=$2 argument=$3 cur=$4

	case $option in
	--metric)
		compgen -W "p50 p95 p99 max mean" -- "$cur"
		;;
	--report)
		compgen -W "junit= markdown= gitlab= openmetrics= github" -- "$cur"
		;;
	--alternate)
		compgen -c -- "$cur"
		;;
	--keep)
		compgen -d -- "$cur"
		;;
	--format)
		if [[ $command == export ]]; then
			compgen -W "perfetto chrome speedscope folded ndjson csv otlp otlp-json" -- "$cur"
		else
			compgen -W "json dot" -- "$cur"
		fi
		;;
	--policy)
		compgen -W "ctrace panappticon appinsight" -- "$cur"
		;;
	--sort)
		# the error about an unknown column lists all columns
		compgen -W "$("$exe" "$command" --sort '?' FILE 2>&1 | sed -n '1{s/.*give //;s/,/ /g;s/ or / /p}')" -- "$cur"
		;;
	--table)
		compgen -W "intervals edges requests jobs" -- "$cur"
		;;
	--kind)
		if [[ $command != dump ]]; then
			compgen -W "offcpu blame oncpu" -- "$cur"
			return
		fi
		# the error about an unknown kind lists all kinds
		compgen -W "$("$exe" dump --kind '?' 2>&1 | sed -n 's/.*; there are //p')" -P "${cur%"${cur##*,}"}" -- "${cur##*,}"
		;;
	--cuts-off)
		compgen -W "idle job batch peers exec" -P "${cur%"${cur##*,}"}" -- "${cur##*,}"
		;;
	--without)
		compgen -W "task: process: object: wait: resource:" -- "$cur"
		;;
	--pid | --tid | --path)
		compgen -W "$(cd /proc && printf '%s\n' [0-9]*)" -- "$cur"
		;;
	--comm)
		compgen -W "$(cat /proc/[0-9]*/comm 2>/dev/null | grep -v '[^[:alnum:]_.-]' | sort -u)" -- "$cur"
		;;
	--group-may)
		compgen -W "status snapshot watch" -- "$cur"
		;;
	--by)
		compgen -W "cpus governor cgroup kernel" -- "$cur"
		;;
	--hangs)
		compgen -W "yes no" -- "$cur"
		;;
	--group)
		compgen -g -- "$cur"
		;;
	--state-dir)
		compgen -d -- "$cur"
		;;
	*)
		case $argument in
		FILE | PATH | TRACE | LIST | GOOD) compgen -f -- "$cur" ;;
		esac
		;;
	esac
}

# Completes an argument that is no option: a file, or the command that record, check and delay run.
_ctrace_rest()
{
	local command=$1 cur=$2 i

	case $command in
	help | status | budget | metrics | doctor | watch | waits | top | snapshot | ctraced) ;;
	mark)
		((COMP_CWORD == 3)) && compgen -W "begin end" -- "$cur"
		;;
	record | check | delay)
		for ((i = 2; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} == -- ]] && break
		done
		if ((i + 1 < COMP_CWORD)); then
			compgen -f -- "$cur"
		else
			compgen -c -- "$cur"
		fi
		;;
	compare)
		compgen -f -X '!*.@(ctr|json)' -- "$cur"
		compgen -d -- "$cur"
		;;
	*)
		compgen -f -X '!*.ctr' -- "$cur"
		compgen -d -- "$cur"
		;;
	esac
}

_ctrace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local exe=${COMP_WORDS[0]/#\~/$HOME} command=${COMP_WORDS[1]} options found

	COMPREPLY=()
	[[ $cur == = ]] && cur=
	[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
	if [[ ${exe##*/} == ctraced ]]; then
		command=ctraced
		options=$("$exe" --help 2>/dev/null | sed 's/--help, --version/--help\n  --version/' | _ctrace_options)
	elif ((COMP_CWORD == 1)) || [[ $command == help && COMP_CWORD -eq 2 ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$exe" --help 2>/dev/null | sed -nE 's/^  ([a-z]+) .*/\1/p') help --help --version" \
			-- "$cur")
		return
	else
		options=$("$exe" "$command" --help 2>/dev/null | _ctrace_options)
	fi
	found=$(awk -v o="$prev" '($1 == o || $2 == o) && $3 != "-" { print $2, $3; exit }' <<<"$options")
	if [[ $found ]]; then
		mapfile -t COMPREPLY < <(_ctrace_values "$exe" "${found% *}" "${found#* }" "$cur")
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(awk '{ print $2 }' <<<"$options")" -- "$cur")
	else
		mapfile -t COMPREPLY < <(_ctrace_rest "$command" "$cur")
	fi
	[[ ${COMPREPLY[0]} == *[:,] ]] && compopt -o nospace 2>/dev/null
	compopt -o filenames 2>/dev/null
}

complete -F _ctrace ctrace ctraced
