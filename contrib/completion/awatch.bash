# bash completion for awatch(1). A test compares the words with awatch --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_awatch()
{
	local cur prev
	local options="
		--queue= --job-set= --user= --label= --from= --exit-when-done --wait --quiet --noheader --json --format= --help --version"

	_armada_begin
	_armada_filter_value && return
	case $prev in
	--format | -o)
		_armada_columns awatch
		return
		;;
	-s)
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
complete -F _awatch awatch
