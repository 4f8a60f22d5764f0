# bash completion for anode(1). A test compares the words with anode --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_anode()
{
	local cur prev kind
	local options="
		--summary --reasons --group --per-node --state= --yes --now --no-resume --noheader --format= --json --help --version"

	_armada_begin
	case $prev in
	--state | -t)
		_armada_offer_list "up draining drained down unknown idle allocated"
		return
		;;
	--format | -o)
		case " ${COMP_WORDS[*]} " in
		*' --summary '* | *' -s '*) kind='--summary: ' ;;
		*' --reasons '* | *' -R '*) kind='--reasons: ' ;;
		*' --group '* | *' -g '*) kind='--group: ' ;;
		esac
		_armada_columns anode "${kind-}"
		return
		;;
	drain | resume | reboot | confirm-dead | label | taint | refresh | delete)
		_armada_nodes
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		_armada_options "$options"
	elif ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "list drain resume reboot confirm-dead label taint refresh delete $(
			_armada_ask anode --noheader --format name)" -- "$cur"))
	fi
}
complete -F _anode anode
