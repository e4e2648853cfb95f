# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of experiments.sh, which reads this file
#
# Experiments on the choice of launches, on the simulator: STEM+ROOT (B), and comparisons of the methods.

suite="bfs gaussian srad heartwall particlefilter"
# All as in the artifact of STEM, which made the published numbers.
methods=(pka:variant=stem sieve:variant=artifact photon_kernel:variant=artifact stem:variant=artifact)
declare -A title=([pka:variant=stem]=PKA [sieve:variant=artifact]=Sieve [photon_kernel:variant=artifact]=Photon
    [stem:variant=artifact]=STEM)

make_suite()
{
    make_trace bfs bfs --size "$(size 65536 20000)"
    make_trace gaussian gaussian --size "$(size 192 96 256)"
    make_trace srad srad --size "$(size 384 192 512)"
    make_trace heartwall heartwall -p "points=$(size 51 20)" -p "steps=$(size 600 300 2400)"
    make_trace particlefilter particlefilter --size "$(size 40 20)"
}

# full_run NAME [VARIANT]: the folder of the full run of an evaluation.
full_run()
{
    cells "$work/$1.csv" folder sample= "variant=${2:-}"
}

# The suite on five GPUs, with each method.
run_suite()
{
    local trace method samples=()
    for method in "${both_ways[@]}"; do samples+=(--sample "$method"); done
    make_suite
    for trace in $suite; do
        score "$trace" "$trace.dse" "${samples[@]}" --variants cache.x2,cache.half,sm.x2,sm.half \
            --warmup keep
    done
}

# The suite with each mode of warm-up.
run_warmups()
{
    local trace method samples=()
    for method in "${methods[@]}"; do samples+=(--sample "$method"); done
    make_suite
    for trace in $suite; do
        score "$trace" "$trace.warmup" "${samples[@]}" --warmup keep,flush,functional
    done
}

# Beside them the methods as their own papers and code have them, and ours; and what only the times decide, which
# takes no simulation.
both_ways=("${methods[@]}" photon_kernel:variant=paper stem)
by_times=(pka sieve stem:variant=paper)

# picked_of SET VARIANT: mean error over the suite with the cycles of the full run.
picked_of()
{
    local trace
    if [[ " ${by_times[*]} " == *" $1 "* ]]; then
        for trace in $suite; do cells "$work/$trace.$2.csv" error_mean "sampler=$1"; done | mean
    else
        over dse picked_error_mean "$suite" "sample=$1" "variant=$2" | mean
    fi
}

experiment_B6()
{
    section "B6: design-space exploration (table 4, figure 12)" \
        "Mean error of the total cycles over bfs-, gaussian-, srad-, heartwall- and particlefilter-like traces, plans made on the baseline. Picked: the chosen launches have the cycles of the full run of each GPU (as published; mean of 10 seeds). Skipped: all other launches are skipped. The published numbers are of the methods as in STEM's artifact."
    local variant set numbers=(20.06 24.40 5.96 2.03 22.66 25.67 5.44 1.93 16.65 22.61 5.33 1.96 17.90 28.18
        6.49 2.28 23.68 23.08 5.14 2.30) i=0 trace samples
    local -A named=([none]=baseline [stem_cache_x2]="cache x2" [stem_cache_half]="cache x1/2" [stem_sm_x2]="SMs x2"
        [stem_sm_half]="SMs x1/2")
    run_suite
    samples=$(IFS=,; echo "${by_times[*]}")
    for variant in none stem_cache_x2 stem_cache_half stem_sm_x2 stem_sm_half; do
        for trace in $suite; do
            times_of "$(full_run "$trace.dse" none)" "$trace.$variant" --sample "$samples" --seeds 10 \
                --against "$(full_run "$trace.dse" "$variant")"
        done
        for set in "${methods[@]}"; do
            row "${named[$variant]}, $set: picked / skipped" \
                "$(percent "$(picked_of "$set" "$variant")") / $(percent "$(over dse cycles_error "$suite" "sample=$set" "variant=$variant" | mean)")" \
                "${numbers[i]} %"
            i=$((i + 1))
        done
        for set in photon_kernel:variant=paper stem; do
            row "${named[$variant]}, $set: picked / skipped" \
                "$(percent "$(picked_of "$set" "$variant")") / $(percent "$(over dse cycles_error "$suite" "sample=$set" "variant=$variant" | mean)")"
        done
        for set in "${by_times[@]}"; do
            row "${named[$variant]}, $set: picked" "$(percent "$(picked_of "$set" "$variant")")"
        done
    done
    for trace in $suite; do
        row "$trace, stem:variant=artifact on the five GPUs, picked" \
            "$(for variant in none stem_cache_x2 stem_cache_half stem_sm_x2 stem_sm_half; do percent "$(cells "$work/$trace.dse.csv" picked_error_mean sample=stem:variant=artifact "variant=$variant")"; done | joined)" \
            "$(case $trace in gaussian) echo "13.5, 15.6, 14.8, 3.7, 5.5 %" ;; srad) echo "8.9, 9.7, 8.9, 8.9, 9.0 %" ;; bfs) echo "0.02 to 0.16 %" ;; *) echo "-" ;; esac)"
    done
    for set in "${both_ways[@]}"; do
        row "baseline, $set: instructions simulated, mean" \
            "$(percent "$(over dse simulated_share "$suite" "sample=$set" variant=none | mean)")"
    done
}

