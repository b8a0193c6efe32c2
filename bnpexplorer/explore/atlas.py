"""A map of the texts: every document a point, near those with the same topics.

Some thousand landmarks are laid out by t-SNE (van der Maaten & Hinton 2008, scikit-learn's), on
Hellinger distances of topic proportions; every other document goes to where the landmarks most like
it lie. The same proportions give the same map, bit for bit.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..core.arrays import F32, F64, I64, Bools
from .working import Working

LANDMARKS = 3000
"""Of the documents, evenly. On 21,959 paragraphs of speeches with 54 topics, laying out 4,000 took
51 s on one core, and of the 15 nearest documents 69 % lay among the 150 nearest of the map."""
ROUNDS = (12.0, 1.0, 1.0)
"""Early exaggeration of each round of 250 iterations: the map is shown after each."""
ITERATIONS, PERPLEXITY, LIKE = 250, 30.0, 5
MOST_CORNERS = 5000
"""Of an outline; a pointer that goes around the map leaves some hundreds."""
FEW = 12
"""Fewer documents than this are laid out by their two principal components."""
CELLS = 40
"""Squares of the map by side, to find where a topic is densest."""
AROUND = 6
"""Squares around a region's middle that are still of it; what strays farther lies in others."""
BLOCK = 65_536
"""Documents at once. Up to so many, the map is the same to the last bit as that of one block."""
_ONE_AT_A_TIME = threading.Lock()
"""Layouts of several tabs wait for each other: each takes a core for up to a minute."""


class LayingOut(Working[F32]):
    """The places of all documents under way; `found` float32 (D, 2) after each round, read-only.

    `share` float32 (D, K): the proportions of all topics; what is missing to 1 is one more topic.
    """

    title = "laying out"
    n_rounds = 1 + len(ROUNDS)

    def __init__(self, share: F32, seed: int = 0) -> None:
        self._share, self._seed = share, seed
        self.n_done = 0
        super().__init__()

    def _work(self) -> None:
        with _ONE_AT_A_TIME:
            for places in layouts(self._share, self._seed):
                places.flags.writeable = False
                self.found = places
                self.n_done += 1


def layouts(share: F32, seed: int = 0) -> Iterator[F32]:
    """The map after every round, the last one last: float32 (D, 2).

    The first is that of the two principal components, where t-SNE begins: 51,460 texts with 62
    topics lie there after 0.1 s, and after 7.8, 13.8 and 19.3 s where the rounds put them (one
    core).
    """
    from threadpoolctl import threadpool_limits

    n_docs = len(share)
    rng = np.random.default_rng(seed)
    marks = np.sort(rng.permutation(n_docs)[:LANDMARKS])
    jitter = rng.standard_normal((n_docs, 2))
    # One core: pages go on being drawn, and sums in one order give the same bits everywhere.
    with threadpool_limits(1):
        start = principal_plane(share, root_shares)
        yield start
        if len(marks) < FEW:
            return
        roots = root_shares(share[marks])
        nearest = _nearest(share, roots)
        for landmarks in _rounds(roots, start[marks], seed):
            yield _placed(landmarks, nearest, marks, jitter)


def root_shares(share: F32) -> F32:
    """Square roots of the proportions and of what is missing to 1: float32 (D, K + 1).

    Their Euclidean distances are Hellinger's, times the root of two.
    """
    rest = np.maximum(1.0 - share.sum(axis=1, dtype=np.float64), 0.0)
    return np.asarray(np.sqrt(np.column_stack([np.maximum(share, 0.0), rest])), np.float32)


def principal_plane(points: F32, change: Callable[[F32], F32] = np.asarray) -> F32:
    """The two principal components of (D, K): float32 (D, 2), the largest of each axis positive.

    `change`: what makes points of some rows, such as `root_shares`. Block by block: of 500,000
    documents with 200 topics, roots and their distances to the mean would take 1.2 GB.
    """
    n_docs, begins = len(points), range(0, len(points), BLOCK)
    n_columns = change(points[:0]).shape[1]
    mean, products = np.zeros(n_columns), np.zeros((n_columns, n_columns))
    for begin in begins:
        rows = change(points[begin : begin + BLOCK])
        mean += rows.mean(axis=0) * (len(rows) / n_docs)
    centre = mean.astype(np.float32)

    def centred(begin: int) -> F64:
        return (change(points[begin : begin + BLOCK]) - centre).astype(np.float64)

    for block in map(centred, begins):
        products += block.T @ block
    _, vectors = np.linalg.eigh(products)
    plane = np.vstack([block @ vectors[:, ::-1][:, :2] for block in map(centred, begins)])
    plane *= np.sign(plane[np.abs(plane).argmax(axis=0), [0, 1]])
    return np.asarray(plane, np.float32)


def _rounds(points: F32, start: F32, seed: int) -> Iterator[F32]:
    """Landmarks (N, 2) after each round of t-SNE that goes on from the round before."""
    from sklearn.manifold import TSNE

    spread = float(start[:, 0].std())
    places = (start * (1e-4 / spread if spread > 0.0 else 1.0)).astype(np.float32)
    for exaggeration in ROUNDS:
        layout = TSNE(
            perplexity=min(PERPLEXITY, (len(points) - 1) / 3.0),
            early_exaggeration=exaggeration,
            max_iter=ITERATIONS,
            init=places,
            random_state=seed,
            n_jobs=1,
        )
        places = layout.fit_transform(points)
        yield places


