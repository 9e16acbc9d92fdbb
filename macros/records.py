"""One class a kind of record: fields, units, vocabularies and their meaning, written once.

The order of the fields is the order in the files. JSON Schema, the template of a new record,
the checks and the documentation of the data are made from these classes.
"""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, StringConstraints

from macros.detection import Detection
from macros.fields import (
    Bytes,
    Count,
    Evidence,
    Line,
    Month,
    Name,
    Number,
    Positive,
    Ratio,
    Reference,
    Repository,
    Sha,
    Slug,
    Strict,
    Text,
    Url,
    Verdict,
    Version,
)


class Provenance(Strict):
    """Which source supports which fields, and how good that is."""

    source: Slug
    locator: Line | None = Field(description="where in it; null: the address is lost, or own work")
    fields: Annotated[list[Line], Field(min_length=1)] = Field(
        description="names of the fields that it supports"
    )
    evidence: Evidence


class Withdrawn(Strict):
    """Why a record no longer counts; records are never deleted."""

    on: date
    reason: Text


Provenances = Annotated[list[Provenance], Field(min_length=1)]


class SourceEvidence(Strict):
    """A kept copy of a source's file."""

    path: Line
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Source(Strict):
    """What is cited, pinned where it can be."""

    id: Slug
    kind: Literal[
        "article", "benchmark-repository", "blog", "chat", "code", "documentation", "forum",
        "issue", "leaderboard", "model-card", "own-work", "package", "pull-request",
        "release-notes", "repository", "social", "specification", "unlocated",
    ]  # fmt: skip
    title: Line
    title_language: Literal[
        "en", "zh", "zh-Hans", "zh-Hant", "ja", "ko", "de", "es", "ru", "fr", "hu"
    ] = "en"
    publisher: Line | None
    url: Url | None
    revision: Sha | None = None
    published_on: date | Month | None = None
    retrieved_on: date
    licence: Line | None = None
    state: Line | None = Field(None, description="open, closed or merged, for issues and PRs")
    evidence: list[SourceEvidence] = []
    note: Text | None = None


class UsableBandwidth(Strict):
    """What programs were seen to read, below the peak."""

    low_gb_per_s: Positive
    high_gb_per_s: Positive


class Hardware(Strict):
    """One machine."""

    id: Slug
    name: Line
    nicknames: list[Line] = []
    developer: Line
    chip: Line
    compute_capability: Line
    bandwidth_gb_per_s: Positive
    usable_bandwidth: UsableBandwidth
    memory_gb: Positive
    usable_memory_bytes: Bytes
    link_gbit_per_s: Positive | None = Field(None, description="between two machines")
    dense_bf16_tflops: Positive | None = None
    summary: Text
    provenance: Provenances


class Engine(Strict):
    """A program that serves models."""

    id: Slug
    name: Line
    nicknames: list[Line] = []
    base: Slug | None = Field(None, description="the engine this one is a fork of")
    url: Url | None
    open_source: bool | None = None
    extra_flags: list[Line] = []
    extra_environment: list[Line] = []
    summary: Text
    provenance: Provenances


class MultiTokenPrediction(Strict):
    """The draft layers that a model brings along."""

    num_layers: Count
    contains: Text
    num_parameters: Count | None = None
    num_tensors: Count | None = None
    published: bool | None = Field(None, description="false where no file carries the weights")


class Computed(Strict):
    """A number that a text needs: a named function over records."""

    function: Name
    over: Literal["against"] | list[Reference] | None = None
    take: Literal["min", "max", "count", "only", "list"] | None = None
    with_: dict[str, Any] = Field({}, alias="with")
    decimals: Count | None = None
    unit: Line | None = None


class Section(Strict):
    """A part of a told story: its heading and its text."""

    anchor: Slug
    title: Text
    text: Text


