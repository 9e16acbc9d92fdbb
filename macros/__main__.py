"""The command line: python -m macros check | fix | new | ceiling | …"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from pathlib import Path

from macros import checks, memory
from macros.checks import parity
from macros.compositions import ceiling_of, composition_of, drafter_of
from macros.findings import MOST_OF_ONE_RULE, listed, report
from macros.importing import ResultsError, import_results
from macros.judge import judge, possible_load, with_typical_acceptance
from macros.law import expected_tokens_per_s, law_for
from macros.ledger import KV_BITS, LedgerError, Load
from macros.library import Library, class_for, load
from macros.loading import load_file, load_text
from macros.records import KINDS, Cause, Checkpoint, Engine, Hardware
from macros.schema import SINGULAR, schemas, template
from macros.style import tidy, write_whole

ROOT = Path(__file__).resolve().parent.parent
OK, FINDINGS, BAD_INPUT = 0, 1, 2
LARGEST = 10**12
RUNS = "data/measurements/"
SMALLEST_SPEED = Decimal("0.000001")


class BadInput(Exception):
    """What the user asked for makes no sense; the message is one line."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line and exit code 2."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise BadInput(message)

    def _check_value(self, action: argparse.Action, value: str) -> None:
        if action.dest == "command" and value not in (action.choices or ()):
            raise nearest(value, list(action.choices or ()), "command")
        super()._check_value(action, value)


def healthy_library() -> Library:
    """Return the library without unfinished runs; BadInput with the findings of other faults."""
    library, findings = load(ROOT)
    if any(not each.path.startswith(RUNS) for each in findings):
        raise BadInput(report(findings, num_records=library.num_records))
    for path in sorted({each.path for each in findings}):
        print(f"warning: {path} is unfinished and left out; see: check", file=sys.stderr)
    return library


def nearest(name: str, known: list[str], what: str, *, every: bool = False) -> BadInput:
    """Return the error for an unknown name, with those that hold it, else the nearest or all."""
    by_folded = {each.casefold(): each for each in known}
    wanted = name.casefold()
    near = [each for each in by_folded if len(wanted) > 3 and wanted in each][:3]
    near = near or get_close_matches(wanted, by_folded, n=3, cutoff=0.5)
    hints = []
    if near:
        hints.append(f"did you mean {' or '.join(by_folded[each] for each in near)}?")
    if every or not near:
        hints.append(f"known are {', '.join(known) if every else listed(known, name)}")
    return BadInput(f"unknown {what} '{name}'; {' '.join(hints)}")


def find_checkpoint(library: Library, name: str) -> Checkpoint:
    """Return a checkpoint by record id, repository or its address, in any letter case."""
    name = re.sub(r"^(https?://)?(www\.)?(huggingface\.co|hf\.co)/", "", name.strip(), flags=re.I)
    name = re.sub(r"/(tree|blob|resolve|discussions)(/.*)?$|[?#].*$", "", name).rstrip("/")
    wanted = name.casefold()
    matches = []
    for checkpoint in library.records(Checkpoint):
        if checkpoint.id == wanted:
            return checkpoint
        if checkpoint.repository and checkpoint.repository.casefold() == wanted:
            matches.append(checkpoint)
    if matches:
        return min(matches, key=lambda each: (len(each.id), each.id))
    known = [each.repository for each in library.records(Checkpoint) if each.repository]
    known += [each.id for each in library.records(Checkpoint)]
    raise nearest(name, known, "checkpoint")


def at_least(lowest: float, kind: type) -> Callable[[str], float]:
    """Return a converter for numbers of a kind, from a lowest value to `LARGEST`."""

    def convert(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            word = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text!r} is not {word}") from None
        if not lowest <= value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} must be {lowest} or more")
        if value > LARGEST:
            raise argparse.ArgumentTypeError(f"{text} must be {LARGEST} or less")
        return value

    return convert