experiment_B8()
{
    section "B8: 13 metrics, full against weighted sum (figure 14)" \
        "Mean difference of each metric from the full run, of counts relative, of rates in percentage points. On three programs with layers (resnet, train, VGG in half precision): STEM with kernels known by name, and by name, grid and block (key=shape), values picked from the full run (as published, for BERT on a GPU); the latter with the other launches skipped. Last STEM on the suite of B6, picked."
    local bar column kind published by_shape=stem:merge=off,key=shape
    run_suite
    run_layers
    while IFS='|' read -r bar column kind published; do
        row "$bar: by name, by shape, by shape skipped; suite" \
            "$(difference_in stem:merge=off picked), $(difference_in "$by_shape" picked), $(difference_in "$by_shape" sampled); $(difference_in suite picked)" \
            "$published"
    done <<'TEXT'
DRAM read|dram_read_bytes|ratio|0.00 %
DRAM write|dram_write_bytes|ratio|0.00 %
shared LD|shared_load_instructions|ratio|0.00 %
shared ST|shared_store_instructions|ratio|0.00 %
global LD|global_load_instructions|ratio|0.00 %
global ST|global_store_instructions|ratio|0.00 %
L1 hit rate|global_load_hit_rate|share|0.01 points
L2 read hit rate|l2_read_hit_rate|share|0.06 points
FP16|fp16_instructions|ratio|0.00 %
FP32|fp32_instructions|ratio|0.00 %
INT32|integer_instructions|ratio|0.00 %
warp execution efficiency|warp_execution_efficiency|share|0.00 points
branch efficiency|branch_efficiency|share|0.00 points
TEXT
    note "Launches of one kernel that take as long may do different things if their shapes differ: bounds on time" \
        "say nothing of counts. A trace in which a metric is 0 is left out (FP16: all but one). Data of train and of the" \
        "suite fit the L2: their DRAM traffic is a few kilobytes, and a launch more or less is a large share of it."
}

# difference_in suite|SAMPLER picked|sampled: prints the error of the metric in $column by its $kind.
difference_in()
{
    local trace file values
    values=$(
        if [[ $1 == suite ]]; then
            for trace in $suite; do differences "$work/$trace.dse.csv" "$2" sample=stem:variant=artifact variant=none; done
        else
            for trace in $layers; do differences "$work/$trace.warmup.csv" "$2" "sample=$1" warmup=keep; done
        fi
    )
    if [[ $kind == share ]]; then
        points "$(mean <<<"$values")"
    else
        percent "$(mean <<<"$values")"
    fi
}

# differences FILE picked|sampled CONDITION...: differences from the full run, except where that is 0.
differences()
{
    paste <(cells "$1" "${column}_full" "${@:3}") <(cells "$1" "${column}_$2" "${@:3}") |
        awk -v kind="$kind" 'NF < 2 { next }
            kind == "share" { print $2 - $1 }
            kind == "ratio" && $1 > 0 { print $2 / $1 - 1 }'
}

