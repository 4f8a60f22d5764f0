# bash completion for aexplain(1). A test compares the words with aexplain --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_aexplain()
{
	local cur prev

	_armada_begin
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "--json --help --version" -- "$cur"))
	else
		_armada_values aqueue --me -t PD --noheader --format job
	fi
}
complete -F _aexplain aexplain
