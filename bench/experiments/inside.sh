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
        "$(times "$(over "$suffix" speedup_cpu "$traces" "sample=$set" | geomean)")"
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
            "$(summary_of "$suffix" "$photon_traces" "$set"); $(times "$(over "$suffix" speedup_cpu "$photon_traces" "sample=$set" | largest)")" \
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

# Photon at its three levels, as published, as in its code, and ours; on whole programs.
levels()
{
    printf 'photon_kernel%s,photon_bb%s,photon_warp%s' "$1" "$1" "$1"
}
published_levels=$(levels :variant=paper)
code_levels=$(levels :variant=code)
our_levels=$(levels "")

make_photon_programs()
{
    local nodes depth
    pageranks=
    for nodes in $(size "8192 16384 32768" 2048 "8192 16384 32768 65536"); do
        make_trace "pagerank-$((nodes / 1024))k" pagerank --size "$nodes"
        pageranks+=" pagerank-$((nodes / 1024))k"
    done
    make_trace vgg-16 vgg --size "$(size 64 32 224)" -p "width=$(size 100 10)"
    for depth in 18 34 50 101 152; do
        make_trace "resnet-$depth" resnet --size "$(size 64 32 224)" -p "depth=$depth" -p "width=$(size 100 10)"
    done
    if [[ $scale == large ]]; then make_trace vgg-19 vgg --size 224 -p depth=19; fi
    photon_programs="${pageranks# } vgg-16 resnet-18 resnet-34 resnet-50 resnet-101 resnet-152$([[ $scale != large ]] || echo " vgg-19")"
}

# On the chip of figure 13. Of VGG-16 also the levels one by one.
run_photon_programs()
{
    local trace sets
    make_photon_programs
    for trace in $photon_programs; do
        sets=(--sample "$published_levels" --sample "$code_levels" --sample "$our_levels")
        [[ $trace != vgg-16 ]] || sets+=(--sample photon_kernel:variant=paper
            --sample "photon_kernel:variant=paper,photon_warp:variant=paper")
        # shellcheck disable=SC2086 # options
        score "$trace" "$trace.programs" $nano "${sets[@]}"
    done
}

# result_of TRACE SUFFIX SET: error, share of the instructions and speed-up of one set.
result_of()
{
    printf '%s, %s of the instructions, %s' \
        "$(percent "$(cells "$work/$1.$2.csv" cycles_error "sample=$3")")" \
        "$(percent "$(cells "$work/$1.$2.csv" simulated_share "sample=$3")")" \
        "$(times "$(cells "$work/$1.$2.csv" speedup_cpu "sample=$3")")"
}

experiment_C4()
{
    section "C4: Photon on whole programs (figure 16)" \
        "All three levels, on a chip of 2,560 warps: PageRank (a warp for each node, 64 neighbours, 8 launches), VGG-16, ResNet-18 to -152, of one image of 64 pixels: a twelfth of the published work."
    local trace
    local -A published=([pagerank-8k]="3.70 %, 6.8x" [pagerank-16k]="1.85 %, 8.5x" [pagerank-32k]="0.42 %, 15.4x"
        [pagerank-64k]="0.69 %, 24.0x" [vgg-16]="8.05 %, 19.7x" [vgg-19]="9.15 %, 23.4x" [resnet-18]="2.26 %, 10.1x"
        [resnet-34]="1.45 %, 16.1x" [resnet-50]="0.50 %, 19.6x" [resnet-101]="8.09 %, 29.8x"
        [resnet-152]="10.70 %, 39.1x")
    run_photon_programs
    for trace in $photon_programs; do
        row "$trace, paper: error, simulated, speed-up" "$(result_of "$trace" programs "$published_levels")" "${published[$trace]:--}"
        row "$trace, code: error, simulated, speed-up" "$(result_of "$trace" programs "$code_levels")"
        row "$trace, ours: error, simulated, speed-up" "$(result_of "$trace" programs "$our_levels")"
    done
    for set in "$published_levels" "$code_levels" "$our_levels"; do
        row "$set: mean error, largest speed-up" \
            "$(percent "$(over programs cycles_error "$photon_programs" "sample=$set" | mean)"), $(times "$(over programs speedup_cpu "$photon_programs" "sample=$set" | largest)")" \
            "$([[ $set == "$published_levels" ]] && echo "4.26 %, 39.1x" || echo "-")"
    done
}

