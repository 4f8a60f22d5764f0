# bash completion for ashare(1). A test compares the words with ashare --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_ashare()
{
	local cur prev
	local options="
		--history --since= --properties --plot=
		--noheader --format= --json --help --version"

	_armada_begin
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
		_armada_options "$options"
	else
		COMPREPLY=($(compgen -W "$(ashare --noheader --format queue 2>/dev/null)" -- "$cur"))
	fi
}
complete -F _ashare ashare
