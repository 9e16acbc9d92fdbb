"""Parameter counts per module, the KV cache and the recurrent state, from config.json shapes.

Shapes follow the `transformers` classes of each family; every family's total is tested against
the parameter count of the instantiated class. Correction biases are buffers in most classes and
then not counted here. DeepSeek-V4.1 has no such class and follows the tensors of its files.
"""

from collections.abc import Callable

from macros.shapes import families, newer
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
    "deepseek-v4": newer.deepseek_v4,
    "deepseek-v41": newer.deepseek_v41,
    "qwen4-exp": newer.qwen4_exp,
    "glm5-next": newer.glm5_next,
    "gemma4": newer.gemma4,
    "laguna": newer.laguna,
    "minimax-m3": newer.minimax_m3,
    "bailing-hybrid": newer.bailing_hybrid,
    "step3p7": newer.step3p7,
}


def shapes_of(family: str, architecture: Architecture, *, num_draft_layers: int) -> Shapes:
    """Return the shapes of a model; KeyError for an unknown family or a missing config field."""
    return FAMILIES[family](architecture, num_draft_layers)
