"""The only module that knows MkDocs: one build makes the pages of every language."""

import gzip
import html
import importlib
import json
import logging
import re
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from xml.sax.saxutils import escape as escape_xml

import jieba
import yaml
from mkdocs.config import config_options
from mkdocs.config.base import Config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation, Section
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from macros import chinese

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = {"zh": "简体中文", "en": "English", "zh-Hant": "繁體中文"}
LOCALES = {"zh": "zh_CN", "en": "en_US", "zh-Hant": "zh_TW"}  # as sites that show links want it
DERIVED = "zh-Hant"  # made from zh when the HTML is done
PLUGIN = "gb10-ledger"
log = logging.getLogger(f"mkdocs.plugins.{PLUGIN}")

LINK_FROM_ROOT = re.compile(
    r'(?P<before>\s(?:href|src|action|data-href)=")/(?!/)(?P<path>[^"#?]*)', re.IGNORECASE
)
UNNAMED = {  # parts of the theme that have no name of their own
    re.compile(r'(<div class="md-search"[^>]* role="dialog")'): "frame.search",
    re.compile(r'(<nav class="md-path") aria-label="[^"]*"'): "frame.path",
}
SECTION_LIST = re.compile(r'(<nav class="md-nav" [^>]*aria-labelledby="__nav_[0-9_]+)_label"')
SECTION_TITLE = re.compile(r'<label class="md-nav__title" for="(__nav_[0-9_]+)"')
WHILE_WRITING = {"bilingual/one-sided"}  # one language is written before the other
GLOSSARY = "glossary.md"  # explains the terms itself
STRUCTURED_DATA = re.compile(r'<script type="application/ld\+json">.*?</script>', re.DOTALL)
PERMALINK = 'title="Permanent link"'  # as Markdown names the sign after a heading
SIDE_BY_SIDE = re.compile(r"</(?:td|th|dt|dd|div|figcaption|summary)>(?=<)")  # words for the search
THEME_BASE = re.compile(r'("base":\s*"[^"]*?)/?(")')
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


def authored(language: str) -> str:
    """Return the language in which a page of `language` is written."""
    return "zh" if language == DERIVED else language


def language_of(path: str) -> str | None:
    """Return the language of a source path or address, which is its first folder."""
    head = path.split("/", 1)[0]
    return head if head in LANGUAGES else None


def below_language(path: str) -> str:
    """Return the part of a path below its language: `zh/models/index.md` → `models/index.md`."""
    return path.split("/", 1)[1]


# Content: what the data yields -----------------------------------------------------------------


@dataclass(frozen=True)
class Content:
    """Everything that the pages are made of, as rendering returns it."""

    pages: dict[str, dict]
    files: dict[str, str]
    macros: dict[str, dict]
    explain: dict[str, Callable[[str], str]]
    library: object
    search: ModuleType  # of the same reading of the code as the library
    word: Callable[[str, str], str]


def read_library(root: Path, *, writing: bool) -> tuple[object, str]:
    """Return the records below a folder, and the report of their faults, empty if there is none."""
    library, findings = importlib.import_module("macros.library").load(root)
    if not findings:
        findings = importlib.import_module("macros.checks").run(library)
        if writing:
            findings = [each for each in findings if each.rule not in WHILE_WRITING]
    if not findings:
        return library, ""
    report = importlib.import_module("macros.findings").report
    return library, report(findings, num_records=library.num_records)


def render(library: object, languages: set[str]) -> Content:
    """Return everything that rendering makes of the records in the authored languages."""
    rendering = importlib.import_module("macros.rendering")
    return Content(
        pages={language: rendering.render_pages(library, language) for language in languages},
        files=rendering.render_files(library),
        macros={language: rendering.macros(library, language) for language in languages},
        explain={
            language: rendering.explainer(library, language).explain for language in languages
        },
        library=library,
        search=importlib.import_module("macros.search"),
        word=importlib.import_module("macros.rendering.words").word,
    )


def forget_modules() -> None:
    """Let the next import read the package again; this module itself stays."""
    package = sys.modules["macros"]
    for name in [name for name in sys.modules if name.startswith("macros.")]:
        if name != __name__:
            del sys.modules[name]
            vars(package).pop(name.split(".")[1], None)


def time_of_code(root: Path) -> float:
    """Return when a module of the package changed last."""
    return max(path.stat().st_mtime for path in (root / "macros").rglob("*.py"))


