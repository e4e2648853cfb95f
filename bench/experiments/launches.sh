# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of experiments.sh, which reads this file
#
# Experiments on choosing launches: Allegro (A), STEM+ROOT (B), and comparisons of the methods.

# ---- from times ----

# The six kernels of the STEM artifact (85,217 launches): its file, or populations with the published
# numbers of launches, peaks and spreads.
six_kernels()
{
    local profile=$profiles/stem-ae/runtime-example.csv
    if [[ ! -f $profile ]]; then
        profile=$work/six_kernels.csv
        awk 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
            function kernel(name, n, peaks, factor, spread,    i) {
                for (i = 0; i < n; i++)
                    printf "%s,%d\n", name, \
                        10000 * exp(log(factor) * int(peaks * rand())) * (1 + spread * normal())
            }
            BEGIN {
                srand(1)
                print "name,duration_ns"
                kernel("max_pool", 3925, 1, 1, 0.0072)
                kernel("bn_fw_inf", 27475, 4, 1.9, 0.03)
                kernel("unrolled_elementwise", 1850, 1, 1, 0.060)
                kernel("elementwise_grid_stride", 920, 1, 1, 0.051)
                kernel("sgemm_128x64_nn", 11775, 2, 2, 0.02)
                kernel("sgemm_64x64_nn", 39272, 1, 1, 0.055)
            }' >"$profile"
    fi
    echo "$profile"
}

# times_of PROFILE FOLDER [OPTION]...: scores plans; $work/FOLDER.csv is the result.
times_of()
{
    "$rubato" evaluate "$1" --csv "$work/$2.csv" "${@:3}" >"$work/$2.txt"
}

experiment_eq6()
{
    section "(i) Eq. 6 of STEM, printed and derived" \
        "Share of errors above the bound of 5 %: lognormal times, CoV 0.6, k kernels, without ROOT."
    local k derived printed
    local -A published=([4]="5.5 % / 14.8 %" [20]="4.1 % / 26.3 %" [100]="4.2 % / 35.8 %")
    "$planning" equation6 "$(size 1000 300 5000)" >"$work/eq6.txt"
    while read -r k derived _ printed _; do
        row "k = $k: derived / printed" "$derived % / $printed %" "${published[$k]}"
    done < <(tail -n +2 "$work/eq6.txt")
    note "Published here means: from the derivation's own Monte Carlo. The paper prints one of them and its" \
        "artifact computes the other."
}

experiment_replacement()
{
    section "(ii) Sampling with and without replacement" \
        "One kernel of N launches, lognormal times, CoV 0.48 and 1.06: samples, and 95th percentile of the error."
    local n draws p95 samples without
    local -A published=([400]="348 to 186 samples" [1000]="1713 to 632 samples, p95 4.95 %")
    "$planning" replacement "$(size 2000 300)" >"$work/replacement.txt"
    while read -r n draws p95 _ samples without _; do
        row "N = $n" "$draws to $samples samples, p95 $p95 % to $without %" "${published[$n]}"
    done < <(tail -n +2 "$work/replacement.txt")
}

# Programs of many equal launches, as those of Allegro: NAME, launches, kernels, largest spread of a kernel. Its
# own seven programs (table III) are not published as profiles.
many_launches="bert 300000 9 0.2
bloom 200000 8 0.1
deit 250000 10 0.3
gemma 150000 12 0.2
gpt2 400000 9 0.1
resnet50 350000 14 0.3
whisper 100000 11 0.2"

# The profile of one of them: kernels with one to three durations and their own spread. Random numbers are
# those of Park and Miller, so that every awk makes the same profile.
profile_of_many()
{
    local file=$work/many-$1.csv
    awk -v n="$(($2 / $(size 1 20)))" -v kernels="$3" -v spread="$4" -v seed="$(cksum <<<"$1" | cut -d' ' -f1)" '
        function unit() { return (state = state * 16807 % 2147483647) / 2147483647 }
        function normal() { return sqrt(-2 * log(unit())) * cos(6.283185307 * unit()) }
        BEGIN {
            state = seed % 2147483646 + 1
            print "name,duration_ns"
            for (i = 0; i < n; i++) {
                k = i % kernels
                mean = 3000 * (1 + k * 3 % 11) * (1 + int(unit() * (1 + k % 3)))
                t = mean * (1 + spread * (1 + k) / kernels * normal())
                printf "k%d,%d\n", k, t < mean / 5 ? mean / 5 : t
            }
        }' >"$file"
    echo "$file"
}

