"""Runs and points hold together, and the manifest accounts for every collected row."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from macros.arithmetic import states
from macros.findings import Finding, listed, renamed
from macros.library import Library
from macros.loading import Document
from macros.pitfalls import releases
from macros.records import Measurement, Point, Results, Source

PLAIN_VERSION = re.compile(r"[0-9]+(\.[0-9]+)+")
ONE_REQUEST = (
    "decode_tokens_per_s", "end_to_end_tokens_per_s", "per_request_end_to_end_tokens_per_s",
    "unspecified_tokens_per_s",
)  # fmt: skip
ONE_REQUEST_OF_METRIC = {
    "decode-only": ONE_REQUEST[:1],
    "end-to-end": ONE_REQUEST[1:3],
    "server-throughput": ONE_REQUEST[:1],
    "unspecified": ONE_REQUEST[3:],
}


def _points(library: Library) -> Iterator[tuple[Document, Measurement, str, Point]]:
    """Yield every point with its run and its place in the file."""
    for document, run in library.all(Measurement):
        for index, point in enumerate(run.points):
            yield document, run, f"points[{index}]", point


def _filled(results: Results) -> list[str]:
    """Return the names of the results that a point has, alone or as a range."""
    single = [name for name in Results.model_fields if name != "ranges" and getattr(results, name)]
    return single + [name for name in results.ranges if name not in single]


def rate_is_tokens_by_seconds(library: Library) -> Iterator[Finding]:
    """A stated rate is the stated tokens divided by the stated seconds."""
    for document, _, at, point in _points(library):
        results = point.results
        tokens, seconds = results.total_output_tokens, results.duration_s
        name = "aggregate_tokens_per_s"
        if results.aggregate_tokens_per_s is None and point.concurrency == 1:
            name = "end_to_end_tokens_per_s"
        rate = getattr(results, name)
        if None in (tokens, seconds, rate) or states(rate, tokens / float(seconds)):
            continue
        decimals = max(-rate.as_tuple().exponent, 0)
        yield document.finding(
            rule="arithmetic/rate",
            at=f"{at}.results.{name}",
            expected=f"{tokens / float(seconds):.{decimals}f} (= {tokens} / {seconds} s)",
            got=rate,
            fix="copy the value from the source again, or correct the count or the duration",
        )


def requests_add_up(library: Library) -> Iterator[Finding]:
    """Completed and failed requests are together all prompts."""
    for document, _, at, point in _points(library):
        results = point.results
        parts = (results.completed_requests, results.failed_requests)
        if None in (*parts, results.num_prompts) or sum(parts) == results.num_prompts:
            continue
        yield document.finding(
            rule="arithmetic/prompts",
            at=f"{at}.results.num_prompts",
            expected=f"{sum(parts)} (= {parts[0]} completed + {parts[1]} failed)",
            got=results.num_prompts,
            fix="copy the three counts from the source again",
        )


def acceptance_fits_the_draft(library: Library) -> Iterator[Finding]:
    """An acceptance length lies between 1 and one more than the drafted tokens."""
    for document, run, at, point in _points(library):
        length, drafted = point.acceptance_length, run.draft.num_tokens
        if length is None or (length >= 1 and (drafted is None or length <= drafted + 1)):
            continue
        most = "no limit" if drafted is None else drafted + 1
        yield document.finding(
            rule="measurements/acceptance-length",
            at=f"{at}.acceptance_length",
            expected=f"1 to {most} tokens a step, with {drafted or 'unknown'} drafted",
            got=length,
            fix="state the mean tokens per verify step, not a rate; or correct `draft.num_tokens`",
        )


def no_draft_drafts_nothing(library: Library) -> Iterator[Finding]:
    """A run without draft names no drafted tokens, no drafter and no acceptance."""
    for document, run in library.all(Measurement):
        if run.draft.method != "none":
            continue
        places = {
            "draft.num_tokens": run.draft.num_tokens,
            "draft.drafter": run.draft.drafter,
            "draft.revision": run.draft.revision,
        }
        for index, point in enumerate(run.points):
            places[f"points[{index}].acceptance_length"] = point.acceptance_length
        for at, value in places.items():
            if value:
                yield document.finding(
                    rule="measurements/draft",
                    at=at,
                    expected="nothing, because `draft.method` is none",
                    got=value,
                    fix="name the method of the draft, or delete this",
                )


def metric_decides_the_field(library: Library) -> Iterator[Finding]:
    """The rate of one request stands in the field that `metric` names."""
    for document, run, at, point in _points(library):
        allowed = ONE_REQUEST_OF_METRIC[run.metric]
        for name in _filled(point.results):
            if name in ONE_REQUEST and name not in allowed:
                ranged = getattr(point.results, name) is None
                yield document.finding(
                    rule="measurements/metric",
                    at=f"{at}.results.{'ranges.' if ranged else ''}{name}",
                    expected=f"{' or '.join(allowed)}, because `metric` is {run.metric}",
                    got=name,
                    fix="read in the source what the figure is; move it, or correct `metric`",
                )


def point_has_a_result(library: Library) -> Iterator[Finding]:
    """Every point states at least one result."""
    for document, _, at, point in _points(library):
        if not _filled(point.results):
            yield document.finding(
                rule="measurements/no-result",
                at=f"{at}.results",
                expected="a rate or a time, alone or under `ranges`",
                got="none",
                fix="add what the source states, or delete the point",
            )


def range_is_of_a_result(library: Library) -> Iterator[Finding]:
    """A range belongs to a result and goes from low to high."""
    for document, _, at, point in _points(library):
        for name, (low, high) in point.results.ranges.items():
            if name not in Results.model_fields or name == "ranges":
                yield document.finding(
                    rule="measurements/range",
                    at=f"{at}.results.ranges.{name}",
                    expected="the name of a result",
                    got=name,
                    fix=renamed(name, Results.model_fields, "use the name of a result"),
                )
            elif low > high:
                yield document.finding(
                    rule="measurements/range",
                    at=f"{at}.results.ranges.{name}",
                    expected="the lower value first",
                    got=f"[{low}, {high}]",
                    fix=f"write [{high}, {low}]",
                )


def run_is_not_later_than_its_source(library: Library) -> Iterator[Finding]:
    """A run was measured before one of its sources was retrieved."""
    for document, run in library.all(Measurement):
        sources = [library.find(Source, each.source) for each in run.provenance]
        retrieved = [str(source.retrieved_on) for source in sources if source]
        measured = str(run.measured_on)
        if run.measured_on is None or not retrieved:
            continue
        if measured > max(retrieved)[: len(measured)]:
            yield document.finding(
                rule="measurements/date",
                at="measured_on",
                expected=f"a date up to {max(retrieved)}, when its source was read",
                got=measured,
                fix="correct the date, or `retrieved_on` of the source",
            )


def version_is_a_release(library: Library) -> Iterator[Finding]:
    """A plain version of vLLM, without a suffix of a build, is a release on record."""
    known = releases(library)
    for document, run in library.all(Measurement):
        version = run.engine.version or ""
        plain = run.engine.name == "vllm" and PLAIN_VERSION.fullmatch(version)
        if plain and known and version not in known:
            near = get_close_matches(version, known, n=1)
            yield document.finding(
                rule="measurements/unknown-release", at="engine.version",
                expected=f"a release of vLLM on record: {listed(known, version)}", got=version,
                fix=(f"write \"{near[0]}\", or " if near else "")
                + f"if it came out, run: python -m macros import-flags vllm {version}",
            )  # fmt: skip


def chunk_counts_are_marked(library: Library) -> Iterator[Finding]:
    """A tool that counts stream chunks under a draft is named as a caveat, and only then."""
    for document, run in library.all(Measurement):
        chunks = run.counting == "stream-chunks" and run.draft.method not in ("none", "unknown")
        marked = "stream-chunks" in run.caveats
        if chunks != marked:
            yield document.finding(
                rule="measurements/stream-chunks",
                at="caveats",
                expected=f"{'stream-chunks' if chunks else 'no stream-chunks'}, because "
                f"`counting` is {run.counting} and `draft.method` is {run.draft.method}",
                got=", ".join(run.caveats) or "none",
                fix="add the caveat" if chunks else "delete the caveat, or correct `counting`",
            )


def linked_runs_exist(library: Library) -> Iterator[Finding]:
    """Linked runs exist, are other runs, and link back."""
    for document, run in library.all(Measurement):
        for field in ("duplicates", "contradicts"):
            for index, other_id in enumerate(getattr(run, field)):
                other = library.find(Measurement, other_id)
                back = other is not None and run.id in getattr(other, field)
                if back and other_id != run.id:
                    continue
                yield _bad_link(library, document, f"{field}[{index}]", field, other_id)
        if run.superseded_by and not library.find(Measurement, run.superseded_by):
            yield _bad_link(library, document, "superseded_by", None, run.superseded_by)


def _bad_link(
    library: Library, document: Document, at: str, field: str | None, got: str
) -> Finding:
    known = library.find(Measurement, got) is not None
    return document.finding(
        rule="measurements/link",
        at=at,
        expected=f"another run that has this one under `{field}`" if field else "another run",
        got=got,
        fix=f"add this run under `{field}` of {got}"
        if known
        else renamed(got, library.kinds["measurements"], "name an existing run"),
    )


def caveats_are_known(library: Library) -> Iterator[Finding]:
    """Every caveat code has a text in terms.yaml."""
    if "terms" not in library.singles:
        return
    known = library.single("terms").caveats
    for document, run in library.all(Measurement):
        yield from _unknown_caveats(document, "caveats", run.caveats, known)
        for index, point in enumerate(run.points):
            yield from _unknown_caveats(document, f"points[{index}].caveats", point.caveats, known)


def _unknown_caveats(
    document: Document, at: str, codes: Iterable[str], known: dict
) -> Iterator[Finding]:
    for index, code in enumerate(codes):
        if code not in known:
            near = get_close_matches(code, known, n=1)
            yield document.finding(
                rule="measurements/caveat",
                at=f"{at}[{index}]",
                expected="a code under `caveats` in data/terms.yaml",
                got=code,
                fix=f"write `{near[0]}`" if near else "add it there with both texts",
            )


def manifest_leads_to_points(library: Library) -> Iterator[Finding]:
    """Every row of the manifest is a point of a run, or is rejected with a reason."""
    if "import" not in library.singles:
        return
    document = library.singles["import"].document
    for row_id, row in library.single("import").rows.items():
        run = library.find(Measurement, row.run)
        placed = row.run is not None and row.point is not None
        if placed == (row.rejected is not None):
            yield document.finding(
                rule="import/decision",
                at=f"rows.{row_id}",
                expected="either `run` and `point`, or `rejected` with a reason",
                got=", ".join(document.data["rows"][row_id]) or "nothing",
                fix="decide what became of this row",
            )
        elif placed and (run is None or row.point >= len(run.points)):
            yield document.finding(
                rule="import/unknown-point",
                at=f"rows.{row_id}",
                expected=f"a point from 0 to {len(run.points) - 1}" if run else "an existing run",
                got=f"{row.run}, point {row.point}",
                fix="correct the number of the point"
                if run
                else renamed(
                    row.run, library.kinds["measurements"], "add the run, or reject the row"
                ),
            )


def listed_run_is_listed_whole(library: Library) -> Iterator[Finding]:
    """Every point of a run that the manifest names came from one of its rows."""
    if "import" not in library.singles:
        return
    rows = library.single("import").rows.values()
    placed = {(row.run, row.point) for row in rows}
    listed = {row.run for row in rows}
    for document, run in library.all(Measurement):
        for index in range(len(run.points)):
            if run.id in listed and (run.id, index) not in placed:
                yield document.finding(
                    rule="import/unlisted-point",
                    at=f"points[{index}]",
                    expected="a row in data/import.yaml that leads here, as for its other points",
                    got="none",
                    fix="add the row, or move the point to a run of its own",
                )
