#!/usr/bin/env bash
# Programs with streams: they are recorded, compute the right results, and overlap in the model as far as
# their streams allow. Needs nvcc: that of $RUBATO_NVCC, or of the PATH.
set -euo pipefail
[ $# = 2 ] || { echo "usage: $0 RUBATO SOURCE_FOLDER"; exit 2; }
rubato=$1
nvcc=${RUBATO_NVCC:-nvcc}
"$(dirname "$0")/../needs_sm70.sh" "$nvcc" || exit
cd "$2"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$nvcc" -std=c++14 -arch=sm_70 -cudart shared -o "$folder/overlap" overlap.cu

chip=(--gpu v100 -s sm.count=8 -s mem.partitions=2 -s l2.slices=4 -s l2.size=768KiB -s gpu.launch_latency=1500)
failed=0

# The end of the last operation.
end_of() {
    cut -d, -f9 "$1/streams.csv" | sort -n | tail -1
}

# Records a program and runs it: with as many launches as a V100
# holds and two copy engines it takes at most $1 percent of the time with two launches and one engine.
try() {
    local percent=$1
    shift
    local trace=$folder/$1.rbt two all
    "$rubato" record -f -o "$trace" --gpu v100 -- "$folder/overlap" "$@" || { failed=1; echo "$*: wrong results"; return; }
    "$rubato" trace verify "$trace" >/dev/null
    rm -rf "$folder/two" "$folder/all"
    "$rubato" run "${chip[@]}" -s gpu.concurrent_launches=2 -s gpu.copy_engines=1 -o "$folder/two" "$trace" >/dev/null 2>"$folder/log" ||
        { cat "$folder/log"; failed=1; return; }
    "$rubato" run "${chip[@]}" -s gpu.concurrent_launches=128 -o "$folder/all" "$trace" >/dev/null 2>"$folder/log" ||
        { cat "$folder/log"; failed=1; return; }
    two=$(end_of "$folder/two") all=$(end_of "$folder/all")
    echo "$*: $all cycles, $two with two launches and one copy engine"
    if ((all * 100 > two * percent)); then
        echo "$*: more than $percent %"
        failed=1
    fi
}

try 40 kernels 16 # concurrentKernels
try 40 chains 32  # simpleHyperQ
try 70 copies 9   # simpleMultiCopy, simpleStreams
try 100 graph

# asyncAPI: one stream, whose order is that of the launches.
"$rubato" record -f -o "$folder/async.rbt" --gpu v100 -- "$folder/overlap" async
if "$rubato" info "$folder/async.rbt" | grep -q 'streams of the program'; then
    echo "async: one stream has a graph"
    failed=1
fi
exit $failed
