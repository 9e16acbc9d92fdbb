"""The families of the first eighteen models, each from its config.json fields."""

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


def qwen_hybrid(architecture: Architecture, num_draft: int) -> Shapes:
    """Qwen3-Next, Qwen3.5, 3.6 and 3.8: Gated DeltaNet with every n-th layer full attention."""
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    num_full = num_layers // architecture["full_attention_interval"]
    num_linear = num_layers - num_full
    head_norms = 2 * architecture["head_dim"]
    modules = embedding_and_head(architecture)
    modules += grouped_query(architecture, num_full, gated=True)
    modules += gated_delta_net(architecture, num_linear)

    def feed_forward(layers: int) -> list[Module]:
        if architecture.get("num_experts"):
            return gated_experts(architecture, layers)
        wide = architecture["intermediate_size"]
        return [Module("dense_mlp", "dense_mlp", layers * 3 * hidden * wide)]

    modules += feed_forward(num_layers)
    norms = (2 * num_layers + 1) * hidden + num_full * head_norms
    modules.append(Module("norms", "router", norms))
    modules += vision_tower(architecture.get("vision"))
    if num_draft:
        draft = grouped_query(architecture, num_draft, gated=True)
        draft += feed_forward(num_draft)
        draft.append(Module("fc", "draft", 2 * hidden * hidden))
        draft.append(Module("norms", "draft", num_draft * (2 * hidden + head_norms) + 3 * hidden))
        modules += as_draft(draft)
    elements = key_value_elements(architecture)
    cached = [CachedLayers(num_full, elements)]
    if num_draft:
        cached.append(CachedLayers(num_draft, elements, draft=True))
    return Shapes(
        tuple(modules), tuple(cached), num_layers, **gated_delta_net_state(architecture, num_linear)
    )  # fmt: skip


def qwen3_moe(architecture: Architecture, num_draft: int) -> Shapes:
    """Qwen3 MoE: full attention with head norms, experts in every layer, no shared expert."""
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    modules = embedding_and_head(architecture)
    modules += grouped_query(architecture, num_layers, gated=False)
    modules += gated_experts(architecture, num_layers)
    norms = (2 * num_layers + 1) * hidden + num_layers * 2 * architecture["head_dim"]
    modules.append(Module("norms", "router", norms))
    cached = (CachedLayers(num_layers, key_value_elements(architecture)),)
    return Shapes(tuple(modules), cached, num_layers)


def gpt_oss(architecture: Architecture, num_draft: int) -> Shapes:
    """gpt-oss: alternating sliding window and full attention, biases and sinks, 4 of n experts."""
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    heads, width = architecture["num_attention_heads"], architecture["head_dim"]
    num_experts = architecture["num_local_experts"]
    wide = architecture["intermediate_size"]
    query, key_value = heads * width, key_value_elements(architecture)
    modules = embedding_and_head(architecture)
    modules += grouped_query(architecture, num_layers, gated=False)
    biases = num_layers * (query + key_value + hidden + heads + num_experts)
    modules += [
        Module("router", "router", num_layers * hidden * num_experts),
        experts(
            "experts", 3 * hidden * wide, num_layers, num_experts,
            architecture["num_experts_per_tok"],
        ),
        experts(
            "experts_bias", 2 * wide + hidden, num_layers, num_experts,
            architecture["num_experts_per_tok"],
        ),
        Module("norms", "router", (2 * num_layers + 1) * hidden + biases),
    ]  # fmt: skip
    num_sliding = num_layers // 2
    cached = (
        CachedLayers(num_layers - num_sliding, key_value),
        CachedLayers(num_sliding, key_value, architecture["sliding_window"]),
    )
    return Shapes(tuple(modules), cached, num_layers)


