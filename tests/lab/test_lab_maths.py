"""The mathematics of the Lab against closed forms, enumeration and joint probabilities."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from bnpexplorer.lab import document, draws, franchise, ordered, restaurant, sticks
from bnpexplorer.models import MODELS

# ---- stick-breaking ----------------------------------------------------------------------------


@pytest.mark.second
@pytest.mark.parametrize("concentration", [0.3, 1.0, 6.0])
def test_sticks_have_the_expectation_of_gem_in_both_orders(concentration):
    n_draws, n = 6000, 400
    by_stick, by_appearance = np.zeros(5), np.zeros(5)
    for seed in range(n_draws):
        broken = sticks.break_sticks(n, concentration, seed)
        order = sticks.order_of_appearance(broken.weights, seed)
        by_stick += broken.weights[:5] / n_draws
        by_appearance += broken.weights[order[:5]] / n_draws
    expected = [concentration**k / (1 + concentration) ** (k + 1) for k in range(5)]
    np.testing.assert_allclose(sticks.expected_sticks(5, concentration).weights, expected)
    assert by_stick == pytest.approx(expected, abs=0.015)
    assert by_appearance == pytest.approx(expected, abs=0.015)


def test_weights_and_what_is_left_make_one():
    for broken in (sticks.break_sticks(30, 4.0, 7), sticks.expected_sticks(30, 4.0)):
        assert broken.weights.sum() + broken.left == pytest.approx(1.0, abs=1e-12)


@pytest.mark.second
def test_the_order_of_appearance_is_that_of_samples():
    weights = np.array([0.5, 0.3, 0.15, 0.05])
    seen = [tuple(sticks.order_of_appearance(weights, s)) for s in range(20_000)]
    total = 0.0
    for order in itertools.permutations(range(4)):
        # By hand: sample with replacement and skip what was met before.
        left, expected = 1.0, 1.0
        for stick in order:
            expected *= weights[stick] / left
            left -= weights[stick]
        assert seen.count(order) / len(seen) == pytest.approx(expected, abs=0.012)
        total += expected
    assert total == pytest.approx(1.0)


def test_sticks_without_weight_come_last():
    order = sticks.order_of_appearance(np.array([0.0, 0.6, 0.0, 0.4]), 3)
    assert set(order[:2]) == {1, 3}


# ---- the restaurant ----------------------------------------------------------------------------


def seatings(n):
    """All seatings of `n` customers, tables numbered in the order of opening."""
    found = [()]
    for _ in range(n):
        found = [(*s, t) for s in found for t in range(len(set(s)) + 1)]
    return found


@pytest.mark.parametrize("alpha", [0.4, 1.0, 3.7])
def test_the_law_of_seatings_by_enumeration(alpha):
    every = seatings(6)
    law = {s: restaurant.probability(s, alpha) for s in every}
    assert len(every) == 203
    assert sum(law.values()) == pytest.approx(1.0)
    by_tables = np.zeros(7)
    for s, p in law.items():
        by_tables[len(set(s))] += p
    np.testing.assert_allclose(restaurant.tables_law(6, alpha), by_tables, atol=1e-14)
    mean = by_tables @ np.arange(7)
    assert restaurant.expected_tables(6, alpha)[-1] == pytest.approx(mean)


@pytest.mark.second
def test_customers_are_exchangeable():
    for seating in seatings(6):
        expected = restaurant.probability(seating, 1.7)
        for moved in itertools.permutations(seating):
            names = {t: i for i, t in enumerate(dict.fromkeys(moved))}
            renumbered = [names[t] for t in moved]
            assert restaurant.probability(renumbered, 1.7) == pytest.approx(expected)


def test_the_next_customers_choices():
    np.testing.assert_allclose(restaurant.choices([3, 1], 2.0), [3 / 6, 1 / 6, 2 / 6])
    np.testing.assert_allclose(restaurant.choices([], 2.0), [1.0])


def test_a_choice_is_the_one_at_which_the_sum_passes_the_chance():
    thirds = np.array([0.25, 0.5, 0.25])
    found = [restaurant.pick(thirds, chance) for chance in (0.0, 0.24, 0.25, 0.74, 0.75, 0.99)]
    assert found == [0, 0, 1, 1, 2, 2]
    assert restaurant.pick(np.array([0.5, 0.4]), 0.95) == 1, "a sum that rounding left below 1"


@pytest.mark.second
def test_seats_follow_the_law_and_are_replayed():
    n, alpha, draws_ = 5, 1.5, 20_000
    seen = [tuple(restaurant.seat(n, alpha, s).tolist()) for s in range(draws_)]
    for seating in seatings(n):
        share = seen.count(seating) / draws_
        assert share == pytest.approx(restaurant.probability(seating, alpha), abs=0.012)
    longer = restaurant.seat(60, alpha, 3)
    np.testing.assert_array_equal(restaurant.seat(40, alpha, 3), longer[:40])


def test_known_numbers_of_tables():
    harmonic = sum(1 / k for k in range(1, 101))
    assert restaurant.expected_tables(100, 1.0)[-1] == pytest.approx(harmonic)
    for alpha in (0.3, 1.0, 7.0):
        low, high = restaurant.spread_of_tables(60, alpha)
        assert (low[0], high[0]) == (0, 0)
        for n in range(1, 61):
            law = restaurant.tables_law(n, alpha)
            assert law[: low[n]].sum() < 0.05 <= law[: low[n] + 1].sum()
            assert law[: high[n]].sum() < 0.95 <= law[: high[n] + 1].sum()


# ---- the franchise -----------------------------------------------------------------------------


def enumerate_franchise(n, n_restaurants, alpha, gamma):
    """Every way to seat and serve `n` customers, with its probability: (tables, p)."""
    states = [(tuple(() for _ in range(n_restaurants)), 1.0)]
    for i in range(n):
        j, following = i % n_restaurants, []
        for tables, p in states:
            here = tables[j]
            total = sum(c for _, c in here) + alpha
            for t, (dish, c) in enumerate(here):
                joined = (*here[:t], (dish, c + 1), *here[t + 1 :])
                following.append(((*tables[:j], joined, *tables[j + 1 :]), p * c / total))
            served = [dish for some in tables for dish, _ in some]
            n_dishes = len(set(served))
            for dish in range(n_dishes + 1):
                q = (served.count(dish) or gamma) / (len(served) + gamma)
                opened = (*tables[:j], (*here, (dish, 1)), *tables[j + 1 :])
                following.append((opened, p * q * alpha / total))
        states = following
    return states


def test_expected_tables_and_dishes_by_enumeration():
    alpha, gamma = 1.3, 0.8
    for n, n_restaurants in ((5, 2), (6, 3)):
        every = enumerate_franchise(n, n_restaurants, alpha, gamma)
        assert sum(p for _, p in every) == pytest.approx(1.0)
        n_tables = sum(p * sum(map(len, tables)) for tables, p in every)
        dishes = sum(p * len({d for some in tables for d, _ in some}) for tables, p in every)
        assert franchise.expected_tables(n, n_restaurants, alpha) == pytest.approx(n_tables)
        found = franchise.expected_dishes(n, n_restaurants, alpha, gamma)
        assert found == pytest.approx(dishes)


@pytest.mark.second
def test_the_franchise_follows_its_law():
    n, alpha, gamma = 4, 1.0, 1.0
    law = {}
    for tables, p in enumerate_franchise(n, 2, alpha, gamma):
        law[tables] = law.get(tables, 0.0) + p
    n_draws, seen = 20_000, {}
    for seed in range(n_draws):
        state, last = franchise.fill(n, 2, alpha, gamma, seed)
        assert last.restaurant == 1
        key = tuple(tuple((t.dish, t.customers) for t in tables) for tables in state)
        seen[key] = seen.get(key, 0) + 1
    assert set(seen) <= set(law)
    for tables, p in law.items():
        assert seen.get(tables, 0) / n_draws == pytest.approx(p, abs=0.012)


def test_what_the_last_customer_did():
    for n in range(1, 40):
        before, _ = franchise.fill(n - 1, 3, 2.0, 1.0, 5)
        after, last = franchise.fill(n, 3, 2.0, 1.0, 5)
        assert last.new_table == (len(after[last.restaurant]) > len(before[last.restaurant]))
        grown = len(franchise.tables_of_dishes(after)) > len(franchise.tables_of_dishes(before))
        assert last.new_dish == grown
        assert sum(t.customers for tables in after for t in tables) == n
    assert franchise.fill(0, 2, 1.0, 1.0, 0) == (((), ()), None)


# ---- ordered sticks ----------------------------------------------------------------------------


@pytest.mark.parametrize(("mu", "gamma"), [(0.55, 0.2), (0.6, 0.5), (0.9, 5.0)])
def test_theorem_2_and_markovs_inequality(mu, gamma):
    left = ordered.draw_left_over(30, mu, gamma, 20_000, 0)
    share, noise = ordered.share_above(left), 4 * np.sqrt(0.25 / 20_000)
    assert (ordered.markov(30, mu) < ordered.bounds(30)).all()
    assert (share <= ordered.markov(30, mu) + noise).all()
    assert (share < ordered.bounds(30)).all()
    assert left.mean(axis=0) == pytest.approx(ordered.expected_left(30, mu), abs=0.015)


def test_without_its_condition_the_theorem_can_fail():
    left = ordered.draw_left_over(10, 0.1, 0.05, 5_000, 0)
    assert (ordered.share_above(left) > ordered.bounds(10)).any()


def test_the_second_moment_of_the_first_ordered_stick():
    mu, gamma = 0.6, 0.5
    first = 1.0 - ordered.draw_left_over(1, mu, gamma, 200_000, 1)[:, 0]
    assert first.var() == pytest.approx(mu * (1 - mu) / (1 + gamma), abs=0.002)
    weights = ordered.weights_of(np.array([0.4, 0.1, 0.1]))
    np.testing.assert_allclose(weights, [0.6, 0.3, 0.0], atol=1e-15)


# ---- corpora from a prior ----------------------------------------------------------------------


@pytest.mark.parametrize("name", list(MODELS))
def test_documents_come_from_the_topics_that_are_shown(name):
    small = draws.draw(name, {"eta": 0.05}, 60, 400, 2)
    assert small.doc_topic.shape == (60, len(small.topic_word))
    assert small.topic_word.shape[1] == 25
    assert small.corpus.n_tokens / 60 == pytest.approx(400, rel=0.05)
    found = [draws.draw(name, {"eta": 0.05}, 60, 400, seed).corpus.fingerprint for seed in (2, 3)]
    assert found[0] == small.corpus.fingerprint != found[1]
    share = small.doc_topic.sum(axis=0)
    assert (np.diff(share) <= 1e-12).all()
    counts = small.corpus.to_csr().toarray()
    expected = small.doc_topic @ small.topic_word
    assert np.abs(counts / counts.sum(axis=1, keepdims=True) - expected).mean() < 0.02
    assert (small.doc_topic.sum(axis=1) < 1 + 1e-9).all()
    assert (small.doc_topic.sum(axis=1) > 0.9).all()


def test_alpha_spreads_documents_over_topics():
    few = draws.draw("lda", {"n_topics": 10, "alpha": 0.05, "eta": 0.1}, 40, 50, 1)
    many = draws.draw("lda", {"n_topics": 10, "alpha": 5.0, "eta": 0.1}, 40, 50, 1)
    assert draws.topics_for(few.doc_topic).mean() + 3 < draws.topics_for(many.doc_topic).mean()


def test_how_many_topics_make_up_a_share():
    shares = np.array([[0.5, 0.3, 0.2], [0.95, 0.05, 0.0], [0.3, 0.3, 0.4]])
    assert draws.topics_for(shares).tolist() == [3, 1, 3]
    assert draws.topics_for(shares, 0.5).tolist() == [1, 1, 2]
    assert draws.words_for(shares).tolist() == [3, 1, 3]
    assert draws.words_for(shares, 0.5).tolist() == [1, 1, 2]
    assert draws.topics_for(shares / 2).tolist() == [3, 1, 3], "of what is there"
    assert draws.topics_for(np.array([[0.6, 0.3, 0.1]])).tolist() == [2], "0.9 make up 0.9"


def test_a_probability_is_bounded_by_one():
    """At mu 0.2 what a stick leaves is 0.8, and 0.8 times the root of 2 is more than 1."""
    assert ordered.markov(3, 0.2).tolist() == [1.0, 1.0, 1.0]
    assert ordered.markov(2, 0.5) == pytest.approx([0.5 * 2**0.5, 0.5])


# ---- one document ------------------------------------------------------------------------------

SETTINGS = document.DocumentSettings(alpha=1.5, gamma=0.7, eta=0.3)


def log_joint(state, z, fresh, settings):
    """ln p(words, z | pi) by the urns, word after word; `fresh` has the weight pi_new."""
    pi = {**state.pi, fresh: state.left}
    v, total = len(document.VOCAB), 0.0
    in_doc, in_topic = {}, {}
    others = [(k, document.VOCAB.index(w)) for k, text in document.OTHERS for w in text.split()]
    for topic, word in others:
        counts = in_topic.setdefault(topic, [])
        total += math.log((counts.count(word) + settings.eta) / (len(counts) + v * settings.eta))
        counts.append(word)
    for i, (topic, word) in enumerate(
        (k, w) for k, w in zip(z, document.TOKENS, strict=True) if k >= 0
    ):
        mine = in_doc.get(topic, 0) + settings.alpha * pi[topic]
        total += math.log(mine / (i + settings.alpha))
        in_doc[topic] = in_doc.get(topic, 0) + 1
        counts = in_topic.setdefault(topic, [])
        total += math.log((counts.count(word) + settings.eta) / (len(counts) + v * settings.eta))
        counts.append(word)
    return total


def test_the_conditional_is_a_ratio_of_joint_probabilities():
    for n in range(1, 30):
        state, _ = document.sweep(n, SETTINGS, 4)
        token = n % len(document.TOKENS)
        document.take_out(state, token)
        terms = document.conditional(state, token, SETTINGS)
        logs = []
        for topic in (*terms.topics, 99):
            z = list(state.z)
            z[token] = topic
            logs.append(log_joint(state, z, 99, SETTINGS))
        shares = np.exp(np.array(logs) - max(logs))
        np.testing.assert_allclose(terms.probability, shares / shares.sum(), rtol=1e-9)


def test_counts_stay_those_of_the_assignments():
    settings = replace(SETTINGS, alpha=4.0, gamma=3.0)
    born = set()
    for n in range(80):
        state, last = document.sweep(n, settings, 1)
        for topic, counts in state.counts.items():
            held = [document.TOKENS[i] for i, k in enumerate(state.z) if k == topic]
            held += [
                document.VOCAB.index(w)
                for k, text in document.OTHERS
                for w in text.split()
                if k == topic
            ]
            assert sorted(np.repeat(np.arange(len(counts)), counts)) == sorted(held)
            assert counts.sum() > 0
        assert sum(state.pi.values()) + state.left == pytest.approx(1.0)
        born |= set(state.counts)
        if last is not None:
            assert state.z[last.token] == last.after
    assert len(born) > 3, "topics come and go"
