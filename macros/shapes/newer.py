"""The families of the second half of 2026: hyper-connections, KDA, sparse and compressed caches.

Index keys that choose what sparse attention reads are left out of the caches: a bound counts the
fewest bytes. Gates of attention heads, hyper-connections and other small weights count as `router`.
"""

from macros.shapes.parts import (
    Architecture,
    CachedLayers,
    Module,
    Shapes,
    as_draft,
    embedding_and_head,
    experts,
    gated_delta_net,
    gated_delta_net_state,
    gated_experts,
    grouped_query,
    key_value_elements,
    vision_tower,
)


def num_layers_of(value: list[str] | str, kind: str) -> int:
    """Count the layers of a kind in a list, or in its runs as in `dense x 3, sparse x 42`."""
    if isinstance(value, list):
        return value.count(kind)
    runs = (run.split(" x ") for run in value.split(", "))
    return sum(int(times) for name, times in runs if name == kind)


def layers_of_type(architecture: Architecture, kind: str) -> int:
    """Count the layers of a type by `layer_types` of config.json or by the counts of a record."""
    if "layer_types" in architecture:
        return architecture["layer_types"].count(kind)
    return architecture["layer_type_counts"][kind]


def gated_mlp(hidden: int, wide: int) -> int:
    """Return the parameters of gate, up and down."""
    return 3 * hidden * wide


def mixture(
    hidden: int, num_layers: int, *, num_experts: int, top_k: int, wide: int, shared: int
) -> list[Module]:
    """Return router, gated routed experts and a shared expert of width `shared`."""
    return [
        Module("router", "router", num_layers * hidden * num_experts),
        experts("experts", gated_mlp(hidden, wide), num_layers, num_experts, top_k),
        Module("shared", "shared", num_layers * gated_mlp(hidden, shared)),
    ]


def routed(architecture: Architecture, num_layers: int) -> list[Module]:
    """Return the mixture of a config that names its experts as DeepSeek does."""
    return mixture(
        architecture["hidden_size"],
        num_layers,
        num_experts=architecture["n_routed_experts"],
        top_k=architecture["num_experts_per_tok"],
        wide=architecture["moe_intermediate_size"],
        shared=architecture["moe_intermediate_size"] * architecture["n_shared_experts"],
    )


def hyper_connection(architecture: Architecture) -> int:
    """Return one manifold-constrained hyper-connection: pre, post and mixing weights."""
    streams = architecture["hc_mult"]
    outputs = (2 + streams) * streams
    return outputs * streams * architecture["hidden_size"] + outputs + 3


def hyper_head(architecture: Architecture) -> int:
    """Return the weights that join the streams after the last layer."""
    streams = architecture["hc_mult"]
    return streams * streams * architecture["hidden_size"] + streams + 1


def grouped_low_rank(architecture: Architecture, num_layers: int) -> list[Module]:
    """Return DeepSeek-V4 attention: low-rank query, one key-value head, grouped low-rank output."""
    hidden, rank = architecture["hidden_size"], architecture["q_lora_rank"]
    heads = architecture["num_attention_heads"] * architecture["head_dim"]
    output = architecture["o_lora_rank"]
    grouped = architecture["o_groups"] * output
    return [
        Module("attn_q", "attention", num_layers * (hidden * rank + rank * heads)),
        Module("attn_kv", "attention", num_layers * hidden * architecture["head_dim"]),
        Module("attn_o", "attention", num_layers * (heads * output + grouped * hidden)),
    ]


def low_rank_norms(architecture: Architecture) -> int:
    """Return one DeepSeek-V4 layer's norms and attention sinks."""
    return (
        2 * architecture["hidden_size"] + architecture["q_lora_rank"]
        + architecture["head_dim"] + architecture["num_attention_heads"]
    )  # fmt: skip


def latent_attention(architecture: Architecture, num_layers: int, prefix: str) -> list[Module]:
    """Return multi-head latent attention: query, latent down and up projections, output."""
    hidden, heads = architecture["hidden_size"], architecture["num_attention_heads"]
    no_rope, rope = architecture["qk_nope_head_dim"], architecture["qk_rope_head_dim"]
    value, latent = architecture["v_head_dim"], architecture["kv_lora_rank"]
    rank, width = architecture["q_lora_rank"], heads * (no_rope + rope)
    query = hidden * rank + rank * width if rank else hidden * width
    key_value = hidden * (latent + rope) + latent * heads * (no_rope + value)
    return [
        Module(f"{prefix}_q", "attention", num_layers * query),
        Module(f"{prefix}_kv", "attention", num_layers * key_value),
        Module(f"{prefix}_o", "attention", num_layers * heads * value * hidden),
    ]


