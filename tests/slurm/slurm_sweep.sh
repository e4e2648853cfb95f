#!/bin/bash
# A sweep on a real Slurm: controller, node and munge run on the loopback interface, in a separate
# folder. Exit status 77, with the reason, if this is not possible.
#   slurm_sweep.sh RUBATO TRACE
set -u
rubato=$(realpath "$1") trace=$(realpath "$2")
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*"; tail -n 20 "$dir"/*.log 2>/dev/null; exit 1; }
# It waits for daemons and their timers, so it runs only on request.
[ "${RUBATO_TEST_SLURM:-}" = 1 ] || skip "set RUBATO_TEST_SLURM=1 to try a real Slurm"
export PATH=$PATH:/usr/sbin
for program in slurmctld slurmd munged sbatch scontrol squeue; do
    command -v "$program" >/dev/null || skip "$program is not installed (slurmctld, slurmd, slurm-client, munge)"
done
[ "$(id -u)" -eq 0 ] || skip "slurmd starts tasks as root only"

dir=$(mktemp -d) || exit 1
chmod 755 "$dir"
pids=()
finish() {
    for ((i = ${#pids[@]} - 1; i >= 0; i--)); do kill "${pids[i]}" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$dir"
}
trap finish EXIT

# Two nodes on one machine.
declare -A slurmd
start_node() {
    slurmd -D -f "$dir/slurm.conf" -N "$1" >>"$dir/slurmd.$1.out.log" 2>&1 &
    slurmd[$1]=$!
    pids+=($!)
}
# Number of the two nodes that are in a state.
nodes_in() { sinfo -h -N -o "%t" 2>/dev/null | grep -c "^$1" || true; }

# Ports outside the ephemeral range, and not those of a Slurm that may run here.
port=$((16817 + RANDOM % 2000 * 3))
mkdir -p "$dir/state" "$dir/spool.a" "$dir/spool.b"
dd if=/dev/urandom of="$dir/munge.key" bs=1024 count=1 status=none
chmod 600 "$dir/munge.key"
munged --foreground --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" \
    --pid-file="$dir/munged.pid" --log-file="$dir/munged.log" --seed-file="$dir/munge.seed" \
    >"$dir/munged.out.log" 2>&1 &
pids+=($!)
cat >"$dir/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool.%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
JobRequeue=1
NodeName=a NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 State=UNKNOWN
NodeName=b NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 State=UNKNOWN
PartitionName=all Nodes=a,b Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$dir/slurm.conf
slurmctld -D -f "$dir/slurm.conf" >"$dir/slurmctld.out.log" 2>&1 &
pids+=($!)
start_node a
start_node b
for _ in $(seq 100); do
    [ "$(nodes_in idle)" = 2 ] && break
    sleep 0.3
done
[ "$(nodes_in idle)" = 2 ] || {
    tail -n 5 "$dir"/*.log
    skip "Slurm does not come up here"
}

await_empty_queue() {
    for _ in $(seq 600); do
        [ -z "$(squeue -h 2>/dev/null)" ] && return
        sleep 0.3
    done
    squeue
    fail "$1: the queue does not empty"
}

cd "$dir" || exit 1
# The array runs, two tasks at a time, and is collected.
"$rubato" sweep "$trace" --vary sm.count=4,8,16,32 -o study --slurm --partition all \
    --max-parallel 2 || fail "submitting"
await_empty_queue "an array"
"$rubato" sweep status study
[ "$("$rubato" sweep status study)" = "4 jobs: 4 done" ] || fail "not all jobs are done"
"$rubato" sweep collect study | grep -q baseline || fail "collecting"
[ "$(wc -l <study/results.csv)" -eq 5 ] || fail "results.csv"

# The results are the same as without Slurm.
"$rubato" sweep "$trace" --vary sm.count=4,8,16,32 -o local --progress never >/dev/null || fail "local"
cmp study/results.csv local/results.csv || fail "Slurm and local results differ"

# Finished jobs are not submitted again.
"$rubato" sweep "$trace" --vary sm.count=4,8,16,32 -o study --slurm 2>&1 | grep -q "nothing is left" ||
    fail "done jobs are submitted again"

# The result of an undisturbed run of many launches.
mkdir long
cp "$trace"/*.xz long/
for _ in $(seq 300); do echo kernel-1.traceg.xz; done >long/kernelslist.g
"$rubato" sweep long --vary sm.count=4 -o undisturbed --progress never >/dev/null || fail "local"

# Submits the long job into folder $1 and waits until it has results of launches.
begin_long() {
    "$rubato" sweep long --vary sm.count=4 -o "$1" --slurm || fail "submitting"
    id=$(sed -n 2p "$1/jobs.tsv" | cut -f2)
    for _ in $(seq 600); do
        [ -s "$1/jobs/$id/checkpoint" ] && break
        sleep 0.1
    done
    [ -s "$1/jobs/$id/checkpoint" ] || fail "the task does not begin"
    "$rubato" sweep status "$1" | grep -q "1 running" || fail "the status does not see the task"
    job=$(squeue -h -o %A | head -n 1) node=$(squeue -h -o %N | head -n 1)
}

# The task continues where it was, and its results are those of the undisturbed run.
await_continued() {
    for _ in $(seq 600); do
        [ "$("$rubato" sweep status "$1")" = "1 jobs: 1 done" ] && break
        # By default, requeued tasks wait a minute or two.
        task=$(squeue -h -t PD -o %A | head -n 1)
        [ -n "$task" ] && scontrol update jobid="$task" starttime=now 2>/dev/null
        sleep 0.5
    done
    [ "$("$rubato" sweep status "$1")" = "1 jobs: 1 done" ] || fail "$1: the task does not end"
    grep -q "continues after launch" "$1/jobs/$id.log" || fail "$1: the task began anew"
    "$rubato" sweep collect "$1" >/dev/null || fail "$1: collecting"
    for file in launches.csv stats.csv config.cfg; do
        cmp "$1/jobs/$id/$file" "undisturbed/jobs/$id/$file" || fail "$1: $file differs"
    done
    cmp "$1/results.csv" undisturbed/results.csv || fail "$1: results.csv differs"
    echo "$1: continued, as undisturbed"
    await_empty_queue "$1"
}

# Requeued while it runs.
begin_long requeued
scontrol requeue "$job" || fail "requeue"
await_continued requeued

# Before its time limit Slurm sends a task USR2: it stops and queues itself again.
begin_long limit
scancel --batch --signal=USR2 "$job" || fail "the signal of a time limit"
await_continued limit

# Launches divided among the tasks of an array, and combined.
split=(sweep long --vary "sm.count=4,8" --launches 1-40 -s warmup.mode=flush --split-launches 3)
"$rubato" "${split[@]}" -o split --slurm || fail "submitting parts"
await_empty_queue "an array of parts"
"$rubato" sweep collect split | grep -q baseline || fail "collecting parts"
"$rubato" "${split[@]}" -o together --progress never >/dev/null || fail "parts here"
cmp split/results.csv together/results.csv || fail "parts on Slurm and here differ"

# A node dies with everything on it: the run and its parents up to slurmstepd, which are found by the
# folder of the run. Slurm detects this and starts the task on the other node.
begin_long dead
run=$(pgrep -f "run $dir/long .*$dir/dead/jobs/$id" | tail -n 1)
[ -n "$run" ] || fail "the run is not found"
lost=("$run")
while [ "$(cat "/proc/$run/comm")" != slurmstepd ]; do
    run=$(ps -o ppid= -p "$run" | tr -d ' ')
    [ "${run:-1}" -gt 1 ] || fail "the run has no slurmstepd"
    lost+=("$run")
done
{ kill -9 "${slurmd[$node]}" "${lost[@]}"; wait "${slurmd[$node]}"; } 2>/dev/null
for _ in $(seq 300); do
    [ "$(nodes_in down)" = 1 ] && break
    sleep 0.3
done
[ "$(nodes_in down)" = 1 ] || fail "Slurm does not notice that node $node is gone"
await_continued dead
grep -q "requeue job.*due to failure of node $node" "$dir/slurmctld.log" ||
    fail "the task was not requeued because of its node"
[ "$(nodes_in down)" = 1 ] || fail "node $node came back"
echo passed
