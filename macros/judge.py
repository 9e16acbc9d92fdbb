"""Is a number normal? Its share of the ceiling, its place among like ones, the likeliest causes.

`impossible` is only what exceeds the bound of `bytes_per_step_min` at the stated decimals. The
other verdicts are percentiles of measured over expected among the plain points of the engine's
family (of all engines where the family has fewer than ten), of batches for a batch, and of points
with the same kind of draft or on several machines where there are ten of those: `excellent` from
the 90th on, `normal` from the 10th, `slow` below it, `something-is-wrong` below half of it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from macros.arithmetic import median, stated_interval
from macros.compositions import ceiling_of, composition_of, drafter_of, has_composition
from macros.law import (
    ALL_ENGINES,
    EXCLUDING_CAVEATS,
    FEWEST_ROWS,
    Law,
    context_of,
    engine_family,
    expected_tokens_per_s,
    kv_format_of,
    law_for,
    laws,
    load_of,
    rows,
)
from macros.ledger import Ceiling, Composition, LedgerError, Load, step
from macros.library import Library
from macros.records import Cause, Checkpoint, Measurement, Point

FEWEST_ALIKE = 5
PLAIN_KINDS = ("single", "batch")
MOST_SHOWN = 8
EXCELLENT, NORMAL = 0.90, 0.10
UNREMARKABLE = (0.95, 1.15)
MOST_MISSED = 1.25
NO_CHANGE = (0.95, 1.05)
WIDE_BITS, NARROW_BITS = 16.0, 4.5
SINGLE_FIELDS = (
    "decode_tokens_per_s", "end_to_end_tokens_per_s", "unspecified_tokens_per_s",
    "per_request_end_to_end_tokens_per_s",
)  # fmt: skip
TIMES_PER_TOKEN = ("median_tpot_ms", "mean_tpot_ms", "tpot_ms")
BISECTIONS = 60
LIKE_CONCURRENCY = 2
DERIVED_DECIMALS = 2


@dataclass(frozen=True)
class Similar:
    """A measured point under a like load, with how near its conditions are."""

    measurement: str
    point: int
    tokens_per_s: float
    concurrency: int
    context_tokens: int
    engine: str
    draft: str
    measured_on: str | None
    checkpoint: str


@dataclass(frozen=True)
class LikelyCause:
    """A cause that would explain the ratio, nearest first."""

    cause: str
    low_ratio: float
    high_ratio: float


@dataclass(frozen=True)
class Judgement:
    """The answer; ratios are 0 to 1, `percentile` is None below five like points."""

    verdict: str
    acceptance_length: float
    share_of_ceiling: float
    ceiling_tokens_per_s: float
    expected_tokens_per_s: float | None
    ratio_to_expected: float | None
    percentile: float | None
    similar_measurements: list[Similar]
    likely_causes: list[LikelyCause]


def reference_ratios(library: Library, engine: str) -> list[float]:
    """Return measured over expected of the plain points that an engine is judged against."""
    points = rows(library)
    family = engine_family(library, engine)
    own = [row for row in points if row.engine == family]
    law = law_for(library, engine)
    if law is None:
        return []
    if len(own) >= FEWEST_ROWS:
        points = own
    return sorted(law.step_s(row.num_bytes, row.num_layers) / row.step_s for row in points)


def batch_ratios(library: Library, engine: str) -> list[float]:
    """Return measured over expected of the plain points with several requests at once.

    Independent routing over-counts the experts of a batch, so that its ratios lie above those of
    single requests and need a reference of their own.
    """
    law = law_for(library, engine)
    if law is None:
        return []
    family = engine_family(library, engine)
    found: list[tuple[str, float]] = []
    for checkpoint in library.records(Checkpoint):
        if not has_composition(library, checkpoint.id):
            continue
        composition = composition_of(library, checkpoint.id)
        for similar, run, known in measured_points(library, checkpoint.id):
            caveats = {*run.caveats, *run.points[similar.point].caveats}
            if known is None or known.draft != "none" or known.nodes > 1 or known.concurrency == 1:
                continue
            if caveats & EXCLUDING_CAVEATS or similar.tokens_per_s != _decode(run, similar.point):
                continue
            answer = ceiling_of(library, checkpoint.id, known)
            expected = expected_tokens_per_s(law, composition, answer, known)
            found.append((engine_family(library, similar.engine), similar.tokens_per_s / expected))
    own = [ratio for name, ratio in found if name == family]
    return sorted(own if len(own) >= FEWEST_ROWS else [ratio for _, ratio in found])


def kind_of_load(load: Load, *, acceptance_is_stated: bool) -> str:
    """Return the kind of a load by what the sum leaves out: links, content that suits drafts.

    With a stated acceptance MTP is a sum like any other.
    """
    if load.nodes > 1:
        return f"{load.draft} machines"
    size = "single" if load.concurrency == 1 else "batch"
    if load.draft == "none" or (load.draft == "mtp" and acceptance_is_stated):
        return size
    return f"{load.draft} {size} {'stated' if acceptance_is_stated else 'usual'}"


def like_ratios(library: Library, family: str) -> dict[str, list[float]]:
    """Return measured over expected by kind of load under a law, of drafts and several machines.

    The sum leaves out the link between machines, and drafts have content that suits them: their
    ratios lie apart from those of plain requests. Kinds with fewer than ten points are left out.
    """
    return library.remember(("like ratios", family), lambda: _like_ratios(library, family))


def _like_ratios(library: Library, family: str) -> dict[str, list[float]]:
    law = laws(library)[family]
    found: dict[str, list[tuple[str, float]]] = {}
    for checkpoint in library.records(Checkpoint):
        if not has_composition(library, checkpoint.id):
            continue
        composition = composition_of(library, checkpoint.id)
        for similar, run, _ in measured_points(library, checkpoint.id):
            point = run.points[similar.point]
            if {*run.caveats, *point.caveats} & EXCLUDING_CAVEATS:
                continue
            for kind, load in _asked(library, run, point):
                try:
                    answer = ceiling_of(library, checkpoint.id, load)
                except LedgerError:
                    continue
                expected = expected_tokens_per_s(law, composition, answer, load)
                own = engine_family(library, similar.engine)
                found.setdefault(kind, []).append((own, similar.tokens_per_s / expected))
    answers = {}
    for kind, ratios in found.items():
        of_family = [ratio for own, ratio in ratios if own == family]
        of_all = [ratio for _, ratio in ratios]
        chosen = of_family if len(of_family) >= FEWEST_ROWS else of_all
        if len(chosen) >= FEWEST_ROWS:
            answers[kind] = sorted(chosen)
    return answers


def _asked(library: Library, run: Measurement, point: Point) -> Iterator[tuple[str, Load]]:
    """Yield the loads, by kind, under which somebody would ask about a point of such a kind."""
    stated, usual = load_of(run, point), None
    if run.draft.method in ("mtp", "dflash") and run.draft.num_tokens and point.concurrency:
        tokens = run.draft.num_tokens
        common = (context_of(point), point.concurrency, kv_format_of(run), run.draft.method)
        bound = Load(*common, tokens, tokens + 1.0, run.num_nodes)
        usual = with_typical_acceptance(library, bound)
    if run.num_nodes > 1:
        stated, usual = stated or usual, None
    for load, is_stated in ((stated, True), (usual, False)):
        if load is not None:
            kind = kind_of_load(load, acceptance_is_stated=is_stated)
            if kind not in PLAIN_KINDS:
                yield kind, load


def reference_for(
    library: Library, engine: str, load: Load, *, acceptance_is_stated: bool
) -> list[float]:
    """Return the ratios that a speed under a load is judged against, those of its kind first."""
    family = engine_family(library, engine)
    known = laws(library)
    if not known:
        return []
    kind = kind_of_load(load, acceptance_is_stated=acceptance_is_stated)
    like = like_ratios(library, family if family in known else ALL_ENGINES).get(kind)
    if like is not None:
        return like
    return (reference_ratios if load.concurrency == 1 else batch_ratios)(library, engine)


def _decode(run: Measurement, point: int) -> float | None:
    stated = run.points[point].results.decode_tokens_per_s
    return None if stated is None else float(stated)


def quantile(ordered: list[float], share: float) -> float:
    """Return the value below which a share of an ordered list lies, interpolated."""
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def percentile_of(values: list[float], value: float) -> float:
    """Return the share of values that are below one, ties counting half."""
    below = sum(each < value for each in values)
    equal = sum(each == value for each in values)
    return (below + equal / 2) / len(values)


def judge(
    library: Library, checkpoint_id: str, tokens_per_s: Decimal, load: Load, engine: str,
    hardware_id: str = "dgx-spark", *, acceptance_is_stated: bool = True,
) -> Judgement:  # fmt: skip
    """Return the judgement of one request's speed; LedgerError where there is no ceiling.

    Where the acceptance is not stated the ceiling stays a bound, with every draft accepted, and
    the expectation takes the acceptance that the records have for such drafts.
    """
    composition = composition_of(library, checkpoint_id)
    answer = ceiling_of(library, checkpoint_id, load, hardware_id)
    speed = float(tokens_per_s)
    law = law_for(library, engine)
    reference = reference_for(library, engine, load, acceptance_is_stated=acceptance_is_stated)
    assumed = load if acceptance_is_stated else with_typical_acceptance(library, load)
    expected = expected_tokens_per_s(law, composition, answer, assumed) if law else None
    ratio = speed / expected if expected else None
    alike = list(_alike(library, composition, load))
    return Judgement(
        verdict=_verdict(tokens_per_s, answer, ratio, reference),
        acceptance_length=assumed.acceptance_length,
        share_of_ceiling=speed / answer.ceiling_tokens_per_s,
        ceiling_tokens_per_s=answer.ceiling_tokens_per_s,
        expected_tokens_per_s=expected,
        ratio_to_expected=ratio,
        percentile=_percentile(library, alike, law, load, ratio),
        similar_measurements=_nearest(alike, checkpoint_id, load, engine, library),
        likely_causes=list(
            _causes(library, ratio, answer, assumed, composition, engine, speed, law, reference)
        ),
    )


def possible_load(
    library: Library, checkpoint_id: str, tokens_per_s: Decimal, load: Load,
    hardware_id: str = "dgx-spark",
) -> Load:  # fmt: skip
    """Return a load with the fewest draft tokens under which a speed is possible.

    For drafts whose number is not stated, all accepted: an honest speed of three drafts is above
    the bound of one. Tries up to the most on record; the load itself where none is enough.
    """
    most = max(
        (
            run.draft.num_tokens or 0
            for run in library.records(Measurement)
            if run.draft.method == load.draft
        ),
        default=0,
    )
    for tokens in range(load.draft_tokens, most + 1):
        tried = replace(load, draft_tokens=tokens, acceptance_length=tokens + 1.0)
        answer = ceiling_of(library, checkpoint_id, tried, hardware_id)
        if stated_interval(tokens_per_s)[0] <= answer.highest_tokens_per_s:
            return tried
    return load


def typical_acceptance(library: Library, method: str) -> float | None:
    """Return the median chance that a draft token is accepted, over all points that tell it."""
    return library.remember(("acceptance", method), lambda: _typical_acceptance(library, method))


def _typical_acceptance(library: Library, method: str) -> float | None:
    chances = [
        acceptance_chance(float(point.acceptance_length), run.draft.num_tokens)
        for run in library.records(Measurement)
        if run.draft.method == method and run.draft.num_tokens and run.withdrawn is None
        for point in run.points
        if point.acceptance_length is not None
    ]
    return median(chances) if chances else None


def acceptance_chance(length: float, num_tokens: int) -> float:
    """Return the chance p of each draft token with 1 + p + … + p^k = length, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if length_of(middle, num_tokens) < length:
            low = middle
        else:
            high = middle
    return high


