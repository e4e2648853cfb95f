#!/usr/bin/env bash
# Fuzzes the targets of a build with libFuzzer, one after the other, and prints what each did.
#   fuzz.sh BUILD SECONDS [TARGET]...   SECONDS: of all of them together; no TARGET: all there are
# What it finds is left in BUILD/found, with how to run it again.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1 seconds=$2
shift 2
if (($# > 0)); then
    targets=("$@")
else
    mapfile -t targets < <(git ls-files 'tests/fuzz/fuzz_*.c' | sed 's|.*/||; s|\.c$||')
fi
share=$((seconds / ${#targets[@]}))
((share > 0)) || share=1
failed=()
mkdir -p "$build/found"
export UBSAN_OPTIONS=print_stacktrace=1

# "fuzz_plan   35 s   120345 executions   812 places reached, 14 of them new": from libFuzzer's lines
# "#N INITED cov: C ..." (the corpus) and "#N DONE cov: C ...".
summary()
{
    awk -v name="$1" -v seconds="$share" '
        $1 ~ /^#[0-9]+$/ {
            runs = substr($1, 2)
            for (i = 2; i < NF; i++)
                if ($i == "cov:") cov = $(i + 1)
            if ($2 == "INITED") first = cov
        }
        END {
            printf "%-22s %4d s %9d executions %7d places reached, %d of them new\n",
                name, seconds, runs, cov, cov - first
        }' "$2"
}

printf '%d s for each of %d targets\n' "$share" "${#targets[@]}"
for target in "${targets[@]}"; do
    work=$(mktemp -d)
    mkdir "$work/new"
    status=0
    # Targets make temporary folders where they run.
    root=$PWD
    (cd "$work" && exec "$root/$build/tests/fuzz/$target" -max_total_time="$share" -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix="$root/$build/found/$target-" -print_final_stats=1 \
        new "$root/tests/fuzz/corpus/${target#fuzz_}") >"$work/log" 2>&1 || status=$?
    summary "$target" "$work/log"
    if ((status != 0)); then
        failed+=("$target")
        grep -E -A 25 'ERROR: |runtime error: |panic' "$work/log" | head -60 || tail -40 "$work/log"
        grep -E "Test unit written to" "$work/log" || true
        printf 'again: %s FILE (tests/README.md)\n' "$build/tests/fuzz/$target"
    fi
    rm -rf "$work"
done
((${#failed[@]} == 0)) || {
    printf 'failed: %s\n' "${failed[*]}"
    exit 1
}
