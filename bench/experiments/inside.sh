# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of experiments.sh, which reads this file
#
# Experiments on stopping inside launches: Photon (C), PKA's stop, TBPoint (D).

# The chip of Photon's figure 13, an R9 Nano, holds 2,560 warps; that of figure 14, an MI100, 4,800: SMs of a V100
# with as many. The windows of Photon are fixed numbers of warps, so this decides whether it stops.
nano="-s sm.count=40"
mi100="-s sm.count=75"

# Photon's kernels, in waves of 1 to 200 on 40 SMs; with --large matrix product and AES, too.
photon_traces=
make_photon_traces()
{
    photon_traces=
    add()
    {
        make_trace "$@"
        photon_traces+=" $1"
    }
    add relu-25 relu --blocks "$(size 8000 8000)"
    add fir-20 fir --blocks "$(size 6400 1600)"
    [[ $scale != quick ]] || { photon_traces=${photon_traces# }; return; }
    add relu-200 relu --blocks 64000
    add black-66 blackscholes --blocks 32000 -p launches=1
    add stencil-50 stencil --blocks 16000 -p steps=1
    add spmv-1 spmv --size 64k -p skew=8
    if [[ $scale == large ]]; then
        add fir-100 fir --blocks 32000
        add matmul-5 matmul --blocks 1600
        add aes-16 aes --blocks 3200
    fi
    photon_traces=${photon_traces# }
}

# The paper, its code, ours; and PKA as Photon's authors have it.
photon_sets=(photon_bb:variant=paper photon_warp:variant=paper
    "photon_bb:variant=paper,photon_warp:variant=paper" "photon_bb:variant=code,photon_warp:variant=code"
    pka_stop pka_stop:variant=artifact pka_stop:variant=photon "photon_bb,photon_warp" smarts)

# run_photon [SUFFIX OPTIONS]: on the chip of figure 13, or another one.
run_photon()
{
    local trace set sets=() suffix=${1:-photon} chip=${2:-$nano}
    make_photon_traces
    for set in "${photon_sets[@]}"; do sets+=(--sample "$set"); done
    # shellcheck disable=SC2086 # options
    for trace in $photon_traces; do score "$trace" "$trace.$suffix" $chip "${sets[@]}"; done
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

# The rows of a figure: each trace, then each set.
photon_rows()
{
    local suffix=$1 trace set both="photon_bb:variant=paper,photon_warp:variant=paper"
    for trace in $photon_traces; do
        row "$trace: paper, code, PKA, ours (waves)" \
            "$(for set in "$both" "photon_bb:variant=code,photon_warp:variant=code" pka_stop:variant=photon photon_bb,photon_warp; do percent "$(cells "$work/$trace.$suffix.csv" cycles_error "sample=$set")"; done | joined) ($(cells "$work/$trace.$suffix.launches.csv" waves sample=pka_stop | largest | awk '{ printf "%.0f", $1 }'))"
    done
    for set in "${photon_sets[@]}"; do
        row "$set: mean error, share simulated, speed-up (geometric mean; largest)" \
            "$(summary_of "$suffix" "$photon_traces" "$set"); $(times "$(over "$suffix" speedup_wall "$photon_traces" "sample=$set" | largest)")" \
            "$(case $suffix,$set in photon,"$both") echo "6.83 %, 1.87x; 24.65x" ;; photon,pka_stop:variant=photon) echo "67.0 %" ;; mi100,"$both") echo "5.45 %" ;; *) echo "-" ;; esac)"
    done
}

experiment_C1()
{
    section "C1: Photon inside launches (figure 13)" \
        "On a chip with as many warps as the published one (2,560): error of the cycles of ReLU, FIR, Black-Scholes, a stencil and SpMV (power-law rows)."
    run_photon
    photon_rows photon
}

experiment_C2()
{
    section "C2: Photon on the larger chip (figure 14)" \
        "The same launches on a chip that holds 4,800 warps, as an MI100."
    run_photon mi100 "$mi100"
    photon_rows mi100
}

experiment_C3()
{
    section "C3: levels of Photon (figure 15)" "Mean error of the traces of C1, by level, as in the paper."
    local set
    local -A published=([photon_bb:variant=paper]="9.70 %" [photon_warp:variant=paper]="1.75 %"
        [photon_bb:variant=paper,photon_warp:variant=paper]="6.83 %")
    run_photon
    for set in photon_bb:variant=paper photon_warp:variant=paper photon_bb:variant=paper,photon_warp:variant=paper; do
        row "$set" "$(summary_of photon "$photon_traces" "$set")" "${published[$set]}"
    done
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
        "ReLU: share of the instructions simulated by photon_warp with the published windows and with windows of time (steady), as the warps that an SM holds grow. 100 %: it never fired."
    local warps n set
    n=$(size 8000 4000 64000)
    make_trace "relu-$n" relu --blocks "$n"
    for warps in 8 16 32 64; do
        score "relu-$n" "window-$warps" -s "sm.max_warps=$warps" --sample photon_warp:variant=paper \
            --sample photon_warp:variant=code --sample photon_warp
        row "$((80 * warps)) resident warps: paper, code, steady" \
            "$(for set in photon_warp:variant=paper photon_warp:variant=code photon_warp; do percent "$(cells "$work/window-$warps.csv" simulated_share "sample=$set")"; done | joined)" \
            "$(awk -v r="$((80 * warps))" 'BEGIN { printf "fires if the spread of times is below %.1f %%\n", 5.08 * 1024 / r }')"
    done
}

# ---- TBPoint ----

regular="stream hotspot lbm black"
irregular="bfs-d sssp mst spmv-d"

# The chip of the paper: 14 SMs of 48 warps and 768 KiB of L2.
fermi="-s sm.count=14 -s sm.max_warps=48 -s l2.size=768KiB"

# On 14 SMs, the regular ones have 60 waves and more.
make_tbpoint_traces()
{
    make_trace stream vecadd --blocks "$(size 20000 4000 80000)"
    make_trace hotspot stencil --blocks "$(size 8000 2000 32000)" -p "steps=$(size 3 2 8)"
    make_trace lbm lbm --blocks "$(size 6000 1500 24000)"
    make_trace black blackscholes --blocks "$(size 12800 3200 51200)" -p "launches=$(size 2 2 4)"
    make_trace bfs-d bfs --size "$(size 16384 8192 262144)"
    make_trace sssp sssp --size "$(size 4096 2048 65536)"
    make_trace mst mst --size "$(size 4096 2048 131072)"
    make_trace spmv-d spmv --size "$(size 32k 16k 256k)" -p skew=8
}

# The last two are the paper's baselines: units of instructions, at random and by Ideal-SimPoint.
tbpoint_sets()
{
    local unit
    unit=$(size 20000 20000 1000000)
    printf '%s\n' tbpoint tbpoint_region:variant=paper "tbpoint,tbpoint_region:variant=paper" \
        "units:which=random,size=$unit" "units:which=simpoint,size=$unit" "tbpoint,tbpoint_region"
}

# run_tbpoint SUFFIX TRACES [OPTION]...
run_tbpoint()
{
    local trace suffix=$1 traces=$2
    make_tbpoint_traces
    # shellcheck disable=SC2086 # options
    for trace in $traces; do score "$trace" "$trace.$suffix" $fermi "${@:3}"; done
}

experiment_D1()
{
    section "D1 to D3: TBPoint (figures 9 to 11)" \
        "Geometric mean of the error and mean share of the instructions simulated; skipped between and inside launches. On the chip of the paper (14 SMs of 48 warps, 768 KiB of L2). Regular: stream, hotspot, lbm, black; irregular: bfs, sssp, mst, spmv."
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
                all,tbpoint,tbpoint_region:variant=paper) echo "0.47 %, 2.6 %" ;;
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
    local set=tbpoint,tbpoint_region:variant=paper warps variant traces
    traces=$(size "stream hotspot black" "stream hotspot" "$regular $irregular")
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

experiment_D6()
{
    section "TBPoint, figure 5: the spread of the IPC" \
        "Warps that stall with probability p, for times whose means vary by a tenth: share of 10,000 trials within 10 % of the IPC, and its coefficient of variation."
    local warps p within cov
    while read -r warps p within cov; do
        row "$warps warps, p = $p: within 10 %, CoV" "$within %, $cov %" "above 95 %, -"
    done < <("$planning" stalls | tail -n +2)
}
