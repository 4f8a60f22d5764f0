# bash completion for ashare(1). A test compares the words with ashare --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_ashare()
{
	local cur prev
	local options="
		--history --since= --properties --rounds --plot= --stacked
		--noheader --format= --json --help --version"

	_armada_begin
	case $prev in
	--plot)
		_armada_files
		return
		;;
	--format | -o)
		_armada_columns ashare
		return
		;;
	--since | -S)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		_armada_options "$options"
	else
		_armada_values ashare --noheader --format queue
	fi
}
complete -F _ashare ashare
