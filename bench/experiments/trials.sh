#!/usr/bin/env bash
# Tries samplers on the launches and programs of trials.txt: errors, whether the printed intervals
# hold, and gains. See README.md in this folder.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
rubato=$root/build/rubato
work=$root/build/trials
seeds=20
jobs=1
list=$here/trials.txt
set=trial
only=.
levels=()
samples=()

# A chip on which launches of hundreds of waves take seconds.
chip=(--gpu rtx2060 -s sm.count=6 -s mem.partitions=3 -s l2.slices=6 -s l2.size=768KiB)

# What is tried unless --sample says otherwise, as far as this rubato has it.
inside_samples=(tbpoint_region 'photon_bb,photon_warp' smarts)
launches_samples=(stem_online stem 'stem_online,smarts')

usage()
{
    cat <<TEXT
usage: ./do trials [OPTION]... [inside|launches]...

  --seeds N        runs of each set of samplers, each with its own seed [20]
  --quick          the same as --seeds 3
  --sample SET     samplers to try, as in rubato evaluate; may be repeated
                   [inside: ${inside_samples[*]}; launches: ${launches_samples[*]}]
  --only REGEX     only the workloads whose name or class matches
  --holdout        the workloads that are kept for the end; no setting may be
                   chosen with what they show
  --list           list the workloads with their commands
  --workloads FILE a list of your own, such as trials.txt of this folder
  --jobs N         runs at the same time [1]
  --rubato FILE    the program to try [build/rubato]
  -o DIR           traces, runs and report [build/trials]; what is there is not
                   repeated
TEXT
}

fail_usage()
{
    usage >&2
    exit 2
}

say()
{
    printf '== %s\n' "$*" >&2
}

# workloads LEVEL: the lines of trials.txt that are asked for.
workloads()
{
    awk -v level="$1" -v set="$set" -v only="$only" \
        '$1 == level && $4 == set && ($2 ~ only || $3 ~ only)' "$list"
}

# known SET: whether this rubato has all samplers of a set.
known()
{
    local name
    for name in ${1//,/ }; do
        [[ $name == *=* && $name != *:* ]] ||
            "$rubato" plan --sample help | grep -q "^ *${name%%:*} " || return 1
    done
}

# sets LEVEL: the sets of samplers to try, one per line.
sets()
{
    local -n usual=$1_samples
    local set
    if ((${#samples[@]} > 0)); then
        printf '%s\n' "${samples[@]}"
        return
    fi
    for set in "${usual[@]}"; do
        ! known "$set" || echo "$set"
    done
}

# try LEVEL NAME CLASS WORKLOAD [OPTION]...: full run and sampled runs of one workload, and a line for
# the report.
try()
{
    local level=$1 name=$2 class=$3 status=0 sampled=() one
    shift 3
    say "$level: $name"
    "$rubato" gen "$@" --arch sm_75 -o "$work/$name.rbt" --force --progress never 2>"$work/$name.log"
    while IFS= read -r one; do sampled+=(--sample "$one"); done < <(sets "$level")
    "$rubato" evaluate "$work/$name.rbt" "${chip[@]}" "${sampled[@]}" --seeds "$seeds" --jobs "$jobs" \
        -o "$work/$name.runs" --progress never >"$work/$name.txt" 2>>"$work/$name.log" || status=$?
    if ((status > 1)); then # 1: a set cannot work with this trace, which the report says
        cat "$work/$name.log" >&2
        exit 1
    fi
    printf '%s\t%s\t%s\t%s\n' "$level" "$name" "$class" "$work/$name.runs" >>"$work/workloads.tsv"
}

# write_report: what is known so far.
write_report()
{
    {
        printf '# Trials\n\n'
        "$rubato" --version
        printf '\n%s, at most %s seeds, chip: %s.\n' "$set" "$seeds" "${chip[*]}"
        awk -f "$here/csv.awk" -f "$here/trials.awk" "$work/workloads.tsv"
    } >"$work/trials.md"
}

while (($# > 0)); do
    case $1 in
    --quick) seeds=3 ;;
    --holdout) set=holdout ;;
    --list)
        grep -v '^#' "$list"
        exit 0
        ;;
    --seeds | --sample | --only | --workloads | --jobs | --rubato | -o)
        (($# > 1)) || fail_usage
        case $1 in
        --seeds) seeds=$2 ;;
        --sample) samples+=("$2") ;;
        --only) only=$2 ;;
        --workloads) list=$2 ;;
        --jobs) jobs=$2 ;;
        --rubato) rubato=$2 ;;
        -o) work=$2 ;;
        esac
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    inside | launches) levels+=("$1") ;;
    *) fail_usage ;;
    esac
    shift
done
((${#levels[@]} > 0)) || levels=(inside launches)

mkdir -p "$work"
: >"$work/workloads.tsv"
for level in "${levels[@]}"; do
    while read -r _ name class _ workload; do
        # shellcheck disable=SC2086 # a workload is several words
        try "$level" "$name" "$class" $workload
        write_report
    done < <(workloads "$level")
done
write_report
cat "$work/trials.md"
say "$work/trials.md"
