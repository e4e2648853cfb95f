#!/bin/bash
# A sweep on a real Slurm: controller, node and munge run on this machine's loopback, in a folder of
# their own. Exit status 77: not possible here, and it says why.
#   slurm_sweep.sh RUBATO TRACE
set -u
rubato=$(realpath "$1") trace=$(realpath "$2")
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*"; tail -n 20 "$dir"/*.log 2>/dev/null; exit 1; }
# It waits for daemons and their timers, so it is no part of the gate.
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

start_node() {
    slurmd -D -f "$dir/slurm.conf" -N node >"$dir/slurmd.out.log" 2>&1 &
    node=$!
    pids+=($node)
}

# Ports that the kernel does not hand out by itself, away from those of a Slurm that may run here.
port=$((16817 + RANDOM % 2000 * 2))
mkdir -p "$dir/state" "$dir/spool"
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
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
JobRequeue=1
NodeName=node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$dir/slurm.conf
slurmctld -D -f "$dir/slurm.conf" >"$dir/slurmctld.out.log" 2>&1 &
pids+=($!)
start_node
for _ in $(seq 100); do
    [ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && break
    sleep 0.3
done
[ "$(sinfo -h -o %t 2>/dev/null)" = idle ] || {
    tail -n 5 "$dir"/*.log
    skip "Slurm does not come up here"
}

await_empty_queue() {
    for _ in $(seq 300); do
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

# The same results as on this machine alone.
"$rubato" sweep "$trace" --vary sm.count=4,8,16,32 -o local --progress never >/dev/null || fail "local"
cmp study/results.csv local/results.csv || fail "Slurm and local results differ"

# What is done is not submitted again.
"$rubato" sweep "$trace" --vary sm.count=4,8,16,32 -o study --slurm 2>&1 | grep -q "nothing is left" ||
    fail "done jobs are submitted again"

# A task that is requeued while it runs, and one whose node dies, continue.
mkdir long
cp "$trace"/*.xz long/
for _ in $(seq 300); do echo kernel-1.traceg.xz; done >long/kernelslist.g
# Submits the long job into folder $1 and waits until it has results of launches.
begin_long() {
    "$rubato" sweep long --vary sm.count=4 -o "$1" --slurm || fail "submitting"
    id=$(sed -n 2p "$1/jobs.tsv" | cut -f2)
    for _ in $(seq 300); do
        [ -s "$1/jobs/$id/checkpoint" ] && return
        sleep 0.1
    done
    fail "the task does not begin"
}

await_continued() {
    for _ in $(seq 300); do
        [ "$("$rubato" sweep status "$1")" = "1 jobs: 1 done" ] && break
        # Requeued tasks wait a minute or two by default: not here.
        task=$(squeue -h -t PD -o %A | head -n 1)
        [ -n "$task" ] && scontrol update jobid="$task" starttime=now 2>/dev/null
        sleep 0.5
    done
    [ "$("$rubato" sweep status "$1")" = "1 jobs: 1 done" ] || fail "a requeued task does not end"
    [ "$(wc -l <"$1/jobs/$id/launches.csv")" -eq 301 ] || fail "launches of the requeued task"
    grep -q "continues after launch" "$1/jobs/$id.log" || fail "the task began anew"
}

begin_long requeued
scontrol requeue "$(squeue -h -o %A | head -n 1)" || fail "requeue"
await_continued requeued

# Before its time limit Slurm sends a task USR2: it stops and queues itself again.
begin_long limit
scancel --batch --signal=USR2 "$(squeue -h -o %A | head -n 1)" || fail "the signal of a time limit"
await_continued limit

# Launches shared out among the tasks of an array, and put together.
split="sweep long --vary sm.count=4,8 --launches 1-40 -s warmup.mode=flush --split-launches 3"
"$rubato" $split -o split --slurm || fail "submitting parts"
await_empty_queue "an array of parts"
"$rubato" sweep collect split | grep -q baseline || fail "collecting parts"
"$rubato" $split -o together --progress never >/dev/null || fail "parts here"
cmp split/results.csv together/results.csv || fail "parts on Slurm and here differ"

begin_long dead
# The run, and what started it up to its slurmstepd: found by the run's own folder.
run=$(pgrep -f "run $dir/long .*$dir/dead/jobs/$id" | tail -n 1)
[ -n "$run" ] || fail "the run is not found"
lost=$run
while [ "$(cat "/proc/$run/comm")" != slurmstepd ]; do
    run=$(ps -o ppid= -p "$run" | tr -d ' ')
    [ "${run:-1}" -gt 1 ] || fail "the run has no slurmstepd"
    lost="$lost $run"
done
kill -9 $node $lost
scontrol update nodename=node state=down reason=lost || fail "marking the node"
sleep 1
start_node
for _ in $(seq 50); do
    scontrol update nodename=node state=resume 2>/dev/null
    case $(sinfo -h -o %t) in idle | mix | alloc) break ;; esac
    sleep 0.3
done
await_continued dead
echo passed
