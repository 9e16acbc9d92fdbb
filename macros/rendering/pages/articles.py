"""What the pages about the two articles call: computed numbers, the ladder, the disagreements."""

from collections.abc import Callable

from macros.compositions import ceiling_of
from macros.functions import call
from macros.law import load_of
from macros.ledger import Ceiling, LedgerError, Load
from macros.library import Library
from macros.records import Checkpoint, Claim, Measurement
from macros.rendering.bars import byte_bar, share_bar
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import gigabytes, rounded
from macros.rendering.pages.claims import badges
from macros.rendering.parts import plain_ceiling, record_link, segments
from macros.rendering.runs import draft_words, share_of_ceiling, speed_of_point
from macros.rendering.tables import Column, data_table

T = {
    "step": {"en": "Configuration", "zh": "配置"},
    "drafts": {"en": "Drafts", "zh": "草稿"},
    "read": {"en": "Read per step", "zh": "每步读取"},
    "ceiling": {"en": "Ceiling", "zh": "上限"},
    "measured": {"en": "Measured", "zh": "实测"},
    "share": {"en": "Share", "zh": "占上限"},
    "gain": {"en": "Step gain", "zh": "单步提升"},
    "ladder": {"en": "What each step changed in bytes", "zh": "每一步在字节上改变了什么"},
    "topic": {"en": "Question", "zh": "问题"},
    "first": {"en": "122B article", "zh": "122B 文章"},
    "second": {"en": "Builder Daily", "zh": "Builder Daily"},
    "disagree": {"en": "Where the two articles disagree", "zh": "两篇文章相互矛盾之处"},
}  # fmt: skip


def _t(key: str, language: str) -> str:
    return T[key]["en" if language == "en" else "zh"]


def ladder(library: Library, language: str, *runs: str) -> Html:
    """Return runs as steps: bytes, ceiling, measured speed, share and the gain over the last."""
    rows, last = [], None
    for run_id in runs:
        run = library.get(Measurement, run_id)
        point = run.points[0]
        speed = speed_of_point(point)
        if speed is None:
            raise ValueError(f"{run_id} states no speed")
        load = load_of(run, point)
        answer = _known_ceiling(library, run, load)
        share = share_of_ceiling(library, run, point)
        gain = None if last is None else 100 * (float(speed.value) / last - 1)
        last = float(speed.value)
        rows.append(
            (
                record_link(library, f"checkpoints/{run.checkpoint}", language),
                draft_words(run.draft.method, run.draft.num_tokens, language),
                gigabytes(round(answer.bytes_per_step), unit=False) if answer else None,
                rounded(answer.ceiling_tokens_per_s, decimals=1) if answer else None,
                element("a", str(speed.value), href=f"/benchmarks/#{run.id}"),
                share_bar(share, language=language) if share is not None else None,
                None if gain is None else f"{'+' if gain >= 0 else ''}{rounded(gain, decimals=1)}",
            )
        )
    return data_table(
        columns=[
            Column(_t("step", language)), Column(_t("drafts", language)),
            Column(_t("read", language), "GB", number=True),
            Column(_t("ceiling", language), "tok/s", number=True),
            Column(_t("measured", language), "tok/s", number=True), Column(_t("share", language)),
            Column(_t("gain", language), "%", number=True),
        ],
        rows=rows, caption=_t("ladder", language), language=language,
    )  # fmt: skip


def _known_ceiling(library: Library, run: Measurement, load: Load | None) -> Ceiling | None:
    """Return the ceiling of a run's load; None where load or drafter is not known."""
    try:
        return ceiling_of(library, run.checkpoint or "", load) if load else None
    except LedgerError:
        return None


def disagreements(library: Library, language: str, *topics: tuple[str, str, str]) -> Html:
    """Return questions on which the articles differ: (question, first claim, second claim)."""

    def cell(claim_id: str) -> Html:
        claim = library.get(Claim, claim_id)
        return join(
            record_link(library, f"claims/{claim_id}", language), badges(claim, language),
            separator=" ",
        )  # fmt: skip

    return data_table(
        columns=[Column(_t("topic", language)), Column(_t("first", language)),
                 Column(_t("second", language))],
        rows=[(topic, cell(first), cell(second)) for topic, first, second in topics],
        caption=_t("disagree", language), language=language,
    )  # fmt: skip


def road(library: Library, language: str, checkpoint_id: str) -> Html:
    """Return the byte bar of a checkpoint: the road by bytes."""
    checkpoint = library.get(Checkpoint, checkpoint_id)
    answer = plain_ceiling(library, checkpoint)
    if answer is None:
        raise ValueError(f"{checkpoint_id} has no known composition")
    parts = segments(answer.step)
    return byte_bar(
        segments=parts, scale_bytes=sum(amount for _, amount in parts), label=checkpoint.name,
        language=language,
    )  # fmt: skip


def macros(library: Library, language: str) -> dict[str, Callable[..., str]]:
    """Return numbers, ladder, disagreements and the road for pages of prose."""

    def number(function: str, decimals: int = 1, **inputs: object) -> str:
        value = call(library, function, inputs)
        return str(value) if isinstance(value, str) else rounded(float(value), decimals=decimals)

    return {
        "number": number,
        "ladder": lambda *runs: ladder(library, language, *runs),
        "disagreements": lambda *topics: disagreements(library, language, *topics),
        "road": lambda checkpoint: road(library, language, checkpoint),
    }
