"""What architectures are made of: modules of weights, cached layers, recurrent state."""

from dataclasses import dataclass, replace
from typing import Any, Literal

Architecture = dict[str, Any]


@dataclass(frozen=True)
class Module:
    """A class of weights: what it is called, where it counts, and how much of it a step reads.

    `read` says how: `every` step reads it whole; `experts` reads the experts that tokens route
    to; `never` is not read in text decode (embedding rows, vision tower, n-gram tables).
    `draft` modules belong to the multi-token-prediction layers.
    """

    name: str
    part: str
    params: int
    read: Literal["every", "experts", "never"] = "every"
    num_experts: int = 0
    top_k: int = 0
    draft: bool = False


@dataclass(frozen=True)
class CachedLayers:
    """Attention layers that keep the same cache: elements per token, at most `limit_tokens`.

    A sliding window keeps only its limit; `sparse` layers read at most the limit and keep all.
    """

    num_layers: int
    elements_per_token: int
    limit_tokens: int | None = None
    sparse: bool = False
    draft: bool = False


@dataclass(frozen=True)
class Shapes:
    """All that the ledger needs of an architecture.

    `cached` is None where the cache of a family is not known; `state_fp32_elements` and
    `state_bf16_elements` are the recurrent and the convolution state of one request.
    """

    modules: tuple[Module, ...]
    cached: tuple[CachedLayers, ...] | None
    num_layers: int
    state_fp32_elements: int = 0
    state_bf16_elements: int = 0

    @property
    def total_params(self) -> int:
        """Return all parameters without the draft layers."""
        return sum(module.params for module in self.modules if not module.draft)

    @property
    def draft_params(self) -> int:
        """Return the parameters of the draft layers."""
        return sum(module.params for module in self.modules if module.draft)

    def active_params(self, *, with_embedding: bool) -> int:
        """Return the parameters that one token uses, as model cards count them."""
        active = 0
        for module in self.modules:
            if module.draft:
                continue
            if module.read == "experts":
                active += module.params * module.top_k // module.num_experts
            elif module.read == "every" or (with_embedding and module.part == "embedding"):
                active += module.params
        return active


def experts(name: str, per_expert: int, num_layers: int, num_experts: int, top_k: int) -> Module:
    params = per_expert * num_layers * num_experts
    return Module(name, "experts", params, "experts", num_experts, top_k)


def vision_tower(vision: Architecture | None) -> list[Module]:
    """Return the Qwen3-VL style tower: patch and position embedding, blocks, merger."""
    if not vision:
        return []
    width, wide = vision["hidden_size"], vision["intermediate_size"]
    patch = vision["in_channels"] * vision["temporal_patch_size"] * vision["patch_size"] ** 2
    embedding = patch * width + width + vision["num_position_embeddings"] * width
    attention = 4 * width * width + 4 * width
    block = attention + 2 * width * wide + wide + width + 4 * width
    merged = width * vision["spatial_merge_size"] ** 2
    merger = 2 * width + merged * merged + merged + merged * vision["out_hidden_size"]
    params = embedding + vision["depth"] * block + merger + vision["out_hidden_size"]
    return [Module("vision", "vision", params, "never")]


def embedding_and_head(architecture: Architecture) -> list[Module]:
    params = architecture["vocab_size"] * architecture["hidden_size"]
    if architecture.get("tie_word_embeddings"):
        return [Module("lm_head", "lm_head", params)]
    return [Module("embed", "embedding", params, "never"), Module("lm_head", "lm_head", params)]


def as_draft(modules: list[Module]) -> list[Module]:
    return [
        replace(module, name=f"mtp_{module.name}", part="draft", draft=True)
        for module in modules
        if module.params
    ]


def grouped_query(architecture: Architecture, num_layers: int, *, gated: bool) -> list[Module]:
    """Return q (with an output gate of the same width if gated), k and v, and o projections."""
    hidden, width = architecture["hidden_size"], architecture["head_dim"]
    query = architecture["num_attention_heads"] * width
    key_value = 2 * architecture["num_key_value_heads"] * width
    return [
        Module("attn_q", "attention", num_layers * hidden * query * (2 if gated else 1)),
        Module("attn_kv", "attention", num_layers * hidden * key_value),
        Module("attn_o", "attention", num_layers * query * hidden),
    ]


def key_value_elements(architecture: Architecture) -> int:
    return 2 * architecture["num_key_value_heads"] * architecture["head_dim"]


def gated_delta_net(architecture: Architecture, num_layers: int) -> list[Module]:
    """Return a Gated DeltaNet: qkv and z in, a and b in, convolution and scalars, out."""
    hidden = architecture["hidden_size"]
    heads = architecture["linear_num_value_heads"]
    key = architecture["linear_num_key_heads"] * architecture["linear_key_head_dim"]
    value = heads * architecture["linear_value_head_dim"]
    convolution = (2 * key + value) * architecture["linear_conv_kernel_dim"]
    scalars = 2 * heads + architecture["linear_value_head_dim"]
    return [
        Module("gdn_in", "gdn", num_layers * hidden * (2 * key + 2 * value)),
        Module("gdn_ab", "gdn", num_layers * hidden * 2 * heads),
        Module("gdn_misc", "gdn", num_layers * (convolution + scalars)),
        Module("gdn_out", "gdn", num_layers * value * hidden),
    ]


def gated_delta_net_state(architecture: Architecture, num_layers: int) -> dict[str, int]:
    heads = architecture["linear_num_value_heads"]
    key_width, value_width = (
        architecture["linear_key_head_dim"],
        architecture["linear_value_head_dim"],
    )
    channels = 2 * architecture["linear_num_key_heads"] * key_width + heads * value_width
    kept = architecture["linear_conv_kernel_dim"] - 1
    return {
        "state_fp32_elements": num_layers * heads * key_width * value_width,
        "state_bf16_elements": num_layers * channels * kept,
    }


def gated_experts(architecture: Architecture, num_layers: int) -> list[Module]:
    """Return router, gated experts and, where there is one, the shared expert with its gate."""
    hidden, num_experts = architecture["hidden_size"], architecture["num_experts"]
    wide = architecture["moe_intermediate_size"]
    shared = architecture.get("shared_expert_intermediate_size") or 0
    modules = [
        Module("router", "router", num_layers * hidden * num_experts),
        experts(
            "experts", 3 * hidden * wide, num_layers, num_experts,
            architecture["num_experts_per_tok"],
        ),
    ]  # fmt: skip
    if shared:
        modules += [
            Module("shared", "shared", num_layers * 3 * hidden * shared),
            Module("shared_gate", "router", num_layers * hidden),
        ]
    return modules
