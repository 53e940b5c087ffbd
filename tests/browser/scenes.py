"""Stores for the notebooks of the browser tests, made in their own kernel."""

import datetime as dt
import importlib.util
import json
import pathlib
import tempfile
import warnings

from memkit.clock import UTC, FixedClock
from memkit.errors import MemkitWarning
from memkit.memory import Memory
from memkit.opening import open_memory
from memkit.settings import Environment

ROOT = pathlib.Path(__file__).parents[2]
SAMPLES = ROOT / "data-samples"
NOW = dt.datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def opened(base: pathlib.Path, project: pathlib.Path, clock: FixedClock, **more: str) -> Memory:
    """A memory under `base` that reads nobody's settings."""
    around = Environment(
        home=base, config_file=base / "config.toml", env={"MEMKIT_RETENTION__MAX_RESULTS": "20000", **more}
    )
    return open_memory(project, root=base / "root", enabled=True, clock=clock, environment=around)


def new_folder() -> pathlib.Path:
    """A temporary folder; the run's own temporary folder goes when the run is over."""
    return pathlib.Path(tempfile.mkdtemp(prefix="memkit-scene-"))


def samples() -> Memory:
    """The sample decisions, imported 76 days ago; panels on their own days; a policy under which some are due."""
    base = new_folder()
    project = base / "wherry"
    project.mkdir()
    (project / "memkit.toml").write_text(
        '[retention]\nmax_age_days = 240\n\n[retention.panels.adr]\nmax_age_days = "none"\n', encoding="utf-8"
    )
    clock = FixedClock(NOW - dt.timedelta(days=76))
    mem = opened(base, project, clock)
    mem.import_adr(SAMPLES / "wherry" / "docs" / "decisions")
    requests = []
    for file in sorted((SAMPLES / "wherry" / "panels").glob("*.json")):
        day = dt.datetime.fromisoformat(file.name[:10]).replace(hour=9, tzinfo=UTC)
        panel = json.loads(file.read_bytes())
        if file.name >= "2025-12" and day < clock.at:
            requests.append({"question": panel["question"], "result": panel, "stored_at": day, "tags": ["panel"]})
    mem.store_many(requests, prune=True)
    clock.at = NOW
    return mem


def week() -> Memory:
    """The samples' week: what people and workers did to the memory, with all that went wrong."""
    spec = importlib.util.spec_from_file_location("make_audit_history", SAMPLES / "make_audit_history.py")
    history = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(history)
    base = new_folder()
    history.live_a_week(base)
    around = Environment(home=base, config_file=base / "config.toml")
    return open_memory(
        SAMPLES / "wherry", root=base / "memory", enabled=True, clock=FixedClock(history.as_of()), environment=around
    )


def consolidated() -> tuple[Memory, pathlib.Path]:
    """An empty memory and a session that holds candidates."""
    base = new_folder()
    mem = opened(base, SAMPLES / "wherry", FixedClock(NOW))
    return mem, SAMPLES / "sessions" / "2026-09-08-tablet-keys.jsonl"


def said(mem: Memory, session_id: str, text: str) -> pathlib.Path:
    """A session of one turn, as a coding agent writes it."""
    message = {"role": "user", "content": text}
    line = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": session_id, "isSidechain": False,
            "timestamp": "2026-11-29T10:00:00Z", "cwd": "wherry", "message": message}  # fmt: skip
    path = mem.paths.root.parent / f"{session_id}.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return path


def empty() -> Memory:
    """A memory that is on and holds nothing."""
    base = new_folder()
    (base / "harbour").mkdir()
    return opened(base, base / "harbour", FixedClock(NOW))


def one() -> Memory:
    """A memory of one decision."""
    mem = empty()
    mem.store(question="Which queue?", result={"conclusion": "Keep LISTEN/NOTIFY."}, tags=["queue"])
    return mem


def damaged() -> Memory:
    """The samples after a bad day: glued, blanked and spoilt index lines, and an entry whose file is gone."""
    spec = importlib.util.spec_from_file_location("make_damaged", SAMPLES / "make_damaged.py")
    damage = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(damage)
    whole = samples()
    whole.close()
    base = whole.paths.root.parent
    damage.mangle_lines(whole.paths.folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MemkitWarning)
        return opened(base, base / "wherry", FixedClock(NOW))


FIRES = "<script>memkitFires(1)</script><img src=x onerror=memkitFires(2)><img src=http://elsewhere.example/x.png>"
HOSTILE = (
    FIRES + "\" onmouseover='memkitFires(3)' x=\"</td></table></div><style>body{display:none}</style>"
    "\x1b[31mred\x1b[0m \u202egnp.exe\u202c مرحبا بالعالم שלום 日本語の長い文章が続きます 👩‍👩‍👧‍👦 $5 and $10 \\(x^2\\) $$y$$ "
    "**bold** [a](javascript:memkitFires(4)) `code` | pipe |\n# heading\n\n    code {{ 7 * 7 }} &lt;b&gt;"
)


def hostile() -> Memory:
    """A memory in which every text means harm; one of them is a word of 10 KB."""
    mem = empty()
    for text in (HOSTILE, "W" * 10_240, f"{HOSTILE} plain"):
        mem.store(
            question=text,
            result={"title": text, "conclusion": text, "synthesis": {"content": text}, "tripwires": [text], "status": text},
            panel_id="adr", tags=[FIRES[:60], "日本語"],
        )  # fmt: skip
    for slug in ("first", "second"):
        mem.records.write(
            "lesson",
            slug,
            title=HOSTILE[:100],
            body=HOSTILE,
            triggers=[HOSTILE.partition("\n")[0][:300]],
            sources=["a session"],
        )
    return mem


def many(n: int) -> Memory:
    """A memory of `n` entries of made-up words; some hold `keystroke`."""
    from tests.bench.corpus import Texts

    mem, corpus = empty(), Texts()
    requests = [corpus.request(i) for i in range(n)]
    for i in range(0, n, 97):
        requests[i] = {**requests[i], "question": f"Does keystroke number {i} matter?"}
    mem.store_many(requests, prune=True)
    return mem.refresh()
