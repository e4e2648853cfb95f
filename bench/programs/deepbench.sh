#!/usr/bin/env bash
# DeepBench's published times of matrix products on a V100 beside those of the model: calls cuBLAS
# without a GPU for the rows of deepbench.tsv, and simulates the second call of each row, with the
# caches as the first leaves them. See docs/lab/deepbench.md.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
rubato=$root/build/rubato
nvcc=${RUBATO_NVCC:-nvcc}
table=$here/deepbench.tsv
archives='' libs='' work=$root/build/deepbench

usage()
{
    cat <<'TEXT'
usage: bench/programs/deepbench.sh [OPTION]...

  --table FILE    rows [bench/programs/deepbench.tsv]
  --archives DIR, --libs DIR
                  where the toolkit's static libraries are, and the folder for rubato libs
  -o DIR          trace and results [build/deepbench]; what is there is not made again

Needs build/rubato, nvcc (or the compiler that RUBATO_NVCC names) and cuBLAS 11.8.
TEXT
}

while (($# > 0)); do
    case $1 in
    --help | -h) usage && exit 0 ;;
    --table) table=$(realpath -e "$2") ;;
    --archives) archives=$2 ;;
    --libs) libs=$2 ;;
    -o) work=$2 ;;
    *) usage >&2 && exit 2 ;;
    esac
    shift 2
done

mkdir -p "$work"
"$rubato" libs ${archives:+--archives "$archives"} ${libs:+"$libs"} >/dev/null
[[ -x $work/gemm ]] || "$nvcc" -O3 -arch=sm_70 -cudart shared -o "$work/gemm" "$here/deepbench_gemm.cu" -lcublas
[[ -s $work/gemm.rbt ]] ||
    "$rubato" record --gpu v100 ${libs:+--libs "$libs"} --profile "$work/profile.csv" -o "$work/gemm.rbt" -- \
        "$work/gemm" "$table"

# The launches of second calls: from the second mark of a row to the next launch that is not cuBLAS's.
# Prints "row launch".
awk -F, 'NR > 1 {
    name = $2
    if (name ~ /mark/) { row = $3; calls[row]++; measured = calls[row] == 2 }
    else if (name ~ /fill/) measured = 0
    else if (measured) print row, $1
}' "$work/profile.csv" >"$work/launches"
[[ -s $work/run/launches.csv ]] ||
    "$rubato" run "$work/gemm.rbt" --gpu v100 --warmup functional -o "$work/run" --resume \
        --launches "$(awk '{ printf "%s%s", comma, $2; comma = "," }' "$work/launches")"

# A row of the table each: type, m, n, k, transposed, published us, model us, launches, kernels. The
# model's time is that of the kernels, without launch latency.
awk -v mhz="$("$rubato" config show v100 | awk '$1 == "clock_mhz" { print $3 + 0; exit }')" '
    FILENAME ~ /launches$/ { row[$2] = $1; next }
    FILENAME ~ /launches.csv$/ {
        n = split($0, f, ",")
        if (FNR == 1) {
            for (i = 1; i <= n; i++) at[f[i]] = i
            next
        }
        r = row[f[at["trace_id"]]]
        cycles[r] += f[at["cycles"]] - f[at["launch_latency_cycles"]]
        count[r]++
        if (cycles[r] == f[at["cycles"]] - f[at["launch_latency_cycles"]]) kernel[r] = f[at["name"]]
        next
    }
    /^fp/ {
        printf "%s\t%d\t%d\t%d\t%s%s\t%.0f\t%.1f\t%d\t%s\n", $1, $2, $3, $4, $5, $6, 1000 * $7, cycles[++line] / mhz,
            count[line], kernel[line]
    }' "$work/launches" "$work/run/launches.csv" "$table" | tee "$work/table.tsv"
