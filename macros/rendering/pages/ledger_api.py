"""What the ledger of the browser stands on: coefficients, laws and reserves as one JSON file."""

import json
from dataclasses import asdict
from typing import Any

from macros import ledger
from macros.compositions import composition_of, has_composition
from macros.judge import typical_acceptance
from macros.law import laws
from macros.library import Library
from macros.memory import logged_reserves
from macros.records import Checkpoint, Drafter, Hardware, Model

PATH = "api/v1/ledger.json"


def files(library: Library) -> dict[str, str]:
    """Return the file that ledger.js evaluates."""
    return {PATH: compact(data(library))}


def data(library: Library) -> dict[str, Any]:
    """Return everything that a ceiling, an expected speed and a fit depend on."""
    return {
        "hardware": {each.id: _hardware(library, each) for each in library.records(Hardware)},
        "formats": {
            name: {
                "read_bits": float(each.read_bits),
                "stored_bits": float(each.stored_bits),
            }
            for name, each in library.single("formats").root.items()
        },
        "acceptance": {method: typical_acceptance(library, method) for method in ("mtp", "dflash")},
        "laws": {engine: asdict(law) for engine, law in laws(library).items()},
        "models": {
            each.id: {"name": each.name, "context_tokens": each.context_tokens}
            for each in library.records(Model)
        },
        "drafters": [
            {
                "model": each.model,
                "method": each.method,
                "passes_per_step": each.passes_per_step,
                "shares_lm_head": each.shares_lm_head,
                "weight_bytes": each.weight_bytes,
            }
            for each in library.records(Drafter)
        ],
        "checkpoints": {
            each.id: {
                "name": each.name,
                "repository": each.repository,
                "scenario": each.scenario,
                "inferred": each.inferred,
                **ledger.coefficients(composition_of(library, each.id)),
            }
            for each in library.records(Checkpoint)
            if has_composition(library, each.id)
        },
    }


def _hardware(library: Library, hardware: Hardware) -> dict[str, Any]:
    return {
        "name": hardware.name,
        "bandwidth_gb_per_s": float(hardware.bandwidth_gb_per_s),
        "usable_memory_bytes": hardware.usable_memory_bytes,
        "reserves_bytes": [each.reserve_bytes for each in logged_reserves(library, hardware)],
    }


def compact(value: Any) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
