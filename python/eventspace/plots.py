"""Pictures with matplotlib, in the colours of the page (`eventspace web`)."""

from typing import Any

import numpy

COLOURS = {"compute": "#4c9f70", "transfer": "#3f7fbf", "waiting": "#c8553d"}


def _axes(axes: Any, **size: Any) -> Any:
    if axes is not None:
        return axes
    from matplotlib import pyplot

    return pyplot.subplots(**size)[1]


def profile(of: Any, axes: Any = None) -> Any:
    """A bar for each thread: compute, transfer and waiting, in seconds."""
    rows = of.threads.rows
    axes = _axes(axes, figsize=(8, max(2, 0.25 * len(rows))))
    left = numpy.zeros(len(rows))
    places = numpy.arange(len(rows))[::-1]
    for what, colour in COLOURS.items():
        widths = numpy.array([row[f"{what}_s"] for row in rows], dtype=float)
        axes.barh(places, widths, left=left, color=colour, label=what)
        left += widths
    axes.set_yticks(places, [row["thread"] for row in rows])
    axes.set_xlabel("s")
    axes.legend()
    return axes


def matrix(of: Any, what: str = "bytes", axes: Any = None) -> Any:
    """Senders are rows, receivers columns; the darker, the more."""
    axes = _axes(axes)
    shown = axes.imshow(of.counts(what).astype(float), cmap="Blues")
    axes.set_xticks(range(len(of.names)), of.names, rotation=90)
    axes.set_yticks(range(len(of.names)), of.names)
    axes.set_xlabel("to")
    axes.set_ylabel("from")
    axes.figure.colorbar(shown, ax=axes, label=what)
    return axes


def measurement(frame: Any, unit: str, axes: Any = None) -> Any:
    """A line for each object."""
    axes = _axes(axes)
    for objects, rows in frame.groupby(frame["objects"].map(" ".join)):
        axes.plot(rows["time_s"], rows["value"].astype(float), label=objects or None)
    axes.set_xlabel("s")
    axes.set_ylabel(unit)
    if len(axes.get_legend_handles_labels()[0]) > 0:
        axes.legend()
    return axes