def length_of(chance: float, num_tokens: int) -> float:
    """Return the acceptance length of k drafts, each accepted with a chance after the last."""
    return sum(chance**position for position in range(num_tokens + 1))


def with_typical_acceptance(library: Library, load: Load) -> Load:
    """Return a load with the acceptance that the records have for its kind of drafts."""
    chance = typical_acceptance(library, load.draft) if load.draft != "none" else None
    if chance is None:
        return load
    return replace(load, acceptance_length=length_of(chance, load.draft_tokens))


def _verdict(
    tokens_per_s: Decimal, answer: Ceiling, ratio: float | None, reference: list[float]
) -> str:
    if stated_interval(tokens_per_s)[0] > answer.highest_tokens_per_s:
        return "impossible"
    if ratio is None or not reference:
        return "normal"
    lowest = quantile(reference, NORMAL)
    if ratio < lowest / 2:
        return "something-is-wrong"
    if ratio < lowest:
        return "slow"
    return "excellent" if ratio > quantile(reference, EXCELLENT) else "normal"


def single_speed(point: Point) -> float | None:
    """Return one request's speed: as stated, from its time a token, or the middle of a range."""
    results = point.results
    for name in SINGLE_FIELDS:
        if (stated := getattr(results, name)) is not None:
            return float(stated)
    for name in TIMES_PER_TOKEN:
        if (time := getattr(results, name)) is not None:
            return round(1000 / float(time), DERIVED_DECIMALS)
    for name in SINGLE_FIELDS:
        if name in results.ranges:
            return round(float(sum(results.ranges[name])) / 2, DERIVED_DECIMALS)
    if point.concurrency == 1 and results.aggregate_tokens_per_s is not None:
        return float(results.aggregate_tokens_per_s)
    return None


