"""What the papers claim, to be tried on any corpus: one file a paper, one line a claim here."""

from .claim import Claim, ClaimVerdict, Judged, Picture, Trial, TrialOutcome
from .papers.das_2015 import SUMO_CLAIM, SUMO_COHERENCE, SUMO_GROWTH, SUMO_MEMORY
from .papers.das_2015_settings import SUMO_BATCH, SUMO_GAMMA, SUMO_ORDER, THEOREM_2
from .papers.hoffman_2013 import HDP_LDA, SENSITIVITY
from .papers.liu_2022 import CATVI_CLAIM, SENSITIVITY_CLAIM, WORDS_CLAIM
from .papers.wang_blei_2012 import BATCH_SIZE_HDP, BATCH_SIZE_MIXTURE, TOY
from .papers.wang_paisley_blei_2011 import GRID, ONLINE_HDP, OVER_TIME
from .study import Study

CLAIMS: dict[str, Claim] = {
    c.name: c
    for c in (
        TOY,
        BATCH_SIZE_MIXTURE,
        BATCH_SIZE_HDP,
        ONLINE_HDP,
        GRID,
        OVER_TIME,
        HDP_LDA,
        *SENSITIVITY,
        SUMO_CLAIM,
        SUMO_MEMORY,
        SUMO_COHERENCE,
        SUMO_ORDER,
        SUMO_GAMMA,
        SUMO_BATCH,
        SUMO_GROWTH,
        THEOREM_2,
        CATVI_CLAIM,
        WORDS_CLAIM,
        SENSITIVITY_CLAIM,
    )
}
"""Registry name -> claim, in the order of the page."""

__all__ = ["CLAIMS", "Claim", "ClaimVerdict", "Judged", "Picture", "Study", "Trial", "TrialOutcome"]
