# bash completion for armctld(8). A test compares the words with armctld --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_armctld()
{
	local cur prev
	local options="
		--config= --name= --init --check --show-config --recover --yes --migrate= --foreground --log-level= --log-format=
		--verbose --help --version"

	_armada_begin
	case $prev in
	--config | -f)
		_armada_files
		return
		;;
	--show-config)
		if _armada_behind_equals; then
			_armada_offer changed
			return
		fi
		;;
	--migrate)
		_armada_offer "sqlite redis"
		return
		;;
	--log-level)
		_armada_offer "error warn notice info debug"
		return
		;;
	--log-format)
		_armada_offer "text json"
		return
		;;
	esac
	_armada_wants_value "$options" && return
	_armada_options "$options"
}
complete -F _armctld armctld
