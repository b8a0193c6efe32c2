"""What the papers claim, to be tried on any corpus: one file a paper, one line a claim here."""

from .online_hdp import GRID, ONLINE_HDP
from .study import Claim, Outcome, Picture, Study, Trial, Verdict
from .svi import HDP_LDA, SENSITIVITY
from .tsvi import BATCH_SIZE_HDP, BATCH_SIZE_MIXTURE, TOY

CLAIMS: dict[str, Claim] = {
    c.name: c
    for c in (TOY, BATCH_SIZE_MIXTURE, BATCH_SIZE_HDP, ONLINE_HDP, GRID, HDP_LDA, *SENSITIVITY)
}
"""Registry name -> claim, in the order of the page."""

__all__ = ["CLAIMS", "Claim", "Outcome", "Picture", "Study", "Trial", "Verdict"]
