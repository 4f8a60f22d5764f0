# bash completion for acancel(1). A test compares the words with acancel --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_acancel()
{
	local cur prev
	local options="
		--job= --user= --me --queue= --job-set= --name= --priority-class= --account= --label= --state= --nodelist= --signal= --batch --reason= --dry-run
		--quiet --help --version"

	_armada_begin
	_armada_filter_value && return
	case $prev in
	--signal)
		_armada_offer "HUP INT QUIT KILL USR1 USR2 TERM CONT STOP TSTP"
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
complete -F _acancel acancel
