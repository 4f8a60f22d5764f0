# bash completion for asim(1). A test compares the words with asim --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_asim()
{
	local cur prev
	local options="
		--seed= --seeds= --steps= --plugins= --elastic= --tasks= --explain --replicated --seconds= --stop --verbose --check --config= --time --help --version"

	_armada_begin
	case $prev in
	--config)
		_armada_files
		return
		;;
	--plugins)
		_armada_directories
		return
		;;
	esac
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "rounds storm --help --version" -- "$cur"))
	elif [[ ${COMP_WORDS[1]} == rounds && $cur != -* ]]; then
		_armada_files
	elif [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
	fi
}
complete -F _asim asim
