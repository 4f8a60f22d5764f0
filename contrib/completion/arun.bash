# bash completion for arun(1). A test compares the words with arun --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_arun()
{
	local cur prev
	local options="
		--label --pty --input= --output= --error= --kill-on-bad-exit --quiet --verbose --retry-for=
		--overcommit --distribution= --ranks= --job=
		--name= --queue= --job-set= --priority= --nice= --priority-class= --comment= --dependency=
		--kill-on-invalid-dep= --begin= --lease= --no-fence --ntasks= --nodes= --ntasks-per-node=
		--min-tasks= --launch= --mpi= --cpus= --cpus-per-gpu= --mincpus= --memory=
		--mem= --mem-per-cpu= --mem-per-gpu= --gpus= --gpus-per-task=
		--gpus-per-node= --gres= --ntasks-per-gpu=
		--time= --grace-period= --signal= --exclusive --constraint= --toleration= --nodelist=
		--exclude= --uniformity= --bind= --chdir= --export= --umask= --propagate= --help --version"

	_armada_begin
	_armada_job_value && return
	case $prev in
	--job)
		COMPREPLY=($(compgen -W "$(aqueue --me -t running --noheader --format id 2>/dev/null)" -- "$cur"))
		return
		;;
	--input | -i)
		COMPREPLY=($(compgen -W "all none" -- "$cur") $(compgen -f -- "$cur"))
		return
		;;
	--distribution | -m)
		_armada_offer "block cyclic"
		return
		;;
	--name | -J | --job-set | --priority | --comment | --dependency | -d | \
		--begin | -b | --lease | --ntasks | -n | --nodes | -N | --ntasks-per-node | \
		--min-tasks | --cpus | -c | --memory | --mem | --mem-per-cpu | --gpus | -G | --gpus-per-task | \
		--time | -t | --grace-period | --signal | --constraint | -C | --toleration | \
		--uniformity | --export | --umask | --retry-for | --ranks)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		_armada_options "$options"
	else
		COMPREPLY=($(compgen -c -- "$cur"))
	fi
}
complete -o filenames -F _arun arun
