"""Calls the command `mmscope`, which the wheel contains."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Optional, TextIO, Union

Experiment = Union[str, "os.PathLike[str]", Mapping[str, Any]]

_BAD_INPUT = 2


class Refused(ValueError):
    """The command refused its input. The message names each wrong field."""


class Fault(RuntimeError):
    """The command failed: the engine broke one of its own rules, or a file could not be written."""


def command() -> str:
    """Returns the path of the command of this installation, or of another one in PATH."""
    name = "mmscope" + (sysconfig.get_config_var("EXE") or "")
    schemes = [None, f"{os.name}_user"]
    for scheme in schemes:
        folder = sysconfig.get_path("scripts", *([scheme] if scheme else []))
        path = Path(folder, name)
        if path.is_file():
            return str(path)
    found = shutil.which("mmscope")
    if found is None:
        raise FileNotFoundError(f"The command {name} is neither in {folder} nor in PATH.")
    return found


def run(
    experiment: Experiment,
    *,
    kernel: Optional[str] = None,
    machine: Optional[str] = None,
    seed: Optional[int] = None,
    until: Union[str, int, None] = None,
    tunables: Optional[Mapping[str, Any]] = None,
) -> dict[str, Any]:
    """Runs an experiment and returns its report."""
    words, text = _operand(experiment)
    options = _options(kernel=kernel, machine=machine, seed=seed, until=until)
    options += _settings(tunables)
    return json.loads(_call(["run", words, "--report", "json", *options], text))


def hash(experiment: Experiment, *, until: Union[str, int, None] = None) -> str:
    """Runs an experiment and returns the hash of the machine's state where the run stopped."""
    words, text = _operand(experiment)
    return _call(["hash", words, *_options(until=until)], text).split()[0]


def sweep(
    experiment: Experiment,
    axes: Mapping[str, Union[Iterable[Any], Mapping[str, int]]],
    *,
    figures: Optional[Iterable[str]] = None,
    shard: Optional[str] = None,
    jobs: Optional[int] = None,
    resume: Optional["os.PathLike[str]"] = None,
) -> Iterator[dict[str, Any]]:
    """Runs an experiment with every combination of the values of some axes.

    Yields the line of each run when the run ends. Closing the iterator stops the sweep. With `resume`, a
    folder, the lines are also written there; runs whose lines it contains are not repeated and not yielded.
    """
    text = json.dumps(
        {
            "experiment": _description(experiment),
            "axes": {path: _values(values) for path, values in axes.items()},
            **({} if figures is None else {"figures": list(figures)}),
        }
    )
    words = ["sweep", "-", *_options(shard=shard, jobs=jobs)]
    if resume is not None:
        words += ["--resume", os.fspath(resume), "--json-lines"]
    return _lines(words, text)


def _values(values: Any) -> Any:
    return dict(values) if isinstance(values, Mapping) else list(values)


def _description(experiment: Experiment) -> Any:
    """The experiment of a sweep, which is an id or a description, not a path."""
    if isinstance(experiment, Mapping):
        return dict(experiment)
    if isinstance(experiment, str) and not Path(experiment).is_file():
        return experiment
    return json.loads(Path(experiment).read_text(encoding="utf-8"))


def _operand(experiment: Experiment) -> tuple[str, Optional[str]]:
    if isinstance(experiment, Mapping):
        return "-", json.dumps(experiment)
    return os.fspath(experiment), None


def _options(**values: Any) -> list[str]:
    return [
        word
        for name, value in values.items()
        if value is not None
        for word in (f"--{name}", str(value))
    ]


def _settings(tunables: Optional[Mapping[str, Any]]) -> list[str]:
    return [word for name, value in (tunables or {}).items() for word in ("--set", f"{name}={value}")]


def _call(words: list[str], text: Optional[str]) -> str:
    done = subprocess.run([command(), *words], input=text or "", capture_output=True, text=True, encoding="utf-8")
    _check(done.returncode, done.stderr)
    return done.stdout


def _lines(words: list[str], text: str) -> Iterator[dict[str, Any]]:
    # A file instead of a pipe, because a full pipe would block the command while its lines are
    # read.
    with tempfile.TemporaryFile("w+", encoding="utf-8") as messages:
        process = subprocess.Popen(
            [command(), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            text=True,
            encoding="utf-8",
        )
        with process:
            try:
                _write(process.stdin, text)
                for line in process.stdout:
                    yield json.loads(line)
                code = process.wait()
            except BaseException:
                process.terminate()
                raise
        messages.seek(0)
        _check(code, messages.read())


def _write(pipe: TextIO, text: str) -> None:
    try:
        with pipe:
            pipe.write(text)
    except BrokenPipeError:
        pass  # The command has ended: its messages say why.


def _check(code: int, messages: str) -> None:
    if code != 0:
        raise (Refused if code == _BAD_INPUT else Fault)(messages.strip())
