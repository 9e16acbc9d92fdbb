"""What one release has, in the form that the tables fold: from the raw reading of its sources."""

from __future__ import annotations

import re
from typing import Any

SETS = (
    "attention_backend",
    "kv_cache_dtype",
    "load_format",
    "quantization",
    "quantization_deprecated",
    "reasoning_parser",
    "tool_call_parser",
)
SPECULATIVE = "SpeculativeConfig"
SILENT_LEVELS = ("debug", "debug_once")
OTHER_PLATFORMS = re.compile(r"rocm|aiter|xpu|tpu|cpu|hpu|zen|gaudi", re.IGNORECASE)


def normalise(reading: dict[str, Any]) -> dict[str, Any]:
    """The facts of a release without line numbers and without what follows from other facts."""
    speculative = reading["speculative_config"]
    configs = dict(reading["config_classes"])
    if speculative:
        configs[SPECULATIVE] = speculative["keys"]
    choices = {name: _texts(reading["choices"].get(name)) for name in SETS}
    if speculative:
        choices["speculative_method"] = _texts(speculative["methods"])
        choices["speculative_mtp_method"] = _texts(speculative["mtp_types"])
    for weight_format, backends in reading["moe_backend_maps"].items():
        choices[f"moe_backend_of_{weight_format}"] = _texts(backends)
    return {
        "release": _release(reading["meta"]),
        "flags": {_name(flag): _flag(flag) for flag in reading["flags"]},
        "configs": {
            name: {key: _key(field) for key, field in fields.items()}
            for name, fields in configs.items()
            if fields
        },
        "environment": _environment(reading),
        "choices": {name: values for name, values in choices.items() if values},
        "logs": _logs(reading["logs"]),
    }


def negative_forms(name: str, kind: str, *, disable_forms: bool) -> list[str]:
    """The spellings that switch a yes-or-no flag off."""
    if kind != "bool" or not name.startswith("--"):
        return []
    forms = ["--no-" + name[2:]]
    if disable_forms and name.startswith("--enable-"):
        forms.append("--disable-" + name[9:])
    if disable_forms and name.startswith("--disable-"):
        forms.append("--enable-" + name[10:])
    return forms


def _release(meta: dict[str, Any]) -> dict[str, Any]:
    """What a release says of itself and of the rules of its parser."""
    return {
        "requires_python": meta.get("requires_python"),
        "disable_forms": meta["disable_form_of_enable_flags"],
        "warns_of_unknown_variables": meta["unknown_vllm_env"].startswith("warning"),
        "pins": {
            name: pin.split(";")[0].strip() for name, pin in sorted(meta.get("pins", {}).items())
        },
    }


def _name(flag: dict[str, Any]) -> str:
    """The spelling that names a flag: its first long one."""
    return next((name for name in flag["flags"] if name.startswith("--")), flag["flags"][0])


def _flag(flag: dict[str, Any]) -> dict[str, Any]:
    """One flag without what follows from other facts."""
    kind = "positional" if flag.get("positional") else flag["kind"]
    value_type = flag.get("type")
    config = value_type[5:] if (value_type or "").startswith("json:") else None
    if flag["dest"] == "speculative_config":
        config = SPECULATIVE
    return _without_nothing(
        {
            "aliases": sorted(name for name in flag["flags"] if name != _name(flag)),
            "kind": kind,
            "type": None if kind in ("json", "bool", "switch") else value_type,
            "config": config,
            "nargs": flag.get("nargs"),
            "const": flag.get("const"),
            "choices": _texts(flag.get("choices")),
            "enforced_by": flag.get("choices_enforced"),
            "default": _default(flag["default"]),
            "group": flag.get("group"),
            "deprecated": flag.get("mentions_deprecated"),
        }
    )


def _key(field: dict[str, Any]) -> dict[str, Any]:
    """One key of a configuration class."""
    return _without_nothing(
        {
            "type": field.get("type"),
            "choices": _texts(field.get("choices")),
            "default": _default(field.get("default")),
            "settable": field.get("settable"),
            "deprecated": field.get("mentions_deprecated"),
        }
    )


def _environment(reading: dict[str, Any]) -> dict[str, dict]:
    """Declared variables, and those that are only used somewhere."""
    declared = {
        name: _without_nothing(
            {
                "type": entry.get("type"),
                "choices": _texts(entry.get("choices")),
                "default": _default(entry.get("default")),
                "deprecated": (entry.get("deprecated") or {}).get("note"),
            }
        )
        for name, entry in reading["env"].items()
    }
    used = {name: {"declared": False} for name in reading["env_elsewhere"] if name not in declared}
    return declared | used


def _logs(logs: list[dict[str, Any]]) -> dict[str, dict]:
    """Templates seen on CUDA with level and file; of several places the first counts."""
    result: dict[str, dict] = {}
    for entry in logs:
        place = entry["file"] + entry["in"] + entry["template"]
        if entry["level"] not in SILENT_LEVELS and not OTHER_PLATFORMS.search(place):
            result.setdefault(
                entry["template"],
                {"level": entry["level"].removesuffix("_once"), "file": entry["file"]},
            )
    return result


def _default(value: Any) -> Any:
    """A default as text or number; one that only running the engine gives stays an expression."""
    if isinstance(value, dict) and set(value) == {"expr"}:
        return None if value["expr"] == "argparse.SUPPRESS" else {"expression": value["expr"]}
    return value


def _texts(values: Any) -> list[str] | None:
    """Values as sorted texts; a set that only running the engine gives is none."""
    return sorted({str(value) for value in values}) if isinstance(values, list) and values else None


def _without_nothing(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry without what is not known or empty."""
    return {key: value for key, value in entry.items() if value is not None and value != []}
