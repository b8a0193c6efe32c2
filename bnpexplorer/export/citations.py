"""How to cite: the papers behind every method, and the program itself, as BibTeX."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..core.versions import version


@dataclass(frozen=True)
class Paper:
    """The bibliographic facts of one paper."""

    key: str
    authors: tuple[str, ...]
    """Each as "Family, Given"."""
    year: int
    title: str
    venue: str
    """The journal, or the proceedings in which it appeared."""
    pages: str
    volume: str = ""
    number: str = ""
    doi: str = ""
    journal: bool = False

    def text(self) -> str:
        """One line for people to read."""
        place = f"{self.venue} {self.volume}" if self.volume else self.venue
        if self.number:
            place += f"({self.number})"
        return f"{' · '.join(self.authors)} ({self.year}). {self.title}. {place}: {self.pages}."

    def bibtex(self) -> str:
        """The BibTeX entry; titles keep their capitals."""
        venue = "journal" if self.journal else "booktitle"
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            venue: self.venue,
            "volume": self.volume,
            "number": self.number,
            "pages": self.pages.replace("-", "--"),
            "year": str(self.year),
            "doi": self.doi,
        }
        rows = [f"  {name} = {{{_plain(value)}}}" for name, value in fields.items() if value]
        kind = "article" if self.journal else "inproceedings"
        return f"@{kind}{{{self.key},\n" + ",\n".join(rows) + "\n}\n"


def _plain(value: str) -> str:
    """Ampersands as TeX wants them."""
    return value.replace("&", r"\&")


NIPS = "Advances in Neural Information Processing Systems"
AISTATS = "Proceedings of the {} International Conference on Artificial Intelligence and Statistics"
BLEI, WANG, PAISLEY, JORDAN = "Blei, David M.", "Wang, Chong", "Paisley, John", "Jordan, Michael I."
FEARNHEAD, SUDDERTH, HUGHES = "Fearnhead, Paul", "Sudderth, Erik B.", "Hughes, Michael C."

PAPERS: dict[str, Paper] = {
    paper.key: paper
    for paper in (
        Paper(
            "neal2000",
            ("Neal, Radford M.",),
            2000,
            "Markov Chain Sampling Methods for Dirichlet Process Mixture Models",
            "Journal of Computational and Graphical Statistics",
            "249-265",
            "9",
            "2",
            "10.1080/10618600.2000.10474879",
            True,
        ),
        Paper(
            "fearnhead2003",
            (FEARNHEAD, "Clifford, Peter"),
            2003,
            "On-Line Inference for Hidden Markov Models via Particle Filters",
            "Journal of the Royal Statistical Society: Series B",
            "887-899",
            "65",
            "4",
            "10.1111/1467-9868.00421",
            True,
        ),
        Paper(
            "fearnhead2004",
            (FEARNHEAD,),
            2004,
            "Particle Filters for Mixture Models with an Unknown Number of Components",
            "Statistics and Computing",
            "11-21",
            "14",
            "1",
            "10.1023/B:STCO.0000009418.04621.cd",
            True,
        ),
        Paper(
            "griffiths2004",
            ("Griffiths, Thomas L.", "Steyvers, Mark"),
            2004,
            "Finding Scientific Topics",
            "Proceedings of the National Academy of Sciences",
            "5228-5235",
            "101",
            "suppl. 1",
            "10.1073/pnas.0307752101",
            True,
        ),
        Paper(
            "blei2006",
            (BLEI, JORDAN),
            2006,
            "Variational Inference for Dirichlet Process Mixtures",
            "Bayesian Analysis",
            "121-143",
            "1",
            "1",
            "10.1214/06-BA104",
            True,
        ),
        Paper(
            "teh2006",
            ("Teh, Yee Whye", JORDAN, "Beal, Matthew J.", BLEI),
            2006,
            "Hierarchical Dirichlet Processes",
            "Journal of the American Statistical Association",
            "1566-1581",
            "101",
            "476",
            "10.1198/016214506000000302",
            True,
        ),
        Paper(
            "wang2011",
            (WANG, PAISLEY, BLEI),
            2011,
            "Online Variational Inference for the Hierarchical Dirichlet Process",
            AISTATS.format("14th"),
            "752-760",
            "15",
        ),
        Paper(
            "bryant2012",
            ("Bryant, Michael", SUDDERTH),
            2012,
            "Truly Nonparametric Online Variational Inference for Hierarchical Dirichlet Processes",
            NIPS,
            "2699-2707",
            "25",
        ),
        Paper(
            "wang2012",
            (WANG, BLEI),
            2012,
            "Truncation-free Stochastic Variational Inference for Bayesian Nonparametric Models",
            NIPS,
            "413-421",
            "25",
        ),
        Paper(
            "hoffman2013",
            ("Hoffman, Matthew D.", BLEI, WANG, PAISLEY),
            2013,
            "Stochastic Variational Inference",
            "Journal of Machine Learning Research",
            "1303-1347",
            "14",
            journal=True,
        ),
        Paper(
            "hughes2013",
            (HUGHES, SUDDERTH),
            2013,
            "Memoized Online Variational Inference for Dirichlet Process Mixture Models",
            NIPS,
            "1133-1141",
            "26",
        ),
        Paper(
            "das2015",
            ("Das, Mrinal", "Bansal, Trapit", "Bhattacharyya, Chiranjib"),
            2015,
            "Ordered Stick-Breaking Prior for Sequential MCMC Inference of Bayesian Nonparametric "
            "Models",
            "Proceedings of the 32nd International Conference on Machine Learning",
            "550-559",
            "37",
        ),
        Paper(
            "hughes2015",
            (HUGHES, "Kim, Dae Il", SUDDERTH),
            2015,
            "Reliable and Scalable Variational Inference for the Hierarchical Dirichlet Process",
            AISTATS.format("18th"),
            "370-378",
            "38",
        ),
        Paper(
            "liu2022",
            ("Liu, Yirui", "Qiao, Xinghao", "Lam, Jessica"),
            2022,
            "CATVI: Conditional and Adaptively Truncated Variational Inference for Hierarchical "
            "Bayesian Nonparametric Models",
            AISTATS.format("25th"),
            "3647-3662",
            "151",
        ),
    )
}
"""Key -> paper, by year. Pages and DOIs were checked against the proceedings' own records (PMLR,
NeurIPS) and against papers that cite the others; what cannot be checked is better left out."""

BEHIND: dict[str, tuple[str, ...]] = {
    "lda-batch": ("hoffman2013",),
    "lda-svi": ("hoffman2013",),
    "lda-gibbs": ("griffiths2004",),
    "dpm-batch": ("blei2006", "wang2012"),
    "dpm-svi": ("wang2012", "hoffman2013"),
    "dpm-collapsed": ("wang2012",),
    "dpm-tsvi": ("wang2012",),
    "dpm-gibbs": ("neal2000",),
    "dpm-particle": ("fearnhead2004", "fearnhead2003"),
    "dpm-sumo": ("das2015",),
    "hdp-batch": ("wang2011",),
    "hdp-svi": ("wang2011",),
    "hdp-tsvi": ("wang2012",),
    "hdp-gibbs": ("teh2006",),
    "hdp-catvi": ("liu2022",),
    "hdp-memoized": ("hughes2013", "hughes2015", "liu2022"),
    "hdp-splitmerge": ("hughes2013", "hughes2015", "bryant2012", "liu2022"),
    "gdp-catvi": ("liu2022",),
}
"""Method -> the papers that its `source` names, in that order."""


def papers_of(method_name: str) -> tuple[Paper, ...]:
    """The papers behind a method."""
    return tuple(PAPERS[key] for key in BEHIND[method_name])


def bibtex(method_names: Sequence[str]) -> str:
    """BibTeX of the program and of the papers behind these methods, each once."""
    program = (
        "@misc{bnpexplorer,\n  author = {{The bnpexplorer developers}},\n"
        "  title = {{bnpexplorer: see Bayesian nonparametric inference happen}},\n"
        f"  note = {{Version: {version()}}}\n}}\n"
    )
    papers = dict.fromkeys(paper for name in method_names for paper in papers_of(name))
    return "\n".join([program, *(paper.bibtex() for paper in papers)])
