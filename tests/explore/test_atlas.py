"""The map of texts: repeatable, faithful to likeness, its regions and outlines by brute force."""

import numpy as np
import pytest

from bnpexplorer.explore import atlas
from bnpexplorer.explore.atlas import LayingOut, inside, layouts, principal_plane, regions
from tests.tools.waiting import NEVER


def clumps(n_docs=240, n_topics=6, seed=0):
    """Documents nearly of one topic each: float32 (D, K), and which."""
    rng = np.random.default_rng(seed)
    which = rng.integers(n_topics, size=n_docs)
    alpha = np.full((n_docs, n_topics), 0.2)
    alpha[np.arange(n_docs), which] = 12.0
    return np.array([rng.dirichlet(row) for row in alpha], np.float32) * np.float32(0.98), which


@pytest.fixture
def few_iterations(monkeypatch):
    monkeypatch.setattr(atlas, "LANDMARKS", 120)


@pytest.mark.second
@pytest.mark.usefixtures("few_iterations")
def test_documents_of_one_topic_lie_together_landmarks_or_not():
    share, which = clumps()
    *_, places = layouts(share)
    assert places.shape == (240, 2)
    assert places.dtype == np.float32
    apart = np.linalg.norm(places[:, None].astype(float) - places, axis=2)
    np.fill_diagonal(apart, np.inf)
    same = which[np.argsort(apart, axis=1)[:, :5]] == which[:, None]
    assert same.mean() > 0.95  # by chance a sixth


@pytest.mark.second
@pytest.mark.usefixtures("few_iterations")
def test_the_same_shares_give_the_same_map_and_every_round_is_shown():
    share, _ = clumps(150)
    whole = list(layouts(share, seed=3))
    work = LayingOut(share, seed=3)
    np.testing.assert_array_equal(work.wait(NEVER), whole[-1])
    assert work.n_done == len(whole) == work.n_rounds
    assert not np.array_equal(whole[0], whole[-1])
    with pytest.raises(ValueError, match="read-only"):
        work.found[0, 0] = 1.0


@pytest.mark.second
@pytest.mark.parametrize(("n_docs", "n_landmarks"), [(11, 0), (12, 12), (40, 15)])
def test_landmarks_are_drawn_from_everywhere(n_docs, n_landmarks, monkeypatch):
    """Where there are twelve texts and more; they are laid out, and all others beside them."""
    share, _ = clumps(n_docs)
    laid = []

    def rounds(points, start, seed):
        laid.append(points)
        assert seed == 3
        yield start + np.float32(5.0)

    monkeypatch.setattr(atlas, "LANDMARKS", 15)
    monkeypatch.setattr(atlas, "_rounds", rounds)
    plane, *others = layouts(share, seed=3)
    assert sum(map(len, laid)) == n_landmarks
    if n_landmarks:
        roots = atlas.root_shares(share)
        marks = [int(np.abs(roots - point).sum(axis=1).argmin()) for point in laid[0]]
        assert marks == sorted(set(marks)), "each once, in order"
        assert marks[-1] >= n_docs - 6, "not the first"
        np.testing.assert_array_equal(others[0][marks], plane[marks] + np.float32(5.0))


@pytest.mark.second
@pytest.mark.parametrize("n_landmarks", [3, 20])
def test_the_nearest_landmarks_are_those_of_hellinger_the_nearest_first(n_landmarks, monkeypatch):
    monkeypatch.setattr(atlas, "BLOCK", 7)
    share, _ = clumps(30)
    roots = atlas.root_shares(share)
    apart = np.linalg.norm(roots[:, None] - roots[None, :n_landmarks], axis=2)
    found = atlas._nearest(share, roots[:n_landmarks])
    np.testing.assert_array_equal(found, np.argsort(apart, axis=1)[:, :5])


def test_landmarks_stay_where_they_were_laid_and_others_are_near_the_median_of_theirs():
    landmarks = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 8.0]], np.float32)
    nearest = np.array([[0, 1, 2], [0, 1, 2], [2, 1, 0], [1, 0, 2]])  # of four documents
    jitter = np.array([[9.0, 9.0], [0.5, -0.25], [9.0, 9.0], [9.0, 9.0]])
    found = atlas._placed(landmarks, nearest, np.array([0, 2, 3]), jitter)
    # The second goes half of the way, 4, from its nearest landmark to the next, times its jitter.
    np.testing.assert_allclose(found, [[0.0, 0.0], [5.0, -0.5], [4.0, 0.0], [4.0, 8.0]])


def test_few_texts_are_laid_out_by_their_principal_components():
    share, _ = clumps(7)
    (places,) = layouts(share)
    roots = atlas.root_shares(share).astype(np.float64)
    centred = roots - roots.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(np.abs(places), np.abs(left[:, :2] * sizes[:2]), atol=1e-4)
    np.testing.assert_allclose(principal_plane(roots.astype(np.float32)), places, atol=1e-6)


