# bash completion for asubmit(1). A test holds the words to asubmit --help.

_asubmit()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local options="
		--name= --queue= --job-set= --priority= --nice= --priority-class= --comment= --array= --gang-id=
		--gang-cardinality= --gang-min= --dependency= --kill-on-invalid-dep= --begin= --hold --requeue --no-requeue --lease= --no-fence --ntasks= --nodes= --ntasks-per-node= --min-tasks=
		--on-task-failure= --launch= --mpi= --cpus=
		--memory= --mem-per-cpu= --gpus= --gpus-per-task= --time= --grace-period= --signal= --exclusive
		--constraint= --toleration= --bind= --nodelist= --exclude= --uniformity= --chdir= --output= --error= --input=
		--open-mode= --export= --umask= --propagate= --wrap= --file= --wait --parsable --quiet --test-only
		--retry-for= --help --version"

	if [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 1]}
		cur=
	fi
	COMPREPLY=()
	case $prev in
	--queue | -q)
		COMPREPLY=($(compgen -W "$(actl queue list --noheader --format name 2>/dev/null)" -- "$cur"))
		return
		;;
	--nodelist | -w | --exclude | -x)
		COMPREPLY=($(compgen -W "$(anode --noheader --format name 2>/dev/null)" -- "$cur"))
		return
		;;
	--on-task-failure)
		COMPREPLY=($(compgen -W "fail_job restart_job replace_task" -- "$cur"))
		return
		;;
	--kill-on-invalid-dep)
		COMPREPLY=($(compgen -W "yes no" -- "$cur"))
		return
		;;
	--launch)
		COMPREPLY=($(compgen -W "all first" -- "$cur"))
		return
		;;
	--mpi)
		COMPREPLY=($(compgen -W "auto none" -- "$cur"))
		return
		;;
	--propagate)
		COMPREPLY=($(compgen -W "ALL NONE cpu fsize data stack core rss nproc nofile memlock as" -- "$cur"))
		return
		;;
	--bind)
		COMPREPLY=($(compgen -W "none cores sockets numa" -- "$cur"))
		return
		;;
	--open-mode)
		COMPREPLY=($(compgen -W "append truncate" -- "$cur"))
		return
		;;
	--chdir | -D)
		COMPREPLY=($(compgen -d -- "$cur"))
		return
		;;
	--name | -J | --job-set | --priority | --priority-class | --comment | --array | -a | \
		--ntasks | -n | --nodes | -N | --ntasks-per-node | --cpus | -c | --memory | \
		--mem-per-cpu | --gpus | -G | --gpus-per-task | --time | -t | --grace-period | \
		--constraint | -C | --toleration | --uniformity | --export | --umask | --wrap | --retry-for)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
	else
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}
complete -o filenames -F _asubmit asubmit
