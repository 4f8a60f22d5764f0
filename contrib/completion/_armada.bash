# Functions shared by the completions of all commands of Armada. The completions source this file and
# declare cur and prev.

# Sets cur to the current word and prev to the option before it, with or without an equals sign
# between them.
_armada_begin()
{
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	if [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == = ]]; then
		cur=
	fi
	COMPREPLY=()
}

# _armada_offer WORDS: offers the words that begin with the current word
_armada_offer()
{
	COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

# _armada_offer_list WORDS: offers the words for the last entry of a list separated by commas
_armada_offer_list()
{
	local before=

	[[ $cur == *,* ]] && before=${cur%,*},
	COMPREPLY=($(compgen -P "$before" -W "$1" -- "${cur##*,}"))
}

# _armada_options WORDS: offers options; an option that takes a value gets no space after it
_armada_options()
{
	_armada_offer "$1"
	[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}

# Offers files or directories. As a program, a word tells the other shell to offer them as it does.
_armada_files()
{
	_armada_paths -f :files
}

_armada_directories()
{
	_armada_paths -d :directories
}

_armada_commands()
{
	_armada_paths -c :commands
}

# _armada_paths ACTION MARK
_armada_paths()
{
	local IFS=$'\n'

	compopt -o filenames
	if [[ ${_armada_program-} ]]; then
		COMPREPLY=("$2")
	else
		COMPREPLY=($(compgen "$1" -- "$cur"))
	fi
}

# _armada_ask COMMAND...: what a command of Armada prints. A controller that does not answer at once is no reason to
# wait, and its absence no reason for a message.
_armada_ask()
{
	timeout -k 1 2 "$@" 2>/dev/null </dev/null
}

# _armada_values COMMAND...: offers the lines that a command prints, also in a list
_armada_values()
{
	_armada_offer_list "$(_armada_ask "$@")"
}

_armada_queues()
{
	_armada_values actl queue list --noheader --format name
}

_armada_classes()
{
	_armada_values actl show classes --noheader --format class
}

_armada_accounts()
{
	_armada_values actl show accounts --noheader --format account
}

_armada_nodes()
{
	_armada_values anode --noheader --format name
}

# The controllers of a cluster that has several.
_armada_controllers()
{
	_armada_offer "$(_armada_ask actl ping --json | tr -d '\n' | sed -n 's/.*"controllers": *\[\([^]]*\)\].*/\1/p' |
		grep -oE '"name": *"[^"]*"' | cut -d '"' -f 4)"
}

_armada_jobs()
{
	_armada_values aqueue --me --noheader --format job
}

_armada_users()
{
	_armada_offer_list "$(compgen -u)"
}

# A test compares them with src/client/jobstate.c.
_armada_states()
{
	_armada_offer_list "PENDING CONFIGURING RUNNING SUSPENDED COMPLETING UNKNOWN COMPLETED FAILED CANCELLED TIMEOUT PREEMPTED
		NODE_FAIL OUT_OF_MEMORY all"
}

# _armada_columns COMMAND [LISTING]: offers the columns that its --help lists, or those behind the words LISTING there
_armada_columns()
{
	_armada_offer_list "$("$1" --help 2>/dev/null |
		sed -n "/^${2-.*}"'[Cc]olumns for --format:$/,/^$/s/^  \([a-z_][a-z0-9_]*\) .*/\1/p' | sort -u)"
}

# The values of an option that selects jobs, for aqueue, acancel and actl; false if it has no known values.
_armada_filter_value()
{
	case $prev in
	--job | -j) _armada_jobs ;;
	--user | -u) _armada_users ;;
	--queue | -q) _armada_queues ;;
	--priority-class | --class) _armada_classes ;;
	--account | -A) _armada_accounts ;;
	--nodelist | --node | -w) _armada_nodes ;;
	--state | -t) _armada_states ;;
	*) return 1 ;;
	esac
	return 0
}

# _armada_wants_value OPTIONS: true if the word before is an option that takes a value
_armada_wants_value()
{
	[[ $prev == --* && " ${1//[[:space:]]/ } " == *" $prev= "* ]]
}

# True if the current word is behind an equals sign: an option whose value may be absent has it there only.
_armada_behind_equals()
{
	[[ ${COMP_WORDS[COMP_CWORD]} == = || ${COMP_WORDS[COMP_CWORD - 1]} == = ]]
}

# The values of a job option, for asubmit and arun; false if the option has no known values.
_armada_job_value()
{
	case $prev in
	--elastic | --exclusive)
		_armada_behind_equals || return
		case $prev in
		--elastic) _armada_offer "yes no" ;;
		--exclusive) _armada_offer user ;;
		esac
		;;
	--queue | -q) _armada_queues ;;
	--priority-class) _armada_classes ;;
	--account | -A) _armada_accounts ;;
	--nodelist | -w | --exclude | -x) _armada_nodes ;;
	--launch) _armada_offer "all first" ;;
	--mpi) _armada_offer "auto none" ;;
	--propagate) _armada_offer "ALL NONE cpu fsize data stack core rss nproc nofile memlock as" ;;
	--bind) _armada_offer "none cpus cores sockets numa" ;;
	--chdir | -D) _armada_directories ;;
	--output | -o | --error | -e | --input | -i | --file | -f) _armada_files ;;
	*) return 1 ;;
	esac
	return 0
}

# As a program, for shells other than bash: the words of a command line, the last one not complete. Prints a candidate
# in each line, or ":files", ":directories" or ":commands".
_armada_main()
{
	local _armada_program=1 dir=${BASH_SOURCE[0]%/*} word before=
	local -a words=()

	compopt() { :; }
	source "$dir/$1.bash" 2>/dev/null || source "$dir/$1" || return
	for word; do
		if [[ $word == --*=* ]]; then
			words+=("${word%%=*}" = "${word#*=}")
		else
			words+=("$word")
		fi
	done
	[[ ${!#} == --*=* ]] && before=${!#} && before=${before%%=*}=
	COMP_WORDS=("${words[@]}")
	COMP_CWORD=$((${#words[@]} - 1))
	"_$1"
	for word in "${COMPREPLY[@]}"; do
		[[ $word == :* ]] && before=
		printf '%s\n' "$before$word"
	done
}
[[ ${#BASH_SOURCE[@]} -gt 1 || $0 != "${BASH_SOURCE[0]}" ]] || _armada_main "$@"
