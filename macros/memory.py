"""Whether a checkpoint fits: weights, KV cache and state against the unified memory.

What an engine needs besides (activations, graphs, workspaces) is the reserve. It is fitted from
runs that logged both the memory fraction and the size of the KV pool:

    reserve = fraction x usable memory - resident weights - pool tokens x bytes per token

and shown as a range. It is never assumed: without such runs it is not known.
"""

import math
from dataclasses import dataclass
from decimal import Decimal

from macros.arithmetic import median
from macros.compositions import composition_of, has_composition
from macros.law import kv_format_of
from macros.ledger import Composition, Load, check_load, kv_bytes_kept, resident_bytes
from macros.library import Library
from macros.records import Drafter, Hardware, Measurement, Model

FRACTION_FLAG = "--gpu-memory-utilization"


@dataclass(frozen=True)
class LoggedReserve:
    """One run that shows its reserve."""

    run: str
    fraction: float
    kv_cache_tokens: int
    reserve_bytes: float


@dataclass(frozen=True)
class Fit:
    """The memory of each machine; bytes, counts and the fraction to pass.

    `max_context_tokens` holds at the asked concurrency, `max_concurrency` at the asked context;
    None where nothing limits it or the cache is not known.
    """

    weight_bytes: int
    kv_cache_bytes: int | None
    state_bytes: int
    reserve_bytes: int | None
    reserve_low_bytes: int | None
    reserve_high_bytes: int | None
    total_bytes: int
    capacity_bytes: int
    fits: bool
    gpu_memory_utilization: float | None
    kv_cache_memory_bytes: int | None
    max_context_tokens: int | None
    max_concurrency: int | None


def logged_reserves(library: Library, hardware: Hardware) -> list[LoggedReserve]:
    """Return the reserve of every run that logged a KV pool under a known memory fraction."""
    found = []
    for run in library.records(Measurement):
        fraction = run.engine.arguments.get(FRACTION_FLAG)
        if not isinstance(fraction, Decimal) or run.num_nodes != 1:
            continue
        if not has_composition(library, run.checkpoint):
            continue
        composition = composition_of(library, run.checkpoint or "")
        per_token = kv_bytes_kept(composition, 10**6, kv_format_of(run), draft=False)
        if not per_token:
            continue
        weights = resident_bytes(composition, draft=run.draft.method == "mtp")
        for point in run.points:
            if point.kv_cache_tokens:
                pool = point.kv_cache_tokens * per_token / 10**6
                reserve = float(fraction) * hardware.usable_memory_bytes - weights - pool
                found.append(LoggedReserve(run.id, float(fraction), point.kv_cache_tokens, reserve))
                break
    distinct = {(each.fraction, each.kv_cache_tokens): each for each in reversed(found)}
    return sorted(distinct.values(), key=lambda each: each.reserve_bytes)


def _request_bytes(composition: Composition, load: Load, context_tokens: int) -> float | None:
    """Return the cache and state that one request of a context occupies."""
    kept = kv_bytes_kept(composition, context_tokens, load.kv_format, draft=load.draft == "mtp")
    if kept is None:
        return None
    return kept + composition.state_bytes * (1 + load.draft_tokens)


def fit(
    library: Library,
    checkpoint_id: str,
    load: Load,
    hardware: Hardware,
    drafter: Drafter | None = None,
) -> Fit:
    """Return whether a checkpoint fits on `load.nodes` machines; all bytes are of one machine.

    Raises LedgerError for a load that makes no sense for this checkpoint.
    """
    composition = composition_of(library, checkpoint_id)
    check_load(composition, load, drafter)
    reserves = [each.reserve_bytes for each in logged_reserves(library, hardware)]
    reserve = median(reserves) if reserves else None
    resident = resident_bytes(composition, draft=load.draft == "mtp")
    weights = (resident + (drafter.weight_bytes if drafter else 0)) / load.nodes
    capacity = hardware.usable_memory_bytes
    state = load.concurrency * composition.state_bytes * (1 + load.draft_tokens) / load.nodes
    kept = kv_bytes_kept(
        composition, load.context_tokens, load.kv_format, draft=load.draft == "mtp"
    )
    cache = None if kept is None else kept * load.concurrency / load.nodes
    needed = weights + (cache or 0) + state + (reserve or 0)
    free = capacity - weights - (reserve or 0)
    utilization = math.ceil(100 * needed / capacity) / 100
    model = library.get(Model, composition.model)
    return Fit(
        weight_bytes=round(weights),
        kv_cache_bytes=None if cache is None else round(cache),
        state_bytes=round(state),
        reserve_bytes=None if reserve is None else round(reserve),
        reserve_low_bytes=round(min(reserves)) if reserves else None,
        reserve_high_bytes=round(max(reserves)) if reserves else None,
        total_bytes=round(needed),
        capacity_bytes=capacity,
        fits=needed <= capacity,
        gpu_memory_utilization=utilization if needed <= capacity else None,
        kv_cache_memory_bytes=None if cache is None else round(cache + state),
        max_context_tokens=_longest(composition, load, free, model.context_tokens),
        max_concurrency=_most(composition, load, free),
    )


def _longest(composition: Composition, load: Load, free: float, most: int | None) -> int | None:
    """Return the longest context that `concurrency` requests can have, by bisection."""
    if free <= 0 or composition.cached is None:
        return 0 if free <= 0 else None
    low, high = 0, most or 2**24
    while low < high:
        middle = (low + high + 1) // 2
        each = _request_bytes(composition, load, middle)
        if each is not None and load.concurrency * each / load.nodes <= free:
            low = middle
        else:
            high = middle - 1
    return low


def _most(composition: Composition, load: Load, free: float) -> int | None:
    """Return how many requests of the asked context fit; None where one costs nothing."""
    each = _request_bytes(composition, load, load.context_tokens)
    if not each:
        return None
    return max(int(free * load.nodes // each), 0)
