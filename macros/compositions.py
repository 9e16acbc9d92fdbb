"""The ledger of the records: compositions by checkpoint, and answers for ids instead of objects."""

from macros import ledger
from macros.ledger import Composition, LedgerError, Load
from macros.library import Library
from macros.records import Checkpoint, Drafter, Hardware, Model
from macros.shapes import FAMILIES

HARDWARE = "dgx-spark"
PLAIN = Load()


class UnknownComposition(LedgerError):
    """The formats of a checkpoint or the shapes of its model are not known."""


def composition_of(library: Library, checkpoint_id: str) -> Composition:
    """Return the composition of a checkpoint; UnknownComposition where it cannot be known."""
    return library.remember(
        ("composition", checkpoint_id), lambda: _composed(library, checkpoint_id)
    )


def _composed(library: Library, checkpoint_id: str) -> Composition:
    checkpoint = library.get(Checkpoint, checkpoint_id)
    model = library.get(Model, checkpoint.model)
    if checkpoint.formats is None:
        raise UnknownComposition(f"the formats of {checkpoint_id} are not known")
    if model.family not in FAMILIES:
        raise UnknownComposition(f"the shapes of {model.id} are not known")
    return ledger.compose(checkpoint, model, library.single("formats").root)


def has_composition(library: Library, checkpoint_id: str | None) -> bool:
    """Tell whether the ledger can answer for a checkpoint."""
    if checkpoint_id is None or library.find(Checkpoint, checkpoint_id) is None:
        return False
    try:
        composition_of(library, checkpoint_id)
    except UnknownComposition:
        return False
    return True


def drafter_of(library: Library, model_id: str, method: str) -> Drafter | None:
    """Return the drafter on record for a model and a method."""
    for drafter in library.records(Drafter):
        if drafter.model == model_id and drafter.method == method:
            return drafter
    return None


def ceiling_of(
    library: Library, checkpoint_id: str, load: Load = PLAIN, hardware_id: str = HARDWARE
) -> ledger.Ceiling:
    """Return the ceiling of a checkpoint on a machine; LedgerError where there is no answer."""
    composition = composition_of(library, checkpoint_id)
    hardware = library.get(Hardware, hardware_id)
    drafter = drafter_of(library, composition.model, load.draft) if load.draft != "none" else None
    return ledger.ceiling(
        composition, load, bandwidth_gb_per_s=float(hardware.bandwidth_gb_per_s), drafter=drafter
    )  # fmt: skip