class Model(Strict):
    """What the maker published."""

    id: Slug
    name: Line
    nicknames: list[Line] = Field([], description="how people write it; lower case")
    developer: Line
    released_on: date | Month | None
    licence: Line | None
    family: Slug = Field(description="names the function that knows its shapes")
    total_parameters_billion: Positive | None
    active_parameters_billion: Positive | None
    context_tokens: Count | None
    architecture: dict[str, Any] = Field(description="names as in config.json")
    counted_parameters: Count | None = Field(
        description="all parameters without MTP, counted by instantiating the class"
    )
    multi_token_prediction: MultiTokenPrediction | None
    unknown: Text | None = Field(None, description="what of the shapes is not known")
    summary: Text
    advice: Text | None = Field(None, description="what to do today")
    story: list[Section] = []
    values: dict[str, Computed] = {}
    provenance: Provenances


class FormatShare(Strict):
    """A part of a module class that is kept in one format."""

    format: Slug
    share: Ratio


class ShippedDraft(Strict):
    """The MTP weights in a checkpoint."""

    shipped: bool | None = Field(description="null: sources disagree or nobody looked")
    format: Slug
    experts_format: Slug | None = None


class Conversion(Strict):
    """How an engine changes the formats while it loads a checkpoint."""

    checkpoint: Slug
    engine: Slug | None
    by: Line = Field(description="the flag, patch or option that does it")


class Checkpoint(Strict):
    """One downloadable set of weight files of a model, or what an engine makes of it at load."""

    id: Slug
    name: Line
    model: Slug
    repository: Repository | None
    revision: Sha | None = None
    conversion: Conversion | None = None
    scenario: bool = Field(False, description="a what-if or an assumption, no fact about a file")
    inferred: bool = Field(False, description="the composition is deduced, not read")
    quantization: Slug
    weight_format: Literal["safetensors", "gguf", "exl3"]
    released_on: date | Month | None = None
    formats: dict[str, str | list[FormatShare]] | None = Field(
        description="module class → format; classes not listed are BF16; null: not known"
    )
    draft_weights: ShippedDraft | None
    weight_bytes: Bytes | None = None
    published_size_gb: Positive | None = None
    published_size_contains_draft: bool | None = None
    text_only: bool = Field(False, description="the files hold no vision tower")
    composition: Text | None = Field(None, description="how the formats are known")
    provenance: Provenances


class Drafter(Strict):
    """A separate draft model for speculative decoding."""

    id: Slug
    name: Line
    repository: Repository | None
    model: Slug = Field(description="the target it drafts for")
    method: Slug
    passes_per_step: Literal["one", "one-per-token"]
    shares_lm_head: bool
    weight_bytes: Bytes
    num_layers: Count | None = None
    note: Text | None = None
    provenance: Provenances


ArgumentValue = bool | int | Decimal | str | None | list[Any] | dict[str, Any]


class EngineRun(Strict):
    """The server as it was started."""

    name: Slug
    version: Version | None
    build: Line | None = None
    image: Line | None = None
    arguments: dict[str, ArgumentValue] = {}
    environment: dict[str, str | int] = {}
    arguments_as_stated: Line | None = None


class Draft(Strict):
    """Speculative decoding as it was used."""

    method: Literal["none", "mtp", "dflash", "dspark", "eagle3", "ngram", "unknown"]
    num_tokens: Count | None = None
    drafter: Line | None = None
    revision: Line | None = None
    as_stated: Line | None = None


class Results(Strict):
    """What the source states; rates are tokens a second."""

    decode_tokens_per_s: Positive | None = None
    end_to_end_tokens_per_s: Positive | None = None
    unspecified_tokens_per_s: Positive | None = None
    aggregate_tokens_per_s: Positive | None = None
    per_request_end_to_end_tokens_per_s: Positive | None = None
    sum_of_request_rates_tokens_per_s: Positive | None = None
    peak_tokens_per_s: Positive | None = None
    prefill_tokens_per_s: Positive | None = None
    mean_ttft_ms: Positive | None = None
    median_ttft_ms: Positive | None = None
    ttft_ms: Positive | None = Field(None, description="mean or median not stated")
    mean_tpot_ms: Positive | None = None
    median_tpot_ms: Positive | None = None
    tpot_ms: Positive | None = None
    p99_ttft_ms: Positive | None = None
    p99_tpot_ms: Positive | None = None
    mean_itl_ms: Positive | None = None
    median_itl_ms: Positive | None = None
    mean_e2el_ms: Positive | None = None
    duration_s: Positive | None = None
    num_prompts: Count | None = None
    completed_requests: Count | None = None
    failed_requests: Count | None = None
    total_input_tokens: Count | None = None
    total_output_tokens: Count | None = None
    ranges: dict[str, Annotated[list[Number], Field(min_length=2, max_length=2)]] = Field(
        {}, description="result field → [lowest, highest], where the source gives a range"
    )


