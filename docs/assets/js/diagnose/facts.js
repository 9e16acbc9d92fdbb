/** What follows from a launch: its model, its memory, its drafts, its releases. */

import { jsonOf } from "./command.js";
import { compareVersions, readVersion } from "./engine.js";

const GIB = 1024 ** 3;
const FORMATS = [
  ["nvfp4", /nvfp4|(?:^|[-_/])fp4(?:[-_]|$)|w4a4|w4a16_?nvfp4/i],
  ["mxfp4", /mxfp4|gpt-oss/i],
  ["exl3", /exl[23]/i],
  ["gguf", /gguf|(?:^|[-_])q[2-8]_[0k]/i],
  ["int4", /int4|awq|gptq|autoround|w4a16|4bit/i],
  ["int8", /int8|w8a8|8bit/i],
  ["fp8", /fp8/i],
  ["bf16", /bf16|fp16/i],
];
const BITS_PER_WEIGHT = { nvfp4: 5, mxfp4: 4.4, int4: 4.7, int8: 8.5, fp8: 8.4, bf16: 16, exl3: 4, gguf: 4.8 };
const BRANDS = ["qwen", "gemma", "glm", "minimax", "deepseek", "nemotron", "gpt-oss", "llama", "mistral", "kimi", "laguna", "step", "ling", "phi", "granite"];
const ORDINARY_WORDS = ["step", "ling", "granite", "kimi", "laguna"];
const RAY_CLUSTER = /(?:^|[\s"'`;&])ray start\s|run_cluster\.sh|run-cluster-node\.sh|\bRAY_ADDRESS=/m;
const CLOSED_BRANDS = ["gpt", "claude", "gemini", "grok"];

/** Every derived fact of a launch under the name that rules use. */
export function factsOf(launch, table, context) {
  const facts = { form: launch.form, engine: launch.engine, ...modelFacts(launch, table) };
  facts.version = versionFacts(launch, table, context);
  Object.assign(facts, speculationFacts(launch));
  facts.prefix_caching = prefixCaching(launch, facts);
  Object.assign(facts, placementFacts(launch, context));
  Object.assign(facts, memoryFacts(launch, facts));
  facts.container_command = launch.image === null ? null : launch.lead;
  facts.moe_backend = lower(flagValue(launch, "--moe-backend")) ?? "auto";
  facts.served_name_conflict = servedNameConflict(launch, facts);
  Object.assign(facts, graphFacts(launch, facts), mountFacts(launch), exposureFacts(launch), parserFacts(launch, facts));
  facts.version_kind = facts.version.kind;
  facts.lead = launch.lead;
  facts.open_arguments = launch.arguments.some((word) => word.open) || null;
  return facts;
}

/** The last value given for a flag, `true` for a bare one, null where it is absent or off. */
export function flagValue(launch, name) {
  const given = launch.flags.filter((flag) => flag.name === name && flag.path.length === 0);
  const last = given[given.length - 1];
  if (!last) return null;
  if (last.negated) return false;
  return last.value ?? true;
}

/** A number as flags and options write it: `8k`, `8K`, `64gb`, `0.9`. */
export function readNumber(text) {
  const match = /^\s*([+-]?\d+(?:[._]\d+)*(?:\.\d+)?)\s*([kKmMgGtT]?)(i?[bB])?\s*$/.exec(String(text ?? ""));
  if (!match) return null;
  const number = Number(match[1].replace(/_/g, ""));
  const power = { "": 0, k: 1, m: 2, g: 3, t: 4 }[match[2].toLowerCase()];
  const base = match[2] === match[2].toUpperCase() && match[2] !== "" ? 1024 : 1000;
  return Number.isFinite(number) ? number * base ** power : null;
}

function lower(value) {
  return typeof value === "string" ? value.toLowerCase().replace(/-/g, "_") : null;
}

// Model ------------------------------------------------------------------------------------------

/** Which model a launch means and from what that was concluded. */
function modelFacts(launch, table) {
  const hints = modelHints(launch);
  for (const hint of hints) {
    const known = recognise(hint.text, table);
    if (known) return { ...known, model: hint.text, model_from: hint.from, model_place: hint };
  }
  const first = hints[0];
  if (!first) return emptyModel();
  return { ...emptyModel(), ...guess(first.text, table), model: first.text, model_from: first.from, model_place: first };
}

function emptyModel() {
  return { model: null, model_id: null, hybrid: null, mtp_weights: null, format: null, total_billion: null, weights_gib: null, family: null, draft_unquantised: null };
}

function modelHints(launch) {
  const hints = [];
  if (launch.model && !launch.model.open) hints.push({ ...launch.model });
  for (const name of ["--served-model-name", "--tokenizer", "--hf-config-path"]) {
    const flag = launch.flags.find((item) => item.name === name && item.value && !item.open);
    if (flag) hints.push({ text: flag.value.split(" ")[0], start: flag.valueStart, end: flag.valueEnd, from: name });
  }
  for (const variable of [...launch.variables, ...(launch.outside ?? [])]) {
    if (/MODEL/.test(variable.name) && variable.value && !variable.open) hints.push({ text: variable.value, start: variable.start, end: variable.end, from: variable.name });
  }
  for (const { name, text, places } of launch.models ?? []) hints.push({ text, start: places[0], end: places[places.length - 1] + 1, from: name });
  if (launch.model?.open) hints.push({ ...launch.model });
  return hints;
}

/** A known checkpoint by its repository, or a known model by a name people use for it. */
export function recognise(text, table) {
  const clean = text.toLowerCase().replace(/^hf\.co\/|^https?:\/\/huggingface\.co\//, "").replace(/\/+$/, "");
  const parts = clean.split("/");
  const repository = parts.slice(-2).join("/");
  const checkpoint = table.checkpoints[repository];
  const name = parts[parts.length - 1];
  const model = checkpoint ? table.models[checkpoint.model] : modelByName(clean, name, table);
  if (!model) return null;
  const format = checkpoint?.format ?? formatOf(clean) ?? model.format ?? (isRepository(text) ? "bf16" : null);
  const total = model.total_billion ?? sizeOf(name);
  return {
    ...emptyModel(), model_id: model.id, family: model.family, hybrid: model.hybrid, mtp_weights: mtpWeights(checkpoint, model),
    format, total_billion: total, dense: model.dense, checkpoint: checkpoint?.id ?? null,
    mixed: checkpoint?.mixed ?? null, draft_unquantised: checkpoint?.draft_unquantised ?? null,
    weights_gib: checkpoint?.weights_gib ?? estimate(total, format), traits: traitsOf(clean, table),
    vision: model.vision ?? null, known_checkpoint: checkpoint !== undefined,
  };
}

/** Whether a checkpoint carries the weights of the draft layers: `shipped`, `missing` or `unknown`. */
function mtpWeights(checkpoint, model) {
  if (!model.mtp || checkpoint?.mtp === false) return "missing";
  return checkpoint?.mtp === true ? "shipped" : "unknown";
}

/** The model whose longest nickname stands in a name as whole words, if the sizes agree. */
function modelByName(clean, name, table) {
  const haystack = `-${(name.length > 2 ? name : clean).replace(/[_ ]/g, "-")}-`;
  let best = null;
  for (const [nickname, id] of table.nicknames) {
    if (best && nickname.length <= best.nickname.length) continue;
    const at = haystack.indexOf(nickname);
    if (at < 1 || /[a-z0-9.]/.test(haystack[at - 1])) continue;
    if (/^(?:[a-z0-9]|\.\d)/.test(haystack.slice(at + nickname.length))) continue;
    best = { nickname, id };
  }
  if (!best) return null;
  const model = table.models[best.id];
  const size = sizeOf(name);
  const fits = size === null || model.total_billion === null || Math.abs(size - model.total_billion) <= 0.15 * model.total_billion + 1;
  return fits ? model : null;
}

/** What the name alone tells of a model that no record knows. */
function guess(text, table) {
  const name = text.split("/").pop();
  const total = sizeOf(name);
  const traits = traitsOf(text.toLowerCase(), table);
  const format = formatOf(text) ?? (total !== null && isRepository(text) ? "bf16" : null);
  return {
    family: traits.family ?? null, hybrid: traits.hybrid ?? null, mtp_weights: "unknown", format, total_billion: total,
    dense: total === null ? null : !/a\d+(?:\.\d+)?b/i.test(name), weights_gib: estimate(total, format), traits,
  };
}

function isRepository(text) {
  return /^[A-Za-z0-9][\w.-]*\/[\w.-]+$/.test(text);
}

function traitsOf(text, table) {
  return table.families.find((family) => new RegExp(family.pattern, "iu").test(text)) ?? {};
}

function formatOf(text) {
  const name = text.split("/").pop();
  return FORMATS.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

function sizeOf(name) {
  const match = /(?:^|[^a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])/i.exec(name);
  return match ? Number(match[1]) : null;
}

function estimate(total, format) {
  if (!total || !format) return null;
  return Math.round((total * 1e9 * (BITS_PER_WEIGHT[format] ?? 16)) / 8 / GIB);
}

/** A served name that names another brand, series or size than the model. */
function servedNameConflict(launch, facts) {
  const flag = launch.flags.find((item) => item.name === "--served-model-name" && !item.open);
  if (!flag || !launch.model || launch.model.open) return null;
  const model = dotted(launch.model.text.toLowerCase());
  for (const value of flag.values) {
    const served = dotted(value.toLowerCase());
    const other = otherBrand(served, model) ?? otherSeries(served, model) ?? otherSize(served, model, facts);
    if (other !== null) return { value, start: flag.valueStart, end: flag.valueEnd, other };
  }
  return null;
}

function otherBrand(served, model) {
  const own = brandsOf(model, BRANDS);
  const named = brandsOf(served, [...BRANDS, ...CLOSED_BRANDS]);
  const isOwn = (brand) => own.some((each) => each.startsWith(brand));
  return own.length > 0 && named.length > 0 && !named.some(isOwn) ? named[0] : null;
}

function otherSeries(served, model) {
  for (const brand of BRANDS) {
    const [wanted, real] = [series(served, brand), series(model, brand)];
    if (wanted && real && wanted !== real) return `${brand}${wanted}`;
  }
  return null;
}

function otherSize(served, model, facts) {
  const size = sizeOf(served);
  const real = sizeOf(model.split("/").pop()) ?? facts.total_billion;
  const sharesBrand = BRANDS.some((brand) => served.includes(brand) && model.includes(brand));
  return size !== null && real !== null && sharesBrand && Math.abs(size - real) > 1.5 ? `${size}B` : null;
}

/** A name with the points of its version numbers: `llama-3_3` is llama-3.3. */
function dotted(name) {
  return name.replace(/(\d)[_-](\d)(?=$|[-_/ ])/g, "$1.$2");
}

/** The brands that stand in a name as words; one that is an English word needs a number behind. */
function brandsOf(name, brands) {
  const end = (brand) => (ORDINARY_WORDS.includes(brand) ? "[-_ ]?\\d" : "(?:[-_ ]?[mv]?\\d|[-_/ ]|$)");
  return brands.filter((brand) => new RegExp(`(?:^|[^a-z])${brand}${end(brand)}`).test(name));
}

/** The number of a brand's series without its point: `qwen3.5` and `qwen35` are alike. */
function series(text, brand) {
  const number = new RegExp(`${brand}[-_ ]?[mv]?(\\d{1,2}(?:\\.\\d+)?)(?!\\d|[\\d.]*b)`, "i").exec(text)?.[1];
  return number?.replace(".", "") ?? null;
}

// Release ----------------------------------------------------------------------------------------

/** Which releases a launch can run on and from what that was concluded. */
function versionFacts(launch, table, context) {
  const { engine } = table;
  if (context.engineVersion) return { ...readVersion(engine, context.engineVersion), stated: context.engineVersion, from: "reader" };
  const image = launch.image;
  if (image?.digest && table.images[image.digest]) return { ...readVersion(engine, table.images[image.digest]), stated: image.digest, from: "digest" };
  if (image?.tag) {
    const mapped = table.images[`${image.repository}:${image.tag}`.toLowerCase()];
    const version = mapped ?? /(?:^|[^\d.])v?(0\.\d+\.\d+(?:rc\d+|\.post\d+)?)/.exec(image.tag)?.[1];
    const read = version ? readVersion(engine, version) : null;
    const isOwn = /vllm\/vllm-openai$/.test(image.repository);
    if (read && (isOwn || read.kind !== "outside")) return { ...read, stated: version, from: "tag" };
  }
  if (context.logVersion) return { ...readVersion(engine, context.logVersion), stated: context.logVersion, from: "log" };
  for (const comment of context.comments) {
    const tag = /vllm[^\s]*:v?(0\.\d+\.\d+)/i.exec(comment) ?? /vllm\s+(?:version\s*)?(?:>=?\s*)?v?(0\.\d{2}\.\d+)/i.exec(comment);
    if (tag) return { ...readVersion(engine, tag[1]), stated: tag[1], from: "comment" };
  }
  const install = /vllm(?:==|@v?)(\d+\.\d+\.\d+)/.exec(context.text);
  if (install) return { ...readVersion(engine, install[1]), stated: install[1], from: "package" };
  return { kind: "unknown", releases: engine.releases, stated: null, from: null };
}

// Drafts and caches ------------------------------------------------------------------------------

/** How a launch drafts tokens: method, number, backend of the draft. */
function speculationFacts(launch) {
  const config = jsonOf(launch, "--speculative-config") ?? {};
  const method = text(config.method) ?? text(flagValue(launch, "--spec-method"));
  const drafter = text(config.model) ?? text(flagValue(launch, "--spec-model"));
  const tokens = config.num_speculative_tokens ?? flagValue(launch, "--spec-tokens");
  const meantMtp = launch.flags.some((flag) => ["--num-speculative-tokens", "--speculative-model-type"].includes(flag.spelled));
  const wanted = method ?? methodOf(drafter) ?? (meantMtp ? "mtp" : null);
  return {
    speculation: wanted === null ? null : /mtp$/i.test(wanted) ? "mtp" : wanted.toLowerCase(),
    speculation_on: wanted !== null || launch.flags.some((flag) => flag.name === "--speculative-config"),
    drafter, speculative_tokens: readNumber(tokens), draft_moe_backend: lower(text(config.moe_backend)),
  };
}

function text(value) {
  return typeof value === "string" ? value : null;
}

function methodOf(drafter) {
  if (!drafter) return null;
  return ["dspark", "dflash", "eagle3", "eagle"].find((name) => drafter.toLowerCase().includes(name)) ?? "draft_model";
}

/** `on`, `off`, or `depends` where the default of the release decides and it is not known. */
function prefixCaching(launch, facts) {
  const given = flagValue(launch, "--enable-prefix-caching");
  if (given === true) return "on";
  if (given === false) return "off";
  if (facts.hybrid === false) return "default-on";
  if (facts.hybrid !== true) return "depends";
  const since = facts.version.releases.map((release) => compareVersions(release, "0.28.0") >= 0);
  if (since.every(Boolean)) return "default-on";
  return since.some(Boolean) ? "depends" : "off";
}

// Machine ----------------------------------------------------------------------------------------

/** How many GPUs a launch asks for and whether it names several machines. */
function placementFacts(launch, context) {
  const size = (name) => Math.max(1, readNumber(flagValue(launch, name)) ?? 1);
  const gpus = size("--tensor-parallel-size") * size("--pipeline-parallel-size") * size("--data-parallel-size");
  const isRay = lower(flagValue(launch, "--distributed-executor-backend")) === "ray";
  const nodes = size("--nnodes");
  const wrapper = launch.wrapper.map((word) => word.text).join(" ");
  const isCluster = /cluster|ray|sparkrun|mpirun|srun/.test(wrapper) && !/--solo/.test(wrapper);
  const isMulti = nodes > 1 || isRay || isCluster || launch.flags.some((flag) => flag.name === "--headless");
  const free = nodes > 1 ? nodes : isMulti || RAY_CLUSTER.test(context.text) ? gpus : 1;
  return { num_gpus: gpus, num_nodes: nodes, is_ray: isRay || null, is_multi_node: isMulti || null, gpu_excess: gpus > free ? gpus - free : null };
}

/** Memory fraction, context length and what the weights leave. */
function memoryFacts(launch, facts) {
  const fraction = readNumber(flagValue(launch, "--gpu-memory-utilization"));
  const weights = facts.weights_gib === null ? null : facts.weights_gib / Math.max(1, facts.num_gpus);
  const needed = weights === null ? null : (weights + 12) / 121;
  return {
    memory_fraction: fraction, max_model_len: readNumber(flagValue(launch, "--max-model-len")),
    max_num_seqs: readNumber(flagValue(launch, "--max-num-seqs")),
    weights_gib_per_spark: weights === null ? null : Math.round(weights),
    room_gib: fraction === null || weights === null ? null : Math.round(fraction * 121 - weights),
    spare_fraction: fraction === null || needed === null ? null : fraction - needed,
  };
}

/** The largest captured graph against the largest batch of a decode step. */
function graphFacts(launch, facts) {
  const config = jsonOf(launch, "--compilation-config") ?? {};
  const listed = Array.isArray(config.cudagraph_capture_sizes) ? config.cudagraph_capture_sizes : null;
  const flag = launch.flags.find((item) => item.name === "--cudagraph-capture-sizes");
  const sizes = (listed ?? flag?.values ?? []).map(Number).filter(Number.isFinite);
  const most = sizes.length > 0 ? Math.max(...sizes) : null;
  const step = facts.max_num_seqs === null ? null : facts.max_num_seqs * (1 + (facts.speculative_tokens ?? 0));
  return { largest_graph: most, largest_step: step, graph_shortfall: most === null || step === null ? null : step - most, cudagraph_mode: text(config.cudagraph_mode) };
}

/** Volumes that hold the model, the cache or patched code. */
function mountFacts(launch) {
  const volumes = launch.options.filter((option) => option.name === "--volume" && typeof option.value === "string");
  const model = launch.model?.text ?? "";
  const isHub = /^[\w.-]+\/[\w.-]+$/.test(model) && !model.startsWith(".");
  const holdsCache = volumes.some((volume) => /huggingface|hf[_-]?(?:home|cache|hub)|\.cache|models?\b/i.test(volume.value));
  const patch = volumes.find((volume) => /:\/\S*(?:site|dist)-packages\/(?:vllm|flashinfer|torch|triton)\S*/.test(volume.value));
  const snapshot = volumes.find((volume) => /snapshots\/[0-9a-f]{7,}/.test(volume.value));
  return {
    hub_model: isHub, cache_mounted: holdsCache, patched_mount: patch ?? null, snapshot_mount: snapshot ?? null,
    is_vllm_image: launch.image !== null && /vllm/i.test(launch.image.text), image_repository: launch.image?.repository ?? null, image_tag: launch.image?.tag ?? null,
  };
}

/** Parsers that do not fit the model's family, and a reasoning parser that is missing. */
function parserFacts(launch, facts) {
  const traits = facts.traits ?? {};
  const mismatch = (name, fitting) => {
    const flag = launch.flags.find((item) => item.name === name && item.value && !item.open);
    if (!flag || !fitting || fitting.length === 0 || fitting.includes(flag.value)) return null;
    return { value: flag.value, start: flag.valueStart, end: flag.valueEnd };
  };
  const thinks = traits.reasoning && !/instruct|coder/i.test(facts.model ?? "");
  const hasParser = launch.flags.some((flag) => flag.name === "--reasoning-parser");
  return {
    model_family: traits.family ?? null,
    tool_parser_mismatch: mismatch("--tool-call-parser", traits.tool_call_parsers),
    reasoning_parser_mismatch: mismatch("--reasoning-parser", traits.reasoning_parsers),
    reasoning_parser_missing: thinks && traits.family !== "gpt-oss" && !hasParser && launch.form !== "fragment" ? true : null,
    fitting_tool_parsers: (traits.tool_call_parsers ?? []).join(", "), fitting_reasoning_parsers: (traits.reasoning_parsers ?? []).join(", "),
  };
}

/** Whether the server can be reached from other machines without a key. */
function exposureFacts(launch) {
  const host = flagValue(launch, "--host");
  const network = launch.options.find((option) => option.name === "--network")?.value;
  const published = launch.options.filter((option) => option.name === "--publish").map((option) => String(option.value));
  const onlyLocal = published.length > 0 && published.every((value) => /^(?:127\.|localhost|\[::1\])/.test(value));
  const inContainer = launch.image !== null && network !== "host";
  const reachable = inContainer ? published.length > 0 && !onlyLocal : host === "0.0.0.0" || host === "::" || (host === null && launch.form !== "fragment");
  const hasKey = flagValue(launch, "--api-key") !== null || launch.variables.some((variable) => variable.name === "VLLM_API_KEY");
  return { exposed: reachable && !hasKey ? host ?? "0.0.0.0" : null };
}