experiment_A4()
{
    section "A4 to A6: Allegro on programs of many equal launches (figures 4 to 6, table III)" \
        "Seven made-up programs of 100,000 to 400,000 launches: geometric means of the speed-up and of the mean error, as published (variant=paper), derived, and of random sampling at the cost of the former."
    local name launches kernels spread epsilon sampler file
    local -A published=([1%]="-" [3%]="-" [5%]="983.96x / 0.057 %" [10%]="-" [25%]="-")
    while read -r name launches kernels spread; do
        times_of "$(profile_of_many "$name" "$launches" "$kernels" "$spread")" "A4-$name" \
            --sample allegro:variant=paper --sample allegro --sample stem:variant=artifact \
            --seeds "$(size 5 3)" --epsilon 1,3,5,10,25%
        times_of "$work/many-$name.csv" "A6-$name" --sample "random:like=allegro:variant=paper" \
            --seeds "$(size 20 10)"
    done <<<"$many_launches"
    for sampler in allegro:variant=paper allegro stem:variant=artifact; do
        for epsilon in 1% 3% 5% 10% 25%; do
            row "$sampler, epsilon $epsilon: speed-up / mean error" \
                "$(times "$(of_many A4 speedup_time_harmonic_mean "sampler=$sampler epsilon=$epsilon" | geomean)") / $(percent "$(of_many A4 error_mean "sampler=$sampler epsilon=$epsilon" | geomean)")" \
                "$([[ $sampler == *paper ]] && echo "${published[$epsilon]}" || echo "-")"
        done
    done
    row "largest speed-up, allegro:variant=paper, epsilon 5%" \
        "$(times "$(of_many A4 speedup_time_harmonic_mean "sampler=allegro:variant=paper epsilon=5%" | largest)")" "1486.66x"
    row "figure 6, error at equal cost: allegro:variant=paper, random" \
        "$(percent "$(of_many A4 error_mean "sampler=allegro:variant=paper epsilon=5%" | geomean)"), $(percent "$(of_many A6 error_mean "sampler=random:like=allegro:variant=paper" | geomean)")" "0.088 %, 0.81 %"
    while read -r name launches kernels spread; do
        file=$work/A4-$name.csv
        row "table III, $name: launches, kernels, samples" \
            "$((launches / $(size 1 20))), $kernels, $(cells "$file" samples_mean "sampler=allegro:variant=paper epsilon=5%" | awk '{ printf "%.0f", $1 }')" "-"
    done <<<"$many_launches"
}

# of_many PREFIX COLUMN LABEL: a column for each of the seven programs.
of_many()
{
    local name
    while read -r name _; do
        cells "$work/$1-$name.csv" "$2" "$3"
    done <<<"$many_launches"
}

experiment_B5()
{
    section "B5: speed-up and error against the bound" \
        "STEM+ROOT on the six kernels of the artifact; published: mean of the CASIO suite (figure 11)."
    local epsilon file=$work/B5.csv
    local -A published=([3]="76.5x / 0.18 %" [5]="106.8x / 0.41 %" [10]="172.3x / 0.80 %" [25]="228.5x / 2.00 %")
    times_of "$(six_kernels)" B5 --sample stem:merge=off --seeds "$(size 200 20)" --epsilon 3,5,10,25%
    for epsilon in 3 5 10 25; do
        local label="sampler=stem:merge=off epsilon=$epsilon%"
        row "epsilon $epsilon %: speed-up / mean error" \
            "$(times "$(cells "$file" speedup_time_harmonic_mean "$label")") / $(percent "$(cells "$file" error_mean "$label")")" \
            "${published[$epsilon]}"
    done
}

experiment_B12()
{
    section "B12: one budget for all kernels" \
        "Samples of STEM without ROOT on the six kernels, each kernel on its own (Eq. 3) and all together (KKT)."
    local file=$work/B12.csv alone joint
    times_of "$(six_kernels)" B12 --sample stem:root=off,variant=artifact --sample stem:root=off \
        --sample stem:variant=artifact --sample stem:merge=off --sample allegro --seeds "$(size 200 20)"
    alone=$(cells "$file" samples_mean "sampler=stem:root=off,variant=artifact")
    joint=$(cells "$file" samples_mean "sampler=stem:root=off")
    row "samples alone / together" "$alone / $joint" "917 / -"
    row "fewer samples" "$(times "$(awk -v a="$alone" -v b="$joint" 'BEGIN { print a / b }')")" "2x to 3x"
    local label name
    local -A published=([stem:root=off,variant=artifact]="91.5x / 0.98 %" [stem:variant=artifact]="3792x / 0.44 %"
        [stem:merge=off]="2419x / 0.43 %" [allegro]="183x / 0.26 %" [stem:root=off]="-")
    for name in "${!published[@]}"; do
        label="sampler=$name"
        row "$name: speed-up / mean error" \
            "$(times "$(cells "$file" speedup_time_harmonic_mean "$label")") / $(percent "$(cells "$file" error_mean "$label")")" \
            "${published[$name]}"
    done
    note "Alone, each kernel meets the bound for itself: bn_fw_inf, a fifth of the time, takes 705 of the 917 samples."
}

