#!/usr/bin/env bash
# For ./do test --quick: prints the names of the tests that look at what changed since COMMIT (or since the last
# commit; if nothing did, since the one before): the quickest of them by the times of earlier runs, in all about
# a minute. Tests that never ran count as a second. The last line on standard error says what is left out.
#   quick.sh BUILD_FOLDER [COMMIT]
set -euo pipefail
build=$1 since=${2:-HEAD}
seconds=60
cd "$(dirname "$0")/.."

changed()
{
    git diff --name-only "$1"
    git ls-files --others --exclude-standard
}
mapfile -t files < <(changed "$since")
((${#files[@]})) || mapfile -t files < <(changed HEAD~1)

labels=()
for file in "${files[@]}"; do
    case $file in
    sim/mem/* | sim/parts/*) labels+=(mem law) ;;
    sampling/* | sim/gpu/warming/* | sim/gpu/sampled/*) labels+=(sampling law_sampling) ;;
    sim/*) labels+=(sim law law_sampling) ;;
    configs/* | traces/*) labels+=(tool law) ;;
    frontend/input/*) labels+=(input fuzz) ;;
    frontend/emulator/*) labels+=(emulator cudart) ;;
    frontend/tool/* | include/*) labels+=(tool cli library) ;;
    *.md) labels+=(documents) ;;
    tests/support/trace/*) labels+=(input sim) ;;
    tests/support/emulator/*) labels+=(emulator cudart) ;;
    tests/support/*) file=${file#tests/support/} && labels+=("${file%%/*}") ;;
    tests/*/*) file=${file#tests/} && labels+=("${file%%/*}") ;;
    bench/*) labels+=(bench "do") ;;
    esac
done
((${#labels[@]})) || { echo "nothing changed that a test looks at" >&2 && exit 0; }
regex="^($(printf '%s\n' "${labels[@]}" arrows | sort -u | paste -sd '|'))\$"

costs=$build/Testing/Temporary/CTestCostData.txt
[[ -f $costs ]] || costs=/dev/null
ctest --test-dir "$build" -N -L "$regex" | sed -nE 's/^ *Test +#[0-9]+: (.*)/\1/p' |
    awk -v work=$((seconds * $(nproc))) -v labels="${labels[*]}" '
        FILENAME != "-" { if (NF == 3) cost[$1] = $3; next }
        { name[++n] = $1; time[n] = $1 in cost ? cost[$1] : 1 }
        END {
            for (i = 2; i <= n; i++)
                for (k = i; k > 1 && time[k] < time[k - 1]; k--) {
                    t = time[k]; time[k] = time[k - 1]; time[k - 1] = t
                    t = name[k]; name[k] = name[k - 1]; name[k - 1] = t
                }
            for (i = 1; i <= n && (sum += time[i]) <= work; i++)
                print name[i]
            printf "%d of %d tests of what changed\n", i - 1, n >"/dev/stderr"
        }' "$costs" -
