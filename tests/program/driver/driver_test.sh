#!/usr/bin/env bash
# Programs that use the CUDA driver API, PTX and NVRTC; each compares its results with the CPU's. Tries the nvcc
# of $RUBATO_NVCC and that of the PATH, with the NVRTC beside it.
set -euo pipefail
[ $# = 3 ] || { echo "usage: $0 RUBATO SOURCE_FOLDER LIBCUDA"; exit 2; }
rubato=$1 source=$2 libcuda=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=$folder/cache
cd "$folder"
passed=0 failed=0 skipped=0

# run NAME GPU PROGRAM...
run() {
    local name=$1 gpu=$2
    shift 2
    if "$rubato" record --no-trace --gpu "$gpu" -- "$@" >out 2>err; then
        passed=$((passed + 1))
    else
        cat out err
        echo "$nvcc: $name fails on $gpu"
        failed=$((failed + 1))
    fi
}

for nvcc in ${RUBATO_NVCC:+"$RUBATO_NVCC"} $(command -v nvcc || true); do
    arch=$("$nvcc" --list-gpu-code | grep -xE 'sm_70|sm_75' | head -1 || true)
    [ -n "$arch" ] || continue
    gpus=rtx2060
    [ "$arch" = sm_75 ] || gpus="v100 rtx2060"
    # The ptxas of this nvcc, and the folder of its libraries.
    dry=$("$nvcc" --dryrun -x cu /dev/null -o none 2>&1 || true)
    ptxas=$(grep -o '^#\$ [^ ]*ptxas' <<<"$dry" | head -1 | cut -c4- | tr -d '"' || true)
    libraries=$(sed -n 's/^#\$ LIBRARIES=//p' <<<"$dry" | tr ' ' '\n' | sed -n 's/^"*-L\([^"]*\)"*$/\1/p' | grep -v stubs | head -1)
    [[ $ptxas == */* ]] || ptxas=$(PATH=$(sed -n 's/^#\$ PATH=//p' <<<"$dry") command -v ptxas || true)
    export RUBATO_PTXAS=$ptxas
    code=compute_${arch#sm_}
    "$nvcc" -cubin -arch="$arch" -o k.cubin "$source/kernels.cu"
    "$nvcc" -ptx -arch="$arch" -o k.ptx "$source/kernels.cu"
    "$nvcc" -fatbin -arch="$arch" -o k.fatbin "$source/kernels.cu"
    "$nvcc" -fatbin -gencode arch="$code",code="$code" -o text.fatbin "$source/kernels.cu"
    "$nvcc" -std=c++14 -cudart none -o driver "$source/driver.cpp" -Xlinker "$libcuda"
    "$nvcc" -std=c++14 -arch="$arch" -o mixed "$source/mixed.cu" -Xlinker "$libcuda"
    "$nvcc" -std=c++14 -gencode arch="$code",code="$code" -o only_ptx "$source/mixed.cu" -Xlinker "$libcuda"
    "$nvcc" -w -cubin -arch="$arch" -o t.cubin "$source/textures.cu"
    "$nvcc" -w -std=c++14 -cudart none -o textures "$source/textures.cpp" -Xlinker "$libcuda"
    for gpu in $gpus; do
        run textures "$gpu" ./textures t.cubin
        run driver "$gpu" ./driver k.cubin k.ptx k.fatbin text.fatbin
        run mixed "$gpu" ./mixed k.ptx
        run "mixed, only PTX" "$gpu" ./only_ptx k.ptx
    done
    if "$nvcc" -std=c++14 -cudart none -o nvrtc "$source/nvrtc.cpp" -lnvrtc -Xlinker "$libcuda" 2>log; then
        for gpu in $gpus; do
            LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} run nvrtc "$gpu" ./nvrtc "$source/kernels.cu"
        done
    else
        echo "not tried: nvrtc: $(head -1 log)"
        skipped=$((skipped + 1))
    fi
done

if [ $((passed + failed)) = 0 ]; then
    echo "skipped: no nvcc that compiles for sm_70 or sm_75 (Debian: nvidia-cuda-toolkit); RUBATO_NVCC names one"
    exit 77
fi
echo "$passed passed, $failed failed, $skipped not tried"
[ $failed = 0 ]
