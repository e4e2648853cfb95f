# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of experiments.sh, which reads this file
#
# Experiments on stopping inside launches: Photon (C), PKA's stop, TBPoint (D).

# Prints those samplers of a list that exist.
present()
{
    local sampler part good
    for sampler in "$@"; do
        good=true
        for part in ${sampler//,/ }; do
            [[ $part == *=* && $part != *:* ]] || has_sampler "$part" || good=false
        done
        if $good; then echo "$sampler"; fi
    done
}

# Photon's kernels, each in two sizes; with --large in three, the largest with 150 waves and more.
photon_traces=
make_photon_traces()
{
    local n
    photon_traces=
    add()
    {
        make_trace "$@"
        photon_traces+=" $1"
    }
    for n in $(size "2M 8M" "8M" "2M 8M 32M"); do add "relu-$n" relu --size "$n"; done
    for n in $(size "1M 4M" "2M" "1M 4M 16M"); do add "fir-$n" fir --size "$n"; done
    for n in $(size "256 512" "256" "256 512 1024"); do add "matmul-$n" matmul --size "$n"; done
    for n in $(size "64k 256k" "128k" "64k 256k 1M"); do add "aes-$n" aes --size "$n"; done
    for n in $(size "28 56" "28" "28 56 112"); do add "conv-$n" conv --size "$n"; done
    for n in $(size "64k" "64k" "64k 256k 1M"); do add "spmv-$n" spmv --size "$n" -p skew=8; done
    photon_traces=${photon_traces# }
}

photon_sets=(photon_bb photon_warp "photon_bb,photon_warp" pka_stop pka_stop:variant=artifact
    pka_stop:variant=photon)

run_photon()
{
    local trace set sets=()
    make_photon_traces
    while IFS= read -r set; do sets+=(--sample "$set"); done < <(present "${photon_sets[@]}")
    for trace in $photon_traces; do score "$trace" "$trace.photon" "${sets[@]}"; done
}

# Mean error, share simulated, and speed-up of one set over the traces of a suite.
summary_of()
{
    local suffix=$1 traces=$2 set=$3
    printf '%s, %s of the instructions, %s' \
        "$(percent "$(over "$suffix" cycles_error "$traces" "sample=$set" | mean)")" \
        "$(percent "$(over "$suffix" simulated_share "$traces" "sample=$set" | mean)")" \
        "$(times "$(over "$suffix" speedup_wall "$traces" "sample=$set" | geomean)")"
}

experiment_C1()
{
    section "C1: Photon inside launches (figure 13)" \
        "ReLU, FIR, matrix product, AES, convolution and SpMV (power-law rows) in several sizes: error of the cycles for each, photon_warp and PKA as Photon's authors have it. Published sizes are for 64 compute units of another chip."
    local trace set largest_speedup
    run_photon
    for trace in $photon_traces; do
        row "$trace: photon_warp, PKA (waves)" \
            "$(percent "$(cells "$work/$trace.photon.csv" cycles_error sample=photon_warp)"), $(percent "$(cells "$work/$trace.photon.csv" cycles_error sample=pka_stop:variant=photon)") ($(cells "$work/$trace.photon.launches.csv" waves sample=photon_warp | largest | awk '{ printf "%.1f", $1 }'))"
    done
    while IFS= read -r set; do
        largest_speedup=$(over photon speedup_wall "$photon_traces" "sample=$set" | largest)
        row "$set: mean error, share simulated, speed-up (geometric mean; largest)" \
            "$(summary_of photon "$photon_traces" "$set"); $(times "$largest_speedup")" \
            "$(case $set in photon_bb,photon_warp) echo "6.83 %, 1.87x; 24.65x" ;; pka_stop:variant=photon) echo "67.0 %" ;; *) echo "-" ;; esac)"
    done < <(present "${photon_sets[@]}")
}

experiment_C3()
{
    section "C3: levels of Photon (figure 15)" "Mean error of the same traces, by level."
    local set
    local -A published=([photon_bb]="9.70 %" [photon_warp]="1.75 %" [photon_bb,photon_warp]="6.83 %")
    run_photon
    while IFS= read -r set; do
        row "$set" "$(percent "$(over photon cycles_error "$photon_traces" "sample=$set" | mean)")" \
            "${published[$set]}"
    done < <(present photon_bb photon_warp photon_bb,photon_warp)
}

experiment_pkp()
{
    section "(iii) Three detectors under the name of PKA's stop" \
        "The same traces: mean error, share simulated, speed-up."
    local set
    run_photon
    for set in pka_stop pka_stop:variant=artifact pka_stop:variant=photon; do
        row "$set" "$(summary_of photon "$photon_traces" "$set")" \
            "$([[ $set == *photon ]] && echo "67.0 %" || echo "-")"
    done
}

experiment_window()
{
    section "(v) Photon's window against resident warps" \
        "ReLU: share of the instructions simulated by photon_warp with the published window of 1024 warps, and with windows that scale, as the warps that an SM holds grow. 100 %: it never fired."
    local warps n
    n=$(size 8M 4M 16M)
    make_trace "relu-$n" relu --size "$n"
    for warps in 8 16 32 64; do
        score "relu-$n" "window-$warps" -s "sm.max_warps=$warps" --sample photon_warp:variant=paper \
            --sample photon_warp
        row "$((80 * warps)) resident warps: published window, scaled" \
            "$(percent "$(cells "$work/window-$warps.csv" simulated_share sample=photon_warp:variant=paper)"), $(percent "$(cells "$work/window-$warps.csv" simulated_share sample=photon_warp)")" \
            "$(awk -v r="$((80 * warps))" 'BEGIN { printf "fires if the spread of times is below %.1f %%\n", 5.08 * 1024 / r }')"
    done
}

# ---- TBPoint ----

regular="stream kmeans hotspot lbm black conv"
irregular="bfs-d sssp mst spmv-d"

make_tbpoint_traces()
{
    make_trace stream vecadd --size "$(size 8M 8M 32M)"
    make_trace kmeans kmeans --size "$(size 32k 32k 128k)"
    make_trace hotspot stencil --size "$(size 1026 1026 2050)" -p "steps=$(size 2 2 4)"
    make_trace lbm lbm --size "$(size 48 48 96)"
    make_trace black blackscholes --size "$(size 1M 1M 4M)" -p "launches=$(size 2 2 4)"
    make_trace conv conv --size "$(size 56 56 112)"
    make_trace bfs-d bfs --size "$(size 32768 32768 262144)"
    make_trace sssp sssp --size "$(size 16384 8192 65536)"
    make_trace mst mst --size "$(size 16384 8192 131072)"
    make_trace spmv-d spmv --size "$(size 128k 64k 512k)" -p skew=8
}

# The last two are the paper's baselines: units of instructions, at random and by Ideal-SimPoint.
tbpoint_sets()
{
    local unit
    unit=$(size 100000 100000 1000000)
    present tbpoint tbpoint_region "tbpoint,tbpoint_region" "units:which=random,size=$unit" \
        "units:which=simpoint,size=$unit"
}

# run_tbpoint SUFFIX TRACES [OPTION]...
run_tbpoint()
{
    local trace suffix=$1 traces=$2
    make_tbpoint_traces
    for trace in $traces; do score "$trace" "$trace.$suffix" "${@:3}"; done
}

experiment_D1()
{
    section "D1 to D3: TBPoint (figures 9 to 11)" \
        "Geometric mean of the error and mean share of the instructions simulated; skipped between and inside launches. Regular: stream, kmeans, hotspot, lbm, black, conv; irregular: bfs, sssp, mst, spmv."
    local set group traces sets=()
    while IFS= read -r set; do sets+=(--sample "$set"); done < <(tbpoint_sets)
    run_tbpoint tbpoint "$regular $irregular" "${sets[@]}"
    while IFS= read -r set; do
        for group in all regular irregular; do
            case $group in
            all) traces="$regular $irregular" ;;
            regular) traces=$regular ;;
            irregular) traces=$irregular ;;
            esac
            row "$set, $group: error, simulated, between, inside" \
                "$(percent "$(over tbpoint cycles_error "$traces" "sample=$set" | geomean)"), $(percent "$(over tbpoint simulated_share "$traces" "sample=$set" | mean)"), $(percent "$(over tbpoint skipped_between_share "$traces" "sample=$set" | mean)"), $(percent "$(over tbpoint skipped_inside_share "$traces" "sample=$set" | mean)")" \
                "$(case $group,$set in
                all,tbpoint,tbpoint_region) echo "0.47 %, 2.6 %" ;;
                all,units:which=random,*) echo "7.95 %, 10 %" ;;
                all,units:which=simpoint,*) echo "1.74 %, 5.4 %" ;;
                *) echo "-" ;;
                esac)"
        done
    done < <(tbpoint_sets)
}

experiment_D4()
{
    section "D4: TBPoint on other chips (figures 12 and 13)" \
        "Largest error over the traces: SMs doubled and halved, 16, 32 and 48 warps on an SM."
    local set=tbpoint,tbpoint_region warps variant traces
    traces=$(size "stream hotspot spmv-d" "stream hotspot" "$regular $irregular")
    run_tbpoint sms "$traces" --sample "$set" --variants sm.x2,sm.half
    for variant in none stem_sm_x2 stem_sm_half; do
        row "$set, $variant" \
            "$(percent "$(over sms cycles_error "$traces" "sample=$set" "variant=$variant" | largest)")" \
            "below 14 %"
    done
    for warps in 16 32 48; do
        run_tbpoint "warps$warps" "$traces" --sample "$set" -s "sm.max_warps=$warps"
        row "$set, $warps warps on an SM" \
            "$(percent "$(over "warps$warps" cycles_error "$traces" "sample=$set" | largest)")" \
            "below 14 %"
    done
}
