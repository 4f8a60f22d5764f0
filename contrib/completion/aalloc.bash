# bash completion for aalloc(1). A test compares the words with aalloc --help.
# shellcheck source=/dev/null
source "${BASH_SOURCE[0]%/*}/_armada.bash"

_aalloc()
{
	local cur prev
	local options="
		--kill-command --quiet --verbose --retry-for=
		--name= --queue= --job-set= --priority= --nice= --priority-class= --account= --label= --annotation= --comment= --mail-type= --mail-user= --dependency=
		--kill-on-invalid-dep= --begin= --scavenge --lease= --no-fence --ntasks= --nodes= --ntasks-per-node=
		--min-tasks= --cpus= --cpus-per-gpu= --mincpus= --memory=
		--mem= --mem-per-cpu= --mem-per-gpu= --gpus= --gpus-per-task=
		--gpus-per-node= --resource= --gres= --licenses= --tmp= --ntasks-per-gpu=
		--time= --time-min= --deadline= --grace-period= --signal= --exclusive --constraint= --toleration= --nodelist=
		--exclude= --uniformity= --bind= --chdir= --export= --get-user-env --umask= --propagate= --help --version"

	_armada_begin
	case $prev in
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
complete -F _aalloc aalloc
