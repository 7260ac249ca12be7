"""Runs the mmscope simulator of Linux memory reclaim.

    import mmscope

    report = mmscope.run("first-touch.teach")
    for line in mmscope.sweep("anon-hog.teach", {"seed": range(1, 9)}):
        print(line["seed"], line["hash"])

An experiment is the id of a ready-made one, the path of a JSON file, or a dict.
"""

from ._command import Fault, Refused, command, hash, run, sweep

__all__ = ["Fault", "Refused", "command", "hash", "run", "sweep", "widget"]


def widget(experiment, **options):
    """Returns a Jupyter widget that shows an experiment; it needs the package `anywidget`.

    Options are those of the module: `at`, `theme`, `controls`, `height` and `site`. The trait `hash` has the
    state hash of the moment that the widget shows.
    """
    from ._widget import Widget

    return Widget(experiment=experiment, **options)