experiment_B10()
{
    section "B10: what flushing the L2 between chosen launches costs" \
        "Mean error with the L2 emptied before each simulated launch, less that with it kept; against the full run with a kept L2."
    local method kept flushed
    local -A published=([pka:variant=stem]="+0.92 points" [sieve:variant=artifact]="+4.08 points"
        [photon_kernel:variant=artifact]="+0.61 points" [stem:variant=artifact]="+0.70 points")
    run_warmups
    run_layers
    for method in "${methods[@]}"; do
        kept=$(over warmup cycles_error "$suite" "sample=$method" warmup=keep | mean)
        flushed=$(over warmup cycles_error "$suite" "sample=$method" warmup=flush | mean)
        row "${title[$method]}, suite" "$(awk -v a="$flushed" -v b="$kept" 'BEGIN { printf "%+.2f points\n", 100 * (a - b) }')" \
            "${published[$method]}"
    done
    kept=$(over warmup cycles_error "$layers" sample=stem:merge=off warmup=keep | mean)
    flushed=$(over warmup cycles_error "$layers" sample=stem:merge=off warmup=flush | mean)
    row "STEM, programs with layers" "$(awk -v a="$flushed" -v b="$kept" 'BEGIN { printf "%+.2f points\n", 100 * (a - b) }')" \
        "+0.07 points (CASIO)"
    note "The suite's launches are short and find what they need in the 6 MiB of L2 that the launches before left:" \
        "a flush costs them more than it cost the published programs."
}

# Programs with repeated layers, like those of neural networks; the last has half precision.
layers="resnet train vgg-half"
run_layers()
{
    local trace
    make_trace resnet resnet -p "width=$(size 50 10)"
    make_trace train train --size "$(size 200 60 400)"
    make_trace vgg-half vgg --size 32 -p "width=$(size 50 10)" -p half=1
    for trace in $layers; do
        score "$trace" "$trace.warmup" --sample stem:merge=off --sample stem:merge=off,key=shape \
            --warmup keep,flush
    done
}

experiment_A2()
{
    section "A2: hit rates with and without a flush between launches (figure 1)" \
        "All launches simulated; L1 is invalidated at every launch in both. Published as bars without numbers: little difference in L1, a visible one in L2."
    local trace file
    run_warmups
    run_layers
    for trace in $suite $layers; do
        file=$work/$trace.warmup.csv
        row "$trace: L1 / L2 kept, L1 / L2 flushed" \
            "$(for w in keep flush; do for m in global_load_hit_rate l2_hit_rate; do percent "$(cells "$file" "${m}_sampled" sample= "warmup=$w")"; done; done | joined)"
    done
}

experiment_warmup()
{
    section "(vi) Caches between chosen launches" \
        "Mean error over the suite: cycles picked from the full run (perfect warm-up), L2 kept from the launch simulated last, emptied, and brought to where the launches before leave it."
    local method mode
    run_warmups
    for method in "${methods[@]}"; do
        row "${title[$method]}: picked, keep, flush, functional" \
            "$({
                percent "$(over warmup picked_error_mean "$suite" "sample=$method" warmup=keep | mean)"
                for mode in keep flush functional; do
                    percent "$(over warmup cycles_error "$suite" "sample=$method" "warmup=$mode" | mean)"
                done
            } | joined)"
    done
    for mode in flush functional; do
        row "all launches, $mode: error" \
            "$(percent "$(over warmup cycles_error "$suite" sample= "warmup=$mode" | mean)")"
    done
}

experiment_sieve()
{
    section "(iv) Sieve as published and as re-implemented" \
        "Mean over the suite, from the cycles and instruction counts of the full runs: error, speed-up by cycles. The re-implementation evaluates the density at the data points, so that every plateau becomes a cluster of its own."
    local trace name
    local -A published=([sieve]="-" [sieve:variant=artifact]="speed-up 2x to 5x, 1.86x on CASIO" [sieve:density=off]="-")
    run_suite
    for trace in $suite; do
        times_of "$(full_run "$trace.dse" none)" "sieve-$trace" \
            --sample sieve --sample sieve:variant=artifact --sample sieve:density=off --seeds 1
    done
    for name in sieve sieve:variant=artifact sieve:density=off; do
        row "$name: error / speed-up (harmonic mean)" \
            "$(percent "$(for trace in $suite; do cells "$work/sieve-$trace.csv" error_mean "sampler=$name"; done | mean)") / $(times "$(for trace in $suite; do cells "$work/sieve-$trace.csv" speedup_time_harmonic_mean "sampler=$name"; done | awk '{ sum += 1 / $1; n++ } END { print n / sum }')")" \
            "${published[$name]}"
    done
}

