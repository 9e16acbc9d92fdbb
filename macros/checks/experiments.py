"""The steps of an experiment lead to points that state a speed."""

from collections.abc import Iterator

from macros.findings import Finding
from macros.functions import SPEED_FIELDS, highest
from macros.library import Library
from macros.records import Experiment, Measurement


def gain_leads_to_speeds(library: Library) -> Iterator[Finding]:
    """Both ends of a gain are points of a run that state the speed of one request."""
    for document, experiment in library.all(Experiment):
        for index, gain in enumerate(experiment.gains):
            for end in ("before", "after"):
                place = getattr(gain, end)
                run = library.find(Measurement, place.measurement)
                if run is None:
                    continue  # a reference that leads nowhere is found elsewhere
                last = len(run.points) - 1
                stated = place.point <= last and any(
                    highest(run.points[place.point].results, name) for name in SPEED_FIELDS
                )
                if not stated:
                    yield document.finding(
                        rule="experiments/point",
                        at=f"gains[{index}].{end}.point",
                        expected=f"a point from 0 to {last} with the speed of one request",
                        got=place.point,
                        fix="correct the number of the point, or name another run",
                    )
