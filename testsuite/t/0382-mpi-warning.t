#!/bin/bash
# The warning about programs that are linked with an MPI library and that several tasks would start without mpirun.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

has gcc || skip_all "$missing"
test_under_armada 1 --cpus 4 --memory 4G

# A library of the name is enough: the program is not executed to find out.
echo 'int MPI_Init(void) { return 0; }' >lib.c
echo 'int MPI_Init(void); int main(void) { return MPI_Init(); }' >prog.c
echo 'int main(void) { return 0; }' >plain.c
mkdir -p bin
for name in libmpi.so.40 libmpich.so.12 libmpi.so.12; do
	gcc -shared -fPIC -o "$name" -Wl,-soname,"$name" lib.c || bail 'gcc makes no library'
	gcc -o "bin/prog-$name" prog.c "$PWD/$name" -Wl,-rpath,"$PWD" || bail 'gcc links no program'
done
gcc -o bin/plain plain.c || bail 'gcc links no program'
cp bin/prog-libmpi.so.40 bin/mpirun
mpi=bin/prog-libmpi.so.40
warned='warning: .* uses MPI, but each of the 2 tasks runs it by itself, as rank 0 of 1; start it with mpirun in a script'

# says WARNING-OR-NOTHING NAME COMMAND...
says()
{
	local want=$1 name=$2
	shift 2
	run "$@"
	is "$status" 0 "$name: it runs" || diag "$err"
	if [ "$want" ]; then
		like "$err" "$want" "$name: the warning"
	else
		unlike "$err" 'uses MPI' "$name: no warning"
	fi
}
options='-n 2 -c 1 --memory 20M'
says "$warned" 'a program of two tasks' asubmit $options --hold -- "./$mpi"
says "$warned" 'a program of MPICH' asubmit $options --hold -- "$PWD/bin/prog-libmpich.so.12"
PATH=$PWD/bin:$PATH says "$warned" 'a program found with PATH' asubmit $options --hold -- prog-libmpi.so.40
says "$warned" 'a program in another directory' asubmit $options --hold --chdir "$PWD/bin" -- ./prog-libmpi.so.40
says '' 'one task' asubmit -c 1 --memory 20M --hold -- "./$mpi"
says '' 'a program without MPI' asubmit $options --hold -- bin/plain
says '' 'a launcher' asubmit $options --hold -- bin/mpirun
says '' 'only the first task runs it' asubmit $options --launch=first --hold -- "./$mpi"
says '' 'a script' asubmit $options --hold --wrap "mpirun ./$mpi"
says '' '--quiet' asubmit $options --quiet --hold -- "./$mpi"
says '' 'a program that is not here' asubmit $options --hold -- /nowhere/prog
head -c 70 "$mpi" >bin/cut
chmod +x bin/cut
says '' 'a file that is cut off' asubmit $options --hold -- bin/cut
mkfifo bin/fifo
says '' 'a file that is no file' asubmit $options --hold -- bin/fifo
says "$warned" 'arun' arun $options "./$mpi"
says '' 'arun of a program of MPICH, which it serves' arun $options bin/prog-libmpich.so.12
says 'uses MPI, but each .* as rank 0 of 1; MPICH needs --mpi=pmi1' 'arun without what MPICH needs' \
	arun $options --mpi=none bin/prog-libmpich.so.12
says "$warned" 'arun with a protocol that Open MPI does not speak' arun $options --mpi=pmi1 "./$mpi"
says '' 'arun of a program without MPI' arun $options bin/plain
says '' 'arun with one task' arun -c 1 --memory 20M "./$mpi"
cat >script.sh <<X
#!/bin/bash
arun ./$mpi
X
asubmit $options --wait -o step.txt script.sh >/dev/null
like "$(cat step.txt)" "arun: $warned" 'a step writes the warning to the output of the job'

done_testing
