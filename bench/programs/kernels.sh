#!/usr/bin/env bash
# Compiles the small kernels whose times on a TITAN V and an RTX 2080 Ti are published, and records two launches of each
# row of bench/silicon/programs.tsv, the second of which counts. See docs/lab/accuracy.md.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
rubato=$here/../../build/rubato
nvcc=${RUBATO_NVCC:-nvcc}
all=quick

[[ ${1:-} != --all ]] || {
    all=
    shift
}
[[ $# == 2 ]] || {
    cat >&2 <<'TEXT'
usage: bench/programs/kernels.sh [--all] SOURCE DIR

  SOURCE  a copy of github.com/Debdeep23/Kernel_Performance_Prediction
  DIR     gets the programs (bin) and the traces (kernels); what is there is not made again
  --all   also the rows that bench/silicon/everything runs with --all only

Needs build/rubato and nvcc of CUDA 11.8, or the compiler that RUBATO_NVCC names.
TEXT
    exit 2
}
source=$(realpath -e "$1")/gpu-perf/runner/main.cu
mkdir -p "$2"/{bin,kernels}
dir=$(realpath "$2")

while read -r _ card row _ _ when _; do
    [[ -z $all || $when == "$all" ]] || continue
    arch=$([[ $card == titan_v ]] && echo 70 || echo 75)
    program=$dir/bin/kernels-sm$arch trace=$dir/kernels/$card-$row.rbt name=${row%-*} n=${row##*-}
    [[ -x $program ]] || "$nvcc" -O3 -arch="sm_$arch" -cudart shared -w -o "$program" "$source"
    [[ -s $trace ]] || "$rubato" record --gpu "$card" -o "$trace" -- "$program" --kernel "$name" --N "$n" --rows "$n" \
        --cols "$n" --H "$n" --W "$n" --matN "$n" --iters 50 --warmup 1 --reps 1 >/dev/null
done < <(grep '^kernels' "$here/../silicon/programs.tsv")