class Point(Strict):
    """One load on one server, and what came out."""

    concurrency: Count | None
    context_tokens: Count | None = Field(None, description="already cached before the prompt")
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    content: Literal[
        "code", "prose", "agent", "math", "chat", "structured", "random", "mixed", "unknown"
    ]  # fmt: skip
    content_as_stated: Line | None = None
    load_as_stated: Line | None = Field(None, description="where concurrency or length is prose")
    acceptance_length: Positive | None = Field(
        None, description="mean tokens per verify step with the bonus token, 1 to num_tokens + 1"
    )
    acceptance_as_stated: Line | None = None
    kv_cache_tokens: Count | None = None
    caveats: list[Slug] = Field([], description="codes that hold for this point only")
    caveat_as_stated: Line | None = None
    results: Results
    note: Text | None = None


class Measurement(Strict):
    """One run: one server configuration of one source, with the points measured on it."""

    id: Slug
    model: Slug
    checkpoint: Slug | None = Field(description="null where no composition is known")
    checkpoint_as_stated: Line | None = None
    hardware: Slug
    num_nodes: Annotated[int, Field(ge=1)]
    parallelism: Line | None = None
    measured_on: date | Month | None
    engine: EngineRun
    draft: Draft
    counting: Literal["usage", "stream-chunks", "unknown"]
    metric: Literal["decode-only", "end-to-end", "server-throughput", "unspecified"]
    metric_as_stated: Line | None = None
    tool: Line | None = None
    caveats: list[Slug] = []
    caveat_as_stated: Line | None = None
    note: Text | None = None
    points: Annotated[list[Point], Field(min_length=1)]
    duplicates: list[Slug] = Field([], description="runs that probably show the same server")
    contradicts: list[Slug] = []
    superseded_by: Slug | None = None
    withdrawn: Withdrawn | None = None
    provenance: Provenances


class RecipeEngine(Strict):
    """The server that a recipe starts."""

    name: Slug
    version: Version
    build: Line | None = None
    image: Line | None = None
    image_seen: bool | None = Field(None, description="a source shows exactly this tag")
    floating_tag_reason: Text | None = None
    arguments: dict[str, ArgumentValue]
    environment: dict[str, str | int] = {}


class StartUp(Strict):
    """How long a start takes until the first answer."""

    low_s: Count
    high_s: Count
    measured: bool


class Recipe(Strict):
    """Something a reader can start: a checkpoint for a purpose."""

    id: Slug
    title: Text
    checkpoint: Slug
    load_as: Slug | None = Field(
        None, description="the checkpoint record of what the engine makes of it at load"
    )
    purpose: Literal["interactive", "agents", "offline"]
    hardware: Slug
    num_nodes: Annotated[int, Field(ge=1)]
    served_name: Line
    engine: RecipeEngine
    model_path: Line | None = Field(None, description="where it is not the repository")
    draft_acceptance_length: Positive | None = None
    planned_concurrency: Annotated[int, Field(ge=1)] = 1
    planned_context_tokens: Count | None = None
    start_up: StartUp | None = None
    reasons: dict[str, Text] = {}
    proof_lines: list[Line] = Field([], description="log lines that show that it runs as meant")
    steps: list[Text] = []
    status: Literal["measured", "reproduced", "reported", "documented", "claimed", "untested"]
    measurements: list[Slug] = []
    pitfalls: list[Slug] = []
    next: list[Slug] = Field([], description="recipes to try after this one")
    summary: Text
    provenance: Provenances


