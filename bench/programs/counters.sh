#!/usr/bin/env bash
# Compiles, for sm_70, the programs whose counters AccelWattch measured on a V100, records them, runs each
# kernel cold, and compares. Data that do not change the work are made up. See docs/lab/counters.md.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
rubato=$here/../../build/rubato
nvcc=${RUBATO_NVCC:-nvcc}

[[ $# == 4 ]] || {
    cat >&2 <<'TEXT'
usage: bench/programs/counters.sh COLLECTION SAMPLES TABLE DIR

  COLLECTION  a copy of github.com/accel-sim/gpu-app-collection
  SAMPLES     a copy of github.com/NVIDIA/cuda-samples
  TABLE       v100-sxm2-kernels.csv: a row for each kernel of a program
  DIR         gets programs (bin), inputs (in), traces (traces), runs (runs) and pairs.csv; what is there is not
              made again

Needs build/rubato, perl, and nvcc of CUDA 11.8, or the compiler that RUBATO_NVCC names. PROGRAMS="a b" takes
only these; the whole list takes about an hour.
TEXT
    exit 2
}
collection=$(realpath -e "$1")/src/cuda
samples=$(realpath -e "$2")
table=$(realpath -e "$3")
mkdir -p "$4"/{bin,traces,runs,data/srad,in/of/programs}
dir=$(realpath "$4")
in=$dir/in/of/programs # srad reads ../../../data/srad
rodinia=$collection/rodinia/3.1/cuda
parboil=$collection/parboil
runs=()
host=-O3

wanted()
{
    [[ -z ${PROGRAMS:-} || " $PROGRAMS " == *" $1 "* ]]
}

# compile NAME [OPTION]... FILE...: device code is always optimised, host code as $host says
compile()
{
    local out=$dir/bin/$1
    [[ -x $out ]] || "$nvcc" -arch=sm_70 "$host" -cudart shared -w -Xcompiler -w -I"$samples/Common" -o "$out" "${@:2}"
}

# measure BENCHMARK NAME LAUNCHES [ARGUMENT]...: records these launches and runs them. A NAME may end with _k1, the
# first of several runs of one program.
measure()
{
    local trace=$dir/traces/$2.rbt run=$dir/runs/$2
    [[ -s $trace ]] ||
        (cd "$in" && "$rubato" record -l "$3" --gpu v100 -o "$trace" -- "$dir/bin/${2%_k[0-9]}" "${@:4}" >/dev/null)
    [[ -s $run/run.json ]] ||
        "$rubato" run -f --gpu v100 -s warmup.mode=flush -s gpu.memcpy_fills_l2=false -o "$run" "$trace" >"$run.txt"
    runs+=("$1=$run")
}

# input FILE CODE: what this Perl code prints
input()
{
    [[ -s $1 ]] || perl -e "srand(1); $2" >"$1"
}

# --- Rodinia

if wanted backprop; then
    compile backprop "$rodinia"/backprop/{backprop,facetrain,imagenet}.c "$rodinia/backprop/backprop_cuda.cu"
    measure backprop-rodinia-3.1 backprop 1- 65536
fi
if wanted hotspot; then
    input "$in/temp" 'printf "%.6f\n", 320 + rand(25) for 1 .. 1024 * 1024'
    input "$in/power" 'printf "%.6f\n", rand(0.01) for 1 .. 1024 * 1024'
    compile hotspot "$rodinia/hotspot/hotspot.cu"
    measure hotspot-rodinia-3.1 hotspot 1- 1024 2 2 temp power hotspot.out
fi
if wanted srad_v1; then
    input "$dir/data/srad/image.pgm" 'print "P2\n458 502\n255\n"; print int(rand(256)), " " for 1 .. 458 * 502'
    compile srad_v1 "$rodinia/srad/srad_v1/main.cu"
    measure srad_v1-rodinia-3.1 srad_v1 1- 3 0.5 502 458 # 100 iterations were measured
fi
if wanted kmeans; then
    input "$in/points" 'print pack("l2", 819200, 34); print pack("f", rand()) for 1 .. 819200 * 34'
    compile kmeans -Xcompiler -fopenmp "$rodinia"/kmeans/{cluster,getopt,kmeans,kmeans_clustering,rmse}.c \
        "$rodinia/kmeans/kmeans_cuda.cu"
    measure kmeans-rodinia-3.1 kmeans 1-2 -b -i points
fi
if wanted b+tree; then
    input "$in/keys" 'print join("\n", 1000000, 0 .. 999999), "\n"'
    input "$in/commands" 'print "j 6000 3000\nk 10000\n"'
    compile b+tree -I"$rodinia/b+tree" "$rodinia/b+tree/main.c" "$rodinia"/b+tree/kernel/kernel_gpu_cuda_wrapper{,_2}.cu \
        "$rodinia"/b+tree/util/{timer/timer,num/num}.c "$rodinia/b+tree/util/cuda/cuda.cu"
    measure b+tree-rodinia-3.1 b+tree 1- file keys command commands
fi

# --- Parboil

# The same; functions of its host code end without returning their value.
compile_parboil()
{
    host=-O0 compile "$1" -I"$parboil/common/include" "$parboil/common/src/parboil_cuda.c" "${@:2}"
}
if wanted sgemm; then
    input "$in/a.txt" 'print "1024 992\n"; printf "%.3f ", rand() for 1 .. 1024 * 992'
    input "$in/b.txt" 'print "1056 992\n"; printf "%.3f ", rand() for 1 .. 1056 * 992'
    compile_parboil sgemm "$parboil"/benchmarks/sgemm/src/cuda/{main.cu,io.cc}
    measure parboil-sgemm sgemm 1- -i a.txt,b.txt,b.txt -o sgemm.out
fi
if wanted mri-q; then
    input "$in/samples" 'print pack("l2", 2048, 262144); print pack("f", rand()) for 1 .. 3 * 2048 + 3 * 262144 + 2 * 2048'
    compile_parboil mri-q --use_fast_math "$parboil"/benchmarks/mri-q/src/cuda/{main.cu,file.cc}
    measure parboil-mri-q mri-q 1- -i samples
fi
if wanted sad; then
    for picture in reference current; do
        input "$in/$picture" 'print pack("S<2", 1920, 1072); print pack("S<", rand(256)) for 1 .. 1920 * 1072'
    done
    compile_parboil sad "$parboil"/benchmarks/sad/src/cuda/{main,sad4,largerBlocks}.cu "$parboil"/benchmarks/sad/src/cuda/{file,image}.c
    measure parboil-sad sad 1- -i reference,current
fi

# --- CUDA samples

sdk() # NAME LAUNCHES FILE...
{
    wanted "$1" || return 0
    compile "$1" "${@:3}"
    measure "$1" "$1" "$2"
}
domain=$samples/Samples/5_Domain_Specific
concepts=$samples/Samples/2_Concepts_and_Techniques

sdk binomialOptions 1- "$domain"/binomialOptions/binomialOptions{.cpp,_gold.cpp,_kernel.cu}
sdk fastWalshTransform 1- "$domain"/fastWalshTransform/fastWalshTransform{.cu,_gold.cpp}
sdk quasirandomGenerator 1,22 "$domain"/quasirandomGenerator/quasirandomGenerator{.cpp,_gold.cpp,_kernel.cu}
sdk sobolQRNG 1- "$domain"/SobolQRNG/sobol{.cpp,_gold.cpp,_gpu.cu,_primitives.cpp}
sdk cudaTensorCoreGemm 1- "$samples/Samples/3_CUDA_Features/cudaTensorCoreGemm/cudaTensorCoreGemm.cu"
sdk histogram 1,2,35,36 "$concepts"/histogram/{main.cpp,histogram64.cu,histogram256.cu,histogram_gold.cpp}
sdk mergeSort 1- "$samples"/Samples/0_Introduction/mergeSort/{main,mergeSort_host,mergeSort_validate}.cpp \
    "$samples"/Samples/0_Introduction/mergeSort/{bitonic,mergeSort}.cu
cp -n "$concepts/dct8x8/data/teapot512.bmp" "$in"
sdk dct8x8 1,11-13,114- "$concepts"/dct8x8/{BmpUtil.cpp,DCT8x8_Gold.cpp,dct8x8.cu}

if wanted cutlass_perf_test; then
    cutlass=$collection/cutlass-bench
    compile cutlass_perf_test -std=c++14 -DCUTLASS_USE_WMMA_API=1 -DCUTLASS_ENABLE_CUBLAS=0 -DCUTLASS_USE_TENSOR_CORES=1 \
        -I"$cutlass" -I"$cutlass"/tools{,/util,/test,/test/perf} \
        "$cutlass"/tools/test/perf/{cutlass_perf_test,gemm/wmma_gemm}.cu
    k=0
    for shape in "2560 16" "4096 128" "2560 512"; do # from the sectors read and written
        k=$((k + 1))
        measure cutlass_perf_test_k$k cutlass_perf_test_k$k 1 --seed=2020 --dist=0 --m="${shape% *}" --n="${shape#* }" \
            --k="${shape% *}" --kernels=wmma_gemm_nn --iterations=1 --providers=cutlass
    done
fi

"$rubato" compare "${runs[@]}" --hardware "$table" -o "$dir/pairs.csv"
