# bash completion for asubmit(1). A test compares the words with asubmit --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_asubmit()
{
	local cur prev
	local options="
		--name= --queue= --job-set= --priority= --nice= --priority-class= --account= --label= --annotation= --comment= --mail-type= --mail-user= --array= --gang-id=
		--gang-cardinality= --gang-min= --dependency= --kill-on-invalid-dep= --begin= --hold --requeue --no-requeue --scavenge --lease= --no-fence --ntasks= --nodes= --ntasks-per-node= --min-tasks= --elastic --elastic-signal=
		--on-task-failure= --launch= --mpi= --cpus=
		--cpus-per-gpu= --mincpus= --memory=
		--mem= --mem-per-cpu= --mem-per-gpu= --gpus= --gpus-per-task=
		--gpus-per-node= --resource= --gres= --licenses= --tmp= --ntasks-per-gpu= --time= --time-min= --deadline= --grace-period= --signal= --exclusive
		--constraint= --toleration= --bind= --nodelist= --exclude= --uniformity= --chdir= --output= --error= --input=
		--open-mode= --export= --get-user-env --umask= --propagate= --wrap= --file= --wait --parsable --quiet --no-usage-hint --test-only
		--submit-key= --retry-for= --help --version"

	_armada_begin
	_armada_job_value && return
	case $prev in
	--on-task-failure)
		_armada_offer "fail_job restart_job replace_task"
		return
		;;
	--kill-on-invalid-dep)
		_armada_offer "yes no"
		return
		;;
	--open-mode)
		_armada_offer "append truncate"
		return
		;;
	-J | -a | -n | -N | -c | -G | -t | -C | -p | -d | -b)
		return
		;;
	esac
	_armada_wants_value "$options" && return
	if [[ $cur == -* ]]; then
		_armada_options "$options"
	else
		_armada_files
	fi
}
complete -F _asubmit asubmit