def add_load_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a load."""
    parser.add_argument("checkpoint", help="record id or Hugging Face repository")
    parser.add_argument(
        "--hardware", default="dgx-spark", metavar="ID", help="the machine, default %(default)s"
    )
    numbers = (
        ("--context-tokens", at_least(0, int), 0, "tokens already in the KV cache"),
        ("--concurrency", at_least(1, int), 1, "requests at once"),
        ("--draft-tokens", at_least(0, int), None, "tokens drafted in a step"),
        ("--acceptance-length", at_least(1, float), None, "tokens that a step yields on average"),
        ("--nodes", at_least(1, int), 1, "machines that share the model"),
    )
    for name, kind, default, meaning in numbers:
        if default is not None:
            meaning += ", default %(default)s"
        parser.add_argument(name, type=kind, default=default, metavar="N", help=meaning)
    parser.add_argument(
        "--kv-format",
        choices=list(KV_BITS),
        default="bf16",
        help="format of the KV cache, default %(default)s",
    )
    parser.add_argument(
        "--draft",
        choices=["none", "mtp", "dflash"],
        default="none",
        help="how tokens are drafted, default %(default)s",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def load_from(options: argparse.Namespace) -> Load:
    """Return the load of the options.

    Without `--draft-tokens` a draft has one token; without `--acceptance-length` every draft
    token is accepted, so that the ceiling stays a bound.
    """
    drafted = options.draft != "none"
    tokens = options.draft_tokens if options.draft_tokens is not None else int(drafted)
    length = options.acceptance_length
    if length is None:
        length = tokens + 1 if drafted else 1
    return Load(
        options.context_tokens, options.concurrency, options.kv_format, options.draft, tokens,
        float(length), options.nodes,
    )  # fmt: skip


def hardware_of(library: Library, name: str) -> Hardware:
    """Return a hardware record by id or nickname."""
    for hardware in library.records(Hardware):
        if name.casefold() in (hardware.id, *hardware.nicknames):
            return hardware
    raise nearest(name, list(library.kinds["hardware"]), "hardware")


def command_check(options: argparse.Namespace) -> int:
    """Run every rule over the data; with files, show only what is found in them."""
    library, faults = load(ROOT)
    findings = faults or checks.run(library)
    here = [from_root(file) for file in options.files]
    if missing := [path for path in here if not (ROOT / path).exists()]:
        raise BadInput(f"there is no {missing[0]}")
    shown = [
        each
        for each in findings
        if not here or any(f"{each.path}/".startswith(f"{path}/") for path in here)
    ]
    most = len(shown) if options.all else MOST_OF_ONE_RULE
    if shown or not findings:
        print(report(shown, num_records=library.num_records, most_of_one_rule=most))
    if num_others := len(findings) - len(shown):
        later = "; the rules run once these are corrected" if faults else ""
        print(f"{num_others} {'more' if shown else 'found'} in other files{later}")
    return FINDINGS if shown else OK


def command_ceiling(options: argparse.Namespace) -> int:
    """Print the bytes of a step by module and the ceiling."""
    library = healthy_library()
    checkpoint = find_checkpoint(library, options.checkpoint)
    hardware = hardware_of(library, options.hardware)
    load_ = load_from(options)
    answer = ceiling_of(library, checkpoint.id, load_, hardware.id)
    law = law_for(library, "vllm")
    composition = composition_of(library, checkpoint.id)
    stated = options.acceptance_length is not None
    assumed = load_ if stated else with_typical_acceptance(library, load_)
    expected = expected_tokens_per_s(law, composition, answer, assumed) if law else None
    result = {
        "checkpoint": checkpoint.id,
        "hardware": hardware.id,
        "bandwidth_gb_per_s": float(hardware.bandwidth_gb_per_s),
        "context_tokens": load_.context_tokens,
        "concurrency": load_.concurrency,
        "kv_format": load_.kv_format,
        "draft": load_.draft,
        "draft_tokens": load_.draft_tokens,
        "acceptance_length": load_.acceptance_length,
        "nodes": load_.nodes,
        "modules": [
            {
                "module": module.module,
                "format": module.format,
                "params": module.params,
                "bytes_per_step": round(module.bytes_per_step),
            }
            for module in answer.step.modules
        ],
        "weight_bytes_per_step": round(answer.step.weight_bytes),
        "state_bytes_per_step": round(answer.step.state_bytes),
        "kv_bytes_per_step": None if answer.step.kv_bytes is None else round(answer.step.kv_bytes),
        "bytes_per_step_min": round(answer.bytes_per_step_min),
        "bytes_per_step": round(answer.bytes_per_step),
        "bytes_per_token": answer.bytes_per_token,
        "weights_ceiling_tokens_per_s": answer.weights_ceiling_tokens_per_s,
        "ceiling_tokens_per_s": answer.ceiling_tokens_per_s,
        "ceiling_aggregate_tokens_per_s": answer.ceiling_aggregate_tokens_per_s,
        "expected_tokens_per_s": expected,
    }
    if options.json:
        print(json.dumps(result))
        return OK
    drafts = f"{load_.draft} {load_.draft_tokens or ''}".strip()
    print(
        f"{checkpoint.name} on {hardware.name}, {load_.concurrency} request(s), "
        f"{load_.context_tokens} tokens of context, draft {drafts}"
    )
    for module in sorted(answer.step.modules, key=lambda each: -each.bytes_per_step):
        print(f"  {module.module:16} {module.format:28} {module.bytes_per_step / 1e9:8.3f} GB")
    print(f"  {'state':16} {'':28} {answer.step.state_bytes / 1e9:8.3f} GB")
    kv = answer.step.kv_bytes
    print(
        f"  {'KV cache':16} {load_.kv_format:28} "
        + ("not known" if kv is None else f"{kv / 1e9:8.3f} GB")
    )
    print(f"  {'total':16} {'':28} {answer.bytes_per_step / 1e9:8.3f} GB a step")
    accepted = "" if load_.draft == "none" or stated else ", every draft accepted"
    print(f"ceiling {answer.ceiling_tokens_per_s:.1f} tok/s for one request, "
          f"{answer.ceiling_aggregate_tokens_per_s:.1f} for all{accepted}")  # fmt: skip
    if expected:
        usual = accepted and f", at the usual {assumed.acceptance_length:.2f} tokens a step"
        print(f"expected about {expected:.1f} tok/s for one request in vLLM{usual}")
    return OK


def command_fit(options: argparse.Namespace) -> int:
    """Print whether a checkpoint fits, and the fraction to pass; bytes are of one machine."""
    library = healthy_library()
    checkpoint = find_checkpoint(library, options.checkpoint)
    hardware = hardware_of(library, options.hardware)
    load_ = load_from(options)
    drafter = drafter_of(library, checkpoint.model, load_.draft)
    answer = memory.fit(library, checkpoint.id, load_, hardware, drafter)
    result = {
        "checkpoint": checkpoint.id, "hardware": hardware.id, "nodes": load_.nodes,
        "context_tokens": load_.context_tokens, "concurrency": load_.concurrency,
        "kv_format": load_.kv_format, **asdict(answer),
    }  # fmt: skip
    if options.json:
        print(json.dumps(result))
        return OK
    print(f"{checkpoint.name} on {load_.nodes} x {hardware.name}, bytes of one machine")
    for name in ("weight", "kv_cache", "state", "reserve", "total", "capacity"):
        value = result[f"{name}_bytes"]
        print(f"  {name:10} " + ("not known" if value is None else f"{value / 2**30:8.1f} GiB"))
    if answer.reserve_low_bytes is not None and answer.reserve_high_bytes is not None:
        print(f"  reserve as logged: {answer.reserve_low_bytes / 2**30:.1f} to "
              f"{answer.reserve_high_bytes / 2**30:.1f} GiB")  # fmt: skip
    print("fits" if answer.fits else "does not fit")
    if answer.gpu_memory_utilization:
        print(f"pass --gpu-memory-utilization {answer.gpu_memory_utilization:.2f} or more")
    return OK


def command_fix(options: argparse.Namespace) -> int:
    """Put data files, schemas and the lock of texts in form; never a value."""
    changed = 0
    for path in sorted((ROOT / "data").rglob("*.yaml")):
        place = class_for(path.relative_to(ROOT / "data"))
        if place is None or place[0] == "topic":
            continue
        document, _ = load_file(path, ROOT)
        if document is None:
            continue
        before = path.read_text("utf-8")
        after = tidy(before, place[2], document)
        if after != before and load_text(after, document.path)[0] is not None:
            write_whole(path, after)
            changed += 1
            print(document.path)
    for name, text in schemas().items():
        path = ROOT / "schemas" / name
        if not path.exists() or path.read_text("utf-8") != text:
            write_whole(path, text)
            changed += 1
            print(f"schemas/{name}")
    changed += write_lock()
    print(f"{changed} {'file' if changed == 1 else 'files'} changed")
    return OK


def write_lock(blessed: Collection[str] = ()) -> bool:
    """Remember which texts belong together now; return whether the lock changed."""
    library, findings = load(ROOT)
    path = ROOT / parity.LOCK
    after = parity.renewed_lock(library, blessed)
    if findings or (path.exists() and path.read_text("utf-8") == after):
        return False
    write_whole(path, after)
    print(parity.LOCK)
    return True


def from_root(file: str) -> str:
    """Return the path of a file below the project's folder, wherever the command runs."""
    path = Path(file).resolve()
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else file


