"""Parameter counts per module, the KV cache and the recurrent state, from config.json shapes.

Shapes follow the `transformers` classes of each family; every family's total is tested against
the parameter count of the instantiated class. Correction biases are buffers there and not
counted here.
"""

from collections.abc import Callable

from macros.shapes import families
from macros.shapes.parts import Architecture, CachedLayers, Module, Shapes

__all__ = ["FAMILIES", "Architecture", "CachedLayers", "Module", "Shapes", "shapes_of"]

FAMILIES: dict[str, Callable[[Architecture, int], Shapes]] = {
    "qwen3-next": families.qwen_hybrid,
    "qwen3.5": families.qwen_hybrid,
    "qwen3.5-moe": families.qwen_hybrid,
    "qwen3-moe": families.qwen3_moe,
    "gpt-oss": families.gpt_oss,
    "nemotron-h": families.nemotron_h,
    "glm4-moe": families.glm4_moe,
    "minimax-m2": families.minimax_m2,
}


def shapes_of(family: str, architecture: Architecture, *, num_draft_layers: int) -> Shapes:
    """Return the shapes of a model; KeyError for an unknown family or a missing config field."""
    return FAMILIES[family](architecture, num_draft_layers)
