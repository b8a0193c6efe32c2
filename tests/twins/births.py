"""Slow twins of what methods tell of a birth: its moment, replayed with the same random numbers.

Documents or tokens one after the other, as the papers write it, with everything counted anew.
"""

import math

import numpy as np
from scipy.special import digamma

from bnpexplorer.corpus.corpus import Corpus
from bnpexplorer.inference.local_sample import LocalSample
from bnpexplorer.inference.sticks import expected_weights, stick_parameters
from bnpexplorer.kernels.hdp_collapsed import draw_weights, seat_tables
from bnpexplorer.methods.direct import hdp_gibbs
from bnpexplorer.methods.hdp_tsvi import HdpTsvi
from tests.tools.methods import dense
from tests.twins.mixture import log_dm

GAMMA, ALPHA, ETA, N_WORDS = 3.0, 1.2, 0.3, 7
CORPUS = Corpus.from_csr(
    np.random.default_rng(1).poisson(0.9, (20, N_WORDS))
    + np.eye(N_WORDS, dtype=int)[np.arange(20) % 7]
)
X = CORPUS.to_csr().toarray()
WORD = np.repeat(CORPUS.word_ids, CORPUS.counts)
DOC = np.repeat(np.arange(20), CORPUS.doc_lengths)


def log_mean_field(x: np.ndarray, lam: np.ndarray) -> float:
    """E ln p(x | theta), theta ~ Dir(lam), word by word."""
    return sum(c * (digamma(lam[w]) - digamma(sum(lam))) for w, c in enumerate(x))


def replayed_openings(state, batch, rng) -> list[tuple[int, dict, dict, dict]]:
    """Of each cluster that a block opens: document, logs of prior weights, likelihoods, mean field.

    One document after the other, as Neal writes it, with the same uniforms.
    """
    columns = state.topic_ids[np.argsort(state.lam.slots)]
    docs_of = {int(k): set(np.flatnonzero(state.z == k).tolist()) for k in columns}
    found, next_id = [], state.n_ids
    for d in batch.rows.tolist():
        alone = next((k for k, docs in docs_of.items() if docs == {d}), None)
        for docs in docs_of.values():
            docs.discard(d)
        n = sum(map(len, docs_of.values()))
        filled = {k: docs for k, docs in docs_of.items() if docs}
        log_prior = {k: math.log(len(docs) / (n + GAMMA)) for k, docs in filled.items()}
        held = {k: ETA + X[sorted(docs)].sum(axis=0) for k, docs in filled.items()}
        log_p = {k: log_dm(X[d], lam) for k, lam in held.items()}
        log_prior[-1], log_p[-1] = math.log(GAMMA / (n + GAMMA)), log_dm(X[d], [ETA] * N_WORDS)
        held[-1] = np.full(N_WORDS, ETA)
        total = np.cumsum([math.exp(log_prior[k] + log_p[k]) for k in log_prior])
        drawn = list(log_prior)[int(np.searchsorted(total, rng.random() * total[-1], "right"))]
        if drawn == -1 and alone is not None:
            drawn = alone
        elif drawn == -1:
            log_mean = {k: log_mean_field(X[d], lam) for k, lam in held.items()}
            found.append((d, log_prior, log_p, log_mean))
            drawn, next_id = next_id, next_id + 1
            docs_of[drawn] = set()
        docs_of[drawn].add(d)
    return found


def places_of(block) -> list[int]:
    """Where the tokens of a block stand in the corpus."""
    lengths = np.diff(block.tokens.doc_start).tolist()
    runs = zip(block.first.tolist(), lengths, strict=True)
    return [place for first, n in runs for place in range(first, first + n)]


def replay_until(state, batch, n_openings: int, rng) -> tuple[int, int]:
    """Draw a block up to and with the token that opens the last of so many topics, since there is
    no slot for more: its place in the corpus, and the slot."""
    block = state.tokens.block(batch)
    slots = hdp_gibbs.slots_of(state, state.tokens.count > 0)
    n_free = slots.n_free[0]
    slots.free[:n_openings] = slots.free[n_free - n_openings : n_free].copy()
    slots.n_free[0] = n_openings
    done = hdp_gibbs.draw_some(state, block, slots, 0, rng)
    state.tokens.put_back(block)
    return places_of(block)[done - 1], int(slots.free[0])


def weights_at(state, i: int, rest: float, id_of: dict[int, int]) -> tuple[dict, dict, dict]:
    """Log prior weights, log likelihoods and mean field's of the token `i` by identity, counted
    anew."""
    z = state.tokens.topic
    z[i] = -1
    mine = (DOC[i] == DOC) & (z >= 0)
    prior, p = {-1: ALPHA * rest}, {-1: 1.0 / N_WORDS}
    mean = {-1: digamma(ETA) - digamma(N_WORDS * ETA)}
    for slot in np.unique(z[z >= 0]).tolist():
        k, there = id_of[slot], z == slot
        prior[k] = (mine & there).sum() + ALPHA * state.weight[slot]
        of_word, of_all = (there & (WORD[i] == WORD)).sum() + ETA, there.sum() + N_WORDS * ETA
        p[k], mean[k] = of_word / of_all, digamma(of_word) - digamma(of_all)
    norm = mine.sum() + ALPHA
    log_prior = {k: math.log(x / norm) for k, x in prior.items()}
    return log_prior, {k: math.log(x) for k, x in p.items()}, mean