experiment_bound()
{
    section "Bounds on measured programs" \
        "95th percentile of the true error, and the speed-up. merge: the largest speed-up that keeps it below 5 %."
    local file name sampler
    local -A files=([ResNet-50]=resnet50-v100/run1.kernels.csv.gz [HTA]=v100-hta/df_index_resolver.kernels.csv.gz
        [GPT-2]=gpt2-accelsim/per-kernel.tsv)
    for name in ResNet-50 HTA GPT-2; do
        file=$profiles/${files[$name]}
        if [[ ! -f $file ]]; then
            note "$name: the profile is not here."
            continue
        fi
        times_of "$file" "bound-$name" --seeds "$(size 200 50)" --sample stem:merge=off \
            --sample stem:confidence=0.97
        for sampler in stem:merge=off stem:confidence=0.97; do
            row "$name, $sampler" \
                "$(percent "$(cells "$work/bound-$name.csv" error_p95 "sampler=$sampler")") at $(times "$(cells "$work/bound-$name.csv" speedup_time_harmonic_mean "sampler=$sampler")")" \
                "below 5 %"
        done
    done
}

experiment_A7()
{
    local n
    n=$(size 50000000 1000000)
    section "A7: planning time" "Plans for $n launches of 800 kernels, in memory, on one core."
    local line method count state memory
    "$planning" scale "$n" >"$work/A7.txt"
    while IFS= read -r line; do
        read -r method count state _ <<<"$line"
        [[ $count == "$n" ]] || continue
        if [[ $state == refused: ]]; then
            row "$method" "refused: too large" "minutes"
            continue
        fi
        read -r memory _ <<<"${line##*peak }"
        row "$method: processor time, peak memory" "$state s, $memory GiB" "minutes"
    done <"$work/A7.txt"
}

experiment_B11()
{
    section "B11: growth" \
        "Nanoseconds for a launch, N launches that are all different, twice as many from row to row. STEM sorts; Photon compares each launch with those before."
    local method n nanoseconds
    "$planning" growth "$(size 16000 4000)" >"$work/B11.txt"
    while read -r method n _ _ nanoseconds _; do
        row "${method%%:*}, N = $n" "$nanoseconds" \
            "$([[ $method == stem ]] && echo "O(N log N)" || echo "O(N^2)")"
    done <"$work/B11.txt"
}

# ---- on the simulator ----

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

