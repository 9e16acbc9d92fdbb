"""Shapes, compositions and sizes agree with what is published."""

from collections.abc import Collection, Iterator

from macros.compositions import composition_of, has_composition
from macros.faults import spelled
from macros.findings import Finding, listed, renamed
from macros.ledger import disk_bytes, model_shapes
from macros.library import Library
from macros.loading import Document
from macros.records import Checkpoint, Model
from macros.shapes import FAMILIES

COUNT_TOLERANCE = 1e-5
SIZE_TOLERANCE = 0.005
GROUPS = {"attn", "gdn", "mamba", "shared", "kda", "mla", "mtp", "draft_lm_head", "latent"}


def family_knows_its_shapes(library: Library) -> Iterator[Finding]:
    """A model's family is known, and its configuration holds every field that the family needs."""
    for document, model in library.all(Model):
        if model.family not in FAMILIES:
            yield document.finding(
                rule="models/family", at="family",
                expected=f"one of {listed(sorted(FAMILIES), model.family)}",
                got=model.family, fix=renamed(model.family, FAMILIES, "write its shapes"),
            )  # fmt: skip
            continue
        try:
            shapes = model_shapes(model)
            1.0 * shapes.total_params + shapes.active_params(with_embedding=True)
        except KeyError as error:
            yield document.finding(
                rule="models/architecture", at="architecture",
                expected=f"every config.json field that {model.family} needs",
                got=f"no usable {error}", fix="add the field from config.json",
            )  # fmt: skip
        except TypeError as error:
            odd = [
                f"{name}: {spelled(value)}"
                for name, value in model.architecture.items()
                if not isinstance(value, (int, list))
            ]
            yield document.finding(
                rule="models/architecture", at="architecture",
                expected="whole numbers without quotes, as in config.json",
                got=listed(odd) or str(error), fix="compare these with config.json",
            )  # fmt: skip


def counted_parameters_follow_from_shapes(library: Library) -> Iterator[Finding]:
    """The parameters computed from the shapes are the counted ones, to one in 100,000."""
    for document, model in library.all(Model):
        if model.family not in FAMILIES or model.counted_parameters is None:
            continue
        try:
            computed = model_shapes(model).total_params
        except (KeyError, TypeError):
            continue
        if abs(computed / model.counted_parameters - 1) > COUNT_TOLERANCE:
            yield document.finding(
                rule="models/counted-parameters", at="counted_parameters",
                expected=f"{computed} (computed from `architecture`)",
                got=model.counted_parameters,
                fix="compare `architecture` with config.json, or count again",
            )  # fmt: skip


def formats_exist(library: Library) -> Iterator[Finding]:
    """A checkpoint keeps known modules of its model in known formats, and shares sum to one."""
    formats = library.single("formats").root
    for document, checkpoint in library.all(Checkpoint):
        for name in ("format", "experts_format") if checkpoint.draft_weights else ():
            kept = getattr(checkpoint.draft_weights, name)
            if kept is not None and kept not in formats:
                yield _unknown_format(document, f"draft_weights.{name}", kept, formats)
        model = library.find(Model, checkpoint.model)
        if checkpoint.formats is None or model is None or model.family not in FAMILIES:
            continue
        try:
            names = {module.name for module in model_shapes(model).modules}
        except (KeyError, TypeError):
            continue
        known = names | {name.split("_")[0] for name in names} | GROUPS
        for name, kept in checkpoint.formats.items():
            at = f"formats.{name}"
            if name not in known:
                yield document.finding(
                    rule="checkpoints/unknown-module", at=at,
                    expected=f"a module of {model.id}: {listed(sorted(known), name)}", got=name,
                    fix=renamed(name, known, "delete it"),
                )  # fmt: skip
            parts = [kept] if isinstance(kept, str) else [part.format for part in kept]
            for part in parts:
                if part not in formats:
                    yield _unknown_format(document, at, part, formats)
            if not isinstance(kept, str) and sum(part.share for part in kept) != 1:
                yield document.finding(
                    rule="checkpoints/shares", at=at, expected="shares that sum to 1",
                    got=sum(part.share for part in kept), fix="correct the shares",
                )  # fmt: skip


def _unknown_format(document: Document, at: str, got: str, formats: Collection[str]) -> Finding:
    return document.finding(
        rule="checkpoints/unknown-format", at=at,
        expected=f"one of {listed(sorted(formats), got)}", got=got,
        fix=renamed(got, formats, "add it to data/formats.yaml"),
    )  # fmt: skip


def size_follows_from_formats(library: Library) -> Iterator[Finding]:
    """The predicted size of the weight files is the published one, to half a percent.

    Where it is not known whether MTP weights are included, either prediction will do.
    """
    for document, checkpoint in library.all(Checkpoint):
        published = checkpoint.weight_bytes or (
            float(checkpoint.published_size_gb) * 1e9 if checkpoint.published_size_gb else None
        )
        if published is None or not has_composition(library, checkpoint.id):
            continue
        composition = composition_of(library, checkpoint.id)
        drafts = checkpoint.draft_weights
        choices = [False] if drafts is None else [True] if drafts.shipped else [True, False]
        predicted = [
            disk_bytes(composition, draft=draft, text_only=checkpoint.text_only)
            for draft in choices
        ]
        if min(abs(each / published - 1) for each in predicted) > SIZE_TOLERANCE:
            shown = " or ".join(f"{round(each):,}" for each in predicted)
            yield document.finding(
                rule="checkpoints/size",
                at="weight_bytes" if checkpoint.weight_bytes else "published_size_gb",
                expected=f"{shown} bytes (predicted from `formats`), to half a percent",
                got=f"{round(published):,} bytes",
                fix="correct `formats` or `draft_weights`, or sign an exception with the reason",
            )  # fmt: skip