def replayed_pass(state, rng, order=range(CORPUS.n_docs)) -> list[tuple[int, dict, dict, dict]]:
    """Of each component that a pass creates: document, log prior weights, log likelihoods and mean
    field's by identity. One document after the other, as algorithm 2 has it: q(beta) stays, and
    what is created is a Chinese restaurant in what the sticks leave."""
    ids, n = state.topic_ids.tolist(), state.n
    lams = dict(zip(ids, dense(state.lam), strict=True))
    a, b = 1.0 + n, GAMMA + n.sum() - np.cumsum(n)
    weights, left = {}, 1.0
    for k, first, rest in zip(ids, a, b, strict=True):
        weights[k], left = left * first / (first + rest), left * rest / (first + rest)
    tail, found = {}, []
    for d in order:
        seated = sum(map(len, tail.values()))
        log_prior = {k: math.log(x) for k, x in weights.items()}
        log_prior |= {k: math.log(left * len(docs) / (seated + GAMMA)) for k, docs in tail.items()}
        log_prior[-1] = math.log(left * GAMMA / (seated + GAMMA))
        held = lams | {k: ETA + X[docs].sum(axis=0) for k, docs in tail.items()}
        held[-1] = np.full(N_WORDS, ETA)
        log_p = {k: log_dm(X[d], lam) for k, lam in held.items()}
        drawn = list(log_prior)[picked([log_prior[k] + log_p[k] for k in log_prior], rng.random())]
        if drawn == -1:
            log_mean = {k: log_mean_field(X[d], lam) for k, lam in held.items()}
            found.append((d, log_prior, log_p, log_mean))
            drawn = state.n_ids + len(tail)
        if drawn not in lams:
            tail.setdefault(drawn, []).append(d)
    return found


def picked(logs: list[float], u: float) -> int:
    total = np.cumsum(np.exp(np.array(logs) - max(logs)))
    return int(np.searchsorted(total, u * total[-1], "right"))


def replayed_mixture(x, lam, n, thrown: int, kept: int, rng) -> tuple[dict, list[int], list]:
    """Wang & Blei's joint draws of a mini-batch with the same uniforms: what is found of every
    component that a document opened, by label, the labels of those in the kept sweeps, and where
    these have put each document."""
    above = np.append(np.cumsum(n[::-1])[::-1][1:], 0.0) if len(n) else np.zeros(0)
    a, b = 1.0 + n, GAMMA + above
    z, tail, found = [-1] * len(x), [], {}
    n_labels, order, seats = len(n), list(range(len(x))), []
    for sweep in range(thrown + kept):
        for j in range(len(x) - 1, 0, -1) if sweep else ():
            other = int(rng.random() * (j + 1))
            order[j], order[other] = order[other], order[j]
        for i in order:
            old, z[i] = z[i], -1
            alone = old >= len(n) and old not in z
            if alone:
                tail[tail.index(old)] = tail[-1]
                tail.pop()
            there, prior, left = [*range(len(n)), *tail], [], 0.0
            for k in range(len(n)):
                m, later = z.count(k), sum(c > k for c in z)
                prior.append(left + math.log((a[k] + m) / (a[k] + b[k] + m + later)))
                left += math.log((b[k] + later) / (a[k] + b[k] + m + later))
            beyond = sum(c >= len(n) for c in z)
            prior += [left + math.log(z.count(c) / (beyond + GAMMA)) for c in tail]
            prior.append(left + math.log(GAMMA / (beyond + GAMMA)))
            held = [x[[j for j, c in enumerate(z) if c == k]].sum(axis=0) for k in there]
            base = [lam[k] if k < len(n) else np.full(N_WORDS, ETA) for k in there]
            lams = [*(m + c for m, c in zip(base, held, strict=True)), np.full(N_WORDS, ETA)]
            log_p = [log_dm(x[i], lam) for lam in lams]
            logs = [p + q for p, q in zip(prior, log_p, strict=True)]
            drawn = picked(logs, rng.random())
            if drawn < len(there):
                z[i] = there[drawn]
                continue
            tail.append(old if alone else n_labels)
            z[i] = tail[-1]
            if not alone:
                best = sorted(range(len(there)), key=lambda c: -logs[c])[:5]
                log_mean = [log_mean_field(x[i], lam) for lam in lams]
                told = [[p[c] for c in (*best, -1)] for p in (prior, log_p, log_mean)]
                found[n_labels] = (i, [there[c] for c in best], *told)
                n_labels += 1
        seats += [z.copy()] if sweep >= thrown else []
    return found, sorted({k for z in seats for k in z if k >= len(n)}), seats


