# bash completion for actl(1). A test holds the words to actl --help.

_actl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local options="
		--name= --queue= --priority= --priority-class= --comment= --array-throttle= --time= --grace-period= --cpus= --memory=
		--mem-per-cpu= --gpus-per-task= --constraint= --nodelist= --exclude= --dependency= --kill-on-invalid-dep= --begin=
		--requeue --no-requeue --node= --class= --user= --job-set= --reason= --hold --dry-run --script
		--env --factor= --owners= --group-owners= --permission= --limits= --class-limits= --max-running=
		--max-waiting= --max-cpus= --max-memory= --max-gpus= --submit-rate= --submit-burst=
		--user-max-running= --user-max-waiting= --user-max-cpus= --user-max-memory= --user-max-gpus=
		--user-submit-rate= --user-submit-burst= --default-class= --default-resources= --default-time=
		--max-time= --lease= --labels= --cordon
		--uncordon --file= --conf
		--noheader --format= --json --help --version"

	if [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 1]}
		cur=
	fi
	COMPREPLY=()
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
		return
	fi
	case "${COMP_WORDS[1]} $prev" in
	*' node')
		COMPREPLY=($(compgen -W "$(anode --noheader --format name 2>/dev/null)" -- "$cur"))
		return
		;;
	esac
	if [[ $COMP_CWORD -gt 2 && $prev != -* ]]; then
		case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
		'queue list' | 'queue show' | 'queue update' | 'queue delete' | 'queue cordon' | 'queue uncordon')
			COMPREPLY=($(compgen -W "$(actl queue list --noheader --format name 2>/dev/null)" -- "$cur"))
			return
			;;
		esac
	fi
	if [[ ${COMP_WORDS[1]} == permissions && $prev == --user ]]; then
		COMPREPLY=($(compgen -u -- "$cur"))
		return
	elif [[ ${COMP_WORDS[1]} == permissions && $COMP_CWORD -gt 1 ]]; then
		COMPREPLY=($(compgen -W "$(actl queue list --noheader --format name 2>/dev/null)" -- "$cur"))
		return
	fi
	case $prev in
	--queue | -q)
		COMPREPLY=($(compgen -W "$(actl queue list --noheader --format name 2>/dev/null)" -- "$cur"))
		return
		;;
	--node | --nodelist | --exclude | -w | -x)
		COMPREPLY=($(compgen -W "$(anode --noheader --format name 2>/dev/null)" -- "$cur"))
		return
		;;
	--file | -f)
		COMPREPLY=($(compgen -f -- "$cur"))
		return
		;;
	--user | -u)
		COMPREPLY=($(compgen -u -- "$cur"))
		return
		;;
	show)
		COMPREPLY=($(compgen -W "job node" -- "$cur"))
		return
		;;
	lease)
		COMPREPLY=($(compgen -W "extend" -- "$cur"))
		return
		;;
	extend)
		COMPREPLY=($(compgen -W "all $(anode --noheader --format name 2>/dev/null)" -- "$cur"))
		return
		;;
	queue)
		COMPREPLY=($(compgen -W "list show create update delete cordon uncordon" -- "$cur"))
		return
		;;
	hold | release | requeue | requeuehold | update | preempt | job)
		COMPREPLY=($(compgen -W "$(aqueue --me --noheader --format job 2>/dev/null)" -- "$cur"))
		return
		;;
	esac
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "ping reconfigure shutdown hold release requeue requeuehold update preempt permissions show lease queue" -- "$cur"))
	fi
}
complete -F _actl actl
