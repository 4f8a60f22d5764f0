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

# _armada_options WORDS: offers options; an option that takes a value gets no space after it
_armada_options()
{
	_armada_offer "$1"
	[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}

_armada_queues()
{
	_armada_offer "$(actl queue list --noheader --format name 2>/dev/null)"
}

_armada_classes()
{
	_armada_offer "$(actl show classes --noheader --format class 2>/dev/null)"
}

_armada_nodes()
{
	_armada_offer "$(anode --noheader --format name 2>/dev/null)"
}

_armada_jobs()
{
	_armada_offer "$(aqueue --me --noheader --format job 2>/dev/null)"
}

# The values of a job option, for asubmit and arun; false if the option has no known values.
_armada_job_value()
{
	case $prev in
	--queue | -q) _armada_queues ;;
	--priority-class) _armada_classes ;;
	--nodelist | -w | --exclude | -x) _armada_nodes ;;
	--launch) _armada_offer "all first" ;;
	--mpi) _armada_offer "auto none" ;;
	--propagate) _armada_offer "ALL NONE cpu fsize data stack core rss nproc nofile memlock as" ;;
	--bind) _armada_offer "none cpus cores sockets numa" ;;
	--chdir | -D) COMPREPLY=($(compgen -d -- "$cur")) ;;
	*) return 1 ;;
	esac
	return 0
}