def replayed_run(seed: int, size: int, passes: int, thrown: int, kept: int) -> list[tuple]:
    """Wang & Blei's mixture, from the documents and a seed alone: draws as of `replayed_mixture`,
    and equation 11 on every component's words and number of documents.

    Of each birth its step and component, the document, the five likeliest others, and log prior
    weights, log likelihoods and mean field's of these and a new one; of each end, after a pass,
    its step and component.
    """
    order, rng = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3)[:2])
    known, happened, n_ids, step = [], [], 0, 0  # (component, its lam, its documents)
    for turn in range(passes):
        rows = order.permutation(len(X))
        for first in range(0, len(X), size):
            some, step = rows[first : first + size], step + 1
            x, scale = X[some], len(X) / len(some)
            rho = len(some) / (first + len(some) if turn == 0 else len(X))
            lam, n = [lam for _, lam, _ in known], np.array([n for _, _, n in known])
            found, labels, seats = replayed_mixture(x, lam, n, thrown, kept, rng)
            id_of = {k: component for k, (component, _, _) in enumerate(known)}
            id_of |= {label: n_ids + i for i, label in enumerate(labels)}
            for label in labels:
                document, rivals, *logs = found[label]
                others = tuple(id_of.get(k, -1) for k in rivals)
                happened.append((step, id_of[label], int(some[document]), others, *logs))
                known.append((id_of[label], np.full(N_WORDS, ETA), 0.0))
            n_ids += len(labels)
            for place, label in enumerate([*range(len(n)), *labels]):
                component, lam, n_docs = known[place]
                there = sum(np.equal(z, label) for z in seats) / kept
                lam = (1.0 - rho) * lam + rho * (ETA + scale * there @ x)
                n_docs = (1.0 - rho) * n_docs + rho * scale * there.sum()
                known[place] = (component, lam, n_docs)
            known.sort(key=lambda one: -one[2])
        happened += [(step, component) for component, _, n in known if n < 1.0 - 1e-9]
        known = [one for one in known if one[2] >= 1.0 - 1e-9]
    return happened


def replayed_topics(method: HdpTsvi, state, docs: Corpus, rng) -> tuple[dict, dict, np.ndarray]:
    """The local step token by token with the same random numbers: what is found of every topic that
    a token opened, by label, the labels of the slots that kept sweeps use, and the last topics."""
    weight, unseen = expected_weights(state.n, GAMMA, truncated=False)
    local = LocalSample.unseated(state.lam, weight, unseen, docs)
    slots, z, word = local.slots, local.topic, local.tokens.word
    doc = np.repeat(np.arange(docs.n_docs), np.diff(local.tokens.doc_start))
    n_old, lam, total = slots.n_old, local.counts.word.copy(), slots.total.copy()
    free = slots.free[: slots.n_free[0]].tolist()
    label_of, n_labels, found = dict(enumerate(range(n_old))), n_old, {}
    sticks, tables, means = stick_parameters(state.n, GAMMA), local.tables, local.tables.copy()
    for sweep in range(1 + method.burn_in + method.kept_sweeps):
        keep = sweep > method.burn_in
        slots.kept[np.unique(z[z >= 0])] |= keep
        for i in range(len(z)):
            k, z[i] = z[i], -1
            if k >= n_old and not (z == k).any():
                slots.rest[0] += slots.weight[k]
                slots.weight[k] = 0.0
                free += [] if slots.kept[k] else [k]
            held = np.bincount(z[z >= 0], minlength=len(total))
            mine = np.bincount(z[(z >= 0) & (doc == doc[i])], minlength=len(total))
            same = np.bincount(z[(z >= 0) & (word == word[i])], minlength=len(total))
            prior = np.append(mine + ALPHA * slots.weight, ALPHA * slots.rest[0])
            p = np.append((lam[word[i]] + same) / (total + held), 1.0 / N_WORDS)
            mass = np.cumsum(prior * p)
            k = int(np.searchsorted(mass, rng.random() * mass[-1], "right"))
            if k == len(total):
                k, there = free.pop(), np.flatnonzero(prior[:-1] * p[:-1] > 0.0).tolist()
                best = sorted(there, key=lambda slot: -prior[slot] * p[slot])[:5]
                rivals, told = [label_of[slot] for slot in best], [*best, -1]
                of_word = np.append(lam[word[i]] + same, ETA)[told]
                of_all = np.append(total + held, N_WORDS * ETA)[told]
                logs = np.log([prior[told] / (mine.sum() + ALPHA), p[told]])
                mean = digamma(of_word) - digamma(of_all)
                found[n_labels] = (doc[i], rivals, *logs, mean, local.words[word[i]])
                label_of[k], n_labels = n_labels, n_labels + 1
                slots.weight[k] = slots.rest[0] * rng.beta(1.0, GAMMA)
                slots.rest[0] -= slots.weight[k]
            slots.kept[k] |= keep
            z[i] = k
        seats = (local.tokens.doc_start, z, slots.weight, ALPHA)
        seat_tables(*seats, False, tables, rng)
        if keep:
            seat_tables(*seats, True, means, rng)
        draw_weights(*sticks, GAMMA, tables, slots.weight, slots.rest, rng)
    return found, {k: label_of[k] for k in np.flatnonzero(slots.kept) if k >= n_old}, z
