# bash completion for arun(1). A test holds the words to arun --help.

_arun()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local options="
		--label --pty --input= --output= --error= --kill-on-bad-exit --quiet --verbose --retry-for=
		--overcommit --distribution= --ranks= --job=
		--name= --queue= --job-set= --priority= --nice= --priority-class= --comment= --dependency=
		--kill-on-invalid-dep= --begin= --lease= --no-fence --ntasks= --nodes= --ntasks-per-node=
		--min-tasks= --launch= --mpi= --cpus= --memory= --mem-per-cpu= --gpus= --gpus-per-task=
		--time= --grace-period= --signal= --exclusive --constraint= --toleration= --nodelist=
		--exclude= --uniformity= --bind= --chdir= --export= --umask= --propagate= --help --version"

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
	--job)
		COMPREPLY=($(compgen -W "$(aqueue --me -t running --noheader --format id 2>/dev/null)" -- "$cur"))
		return
		;;
	--nodelist | -w | --exclude | -x)
		COMPREPLY=($(compgen -W "$(anode --noheader --format name 2>/dev/null)" -- "$cur"))
		return
		;;
	--input | -i)
		COMPREPLY=($(compgen -W "all none" -- "$cur") $(compgen -f -- "$cur"))
		return
		;;
	--distribution | -m)
		COMPREPLY=($(compgen -W "block cyclic" -- "$cur"))
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
	--chdir | -D)
		COMPREPLY=($(compgen -d -- "$cur"))
		return
		;;
	--name | -J | --job-set | --priority | --priority-class | --comment | --dependency | -d | \
		--begin | -b | --lease | --ntasks | -n | --nodes | -N | --ntasks-per-node | \
		--min-tasks | --cpus | -c | --memory | --mem-per-cpu | --gpus | -G | --gpus-per-task | \
		--time | -t | --grace-period | --signal | --constraint | -C | --toleration | \
		--uniformity | --export | --umask | --retry-for | --ranks)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$options" -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
	else
		COMPREPLY=($(compgen -c -- "$cur"))
	fi
}
complete -o filenames -F _arun arun
