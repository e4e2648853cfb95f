# Draws silicon.svg (held_out.csv: rows set apart before they were run, each with the result of its first run) and
# speed.svg of README.md, and predicted.svg of docs/predict.md (predicted.csv: a hold-out of lab/predictions.md) from the
# tables beside this file: cd docs/figures && gnuplot figures.gp
# study.svg is rubato's own figure:
#   rubato gen solver --size 65536 -p degree=12 -p local=30 -p iterations=30 -o solver.rbt
#   rubato sweep solver.rbt --gpu v100 --sample stem_online:pilot=6 \
#     --vary l2.size=6MiB,4608KiB,3MiB,1536KiB,768KiB --vary sm.count=40,20 -o study
#   rubato plot study --what curve --axis l2.size -o study.svg
set datafile separator ","
set terminal svg size 460,330 font "Helvetica,12" background "white"
set key bottom center horizontal samplen 0.5
set grid lc rgb "#dddddd"
set border lc rgb "#666666"
set logscale x

set output "silicon.svg"
set title "Held-out rows: simulated against measured"
set xlabel "measured cycles"
set ylabel "simulated / measured"
set format x "10^{%L}"
set yrange [0.2:1.8]
set key top left vertical
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#444444"
of(name) = sprintf("< awk -F, '$1 == \"%s\"' held_out.csv", name)
plot of("QV100 and V100") using 4:($5/$4) with points pt 7 ps 0.6 lc rgb "#0060ad" title "QV100, V100", \
     of("TITAN V") using 4:($5/$4) with points pt 9 ps 0.7 lc rgb "#c03030" title "TITAN V", \
     of("GTX 1650") using 4:($5/$4) with points pt 5 ps 0.6 lc rgb "#2a8a3a" title "GTX 1650", \
     of("T4") using 4:($5/$4) with points pt 13 ps 0.8 lc rgb "#d08000" title "T4", \
     of("V100") using 4:($5/$4) with points pt 11 ps 0.6 lc rgb "#7030a0" title "V100, operators"

set output "speed.svg"
unset arrow 1
set title "Processor time of 26 traces on the V100"
set xlabel "warp instructions"
set ylabel "seconds, one thread"
set yrange [0.01:1000]
set logscale y
set format y "10^{%L}"
set key top left horizontal
plot "speed.csv" skip 1 using 2:3 with points pt 6 ps 0.8 lc rgb "#999999" title "Accel-Sim", \
     "" skip 1 using 2:5 with points pt 7 ps 0.7 lc rgb "#0060ad" title "rubato"

set output "predicted.svg"
set key bottom right vertical
set title "40 programs set aside: predicted against simulated"
set xlabel "simulated cycles"
set ylabel "predicted / simulated"
unset logscale y
set format y "%g"
set yrange [0:3]
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#444444"
plot "predicted.csv" skip 1 using 2:3 with points pt 6 ps 0.8 lc rgb "#999999" title "level 0 (index)", \
     "" skip 1 using 2:4 with points pt 7 ps 0.7 lc rgb "#0060ad" title "level 1 (walk)"