class Component(Strict):
    """A part below or beside the engine, with the versions that are affected."""

    name: Line
    first_version: Line | None = None
    fixed_version: Line | None = None


class Affects(Strict):
    """What a pitfall bites, as data."""

    hardware: list[Slug] = []
    engine: Slug | None = None
    first_version: Version | None = None
    fixed_version: Version | None = None
    versions_as_stated: Line | None = None
    components: list[Component] = []
    models: list[Slug] = []
    checkpoints: list[Slug] = []
    formats: list[Slug] = []
    models_as_stated: list[Line] = []


class Contradiction(Strict):
    """Two sources that do not agree, shown and not hidden."""

    question: Text
    says: Annotated[list[Text], Field(min_length=2)]
    assessment: Text
    sources: list[Slug]


class Pitfall(Strict):
    """What breaks, since when, until when, and what to do; symptom first."""

    id: Slug
    category: Literal[
        "startup", "memory", "container", "driver", "loader", "sm121-bug", "moe-backend",
        "kv-cache", "mtp-apc", "mtp-weights", "perf", "power", "tools", "template", "api",
        "multi-node",
    ]  # fmt: skip
    severity: Literal["blocks-startup", "wrong-output", "unstable", "slow", "note"]
    title: Text
    affects: Affects
    symptom: Text
    error_text: list[Line] = Field([], description="as the program prints it")
    cause: Text
    remedy: Text
    commands: list[Line] = []
    faulty_commands: list[Line] = Field([], description="quoted as a warning, never to copy")
    corrected: Text | None = Field(None, description="what of the sources we put right, and why")
    contradictions: list[Contradiction] = []
    related: list[Reference] = []
    reported_on: date | Month | None = None
    reviewed_on: date
    detect: list[Detection] = []
    provenance: Provenances


class Faq(Strict):
    """A question in the words people use, with a short answer tied to records."""

    id: Slug
    group: Literal["buying", "first-start", "slow", "broken", "agents", "several", "formats"]
    order: Count = 100
    question: Text
    answer: Text
    values: dict[str, Computed] = {}
    related: list[Reference] = []
    reviewed_on: date
    provenance: Provenances


class Quotation(Strict):
    """The words of a source, in its own script."""

    text: Line
    language: Literal["en", "zh-Hans", "zh-Hant"]


class Assertion(Strict):
    """What is asserted: a quantity as printed, in its printed unit."""

    quantity: Name
    value: Number | bool | str | None
    subject: dict[str, Any]
    limit: bool = Field(False, description="asserted as a bound: ceiling, maximum, never")


class Check(Strict):
    """How the assertion is checked: a named pure function and its own inputs."""

    function: Name
    with_: dict[str, Any] = Field({}, alias="with")


class Claim(Strict):
    """What somebody asserts, and what we find when we check it."""

    id: Slug
    title: Text
    source: Slug
    locator: Line
    stated_on: date | Month | None
    quote: Quotation | None = None
    subjects: list[Slug] = Field([], description="topics for the filter of the claims page")
    asserts: Assertion
    check: Check | None
    requires: dict[str, Any] = {}
    against: list[Reference] = []
    superseded_by: list[Reference] = Field([], description="what replaced it, later than its date")
    values: dict[str, Computed] = {}
    verdict: Verdict
    inferred: bool = Field(False, description="the verdict rests on our own inference")
    reason: Text
    disagrees_with: list[Reference] = Field(
        [], description="claims of another source that say something else"
    )
    related: list[Reference] = []
    reviewed_on: date


Explanation = Literal[
    "launch-floor", "one-token-a-step", "plain-speed", "layers-in-16-bit", "layers-in-4-bit"
]


