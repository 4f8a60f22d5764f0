# bash completion for aqueue(1). A test compares the words with aqueue --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_aqueue()
{
	local cur prev
	local options="
		--job= --user= --me --queue= --job-set= --name= --priority-class= --state= --nodelist= --array --detail
		--start --noheader --format= --json --help --version"

	_armada_begin
	case $prev in
	--queue | -q)
		_armada_queues
		return
		;;
	--priority-class)
		_armada_classes
		return
		;;
	--nodelist | -w)
		_armada_nodes
		return
		;;
	--state | -t)
		_armada_offer "PENDING RUNNING COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL OUT_OF_MEMORY UNKNOWN all"
		return
		;;
	--job-set | -s | --name | -n | --format | -o)
		return
		;;
	--user | -u)
		COMPREPLY=($(compgen -u -- "$cur"))
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		_armada_options "$options"
	else
		_armada_jobs
	fi
}
complete -F _aqueue aqueue
