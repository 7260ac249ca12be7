"""The machine as a Jupyter widget."""

from pathlib import Path

import anywidget
import traitlets

_MODULE = Path(__file__).parent / "static" / "mmscope.js"


class Widget(anywidget.AnyWidget):
    """Shows an experiment: an id, a link of mmscope, JSON text, or a dict."""

    _esm = _MODULE

    experiment = traitlets.Union([traitlets.Unicode(), traitlets.Dict()]).tag(sync=True)
    at = traitlets.Union([traitlets.Int(), traitlets.Unicode()], default_value=None, allow_none=True).tag(sync=True)
    theme = traitlets.Enum(["auto", "light", "dark"], default_value="auto").tag(sync=True)
    controls = traitlets.List(traitlets.Unicode(), default_value=None, allow_none=True).tag(sync=True)
    height = traitlets.Union([traitlets.Int(), traitlets.Unicode()], default_value=480).tag(sync=True)
    site = traitlets.Unicode(default_value=None, allow_none=True).tag(sync=True)
    # : The state hash of the shown moment; the page sets it.
    hash = traitlets.Unicode("").tag(sync=True)