# ---- networks ----

# Programs of hundreds of launches, like those of neural networks; lookups is of the kind of DLRM.
networks="resnet train decode lookups"

# In full, and with Photon's choice, which looks at basic blocks; what the others choose follows from times and counts.
run_networks()
{
    local trace
    make_trace resnet resnet -p "width=$(size 50 10)"
    make_trace train train --size "$(size 200 60 400)"
    make_trace decode decode --size "$(size 40 8)" -p width=128 -p layers=2
    make_trace lookups lookups --size "$(size 200 50)" -p bags=200 -p cold=100
    for trace in $networks; do
        score "$trace" "$trace.networks" --sample photon_kernel:variant=artifact
    done
}

# choices SUFFIX TRACES SHARE VARIANT: rows of speed-up and error of each method, picked, by program and in the mean.
choices()
{
    local suffix=$1 traces=$2 random=random:fraction=$3 variant=$4 trace set
    for trace in $traces; do
        times_of "$(full_run "$trace.$suffix" "$variant")" "choice-$trace" --seeds 10 \
            --sample "$random,pka:variant=stem,sieve:variant=artifact,stem:variant=artifact,stem:variant=paper,stem"
        row "$trace: speed-up of random, PKA, Sieve, Photon, STEM (artifact, paper, ours)" \
            "$(for set in "$random" "${methods[@]}" stem:variant=paper stem; do times "$(choice speedup "$set" "$trace" "$suffix" "$variant")"; done | joined)"
        row "$trace: error of random, PKA, Sieve, Photon, STEM (artifact, paper, ours)" \
            "$(for set in "$random" "${methods[@]}" stem:variant=paper stem; do percent "$(choice error "$set" "$trace" "$suffix" "$variant")"; done | joined)"
    done
    for set in "$random" "${methods[@]}" stem:variant=paper stem; do
        row "$traces, $set: speed-up (harmonic mean) / error (mean)" \
            "$(times "$(for trace in $traces; do choice speedup "$set" "$trace" "$suffix" "$variant"; done | awk '{ sum += 1 / $1; n++ } END { print n / sum }')") / $(percent "$(for trace in $traces; do choice error "$set" "$trace" "$suffix" "$variant"; done | mean)")" \
            "$(case $suffix,$set in
            dse,random*) echo "7.09x / 26.67 %" ;;
            dse,pka*) echo "8.35x / 34.85 %" ;;
            dse,sieve*) echo "2.62x / 6.63 %" ;;
            dse,photon*) echo "2.84x / 2.71 %" ;;
            dse,stem:variant=artifact) echo "3.00x / 0.93 %" ;;
            networks,random*) echo "984.87x / 28.39 %" ;;
            networks,pka*) echo "1425.01x / 29.26 %" ;;
            networks,sieve*) echo "391.09x / 23.75 %" ;;
            networks,photon*) echo "168.61x / 9.85 %" ;;
            networks,stem:variant=artifact) echo "109.60x / 0.36 %" ;;
            *) echo "-" ;;
            esac)"
    done
}

# choice speedup|error SET TRACE SUFFIX VARIANT
choice()
{
    local -A of_run=([speedup]=speedup_cycles [error]=picked_error_mean)
    local -A of_times=([speedup]=speedup_time_harmonic_mean [error]=error_mean)
    if [[ $2 == photon* ]]; then
        cells "$work/$3.$4.csv" "${of_run[$1]}" "sample=$2" "variant=$5"
    else
        cells "$work/choice-$3.csv" "${of_times[$1]}" "sampler=$2"
    fi
}

