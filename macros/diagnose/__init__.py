"""Diagnosis of a pasted command or log: the page's own JavaScript, run here in V8."""

from macros.diagnose.knowledge import knowledge
from macros.diagnose.runner import Diagnoser, bundle

__all__ = ["Diagnoser", "bundle", "knowledge", "main_diagnose", "parse_command"]

FIELDS = ("pitfall", "severity", "line", "column", "text", "message", "fix")


def main_diagnose(library, text: str, engine_version: str | None = None, language: str = "en"):
    """What the command line prints, in one language; see `report`."""
    result = Diagnoser(knowledge(library)).diagnose(text, engine_version)
    return report(result, language)


def report(result: dict, language: str = "en") -> dict:
    """The findings of a diagnosis in the words of one language.

    `read` is whether the text was understood at all, `other_engines` what is started beside vLLM.
    """
    version = result["engine_version"]
    findings = [
        {
            field: finding[field][language] if field in ("message", "fix") else finding[field]
            for field in FIELDS
        }
        for finding in result["findings"]
    ]
    engines = {each["engine"] for each in result["commands"]} - {"vllm"}
    return {
        "engine_version": version["text"] or version["stated"],
        "findings": findings,
        "read": result["read"],
        "other_engines": sorted(engines),
    }


def parse_command(library, text: str) -> list[dict]:
    """The launches of a command text as the reader understands them."""
    return Diagnoser(knowledge(library)).parse_command(text)
