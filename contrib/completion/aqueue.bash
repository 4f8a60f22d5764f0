# bash completion for aqueue(1). A test compares the words with aqueue --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_aqueue()
{
	local cur prev
	local options="
		--job= --user= --me --queue= --job-set= --name= --priority-class= --account= --label= --state= --nodelist= --array --attempts --detail
		--since= --start --steps --watch --noheader --format= --json --help --version"

	_armada_begin
	_armada_filter_value && return
	case $prev in
	--format | -o | -O)
		_armada_columns aqueue
		return
		;;
	-s | -n)
		return
		;;
	esac
	_armada_wants_value "$options" && return
	if [[ $cur == -* ]]; then
		_armada_options "$options"
	else
		_armada_jobs
	fi
}
complete -F _aqueue aqueue
