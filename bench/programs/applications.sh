#!/usr/bin/env bash
# Compiles, for sm_70, the programs of bench/silicon/applications.tsv and records their traces. Data that do
# not change the work are made up. See docs/lab/accuracy.md.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
rubato=$here/../../build/rubato
nvcc=${RUBATO_NVCC:-nvcc}

[[ $# == 3 ]] || {
    cat >&2 <<'TEXT'
usage: bench/programs/applications.sh COLLECTION SIMULATIONS DIR

  COLLECTION    a copy of github.com/accel-sim/gpu-app-collection
  SIMULATIONS   a copy of github.com/gpgpu-sim/gpgpu-sim_simulations
  DIR           gets programs (bin), inputs (in), traces (traces); what is there is not made again

Needs build/rubato and nvcc of CUDA 11.8, or the compiler that RUBATO_NVCC names.
TEXT
    exit 2
}
collection=$(realpath -e "$1")/src/cuda
sdk=$(realpath -e "$2")/benchmarks/src/cuda/sdk/4.2
mkdir -p "$3"/{bin,in,traces,include}
dir=$(realpath "$3")
host=-O3
for name in cutil_inline shrUtils shrQATest sdkHelper; do
    echo '#include "sdk_helpers.cuh"' >"$dir/include/$name.h"
done

# compile NAME [OPTION]... FILE...: device code is always optimised, host code as $host says
compile()
{
    local out=$dir/bin/$1
    [[ -x $out ]] || "$nvcc" -arch=sm_70 "$host" -cudart shared -w -Xcompiler -w -I"$dir/include" -I"$here" -o "$out" "${@:2}"
}

# trace NAME [ARGUMENT]...
trace()
{
    local out=$dir/traces/$1.rbt
    [[ -s $out ]] || (cd "$dir/in" && "$rubato" record --gpu qv100 -o "$out" -- "$dir/bin/$1" "${@:2}" >/dev/null)
}

inputs()
{
    awk 'BEGIN { srand(1); for (i = 0; i < 512 * 512; i++) printf "%.6f\n", 320 + 25 * rand() }' >temp
    awk 'BEGIN { srand(2); for (i = 0; i < 512 * 512; i++) printf "%.6f\n", rand() / 100 }' >power
    head -c 110646 /dev/zero >192.bmp
    for i in 0 1 2 3; do
        awk -v seed="$i" 'BEGIN {
            srand(seed)
            for (i = 0; i < 10691; i++)
                printf "%4d %2d %2d %2d %2d %-9s %5.1f %5.1f %4d %4d\n", 1950, 1, 1, 0, 1, "NAME", 7 + 63 * rand(),
                    358 * rand(), 10, 1
        }' >"cane4_$i.db"
        echo "cane4_$i.db"
    done >filelist_4
}

[[ -s $dir/in/filelist_4 ]] || (cd "$dir/in" && inputs)
for name in BlackScholes histogram mergeSort sortingNetworks; do
    compile "$name" "$sdk/$name"/*.cu "$sdk/$name"/*.cpp
    trace "$name"
done
compile fastWalshTransform "$sdk"/fastWalshTransform/fastWalshTransform{.cu,_gold.cpp}
compile scalarProd "$sdk"/scalarProd/scalarProd{.cu,_gold.cpp}
compile transpose "$sdk/transpose/transpose.cu"
compile vectorAdd "$sdk/vectorAdd/vectorAdd.cu"
trace fastWalshTransform -logK 11 -logD 19
trace scalarProd --size 8192
trace transpose dimX512 dimY512
trace vectorAdd --size 6000000

for name in l1_bw_32f l1_bw_32f_unroll_large l1_lat shared_bw l2_bw_32f l2_lat; do
    cached=()
    [[ $name != l2_* ]] || cached=(-Xptxas -dlcm=cg -Xptxas -dscm=wt)
    compile "$name" "${cached[@]}" "$collection/GPU_Microbenchmark/$name/$name.cu"
    trace "$name"
done

for name in 2DConvolution:2DCONV 3DConvolution:3DCONV atax:ATAX gemm:GEMM mvt:MVT; do
    compile "polybench-${name%:*}" "$collection/polybench-gpu-1.0/CUDA/${name#*:}"/*.cu
    trace "polybench-${name%:*}"
done

rodinia=$collection/rodinia/3.1/cuda
compile hotspot "$rodinia/hotspot/hotspot.cu"
compile nn "$rodinia/nn/nn_cuda.cu"
compile dwt2d -I"$rodinia/dwt2d" "$rodinia"/dwt2d/{main,components,dwt}.cu "$rodinia"/dwt2d/dwt_cuda/*.cu
# Functions of its host code end without returning their value.
host=-O0 compile lud -use_fast_math -DRD_WG_SIZE_0=16 -I"$rodinia/lud/common" "$rodinia"/lud/cuda/lud{,_kernel}.cu \
    -x cu "$rodinia/lud/common/common.c"
trace hotspot 512 2 2 temp power output.out
trace nn filelist_4 -r 5 -lat 30 -lng 90
trace dwt2d 192.bmp -d 192x192 -f -5 -l 3
trace lud -s 256 -v
echo "bfs-graph4096 is a published trace: rodinia_2.0-ft or 3.1 of Accel-Sim, as $dir/traces/bfs-graph4096"
