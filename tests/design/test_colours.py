"""The colours can be read and told apart: in both schemes, and by eyes that lack a kind of cone."""

import re
from itertools import combinations
from pathlib import Path

import pytest

from macros.rendering.bars import MODULES, TRAFFIC_MODULES

STYLE = (Path(__file__).resolve().parents[2] / "docs/assets/css/ledger.css").read_text("utf-8")
SCHEMES = {"default": ":root,\n[data-md-color-scheme]", "slate": '[data-md-color-scheme="slate"]'}
GROUNDS = ("paper", "paper-sunken", "paper-raised")
INKS = ("ink", "ink-soft", "ink-faint", "accent", "good", "mixed", "moved", "bad", "open")
SOLID_MODULES = tuple(name for name in MODULES if name not in TRAFFIC_MODULES)

# How eyes without one kind of cone see linear RGB (Machado, Oliveira and Fernandes, 2009).
VISION = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
# Distance in OKLab: 0.02 is just seen side by side; legends and bars need several times that.
SMALLEST_DISTANCE = 0.1


def colours(scheme):
    """Return the colour variables of a scheme."""
    block = re.search(rf"{re.escape(SCHEMES[scheme])} {{(.*?)}}", STYLE, re.DOTALL)[1]
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))


def linear(colour):
    """Return the linear RGB of a colour such as #1b2025."""
    channels = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def contrast(one, other):
    """Return the contrast of two colours as WCAG defines it, 1 to 21."""
    weights = (0.2126, 0.7152, 0.0722)
    light, dark = sorted(
        (sum(w * c for w, c in zip(weights, linear(x), strict=True)) for x in (one, other)),
        reverse=True,
    )
    return (light + 0.05) / (dark + 0.05)


def seen(colour, vision):
    """Return a colour in OKLab as one kind of vision sees it."""
    rgb = linear(colour)
    seen_rgb = [
        min(max(sum(m * c for m, c in zip(row, rgb, strict=True)), 0), 1) for row in VISION[vision]
    ]
    to_cones = (
        (0.4122214708, 0.5363325363, 0.0514459929),
        (0.2119034982, 0.6806995451, 0.1073969566),
        (0.0883024619, 0.2817188376, 0.6299787005),
    )
    cones = [sum(m * c for m, c in zip(r, seen_rgb, strict=True)) ** (1 / 3) for r in to_cones]
    to_lab = (
        (0.2104542553, 0.7936177850, -0.0040720468),
        (1.9779984951, -2.4285922050, 0.4505937099),
        (0.0259040371, 0.7827717662, -0.8086757660),
    )
    return [sum(m * c for m, c in zip(row, cones, strict=True)) for row in to_lab]


def distance(one, other, vision):
    """Return how different two colours look."""
    pairs = zip(seen(one, vision), seen(other, vision), strict=True)
    return sum((a - b) ** 2 for a, b in pairs) ** 0.5


def variable(name):
    return name.replace("_", "-")


def test_the_measures_are_right():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert distance("#000000", "#ffffff", "usual") == pytest.approx(1, abs=0.001)
    assert distance("#ff0000", "#00ff00", "deuteranopia") < distance("#ff0000", "#00ff00", "usual")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("ink", INKS)
def test_text_can_be_read_on_every_ground(scheme, ground, ink):
    found = colours(scheme)
    assert contrast(found[ink], found[ground]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_on_the_accent_and_edges_of_fields_can_be_seen(scheme):
    found = colours(scheme)
    assert contrast(found["on-accent"], found["accent"]) >= 4.5
    assert contrast(found["rule-strong"], found["paper"]) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("module", SOLID_MODULES)
def test_the_name_in_a_segment_can_be_read(scheme, module):
    found = colours(scheme)
    name = variable(module)
    assert contrast(found[f"on-module-{name}"], found[f"module-{name}"]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("module", MODULES)
def test_a_segment_stands_out_from_the_paper_and_its_gaps(scheme, module):
    found = colours(scheme)
    assert contrast(found[f"module-{variable(module)}"], found["paper"]) >= 3


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("pair", list(combinations(SOLID_MODULES, 2)), ids="-".join)
def test_any_two_modules_that_may_meet_can_be_told_apart(scheme, vision, pair):
    found = colours(scheme)
    one, other = (found[f"module-{variable(name)}"] for name in pair)
    assert distance(one, other, vision) >= SMALLEST_DISTANCE


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_a_request_brings_along_is_hatched_in_its_own_direction(scheme):
    sheet = (Path(__file__).resolve().parents[2] / "docs/assets/css/components.css").read_text()
    angles = [
        re.search(rf"module--{variable(name)} {{ --fill: repeating-linear-gradient\((\w+),", sheet)[
            1
        ]
        for name in TRAFFIC_MODULES
    ]
    assert len(set(angles)) == len(TRAFFIC_MODULES)
    found = colours(scheme)
    for name in TRAFFIC_MODULES:
        assert contrast(found[f"module-{variable(name)}"], found["hatch"]) >= 3
