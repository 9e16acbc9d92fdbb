/** Launches of a server found in a pasted text: image, options, variables, flags and model. */

import { isIn, nearest } from "./engine.js";
import { blankDecoration, blankNumbers, readShell } from "./shell.js";
import { eachMapping, readYaml, valueOf } from "./yaml.js";

const RUNTIMES = ["docker", "podman", "nerdctl", "docker.exe"];
const SHELLS = ["bash", "sh", "zsh", "/bin/bash", "/bin/sh", "dash", "pwsh"];
const SERVERS = [
  { engine: "sglang", pattern: /^(?:-m\s)?(?:sglang\.launch_server|sglang)$/ },
  { engine: "llama.cpp", pattern: /(?:^|\/)llama-(?:server|cli|bench)(?:\.exe)?$/ },
  { engine: "tensorrt-llm", pattern: /(?:^|\/)trtllm-(?:serve|bench)$/ },
  { engine: "ollama", pattern: /^ollama$/ },
];
const IMAGES = [
  { engine: "vllm", pattern: /vllm/ },
  { engine: "sglang", pattern: /sglang/ },
  { engine: "tensorrt-llm", pattern: /tensorrt-llm/ },
  { engine: "llama.cpp", pattern: /llama[._-]?cpp/ },
  { engine: "ollama", pattern: /(?:^|\/)ollama/ },
];
const BARE_OPTIONS = new Set([
  "--detach", "--interactive", "--tty", "--rm", "--privileged", "--init", "--read-only", "--no-healthcheck",
  "--oom-kill-disable", "--publish-all", "--sig-proxy", "--quiet", "--help", "--disable-content-trust", "--tls-verify", "--replace",
]);
const SHORT_OPTIONS = {
  d: "--detach", i: "--interactive", t: "--tty", P: "--publish-all", q: "--quiet", e: "--env", v: "--volume", p: "--publish",
  w: "--workdir", u: "--user", m: "--memory", h: "--hostname", l: "--label", c: "--cpu-shares", a: "--attach",
};
const QUADLET_KEYS = {
  AddDevice: "--device", Volume: "--volume", Mount: "--volume", PublishPort: "--publish", Network: "--network",
  Environment: "--env", ShmSize: "--shm-size", Entrypoint: "--entrypoint",
};
const OPTION_NAMES = { "--net": "--network", "--volumes": "--volume", "--mount": "--volume" };
const COMMON_FLAGS = ["--host", "--port", "--model", "--api-key", "--config"];
const PLACEHOLDER = /^(?:\{\{?[^{}":]{1,60}\}?\}|\.{3}|\u2026)$/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const LAUNCH_HINT = /vllm|VLLM_|docker|podman|sglang|llama-server|trtllm|^[ \t]*(?:image|command|args)[ \t]*:|(?:^|[ \t])--[a-z]/m;
const YAML_HINT = /^[ \t]*(?:- )?(?:services|image|command|cmd|environment|entrypoint|containers|args|ipc|apiVersion|healthcheck)[ \t]*:/m;
const SHELL_LINE = /^[ \t]*(?:(?:sudo|exec|nohup)[ \t]+)*(?:docker|podman|vllm|python3?|export|bash|sh)[ \t]/m;
const LOG_LINE = /^\s*(?:\([^)\n]{1,60}\)\s*)*(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:INFO|WARNING|ERROR|DEBUG|CRITICAL)\b|\[[A-Z]{4,8}\]|Traceback |\w+(?:\.\w+)*(?:Error|Exception): |\s+File "|[Uu]sage: |[\w./-]{1,80}(?: \w{1,20})?: error: )/;
const LINE_HEAD = /^(?:\u001b\[[\d;]{0,12}m|[\w.-]{1,60} {0,8}\| ?|\d{4}-\d\d-\d\d[T ][\d:.,]{8,20}Z? |[A-Z][a-z]{2} {1,2}\d{1,2} [\d:]{8} \S{1,60} \S{1,60}: |> | {0,6}\d{1,6}(?:[:|] | {2})|\([^()\n]{1,60}\)(?:\u001b\[[\d;]{0,12}m)? )/;
const MAX_HEADS = 4;
const COMMAND_LINE = /^\s*(?:[$#>]\s+)?(?:sudo|grep|dmesg|journalctl|docker|podman|curl|export|vllm|python3?|pip|uv|nvidia-smi|cat|echo|sed|awk|ssh|apt|apt-get|ray|kubectl|git|cd|find|tee|watch|free)\s/;
const QUOTED_LAUNCH = /^\s*(?:[^'"]{0,200}(?:&&|;)\s*)?(?:sudo\s+)?(?:\w+=\S*\s+)*(?:vllm\s+serve|docker\s+run|podman\s+run|python3?\s+-m\s+vllm)\s/;
const TEXT_PROGRAMS = ["echo", "printf", "grep", "sed", "awk", "pkill", "pgrep", "alias", "curl"];
const WINDOW_LETTERS = 60000;
const MAX_LAUNCHES = 40;

/** Whether a line is a command of a script and not what a program printed. */
export function isCommandLine(line) {
  return COMMAND_LINE.test(line) && !isLogLine(line);
}

/** Whether a line is one that a program logged, whatever a container or a journal put before it. */
export function isLogLine(line) {
  return LOG_LINE.test(line) || LOG_LINE.test(withoutLineHead(line));
}

/** A line without what a container, a journal, a terminal or a listing put before it. */
export function withoutLineHead(line) {
  let rest = line.trimStart();
  for (let round = 0; round < MAX_HEADS; round += 1) {
    const match = LINE_HEAD.exec(rest);
    if (!match) break;
    rest = rest.slice(match[0].length);
  }
  return rest;
}

/** Every launch in a text and the faults of its writing. */
export function readCommands(text, engine) {
  const [start, part] = commandWindow(text);
  if (part === "") return { launches: [], faults: [], comments: [] };
  const clean = blankNumbers(blankLogLines(part));
  return (start === 0 && readFenced(clean, engine)) || { ...readPart(clean, start, engine), comments: commentsOf(part) };
}

function commentsOf(text) {
  return [...text.matchAll(/(?:^|\s)#([^\n]*)/g)].map((match) => match[1]);
}

/** The launches of one script, manifest or unit that begins at a place of the pasted text. */
function readPart(part, start, engine) {
  const plain = blankDecoration(part);
  const isQuadlet = /^[ \t]*\[Container\]/m.test(plain);
  const clean = isQuadlet ? plain : unitAsScript(plain);
  const places = Array.from({ length: clean.length + 1 }, (_, index) => start + index);
  const isYaml = YAML_HINT.test(clean) && !SHELL_LINE.test(clean.slice(0, clean.search(YAML_HINT) + 1));
  const read = isQuadlet ? readQuadlet : isYaml ? readManifest : readScript;
  const found = read(clean, places);
  for (const launch of found.launches) finishLaunch(launch, engine);
  return { launches: found.launches.filter((launch) => serves(launch, engine)), faults: found.faults };
}

/** The launches in the code blocks of an article or a post, read without its prose; null where there are none. */
function readFenced(text, engine) {
  const blocks = codeBlocks(text);
  const manifests = blocks.filter(([from, to]) => YAML_HINT.test(text.slice(from, to)));
  const scripts = blocks.filter((block) => !manifests.includes(block));
  const found = [scripts, ...manifests.map((block) => [block])].filter((each) => each.length > 0)
    .map((each) => readPart(only(text, each), 0, engine));
  const launches = found.flatMap((each) => each.launches).sort((a, b) => a.head.start - b.head.start);
  if (launches.length === 0) return null;
  return { launches, faults: found.flatMap((each) => each.faults), comments: commentsOf(only(text, blocks)) };
}

/** Where the code blocks of a text begin and end; a fence that names a language opens one, whatever was open. */
function codeBlocks(text) {
  const blocks = [];
  let from = null;
  for (const mark of text.matchAll(/^[ \t]*(?:>[ \t]*)?(?:```|~~~)([^`\n]*)$/gm)) {
    const isOpening = from === null || mark[1].trim() !== "";
    if (!isOpening) blocks.push([from, mark.index]);
    from = isOpening ? mark.index + mark[0].length : null;
  }
  if (from !== null) blocks.push([from, text.length]);
  return blocks;
}

/** A text with all but some of its parts blanked, so that places stay true; an empty command ends each part. */
function only(text, parts) {
  const blank = (from, to) => text.slice(from, to).replace(/[^\n]/g, " ");
  let result = "";
  for (const [from, to] of parts) {
    const before = blank(result.length, from);
    result += (result === "" ? before : before.replace(/ {3}/, ":; ")) + text.slice(from, to);
  }
  return result + blank(result.length, text.length);
}

/** Whether a launch starts a server and does not only ask something. */
function serves(launch, engine) {
  if (launch.engine === null || isProse(launch) || isForeign(launch, engine)) return false;
  if (launch.options.some((option) => /^--help\W?$/.test(option.name))) return false;
  return !launch.arguments.some((word) => /^(?:-h|--help(?:=.*)?|--version|-v)$/.test(word.text));
}

/** Whether flags that stand alone are those of another program. */
function isForeign(launch, engine) {
  if (launch.form !== "fragment" || launch.flags.length === 0) return false;
  return !launch.flags.some((flag) => flag.known || nearest(flag.spelled, engine.everywhere.keys()));
}

/** Whether the words behind `vllm serve` or behind a lone flag are a sentence and no arguments. */
function isProse(launch) {
  if (launch.form === "fragment" && launch.strays.length > 1) return true;
  if (launch.engine !== "vllm" || launch.lead !== "vllm-serve") return false;
  const isModel = launch.model === null || /[/\d$~]/.test(launch.model.text);
  return !isModel && launch.strays.length > 1;
}

/** The part of a long text in which commands can stand, with its place. */
function commandWindow(text) {
  const head = text.slice(0, 2_000_000);
  const hint = head.search(LAUNCH_HINT);
  if (hint < 0) return [0, ""];
  if (text.length <= WINDOW_LETTERS) return [0, text];
  const better = head.search(/^[^\n]{0,200}(?:vllm serve|vllm\.entrypoints|docker run|podman run)/m);
  const from = head.lastIndexOf("\n", Math.max(0, (better < 0 ? hint : better) - 2000)) + 1;
  return [from, text.slice(from, from + WINDOW_LETTERS)];
}

/** A systemd unit with its keys blanked, so that what it runs and sets reads as a script. */
function unitAsScript(text) {
  if (!/^[ \t]*\[(?:Unit|Service|Install|Container)\]/m.test(text)) return text;
  let continued = false;
  return text.split("\n").map((line) => {
    const isRest = continued;
    continued = line.trimEnd().endsWith("\\");
    if (isRest) return line;
    const run = /^\s*Exec[A-Za-z]*=[-@+!:]*/.exec(line);
    if (run) return " ".repeat(run[0].length) + line.slice(run[0].length);
    return line.replace(/^Environment=/, "export      ").replace(/^(?!export ).*$/, (other) => " ".repeat(other.length));
  }).join("\n");
}

function blankLogLines(text) {
  return text.split("\n").map((line) => (isLogLine(line) ? " ".repeat(line.length) : line)).join("\n");
}

// Shell ------------------------------------------------------------------------------------------

/** The launches of a shell script. */
function readScript(text, places, inherited = null) {
  const { commands, faults, variables: set } = readShell(text, places);
  const named = [...set].filter(([name, { text: value }]) => /MODEL/.test(name) && value !== "");
  const launches = [];
  const exported = inherited ? [...inherited] : [];
  const starting = [];
  const settingUp = [];
  let rest = null;
  for (const command of commands) {
    const { variables, words } = splitPrefix(command.words, exported);
    if (words.length === 0) settingUp.push(command);
    if (words.length === 0) continue;
    if (launches.length >= MAX_LAUNCHES) break;
    const found = readCommand(words, [...exported, ...variables]);
    for (const launch of found) launches.push({ ...launch, numExported: exported.length, models: named.map(([name, value]) => ({ name, ...value })) });
    if (found.length > 0) starting.push(command);
    const isFlags = words[0].text.startsWith("--") && !/[:)]$/.test(words[0].text);
    if (found.length === 0 && isFlags && !rest) rest = { command, words, variables: [...exported] };
  }
  if (launches.length === 0 && rest) {
    starting.push(rest.command);
    launches.push(newLaunch("fragment", rest.words[0], rest.variables, { arguments: rest.words }));
  }
  const settings = exported.filter((variable) => variable.name.startsWith("VLLM_"));
  if (launches.length === 0 && settings.length > 0 && !inherited) launches.push(newLaunch("fragment", settings[0], exported, {}));
  for (const launch of launches) launch.later = exported.slice(launch.numExported ?? exported.length);
  const isList = launches.every((launch) => launch.form === "fragment") && !starting.some((command) => command.continued);
  const relevant = relevantFaults(faults, [...starting, ...settingUp], launches);
  return { launches, faults: relevant.filter((fault) => !(isList && fault.kind === "missing-continuation")) };
}

/** Faults that lie in a command that starts something or sets a variable; one of a kind a command. */
function relevantFaults(faults, commands, launches) {
  if (launches.length === 0) return [];
  const spans = commands.map(({ words }) => [
    words.reduce((least, word) => Math.min(least, word.start), Infinity), words.reduce((most, word) => Math.max(most, word.end), 0),
  ]);
  const kept = [];
  for (const fault of faults) {
    const margin = fault.kind.endsWith("quote") ? 0 : 400;
    const span = spans.find(([from, to]) => fault.start >= from && fault.start <= to + margin);
    if (!span || kept.some((other) => other.kind === fault.kind && other.span === span)) continue;
    kept.push({ ...fault, span });
  }
  return kept;
}

/** `NAME=value` before a command, and wrappers such as `sudo`; `export` adds to the exported. */
function splitPrefix(words, exported) {
  const variables = [];
  let index = 0;
  if (["export", "set", "setx", "declare"].includes(words[0]?.text)) {
    for (const word of words.slice(1)) if (isAssignment(word)) exported.push(assignment(word));
    return { variables, words: [] };
  }
  if (/^\$env:/i.test(words[0]?.text)) {
    exported.push(assignment(words[1]?.text === "=" ? spacedAssignment(words) : words[0]));
    return { variables, words: [] };
  }
  if (words.every(isAssignment)) {
    const settings = words.map((word) => ({ ...assignment(word), isLocal: true }));
    exported.push(...settings.filter((variable) => variable.name.startsWith("VLLM_")));
    return { variables, words: [] };
  }
  while (index < words.length) {
    if (isAssignment(words[index])) variables.push(assignment(words[index]));
    else if (!["sudo", "exec", "nohup", "time", "env", "command", "-E", "nice"].includes(words[index].text)) break;
    index += 1;
  }
  return { variables, words: words.slice(index) };
}

function isAssignment(word) {
  return /^(?:\$env:)?[A-Za-z_]\w*=/i.test(word.text);
}

/** `$env:NAME = value` of PowerShell as one word. */
function spacedAssignment([name, , value]) {
  return { ...name, text: `${name.text}=${value?.text ?? ""}`, end: value?.end ?? name.end };
}

function assignment(word) {
  const cut = word.text.indexOf("=");
  return { name: word.text.slice(0, cut).replace(/^\$env:/i, ""), value: word.text.slice(cut + 1), start: word.start, end: word.end, open: word.open };
}

/** The launches of one command: a container, a server, or a shell that runs one. */
function readCommand(words, variables, depth = 0) {
  if (depth > 4) return [];
  const texts = words.map((word) => word.text);
  const runtime = texts.findIndex((text, index) => RUNTIMES.includes(baseName(text)) && ["run", "create"].includes(runVerb(texts, index)));
  if (runtime >= 0) return readContainer(words.slice(runtime), variables, depth);
  const shell = texts.findIndex((text) => SHELLS.includes(text));
  const script = shell < 0 ? -1 : texts.findIndex((text, index) => index > shell && /^-\w*c$/.test(text));
  if (script >= 0 && words[script + 1]) {
    const inner = words[script + 1];
    if (!/\s/.test(inner.text)) return readServer(words.slice(script + 1), variables, "shell");
    return readInner(inner, variables);
  }
  const found = readServer(words, variables, "shell");
  if (found.length > 0) return found;
  const quoted = words.findIndex((word) => word.quoted && QUOTED_LAUNCH.test(word.text));
  const isText = texts.slice(0, quoted).some((text) => TEXT_PROGRAMS.includes(text));
  return quoted < 0 || isText ? [] : readInner(words[quoted], variables);
}

/** The launches of a script that is one word of another command, as after `bash -c` or `ssh host`. */
function readInner(word, variables) {
  const found = readScript(word.text, word.places, variables);
  const isOpen = (each) => each.open || (word.open && /\$[\w{(]/.test(each.text));
  return found.launches.map((launch) => ({ ...launch, faults: found.faults, arguments: launch.arguments.map((each) => ({ ...each, open: isOpen(each) })) }));
}

function baseName(text) {
  return text.split("/").pop();
}

function runVerb(texts, index) {
  return texts[index + 1] === "container" ? texts[index + 2] : texts[index + 1];
}

/** `vllm serve …`, `python -m vllm.entrypoints…` or another server, wherever it stands in the words. */
function readServer(words, variables, form) {
  for (let index = 0; index < words.length; index += 1) {
    const text = words[index].text;
    if (/^vllm(?:@.+)?$/.test(baseName(text)) && words[index + 1]?.text === "serve") {
      return [newLaunch(form, words[index], variables, { lead: "vllm-serve", arguments: words.slice(index + 2), wrapper: words.slice(0, index) })];
    }
    if (/^vllm\.entrypoints\.(?:openai\.)?(?:api_server|cli\.main)$/.test(text)) {
      const skip = words[index + 1]?.text === "serve" ? 2 : 1;
      const lead = skip === 2 ? "vllm-serve" : "python-module";
      return [newLaunch(form, words[index], variables, { lead, arguments: words.slice(index + skip), wrapper: words.slice(0, index) })];
    }
    const other = SERVERS.find((server) => server.pattern.test(text));
    if (other && index <= 3) {
      return [newLaunch(form, words[index], variables, { engine: other.engine, lead: "other", arguments: words.slice(index + 1) })];
    }
  }
  return [];
}

function newLaunch(form, head, variables, more) {
  return {
    form, engine: "vllm", head: { start: head.start, end: head.end }, image: null, options: [], entrypoint: null,
    variables: [...variables], lead: "none", arguments: [], wrapper: [], flags: [], model: null, strays: [], faults: [], ...more,
  };
}

// Containers -------------------------------------------------------------------------------------

/** `docker run …`: options up to the image, then what runs in the container. */
function readContainer(words, variables, depth) {
  const options = [];
  let index = words[1].text === "container" ? 3 : 2;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (!word.text.startsWith("-") || word.text === "-") break;
    if (word.text === "--") {
      index += 1;
      break;
    }
    index += readOption(words, index, options);
  }
  const image = words[index] ?? null;
  return containerLaunches("docker", words[0], image, options, words.slice(index + 1), variables, depth);
}

/** Read one option of the container runtime; gives how many further words it took. */
function readOption(words, index, options) {
  const word = words[index];
  const next = words[index + 1];
  const add = (name, value, end) => options.push({ name: OPTION_NAMES[name] ?? name, value, start: word.start, end, open: word.open });
  if (word.text.startsWith("--")) {
    const cut = word.text.indexOf("=");
    const name = cut < 0 ? word.text : word.text.slice(0, cut);
    if (cut >= 0) return add(name, word.text.slice(cut + 1), word.end), 0;
    if (BARE_OPTIONS.has(name) || !next) return add(name, true, word.end), 0;
    return add(name, next.text, next.end), 1;
  }
  const letters = word.text.slice(1);
  for (let at = 0; at < letters.length; at += 1) {
    const name = SHORT_OPTIONS[letters[at]] ?? `-${letters[at]}`;
    if (BARE_OPTIONS.has(name)) {
      add(name, true, word.end);
      continue;
    }
    const glued = letters.slice(at + 1).replace(/^=/, "");
    if (glued !== "") return add(name, glued, word.end), 0;
    if (!next) return 0;
    return add(name, next.text, next.end), 1;
  }
  return 0;
}

/** The launches inside a container, each with its image, options and variables. */
function containerLaunches(form, head, image, options, words, variables, depth = 0) {
  const inContainer = options.filter((option) => option.name === "--env").map(containerVariable).filter(Boolean);
  const entrypoint = options.find((option) => option.name === "--entrypoint") ?? null;
  const command = entrypointWords(entrypoint, words);
  const imageInfo = image ? readImage(image) : null;
  const inner = readCommand(command, [], depth + 1).filter((launch) => launch.lead !== "none");
  let launches = inner.map((launch) => ({ ...launch, inner: launch.form }));
  if (launches.length === 0) {
    const isServe = command[0]?.text === "serve";
    const isShell = SHELLS.includes(command[0]?.text);
    const lead = isServe ? "serve" : isShell ? "shell" : command.length > 0 ? "arguments" : "nothing";
    const isOther = runsOther(entrypoint, command, imageInfo);
    launches = [newLaunch(form, head, [], { lead, engine: isOther ? null : imageEngine(imageInfo, form), arguments: isShell ? [] : command.slice(isServe ? 1 : 0) })];
  }
  return launches.map((launch) => ({
    ...launch, form, image: imageInfo, options, entrypoint,
    isFirstWord: command[0] ? launch.head.start <= command[0].start || launch.lead === "serve" : false,
    container: { start: head.start, end: head.end },
    variables: [...inContainer, ...launch.variables], outside: variables,
  }));
}

/** The launch of a Podman unit: its keys are the options of `podman run`, `Exec` is what runs. */
function readQuadlet(text, places) {
  const options = [];
  let image = null;
  let words = [];
  const from = text.indexOf("[Container]");
  for (const match of text.slice(from).matchAll(/^[ \t]*([A-Za-z]+)[ \t]*=((?:[^\n\\]|\\\r?\n|\\[^\n])*)/gm)) {
    const [whole, key, value] = match;
    const at = from + match.index + whole.length - value.length;
    const found = readShell(value, places.slice(at, at + value.length + 1)).commands.flatMap((command) => command.words);
    const name = QUADLET_KEYS[key];
    if (key === "Image") image = found[0] ?? null;
    if (key === "Exec") words = found;
    if (key === "PodmanArgs") for (let index = 0; index < found.length; index += 1) index += readOption(found, index, options);
    if (name) for (const word of found) options.push({ name, value: word.text, start: word.start, end: word.end, open: word.open });
  }
  const launches = image ? containerLaunches("docker", image, image, options, words, []) : [];
  return { launches, faults: [] };
}

/** Whether a container runs another program than its server. */
function runsOther(entrypoint, command, image) {
  const program = baseName(command[0]?.text ?? "");
  if (program === "vllm") return command[1]?.text !== "serve";
  if (entrypoint && typeof entrypoint.value === "string" && entrypoint.value !== "") return !["serve", "vllm"].includes(program);
  if (/vllm\/vllm-openai/.test(image?.text ?? "")) return false;
  return /^(?:python3?|bash|sh|nvidia-smi|pip|ls|cat|env|ray|sleep|tail)$/.test(program) || /\.(?:sh|py)$/.test(program);
}

/** The words of the program: those of the entry point before those of the command. */
function entrypointWords(entrypoint, words) {
  if (!entrypoint || entrypoint.value === true || entrypoint.value === "") return words;
  if (entrypoint.words) return [...entrypoint.words, ...words];
  const { value, start, end } = entrypoint;
  return [{ text: value, start, end, places: [], quoted: false, open: false }, ...words];
}

function imageEngine(image, form) {
  if (!image) return form === "docker" ? "unknown" : "vllm";
  return IMAGES.find((known) => known.pattern.test(image.text.toLowerCase()))?.engine ?? "unknown";
}

function containerVariable(option) {
  const cut = String(option.value).indexOf("=");
  if (typeof option.value !== "string") return null;
  const name = cut < 0 ? option.value : option.value.slice(0, cut);
  return { name, value: cut < 0 ? null : option.value.slice(cut + 1), start: option.start, end: option.end, open: option.open || cut < 0 || /\$[{\w]/.test(option.value.slice(cut + 1)) };
}

function readImage(word) {
  const text = word.text;
  const digest = text.includes("@") ? text.slice(text.indexOf("@") + 1) : null;
  const name = text.replace(/@.*$/, "");
  const colon = name.lastIndexOf(":");
  const hasTag = colon > name.lastIndexOf("/");
  return {
    text, digest, repository: hasTag ? name.slice(0, colon) : name, tag: hasTag ? name.slice(colon + 1) : null,
    start: word.start, end: word.end, open: word.open,
  };
}

// Compose files and manifests --------------------------------------------------------------------

/** The launches of a compose file or of a Kubernetes manifest, whole or in part. */
function readManifest(text, places) {
  const launches = [];
  const faults = [];
  for (const node of readYaml(text)) {
    const recipe = readRecipe(node);
    if (recipe) {
      shiftLaunch(recipe, places);
      launches.push(...recipe.launches);
      faults.push(...recipe.faults);
      continue;
    }
    eachMapping(node, (map) => {
      const proxied = readProxied(valueOf(map, "cmd"));
      for (const launch of proxied) launches.push(shiftLaunch(launch, places));
      const keys = map.entries.map((entry) => entry.key);
      const isService = keys.includes("command") || keys.includes("args") || keys.includes("image") || keys.includes("entrypoint");
      if (!isService || keys.includes("services")) return;
      for (const launch of readService(map, node)) launches.push(shiftLaunch(launch, places));
    });
  }
  return { launches, faults };
}

/** The launch that a proxy starts for a model: `cmd` of llama-swap, whose line breaks are blanks. */
function readProxied(node) {
  if (node?.kind !== "scalar" || !/\s/.test(node.text)) return [];
  const text = node.text.replace(/^[ \t]*#[^\n]*/gm, (comment) => " ".repeat(comment.length)).replace(/\\?\n/g, (end) => " ".repeat(end.length));
  return readShell(text, node.places).commands.flatMap((command) => readCommand(command.words, []));
}

/** The launches of a recipe of the Spark tools: a script with `{name}` for each of its defaults. */
function readRecipe(root) {
  const command = root.kind === "map" ? valueOf(root, "command") : undefined;
  const defaults = root.kind === "map" ? valueOf(root, "defaults") : undefined;
  const isRecipe = valueOf(root, "recipe_version") !== undefined || defaults?.kind === "map";
  if (command?.kind !== "scalar" || !isRecipe || valueOf(root, "image") !== undefined) return null;
  const { text, places } = withDefaults(command, defaults);
  const found = readScript(text, places, recipeVariables(root));
  const isSolo = valueOf(root, "solo_only")?.text === "true";
  for (const launch of found.launches) if (!isSolo) launch.wrapper = [{ text: "sparkrun" }, ...launch.wrapper];
  return found;
}

/** A recipe's command with its defaults put in, and the place of each letter; doubled braces stand for one. */
function withDefaults(command, defaults) {
  const letters = [];
  const places = [];
  const add = (text, from, end) => {
    text.split("").forEach((letter, index) => {
      letters.push(letter);
      places.push(command.places[index === text.length - 1 ? end - 1 : Math.min(from + index, end - 1)]);
    });
  };
  let at = 0;
  for (const match of command.text.matchAll(/\{\{|\}\}|\{([A-Za-z_]\w*)\}/g)) {
    add(command.text.slice(at, match.index), at, match.index);
    add(match[1] === undefined ? match[0][0] : valueOf(defaults, match[1])?.text ?? `\${${match[1]}}`, match.index, match.index + match[0].length);
    at = match.index + match[0].length;
  }
  add(command.text.slice(at), at, command.text.length);
  return { text: letters.join(""), places };
}

function recipeVariables(root) {
  const entries = valueOf(root, "env")?.entries ?? [];
  return entries.map((entry) => ({ name: entry.key, value: entry.value?.text ?? "", start: entry.start, end: entry.value?.end ?? entry.end, open: false }));
}

/** Places inside the window become places in the pasted text. */
function shiftLaunch(launch, places) {
  const seen = new Set();
  const move = (item) => {
    if (!item || typeof item !== "object" || seen.has(item)) return;
    seen.add(item);
    if (Array.isArray(item)) {
      if (typeof item[0] === "number") item.forEach((value, index) => { item[index] = places[value] ?? value; });
      else item.forEach(move);
      return;
    }
    for (const key of ["start", "end"]) if (typeof item[key] === "number") item[key] = places[item[key]] ?? item[key];
    Object.values(item).forEach(move);
  };
  move(launch);
  return launch;
}

function readService(map, root) {
  const options = serviceOptions(map, root);
  const isPod = valueOf(map, "args") !== undefined || valueOf(root, "apiVersion") !== undefined;
  const imageNode = valueOf(map, "image");
  const image = imageNode ? imageWord(imageNode) : null;
  const command = isPod ? nodeWords(valueOf(map, "args"), true) : nodeWords(valueOf(map, "command"), false);
  const entry = isPod ? valueOf(map, "command") : valueOf(map, "entrypoint");
  if (entry) options.push({ name: "--entrypoint", value: entryText(entry), words: nodeWords(entry, isPod), start: entry.start, end: entry.start + 1 });
  const { start, end } = map.entries[0];
  const head = { start, end };
  const isPiece = !isPod && command.length === 0 && map.entries.length <= (valueOf(root, "services") === undefined ? 2 : 1);
  return containerLaunches(isPod ? "kubernetes" : isPiece ? "fragment" : "compose", head, image, options, command, []);
}

/** The image of a service: a text, or `repository` and `tag` as charts write it. */
function imageWord(node) {
  if (node.kind === "scalar") return wordOf(interpolated(node));
  const name = valueOf(node, "repository");
  if (name?.kind !== "scalar") return null;
  const tag = valueOf(node, "tag")?.text;
  return { ...wordOf(name), text: tag ? `${name.text}:${tag}` : name.text };
}

function entryText(node) {
  return node.kind === "list" ? node.items.map((item) => item.text).join(" ") : node.text ?? "";
}

/** The words of a command given as text or as a list. */
function nodeWords(node, isPod) {
  if (!node) return [];
  if (node.kind === "list") return node.items.map((item) => (item.kind === "scalar" ? wordOf(isPod ? item : interpolated(item)) : unknownWord(item, node)));
  if (node.kind !== "scalar") return [];
  const letters = node.style === "|" ? node.text.replace(/(?<!\\)\n/g, " ") : node.text;
  const { commands } = readShell(letters, node.places, { comments: isPod });
  return commands.flatMap((command) => command.words);
}

/** An item that is no text, such as `{{ .Values.name }}` of a chart. */
function unknownWord(item, list) {
  const start = item.start ?? list.start ?? 0;
  return { text: "{{ }}", start, end: item.end ?? start + 1, places: [], quoted: false, open: true };
}

function wordOf(node) {
  return { text: node.text, start: node.start, end: node.end, places: [...node.places], quoted: node.style !== "plain", open: /\$\{?\w/.test(node.text) };
}

/** A text of a compose file with `${NAME:-default}` replaced by its default. */
function interpolated(node) {
  if (typeof node.text !== "string" || !node.text.includes("$")) return node;
  const { commands } = readShell(`"${node.text.replace(/["\\`]/g, "\\$&")}"`);
  const text = commands[0]?.words[0]?.text ?? node.text;
  return { ...node, text, places: Array.from(text, (_, index) => node.places[Math.min(index, node.places.length - 1)]) };
}

/** What a service sets, under the names of the options of `docker run`. */
function serviceOptions(map, root) {
  const options = [];
  const add = (name, node, value) => node && options.push({ name, value: value ?? node.text ?? true, start: node.start ?? map.start, end: node.end ?? (node.start ?? map.start) + 1 });
  const simple = { ipc: "--ipc", shm_size: "--shm-size", network_mode: "--network", runtime: "--runtime", privileged: "--privileged", user: "--user", mem_limit: "--memory", gpus: "--gpus", restart: "--restart" };
  for (const [key, name] of Object.entries(simple)) {
    const node = valueOf(map, key);
    if (node) add(name, node);
  }
  for (const [key, name] of Object.entries({ volumes: "--volume", ports: "--publish", devices: "--device", cap_add: "--cap-add" })) {
    for (const item of valueOf(map, key)?.items ?? []) {
      if (item.kind === "scalar") add(name, interpolated(item), interpolated(item).text);
      else add(name, item, `${valueOf(item, "source")?.text ?? ""}:${valueOf(item, "target")?.text ?? ""}`);
    }
  }
  for (const item of valueOf(map, "volumeMounts")?.items ?? []) add("--volume", item, `mount:${valueOf(item, "mountPath")?.text ?? ""}`);
  const devices = valueOf(map, "deploy", "resources", "reservations", "devices");
  if (devices) add("--gpus", devices, "all");
  const limits = valueOf(map, "resources", "limits");
  if (limits && limits.entries?.some((entry) => entry.key.includes("gpu"))) add("--gpus", limits, "all");
  environment(map, options);
  probes(map, options);
  if (valueOf(root, "apiVersion") !== undefined || valueOf(map, "args") !== undefined) options.push({ name: "--network", value: "pod", start: map.start, end: map.start + 1 });
  return options;
}

function environment(map, options) {
  for (const node of [valueOf(map, "environment"), valueOf(map, "env")]) {
    for (const entry of node?.kind === "map" ? node.entries : []) {
      options.push({ name: "--env", value: `${entry.key}=${entry.value ? interpolated(entry.value).text : ""}`, start: entry.start, end: entry.value?.end ?? entry.end });
    }
    for (const item of node?.kind === "list" ? node.items : []) {
      if (item.kind === "scalar") options.push({ name: "--env", value: interpolated(item).text, start: item.start, end: item.end });
      else if (valueOf(item, "name")) options.push({ name: "--env", value: `${valueOf(item, "name").text}=${valueOf(item, "value")?.text ?? ""}`, start: item.start, end: valueOf(item, "name").end });
    }
  }
}

/** How long a service may take to start, in seconds. */
function probes(map, options) {
  const health = valueOf(map, "healthcheck");
  if (health) {
    const period = valueOf(health, "start_period");
    const patience = seconds(valueOf(health, "interval")?.text ?? "30s") * Number(valueOf(health, "retries")?.text ?? 3);
    const allowed = period ? seconds(period.text) : patience;
    options.push({ name: "--health-start-period", value: String(allowed), start: period?.start ?? health.start, end: period?.end ?? health.start + 1 });
  }
  for (const key of ["startupProbe", "readinessProbe", "livenessProbe"]) {
    const probe = valueOf(map, key);
    if (!probe) continue;
    const number = (name, fallback) => Number(valueOf(probe, name)?.text ?? fallback);
    const allowed = number("initialDelaySeconds", 0) + number("periodSeconds", 10) * number("failureThreshold", 3);
    options.push({ name: `--${key.toLowerCase()}`, value: String(allowed), start: probe.start, end: probe.start + 1 });
  }
}

/** `1h30m`, `600s` or `900` in seconds. */
function seconds(text) {
  const parts = [...String(text).matchAll(/(\d+(?:\.\d+)?)\s*(ms|h|m|s)?/g)];
  const unit = { h: 3600, m: 60, s: 1, ms: 0.001, undefined: 1 };
  return Math.round(parts.reduce((sum, part) => sum + Number(part[1]) * unit[part[2]], 0));
}

// Flags ------------------------------------------------------------------------------------------

/** Read the flags and the model of a launch by the grammar of all known releases. */
function finishLaunch(launch, engine) {
  if (launch.engine === "unknown") launch.engine = knownFlags(launch, engine) > 1 ? "vllm" : null;
  if (launch.engine !== "vllm") return;
  const words = launch.arguments;
  let index = 0;
  while (index < words.length) {
    const word = PLACEHOLDER.test(words[index].text) ? { ...words[index], open: true } : words[index];
    if (isFlag(word)) {
      const flag = readFlag(word, engine);
      launch.flags.push(flag);
      index += 1 + takeValues(flag, words, index + 1, engine);
      finishFlag(flag);
    } else {
      if (launch.model === null && launch.lead !== "python-module" && word.text !== "#") launch.model = { text: word.text, start: word.start, end: word.end, open: word.open, from: "argument" };
      else launch.strays.push(word);
      index += 1;
    }
  }
  const named = launch.flags.find((flag) => flag.name === "--model" && flag.value !== null);
  if (named && (launch.model === null || launch.model.open)) {
    launch.model = { text: named.value, start: named.valueStart, end: named.end, open: named.open, from: "--model" };
  }
}

/** How many of a launch's words are flags of the engine. */
function knownFlags(launch, engine) {
  const names = launch.arguments.map((word) => word.text.split("=")[0].replace(/_/g, "-"));
  return names.filter((name) => engine.everywhere.has(name) && !COMMON_FLAGS.includes(name)).length;
}

function isFlag(word) {
  return /^(?:--?|[–—−])[A-Za-z]/.test(word.text) && !NUMBER.test(word.text);
}

/** A word that begins with dashes, resolved to the flag it means in any known release. */
function readFlag(word, engine) {
  const dash = /^[–—−]-?/.exec(word.text);
  const text = dash ? `--${word.text.slice(dash[0].length)}` : word.text;
  const cut = text.indexOf("=");
  let written = cut < 0 ? text : text.slice(0, cut);
  const level = /^-O(\d)$/.exec(written);
  let inline = cut < 0 ? null : text.slice(cut + 1);
  if (level) [written, inline] = ["-O", level[1]];
  const dot = written.indexOf(".");
  const path = dot > 0 ? written.slice(dot + 1).split(".") : [];
  const spelled = (dot > 0 ? written.slice(0, dot) : written).replace(/(?<=^--.*)_/g, "-");
  const known = resolve(spelled, engine);
  const inlineAt = inline === null ? 0 : word.text.length - inline.length;
  return {
    written: word.text.slice(0, cut < 0 ? word.text.length : inlineAt - (level ? 0 : 1)), spelled, path, known,
    name: known?.name ?? spelled, negated: known?.negated ?? false, odd: dash !== null,
    entry: known ? engine.tables.flags[known.name] : null,
    values: inline === null ? [] : [{ text: inline, start: word.places[inlineAt] ?? word.start, end: word.end, open: word.open, quoted: word.quoted }],
    inline: inline !== null, start: word.start, end: word.end, nameEnd: word.places[Math.max(0, (cut < 0 ? word.text.length : cut) - 1)] + 1 || word.end,
  };
}

/** The flag that a spelling means: as it is, or as the only one it begins. */
function resolve(spelled, engine) {
  const exact = engine.everywhere.get(spelled);
  if (exact) return { ...exact, how: "exact" };
  if (!spelled.startsWith("--") || spelled.length < 5) return null;
  const begun = [...engine.everywhere].filter(([spelling]) => spelling.startsWith(spelled));
  const names = new Set(begun.map(([, target]) => `${target.name} ${target.negated}`));
  const latest = engine.releases[engine.releases.length - 1];
  const current = begun.filter(([, target]) => isIn(engine, engine.tables.flags[target.name].versions, latest));
  const currentNames = new Set(current.map(([, target]) => `${target.name} ${target.negated}`));
  if (names.size === 1) return { ...begun[0][1], how: "prefix", full: begun[0][0] };
  if (currentNames.size === 1) return { ...current[0][1], how: "prefix", full: current[0][0] };
  return null;
}

/** Give a flag the words that follow as its values; gives how many it took. */
function takeValues(flag, words, from, engine) {
  if (flag.inline) return 0;
  const kind = flag.entry?.kind;
  if (kind === "bool" || kind === "switch" || kind === "switch_off") return 0;
  const many = flag.entry?.nargs === "+";
  let taken = 0;
  while (from + taken < words.length) {
    const word = words[from + taken];
    if (isFlag(word)) break;
    if (!many && taken === 1) break;
    if (flag.entry === null && looksLikeModel(word)) break;
    flag.values.push(word);
    flag.end = word.end;
    taken += 1;
  }
  return taken;
}

function looksLikeModel(word) {
  return /^(?:\/|~\/|\.\/)?[\w.-]+\/[\w./-]*\d+B/i.test(word.text);
}

/** Join the values, and read JSON where the flag takes it. */
function finishFlag(flag) {
  const first = flag.values[0];
  flag.value = first ? flag.values.map((value) => value.text).join(" ") : null;
  flag.valueStart = first?.start ?? flag.start;
  flag.valueEnd = first ? flag.values[flag.values.length - 1].end : flag.end;
  flag.open = flag.values.some((value) => value.open || PLACEHOLDER.test(value.text));
  flag.values = flag.values.map((value) => value.text);
  const takesJson = flag.entry?.kind === "json" || (flag.entry?.type === "json_or_str" && /^\s*[{[]/.test(flag.value ?? ""));
  flag.json = undefined;
  if (!takesJson || flag.value === null) return;
  if (flag.path.length > 0) flag.json = nested(flag.path, scalarJson(flag.value));
  else {
    const read = readJson(flag.value);
    flag.json = read.value;
    flag.jsonError = flag.open && read.error ? null : read.error;
  }
}

function nested(path, value) {
  return path.reduceRight((inner, key) => ({ [key.replace(/\+$/, "")]: inner }), value);
}

function scalarJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { True: true, False: false, None: null }[text] ?? text;
  }
}

/** A JSON text's value, or what is wrong with it. */
export function readJson(text) {
  try {
    return { value: JSON.parse(text), error: null };
  } catch (error) {
    return { value: undefined, error: jsonReason(text, String(error.message)) };
  }
}

/** The usual reason why a JSON value in a command cannot be read, as a word for the rules. */
function jsonReason(text, message) {
  if (!/^\s*[[{]/.test(text)) return "not-json";
  if (/\\"/.test(text)) return "escaped-quotes";
  if (/'\s*:|:\s*'|\{\s*'/.test(text)) return "single-quotes";
  if (/,\s*[}\]]/.test(text)) return "trailing-comma";
  if (/:\s*(?:True|False|None)\b/.test(text)) return "python-words";
  if (!text.includes('"') && /[{,]\s*[A-Za-z_]\w*\s*:/.test(text)) return "quotes-lost";
  if (count(text, "{") !== count(text, "}") || count(text, "[") !== count(text, "]")) return "unbalanced";
  return message ? "syntax" : "syntax";
}

function count(text, letter) {
  return text.split(letter).length - 1;
}

/** All JSON given for a flag, its dotted keys merged. */
export function jsonOf(launch, name) {
  const merged = {};
  let found = false;
  for (const flag of launch.flags) {
    if (flag.name !== name || flag.json === null || typeof flag.json !== "object" || Array.isArray(flag.json)) continue;
    mergeInto(merged, flag.json, 0);
    found = true;
  }
  return found ? merged : null;
}

function mergeInto(target, source, depth) {
  for (const [key, value] of Object.entries(source)) {
    if (key === "__proto__") continue;
    const both = value && typeof value === "object" && !Array.isArray(value) && target[key] && typeof target[key] === "object";
    if (both && depth < 20) mergeInto(target[key], value, depth + 1);
    else target[key] = value;
  }
}
