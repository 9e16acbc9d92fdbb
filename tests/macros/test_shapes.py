"""Parameter counts, caches and state follow from config.json, for every family and every model."""

from pathlib import Path

import pytest
import yaml

from macros.shapes import FAMILIES, CachedLayers, Module, Shapes, shapes_of
from macros.shapes.newer import num_layers_of

ROOT = Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "data/models").glob("*.yaml"))
CHECKPOINTS = sorted((ROOT / "data/checkpoints").glob("*.yaml"))
PARTS = {
    "experts", "shared", "gdn", "attention", "dense_mlp", "lm_head", "router", "embedding",
    "vision", "ngram", "draft",
}  # fmt: skip


def record(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def shapes_of_record(model: dict) -> Shapes:
    draft = model["multi_token_prediction"]
    published = draft is not None and draft.get("published") is not False
    num_draft = draft["num_layers"] if published else 0
    return shapes_of(model["family"], model["architecture"], num_draft_layers=num_draft)


def shapes_of_model(model_id: str) -> Shapes:
    return shapes_of_record(record(ROOT / f"data/models/{model_id}.yaml"))


def counts(shapes: Shapes) -> dict[str, int]:
    return {module.name: module.params for module in shapes.modules if module.params}


# Every model on record.


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_the_parts_add_up_to_the_parameters_of_the_instantiated_class(path):
    model = record(path)
    total = shapes_of_record(model).total_params
    if model["counted_parameters"] is None:
        # No class to count: without the n-gram tables it is the advertised count, vision aside.
        tables = sum(m.params for m in shapes_of_record(model).modules if m.part == "ngram")
        advertised = float(model["total_parameters_billion"]) * 1e9
        assert total - tables == pytest.approx(advertised, rel=2e-3)
    else:
        assert total == model["counted_parameters"]


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_the_draft_layers_are_as_large_as_stated(path):
    model = record(path)
    stated = (model["multi_token_prediction"] or {}).get("num_parameters")
    counted = shapes_of_record(model).draft_params
    if stated and counted:
        assert counted == pytest.approx(stated, rel=4e-3)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_modules_are_well_formed(path):
    shapes = shapes_of_record(record(path))
    names = [module.name for module in shapes.modules if module.params]
    assert len(names) == len(set(names))
    for module in shapes.modules:
        assert module.part in PARTS
        assert module.draft == (module.part == "draft") == module.name.startswith("mtp_")
        assert (module.read == "experts") == (module.num_experts > 0)
        assert 0 <= module.top_k <= module.num_experts
        assert (module.read == "never") == (module.part in {"embedding", "vision", "ngram"})
    assert 0 < shapes.active_params(with_embedding=True) <= shapes.total_params


@pytest.mark.parametrize("path", CHECKPOINTS, ids=lambda path: path.stem)
def test_a_checkpoint_gives_formats_to_modules_that_its_model_has(path):
    checkpoint = record(path)
    names = counts(shapes_of_model(checkpoint["model"]))
    known = set(names) | {name.split("_")[0] for name in names} | {"draft_lm_head"}
    assert set(checkpoint["formats"] or {}) <= known


@pytest.mark.parametrize(
    ("model", "kv_bytes"),
    [
        ("qwen3.5-122b-a10b", 12 * 2 * 2 * 256 * 2),
        ("qwen3-30b-a3b", 48 * 2 * 4 * 128 * 2),
        ("nemotron-3-super-120b-a12b", 8 * 2 * 2 * 128 * 2),
        ("glm-4.5-air", 46 * 2 * 8 * 128 * 2),
        ("minimax-m2.7", 62 * 2 * 8 * 128 * 2),
        ("gpt-oss-120b", 36 * 2 * 8 * 64 * 2),
        ("qwen3.8-flash-next", 12 * 2 * 2 * 256 * 2),
        ("glm-5.3-flash", 11 * 512 * 2),
        ("gemma-4-26b-a4b", (25 * 2 * 8 * 256 + 5 * 2 * 2 * 512) * 2),
        ("laguna-s-2.1", 48 * 2 * 8 * 128 * 2),
        ("minimax-m3", 60 * 2 * 4 * 128 * 2),
        ("ling-3.0-flash", 7 * (512 + 64) * 2),
        ("step-3.7-flash", 45 * 2 * 8 * 128 * 2),
        ("deepseek-v4-flash", (43 * 512 + 21 * 512 // 4 + 20 * 512 // 128) * 2),
    ],
)
def test_bf16_kv_bytes_of_a_token_before_any_limit(model, kv_bytes):
    cached = shapes_of_model(model).cached
    assert kv_bytes == 2 * sum(
        layers.num_layers * layers.elements_per_token for layers in cached if not layers.draft
    )


@pytest.mark.parametrize(
    ("model", "limits"),
    [
        ("gpt-oss-120b", {(None, False), (128, False)}),
        ("qwen3.8-flash-next", {(2048, True)}),
        ("glm-5.3-flash", {(2048, True)}),
        ("gemma-4-26b-a4b", {(None, False), (1024, False)}),
        ("laguna-s-2.1", {(None, False), (512, False)}),
        ("step-3.7-flash", {(None, False), (512, False)}),
        ("minimax-m3", {(None, False), (16 * 128, True)}),
        ("ling-3.0-flash", {(None, False)}),
        ("deepseek-v4-flash", {(128, False), (512 * 4, True), (None, False)}),
    ],
)
def test_windows_drop_tokens_and_sparse_layers_only_skip_them(model, limits):
    cached = shapes_of_model(model).cached
    assert {(layers.limit_tokens, layers.sparse) for layers in cached} == limits


def test_a_cache_that_is_not_known_is_not_a_cache_of_nothing():
    assert shapes_of_model("deepseek-v4.1-flash").cached is None


@pytest.mark.parametrize(
    ("model", "fp32_elements", "bf16_elements"),
    [
        ("qwen3.5-122b-a10b", 36 * 64 * 128 * 128, 36 * (2 * 16 + 64) * 128 * 3),
        ("nemotron-3.5-lightning-30b-a3b", 23 * 64 * 64 * 128, 23 * (64 * 64 + 16 * 128) * 3),
        ("glm-5.3-flash", 34 * 64 * 128 * 128, 34 * 3 * 64 * 128 * 3),
        ("ling-3.0-flash", 35 * 32 * 128 * 128, 35 * 3 * 32 * 128 * 3),
        (
            "qwen3.8-flash-next",
            36 * 48 * 128 * 128,
            36 * (2 * 16 + 48) * 128 * 3 + 4 * 2560 * 3 * 3,
        ),
        ("minimax-m3", 0, 0),
    ],
)
def test_state_of_one_request(model, fp32_elements, bf16_elements):
    shapes = shapes_of_model(model)
    assert shapes.state_fp32_elements == fp32_elements
    assert shapes.state_bf16_elements == bf16_elements


# Small configs whose sums are worked out here.

EMBEDDING = {"vocab_size": 10, "hidden_size": 8}
EXPERTS = {"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2}
LOW_RANK = {
    "num_attention_heads": 2, "head_dim": 256, "q_lora_rank": 3, "o_lora_rank": 4, "o_groups": 2,
}  # fmt: skip
LATENT = {
    "num_attention_heads": 2, "qk_nope_head_dim": 4, "qk_rope_head_dim": 2, "v_head_dim": 4,
    "kv_lora_rank": 3,
}  # fmt: skip

TINY = {
    "deepseek-v4": {
        **EMBEDDING, **EXPERTS, **LOW_RANK, "num_hidden_layers": 4, "moe_intermediate_size": 5,
        "index_n_heads": 2, "index_head_dim": 6, "index_topk": 7, "hc_mult": 2,
        "sliding_window": 16, "compress_ratios": [0, 4, 128, 4, 0],
    },
    "deepseek-v41": {
        **EMBEDDING, **EXPERTS, **LOW_RANK, "num_hidden_layers": 4, "moe_intermediate_size": 5,
        "index_n_heads": 2, "index_head_dim": 6, "hc_mult": 2,
        "kv_source_layer_ids": [1, 2], "index_source_layer_ids": [1, 2, 3],
        "engram_layer_ids": [1], "engram_num_embeddings": [100], "engram_row_width": 4,
        "engram_n_heads": 2, "engram_max_ngram_size": 3,
        "dspark_n_routed_experts": 2, "dspark_n_activated_experts": 1,
        "dspark_target_layer_ids": [2, 3],
    },
    "qwen4-exp": {
        **EMBEDDING, "num_hidden_layers": 4, "num_attention_heads": 2, "num_key_value_heads": 1,
        "head_dim": 4, "layer_type_counts": {"linear_attention": 3, "sparse_attention_QSA": 1},
        "linear_num_key_heads": 1, "linear_num_value_heads": 2, "linear_key_head_dim": 2,
        "linear_value_head_dim": 2, "linear_conv_kernel_dim": 4, "num_experts": 4,
        "num_experts_per_tok": 2, "moe_intermediate_size": 5,
        "shared_expert_intermediate_size": 5, "hc_count": 2, "hc_lowrank": 3, "ngram_size": 3,
        "ple_layers": 1, "ngram_table_params": 1000, "indexer_budget": 16,
        "indexer_head_dim": 2, "indexer_n_heads": 2, "indexer_kv_heads": 1,
    },
    "glm5-next": {
        **EMBEDDING, **EXPERTS, **LATENT, "q_lora_rank": 5, "num_hidden_layers": 4,
        "layer_types": ["linear_attention"] * 3 + ["deepseek_sparse_attention"],
        "mlp_layer_types": ["dense", "sparse", "sparse", "sparse"],
        "linear_attn_config": {"num_heads": 2, "head_dim": 3, "short_conv_kernel_size": 4},
        "index_n_heads": 2, "index_head_dim": 6, "index_topk": 16, "index_kpool": 4,
        "intermediate_size": 20, "moe_intermediate_size": 5, "hc_mult": 2,
    },
    "gemma4": {
        **EMBEDDING, "tie_word_embeddings": True, "num_hidden_layers": 3, "head_dim": 4,
        "global_head_dim": 6, "num_attention_heads": 2, "num_key_value_heads": 2,
        "num_global_key_value_heads": 1, "attention_k_eq_v": True, "sliding_window": 16,
        "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
        "intermediate_size": 20, "moe_intermediate_size": 5, "num_experts": 4,
        "top_k_experts": 2,
    },
    "laguna": {
        **EMBEDDING, "num_hidden_layers": 3, "head_dim": 4, "num_key_value_heads": 1,
        "num_attention_heads_per_layer": {"full_attention": 2, "sliding_attention": 3},
        "layer_type_counts": {"full_attention": 1, "sliding_attention": 2},
        "mlp_layer_types": "dense x 1, sparse x 2", "sliding_window": 16,
        "intermediate_size": 20, "moe_intermediate_size": 5,
        "shared_expert_intermediate_size": 6, "num_experts": 4, "num_experts_per_tok": 2,
    },
    "minimax-m3": {
        **EMBEDDING, "num_hidden_layers": 3, "head_dim": 4, "num_attention_heads": 2,
        "num_key_value_heads": 1, "first_k_dense_replace": 1, "dense_intermediate_size": 20,
        "intermediate_size": 5, "shared_intermediate_size": 6, "n_shared_experts": 1,
        "num_local_experts": 4, "num_experts_per_tok": 2,
        "layer_type_counts": {"full_attention": 1, "sparse_attention": 2},
        "sparse_attention_config": {
            "sparse_num_index_heads": 2, "sparse_index_dim": 3, "sparse_topk_blocks": 2,
            "sparse_block_size": 8,
        },
    },
    "bailing-hybrid": {
        **EMBEDDING, **LATENT, "q_lora_rank": None, "num_hidden_layers": 4, "head_dim": 3,
        "layer_group_size": 2, "short_conv_kernel_size": 4, "first_k_dense_replace": 1,
        "intermediate_size": 20, "moe_intermediate_size": 5, "n_shared_experts": 1,
        "num_experts": 4, "num_experts_per_tok": 2,
    },
    "step3p7": {
        **EMBEDDING, "num_hidden_layers": 3, "head_dim": 4, "num_attention_heads": 2,
        "num_sliding_attention_heads": 3, "num_key_value_heads": 1,
        "layer_type_counts": {"full_attention": 1, "sliding_attention": 2},
        "sliding_window": 16, "first_k_dense_replace": 1, "intermediate_size": 20,
        "moe_intermediate_size": 5, "share_expert_dim": 6, "num_experts": 4,
        "num_experts_per_tok": 2,
    },
}  # fmt: skip

# A connection of 2 streams of width 8 gives 2 + 2 + 4 = 8 outputs: 8 x 16 weights, 8 biases, 3
# scales = 139; the head that joins them 2 x 16 + 2 + 1 = 35. A gated expert is 3 x 8 x 5 = 120.
SUMS = {
    "deepseek-v4": {
        "embed": 80,
        "lm_head": 80,
        "attn_q": 4 * (8 * 3 + 3 * 512),
        "attn_kv": 4 * 8 * 256,
        "attn_o": 4 * (512 * 4 + 8 * 8),
        "router": 4 * 8 * 4,
        "experts": 4 * 4 * 120,
        "shared": 4 * 120,
        "compressor": 2 * (2 * 8 * 512 + 4 * 512 + 256) + 2 * 8 * 256 + 128 * 256 + 256,
        "indexer": 2 * (2 * 8 * 12 + 4 * 12 + 6 + 3 * 12 + 8 * 2),
        "hc": 8 * 139 + 35,
        "norms": 4 * (16 + 3 + 256 + 2) + 8,
        "mtp_attn_q": 8 * 3 + 3 * 512,
        "mtp_attn_kv": 8 * 256,
        "mtp_attn_o": 512 * 4 + 8 * 8,
        "mtp_router": 8 * 4,
        "mtp_experts": 4 * 120,
        "mtp_shared": 120,
        "mtp_hc": 2 * 139 + 35,
        "mtp_fc": 2 * 8 * 8,
        "mtp_norms": 16 + 3 + 256 + 2 + 3 * 8,
    },
    "deepseek-v41": {
        "embed": 80,
        "lm_head": 80,
        "attn_q": 4 * (8 * 3 + 3 * 512),
        "attn_kv": 4 * 8 * 256,
        "attn_o": 4 * (512 * 4 + 8 * 8),
        "router": 4 * 8 * 4,
        "experts": 4 * 4 * 120,
        "shared": 4 * 120,
        "compressor": (2 + 1) * 8 * 256 + 2 * 256,
        "indexer_fp8": 3 * 3 * 12,
        "indexer_bf16": 3 * 8 * 2 + 2 * (256 * 6 + 6),
        "router_bias": 2 * 4 * 4,
        "hc": 8 * 139,
        "engram_proj": 4 * 4 * (16 + 8) + 2 * 16,
        "engram_table": 400,
        "norms": 4 * (16 + 3 + 256 + 2) + 8,
        "mtp_attn_q": 8 * 3 + 3 * 512,
        "mtp_attn_kv": 8 * 256,
        "mtp_attn_o": 512 * 4 + 8 * 8,
        "mtp_router": 8 * 2,
        "mtp_experts": 2 * 120,
        "mtp_shared": 120,
        "mtp_main_proj": 2 * 8 * 8,
    },
    "qwen4-exp": {
        "embed": 80,
        "lm_head": 80,
        "attn_q": 8 * 8 * 2,
        "attn_kv": 8 * 8,
        "attn_o": 8 * 8,
        "indexer": 8 * 3 * 2 + 4,
        "gdn_in": 3 * 8 * (2 * 2 + 2 * 4),
        "gdn_ab": 3 * 8 * 4,
        "gdn_misc": 3 * (8 * 4 + 2 * 2 + 2),
        "gdn_out": 3 * 4 * 8,
        "router": 4 * 8 * 4,
        "experts": 4 * 4 * 120,
        "shared": 4 * 120,
        "shared_gate": 4 * 8,
        "hc": 8 * (16 + 2 * 16 * 3 + 16 * 2) + 16 + 2 * 16 * 3,
        "ple_proj": 8 * 16 + 8 * 8,
        "ple_misc": 3 * 16 + 4 * 16,
        "ngram": 1000,
        "norms": 8,
        "mtp_attn_q": 8 * 8 * 2,
        "mtp_attn_kv": 8 * 8,
        "mtp_attn_o": 8 * 8,
        "mtp_indexer": 8 * 3 * 2 + 4,
        "mtp_router": 8 * 4,
        "mtp_experts": 4 * 120,
        "mtp_shared": 120,
        "mtp_shared_gate": 8,
        "mtp_hc": 2 * (16 + 2 * 16 * 3 + 16 * 2),
        "mtp_fc": 2 * 8 * 8,
        "mtp_norms": 8,
    },
    "glm5-next": {
        "embed": 80,
        "lm_head": 80,
        "attn_q": 8 * 5 + 5 * 2 * 6,
        "attn_kv": 8 * 5 + 3 * 2 * 8,
        "attn_o": 2 * 4 * 8,
        "indexer": 5 * 12 + 8 * 6 + 2 * 6 + 8 * 2 + 4 * 6 + 6 * 8,
        "kda_qkv": 3 * 3 * 8 * 6,
        "kda_o": 3 * 6 * 8,
        "kda_gates": 3 * (2 * (8 * 3 + 3 * 6) + 8 * 2),
        "kda_misc": 3 * (18 * 4 + 6 + 2 + 3),
        "router": 3 * 8 * 4,
        "experts": 3 * 4 * 120,
        "shared": 3 * 120,
        "dense_mlp": 3 * 8 * 20,
        "hc": 8 * 139,
        "norms": 9 * 8 + 5 + 3,
        "mtp_attn_q": 8 * 5 + 5 * 2 * 6,
        "mtp_attn_kv": 8 * 5 + 3 * 2 * 8,
        "mtp_attn_o": 2 * 4 * 8,
        "mtp_indexer": 5 * 12 + 8 * 6 + 2 * 6 + 8 * 2 + 4 * 6 + 6 * 8,
        "mtp_router": 8 * 4,
        "mtp_experts": 4 * 120,
        "mtp_shared": 120,
        "mtp_fc": 2 * 8 * 8,
        "mtp_norms": 5 * 8 + 5 + 3,
    },
    "gemma4": {
        "lm_head": 80,
        "attn_q": 8 * (2 * 2 * 4 + 2 * 6),
        "attn_kv": 8 * (2 * 2 * 2 * 4 + 6),
        "attn_o": 8 * (2 * 2 * 4 + 2 * 6),
        "dense_mlp": 3 * 3 * 8 * 20,
        "router": 3 * 8 * 4,
        "router_scales": 3 * (8 + 4),
        "experts": 3 * 4 * 120,
        "norms": 22 * 8 + 2 * 2 * 4 + 2 * 6,
    },
    "laguna": {
        "embed": 80,
        "lm_head": 80,
        "attn_q": 8 * 4 * (2 + 2 * 3),
        "attn_kv": 3 * 8 * 8,
        "attn_o": 8 * 4 * (2 + 2 * 3),
        "attn_gate": 8 * (2 + 2 * 3),
        "dense_mlp": 3 * 8 * 20,
        "router": 2 * 8 * 4,
        "experts": 2 * 4 * 120,
        "shared": 2 * 3 * 8 * 6,
        "router_bias": 2 * 4,
        "norms": 7 * 8 + 3 * 8,
    },
    "minimax-m3": {
        "embed": 80,
        "lm_head": 80,
        "attn_q": 3 * 8 * 8,
        "attn_kv": 3 * 8 * 8,
        "attn_o": 3 * 8 * 8,
        "indexer": 2 * 8 * 3 * 3,
        "dense_mlp": 3 * 8 * 20,
        "norms": 7 * 8 + 3 * 8 + 2 * 2 * 3,
        "router": 2 * 8 * 4,
        "experts": 2 * 4 * 120,
        "shared": 2 * 3 * 8 * 6,
    },
    "bailing-hybrid": {
        "embed": 80,
        "lm_head": 80,
        "kda_qkv": 2 * 3 * 8 * 6,
        "kda_o": 2 * 6 * 8,
        "kda_gates": 2 * (2 * 8 * 6 + 8 * 2),
        "kda_misc": 2 * (18 * 4 + 6 + 2 + 3),
        "mla_q": 2 * 8 * 2 * 6,
        "mla_kv": 2 * (8 * 5 + 3 * 2 * 8),
        "mla_o": 2 * 8 * 8,
        "mla_gate": 2 * 8 * 2,
        "router": 3 * 8 * 4,
        "experts": 3 * 4 * 120,
        "shared": 3 * 120,
        "dense_mlp": 3 * 8 * 20,
        "norms": 9 * 8 + 2 * 3,
    },
    "step3p7": {
        "embed": 80,
        "lm_head": 80,
        "attn_q": 8 * 4 * (2 + 2 * 3),
        "attn_kv": 3 * 8 * 8,
        "attn_o": 8 * 4 * (2 + 2 * 3),
        "attn_gate": 8 * (2 + 2 * 3),
        "router": 2 * 8 * 4,
        "experts": 2 * 4 * 120,
        "shared": 2 * 3 * 8 * 6,
        "dense_mlp": 3 * 8 * 20,
        "norms": 7 * 8 + 3 * 8,
    },
}
DRAFTED = {"deepseek-v4", "deepseek-v41", "qwen4-exp", "glm5-next"}


@pytest.mark.parametrize("family", TINY)
def test_every_module_of_a_small_model_adds_up(family):
    shapes = shapes_of(family, TINY[family], num_draft_layers=1 if family in DRAFTED else 0)
    assert counts(shapes) == SUMS[family]
    assert shapes.total_params == sum(
        params for name, params in SUMS[family].items() if not name.startswith("mtp_")
    )


@pytest.mark.parametrize("family", sorted(DRAFTED))
def test_without_draft_layers_nothing_is_drafted(family):
    shapes = shapes_of(family, TINY[family], num_draft_layers=0)
    assert shapes.draft_params == 0
    assert not any(layers.draft for layers in shapes.cached or ())


@pytest.mark.parametrize("family", TINY)
def test_a_token_uses_two_of_the_four_experts_of_a_small_model(family):
    shapes = shapes_of(family, TINY[family], num_draft_layers=0)
    sums = {name: n for name, n in SUMS[family].items() if not name.startswith("mtp_")}
    unread = sums.get("ngram", 0) + sums.get("engram_table", 0) + sums.get("embed", 0)
    active = sum(sums.values()) - unread - sums["experts"] // 2
    assert shapes.active_params(with_embedding=False) == active
    assert shapes.active_params(with_embedding=True) == active + sums.get("embed", 0)


def test_compressed_entries_cost_a_token_its_share_of_an_entry():
    cached = shapes_of("deepseek-v4", TINY["deepseek-v4"], num_draft_layers=1).cached
    assert cached == (
        CachedLayers(4, 256, 16),
        CachedLayers(2, 64, 28, sparse=True),
        CachedLayers(1, 2),
        CachedLayers(1, 256, 16, draft=True),
    )


def test_full_layers_of_gemma_project_key_and_value_once_but_keep_both():
    """The key is scaled and rotated after the projection that it shares with the value."""
    shared = shapes_of("gemma4", TINY["gemma4"], num_draft_layers=0)
    apart = shapes_of("gemma4", TINY["gemma4"] | {"attention_k_eq_v": False}, num_draft_layers=0)
    assert shared.cached[0].elements_per_token == apart.cached[0].elements_per_token == 12
    assert apart.total_params - shared.total_params == 8 * 6


def test_heads_by_layer_may_be_a_list_as_in_config_json():
    by_type = TINY["laguna"]
    by_layer = by_type | {"num_attention_heads_per_layer": [2, 3, 3]}
    assert counts(shapes_of("laguna", by_layer, num_draft_layers=0)) == SUMS["laguna"]


def test_a_list_of_layers_and_its_runs_say_the_same():
    assert num_layers_of(["dense", "sparse", "sparse"], "sparse") == 2
    assert num_layers_of("dense x 1, sparse x 2", "sparse") == 2
    assert num_layers_of("dense x 1, sparse x 2", "hash") == 0


def test_a_query_rank_splits_the_query_projection():
    config = TINY["bailing-hybrid"] | {"q_lora_rank": 5}
    modules = counts(shapes_of("bailing-hybrid", config, num_draft_layers=0))
    assert modules["mla_q"] == 2 * (8 * 5 + 5 * 12)
    assert modules["norms"] == 9 * 8 + 2 * (5 + 3)


TOWERS = {
    "glm5-next": (
        {
            "depth": 2, "hidden_size": 4, "intermediate_size": 6, "out_hidden_size": 8,
            "num_heads": 2, "in_channels": 3, "patch_size": 2, "spatial_merge_size": 2,
            "temporal_patch_size": 2, "projection_intermediate_size": 5,
        },
        # patches; 2 x (qkv and o with biases, head norms, MLP with biases, norms); last norm;
        # downsampling; merger: projection, layer norm, gated MLP
        (24 * 4 + 4) + 2 * ((64 + 16) + 4 + (72 + 16) + 8) + 4 + (16 * 8 + 8)
        + (64 + 16 + 3 * 8 * 5),
    ),
    "gemma4": (
        {
            "hidden_size": 4, "intermediate_size": 6, "num_hidden_layers": 2,
            "num_attention_heads": 2, "patch_size": 2, "position_embedding_size": 7,
        },
        # patches; two tables of positions; 2 x (attention, MLP, four norms, head norms); projection
        12 * 4 + 2 * 7 * 4 + 2 * (64 + 72 + 16 + 4) + 4 * 8,
    ),
    "minimax-m3": (
        {
            "hidden_size": 4, "intermediate_size": 6, "num_hidden_layers": 2, "num_channels": 3,
            "patch_size": 2, "temporal_patch_size": 2, "spatial_merge_size": 2,
            "projector_hidden_size": 5,
        },
        # patches; first norm; 2 x (attention, MLP, two norms); two MLPs 4-5-8 and 32-5-8
        24 * 4 + 8 + 2 * (80 + 58 + 16) + (25 + 48) + (165 + 48),
    ),
    "step3p7": (
        {
            "hidden_size": 4, "intermediate_size": 6, "num_hidden_layers": 2, "num_channels": 3,
            "patch_size": 2, "image_size": 6,
        },
        # patches; 9 positions; first norm; 2 x (attention, MLP, two norms, layer scale);
        # 3 x 3 convolutions 4-8-16; projection
        12 * 4 + 36 + 8 + 2 * (80 + 58 + 16 + 8) + (288 + 8) + (1152 + 16) + 16 * 8,
    ),
}  # fmt: skip


@pytest.mark.parametrize("family", TOWERS)
def test_a_vision_tower_is_counted_and_never_read(family):
    vision, params = TOWERS[family]
    shapes = shapes_of(family, TINY[family] | {"vision": vision}, num_draft_layers=0)
    assert shapes.modules.count(Module("vision", "vision", params, "never")) == 1


def test_an_unknown_family_and_a_missing_field_are_named():
    with pytest.raises(KeyError, match="qwen9"):
        shapes_of("qwen9", {}, num_draft_layers=0)
    config = {key: value for key, value in TINY["step3p7"].items() if key != "share_expert_dim"}
    with pytest.raises(KeyError, match="share_expert_dim"):
        shapes_of("step3p7", config, num_draft_layers=0)


def test_every_family_is_tried_by_a_model_on_record():
    assert {record(path)["family"] for path in MODELS} >= set(FAMILIES)
