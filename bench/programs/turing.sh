#!/usr/bin/env bash
# Times of kernels of a course on an RTX 2060 and a GTX 1650 against the model. See docs/lab/turing.md.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
rubato=$here/../../build/rubato
nvcc=${RUBATO_NVCC:-nvcc}

[[ $# == 2 ]] || {
    cat >&2 <<'TEXT'
usage: bench/programs/turing.sh COURSE DIR

  COURSE  a copy of github.com/R100001/Programming-Massively-Parallel-Processors
  DIR     gets the program, traces and runs; what is there is not made again

Needs build/rubato and nvcc of CUDA 11.8, or the compiler that RUBATO_NVCC names.
TEXT
    exit 2
}
mkdir -p "$2"
dir=$(realpath "$2")
[[ -x $dir/kernels ]] || "$nvcc" -O3 -gencode arch=compute_75,code=sm_75 -cudart shared -w \
    -I"$(realpath -e "$1")/Performance-Tests-NvBench" -o "$dir/kernels" "$here/turing_kernels.cu"

# The largest sizes below 0.4 ms. NVBench lists 1,680 and 1,620 MHz, 336 and 192 GB/s; the L2 of a GTX 1650 is
# 1 MiB, its bus 128 bits.
declare -A card=(
    [rtx2060]="-s gpu.clock_mhz=1680"
    [gtx1650]="-s gpu.clock_mhz=1620 -s sm.count=14 -s mem.partitions=8 -s l2.slices=16 -s l2.size=1MiB
        -s dram.clock_mhz=3000.5 -s dram.size=4GiB"
)
while read -r name card size published; do
    trace=$dir/$name-$size.rbt run=$dir/$card-$name
    [[ -s $trace ]] || "$rubato" record --gpu rtx2060 -o "$trace" -- "$dir/kernels" "$name" "$size" >/dev/null
    # shellcheck disable=SC2086 # several words
    [[ -s $run/run.json ]] || "$rubato" run -f --gpu rtx2060 ${card[$card]} -s warmup.mode=flush \
        -s gpu.memcpy_fills_l2=false -o "$run" "$trace" >/dev/null
    printf '%s %s %s %s %s\n' "$name" "$card" "$size" "$published" \
        "$(perl -0777 -ne 'print $1 * 1e6 if /"totals":.*?"seconds": ([\d.e-]+)/s' "$run/run.json")"
done <<'LIST' | awk '{ e = ($5 / $4 - 1) * 100; printf "%-18s %s %8d %8.1f us %8.1f us %+6.1f %%\n", $1, $2, $3, $4, $5, e
    n[$2]++; s[$2] += e < 0 ? -e : e } END { for (c in n) printf "%s: mean error %.1f %% of %d\n", c, s[c] / n[c], n[c] }'
add_not_coalesced rtx2060 2048 309.1
add_coalesced rtx2060 2048 259.1
conv1d_basic rtx2060 4194304 213.1
conv1d_constant rtx2060 4194304 209.6
conv1d_tiled rtx2060 4194304 269.5
conv1d_caching rtx2060 4194304 254.3
conv2d_basic rtx2060 1024 123.3
conv2d_constant rtx2060 1024 111.4
conv2d_tiled rtx2060 1024 127.5
histogram rtx2060 524288 301.6
histogram_shared rtx2060 4194304 222.8
greyscale rtx2060 2048 114.6
matmul rtx2060 128 17.8
matmul_tiles rtx2060 128 17.1
matmul_rectangles rtx2060 128 25.2
matvec rtx2060 1024 320.5
matvec_shared rtx2060 1024 313.7
add_not_coalesced gtx1650 1024 131.8
add_coalesced gtx1650 2048 307.4
conv1d_basic gtx1650 2097152 205.9
conv1d_constant gtx1650 4194304 393.7
conv1d_tiled gtx1650 2097152 258.1
conv1d_caching gtx1650 2097152 250.6
conv2d_basic gtx1650 1024 241.2
conv2d_constant gtx1650 1024 216.0
conv2d_tiled gtx1650 1024 238.3
histogram gtx1650 524288 285.4
histogram_shared gtx1650 2097152 224.5
greyscale gtx1650 2048 189.6
matmul gtx1650 128 24.4
matmul_tiles gtx1650 128 22.6
matmul_rectangles gtx1650 128 38.8
matvec gtx1650 1024 298.4
matvec_shared gtx1650 1024 295.6
LIST
