"""The Runs page, and a run that is kept in a library."""

from .pages import go, open_app, small_run


def kept(library, run_id="one", n_steps=1, status="paused"):
    run, loaded = small_run()
    for _ in range(n_steps):
        run.step()
    library.keep(run_id, run, loaded.corpus, status, "secret", loaded.report)
    return run


def the_page():
    return go(open_app(), "runs")
