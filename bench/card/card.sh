#!/usr/bin/env bash
# Measures the GPU of this machine: compiles the kit, runs it, and writes tables that rubato reads.
#
#   card.sh FOLDER [PROGRAMS]
#
# FOLDER receives the tables. PROGRAMS is a file with a command line in each row; ncu counts their
# launches. NVCC and CC name the compilers, ARCH the architecture (default: that of the GPU).
set -euo pipefail
[ $# = 1 ] || [ $# = 2 ] || { echo "usage: $0 FOLDER [PROGRAMS]"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
programs=${2:-}
nvcc=${NVCC:-nvcc}
arch=${ARCH:-native}

command -v "$nvcc" >/dev/null || { echo "card.sh: no nvcc: install a CUDA toolkit, or set NVCC"; exit 2; }
if [ "$arch" = native ]; then
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
    [ -n "$capability" ] || { echo "card.sh: nvidia-smi names no GPU; set ARCH, such as sm_80"; exit 2; }
    arch=sm_$capability
fi

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
compiling=()
for part in kit chains rates memory streams mix matrix gpc blocks shared; do
    "$nvcc" -std=c++17 -O2 -arch="$arch" -dc -o "$build/$part.o" "$here/card_$part.cu" &
    compiling+=($!)
done
for one in "${compiling[@]}"; do
    wait "$one"
done
"$nvcc" -arch="$arch" -o "$build/card_kit" "$build"/*.o
"$nvcc" -std=c++17 -O2 -arch="$arch" -o "$build/card_kernels" "$here/card_kernels.cu"
"$nvcc" -std=c++17 -O2 -arch="$arch" -o "$build/card_times" "$here/card_times.cu"
"${CC:-cc}" -std=c11 -O2 -o "$build/card_tables" "$here/card_tables.c"

# What the clocks did is part of the measurement.
clocks() { nvidia-smi --query-gpu=timestamp,name,driver_version,clocks.sm,clocks.mem,temperature.gpu --format=csv; }
clocks >"$folder/clocks_before.txt" 2>/dev/null || echo "nvidia-smi did not run" >"$folder/clocks_before.txt"
"$build/card_times" >"$folder/times.csv"
"$build/card_kit" -o "$folder" ${REPEATS:+--repeats "$REPEATS"}
"$build/card_tables" "$folder"
"$build/card_kernels" >"$folder/kernels.csv"
clocks >"$folder/clocks_after.txt" 2>/dev/null || echo "nvidia-smi did not run" >"$folder/clocks_after.txt"

# Counters need permission (NVIDIA's ERR_NVGPUCTRPERM); without it the times above remain.
# NCU_OPTIONS adds options, such as --clock-control none.
read -r -a ncu_options <<<"${NCU_OPTIONS:-}"
count()
{
    local to=$1
    shift
    if command -v ncu >/dev/null && ncu "${ncu_options[@]}" --page raw --csv --log-file "$to" "$@" >/dev/null; then
        echo "counters: $to"
    else
        rm -f "$to"
        echo "no counters of $1: ncu is missing, not permitted, or failed"
    fi
}

count "$folder/kernels_ncu.csv" "$build/card_kernels" --once
number=0
while [ -n "$programs" ] && read -r -a words; do
    [ ${#words[@]} -gt 0 ] || continue
    number=$((number + 1))
    count "$folder/program_$number.csv" "${words[@]}"
done <"${programs:-/dev/null}"
echo "tables: $folder"