# The suite on five GPUs, with each method.
run_suite()
{
    local trace method samples=()
    for method in "${methods[@]}"; do samples+=(--sample "$method"); done
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

experiment_B6()
{
    section "B6: design-space exploration (table 4, figure 12)" \
        "Mean error of the total cycles over bfs-, gaussian-, srad-, heartwall- and particlefilter-like traces, plans made on the baseline. First with the cycles of the chosen launches picked from the full run of each GPU (as published; mean of 10 seeds), then with all other launches skipped."
    local variant method numbers=(20.06 24.40 5.96 2.03 22.66 25.67 5.44 1.93 16.65 22.61 5.33 1.96 17.90 28.18
        6.49 2.28 23.68 23.08 5.14 2.30) i=0 trace
    local -A named=([none]=baseline [stem_cache_x2]="cache x2" [stem_cache_half]="cache x1/2" [stem_sm_x2]="SMs x2"
        [stem_sm_half]="SMs x1/2")
    run_suite
    for variant in none stem_cache_x2 stem_cache_half stem_sm_x2 stem_sm_half; do
        for method in "${methods[@]}"; do
            row "${named[$variant]}, ${title[$method]}: picked / skipped" \
                "$(percent "$(over dse picked_error_mean "$suite" "sample=$method" "variant=$variant" | mean)") / $(percent "$(over dse cycles_error "$suite" "sample=$method" "variant=$variant" | mean)")" \
                "${numbers[i]} %"
            i=$((i + 1))
        done
    done
    for trace in $suite; do
        row "$trace, STEM on the five GPUs, picked" \
            "$(for variant in none stem_cache_x2 stem_cache_half stem_sm_x2 stem_sm_half; do percent "$(cells "$work/$trace.dse.csv" picked_error_mean sample=stem:variant=artifact "variant=$variant")"; done | joined)" \
            "$(case $trace in gaussian) echo "13.5, 15.6, 14.8, 3.7, 5.5 %" ;; srad) echo "8.9, 9.7, 8.9, 8.9, 9.0 %" ;; bfs) echo "0.02 to 0.16 %" ;; *) echo "-" ;; esac)"
    done
    for method in "${methods[@]}"; do
        row "baseline, ${title[$method]}: instructions simulated, mean" \
            "$(percent "$(over dse simulated_share "$suite" "sample=$method" variant=none | mean)")"
    done
}

experiment_B8()
{
    section "B8: 13 metrics, full against weighted sum (figure 14)" \
        "Mean difference of each metric from the full run, of counts relative, of rates in percentage points. On two programs with layers (resnet, train): STEM with kernels known by name, and by name, grid and block (key=shape), values picked from the full run (as published, for BERT on a GPU); the latter with the other launches skipped. Last STEM on the suite of B6, picked."
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
        "say nothing of counts. A metric that is 0 in a whole trace (no FP16) is left out. Data of train and of the" \
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
            for trace in resnet train; do differences "$work/$trace.warmup.csv" "$2" "sample=$1" warmup=keep; done
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
    kept=$(over warmup cycles_error "resnet train" sample=stem:merge=off warmup=keep | mean)
    flushed=$(over warmup cycles_error "resnet train" sample=stem:merge=off warmup=flush | mean)
    row "STEM, resnet and train" "$(awk -v a="$flushed" -v b="$kept" 'BEGIN { printf "%+.2f points\n", 100 * (a - b) }')" \
        "+0.07 points (CASIO)"
    note "The suite's launches are short and find what they need in the 6 MiB of L2 that the launches before left:" \
        "a flush costs them more than it cost the published programs."
}

# Programs with repeated layers, like those of neural networks.
run_layers()
{
    local trace
    make_trace resnet resnet -p "width=$(size 50 10)"
    make_trace train train --size "$(size 200 60 400)"
    for trace in resnet train; do
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
    for trace in $suite resnet train; do
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
        times_of "$(cells "$work/$trace.dse.csv" folder sample= variant=none)" "sieve-$trace" \
            --sample sieve --sample sieve:variant=artifact --sample sieve:density=off --seeds 1
    done
    for name in sieve sieve:variant=artifact sieve:density=off; do
        row "$name: error / speed-up (harmonic mean)" \
            "$(percent "$(for trace in $suite; do cells "$work/sieve-$trace.csv" error_mean "sampler=$name"; done | mean)") / $(times "$(for trace in $suite; do cells "$work/sieve-$trace.csv" speedup_time_harmonic_mean "sampler=$name"; done | awk '{ sum += 1 / $1; n++ } END { print n / sum }')")" \
            "${published[$name]}"
    done
}

experiment_online()
{
    section "Stated coverage of sequential STEM" \
        "$(size "2,000" 200) replays each of made programs of 200 to 20,000 launches, and of the GPT-2 training step as Accel-Sim simulated it (3,421 launches): how often the 95 % interval holds the truth, where one is stated. It is refused where tails are so heavy that no interval is sound."
    local program covered refused speed gpt2=$profiles/gpt2-accelsim/per-kernel.tsv
    [[ -f $gpt2 ]] || gpt2=
    "$planning" coverage "$(size 2000 200)" ${gpt2:+"$gpt2"} >"$work/online.txt"
    awk '
        NR == 1 {
            n = split(substr($0, index($0, "launches")), head)
            for (i = 1; i <= n; i++)
                at[head[i]] = i
            if (!("launches" in at && "covered" in at && "refused" in at && "cycles" in at))
                exit 1
            next
        }
        {
            name = $0
            numbers = match(name, / +[0-9]+ +[0-9]+ +[0-9.]+x /) ? substr(name, RSTART) : ""
            split(numbers, v)
            print substr(name, 1, RSTART - 1) ", " v[at["launches"]] " launches\t" v[at["covered"]] "\t" \
                v[at["refused"]] "\t" v[at["cycles"]]
        }' "$work/online.txt" >"$work/online.tsv"
    while IFS=$'\t' read -r program covered refused speed; do
        [[ $program != per-kernel* ]] || program="GPT-2 table"
        [[ $refused != 100.0% ]] || covered=-
        row "$program" "$covered at $speed, refused in $refused" "stated: 95 %"
    done <"$work/online.tsv"
}
