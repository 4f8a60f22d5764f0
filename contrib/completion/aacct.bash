# bash completion for aacct(1). A test compares the words with aacct --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_aacct()
{
	local cur prev
	local options="
		--job= --user= --me --allusers --account= --label= --queue= --job-set= --name= --priority-class= --state= --nodelist= --starttime=
		--endtime= --truncate --usage --efficiency --by= --noheader --format= --json --csv --parsable2 --parsable --help --version"

	_armada_begin
	case $prev in
	-s)
		_armada_states
		return
		;;
	-N)
		_armada_nodes
		return
		;;
	--by)
		_armada_offer "user account queue class day label:"
		return
		;;
	--format | -o)
		if [[ " ${COMP_WORDS[*]} " == *" --usage "* || " ${COMP_WORDS[*]} " == *" --efficiency "* ]]; then
			_armada_columns aacct 'Of sums. '
		else
			_armada_columns aacct
		fi
		return
		;;
	-S | -E)
		return
		;;
	esac
	_armada_filter_value && return
	_armada_wants_value "$options" && return
	if [[ $cur == -* ]]; then
		_armada_options "$options"
	else
		_armada_jobs
	fi
}
complete -F _aacct aacct