def nemotron_h(architecture: Architecture, num_draft: int) -> Shapes:
    """Nemotron-H: one Mamba-2, MoE or attention block a layer; experts may be latent."""
    hidden = architecture["hidden_size"]
    pattern = architecture.get("hybrid_override_pattern") or "".join(
        {"mamba": "M", "moe": "E", "attention": "*"}[kind]
        for kind in architecture["layers_block_type"]
    )
    num_mamba, num_moe, num_attention = (pattern.count(kind) for kind in "ME*")
    heads, state = architecture["mamba_num_heads"], architecture["ssm_state_size"]
    inner = heads * architecture["mamba_head_dim"]
    channels = inner + 2 * architecture["n_groups"] * state
    latent = architecture.get("moe_latent_size")
    num_experts, top_k = architecture["n_routed_experts"], architecture["num_experts_per_tok"]
    wide = architecture["moe_intermediate_size"]
    shared_wide = architecture["moe_shared_expert_intermediate_size"]

    def mixture(layers: int) -> list[Module]:
        modules = [
            Module("router", "router", layers * hidden * num_experts),
            experts("experts", 2 * (latent or hidden) * wide, layers, num_experts, top_k),
            Module("shared_up", "shared", layers * hidden * shared_wide),
            Module("shared_down", "shared", layers * shared_wide * hidden),
        ]
        if latent:
            modules += [
                Module("latent_fc1", "router", layers * hidden * latent),
                Module("latent_fc2", "router", layers * latent * hidden),
            ]
        return modules

    convolution = channels * (architecture["conv_kernel"] + 1)
    modules = embedding_and_head(architecture)
    modules += [
        Module("mamba_in", "gdn", num_mamba * hidden * (inner + channels + heads)),
        Module("mamba_misc", "gdn", num_mamba * (convolution + 3 * heads + inner)),
        Module("mamba_out", "gdn", num_mamba * inner * hidden),
    ]
    modules += grouped_query(architecture, num_attention, gated=False)
    modules += mixture(num_moe)
    modules.append(Module("norms", "router", (len(pattern) + 1) * hidden))
    cached = [CachedLayers(num_attention, key_value_elements(architecture))]
    draft_pattern = architecture.get("mtp_hybrid_override_pattern") or "".join(
        {"moe": "E", "attention": "*"}[kind]
        for kind in architecture.get("mtp_layers_block_type") or []
    )
    if num_draft and draft_pattern:
        draft = grouped_query(architecture, draft_pattern.count("*"), gated=False)
        draft += mixture(draft_pattern.count("E"))
        draft.append(Module("fc", "draft", 2 * hidden * hidden))
        draft.append(Module("norms", "draft", (len(draft_pattern) + 3) * hidden))
        modules += as_draft(draft)
        cached.append(
            CachedLayers(draft_pattern.count("*"), key_value_elements(architecture), draft=True)
        )
    return Shapes(
        tuple(modules), tuple(cached), len(pattern),
        state_fp32_elements=num_mamba * inner * state,
        state_bf16_elements=num_mamba * channels * (architecture["conv_kernel"] - 1),
    )  # fmt: skip


def glm4_moe(architecture: Architecture, num_draft: int) -> Shapes:
    """GLM-4.5: grouped-query attention with biases, first layers dense, one shared expert."""
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    num_dense = architecture["first_k_dense_replace"]
    num_experts, top_k = architecture["n_routed_experts"], architecture["num_experts_per_tok"]
    wide = architecture["moe_intermediate_size"]
    shared = wide * architecture["n_shared_experts"]
    biases = architecture["num_attention_heads"] * architecture["head_dim"]
    biases += key_value_elements(architecture)

    def mixture(layers: int) -> list[Module]:
        return [
            Module("router", "router", layers * hidden * num_experts),
            experts("experts", 3 * hidden * wide, layers, num_experts, top_k),
            Module("shared", "shared", layers * 3 * hidden * shared),
        ]

    modules = embedding_and_head(architecture)
    modules += grouped_query(architecture, num_layers, gated=False)
    dense = 3 * hidden * architecture["intermediate_size"]
    modules.append(Module("dense_mlp", "dense_mlp", num_dense * dense))
    modules += mixture(num_layers - num_dense)
    modules.append(Module("norms", "router", (2 * num_layers + 1) * hidden + num_layers * biases))
    elements = key_value_elements(architecture)
    cached = [CachedLayers(num_layers, elements)]
    if num_draft:
        draft = grouped_query(architecture, num_draft, gated=False)
        draft += mixture(num_draft)
        draft.append(Module("fc", "draft", num_draft * 2 * hidden * hidden))
        draft.append(Module("norms", "draft", num_draft * (5 * hidden + biases)))
        modules += as_draft(draft)
        cached.append(CachedLayers(num_draft, elements, draft=True))
    return Shapes(tuple(modules), tuple(cached), num_layers)


def minimax_m2(architecture: Architecture, num_draft: int) -> Shapes:
    """MiniMax-M2: full attention with norms over all heads, experts in every layer."""
    hidden, num_layers = architecture["hidden_size"], architecture["num_hidden_layers"]
    width, num_experts = architecture["head_dim"], architecture["num_local_experts"]
    query = architecture["num_attention_heads"] * width
    key = architecture["num_key_value_heads"] * width
    modules = embedding_and_head(architecture)
    modules += grouped_query(architecture, num_layers, gated=False)
    modules += [
        Module("router", "router", num_layers * hidden * num_experts),
        experts(
            "experts", 3 * hidden * architecture["intermediate_size"], num_layers, num_experts,
            architecture["num_experts_per_tok"],
        ),
        Module("norms", "router", (2 * num_layers + 1) * hidden + num_layers * (query + key)),
    ]  # fmt: skip
    cached = (CachedLayers(num_layers, key_value_elements(architecture)),)
    return Shapes(tuple(modules), cached, num_layers)