def _nearest(share: F32, landmarks: F32) -> I64:
    """The `LIKE` landmarks most like each document, the most like first: int64 (D, LIKE).

    `landmarks`: their `root_shares`.
    """
    from sklearn.neighbors import NearestNeighbors

    n = min(LIKE, len(landmarks))
    search = NearestNeighbors(n_neighbors=n, algorithm="brute", n_jobs=1).fit(landmarks)
    found = np.empty((len(share), n), np.int64)
    for begin in range(0, len(share), BLOCK):
        roots = root_shares(share[begin : begin + BLOCK])
        found[begin : begin + BLOCK] = search.kneighbors(roots, return_distance=False)
    return found


def _placed(landmarks: F32, nearest: I64, marks: I64, jitter: F64) -> F32:
    """All documents: landmarks where they lie, others at the median of those most like them.

    The median keeps to the region of the most; the mean of two regions lies in neither (of the 15
    nearest documents 60 % stayed near, 69 % by the median). `jitter` (D, 2) keeps like documents
    from lying on one point: half of the way from the landmark most like them to the next. Half of
    the usual way, everywhere the same, kept 69 % of 51,460 glosses near, this 70 %, on a third more
    places.
    """
    from sklearn.neighbors import NearestNeighbors

    ways, _ = NearestNeighbors(n_neighbors=2, n_jobs=1).fit(landmarks).kneighbors(landmarks)
    step = 0.5 * ways[nearest[:, 0], 1]
    places: F64 = np.median(landmarks[nearest], axis=1) + step[:, None] * jitter
    places[marks] = landmarks
    return places.astype(np.float32)


def largest_topics(share: F32) -> I64:
    """The column of `share` (D, K) with the largest part of each document: int64 (D,)."""
    return np.asarray(share.argmax(axis=1), np.int64)


def evenly(n_docs: int, most: int, seed: int = 0) -> I64:
    """At most `most` of `n_docs` documents, drawn evenly, in order: int64."""
    if n_docs <= most:
        return np.arange(n_docs)
    return np.sort(np.random.default_rng(seed).permutation(n_docs)[:most])


def inside(places: F32, xs: F64, ys: F64) -> Bools:
    """Which of `places` (D, 2) lie in the outline with these corners: bool (D,).

    By the parity of crossings of a ray to the right. An outline that no pointer draws, of more than
    `MOST_CORNERS` or with a half corner, holds nothing: 20,000 took 2.5 s on 5,000 places.
    """
    if len(xs) != len(ys) or len(xs) > MOST_CORNERS:
        return np.zeros(len(places), bool)
    x, y = places[:, 0].astype(np.float64), places[:, 1].astype(np.float64)
    odd = np.zeros(len(places), bool)
    for x1, y1, x2, y2 in zip(xs, ys, np.roll(xs, -1), np.roll(ys, -1), strict=True):
        if y1 == y2:
            continue
        crosses = (y1 > y) != (y2 > y)
        odd ^= crosses & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
    return odd


@dataclass(frozen=True)
class Region:
    """Where a topic is at home on the map."""

    x: float
    y: float
    n_docs: int
    """Documents whose largest topic it is."""
    low: tuple[float, float]
    high: tuple[float, float]
    """Corners of a box around most of them: nine in ten of those within `AROUND` squares of it."""


def regions(places: F32, share: F32) -> dict[int, Region]:
    """Column of `share` (D, K) -> where its documents lie densest; no more than have documents.

    A document counts for its largest topic, by its share of it. The map is cut into `CELLS` by
    `CELLS` squares; the region is the middle of the documents in the three by three squares that
    hold most.
    """
    largest = largest_topics(share)
    low, high = places.min(axis=0), places.max(axis=0)
    side = np.maximum((high - low).max(), 1e-9) / CELLS
    cells = np.minimum(((places - low) / side).astype(np.int64), CELLS - 1)
    found = {}
    order, ends = np.argsort(largest, kind="stable"), np.cumsum(np.bincount(largest))
    for k in np.unique(largest).tolist():
        rows = order[ends[k - 1] if k else 0 : ends[k]]
        weight = share[rows, k].astype(np.float64)
        if weight.sum() <= 0.0:
            continue
        held = np.zeros((CELLS + 2, CELLS + 2))
        np.add.at(held, (cells[rows, 0] + 1, cells[rows, 1] + 1), weight)
        around = sum(held[i : i + CELLS, j : j + CELLS] for i in range(3) for j in range(3))
        i, j = np.unravel_index(int(np.argmax(around)), (CELLS, CELLS))
        near = (np.abs(cells[rows] - [i, j]) <= 1).all(axis=1)
        x, y = np.average(places[rows[near]], axis=0, weights=weight[near])
        here = (np.abs(cells[rows] - [i, j]) <= AROUND).all(axis=1)
        box = np.quantile(places[rows[here]].astype(np.float64), (0.05, 0.95), axis=0)
        corners: list[tuple[float, float]] = [tuple(corner) for corner in box.tolist()]
        found[k] = Region(float(x), float(y), len(rows), *corners)
    return found