def measured_points(
    library: Library, checkpoint_id: str
) -> Iterator[tuple[Similar, Measurement, Load | None]]:
    """Yield the points of a checkpoint that tell one request's speed, with run and known load."""
    for run in library.records(Measurement):
        if run.checkpoint != checkpoint_id or run.withdrawn is not None:
            continue
        for index, point in enumerate(run.points):
            speed = single_speed(point)
            if speed is None or point.concurrency is None:
                continue
            known = load_of(run, point)
            similar = Similar(
                run.id, index, speed, point.concurrency, known.context_tokens if known else 0,
                run.engine.name, run.draft.method,
                None if run.measured_on is None else str(run.measured_on), checkpoint_id,
            )  # fmt: skip
            yield similar, run, known


def _alike(
    library: Library, composition: Composition, load: Load
) -> Iterator[tuple[Similar, Load | None]]:
    """Yield points of the same model, number of machines and kind of draft."""
    for checkpoint in library.records(Checkpoint):
        if checkpoint.model != composition.model or not has_composition(library, checkpoint.id):
            continue
        for similar, run, known in measured_points(library, checkpoint.id):
            if run.num_nodes == load.nodes and run.draft.method == load.draft:
                yield similar, known


def _nearest(
    alike: list[tuple[Similar, Load | None]], checkpoint_id: str, load: Load, engine: str,
    library: Library,
) -> list[Similar]:  # fmt: skip
    """Return the points whose conditions are nearest: checkpoint, engine, concurrency, context."""
    family = engine_family(library, engine)

    def distance(pair: tuple[Similar, Load]) -> tuple[Any, ...]:
        similar, _ = pair
        return (
            similar.checkpoint != checkpoint_id,
            engine_family(library, similar.engine) != family,
            abs(math.log2(similar.concurrency / load.concurrency)),
            abs(math.log2((similar.context_tokens + 1024) / (load.context_tokens + 1024))),
            similar.measurement, similar.point,
        )  # fmt: skip

    return [similar for similar, _ in sorted(alike, key=distance)[:MOST_SHOWN]]


