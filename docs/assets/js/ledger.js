// The ledger in the browser: the lines of macros/ledger.py, law.py and memory.py over coefficients that Python made.
// Pure functions without a page. tests/macros/test_ledger_js.py holds both to the same answers.

const GIGA = 1e9;
const KV_BITS = { bf16: 16, fp8: 8 };
const MOST_CONTEXT_TOKENS = 2 ** 24;

export const PLAIN = {
  context_tokens: 0, concurrency: 1, kv_format: "bf16", draft: "none", draft_tokens: 0, acceptance_length: 1, nodes: 1,
};

/** The question cannot be answered; the code says why and `values` fill its sentence. */
export class LedgerError extends Error {
  constructor(code, values = {}) {
    super(code);
    this.code = code;
    this.values = values;
  }
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

const bytesWhole = (module) => (module.params * module.read_bits) / 8;

/** How many experts a layer reads if every token routes independently and uniformly. */
export const expectedDistinct = (numExperts, topK, numTokens) =>
  numExperts * (1 - (1 - topK / numExperts) ** numTokens);

/** Refuse a load that makes no sense for a composition. */
export const checkLoad = (composition, load, drafter = null) => {
  const whole = [load.context_tokens, load.concurrency, load.draft_tokens, load.nodes].every(Number.isInteger);
  if (!whole || load.context_tokens < 0 || load.concurrency < 1 || load.nodes < 1) throw new LedgerError("counts");
  if (!(load.kv_format in KV_BITS)) throw new LedgerError("kv-format");
  if (load.draft === "none") {
    if (load.draft_tokens || load.acceptance_length !== 1) throw new LedgerError("no-draft");
    return;
  }
  if (load.draft_tokens < 1) throw new LedgerError("draft-tokens");
  const most = load.draft_tokens + 1;
  if (!(load.acceptance_length >= 1 && load.acceptance_length <= most)) {
    throw new LedgerError("acceptance", { most, tokens: load.draft_tokens });
  }
  if (load.draft === "mtp") {
    if (!composition.modules.some((module) => module.draft)) throw new LedgerError("no-mtp-layers");
    if (composition.ships_draft === false) throw new LedgerError("no-mtp-weights");
  } else if (!drafter) {
    throw new LedgerError("no-drafter");
  }
};

/** The share of a module that a step with `numTokens` rows reads. */
const touched = (module, numTokens, fewest) => {
  if (module.read === "never") return 0;
  if (module.read === "every") return 1;
  if (fewest) return module.top_k / module.num_experts;
  return expectedDistinct(module.num_experts, module.top_k, numTokens) / module.num_experts;
};

const drafterPasses = (load, drafter) => (drafter.passes_per_step === "one-per-token" ? load.draft_tokens : 1);

/** How often the drafts of one step read lm_head. */
const headPasses = (load, drafter) => {
  if (load.draft === "mtp") return load.draft_tokens;
  if (load.draft === "dflash" && drafter?.shares_lm_head) return drafterPasses(load, drafter);
  return 0;
};

/** The KV cache that a step reads for all requests; null where it is not known. */
export const kvBytes = (composition, load, passes = 0) => {
  if (load.context_tokens === 0) return 0;
  if (composition.cached === null) return null;
  const width = KV_BITS[load.kv_format] / 8;
  let amount = 0;
  for (const layers of composition.cached) {
    const tokens = layers.limit_tokens === null ? load.context_tokens : Math.min(load.context_tokens, layers.limit_tokens);
    amount += layers.num_layers * (layers.elements_per_token * tokens) * width * (layers.draft ? passes : 1);
  }
  return amount * load.concurrency;
};

/** The bytes of one step by module, state and KV cache. */
export const step = (composition, load, { fewest = false, drafter = null } = {}) => {
  const rows = load.concurrency * (load.draft_tokens + 1);
  const passes = load.draft === "mtp" ? load.draft_tokens : 0;
  const modules = [];
  for (const module of composition.modules) {
    if (module.read === "never" || (module.draft && !passes)) continue;
    let amount = bytesWhole(module) * touched(module, module.draft ? load.concurrency : rows, fewest);
    if (module.draft) amount *= passes;
    if (module.name === "lm_head") amount += composition.draft_head_bytes * headPasses(load, drafter);
    modules.push({
      module: module.name, part: module.part, format: module.format, params: module.params, bytes_per_step: amount,
    });
  }
  if (drafter && load.draft === "dflash") {
    modules.push({
      module: "drafter", part: "draft", format: "bf16", params: Math.floor(drafter.weight_bytes / 2),
      bytes_per_step: drafter.weight_bytes * drafterPasses(load, drafter),
    });
  }
  const writes = fewest ? 1 : load.draft_tokens + 1;
  const state_bytes = load.concurrency * composition.state_bytes * (1 + writes);
  const kv_bytes = kvBytes(composition, load, passes);
  const weight_bytes = sum(modules.map((module) => module.bytes_per_step));
  return { modules, state_bytes, kv_bytes, weight_bytes, total_bytes: weight_bytes + state_bytes + (kv_bytes ?? 0) };
};

/** The speed limits of a composition under a load, rates in tokens a second. */
export const ceiling = (composition, load, { bandwidth_gb_per_s, drafter = null }) => {
  checkLoad(composition, load, drafter);
  const expected = step(composition, load, { drafter });
  const fewest = step(composition, load, { fewest: true, drafter });
  const rate = bandwidth_gb_per_s * GIGA * load.nodes * load.acceptance_length;
  return {
    step: expected,
    bytes_per_step_min: fewest.total_bytes,
    bytes_per_step: expected.total_bytes,
    bytes_per_token: expected.total_bytes / (load.concurrency * load.acceptance_length),
    weights_ceiling_tokens_per_s: rate / expected.weight_bytes,
    ceiling_tokens_per_s: rate / expected.total_bytes,
    ceiling_aggregate_tokens_per_s: (load.concurrency * rate) / expected.total_bytes,
    highest_tokens_per_s: rate / fewest.total_bytes,
  };
};

/** The expected speed of one request under a law: its time for the bytes, plus its time for the layers. */
export const expectedTokensPerS = (law, composition, answer, load) => {
  const bytes = answer.bytes_per_step / load.nodes;
  const seconds = bytes / (law.usable_gb_per_s * GIGA) + (law.fixed_ms_per_layer * composition.num_layers) / 1e3;
  return load.acceptance_length / seconds;
};

/** A load with the acceptance that the records have for its kind of drafts. */
export const withTypicalAcceptance = (data, load) => {
  const chance = data.acceptance[load.draft] ?? null;
  if (chance === null) return load;
  let acceptance_length = 0;
  for (let position = 0; position <= load.draft_tokens; position += 1) acceptance_length += chance ** position;
  return { ...load, acceptance_length };
};

/** The cache that one request of a context occupies; null where it is not known. */
export const kvBytesKept = (composition, contextTokens, kvFormat, withDraft) => {
  if (composition.cached === null) return null;
  const width = KV_BITS[kvFormat] / 8;
  return sum(
    composition.cached
      .filter((layers) => withDraft || !layers.draft)
      .map((layers) => {
        const whole = layers.limit_tokens === null || layers.sparse;
        const tokens = whole ? contextTokens : Math.min(contextTokens, layers.limit_tokens);
        return layers.num_layers * layers.elements_per_token * width * tokens;
      }),
  );
};

/** The middle value of a list. */
export const median = (values) => {
  const ordered = [...values].sort((one, other) => one - other);
  const middle = Math.floor(ordered.length / 2);
  return ordered.length % 2 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2;
};

const requestBytes = (composition, load, contextTokens) => {
  const kept = kvBytesKept(composition, contextTokens, load.kv_format, load.draft === "mtp");
  return kept === null ? null : kept + composition.state_bytes * (1 + load.draft_tokens);
};

/** The longest context that all requests can have, by bisection. */
const longest = (composition, load, free, most) => {
  if (free <= 0) return 0;
  if (composition.cached === null) return null;
  let low = 0;
  let high = most || MOST_CONTEXT_TOKENS;
  while (low < high) {
    const middle = Math.floor((low + high + 1) / 2);
    if ((load.concurrency * requestBytes(composition, load, middle)) / load.nodes <= free) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** How many requests of the asked context fit; null where one costs nothing. */
const most = (composition, load, free) => {
  const each = requestBytes(composition, load, load.context_tokens);
  return each ? Math.max(Math.floor((free * load.nodes) / each), 0) : null;
};

/** Whether a composition fits on `load.nodes` machines; bytes are of one machine. */
export const fit = (composition, load, { capacity_bytes, reserves_bytes, model_context_tokens = null, drafter = null }) => {
  checkLoad(composition, load, drafter);
  const withDraft = load.draft === "mtp";
  const reserve = reserves_bytes.length ? median(reserves_bytes) : null;
  const resident = sum(composition.modules.filter((m) => withDraft || !m.draft).map(bytesWhole));
  const weights = (resident + (drafter?.weight_bytes ?? 0)) / load.nodes;
  const state = (load.concurrency * composition.state_bytes * (1 + load.draft_tokens)) / load.nodes;
  const kept = kvBytesKept(composition, load.context_tokens, load.kv_format, withDraft);
  const cache = kept === null ? null : (kept * load.concurrency) / load.nodes;
  const needed = weights + (cache ?? 0) + state + (reserve ?? 0);
  const free = capacity_bytes - weights - (reserve ?? 0);
  const fits = needed <= capacity_bytes;
  return {
    weight_bytes: Math.round(weights),
    kv_cache_bytes: cache === null ? null : Math.round(cache),
    state_bytes: Math.round(state),
    reserve_bytes: reserve === null ? null : Math.round(reserve),
    reserve_low_bytes: reserves_bytes.length ? Math.round(Math.min(...reserves_bytes)) : null,
    reserve_high_bytes: reserves_bytes.length ? Math.round(Math.max(...reserves_bytes)) : null,
    total_bytes: Math.round(needed),
    capacity_bytes,
    fits,
    gpu_memory_utilization: fits ? Math.ceil((100 * needed) / capacity_bytes) / 100 : null,
    kv_cache_memory_bytes: cache === null ? null : Math.round(cache + state),
    max_context_tokens: longest(composition, load, free, model_context_tokens),
    max_concurrency: most(composition, load, free),
  };
};

/** A composition in which some modules are kept in other formats; the drafts' head follows lm_head. */
export const withFormats = (composition, chosen, formats) => {
  const modules = composition.modules.map((module) => {
    const format = chosen[module.name];
    return format ? { ...module, format, read_bits: formats[format].read_bits, stored_bits: formats[format].stored_bits } : module;
  });
  const head = modules.find((module) => module.name === "lm_head");
  const draft_head_bytes = head && chosen.lm_head ? bytesWhole(head) : composition.draft_head_bytes;
  return { ...composition, modules, draft_head_bytes };
};
