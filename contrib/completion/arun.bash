# bash completion for arun(1). A test compares the words with arun --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_arun()
{
	local cur prev
	local options="
		--label --pty --input= --output= --error= --kill-on-bad-exit --quiet --verbose --mpi= --retry-for=
		--overcommit --distribution= --ranks= --job=
		--name= --queue= --job-set= --priority= --nice= --priority-class= --account= --annotation= --comment= --mail-type= --mail-user= --dependency=
		--kill-on-invalid-dep= --begin= --scavenge --lease= --no-fence --ntasks= --nodes= --ntasks-per-node=
		--min-tasks= --launch= --cpus= --cpus-per-gpu= --mincpus= --memory=
		--mem= --mem-per-cpu= --mem-per-gpu= --gpus= --gpus-per-task=
		--gpus-per-node= --resource= --gres= --licenses= --tmp= --ntasks-per-gpu=
		--time= --time-min= --deadline= --grace-period= --signal= --exclusive --constraint= --toleration= --nodelist=
		--exclude= --uniformity= --bind= --chdir= --export= --get-user-env --umask= --propagate= --help --version"

	_armada_begin
	case $prev in
	--job)
		_armada_values aqueue --me -t running --noheader --format id
		return
		;;
	--input | -i)
		_armada_files
		[[ ${_armada_program-} ]] || COMPREPLY+=($(compgen -W "all none" -- "$cur"))
		return
		;;
	--mpi)
		_armada_offer "auto none pmi1"
		return
		;;
	--distribution | -m)
		_armada_offer "block cyclic"
		return
		;;
	--kill-on-invalid-dep)
		_armada_offer "yes no"
		return
		;;
	-J | -d | -b | -n | -N | -c | -G | -t | -C)
		return
		;;
	esac
	_armada_job_value && return
	_armada_wants_value "$options" && return
	if [[ $cur == -* ]]; then
		_armada_options "$options"
	else
		_armada_commands
	fi
}
complete -F _arun arun