def _percentile(
    library: Library, alike: list[tuple[Similar, Load | None]], law: Law | None, load: Load,
    ratio: float | None,
) -> float | None:  # fmt: skip
    """Return the place among points of like concurrency by measured over expected.

    None below five of them.
    """
    if law is None or ratio is None:
        return None
    ratios = []
    for similar, known in alike:
        factor = similar.concurrency / load.concurrency
        if known is None or not 1 / LIKE_CONCURRENCY <= factor <= LIKE_CONCURRENCY:
            continue
        try:
            answer = ceiling_of(library, similar.checkpoint, known)
        except LedgerError:
            continue
        composition = composition_of(library, similar.checkpoint)
        ratios.append(similar.tokens_per_s / expected_tokens_per_s(law, composition, answer, known))
    return percentile_of(ratios, ratio) if len(ratios) >= FEWEST_ALIKE else None


def _causes(
    library: Library, ratio: float | None, answer: Ceiling, load: Load, composition: Composition,
    engine: str, speed: float, law: Law | None, reference: list[float],
) -> Iterator[LikelyCause]:  # fmt: skip
    """Yield the causes whose predicate holds, those whose share explains the number best first.

    A share that the ledger computes for this very question goes before a range of experience;
    among ranges a narrow one goes first whose middle is near.
    """
    usual = UNREMARKABLE
    if load.nodes == 1 and reference and (load.concurrency > 1 or load.draft == "dflash"):
        usual = quantile(reference, NORMAL), quantile(reference, EXCELLENT)
    if law is None or ratio is None or usual[0] <= ratio <= usual[1]:
        return
    inputs = {
        "draft": load.draft,
        "concurrency": load.concurrency,
        "context_tokens": load.context_tokens,
        "engine": engine_family(library, engine),
        "nodes": load.nodes,
        "has_state": composition.state_bytes > 0,
        "has_draft_layers": any(module.draft for module in composition.modules),
        "above_ceiling": speed > answer.highest_tokens_per_s,
        "wide_share": _wide_share(composition),
    }
    found = []
    for cause in library.records(Cause):
        if not all(_holds(inputs.get(name), wanted) for name, wanted in cause.applies.items()):
            continue
        share = _share(library, cause, law, composition, load)
        if share is None:
            continue
        low, high = share * float(cause.low_ratio), share * float(cause.high_ratio)
        low = max(low, NO_CHANGE[1]) if share > 1 else low
        high = min(high, NO_CHANGE[0]) if share < 1 else high
        miss = max(math.log(low / ratio), math.log(ratio / high), 0.0)
        if miss > math.log(MOST_MISSED):
            continue
        width = math.log(high / low)
        off_centre = abs(math.log(ratio / math.sqrt(low * high))) / (width / 2)
        rank = (miss, cause.explains is None, width + off_centre, cause.id)
        found.append((rank, LikelyCause(cause.id, low, high)))
    for _, likely in sorted(found, key=lambda each: each[0]):
        yield likely


