# bash completion for anode(1). A test holds the words to anode --help.

_anode()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local options="
		--state= --yes --now --no-resume --noheader --format= --json --help --version"

	if [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 1]}
		cur=
	fi
	COMPREPLY=()
	case $prev in
	--state | -t)
		COMPREPLY=($(compgen -W "up draining drained down unknown" -- "$cur"))
		return
		;;
	drain | resume | reboot | confirm-dead | label | taint | delete)
		COMPREPLY=($(compgen -W "$(anode --noheader --format name 2>/dev/null)" -- "$cur"))
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
	elif ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "list drain resume reboot confirm-dead label taint delete" -- "$cur"))
	fi
}
complete -F _anode anode
