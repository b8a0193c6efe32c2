"""`apply`: give the texts of a file the topics of a run."""

import argparse
from collections import Counter
from pathlib import Path

from ..corpus.intake.api import read_files
from ..corpus.readers.source import ReadOptions, read_bytes
from ..corpus.text import Report
from ..runs.applying import apply as applied_to
from ..runs.applying import options_for, reading_of
from ..runs.run import Run
from ..runs.saved.library import Library
from ..state.moment import Moment
from .printing import Out
from .reading import saved_run, told_how_far
from .tables import may_write_table, write_table

READING = ("text", "title", "format", "encoding", "split", "delimiter", "header", "sheet")


def apply(options: argparse.Namespace) -> int:
    if options.all_shares and options.write_back is None:
        raise ValueError("--all-shares goes with --write-back OUT; give the file to write.")
    if options.write_back is not None:
        may_write_table(options.write_back, options.force, options.path)
    run, moment, report = _opened(options.saved)
    before = reading_of(run, report)
    path = Path(options.path)
    with told_how_far(path):
        asked = ReadOptions(**{name: getattr(options, name) for name in READING})
        source = read_files([(path.name, read_bytes(path))], options_for(asked, before.options))
    found = applied_to(run, moment, source, report)
    if options.write_back is not None:
        out = Path(options.write_back)
        write_table(out, found.table(out.suffix.lower(), options.all_shares))
    result = Out(options)
    result.say(found.said)
    topics = moment.topics.topic_ids.tolist()
    main = Counter(found.share.argmax(axis=1).tolist() if topics else ())
    for place, n_texts in main.most_common():
        topic = topics[place]
        result.say(f"topic {topic:<5} {n_texts:>6,}  {moment.name(topic)}")
    result.give(
        {
            "texts": len(found.n_unknown),
            "with_topics": found.corpus.n_docs,
            "known_words": found.corpus.n_tokens,
            "unknown_words": int(found.n_unknown.sum()),
            "do_not_fit": sum(map(bool, found.unfit)),
        }
    )
    return 0


def _opened(saved: str) -> tuple[Run, Moment, Report | None]:
    """The run of a file, or of the library, with the names of its topics and its report."""
    if Path(saved).is_file():
        run = Run.load(saved)
        return run, run.moment(), None
    library = Library()
    known = saved_run(library, saved)
    run = library.load(known.run_id, to_go_on=False)
    report = library.origin(known.run_id)[0]
    return run, run.moment(labels=known.labels, run_id=known.run_id), report