def _share(
    library: Library, cause: Cause, law: Law, composition: Composition, load: Load
) -> float | None:
    """Return measured over expected under a cause: 1 without a sum, None if it changes nothing."""
    if cause.explains is None:
        return 1.0
    drafter = drafter_of(library, composition.model, load.draft) if load.draft != "none" else None

    def seconds(of: Composition, under: Load) -> float:
        total = step(of, under, drafter=drafter).total_bytes
        return law.step_s(total / load.nodes, of.num_layers)

    own = seconds(composition, load)
    match cause.explains:
        case "launch-floor":
            floor = float(cause.floor_ms_per_layer or 0) * composition.num_layers / 1e3
            share = own / max(own, floor)
        case "one-token-a-step":
            share = 1 / load.acceptance_length
        case "plain-speed":
            plain = replace(load, draft="none", draft_tokens=0, acceptance_length=1.0)
            share = own / seconds(composition, plain) / load.acceptance_length
        case "layers-in-16-bit":
            share = own / seconds(_with_bits(composition, WIDE_BITS), load)
        case "layers-in-4-bit":
            share = own / seconds(_with_bits(composition, NARROW_BITS), load)
    return None if NO_CHANGE[0] <= share <= NO_CHANGE[1] else share


def _with_bits(composition: Composition, bits: float) -> Composition:
    """Return a composition whose layers outside the experts and drafts are kept in other bits."""
    modules = tuple(
        module if module.draft or module.read == "experts" else replace(module, read_bits=bits)
        for module in composition.modules
    )
    return replace(composition, modules=modules)


def _wide_share(composition: Composition) -> float:
    """Return the share of a plain step's weights that is kept in 16 bit."""
    read = [module for module in composition.modules if module.read != "never" and not module.draft]
    amounts = [
        module.bytes_whole * (module.top_k / module.num_experts if module.num_experts else 1)
        for module in read
    ]
    wide = [amount for module, amount in zip(read, amounts, strict=True) if module.read_bits >= 16]
    return sum(wide) / sum(amounts)


def _holds(value: Any, wanted: Any) -> bool:
    """Tell whether an input meets a predicate: a value, a list of values, or bounds."""
    if isinstance(wanted, dict):
        low, high = wanted.get("at_least"), wanted.get("at_most")
        return (low is None or value >= low) and (high is None or value <= high)
    if isinstance(wanted, list):
        return value in wanted
    return value == wanted