class Cause(Strict):
    """A reason for a number that is off, with the share it would explain."""

    id: Slug
    title: Text
    applies: dict[str, Any] = Field(description="predicate over the inputs of the judgement")
    explains: Explanation | None = Field(
        None, description="share that the ledger computes; the two ratios are then factors of it"
    )
    floor_ms_per_layer: Positive | None = Field(None, description="of `launch-floor`")
    low_ratio: Positive = Field(description="measured over expected that it explains, from")
    high_ratio: Positive = Field(description="… to")
    how_to_check: Text
    commands: list[Line] = []
    related: list[Reference] = []
    provenance: Provenances


class PointReference(Strict):
    """One point of a run."""

    measurement: Slug
    point: Count = 0


class Gain(Strict):
    """A change between two measured points, which the ledger predicts from bytes alone."""

    title: Text
    before: PointReference
    after: PointReference


class Experiment(Strict):
    """What speaks for or against the law that bytes set the ceiling."""

    id: Slug
    order: Count
    side: Literal["for", "against"]
    strength: Literal["strong", "medium", "weak"]
    title: Text
    text: Text
    values: dict[str, Computed] = {}
    gains: list[Gain] = []
    related: list[Reference] = []
    reviewed_on: date
    provenance: Provenances


class WeightFormat(Strict):
    """How a number is kept in a weight file."""

    name: Text
    read_bits: Positive = Field(description="bits read per weight, scales included")
    stored_bits: Positive = Field(description="bits on disk per weight")
    note: Text | None = None


class Term(Strict):
    """A word of the field and how it is written here."""

    term: Text
    aliases: list[Line] = []
    avoid: list[Line] = Field([], description="variants that our own texts do not use")
    explanation: Text
    everyday: bool = Field(False, description="a word that pages need not explain")


class Caveat(Strict):
    """A recurring reservation about a measurement."""

    label: Text
    explanation: Text


class Terms(Strict):
    """Glossary and closed lists with their texts."""

    glossary: dict[str, Term]
    synonyms: list[list[Line]] = Field([], description="what readers call the same, for the search")
    caveats: dict[str, Caveat]


class Exemption(Strict):
    """A signed exception from one rule for one record."""

    rule: Line
    record: Line
    reason: Line
    signed_by: Line
    signed_on: date


class Exemptions(Strict):
    """All exceptions; one that is no longer needed fails the check."""

    exceptions: list[Exemption]


class ImportedRow(Strict):
    """What became of one row of the collected measurements."""

    run: Slug | None = None
    point: Count | None = None
    rejected: Line | None = None


class ImportManifest(Strict):
    """Every collected row, accounted for."""

    rows: dict[str, ImportedRow]


class Formats(RootModel[dict[str, WeightFormat]]):
    """All formats by id."""

    model_config = ConfigDict(strict=True, frozen=True)


KINDS: dict[str, type[BaseModel]] = {
    "sources": Source,
    "hardware": Hardware,
    "engines": Engine,
    "models": Model,
    "checkpoints": Checkpoint,
    "drafters": Drafter,
    "measurements": Measurement,
    "recipes": Recipe,
    "pitfalls": Pitfall,
    "faq": Faq,
    "claims": Claim,
    "causes": Cause,
    "experiments": Experiment,
}
KIND_OF_FIELD = {
    "source": "sources",
    "sources": "sources",
    "hardware": "hardware",
    "engine": "engines",
    "base": "engines",
    "model": "models",
    "models": "models",
    "checkpoint": "checkpoints",
    "checkpoints": "checkpoints",
    "load_as": "checkpoints",
    "measurement": "measurements",
    "measurements": "measurements",
    "pitfall": "pitfalls",
    "pitfalls": "pitfalls",
    "next": "recipes",
}
SINGLE_FILES: dict[str, type[BaseModel]] = {
    "formats": Formats,
    "terms": Terms,
    "exceptions": Exemptions,
    "import": ImportManifest,
}


class EngineTopic(RootModel[dict[str, Any]]):
    """One topic of an engine's command line: releases, flags, environment, choices or logs."""

    model_config = ConfigDict(strict=True, frozen=True)
