"""The share of the offered load that arrives, against the number of daemons, as a picture, drawn by gnuplot: one panel for
each shape of the network, one line for each number of metrics."""

import shutil
import subprocess

HEAD = """
set terminal pngcairo size 1200,360 font "sans,11"
set output "{picture}"
set multiplot layout 1,{panels} title "Share of the samples offered by daemons that arrives at the front-end"
set xlabel "daemons"
set logscale x 4
set yrange [0:1.1]
set grid
set key bottom left title "metrics"
"""


def draw(measured, picture):
    """Draws {(shape, daemons): {metrics: share}}. Returns None, or the reason why there is no picture."""
    if shutil.which("gnuplot") is None:
        return "no plot: gnuplot is not installed; scripts/setup --bench does"
    points = {}
    for (shape, daemons), shares in measured.items():
        for metrics, share in ({} if isinstance(shares, str) else shares).items():
            points.setdefault(shape, {}).setdefault(metrics, []).append((daemons, share))
    if not points:
        return "no plot: nothing was measured"
    done = subprocess.run(["gnuplot"], input=script_of(points, picture), stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace")
    # gnuplot returns 0 even if it could not open the picture.
    return None if done.returncode == 0 and picture.is_file() else f"no plot: {' '.join(done.stderr.split())}"


def script_of(points, picture):
    script = [HEAD.format(picture=picture, panels=len(points))]
    for shape, lines in points.items():
        for metrics, line in lines.items():
            script += [f"$d{metrics} << EOD", *(f"{daemons} {share}" for daemons, share in line), "EOD"]
        plots = [f'$d{metrics} with linespoints pointtype 7 title "{metrics}"' for metrics in lines]
        script += [f'set title "{shape}"', "plot " + ", ".join(plots)]
    return "\n".join([*script, "unset multiplot", ""])