experiment_C5()
{
    section "C5: levels of Photon on VGG-16 (figure 17)" "Error, share of the instructions simulated, and speed-up, as in the paper."
    run_photon_programs
    row "kernels" "$(result_of vgg-16 programs photon_kernel:variant=paper)" "4.60 %, 6.76x"
    row "kernels and warps" "$(result_of vgg-16 programs "photon_kernel:variant=paper,photon_warp:variant=paper")" "6.92 %, 13.08x"
    row "kernels, warps and basic blocks" "$(result_of vgg-16 programs "$published_levels")" "8.05 %, 19.71x"
}

# count COMMAND...: million host instructions; "-" without valgrind.
count()
{
    if command -v valgrind >/dev/null; then
        valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$work/counted" "$@" >/dev/null 2>&1
        awk '/Collected/ { printf "%.1f\n", $NF / 1e6 }' "$work/counted"
    else
        echo -
    fi
}

experiment_C6()
{
    section "C6: Photon's offline mode" \
        "Million host instructions of a run of FIR as text, which must be read ahead: analysed and not kept, analysed and saved, and with the saved analysis. Published: hours for PageRank to ResNet."
    local trace=$work/offline run
    make_trace offline fir --blocks 400
    [[ -d $trace ]] || "$rubato" convert "$trace.rbt" "$trace" --to accelsim --progress never 2>/dev/null
    rm -f "$work/offline.json"
    # shellcheck disable=SC2206 # options
    run=("$rubato" run "$trace" --gpu "$gpu" $nano --progress never)
    row "in full" "$(count "${run[@]}")"
    row "with the analysis" "$(count "${run[@]}" --sample "$(offline "")")" "4.19 h"
    row "with the analysis, saved" "$(count "${run[@]}" --sample "$(offline ",save=$work/offline.json")")"
    row "with a saved analysis" "$(count "${run[@]}" --sample "$(offline ",load=$work/offline.json")")" "3.76 h"
}

offline()
{
    printf 'photon_bb:variant=paper%s,photon_warp:variant=paper%s' "$1" "$1"
}

# ---- TBPoint ----

regular="stream hotspot lbm black cfd kmeans conv"
irregular="bfs-d sssp mst spmv-d mri"

# The chip of the paper: 14 SMs of 48 warps and 768 KiB of L2.
fermi_caches="-s sm.count=14 -s l2.size=768KiB"
fermi="$fermi_caches -s sm.max_warps=48"

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
    make_trace cfd cfd --blocks "$(size 2400 600 9600)" -p steps=1
    make_trace kmeans kmeans --blocks "$(size 2400 600 9600)" -p features=8 -p clusters=5 -p iterations=1
    make_trace conv conv --size "$(size 256 128 512)" -p channels=8 -p filters=12
    make_trace mri gridding --size "$(size 96 32 192)" -p dense=200
}

# The last two are the paper's baselines: units of instructions, at random and by Ideal-SimPoint.
tbpoint_sets()
{
    local unit
    unit=$(size 20000 20000 1000000)
    printf '%s\n' tbpoint tbpoint_region:variant=paper "tbpoint,tbpoint_region:variant=paper" \
        "units:which=random,size=$unit" "units:which=simpoint,size=$unit" "tbpoint,tbpoint_region"
}

# run_tbpoint SUFFIX TRACES CHIP [OPTION]...
run_tbpoint()
{
    local trace suffix=$1 traces=$2 chip=$3
    make_tbpoint_traces
    # shellcheck disable=SC2086 # options
    for trace in $traces; do score "$trace" "$trace.$suffix" $chip "${@:4}"; done
}

