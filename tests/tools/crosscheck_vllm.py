"""Compare a release in the tables with the parser that vLLM itself builds.

    PYTHONPATH=<unpacked wheel>:. python tests/tools/crosscheck_vllm.py 0.33.0

Needs an environment in which `vllm.entrypoints.cli.serve` imports: a CPU build of torch and vLLM's
pure-Python requirements; no GPU. The platform is replaced by one whose device type is cuda.
PLATFORM=UNSPECIFIED helps releases that ask the compiled extension at import.
"""

import argparse
import os
import sys
from pathlib import Path

from macros.engines.normalise import negative_forms
from macros.engines.store import read_tables
from macros.engines.tables import unfold

TABLES = Path(__file__).resolve().parents[2] / "data" / "engines" / "vllm"


def built_parser() -> argparse.ArgumentParser:
    """Return the parser of `vllm serve`, built by vLLM."""
    sys.argv = ["vllm", "serve"]
    from vllm import platforms
    from vllm.platforms.interface import Platform, PlatformEnum

    class Stub(Platform):
        _enum = getattr(PlatformEnum, os.environ.get("PLATFORM", "CUDA"))
        device_name = device_type = "cuda"
        dispatch_key = "CUDA"

    platforms._current_platform = Stub()
    from vllm.entrypoints.cli.serve import ServeSubcommand
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    top = FlexibleArgumentParser()
    return ServeSubcommand().subparser_init(top.add_subparsers(dest="subparser"))


def positive_spellings(action: argparse.Action) -> tuple[str, ...]:
    """Return the spellings of an action that do not switch it off."""
    if isinstance(action, argparse.BooleanOptionalAction):
        off = set(getattr(action, "negative_option_strings", ()))
        off |= {name for name in action.option_strings if name.startswith("--no-")}
        return tuple(sorted(set(action.option_strings) - off))
    return tuple(sorted(action.option_strings)) or (action.dest,)


def flag_differences(facts: dict) -> list[str]:
    """Return every difference between the flags of the tables and those of the parser."""
    actions = {
        positive_spellings(action): action
        for action in built_parser()._actions
        if type(action).__name__ != "_HelpAction"
    }
    ours = {
        tuple(sorted([name, *flag.get("aliases", [])])): (name, flag)
        for name, flag in facts["flags"].items()
    }
    differences = [f"only in one: {names}" for names in sorted(set(actions) ^ set(ours))]
    for names in sorted(set(actions) & set(ours)):
        action, (name, flag) = actions[names], ours[names]
        is_switch = isinstance(action, argparse.BooleanOptionalAction)
        if is_switch != (flag["kind"] == "bool"):
            differences.append(f"kind of {name}")
        forms = negative_forms(name, flag["kind"], disable_forms=facts["release"]["disable_forms"])
        if is_switch and not set(forms) <= set(action.option_strings):
            differences.append(f"negative forms of {name}: {forms}")
        enforced = flag.get("enforced_by") == "argparse"
        if (action.choices is not None) != enforced:
            differences.append(f"whether choices of {name} are enforced")
        if enforced and {str(choice) for choice in action.choices or ()} != set(flag["choices"]):
            differences.append(f"choices of {name}")
        if (None if action.nargs == 0 else action.nargs) != flag.get("nargs"):
            differences.append(f"nargs of {name}: {action.nargs} and {flag.get('nargs')}")
    return differences


def name_differences(facts: dict) -> list[str]:
    """Return the differences of variables and of parser names."""
    from vllm import envs
    from vllm.reasoning import ReasoningParserManager
    from vllm.tool_parsers import ToolParserManager

    declared = {name for name, entry in facts["environment"].items() if entry.get("declared", True)}
    tools, thoughts = ToolParserManager, ReasoningParserManager
    pairs = (
        ("variables", set(envs.environment_variables), declared),
        ("tool parsers", set(tools.list_registered()), facts["choices"]["tool_call_parser"]),
        (
            "reasoning parsers",
            set(thoughts.list_registered()),
            facts["choices"]["reasoning_parser"],
        ),
    )  # fmt: skip
    return [
        f"{what}: {sorted(theirs ^ set(ours))}"
        for what, theirs, ours in pairs
        if theirs != set(ours)
    ]


def main() -> int:
    """Print every difference for the release named on the command line."""
    version = sys.argv[1]
    facts = unfold(read_tables(TABLES))[version]
    differences = flag_differences(facts) + name_differences(facts)
    print("\n".join(differences))
    print(f"{version}: {len(facts['flags'])} flags, {len(differences)} differences")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main())
