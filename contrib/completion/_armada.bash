# What the completions of all commands of Armada share. They source it; cur and prev are theirs.

# The word in hand and the option before it, with or without an equals sign between them.
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

# _armada_offer WORDS: those that the word in hand begins
_armada_offer()
{
	COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

# _armada_options WORDS: no blank behind one that takes a value
_armada_options()
{
	_armada_offer "$1"
	[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}

_armada_queues()
{
	_armada_offer "$(actl queue list --noheader --format name 2>/dev/null)"
}

_armada_nodes()
{
	_armada_offer "$(anode --noheader --format name 2>/dev/null)"
}

_armada_jobs()
{
	_armada_offer "$(aqueue --me --noheader --format job 2>/dev/null)"
}

# What the value of an option of a job may be, for asubmit and arun; false where it is not known here.
_armada_job_value()
{
	case $prev in
	--queue | -q) _armada_queues ;;
	--nodelist | -w | --exclude | -x) _armada_nodes ;;
	--launch) _armada_offer "all first" ;;
	--mpi) _armada_offer "auto none" ;;
	--propagate) _armada_offer "ALL NONE cpu fsize data stack core rss nproc nofile memlock as" ;;
	--bind) _armada_offer "none cores sockets numa" ;;
	--chdir | -D) COMPREPLY=($(compgen -d -- "$cur")) ;;
	*) return 1 ;;
	esac
	return 0
}
