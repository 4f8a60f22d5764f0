# bash completion for asim(1). A test compares the words with asim --help.

_asim()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local options="
		--seed= --seeds= --steps= --plugins= --explain --stop --verbose --check --config= --time --help --version"

	COMPREPLY=()
	case $prev in
	--config)
		COMPREPLY=($(compgen -f -- "${cur#=}"))
		return
		;;
	--plugins | =)
		COMPREPLY=($(compgen -d -- "${cur#=}"))
		return
		;;
	esac
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "rounds storm --help --version" -- "$cur"))
	elif [[ ${COMP_WORDS[1]} == rounds && $cur != -* ]]; then
		COMPREPLY=($(compgen -f -- "$cur"))
	elif [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
	fi
}
complete -F _asim asim
