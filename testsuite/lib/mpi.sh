# Open MPI and MPICH for tests under a devcluster. To use it after armada.sh:
#
#	. "$ARMADA_SRCDIR/testsuite/lib/mpi.sh"
#	mpi_find mpirun
#	test_under_armada 2
#	mpi_prepare
#	for mpi in $mpis; do ...; done

# mpi_find COMMAND...: sets $mpis to those of openmpi and mpich that have COMMAND.openmpi or COMMAND.mpich. Skips the
# whole file if there is none, or if mpirun cannot work on this machine.
mpi_find()
{
	local mpi

	# mpirun resolves the name of its own host
	getent hosts "$(uname -n)" >/dev/null || skip_all "this machine's own name, $(uname -n), does not resolve"
	mpis=
	for mpi in openmpi mpich; do
		has "${@/%/.$mpi}" && mpis+=" $mpi"
	done
	[ -n "$mpis" ] || skip_all "$missing; nor is Open MPI: package openmpi-bin"
	unset ARMADA_JOB_ID "${!OMPI_@}" "${!HYDRA_@}"
	# Open MPI refuses to run as root without this
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}

# Open MPI names its session directories after process ids, so the directories of another run can be in the way. Its
# daemons share a directory when the nodes are one machine, and race for it: each gets its own.
mpi_prepare()
{
	mkdir -p o
	cat >orted <<END
#!/bin/sh
TMPDIR=\$(mktemp -d "$work/o/XXXXXX")
export TMPDIR
exec orted "\$@"
END
	chmod +x orted
	export TMPDIR=$work/o OMPI_MCA_orte_launch_agent=$work/orted
}
