# bash completion for acancel(1). A test holds the words to acancel --help.

_acancel()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local options="
		--job= --user= --me --queue= --job-set= --name= --priority-class= --state= --nodelist= --signal= --batch --reason= --dry-run
		--quiet --help --version"

	if [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 1]}
		cur=
	fi
	COMPREPLY=()
	case $prev in
	--queue | -q)
		COMPREPLY=($(compgen -W "$(actl queue list --noheader --format name 2>/dev/null)" -- "$cur"))
		return
		;;
	--nodelist | -w)
		COMPREPLY=($(compgen -W "$(anode --noheader --format name 2>/dev/null)" -- "$cur"))
		return
		;;
	--state | -t)
		COMPREPLY=($(compgen -W "PENDING RUNNING COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL OUT_OF_MEMORY UNKNOWN all" -- "$cur"))
		return
		;;
	--signal)
		COMPREPLY=($(compgen -W "HUP INT QUIT KILL USR1 USR2 TERM CONT STOP TSTP" -- "$cur"))
		return
		;;
	--user | -u)
		COMPREPLY=($(compgen -u -- "$cur"))
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
	else
		COMPREPLY=($(compgen -W "$(aqueue --me --noheader --format job 2>/dev/null)" -- "$cur"))
	fi
}
complete -F _acancel acancel