def latent_norms(architecture: Architecture) -> int:
    """Return the norms over the query rank, where there is one, and over the latent."""
    return (architecture["q_lora_rank"] or 0) + architecture["kv_lora_rank"]


def latent_elements(architecture: Architecture) -> int:
    """Return what one latent attention layer keeps of a token: the latent and the rotary key."""
    return architecture["kv_lora_rank"] + architecture["qk_rope_head_dim"]


def delta_attention(
    hidden: int, num_layers: int, *, heads: int, width: int, kernel: int, gates: int
) -> list[Module]:
    """Return Kimi Delta Attention; `gates` are a layer's forget and output gate projections."""
    inner = heads * width
    misc = 3 * inner * kernel + inner + heads + width
    return [
        Module("kda_qkv", "gdn", num_layers * 3 * hidden * inner),
        Module("kda_o", "gdn", num_layers * inner * hidden),
        Module("kda_gates", "gdn", num_layers * (gates + hidden * heads)),
        Module("kda_misc", "gdn", num_layers * misc),
    ]


def delta_state(num_layers: int, *, heads: int, width: int, kernel: int) -> dict[str, int]:
    """Return one request's recurrent and convolution state of Kimi Delta Attention."""
    return {
        "state_fp32_elements": num_layers * heads * width * width,
        "state_bf16_elements": num_layers * 3 * heads * width * (kernel - 1),
    }


def windowed_attention(
    architecture: Architecture, layers_and_heads: list[tuple[int, int]]
) -> list[Module]:
    """Return attention whose number of query heads differs by layer type, with a gate a head."""
    hidden, width = architecture["hidden_size"], architecture["head_dim"]
    heads = sum(num_layers * count for num_layers, count in layers_and_heads)
    num_layers = sum(num_layers for num_layers, _ in layers_and_heads)
    key_value = num_layers * hidden * key_value_elements(architecture)
    return [
        Module("attn_q", "attention", hidden * heads * width),
        Module("attn_kv", "attention", key_value),
        Module("attn_o", "attention", heads * width * hidden),
        Module("attn_gate", "router", hidden * heads),
    ]


def window_and_full(architecture: Architecture, num_sliding: int) -> tuple[CachedLayers, ...]:
    """Return the caches of full attention layers and of those with a sliding window."""
    elements = key_value_elements(architecture)
    return (
        CachedLayers(architecture["num_hidden_layers"] - num_sliding, elements),
        CachedLayers(num_sliding, elements, architecture["sliding_window"]),
    )


