#!/usr/bin/env bash
# Compiles kernels of a course whose times on an RTX 2060 and a GTX 1650 are published, and records the rows of
# bench/silicon/programs.tsv; bench/silicon/everything runs them. See docs/lab/turing.md.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
rubato=$here/../../build/rubato
nvcc=${RUBATO_NVCC:-nvcc}

[[ $# == 2 ]] || {
    cat >&2 <<'TEXT'
usage: bench/programs/turing.sh COURSE DIR

  COURSE  a copy of github.com/R100001/Programming-Massively-Parallel-Processors
  DIR     gets the program (bin) and the traces (course), as "everything --traces DIR" takes them; what is there is
          not made again

Needs build/rubato and nvcc of CUDA 11.8, or the compiler that RUBATO_NVCC names.
TEXT
    exit 2
}
mkdir -p "$2"/{bin,course}
dir=$(realpath "$2") program=$(realpath "$2")/bin/course
[[ -x $program ]] || "$nvcc" -O3 -gencode arch=compute_75,code=sm_75 -cudart shared -w \
    -I"$(realpath -e "$1")/Performance-Tests-NvBench" -o "$program" "$here/turing_kernels.cu"

while read -r _ card row _; do
    trace=$dir/course/$row.rbt
    [[ -s $trace ]] || "$rubato" record --gpu "$card" -o "$trace" -- "$program" "${row%-*}" "${row##*-}" >/dev/null
done < <(grep '^course' "$here/../silicon/programs.tsv")