def test_a_failure_is_a_sentence(monkeypatch):
    def fail(*_):
        raise ValueError("No room.")

    monkeypatch.setattr(atlas, "layouts", fail)
    work = LayingOut(np.ones((20, 2), np.float32))
    assert work.wait(NEVER) is None
    assert work.error == "No room."


def test_hellinger_distances_are_those_of_the_roots():
    share = np.array([[0.5, 0.3], [0.1, 0.9]], np.float32)
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.9, 0.0])
    roots = atlas.root_shares(share)
    expected = np.sqrt(2.0 * (1.0 - np.sqrt(p * q).sum()))
    assert np.linalg.norm(roots[0] - roots[1]) == pytest.approx(expected, abs=2e-4)


def test_inside_an_outline_like_the_sum_of_angles():
    rng = np.random.default_rng(2)
    xs, ys = np.array([0.0, 4.0, 4.0, 2.0, 0.0]), np.array([0.0, 0.0, 4.0, 1.0, 4.0])  # dented
    places = rng.uniform(-1.0, 5.0, (400, 2)).astype(np.float32)
    found = inside(places, xs, ys)
    for place, here in zip(places.astype(float), found, strict=True):
        ways = np.column_stack([xs, ys]) - place
        angles = np.arctan2(ways[:, 1], ways[:, 0])
        turns = (np.diff(np.append(angles, angles[0])) + np.pi) % (2 * np.pi) - np.pi
        assert here == (abs(turns.sum()) > np.pi)
    assert 0 < found.sum() < 400
    assert not inside(places, xs, ys[:-1]).any(), "a forged outline, of half a corner"
    most = atlas.MOST_CORNERS - len(xs)
    xs, ys = (np.append(corners, np.repeat(corners[-1], most)) for corners in (xs, ys))
    assert (inside(places, xs, ys) == found).all(), "the last corner again and again"
    assert not inside(places, np.append(xs, xs[-1]), np.append(ys, ys[-1])).any()


def test_a_region_by_hand():
    """Squares of side 1. Shares of 1.5 lie around (10, 10), of 1.2 in more documents at (25, 10);
    the third is 6 squares from the middle, the fourth 7."""
    places = [(10.2, 10.8), (11.0, 10.2), (16.5, 10.5), (17.5, 10.5), *[(25.5, 10.5)] * 3]
    share = np.array([[w, 0.05] for w in (0.9, 0.6, 0.3, 0.2, 0.4, 0.4, 0.4)])
    places, share = np.vstack([places, [(0, 0), (40, 40)]]), np.vstack([share, [[0.1, 0.8]] * 2])
    found = regions(places.astype(np.float32), share.astype(np.float32))[0]
    assert found.n_docs == 7
    wanted = [(0.9 * 10.2 + 0.6 * 11.0) / 1.5, (0.9 * 10.8 + 0.6 * 10.2) / 1.5]
    np.testing.assert_allclose([found.x, found.y], wanted, rtol=1e-5)
    # Of three numbers 5 % lies a tenth of the way from the first to the second.
    np.testing.assert_allclose(found.low, [10.2 + 0.1 * 0.8, 10.2 + 0.1 * 0.3], rtol=1e-5)
    np.testing.assert_allclose(found.high, [16.5 - 0.1 * 5.5, 10.8 - 0.1 * 0.3], rtol=1e-5)


def test_a_region_is_where_most_of_a_topic_lies():
    rng = np.random.default_rng(4)
    home, stray = np.array([3.0, 3.0]), np.array([3.0, -3.0])  # above each other
    places = np.vstack([home + rng.normal(0, 0.05, (40, 2)), stray + rng.normal(0, 0.05, (10, 2))])
    places = np.vstack([places, [[8.0, -8.0]] * 5]).astype(np.float32)
    share = np.zeros((55, 3), np.float32)
    share[:50, 0], share[50:, 2] = 0.9, 0.8
    found = regions(places, share)
    assert found.keys() == {0, 2}, "a topic that leads no document has no region"
    assert (found[0].n_docs, found[2].n_docs) == (50, 5)
    np.testing.assert_allclose((found[0].x, found[0].y), home, atol=0.1)
    np.testing.assert_allclose((found[2].x, found[2].y), (8.0, -8.0), atol=1e-5)
    assert all(2.8 < x < 3.2 for x in (*found[0].low, *found[0].high)), "strays are not around it"
    (left, low), (right, high) = found[0].low, found[0].high
    around = inside(places, np.array([left, right, right, left]), np.array([low, low, high, high]))
    assert 28 <= around[:40].sum() <= 38
    assert not around[40:].any()
