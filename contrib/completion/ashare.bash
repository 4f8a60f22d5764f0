# bash completion for ashare(1). A test holds the words to ashare --help.

_ashare()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local options="
		--history --since= --plot=
		--noheader --format= --json --help --version"

	if [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 1]}
		cur=
	fi
	COMPREPLY=()
	case $prev in
	--plot)
		COMPREPLY=($(compgen -f -- "$cur"))
		return
		;;
	--format | -o | --since | -S)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
	else
		COMPREPLY=($(compgen -W "$(ashare --noheader --format queue 2>/dev/null)" -- "$cur"))
	fi
}
complete -F _ashare ashare
