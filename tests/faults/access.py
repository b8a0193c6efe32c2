"""Random addresses on a shared server: what a stranger puts together opens nothing of others."""

from pathlib import Path
from unittest.mock import patch

import numpy as np
import streamlit as st

from bnpexplorer.claims import CLAIMS, Study
from bnpexplorer.compare.sequential import race_of
from bnpexplorer.corpus import Corpus, DocTable
from bnpexplorer.corpus.readers.source import strings
from bnpexplorer.runs.limits import SHARED
from bnpexplorer.runs.plan import Plan
from bnpexplorer.ui.frame import access, holding, server, session
from bnpexplorer.ui.parts import studies

N_DOCS = 20
KINDS = ("run", "race", "study")


def _texts(name: str) -> server.LoadedCorpus:
    counts = np.ones((N_DOCS, 4), int)
    titles = strings(f"{name} {d}" for d in range(N_DOCS))
    return server.LoadedCorpus(Corpus.from_csr(counts, None, DocTable(title=titles), name))


def _jobs(loaded: server.LoadedCorpus) -> dict[str, object]:
    """A saved run, a race and a study that nobody has begun."""
    corpus, registry = loaded.corpus, server.registry()
    plan = Plan.of("lda-svi", passes=1, batch_size=10, n_heldout=4)
    run = registry.add(plan.split_and_start(corpus), loaded, server.keep)
    server.write(run.run_id, run, run.background.run, "paused")
    race = registry.add(race_of([plan, plan], corpus), loaded)
    study = registry.add(Study(CLAIMS["kappa-lda"], corpus, 600.0, 2), loaded)
    study.background.status = "paused"
    return dict(zip(KINDS, (run, race, study), strict=True))


def _guess(rng: np.random.Generator, secret: str) -> str:
    """What somebody might try who knows something of a secret, but neither it nor its key."""
    key = access.key_to_read(secret)
    return str(
        rng.choice(
            [
                "",
                secret[:-1],
                secret + " ",
                secret.swapcase(),
                key[:-1],
                access.key_to_read(""),
                access.key_to_read(key),
                "*",
                "\0",
                "own",
            ]
        )
    )


def addresses(rng: np.random.Generator, folder: Path) -> None:
    """One address of the identities of others, one's own secrets, guesses, and now and then the
    key to read one of the others."""
    with patch.dict("os.environ", {SHARED: "1", "BNPEXPLORER_HOME": str(folder / "home")}):
        for one in (server.registry, server.library):
            one.clear()
        theirs, mine = _jobs(_texts("theirs")), _jobs(_texts("mine"))
        ids = [entry.run_id for entry in (*theirs.values(), *mine.values())] + ["nobody"]
        own = [entry.secret for entry in mine.values()]
        readable = {name for name in KINDS if rng.random() < 0.15}
        tried = [*own, *(_guess(rng, e.secret) for e in theirs.values()), *ids]
        keys = [access.key_to_read(theirs[name].secret) for name in readable]
        address = {
            "run": ",".join(rng.choice(ids, rng.integers(0, 6))),
            "own": ",".join(rng.choice([*tried, *keys], rng.integers(0, 8))),
            "texts": ",".join([*rng.choice(tried, rng.integers(0, 5)), *keys]),
        }
        for job, key in session.JOBS.items():
            address |= {job: str(rng.choice(ids)), key: str(rng.choice([*tried, *keys]))}
        with patch.multiple(st, session_state={}, query_params=dict(address)):
            session.restore()
            _look(theirs, readable, address)
        server.registry().stop_all()
        for one in (server.registry, server.library):
            one.clear()


def _look(theirs: dict[str, object], readable: set[str], address: dict[str, str]) -> None:
    """No control, no texts but those whose key was given, and no secret in the address."""
    loaded = session.loaded_corpus()
    for name, entry in theirs.items():
        assert access.may_read(entry.run_id) == (name in readable), (name, address)
        assert (access.texts_of(entry) is not None) == (name in readable), (name, address)
        assert not access.holds(entry.run_id), (name, address)
        assert not holding.may_control(entry.run_id), (name, address)
        written = ",".join(session.in_address().values()).split(",")
        assert entry.secret not in written, (name, address)
        counted = access.counts_of(entry)
        assert counted is not None
        assert set(counted.corpus.docs.columns()) <= {"date"}
    assert not studies._key(theirs["study"]), address
    owned = {shown.entry.run_id for shown in session.shown_runs() if shown.owned}
    assert not owned & {entry.run_id for entry in theirs.values()}, address
    assert not [saved for saved in holding.deleted_runs() if saved.run_id == theirs["run"].run_id]
    named = {*address["run"].split(",")}
    seen = {saved.run_id for saved in holding.saved_runs()}
    assert theirs["run"].run_id in named or theirs["run"].run_id not in seen, address
    assert loaded is None or loaded.corpus.name == "mine" or readable, address


TRIALS = {"addresses": addresses}
