# bash completion for acancel(1). A test compares the words with acancel --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_acancel()
{
	local cur prev
	local options="
		--job= --user= --me --queue= --job-set= --name= --priority-class= --state= --nodelist= --signal= --batch --reason= --dry-run
		--quiet --help --version"

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
	--signal)
		_armada_offer "HUP INT QUIT KILL USR1 USR2 TERM CONT STOP TSTP"
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
complete -F _acancel acancel