def command_bless(options: argparse.Namespace) -> int:
    """Remember that the texts of files say the same in both languages, after a look at both."""
    known = parity.pairs_by_file(healthy_library())
    paths = [from_root(file).replace("docs/zh/", "docs/en/") for file in options.files]
    for path in paths:
        if path not in known:
            raise nearest(path, list(known), "file with texts")
    write_lock(paths)
    return OK


def command_new(options: argparse.Namespace) -> int:
    """Write a commented file with every field of a kind; never over an existing one."""
    kinds = {**{kind: kind for kind in KINDS}, **{name: kind for kind, name in SINGULAR.items()}}
    kind = kinds.get(options.kind)
    if kind is None:
        raise nearest(options.kind, sorted(SINGULAR.values()), "kind of record")
    if not re.fullmatch(r"[a-z0-9][a-z0-9.+-]*", options.id):
        raise BadInput(f"an id is lower case letters, digits, dashes and dots, not '{options.id}'")
    path = ROOT / "data" / kind / f"{options.id}.yaml"
    taken = sorted((ROOT / "data" / kind).rglob(f"{options.id}.yaml"))
    if taken:
        raise BadInput(f"{taken[0].relative_to(ROOT)} exists; choose another id or edit it")
    write_whole(path, template(kind, options.id))
    print(f"wrote {path.relative_to(ROOT)}; fill it in, then run: python -m macros check")
    return OK