def deepseek_v4(architecture: Architecture, num_draft: int) -> Shapes:
    """DeepSeek-V4: grouped low-rank attention over a window and compressed entries, mHC, experts.

    Every layer attends to the last `sliding_window` tokens, key and value being one vector.
    Layers of ratio 4 add the `index_topk` best compressed entries, layers of ratio 128 add all;
    an entry stands for `ratio` tokens, so a token costs `head_dim / ratio` elements. The last of
    `compress_ratios` belong to the draft layers, which have a window only.
    """
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    width, index_width = architecture["head_dim"], architecture["index_head_dim"]
    ratios = architecture["compress_ratios"][:num_layers]
    num_sparse, num_heavy = ratios.count(4), ratios.count(128)
    sparse = 2 * hidden * 2 * width + 4 * 2 * width + width
    heavy = 2 * hidden * width + 128 * width + width
    index_heads = architecture["index_n_heads"]
    indexer = 2 * hidden * 2 * index_width + 4 * 2 * index_width + index_width
    indexer += architecture["q_lora_rank"] * index_heads * index_width + hidden * index_heads
    connection, head = hyper_connection(architecture), hyper_head(architecture)

    def block(layers: int) -> list[Module]:
        return grouped_low_rank(architecture, layers) + routed(architecture, layers)

    modules = embedding_and_head(architecture) + block(num_layers)
    modules += [
        Module("compressor", "attention", num_sparse * sparse + num_heavy * heavy),
        Module("indexer", "attention", num_sparse * indexer),
        Module("hc", "router", 2 * num_layers * connection + head),
        Module("norms", "router", num_layers * low_rank_norms(architecture) + hidden),
    ]
    cached = [
        CachedLayers(num_layers, width, architecture["sliding_window"]),
        CachedLayers(num_sparse, width // 4, 4 * architecture["index_topk"], sparse=True),
        CachedLayers(num_heavy, width // 128),
    ]
    if num_draft:
        draft = block(num_draft)
        draft.append(Module("hc", "draft", num_draft * (2 * connection + head)))
        draft.append(Module("fc", "draft", num_draft * 2 * hidden * hidden))
        norms = low_rank_norms(architecture) + 3 * hidden
        draft.append(Module("norms", "draft", num_draft * norms))
        modules += as_draft(draft)
        cached.append(CachedLayers(num_draft, width, architecture["sliding_window"], draft=True))
    return Shapes(tuple(modules), tuple(cached), num_layers)


def deepseek_v41(architecture: Architecture, num_draft: int) -> Shapes:
    """DeepSeek-V4.1: the V4 block with shared compressors, Engram tables and a block drafter.

    Follows the tensors of the published files, not a class: the vision tower, the draft heads
    and the cache of its encoder-decoder layers are not known and not counted. Only layers that
    are a source for others compress keys and values, those of the first half with a gate;
    `indexer_bf16` holds the parts of the indexer that stay BF16. Files hold two router biases
    an expert.
    """
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    width, index_width = architecture["head_dim"], architecture["index_head_dim"]
    index_heads = architecture["index_n_heads"]
    sources = architecture["kv_source_layer_ids"]
    num_sources, num_pooled = len(sources), sum(layer < num_layers // 2 for layer in sources)
    num_indexed = len(architecture["index_source_layer_ids"])
    index_query = architecture["q_lora_rank"] * index_heads * index_width
    index_key = width * index_width + index_width
    num_tables = len(architecture["engram_layer_ids"])
    rows_per_token = architecture["engram_n_heads"] * (architecture["engram_max_ngram_size"] - 1)
    streams = architecture["hc_mult"] * hidden
    row = architecture["engram_row_width"]
    engram = rows_per_token * row * (streams + hidden) + 2 * streams

    modules = embedding_and_head(architecture)
    modules += grouped_low_rank(architecture, num_layers) + routed(architecture, num_layers)
    modules += [
        Module(
            "compressor", "attention",
            (num_sources + num_pooled) * hidden * width + num_sources * width,
        ),
        Module("indexer_fp8", "attention", num_indexed * index_query),
        Module(
            "indexer_bf16", "attention",
            num_indexed * hidden * index_heads + num_sources * index_key,
        ),
        Module("router_bias", "router", 2 * num_layers * architecture["n_routed_experts"]),
        Module("hc", "router", 2 * num_layers * hyper_connection(architecture)),
        Module("engram_proj", "router", num_tables * engram),
        Module("engram_table", "ngram", sum(architecture["engram_num_embeddings"]) * row, "never"),
        Module("norms", "router", num_layers * low_rank_norms(architecture) + hidden),
    ]  # fmt: skip
    if num_draft:
        draft = grouped_low_rank(architecture, num_draft)
        draft += mixture(
            hidden,
            num_draft,
            num_experts=architecture["dspark_n_routed_experts"],
            top_k=architecture["dspark_n_activated_experts"],
            wide=architecture["moe_intermediate_size"],
            shared=architecture["moe_intermediate_size"] * architecture["n_shared_experts"],
        )
        read = len(architecture["dspark_target_layer_ids"])
        draft.append(Module("main_proj", "draft", read * hidden * hidden))
        modules += as_draft(draft)
    return Shapes(tuple(modules), None, num_layers)


def qwen4_exp(architecture: Architecture, num_draft: int) -> Shapes:
    """Qwen3.8-Flash-Next: Gated DeltaNet and sparse attention, gated residual streams, n-grams.

    Sparse layers read at most `indexer_budget` tokens. `ple_proj` turns the rows that a token
    looks up in the n-gram table into the residual streams; the table itself is never read whole.
    """
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    num_linear = layers_of_type(architecture, "linear_attention")
    num_sparse = num_layers - num_linear
    head_norms = 2 * architecture["head_dim"]
    index_width = architecture["indexer_head_dim"]
    index_heads = architecture["indexer_n_heads"] + architecture["indexer_kv_heads"]
    indexer = hidden * index_heads * index_width + 2 * index_width
    streams = architecture["hc_count"] * hidden
    join = streams + 2 * streams * architecture["hc_lowrank"]
    connection = join + streams * architecture["hc_count"]
    num_ngram, kernel = architecture["ple_layers"], architecture.get("ple_conv_kernel_size", 4)
    embedded = architecture.get("ple_embed_dim") or hidden

    def sparse_attention(layers: int) -> list[Module]:
        return [
            *grouped_query(architecture, layers, gated=True),
            Module("indexer", "attention", layers * indexer),
        ]

    modules = embedding_and_head(architecture) + sparse_attention(num_sparse)
    modules += gated_delta_net(architecture, num_linear)
    modules += gated_experts(architecture, num_layers)
    modules += [
        Module("hc", "router", 2 * num_layers * connection + join),
        Module("ple_proj", "router", num_ngram * embedded * (streams + hidden)),
        Module("ple_misc", "router", num_ngram * streams * (3 + kernel)),
        Module("ngram", "ngram", architecture["ngram_table_params"], "never"),
        Module("norms", "router", num_sparse * head_norms),
    ]
    modules += vision_tower(architecture.get("vision"))
    elements, budget = key_value_elements(architecture), architecture["indexer_budget"]
    cached = [CachedLayers(num_sparse, elements, budget, sparse=True)]
    if num_draft:
        draft = sparse_attention(num_draft) + gated_experts(architecture, num_draft)
        draft.append(Module("hc", "draft", num_draft * 2 * connection))
        draft.append(Module("fc", "draft", 2 * hidden * hidden))
        draft.append(Module("norms", "draft", num_draft * head_norms))
        modules += as_draft(draft)
        cached.append(CachedLayers(num_draft, elements, budget, sparse=True, draft=True))
    state = gated_delta_net_state(architecture, num_linear)
    dilated = (kernel - 1) * architecture["ngram_size"]
    state["state_bf16_elements"] += num_ngram * streams * dilated
    return Shapes(tuple(modules), tuple(cached), num_layers, **state)


def glm5_next(architecture: Architecture, num_draft: int) -> Shapes:
    """GLM-5.3-Flash: Kimi Delta Attention and sparse latent attention, mHC, first layers dense.

    Latent layers read the `index_topk` best tokens. The draft layer is one latent layer with its
    own experts and no hyper-connection.
    """
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    num_linear = layers_of_type(architecture, "linear_attention")
    num_latent = num_layers - num_linear
    num_dense = num_layers_of(architecture["mlp_layer_types"], "dense")
    linear = architecture["linear_attn_config"]
    delta = {
        "heads": linear["num_heads"],
        "width": linear["head_dim"],
        "kernel": linear["short_conv_kernel_size"],
    }
    inner = delta["heads"] * delta["width"]
    gates = 2 * delta["width"] * (hidden + inner)
    index_heads, index_width = architecture["index_n_heads"], architecture["index_head_dim"]
    indexer = architecture["q_lora_rank"] * index_heads * index_width + hidden * index_heads
    indexer += 2 * hidden * index_width + (2 + architecture["index_kpool"]) * index_width
    latent = latent_norms(architecture)

    def sparse_latent(layers: int) -> list[Module]:
        return [
            *latent_attention(architecture, layers, "attn"),
            Module("indexer", "attention", layers * indexer),
        ]

    modules = embedding_and_head(architecture) + sparse_latent(num_latent)
    modules += delta_attention(hidden, num_linear, **delta, gates=gates)
    modules += routed(architecture, num_layers - num_dense)
    dense = gated_mlp(hidden, architecture["intermediate_size"])
    modules += [
        Module("dense_mlp", "dense_mlp", num_dense * dense),
        Module("hc", "router", 2 * num_layers * hyper_connection(architecture)),
        Module("norms", "router", (2 * num_layers + 1) * hidden + num_latent * latent),
    ]
    modules += glm_vision_tower(architecture.get("vision"))
    elements, budget = latent_elements(architecture), architecture["index_topk"]
    cached = [CachedLayers(num_latent, elements, budget, sparse=True)]
    if num_draft:
        draft = sparse_latent(num_draft) + routed(architecture, num_draft)
        draft.append(Module("fc", "draft", num_draft * 2 * hidden * hidden))
        draft.append(Module("norms", "draft", num_draft * (5 * hidden + latent)))
        modules += as_draft(draft)
        cached.append(CachedLayers(num_draft, elements, budget, sparse=True, draft=True))
    return Shapes(tuple(modules), tuple(cached), num_layers, **delta_state(num_linear, **delta))


def glm_vision_tower(vision: Architecture | None) -> list[Module]:
    """Return patches, blocks with gated MLP and biases, downsampling and the gated merger."""
    if not vision:
        return []
    width, wide, output = (
        vision["hidden_size"],
        vision["intermediate_size"],
        vision["out_hidden_size"],
    )
    patch = vision["in_channels"] * vision["temporal_patch_size"] * vision["patch_size"] ** 2
    attention = 4 * width * width + 4 * width + 2 * width // vision["num_heads"]
    block = attention + 3 * width * wide + 2 * wide + width + 2 * width
    merged = width * vision["spatial_merge_size"] ** 2
    merger = output * output + 2 * output + 3 * output * vision["projection_intermediate_size"]
    params = patch * width + width + vision["depth"] * block + width
    return [Module("vision", "vision", params + merged * output + output + merger, "never")]


def gemma4(architecture: Architecture, num_draft: int) -> Shapes:
    """Gemma 4 MoE: sliding window and full attention, a dense MLP beside the experts, tied head.

    Full layers have wider, fewer key-value heads and project key and value as one. The key is then
    scaled and rotated, the value is not, so that a cache keeps both.
    """
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    num_sliding = layers_of_type(architecture, "sliding_attention")
    num_full = num_layers - num_sliding
    width, full_width = architecture["head_dim"], architecture["global_head_dim"]
    heads, num_experts = architecture["num_attention_heads"], architecture["num_experts"]
    sliding_elements = key_value_elements(architecture)
    full_elements = 2 * architecture["num_global_key_value_heads"] * full_width
    projected = full_elements // 2 if architecture["attention_k_eq_v"] else full_elements
    query = heads * (num_sliding * width + num_full * full_width)
    key_value = num_sliding * sliding_elements + num_full * projected
    head_norms = 2 * (num_sliding * width + num_full * full_width)
    dense = gated_mlp(hidden, architecture["intermediate_size"])
    modules = embedding_and_head(architecture)
    modules += [
        Module("attn_q", "attention", hidden * query),
        Module("attn_kv", "attention", hidden * key_value),
        Module("attn_o", "attention", query * hidden),
        Module("dense_mlp", "dense_mlp", num_layers * dense),
        Module("router", "router", num_layers * hidden * num_experts),
        Module("router_scales", "router", num_layers * (hidden + num_experts)),
        experts(
            "experts", gated_mlp(hidden, architecture["moe_intermediate_size"]), num_layers,
            num_experts, architecture["top_k_experts"],
        ),
        Module("norms", "router", (7 * num_layers + 1) * hidden + head_norms),
    ]  # fmt: skip
    modules += gemma_vision_tower(architecture.get("vision"), hidden)
    cached = (
        CachedLayers(num_full, full_elements),
        CachedLayers(num_sliding, sliding_elements, architecture["sliding_window"]),
    )
    return Shapes(tuple(modules), cached, num_layers)


def gemma_vision_tower(vision: Architecture | None, hidden: int) -> list[Module]:
    """Return patches, two tables of positions, blocks with gated MLP, and the projection."""
    if not vision:
        return []
    width = vision["hidden_size"]
    embedding = 3 * vision["patch_size"] ** 2 * width
    embedding += 2 * vision["position_embedding_size"] * width
    norms = 4 * width + 2 * width // vision["num_attention_heads"]
    block = 4 * width * width + gated_mlp(width, vision["intermediate_size"]) + norms
    params = embedding + vision["num_hidden_layers"] * block + width * hidden
    return [Module("vision", "vision", params, "never")]


def laguna(architecture: Architecture, num_draft: int) -> Shapes:
    """Laguna: full and sliding window attention with more heads in the window, experts.

    The first layers are dense. `num_attention_heads_per_layer` is a list as in config.json, or
    one number a layer type. The correction bias of the router is a parameter of this class.
    """
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    num_sliding = layers_of_type(architecture, "sliding_attention")
    num_sparse = num_layers_of(architecture["mlp_layer_types"], "sparse")
    num_experts = architecture["num_experts"]
    dense = gated_mlp(hidden, architecture["intermediate_size"])
    modules = embedding_and_head(architecture)
    modules += windowed_attention(
        architecture,
        heads_by_layer(architecture["num_attention_heads_per_layer"], num_layers, num_sliding),
    )
    modules.append(Module("dense_mlp", "dense_mlp", (num_layers - num_sparse) * dense))
    modules += mixture(
        hidden,
        num_sparse,
        num_experts=num_experts,
        top_k=architecture["num_experts_per_tok"],
        wide=architecture["moe_intermediate_size"],
        shared=architecture["shared_expert_intermediate_size"],
    )
    norms = (2 * num_layers + 1) * hidden + num_layers * 2 * architecture["head_dim"]
    modules += [
        Module("router_bias", "router", num_sparse * num_experts),
        Module("norms", "router", norms),
    ]
    return Shapes(tuple(modules), window_and_full(architecture, num_sliding), num_layers)


def heads_by_layer(
    heads: list[int] | dict[str, int], num_layers: int, num_sliding: int
) -> list[tuple[int, int]]:
    """Return (layers, query heads) pairs from one number a layer or one a layer type."""
    if isinstance(heads, list):
        return [(1, count) for count in heads]
    return [
        (num_layers - num_sliding, heads["full_attention"]),
        (num_sliding, heads["sliding_attention"]),
    ]


def minimax_m3(architecture: Architecture, num_draft: int) -> Shapes:
    """MiniMax-M3: first layers dense with full attention, then block-sparse attention and experts.

    Sparse layers read the best `sparse_topk_blocks` blocks. No published file carries the MTP
    weights that the config declares.
    """
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    sparse = architecture["sparse_attention_config"]
    num_sparse = layers_of_type(architecture, "sparse_attention")
    num_dense = architecture["first_k_dense_replace"]
    index_width = sparse["sparse_index_dim"]
    indexer = hidden * (sparse["sparse_num_index_heads"] + 1) * index_width
    dense = gated_mlp(hidden, architecture["dense_intermediate_size"])
    norms = (2 * num_layers + 1) * hidden + num_layers * 2 * architecture["head_dim"]
    modules = embedding_and_head(architecture)
    modules += grouped_query(architecture, num_layers, gated=False)
    modules += [
        Module("indexer", "attention", num_sparse * indexer),
        Module("dense_mlp", "dense_mlp", num_dense * dense),
        Module("norms", "router", norms + num_sparse * 2 * index_width),
    ]
    modules += mixture(
        hidden,
        num_layers - num_dense,
        num_experts=architecture["num_local_experts"],
        top_k=architecture["num_experts_per_tok"],
        wide=architecture["intermediate_size"],
        shared=architecture["shared_intermediate_size"] * architecture["n_shared_experts"],
    )
    modules += minimax_vision_tower(architecture.get("vision"), hidden)
    elements = key_value_elements(architecture)
    budget = sparse["sparse_topk_blocks"] * sparse["sparse_block_size"]
    cached = (
        CachedLayers(num_layers - num_sparse, elements),
        CachedLayers(num_sparse, elements, budget, sparse=True),
    )
    return Shapes(tuple(modules), cached, num_layers)


def minimax_vision_tower(vision: Architecture | None, hidden: int) -> list[Module]:
    """Return patches, CLIP-like blocks, and the projector that merges neighbouring patches."""
    if not vision:
        return []
    width, wide = vision["hidden_size"], vision["intermediate_size"]
    patch = vision["num_channels"] * vision["temporal_patch_size"] * vision["patch_size"] ** 2
    tower = patch * width + 2 * width
    tower += vision["num_hidden_layers"] * clip_block(width, wide)
    projector, merged = vision["projector_hidden_size"], hidden * vision["spatial_merge_size"] ** 2
    joins = (width + merged) * projector + 2 * projector * hidden + 2 * projector + 2 * hidden
    return [Module("vision", "vision", tower + joins, "never")]


def clip_block(width: int, wide: int) -> int:
    """Return attention and a plain MLP with biases and two layer norms."""
    return 4 * width * width + 4 * width + 2 * width * wide + wide + width + 4 * width


def bailing_hybrid(architecture: Architecture, num_draft: int) -> Shapes:
    """Ling-3.0: Kimi Delta Attention with every n-th layer latent attention, first layers dense.

    The shapes of its MTP layer are not known and not counted.
    """
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    num_latent = num_layers // architecture["layer_group_size"]
    num_linear, heads = num_layers - num_latent, architecture["num_attention_heads"]
    num_dense = architecture["first_k_dense_replace"]
    delta = {
        "heads": heads,
        "width": architecture["head_dim"],
        "kernel": architecture["short_conv_kernel_size"],
    }
    gates = 2 * hidden * heads * architecture["head_dim"]
    dense = gated_mlp(hidden, architecture["intermediate_size"])
    norms = (2 * num_layers + 1) * hidden + num_latent * latent_norms(architecture)
    modules = embedding_and_head(architecture)
    modules += delta_attention(hidden, num_linear, **delta, gates=gates)
    modules += latent_attention(architecture, num_latent, "mla")
    modules += mixture(
        hidden,
        num_layers - num_dense,
        num_experts=architecture["num_experts"],
        top_k=architecture["num_experts_per_tok"],
        wide=architecture["moe_intermediate_size"],
        shared=architecture["moe_intermediate_size"] * architecture["n_shared_experts"],
    )
    modules += [
        Module("mla_gate", "router", num_latent * hidden * heads),
        Module("dense_mlp", "dense_mlp", num_dense * dense),
        Module("norms", "router", norms),
    ]
    cached = (CachedLayers(num_latent, latent_elements(architecture)),)
    return Shapes(tuple(modules), cached, num_layers, **delta_state(num_linear, **delta))


def step3p7(architecture: Architecture, num_draft: int) -> Shapes:
    """Step-3.7: full and sliding window attention with more heads in the window, experts.

    The first layers are dense. The content of its MTP layers was not read and is not counted.
    """
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    num_sliding = layers_of_type(architecture, "sliding_attention")
    num_dense = architecture["first_k_dense_replace"]
    dense = gated_mlp(hidden, architecture["intermediate_size"])
    norms = (2 * num_layers + 1) * hidden + num_layers * 2 * architecture["head_dim"]
    modules = embedding_and_head(architecture)
    modules += windowed_attention(
        architecture,
        [
            (num_layers - num_sliding, architecture["num_attention_heads"]),
            (num_sliding, architecture["num_sliding_attention_heads"]),
        ],
    )
    modules += mixture(
        hidden,
        num_layers - num_dense,
        num_experts=architecture["num_experts"],
        top_k=architecture["num_experts_per_tok"],
        wide=architecture["moe_intermediate_size"],
        shared=architecture["share_expert_dim"],
    )
    modules += [
        Module("dense_mlp", "dense_mlp", num_dense * dense),
        Module("norms", "router", norms),
    ]
    modules += step_vision_tower(architecture.get("vision"), hidden)
    return Shapes(tuple(modules), window_and_full(architecture, num_sliding), num_layers)


def step_vision_tower(vision: Architecture | None, hidden: int) -> list[Module]:
    """Return patches, positions, blocks with layer scale, two convolutions and the projector."""
    if not vision:
        return []
    width, patch = vision["hidden_size"], vision["patch_size"]
    positions = (vision["image_size"] // patch) ** 2
    block = clip_block(width, vision["intermediate_size"]) + 2 * width
    tower = vision["num_channels"] * patch**2 * width + positions * width + 2 * width
    tower += vision["num_hidden_layers"] * block
    first, second = 2 * width, 4 * width
    shrink = 9 * width * first + first + 9 * first * second + second
    return [Module("vision", "vision", tower + shrink + second * hidden, "never")]