experiment_D1()
{
    section "D1 to D3: TBPoint (figures 9 to 11)" \
        "Geometric mean of the error and mean share of the instructions simulated; skipped between and inside launches. On the chip of the paper (14 SMs of 48 warps, 768 KiB of L2). Regular: stream, hotspot, lbm, black, cfd, kmeans, conv; irregular: bfs, sssp, mst, spmv, mri."
    local set group traces sets=()
    while IFS= read -r set; do sets+=(--sample "$set"); done < <(tbpoint_sets)
    run_tbpoint tbpoint "$regular $irregular" "$fermi" "${sets[@]}"
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
        "Largest error over the traces, on the chip of the paper: SMs doubled and halved, 16, 32 and 48 warps on an SM."
    local set=tbpoint,tbpoint_region:variant=paper warps variant traces
    traces=$(size "stream hotspot black" "stream hotspot" "$regular $irregular")
    run_tbpoint sms "$traces" "$fermi" --sample "$set" --variants sm.x2,sm.half
    for variant in none stem_sm_x2 stem_sm_half; do
        row "$set, $variant" \
            "$(percent "$(over sms cycles_error "$traces" "sample=$set" "variant=$variant" | largest)")" \
            "below 14 %"
    done
    for warps in 16 32 48; do
        run_tbpoint "warps$warps" "$traces" "$fermi_caches -s sm.max_warps=$warps" --sample "$set"
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

# ---- launches that are drawn ----

# twenty NAME OPTIONS SET...: tries the sets on 20 drawn launches of 200 waves; rows of what they gain and how far they
# are off where they stopped.
twenty()
{
    local name=$1 folder=$work/twenty-$1 chip=$2 set options=()
    shift 2
    for set in "$@"; do options+=(--sampler "$set"); done
    [[ -z $chip ]] || options+=(--chip "$chip")
    if [[ ! -f $folder/report.md ]]; then
        "$here/random.sh" "$(size 20 2)" --waves 200 --seed 3 "${options[@]}" --rubato "$rubato" --draw "$planning" \
            -o "$folder" >"$work/twenty.txt" 2>&1 || {
            cat "$work/twenty.txt" >&2
            exit 1
        }
    fi
    for set in "$@"; do
        row "$name, $set: gain, simulated and walked, stopped of $(size 20 2), error of those: mean, largest" \
            "$(awk -F '\t' -v set="$set" '
                FILENAME ~ /triples/ && $4 == set { gain += log($6); work += $7 + $8; n++; stopped[$1] = $7 < 0.999 }
                FILENAME ~ /statistics/ && $2 == set && $3 == "cycles" && stopped[$1] {
                    e = $5 < 0 ? -$5 : $5; sum += e; m++; if (e > most) most = e
                }
                END { printf "%.2fx, %.1f %%, %d, %.2f %%, %.1f %%", exp(gain / n), 100 * work / n, m, m ? 100 * sum / m : 0, 100 * most }
            ' "$folder/triples.tsv" "$folder/statistics.tsv")" \
            "$(case $set in tbpoint*paper) echo "38x, 0.47 %" ;; photon*paper) echo "1.87x, 6.83 %" ;; *) echo "-" ;; esac)"
    done
}

experiment_twenty()
{
    local photon="photon_bb:variant=paper,photon_warp:variant=paper" code="photon_bb:variant=code,photon_warp:variant=code"
    local paper=tbpoint_region:variant=paper
    section "20 launches of 200 waves" \
        "Launches that are drawn, each with a chip of its own; then the same launches on the chip of TBPoint's paper, where they have fewer waves."
    twenty drawn "" "$photon" "$code" "$paper" photon_bb,photon_warp tbpoint_region smarts "$paper,normalise=on" \
        "$paper,tolerance=0.01" "$paper,check=on"
    twenty fermi "$fermi" "$photon" "$code" "$paper" tbpoint_region
}