def find_engine(library: Library, name: str) -> Engine:
    """Return an engine by id, name or nickname in any letter case; BadInput with the list."""
    wanted = name.casefold()
    for engine in library.records(Engine):
        if wanted in (
            engine.id.casefold(),
            engine.name.casefold(),
            *map(str.casefold, engine.nicknames),
        ):
            return engine
    raise nearest(name, list(library.kinds["engines"]), "engine", every=True)


def stated(text: str) -> Decimal:
    """Return a positive figure with its stated decimals."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not value.is_finite() or value <= 0:
        raise argparse.ArgumentTypeError(f"{text} must be more than 0")
    if not SMALLEST_SPEED <= value <= LARGEST:
        raise argparse.ArgumentTypeError(f"{text} must lie between {SMALLEST_SPEED} and {LARGEST}")
    return value


def command_judge(options: argparse.Namespace) -> int:
    """Print whether a speed is normal, and what would explain it."""
    library = healthy_library()
    checkpoint = find_checkpoint(library, options.checkpoint)
    engine = find_engine(library, options.engine)
    hardware = hardware_of(library, options.hardware)
    load_ = load_from(options)
    if load_.draft != "none" and options.draft_tokens is options.acceptance_length is None:
        load_ = possible_load(library, checkpoint.id, options.tokens_per_s, load_, hardware.id)
    answer = judge(
        library, checkpoint.id, options.tokens_per_s, load_, engine.id, hardware.id,
        acceptance_is_stated=options.acceptance_length is not None,
    )  # fmt: skip
    if options.json:
        asked = {
            "checkpoint": checkpoint.id, "engine": engine.id, "draft_tokens": load_.draft_tokens
        }  # fmt: skip
        print(json.dumps(asked | asdict(answer)))
        return OK
    print(
        f"{answer.verdict}: {options.tokens_per_s} tok/s is "
        f"{100 * answer.share_of_ceiling:.0f}% of the ceiling {answer.ceiling_tokens_per_s:.1f}"
    )
    if answer.expected_tokens_per_s:
        print(f"expected about {answer.expected_tokens_per_s:.1f} tok/s in {engine.name}")
    if options.draft != "none" and options.draft_tokens is None:
        print(f"taken as drafts of {load_.draft_tokens}; state --draft-tokens if it was another")
    if options.draft != "none" and options.acceptance_length is None:
        print(f"with the usual acceptance length, {answer.acceptance_length:.2f} tokens a step")
    for similar in answer.similar_measurements:
        conditions = f"concurrency {similar.concurrency}, context {similar.context_tokens}"
        print(
            f"  similar: {similar.tokens_per_s:g} tok/s at {conditions}, "
            f"{similar.engine}: {similar.measurement}"
        )
    for likely in answer.likely_causes:
        cause = library.get(Cause, likely.cause)
        print(f"  cause: {cause.title.en}\n    {cause.how_to_check.en}")
    return OK


def command_diagnose(options: argparse.Namespace) -> int:
    """Print what is wrong in a pasted command or log; exit code 1 with an error."""
    from macros.diagnose import main_diagnose  # loads a JavaScript engine

    library = healthy_library()
    try:
        raw = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
    except OSError as error:
        raise BadInput(f"cannot read {options.file}: {error.strerror}") from None
    result = main_diagnose(library, raw.decode("utf-8", "replace"), options.engine_version)
    if options.json:
        keys = ("engine_version", "findings")
        print(json.dumps({key: result[key] for key in keys}, ensure_ascii=False))
    else:
        print(f"engine version: {result['engine_version'] or 'not known'}")
        for finding in result["findings"]:
            place = f"{options.file}:{finding['line']}:{finding['column']}"
            print(f"{place}: {finding['severity']}: {finding['pitfall']}: {finding['message']}")
            print(f"  text  {finding['text']}\n  fix   {finding['fix']}")
        for engine in result["other_engines"]:
            print(f"{engine} is not vLLM; only vLLM's flags are known here")
        if not result["read"]:
            print("this looks neither like a command nor like a log of vLLM")
        elif not result["findings"]:
            print("nothing found")
    return FINDINGS if any(each["severity"] == "error" for each in result["findings"]) else OK


def command_import_flags(options: argparse.Namespace) -> int:
    """Merge the command line of one release of an engine into its tables."""
    from macros.engines.import_flags import import_flags

    folder = ROOT / "data" / "engines" / options.engine
    if not folder.is_dir():
        raise BadInput(f"no tables of '{options.engine}'; known is vllm")
    try:
        changed = import_flags(folder, options.version, options.wheel)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise BadInput(f"cannot import {options.engine} {options.version}: {error}") from None
    print("\n".join(changed) if changed else "nothing changed")
    return OK


def command_import_results(options: argparse.Namespace) -> int:
    """Write the draft of a run from a result file, and list what the file does not know."""
    library = healthy_library()
    checkpoint = options.checkpoint and find_checkpoint(library, options.checkpoint).id
    engine = options.engine and find_engine(library, options.engine).id
    if options.source and options.source not in library.kinds["sources"]:
        raise nearest(options.source, list(library.kinds["sources"]), "source")
    draft = import_results(
        library, ROOT, options.file, write_whole, checkpoint=checkpoint, engine=engine,
        engine_version=options.engine_version, source=options.source, nodes=options.nodes,
    )  # fmt: skip
    print(f"wrote {draft.path}; add what the file does not know:")
    print("\n".join(f"  {each}" for each in draft.missing))
    return OK


def build_parser() -> Parser:
    """Return the command line of the project."""
    parser = Parser(prog="python -m macros", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, parser_class=Parser)
    check = commands.add_parser("check", help="run every rule over the data")
    check.add_argument("files", nargs="*", help="show only what is found in these, or below them")
    check.add_argument("--all", action="store_true", help="show every finding of a rule")
    check.set_defaults(run=command_check)
    fix = commands.add_parser("fix", help="put data files in form; never changes a value")
    fix.set_defaults(run=command_fix)
    bless = commands.add_parser("bless", help="confirm that both languages say the same")
    bless.add_argument("files", nargs="+", help="data files or pages of prose")
    bless.set_defaults(run=command_bless)
    new = commands.add_parser("new", help="write a commented file with every field of a kind")
    new.add_argument("kind", help="source, model, checkpoint, measurement, recipe, …")
    new.add_argument("id", help="the name of its file: lower case letters, digits, dashes")
    new.set_defaults(run=command_new)
    flags = commands.add_parser("import-flags", help="read the command line of a release's wheel")
    flags.add_argument("engine", help="vllm")
    flags.add_argument("version", help="the release, such as 0.33.0")
    flags.add_argument("--wheel", type=Path, help="a downloaded wheel; without it pip fetches one")
    flags.set_defaults(run=command_import_flags)
    imported = commands.add_parser("import-results", help="draft a run from a tool's result file")
    imported.add_argument("file", type=Path, help="vllm bench serve, llama-bench, -benchy, aiperf")
    imported.add_argument("--checkpoint", help="what was served; else what the file names")
    imported.add_argument("--engine", help="needed where the file does not say")
    imported.add_argument("--engine-version", metavar="RELEASE", help="such as 0.33.0")
    imported.add_argument("--source", help="id of the record of its source")
    imported.add_argument(
        "--nodes", type=at_least(1, int), metavar="N", help="machines that served"
    )
    imported.set_defaults(run=command_import_results)
    ceiling = commands.add_parser("ceiling", help="bytes of a decode step and the speed limit")
    add_load_options(ceiling)
    ceiling.set_defaults(run=command_ceiling)
    fit = commands.add_parser("fit", help="whether weights, KV cache and state fit in memory")
    add_load_options(fit)
    fit.set_defaults(run=command_fit)
    judged = commands.add_parser("judge", help="whether a speed is normal, and the likely causes")
    add_load_options(judged)
    judged.add_argument(
        "--tokens-per-s", type=stated, required=True, metavar="N", help="what one request saw"
    )
    judged.add_argument(
        "--engine", default="vllm", metavar="ID", help="the engine that served, default %(default)s"
    )
    judged.set_defaults(run=command_judge)
    diagnose = commands.add_parser("diagnose", help="what is wrong in a pasted command or log")
    diagnose.add_argument("file", help="a file, or - for standard input")
    diagnose.add_argument(
        "--engine-version", metavar="RELEASE", help="such as 0.33.0; else what the text says"
    )
    diagnose.add_argument("--json", action="store_true", help="print JSON")
    diagnose.set_defaults(run=command_diagnose)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns 0 ok, 1 findings, 2 bad input."""
    try:
        options = build_parser().parse_args(arguments)
        code = options.run(options)
        sys.stdout.flush()
        return code
    except (BadInput, LedgerError, ResultsError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


if __name__ == "__main__":
    sys.exit(main())
