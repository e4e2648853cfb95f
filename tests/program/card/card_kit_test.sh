#!/usr/bin/env bash
# Runs the kit that measures a card in the simulation of a V100 and of a changed V100. The tables
# must return the configured latencies and widths. Needs nvcc with sm_70, such as CUDA 11.8.
set -euo pipefail
[ $# = 3 ] || { echo "usage: $0 RUBATO CARD_TABLES KIT_FOLDER"; exit 2; }
rubato=$1 tables=$2 kit=$3
nvcc=${RUBATO_NVCC:-nvcc}
"$(dirname "$0")/../needs_sm70.sh" "$nvcc" || exit
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for part in kit chains rates memory streams mix matrix gpc blocks shared; do
    "$nvcc" -std=c++14 -O2 -arch=sm_70 -dc -o "$part.o" "$kit/card_$part.cu"
done
"$nvcc" -arch=sm_70 -o card_kit ./*.o
"$nvcc" -std=c++14 -O2 -arch=sm_70 -o card_kernels "$kit/card_kernels.cu"
"$nvcc" -std=c++14 -O2 -arch=sm_70 -o card_times "$kit/card_times.cu"

fail() { echo "failed: $*"; exit 1; }
measure() { # FOLDER OPTION...: tables from the simulated clock reads
    local to=$1
    shift
    mkdir "$to"
    "$rubato" run --gpu v100 "$@" --clock-reads -o "$to/run" -- ./card_kit -o "$to" --repeats 1 --quick >/dev/null 2>&1
    "$tables" "$to" --clocks "$to/run/clock_reads.csv"
}
# A row of a folder of tables.
row() { awk -F, -v t="$2" -v x="$3" '$4 == t && $5 == x { print $6 }' "$1/measured.csv"; }
near() { awk -v a="$2" -v b="$3" 'BEGIN { d = a / b - 1; exit !(a != "" && d < 0.02 && d > -0.02) }' || fail "$1 is '$2', not $3"; }
# Compares the proposed value of a setting; `within` is the allowed difference.
expect() { # LIST SETTING VALUE [WITHIN]
    local found
    found=$(awk -v k="$2" '$1 == k { print $3 }' "$1")
    awk -v a="$found" -v b="$3" -v w="${4:-0}" 'BEGIN { d = a - b; exit !(a != "-" && a != "" && d <= w && -d <= w) }' ||
        fail "$1: $2 is '$found', not $3"
}

measure plain
"$rubato" config fit plain --base v100 -o plain.cfg >plain.list
"$rubato" config check ./plain.cfg >/dev/null
# lat.imad is not in this list: ptxas waits 4 cycles, and the configuration says 5 (Jia 2018).
# dram.latency: some reads meet an open row (card_fit.c).
while read -r key within; do
    expect plain.list "$key" "$("$rubato" config show v100 "${key%%.*}" | awk -v k="${key#*.}" '$1 == k { sub(";", "", $3); print $3; exit }')" "$within"
done <<'TEXT'
sm.count
gpu.clock_mhz
lat.fp32
lat.integer
lat.popc
lat.mufu
lat.fp16
lat.fp64
lat.fp64_fma
lat.shfl
sm.fp32_lanes
sm.int_lanes
sm.fp16_lanes
sm.fp64_lanes
sm.xu_lanes
sm.tensor_fma
sm.barrier_latency
l1.latency
l1.bank_bytes
shared.latency
shared.conflict_latency
l2.latency
l2.atomic_latency
dram.latency 12
TEXT

# Shared memory takes a lane of a word each cycle; lanes i and i ^ 1 that agree share a pass.
near "an atomic of 8 lanes a word" "$(row plain rate_shared_add 8)" 0.125
near "128-bit loads" "$(row plain rate_shared_pairs128 0)" 0.25
near "128-bit loads of pairs" "$(row plain rate_shared_pairs128 1)" 0.5

# A card that differs from the base is found, too.
measure changed -s l1.latency=33 -s l2.latency=91 -s lat.mufu=18 -s lat.shfl=27 -s shared.latency=23 \
    -s shared.conflict_latency=3 -s sm.xu_lanes=8 -s sched.dispatch_latency=160 -s dram.latency=180 -s l2.atomic_latency=50 -s sm.count=40
"$rubato" config fit changed --base v100 -o changed.cfg >changed.list
"$rubato" config fit changed --base v100 --simulated plain -o compared.cfg >compared.list
for list in changed.list compared.list; do
    while read -r key value; do
        expect "$list" "$key" "$value"
    done <<'TEXT'
l1.latency 33
l2.latency 91
lat.mufu 18
lat.shfl 27
shared.latency 23
shared.conflict_latency 3
sm.xu_lanes 8
l2.atomic_latency 50
sm.count 40
TEXT
done
expect changed.list dram.latency 180 14
expect compared.list dram.latency 180 2
# How the time between two blocks divides is a guess: half of the difference to each.
dispatch=$("$rubato" config show v100 sched | awk '$1 == "dispatch_latency" { sub(";", "", $3); print $3 }')
expect compared.list sched.dispatch_latency $(((dispatch + 160) / 2)) 1

# The table of kernels has a row for each, which compare finds in a run of the same program.
./card_kernels --once 2>/dev/null && fail "card_kernels ran without a GPU"
"$rubato" run --gpu v100 -o kernels -- ./card_kernels --once >/dev/null 2>&1
./card_times >/dev/null 2>&1 && fail "card_times ran without a GPU"
printf 'Kernel,gpu__time_duration.sum\nnothing,1e-6\nvecadd,1e-5\nmatmul,1e-5\ntranspose_tiled,1e-5\nhisto,1e-5\n' >kernels.csv
"$rubato" compare kernels --hardware kernels.csv | grep -q '^kernels.csv: 5 of 5 rows' || fail "compare did not find the kernels"

# A GPU that is not in the suite's lists is compared with the card's curves.
printf 'x,value\n8,28\n1024,208\n' >plain/card_latency_by_set.csv
RUBATO_SILICON=$kit "$rubato" validate --gpu ./plain.cfg --published plain --suite K1 >curves || fail "validate: $(cat curves)"
grep -q 'K1' curves || fail "validate shows no curve: $(cat curves)"
echo "passed"
