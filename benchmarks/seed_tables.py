"""Which of our models and configurations stand for the instances and columns of the papers' tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks import paper_figures as papers

RANDOM_SYSTEMS = 15
"""[DFP09] has the means over so many systems of each size."""


def model_of(instance: str, random_systems: int = RANDOM_SYSTEMS) -> str:
    """Our model of an instance of the papers."""
    family = instance.rstrip("0123456789")
    number = instance[len(family) :]
    match family:
        case "A":
            return f"arbiter_tree:height={number},variant=seed"
        case "H":
            return f"hanoi:disks={number}"
        case "R":
            return f"random_system:processes={number},seed=0..{random_systems - 1}"
        case "FA" | "FB":
            return f"fischer:n={number},variant={family.lower()}"
        case "U":
            return f"air_conditioning:n={number}"
        case "M" | "N":
            return f"mutex:instance={instance}"
        case _:
            return f"line_segment:instance={instance}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperTable:
    """A table of a paper: whose columns are which of our configurations."""

    name: str
    """Tables of one name are parts of one."""
    title: str
    figures: papers.Figures
    groups: tuple[str, ...]
    """The quantities, by the names of `symdmc compare --columns`, in the order of the paper."""
    configurations: Mapping[str, str]
    """Ours, by the names of the paper, in its order."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """More of ours, of which the paper has no numbers."""

    @property
    def ours(self) -> dict[str, str]:
        """All configurations by their names, in the order of the columns."""
        return {**self.configurations, **self.beside}


LIKE_THE_PAPER = "kind=cartesian,combine=sum"
"""[HSRKP07] has cartesian abstractions, and adds up the estimates of parts."""


def syntax(b: int | str) -> str:
    """Predicates read off the model [HSRKP07, section 4] in parts of b processes."""
    return f"pred:syntax,b={b},{LIKE_THE_PAPER}"


def refinement(b: int | str, r: int) -> str:
    """Predicates found in r iterations [HSRKP07, section 5], each against one trace, in parts of b processes."""
    return f"pred:refine,b={b},r={r},stop=never,traces=one,{LIKE_THE_PAPER}"


PREDICATES = "astar+pred:syntax,b=2,kind=cartesian,combine=partition"
"""The papers add up estimates; sums are admissible where costs are shared out."""
OVERHEAD = ("preprocessing", "explored", "seconds")
REFINEMENTS = (0, 1, 4, 7)
TEMPERATURES = "domain:temperature=0/1..49/50/51..60,keep=User*/Conditioner*/panel*"
"""[EL04] merges values of the temperature and keeps all else."""
SERIES = range(11)

TABLES = (
    PaperTable(
        name="s0-1",
        title="DFP09, table 1: best-first search",
        figures=papers.DFP09_TABLE_1,
        groups=("explored", "seconds", "length"),
        configurations={"rDF": "rdfs", "FSM": "greedy+fsm-sum", "N=50": "greedy+merge:50", "N=100": "greedy+merge:100"},
    ),
    PaperTable(
        name="s0-2",
        title="DFP09, table 2: A*",
        figures=papers.DFP09_TABLE_2,
        groups=("explored", "seconds", "length"),
        configurations={"FSM": "astar+fsm-max", "N=50": "astar+merge:50", "N=100": "astar+merge:100"},
    ),
    PaperTable(
        name="s1-1",
        title="KW11, table 1: A* on the line segment",
        figures=papers.KW11_TABLE_1,
        groups=("seconds", "explored", "length"),
        configurations={
            "dpr": "astar+pdb:dpr,inner=hU",
            "rd": "astar+pdb:russian-doll",
            "coi": "astar+pdb:coi:2",
            "pa": PREDICATES,
            "aa": "astar+merge:100",
            "L": "astar+hL",
            "BFS": "bfs",
        },
        beside={"cegar": "astar+pdb:cegar"},
    ),
    PaperTable(
        name="s4-2",
        title="KHL08, table 2: optimal search",
        figures=papers.KHL08_TABLE_2,
        groups=("seconds", "explored", "memory", "length"),
        configurations={
            "BF": "bfs",
            "[8]": "astar+fsm-max",
            "[14]": "astar+hL",
            "[6]": "astar+merge:100",
            "[11]": PREDICATES,
            "[16]": "astar+pdb:coi:2",
            "RD": "astar+pdb:russian-doll",
        },
    ),
    PaperTable(
        name="s4-3",
        title="KHL08, table 3: greedy search",
        figures=papers.KHL08_TABLE_3,
        groups=("seconds", "explored", "memory", "length"),
        configurations={
            "rDF": "rdfs",
            "[8]": "greedy+fsm-sum",
            "[14]": "greedy+hU",
            "[6]": "greedy+merge:100",
            "[11]": f"greedy+{syntax(2)}",
            "[16]": "greedy+pdb:coi:2",
            "RD": "greedy+pdb:russian-doll",
        },
    ),
    PaperTable(
        name="s2-1",
        title="HSRKP07, table 1: predicates and other heuristics, greedy search",
        figures=papers.HSRKP07_TABLE_1,
        groups=OVERHEAD,
        configurations={
            "RDF": "rdfs",
            "[13]": "greedy+hU",
            "[5]-N50": "greedy+merge:50",
            "Syntax-b2": f"greedy+{syntax(2)}",
            "ARMC-b3-r4": f"greedy+{refinement(3, 4)}",
        },
    ),
    PaperTable(
        name="s2-2",
        title="HSRKP07, table 2: predicates read off the model, greedy search",
        figures=papers.HSRKP07_TABLE_2,
        groups=OVERHEAD,
        configurations={f"b={b}": f"greedy+{syntax(b)}" for b in (1, 2, 3, 4, "all")},
    ),
    *(
        PaperTable(
            name="s2-3",
            title=f"HSRKP07, table 3: predicates found by refinement, greedy search, b = {b}",
            figures=figures,
            groups=OVERHEAD,
            configurations={f"r={r}": f"greedy+{refinement(b, r)}" for r in REFINEMENTS},
        )
        for b, figures in papers.HSRKP07_TABLE_3.items()
    ),
    PaperTable(
        name="s2-r",
        title="HSRKP07, section 5: explored states and the sum of the lengths of spurious traces, b = 3",
        figures=papers.HSRKP07_SERIES,
        groups=("explored", "h"),
        configurations={f"r={r}": f"greedy+{refinement(3, r)}" for r in SERIES},
    ),
    PaperTable(
        name="s3",
        title="EL04, tables 1 and 2: A* on the air conditioner with two and three users",
        figures=papers.EL04_TABLES,
        groups=("explored", "seconds", "memory"),
        configurations={
            "hp": f"astar+{TEMPERATURES}",
            "hp*": "astar+pdb,keep=*,complete=true",
            "h=0": "astar+blind",
            "hm": "astar+fsm-max",
            "hf": "astar+formula",
        },
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OurTable:
    """A table that no paper has."""

    name: str
    title: str
    models: tuple[str, ...]
    quick: tuple[str, ...]
    """The models of a quick run."""
    configurations: tuple[str, ...]
    quantities: tuple[str, ...]


OURS_CONFIGURATIONS = (
    *("astar+hL", "greedy+hU", "astar+fsm-max", "astar+merge:50", "astar+merge:100"),
    *("astar+pdb:coi:2", "astar+pdb:russian-doll", "astar+pdb:dpr", "astar+pdb:cegar"),
    *("astar+domain:auto", "astar+domain:refine", "astar+pred:syntax,b=2", "astar+pred:refine,b=3,r=4"),
)
OURS_MODELS = (
    *(f"arbiter_tree:height={height}" for height in (2, 3, 4, 6)),
    *(f"arbiter_tree:height={height},faulty=false" for height in (2, 3, 4, 6)),
    *(f"arbiter_tree:height={height},variant=seed" for height in (2, 3)),
    *(f"hanoi:disks={disks}" for disks in (3, 4, 5, 6)),
    *(f"random_system:processes={processes},seed=0" for processes in (5, 7)),
    *("fischer:n=4", "fischer:n=6", "fischer:n=4,faulty=false", "fischer:n=6,faulty=false"),
    *("air_conditioning:n=2", "air_conditioning:n=3", "flow_control", "flow_control:faulty=false,frames=1000"),
    *(f"mutex:instance={instance}" for instance in ("M1", "M4", "N1", "N4")),
    *(f"mutex:instance={instance},faulty=false" for instance in ("M1", "N4")),
    *(f"line_segment:instance={kind}{size}" for kind in "CDE" for size in (1, 3, 5, 7, 9)),
)
OURS_QUICK = (
    *("arbiter_tree:height=2", "arbiter_tree:height=3", "arbiter_tree:height=3,faulty=false"),
    *("arbiter_tree:height=2,variant=seed", "hanoi:disks=4", "random_system:processes=5,seed=0"),
    *("fischer:n=4", "fischer:n=4,faulty=false", "air_conditioning:n=2", "flow_control"),
    *("mutex:instance=M1", "mutex:instance=M1,faulty=false"),
    *(f"line_segment:instance={instance}" for instance in ("C1", "C3", "D1", "E1")),
)
SERIES_MODELS = (
    *("fischer:n=3", "fischer:n=4,variant=fa", "mutex:instance=M1", "mutex:instance=N1"),
    *("line_segment:instance=C1", "line_segment:instance=C4", "line_segment:instance=D1", "air_conditioning:n=2"),
)
LENGTH_MODELS = (
    *(f"arbiter_tree:height={height},variant=seed" for height in (2, 3)),
    *(f"hanoi:disks={disks}" for disks in (4, 5, 6, 7)),
)
ADMISSIBLE = (
    *("blind", "fsm-max", "hL", "hL,joint=false", "merge:50", "merge:100", "merge:50,order=definition"),
    *("merge:50,buckets=high", "merge:50,shrink=bisimulation", "pdb:coi:2", "pdb:russian-doll", "pdb:dpr"),
    *("pdb:systematic:2", "pdb:sampled", "pdb:cegar", "domain:auto", "domain:refine", "pred:syntax,b=2"),
    *("pred:syntax,b=2,kind=cartesian", "pred:syntax,b=1,combine=partition", "pred:refine,b=3,r=4"),
)
"""Every admissible heuristic that needs nothing but the model."""
SIDE_BY_SIDE = (
    OurTable(
        name="lengths",
        title="The optimal lengths of DFP09 (25, 35; 105, 229, 481, 989) with every admissible heuristic, A*",
        models=LENGTH_MODELS,
        quick=(*LENGTH_MODELS[:1], *LENGTH_MODELS[2:4]),
        configurations=tuple(f"astar+{heuristic}" for heuristic in ADMISSIBLE),
        quantities=("length", "explored", "seconds"),
    ),
    OurTable(
        name="ours",
        title="Every family under every abstraction: A*, greedy search where an estimate is not admissible",
        models=OURS_MODELS,
        quick=OURS_QUICK,
        configurations=OURS_CONFIGURATIONS,
        quantities=("explored", "seconds", "length"),
    ),
    OurTable(
        name="ours-r",
        title="Refinement of predicates by all shortest traces, b = 3: explored states and h(s0) over the iterations",
        models=SERIES_MODELS,
        quick=SERIES_MODELS[:1] + SERIES_MODELS[2:3],
        configurations=tuple(f"astar+pred:refine,b=3,r={r},stop=never" for r in range(8)),
        quantities=("explored", "h", "preprocessing"),
    ),
)
PREVIEW = "s4-1"
"""[KHL08, table 1]: of each technique the best of its rows in tables 2 and 3."""
PREVIEW_TITLE = "KHL08, table 1: seconds/length of the best run of each technique"
PREVIEW_NAMES = ("[8]", "[14]", "[6]", "[11]", "[16]", "RD")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFigure:
    """A figure of a paper, what it says there in words, and what we draw."""

    name: str
    title: str
    said: str
    kind: str
    model: str
    configurations: tuple[str, ...]


FIGURES = (
    PaperFigure(
        name="s0-fig6",
        title="DFP09, figure 6: buckets with low or high error distance first (three disks, bound 40)",
        said="in the paper low first is exact up to distance 9, where high first is at its peak of 57 %",
        kind="accuracy",
        model="hanoi:disks=3",
        configurations=("astar+merge:40", "astar+merge:40,buckets=high"),
    ),
    PaperFigure(
        name="s0-fig7",
        title="DFP09, figure 7: composition by ranking or by definition (arbiter tree of eight processes, bound 20)",
        said="in the paper ranking is roughly twice as accurate",
        kind="accuracy",
        model="arbiter_tree:height=2,variant=seed",
        configurations=("astar+merge:20", "astar+merge:20,order=definition"),
    ),
    PaperFigure(
        name="s0-fig8",
        title="DFP09, figure 8: running time over the bound (a random system: 8 processes there, 16 and A* here)",
        said="in the paper the time falls up to a bound of 60 to 80, then it grows",
        kind="sweep",
        model="random_system:processes=16,seed=0",
        configurations=("astar+merge:50..2000/50",),
    ),
)
NAMES = (
    *dict.fromkeys(table.name for table in TABLES),
    PREVIEW,
    *(table.name for table in SIDE_BY_SIDE),
    *(figure.name for figure in FIGURES),
)