# The plugin ------------------------------------------------------------------------------------


class LedgerConfig(Config):
    """Options of the plugin in mkdocs.yml."""

    only = config_options.Type(str, default="")


@dataclass
class Build:
    """What one build knows about its own pages."""

    files: Files | None = None
    addresses: dict[str, File] = field(default_factory=dict)
    edit_paths: dict[str, str | None] = field(default_factory=dict)
    navigation: dict[str, Navigation] = field(default_factory=dict)
    dead_links: set[tuple[str, str]] = field(default_factory=set)


class LedgerPlugin(BasePlugin[LedgerConfig]):
    """Generate pages from the data and give every language its own site in one build."""

    def __init__(self) -> None:
        self.serving = False
        self.content: Content | None = None
        self.faults = ""
        self.code_read_at = 0.0
        self.build = Build()
        self.to_traditional = None

    # Start and data

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Remember whether a fault may stop the run; this also keeps the plugin between builds."""
        self.serving = command == "serve"
        logging.getLogger("mkdocs.plugins.mkdocs_macros").setLevel(logging.WARNING)

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Read the data, and stop with its faults unless an earlier state can be shown."""
        jieba.setLogLevel(logging.CRITICAL)
        if self.serving and self.content is None:
            stop_if_taken(*config.dev_addr)
        if self.serving:
            config.plugins["macros"].config["on_error_fail"] = False
        self.languages = languages_to_build(self.config.only)
        self.to_traditional = chinese.traditional_converter(ROOT / "data" / "zh-hant")
        self.refresh()
        self.palette = config.theme["palette"]
        config.extra["alternate"] = True  # shows the switcher; a list would make it probe addresses
        material_search = importlib.import_module("material.plugins.search.plugin")
        material_search.jieba = None  # we cut words ourselves, per language
        return config

    def refresh(self) -> None:
        """Read code and data again; while serving, a fault keeps the last good state."""
        code_changed_at = time_of_code(ROOT)
        if self.code_read_at and code_changed_at > self.code_read_at:
            forget_modules()
        self.code_read_at = code_changed_at
        self.faults = ""
        try:
            library, self.faults = read_library(ROOT, writing=self.serving)
            if not self.faults or (self.serving and self.content is None):
                self.content = render(library, set(map(authored, self.languages)))
        except Exception as error:
            if not self.serving or (self.content is None and not self.faults):
                raise
            log.exception("The code has a fault.")
            self.faults = self.faults or f"{type(error).__name__}: {error}"
        if self.content is None or (self.faults and not self.serving):
            raise PluginError(f"The data have faults.\n\n{self.faults}")
        if self.faults:
            log.error("The pages show what was read without a fault.\n\n%s", self.faults)

    def word(self, key: str, language: str) -> str:
        """Return a word of the interface; the derived language is converted with the page."""
        return self.content.word(key, authored(language))

    def word_in(self, key: str, language: str) -> str:
        """Return a word for an element that carries `lang` and is therefore not converted later."""
        word = self.word(key, language)
        return self.to_traditional(word) if language == DERIVED else word

    # Files and navigation

    @event_priority(100)  # before plugins that look at the files
    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Add the pages of every language, and write the navigation for each."""
        written = [file for file in files.documentation_pages() if language_of(file.src_uri)]
        self.build = Build(files=files)
        for file in written:
            self.build.edit_paths[file.src_uri] = f"docs/{file.src_uri}"
            if language_of(file.src_uri) not in self.languages:
                files.remove(file)
            if language_of(file.src_uri) == "zh" and DERIVED in self.languages:
                uri = f"{DERIVED}/{below_language(file.src_uri)}"
                self.build.edit_paths[uri] = f"docs/{file.src_uri}"
                files.append(File.generated(config, uri, abs_src_path=file.abs_src_path))
        for language in self.languages:
            for path, page in self.content.pages[authored(language)].items():
                uri = f"{language}/{path}"
                self.build.edit_paths[uri] = page.edit_path
                files.append(generated_file(config, uri, page))
        for path, text in self.content.files.items():
            files.append(File.generated(config, path, content=text))
        self.build.addresses = {file.src_uri: file for file in files}
        self.build.addresses |= {file.url: file for file in files}
        config.nav = [{language: self.nav_of(config.nav, language)} for language in self.languages]
        return files

    def nav_of(self, entries: list, language: str) -> list:
        """Return the neutral navigation with the titles and paths of a language."""
        items = []
        for entry in entries:
            if isinstance(entry, str):
                items.append(f"{language}/{entry}")
                continue
            ((key, target),) = entry.items()
            title = self.word(f"section.{key}", language)
            below = isinstance(target, list)
            items.append(
                {title: self.nav_of(target, language) if below else f"{language}/{target}"}
            )
        return items

    def on_nav(self, nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
        """Split the navigation by language; pages outside it find the section of their folder."""
        for language, root in zip(self.languages, nav.items, strict=True):
            for item in root.children:
                item.parent = None
            pages = [page for page in nav.pages if language_of(page.file.src_uri) == language]
            pages[0].previous_page = pages[-1].next_page = None
            own = Navigation(root.children, pages)
            own.homepage = files.get_file_from_path(f"{language}/index.md").page
            self.build.navigation[language] = own
        sections = dict(sections_by_folder(nav.items))
        listed = {page.file.src_uri for page in nav.pages}
        for file in files.documentation_pages():
            if language_of(file.src_uri) and file.src_uri not in listed:
                file.page.parent = nearest_section(file.src_uri, sections)
        return nav

    # Pages

    def source_of(self, language: str) -> str:
        """Return the language whose finished HTML this one takes: its own, or its original's."""
        return "zh" if language == DERIVED and "zh" in self.languages else language

    def original(self, page: Page) -> Page | None:
        """Return the page from which a derived one is made, if this build has it."""
        uri = page.file.src_uri
        language = language_of(uri)
        if language is None or self.source_of(language) == language:
            return None
        return self.build.addresses[f"{self.source_of(language)}/{below_language(uri)}"].page

    @event_priority(100)  # before the macros
    def on_page_markdown(self, markdown: str, page: Page, **_: object) -> str:
        """Leave out the text of a derived page; it takes the HTML of its original."""
        return "" if self.original(page) else markdown

    def on_page_content(self, content: str, page: Page, **_: object) -> str:
        """Explain terms, resolve links that start at the language's root, and describe the page."""
        if original := self.original(page):
            page.title, page.toc, page.meta = original.title, original.toc, dict(original.meta)
            page.meta["search"] = {"exclude": True}  # its entries are made from the original's, too
            return original.content
        page.meta["structured"] = "".join(STRUCTURED_DATA.findall(content))
        content = STRUCTURED_DATA.sub("", content)  # the theme would run it as a program
        content = SIDE_BY_SIDE.sub(r"\g<0> ", content)
        language, _, path = page.file.src_uri.partition("/")
        if language in LANGUAGES:
            permalink = self.word("frame.permalink", language)
            content = content.replace(PERMALINK, f'title="{permalink}"')
        if language in LANGUAGES and path != GLOSSARY:
            content = self.content.explain[authored(language)](content)
        content = LINK_FROM_ROOT.sub(partial(self.resolve_link, page), content)
        if language_of(page.file.src_uri) in ("zh", DERIVED):
            content = chinese.convert_html(content, chinese.join_lines)
        if not page.meta.get("description"):
            page.meta["description"] = first_words(content)
        return content

    def resolve_link(self, page: Page, link: re.Match) -> str:
        """Return a link such as `/models/` as an address relative to the page."""
        path = link["path"]
        language = language_of(page.file.src_uri)
        addresses = self.build.addresses
        target = addresses.get(f"{language}/{path or './'}") or addresses.get(path)
        if path == "":
            target = addresses[f"{language}/index.md"]
        if target is None:
            if (page.file.src_uri, path) not in self.build.dead_links:
                log.warning("%s links to /%s, which is not a page", page.file.src_uri, path)
                self.build.dead_links.add((page.file.src_uri, path))
            return link[0]
        return f"{link['before']}{get_relative_url(target.url, page.url)}"

    def on_env(self, env: object, config: MkDocsConfig, files: Files) -> None:
        """Give the pages that belong to no language, such as 404, the first language."""
        self.speak(config, self.languages[0])

    def speak(self, config: MkDocsConfig, language: str) -> None:
        """Set everything in the theme that differs by language."""
        config.theme["language"] = language
        config.site_name = self.word("site.name", language)
        config.site_description = self.word("site.description", language)
        config.copyright = self.word("site.licence", language)
        config.theme["palette"] = [
            option
            | {"toggle": option["toggle"] | {"name": self.word(option["toggle"]["name"], language)}}
            for option in self.palette
        ]

    def frame(self, language: str, path: str) -> dict:
        """Return what the templates need to know about a page."""
        addresses = self.build.addresses
        return {
            "nav": self.build.navigation[language],
            "word_in": self.word_in,
            "page_language": language,
            "alternates": [
                {
                    "language": other,
                    "name": LANGUAGES[other],
                    "locale": LOCALES[other],
                    "url": (addresses.get(f"{other}/{path}") or addresses[f"{other}/index.md"]).url,
                }
                for other in self.languages
            ],
            "faults": self.faults,
        }

    def on_page_context(
        self, context: dict, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> dict:
        """Show the page in its language, with its own navigation."""
        uri = page.file.src_uri
        language = language_of(uri) or self.languages[0]
        self.speak(config, language)
        source, path = config.extra.get("source_url"), self.build.edit_paths.get(uri)
        page.edit_url = f"{source}{path}" if source and path else None
        page.meta["hide"] = [*page.meta.get("hide", []), *empty_sides(page, nav)]
        return context | self.frame(language, below_language(uri))

    def on_template_context(self, context: dict, template_name: str, config: MkDocsConfig) -> dict:
        """Show pages without a language in the first one."""
        return context | self.frame(self.languages[0], "index.md")

    def on_post_template(self, output: str, template_name: str, config: MkDocsConfig) -> str:
        """Point the site's map at the maps of the languages, and finish the 404 page."""
        if template_name == "sitemap.xml":
            return sitemap_index(config.site_url, self.languages)
        return self.finish(output, self.languages[0])

    def on_post_page(self, output: str, page: Page, config: MkDocsConfig) -> str:
        """Finish the HTML of a page; the derived language is made here."""
        return self.finish(output, language_of(page.file.src_uri) or self.languages[0])

    def finish(self, output: str, language: str) -> str:
        """Make the theme look for search index and map below the language, and convert the page."""
        for element, key in UNNAMED.items():
            label = html.escape(self.word(key, language))
            output = element.sub(rf'\1 aria-label="{label}"', output, count=1)
        output = SECTION_LIST.sub(r'\1_title"', output)
        output = SECTION_TITLE.sub(r'\g<0> id="\1_title"', output)
        output = THEME_BASE.sub(rf"\g<1>/{language}/\g<2>", output, count=1)
        return chinese.convert_html(output, self.to_traditional) if language == DERIVED else output

    @event_priority(-100)  # after the search plugin wrote its index
    def on_post_build(self, config: MkDocsConfig) -> None:
        """Write search index and map of every language."""
        site = Path(config.site_dir)
        common = site / "search" / "search_index.json"
        index = json.loads(common.read_text("utf-8"))
        common.unlink()
        common.parent.rmdir()
        self.write_search(site, index)
        for language in self.languages:
            folder = site / language
            (folder / "sitemap.xml").write_text(
                sitemap(self.build.files, language, self.languages), "utf-8"
            )

    def write_search(self, site: Path, index: dict) -> None:
        """Write the search index of every language, and let the theme's search read our queries."""
        search = self.content.search
        mend_search_worker(site, search)
        for language in self.languages:
            library = self.content.library
            docs = search.entries(index["docs"], f"{self.source_of(language)}/")
            docs += search.term_entries(library, authored(language))
            config = index["config"] | {"fields": search.FIELDS}
            config["aliases"] = search.aliases(library, language, self.to_traditional)
            if language in ("zh", DERIVED):
                cut = [search.in_words(doc) for doc in docs]
                config["stop"] = search.stop_words(language, self.to_traditional)
                config["script"] = search.other_script(
                    cut, self.to_traditional, to_simplified=language == "zh"
                )
                convert = self.to_traditional if language == DERIVED else None
                docs = [search.in_words(doc, convert) for doc in docs] if convert else cut
            text = json.dumps(
                {"config": config, "docs": docs}, ensure_ascii=False, separators=(",", ":")
            )
            (site / language / "search").mkdir(exist_ok=True)
            (site / language / "search" / "search_index.json").write_text(text, "utf-8")
            size = len(gzip.compress(text.encode()))
            log.info("Search index of %s: %d kB compressed", language, round(size / 1000))


def define_env(env: object) -> None:
    """Offer the macros to pages of prose, each in the language of the page that calls it."""
    tables = env.conf.plugins[PLUGIN].content.macros

    def call(name: str, *arguments: object, **options: object) -> str:
        language = authored(language_of(env.page.file.src_uri))
        return tables[language][name](*arguments, **options)

    for name in next(iter(tables.values())):
        env.macro(partial(call, name), name)


def languages_to_build(only: str) -> list[str]:
    """Return the languages of this build: all, or the one that ONLY names."""
    if only and only not in LANGUAGES:
        raise PluginError(f"ONLY={only}: there is no such language; one of {', '.join(LANGUAGES)}")
    return [only] if only else list(LANGUAGES)


def stop_if_taken(host: str, port: int) -> None:
    """Stop with one line if another program has the port, before a build is spent on it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            other = f"make serve PORT={port + 1}"
            raise PluginError(f"Port {port} is taken. Choose another: {other}") from error


def generated_file(config: MkDocsConfig, uri: str, page: object) -> File:
    """Return a rendered page as a file of the build; its text is not searched for macros."""
    description = html.escape(page.description)
    meta = {"title": page.title, "description": description, "render_macros": False}
    front_matter = yaml.safe_dump(meta, allow_unicode=True, sort_keys=False, width=1000)
    text = f"---\n{front_matter}---\n\n{page.markdown}"
    return File.generated(config, uri, content=text, inclusion=InclusionLevel.NOT_IN_NAV)


def sections_by_folder(items: list) -> Iterator[tuple[str, Section]]:
    """Yield every section of the navigation by the folder of its index page."""
    for item in items:
        if item.is_section:
            first = item.children[0]
            if first.is_page and first.file.name == "index":
                yield first.file.src_uri.rsplit("/", 1)[0], item
            yield from sections_by_folder(item.children)


def nearest_section(uri: str, sections: dict[str, Section]) -> Section | None:
    """Return the section of the closest folder above a page."""
    folder = uri
    while "/" in folder:
        folder = folder.rsplit("/", 1)[0]
        if folder in sections:
            return sections[folder]
    return None


def empty_sides(page: Page, nav: Navigation) -> Iterator[str]:
    """Yield the sides of a page that would show nothing of use; its text gets the room."""
    top = page.ancestors[-1] if page.ancestors else page
    if page not in nav.pages or top.is_page or len(top.children) == 1:
        yield "navigation"
    sections = [each for item in page.toc for each in (item, *item.children)]
    if sum(len(each.children) for each in sections) < 2:
        yield "toc"


def first_words(content: str) -> str:
    """Return the beginning of the first paragraph, for search engines."""
    paragraph = re.search(r"<p>(.*?)</p>", content, re.DOTALL)
    if not paragraph:
        return ""
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", "", paragraph[1])).split())
    return html.escape(text[:160])


def mend_search_worker(site: Path, search: ModuleType) -> None:
    """Put our reader of queries into the theme's search worker."""
    reader = (ROOT / "docs" / search.QUERY_READER).read_text("utf-8")
    for path in site.glob(search.WORKER):
        mended = search.mended_worker(path.read_text("utf-8"), reader)
        if mended is None:
            log.warning("The theme's search worker is not the one we know: %s", path.name)
            continue
        path.write_text(mended, "utf-8")


def sitemap_index(site_url: str, languages: list[str]) -> str:
    """Return the map of the site's maps, one for each language."""
    maps = "".join(
        f"<sitemap><loc>{site_url}{language}/sitemap.xml</loc></sitemap>" for language in languages
    )
    return f'{XML}<sitemapindex xmlns="{SITEMAP}">{maps}</sitemapindex>\n'


def sitemap(files: Files, language: str, languages: list[str]) -> str:
    """Return the map of one language; each page names its other languages."""
    pages = {
        file.src_uri: file.page.canonical_url
        for file in files.documentation_pages()
        if file.page and language_of(file.src_uri)
    }
    urls = []
    for uri, address in pages.items():
        if language_of(uri) != language:
            continue
        alternates = {other: pages.get(f"{other}/{below_language(uri)}") for other in languages}
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{other}" href="{escape_xml(url)}"/>'
            for other, url in alternates.items()
            if url
        )
        urls.append(f"<url><loc>{escape_xml(address)}</loc>{links}</url>\n")
    names = f'xmlns="{SITEMAP}" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    return f"{XML}<urlset {names}>\n{''.join(urls)}</urlset>\n"
