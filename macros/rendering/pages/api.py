"""What programs read: all records as JSON, their schemas, and a map for language models."""

import json
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from macros.compositions import ceiling_of, has_composition
from macros.library import Library
from macros.records import KINDS, Checkpoint
from macros.rendering.parts import href_of, name_of
from macros.schema import schemas

API = "api/v1"


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: decimals as numbers, dates as ISO text."""
    match value:
        case BaseModel():
            fields = type(value).model_fields
            return {
                info.alias or name: _plain(getattr(value, name)) for name, info in fields.items()
            }
        case dict():
            return {str(key): _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case bool() | int() | float() | str() | None:
            return value
    return str(value)


def _derived(library: Library, record: Any) -> dict[str, Any]:
    """Return what is computed for a record: the plain ceiling of a checkpoint."""
    if isinstance(record, Checkpoint) and has_composition(library, record.id):
        answer = ceiling_of(library, record.id)
        return {
            "weight_bytes_per_step": round(answer.step.weight_bytes),
            "bytes_per_step": round(answer.bytes_per_step),
            "weights_ceiling_tokens_per_s": answer.weights_ceiling_tokens_per_s,
            "ceiling_tokens_per_s": answer.ceiling_tokens_per_s,
        }
    return {}


def files(library: Library) -> dict[str, str]:
    """Return one JSON file a kind, the schemas, an index of them, and llms.txt."""
    made = {}
    for kind in KINDS:
        records = [entry.record for entry in library.kinds[kind].values()]
        rows = [_plain(record) for record in records]
        for row, record in zip(rows, records, strict=True):
            if derived := _derived(library, record):
                row["derived"] = derived
        made[f"{API}/{kind}.json"] = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    made[f"{API}/formats.json"] = json.dumps(_plain(library.single("formats").root))
    made |= {f"{API}/schema/{name}": text for name, text in schemas().items()}
    index = {kind: {"path": f"{kind}.json", "records": len(library.kinds[kind])} for kind in KINDS}
    made[f"{API}/index.json"] = json.dumps(index, indent=1)
    made["llms.txt"] = _map_for_models(library)
    return made


def _map_for_models(library: Library) -> str:
    """Return the site's map in the llms.txt form: what it is, then a line a page."""
    lines = [
        "# GB10 Ledger",
        "",
        "> Recipes, measurements, pitfalls, claims and the arithmetic of running",
        "> mixture-of-experts models on the NVIDIA DGX Spark (GB10). Bytes set the ceiling.",
        "",
        f"Data: {API}/index.json",
    ]
    for kind in ("recipes", "models", "pitfalls", "claims"):
        lines += ["", f"## {kind.capitalize()}", ""]
        for record_id in library.kinds[kind]:
            reference = f"{kind}/{record_id}"
            lines.append(f"- [{name_of(library, reference, 'en')}](en{href_of(reference)})")
    return "\n".join(lines) + "\n"
