# bash completion for actl(1). A test compares the words with actl --help. The options of queues are read
# from actl --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_actl()
{
	local cur prev
	local options="
		--name= --queue= --priority= --priority-class= --account= --label= --comment= --mail-type= --mail-user= --array-throttle= --time= --time-min= --deadline= --grace-period= --cpus= --memory=
		--mem-per-cpu= --gpus-per-task= --resource= --ntasks= --min-tasks= --group= --wrap= --script= --restart --constraint= --nodelist= --exclude= --dependency= --kill-on-invalid-dep= --begin=
		--scavenge --requeue --no-requeue --node= --class= --user= --job-set= --reason= --hold --dry-run --script
		--env --error --task= --tail= --offset= --length= --conf --verbs= --expires= --all
		--noheader --format= --json --help --version"

	_armada_begin
	if [[ $cur == -* ]]; then
		options+=$(actl --help 2>/dev/null | sed -nE '/^queue create, queue update/,/^$/s/^ +(-., )?(--[a-z-]+=?).*/ \2/p')
		_armada_options "$options"
		return
	fi
	case "${COMP_WORDS[1]} $prev" in
	*' node')
		_armada_nodes
		return
		;;
	esac
	if [[ $COMP_CWORD -gt 2 && $prev != -* ]]; then
		case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
		'show queue' | 'queue list' | 'queue show' | 'queue update' | 'queue delete' | 'queue cordon' | 'queue uncordon')
			_armada_queues
			return
			;;
		esac
	fi
	if [[ ${COMP_WORDS[1]} == permissions && $prev == --user ]]; then
		_armada_users
		return
	elif [[ ${COMP_WORDS[1]} == permissions && $COMP_CWORD -gt 1 ]]; then
		_armada_queues
		return
	fi
	if [[ ${COMP_WORDS[1]} == takeover && $COMP_CWORD -gt 1 ]]; then
		_armada_controllers
		return
	fi
	if [[ ${COMP_WORDS[1]} == copies && $COMP_CWORD -eq 3 && $prev != list ]]; then
		_armada_offer_list "$(_armada_ask actl copies list --noheader --format name)"
		return
	fi
	case $prev in
	--verbs)
		_armada_offer_list "watch script submit cancel update preempt step queue admin"
		return
		;;
	--queue | -q)
		_armada_queues
		return
		;;
	--priority-class | --class | --default-class)
		_armada_classes
		return
		;;
	--account | -A | account)
		_armada_accounts
		return
		;;
	--format | -o)
		_armada_columns actl
		return
		;;
	--node | --nodelist | --exclude | -w | -x)
		_armada_nodes
		return
		;;
	--file | -f | --script)
		_armada_files
		return
		;;
	--user | -u)
		_armada_users
		return
		;;
	show)
		_armada_offer "job step node queue account accounts classes cluster counters limits notify"
		return
		;;
	copies)
		_armada_offer "list add remove"
		return
		;;
	log)
		_armada_offer_list "all= main= net= job= node= queue= sched= state= notify="
		return
		;;
	token)
		_armada_offer "create list revoke"
		return
		;;
	lease)
		_armada_offer "extend"
		return
		;;
	extend)
		_armada_offer_list "all $(_armada_ask anode --noheader --format name)"
		return
		;;
	queue)
		_armada_offer "list show create update delete cordon uncordon"
		return
		;;
	hold | release | suspend | resume | requeue | requeuehold | update | preempt | job)
		_armada_jobs
		return
		;;
	esac
	_armada_wants_value "$options" && return
	if ((COMP_CWORD == 1)); then
		_armada_offer "ping takeover copies reconfigure shutdown hold release suspend resume requeue requeuehold update preempt permissions token show license log lease queue"
	fi
}
complete -F _actl actl
