# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of experiments.sh, which reads this file
#
# Experiments on the choice of launches from profiles, without a simulator: Allegro (A), STEM+ROOT (B).

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