experiment_B2()
{
    section "B2, B3: speed-up and error of each method (table 3, figures 7 to 9)" \
        "As in STEM's artifact, picked, mean of 10 seeds: five programs like those of Rodinia (random: a tenth of the launches), four like those of CASIO (random: a thousandth, at least one), and seven made-up profiles like those of Hugging Face."
    local name launches kernels spread set
    run_suite
    choices dse "$suite" 0.1 none
    run_networks
    choices networks "$networks" 0.001 ""
    while read -r name launches kernels spread; do
        times_of "$(profile_of_many "$name" "$launches" "$kernels" "$spread")" "B2-$name" --seeds "$(size 5 3)" \
            --sample random:fraction=0.001,stem:variant=artifact
        row "figure 9, $name: error and speed-up of random, STEM" \
            "$(for set in random:fraction=0.001 stem:variant=artifact; do printf '%s at %s\n' "$(percent "$(cells "$work/B2-$name.csv" error_mean "sampler=$set")")" "$(times "$(cells "$work/B2-$name.csv" speedup_time_harmonic_mean "sampler=$set")")"; done | joined)"
    done <<<"$many_launches"
    for set in random:fraction=0.001 stem:variant=artifact; do
        row "seven profiles, $set: speed-up / error (means)" \
            "$(times "$(of_many B2 speedup_time_harmonic_mean "sampler=$set" | mean)") / $(percent "$(of_many B2 error_mean "sampler=$set" | mean)")" \
            "$([[ $set == stem* ]] && echo "31719.06x / 0.57 %" || echo "1004.97x / 2.40 %")"
    done
}

experiment_B4()
{
    section "B4: how unlike the launches of a cluster are (figure 10)" \
        "lookups, two launches for each request, of which one in ten is slow for what it reads: clusters, and standard deviation over mean of the cycles in the worst of them. Published: of two clusters of DLRM."
    local method plan=$work/cluster.json
    run_networks
    for method in "${methods[@]}"; do
        rm -f "$plan"
        "$rubato" plan "$(full_run lookups.networks)" --trace "$work/lookups.rbt" --sample "$method" -o "$plan" \
            >"$work/cluster.txt" 2>&1
        row "${title[$method]}: clusters, CoV of the worst" \
            "$(awk -F '[:,]' '$1 ~ /"size"/ { n++ } $1 ~ /"mean"/ { mean = $2 }
                $1 ~ /"sd"/ && mean > 0 { cov = $2 / mean; if (cov > worst) worst = cov }
                END { printf "%d, %.3f", n, worst }' "$plan")" \
            "$(case $method in pka*) echo "0.417, 0.302" ;; sieve*) echo "0.124, 0.706" ;; photon*) echo "0.040, 0.031" ;; *) echo "-" ;; esac)"
    done
}

experiment_B7()
{
    section "B7: profiles of another GPU (figure 13)" \
        "Launches chosen from the times on a V100, weighted sums of their times on other GPUs: error, mean of 10 seeds, and over four networks. Published: STEM from an H100 to an H200."
    local chip trace set
    run_networks
    for chip in rtx2080ti a100; do
        for trace in $networks; do
            [[ -f $work/$trace.$chip/launches.csv ]] ||
                "$rubato" run "$work/$trace.rbt" --gpu "$chip" -o "$work/$trace.$chip" --progress never >/dev/null 2>&1
            times_of "$(full_run "$trace.networks")" "B7-$trace-$chip" --against "$work/$trace.$chip" --seeds 10 \
                --sample pka:variant=stem,sieve:variant=artifact,stem:variant=artifact,stem:variant=paper,stem
        done
        for set in pka:variant=stem sieve:variant=artifact stem:variant=artifact stem:variant=paper stem; do
            row "V100 to $chip, $set: $networks; mean" \
                "$(for trace in $networks; do percent "$(cells "$work/B7-$trace-$chip.csv" error_mean "sampler=$set")"; done | joined); $(percent "$(for trace in $networks; do cells "$work/B7-$trace-$chip.csv" error_mean "sampler=$set"; done | mean)")" \
                "$([[ $set == stem:variant=artifact ]] && echo "5.46 %" || echo "-")"
        done
    done
}

experiment_A1()
{
    section "A1: rate of the simulator (Allegro, table I; TBPoint, table I)" \
        "Full runs: thousand warp instructions per second of processor time, and how many times slower than the GPU that is simulated. Published: GPT-2, instructions not defined; MacSim 50.5, GPGPU-Sim 12.5, MGPUSim 27 thousand a second, which is 81,000, 329,000 and 152,000 times slower."
    local trace file
    run_networks
    for trace in $networks; do
        file=$(full_run "$trace.networks")/run.json
        row "$trace: thousand instructions a second, slow-down" \
            "$(awk -F '[:,]' '/"cpu_seconds"/ && !s { s = $2 } /"warp_instructions"/ && !n { n = $2 } /"cycles"/ && !c { c = $2 }
                END { printf "%.0f, %.0fx", n / s / 1000, s * 1380e6 / c }' "$file")" "-"
    done
}
