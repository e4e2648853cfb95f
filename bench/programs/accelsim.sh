#!/usr/bin/env bash
# Processor time and memory of Accel-Sim and of rubato on the same traces, one thread each. See bench/README.md.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
rubato=$here/../../build/rubato
repeats=${REPEATS:-5}

[[ $# -ge 3 ]] || {
    cat >&2 <<'TEXT'
usage: bench/programs/accelsim.sh SIMULATOR DIR TRACE...

  SIMULATOR  the folder gpu-simulator of a copy of github.com/accel-sim/accel-sim-framework, built
  DIR        gets the traces as plain text and as native files, and what Accel-Sim prints; what is there is not
             made again
  TRACE      traces for Volta, of any kind that rubato reads

Needs build/rubato, GNU time, and the environment of SIMULATOR/setup_environment.sh. Accel-Sim runs once, rubato
REPEATS times (5 unless set): the median counts. Times are whole commands.
TEXT
    exit 2
}
simulator=$(realpath -e "$1")
mkdir -p "$2"
dir=$(realpath "$2")
shift 2

# measure COMMAND...: user and system seconds, and the most kilobytes of memory
measure()
{
    local TIMEFORMAT='%3U %3S' seconds
    seconds=$({ time command time -f %M -o "$dir/memory" "$@" >"$dir/output" 2>&1; } 2>&1)
    awk -v memory="$(<"$dir/memory")" '{ print $1 + $2, memory }' <<<"$seconds"
}

# peer NAME: instructions of warps and of threads, cycles, seconds, memory, with the configuration of a Quadro GV100
peer()
{
    local cfg=configs/tested-cfgs/SM7_QV100
    if [[ ! -s $dir/$1.accelsim ]]; then
        measure "$simulator/bin/release/accel-sim.out" -trace "$dir/$1/kernelslist.g" \
            -config "$simulator/gpgpu-sim/$cfg/gpgpusim.config" -config "$simulator/$cfg/trace.config" >"$dir/$1.time"
        mv "$dir/output" "$dir/$1.accelsim"
    fi
    awk '/^gpu_tot_sim_cycle/ { c = $3 } /^gpgpu_n_tot_w_icount/ { n = $3 } /^gpu_tot_sim_insn/ { t = $3 }
        END { printf "%d %d %d ", n, t, c }' "$dir/$1.accelsim"
    cat "$dir/$1.time"
}

# counts NAME: instructions of warps and of threads, and cycles of rubato
counts()
{
    "$rubato" run --threads 1 --gpu v100 -f -o "$dir/run" "$dir/$1" >/dev/null 2>&1
    perl -0777 -ne '/"totals":.*?"cycles": (\d+).*?"warp_instructions": (\d+).*?"thread_instructions": (\d+)/s
        and print "$2 $3 $1"' "$dir/run/run.json"
}

# times TRACE: the median of the seconds, and the most memory
times()
{
    for ((i = 0; i < repeats; i++)); do
        measure "$rubato" run --threads 1 --gpu v100 "$1"
    done | sort -n | awk '{ t[NR] = $1; if ($2 > m) m = $2 } END { print t[int((NR + 1) / 2)], m }'
}

for trace in "$@"; do
    name=$(basename "$trace" .rbt)
    [[ -d $dir/$name ]] || "$rubato" convert --to accelsim "$trace" "$dir/$name" >/dev/null 2>&1
    [[ -s $dir/$name.rbt ]] || "$rubato" convert "$dir/$name" "$dir/$name.rbt" >/dev/null 2>&1
    peer=$(peer "$name") counts=$(counts "$name") text=$(times "$dir/$name") native=$(times "$dir/$name.rbt")
    echo "$name $peer $counts $text $native"
done | awk '
    BEGIN {
        print "| trace | warp instructions | cycles, Accel-Sim | rubato | seconds, Accel-Sim | text | native |" \
            " factor, text | native | MB, Accel-Sim | text |"
        print "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    }
    $2 != $7 || $3 != $8 { print $1 ": not the same instructions: " $2 ", " $3 " and " $7 ", " $8 >"/dev/stderr" }
    {
        printf "| %s | %d | %d | %d | %.1f | %.3f | %.3f | %.0f | %.0f | %d | %d |\n", $1, $7, $4, $9, $5, $10, $12,
            $5 / $10, $5 / $12, $6 / 1000, $11 / 1000
        fflush()
        text += log($5 / $10)
        native += log($5 / $12)
        memory += log($6 / $11)
    }
    END {
        if (NR > 0)
            printf "| geometric mean | | | | | | | %.0f | %.0f | %.1f times | |\n", exp(text / NR), exp(native / NR),
                exp(memory / NR)
    }'
