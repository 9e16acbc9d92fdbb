// The judge in the browser: the lines of macros/judge.py over the points, ratios and causes that Python wrote.
// Pure functions without a page. tests/macros/test_judge_js.py holds both to the same answers.

import { LedgerError, PLAIN, ceiling, expectedTokensPerS, step, withTypicalAcceptance } from "./ledger.js";

const FEWEST_ALIKE = 5;
const MOST_SHOWN = 8;
const EXCELLENT = 0.9;
const NORMAL = 0.1;
const UNREMARKABLE = [0.95, 1.15];
const LIKE_CONCURRENCY = 2;
const MOST_MISSED = 1.25;
const NO_CHANGE = [0.95, 1.05];
const WIDE_BITS = 16;
const NARROW_BITS = 4.5;

const familyOf = (judging, engine) => judging.engines[engine]?.family ?? engine;
const lawOf = (data, judging, engine) => data.laws[familyOf(judging, engine)] ?? data.laws.all ?? null;
/** The kind of a load by what the sum leaves out: links, content that suits drafts. */
const kindOfLoad = (load, acceptance_is_stated) => {
  if (load.nodes > 1) return `${load.draft} machines`;
  const size = load.concurrency === 1 ? "single" : "batch";
  if (load.draft === "none" || (load.draft === "mtp" && acceptance_is_stated)) return size;
  return `${load.draft} ${size} ${acceptance_is_stated ? "stated" : "usual"}`;
};
const ratiosOf = (judging, engine, load, acceptance_is_stated) => {
  const like = judging.like_ratios[familyOf(judging, engine)] ?? judging.like_ratios.all ?? {};
  const own = like[kindOfLoad(load, acceptance_is_stated)];
  if (own) return own;
  const ratios = load.concurrency === 1 ? judging.ratios : judging.batch_ratios;
  return ratios[familyOf(judging, engine)] ?? ratios.all ?? [];
};
const drafterFor = (data, model, method) =>
  data.drafters.find((drafter) => drafter.model === model && drafter.method === method) ?? null;

/** The value below which a share of an ordered list lies, interpolated. */
export const quantile = (ordered, share) => {
  const position = share * (ordered.length - 1);
  const low = Math.floor(position);
  const high = Math.min(low + 1, ordered.length - 1);
  return ordered[low] + (ordered[high] - ordered[low]) * (position - low);
};

/** The share of values that are below one, ties counting half. */
export const percentileOf = (values, value) => {
  const below = values.filter((each) => each < value).length;
  const equal = values.filter((each) => each === value).length;
  return (below + equal / 2) / values.length;
};

/** The lowest value that a figure with its stated decimals stands for: 55 → 54.5; 5.5e1 too. */
export const lowestStated = (text) => {
  const [digits, exponent = "0"] = text.toLowerCase().split("e");
  const decimals = Math.max((digits.split(".")[1] ?? "").length - Number(exponent), 0);
  return Number(text) - 0.5 * 10 ** -decimals;
};

const verdictOf = (text, answer, ratio, reference) => {
  if (lowestStated(text) > answer.highest_tokens_per_s) return "impossible";
  if (ratio === null || !reference.length) return "normal";
  const lowest = quantile(reference, NORMAL);
  if (ratio < lowest / 2) return "something-is-wrong";
  if (ratio < lowest) return "slow";
  return ratio > quantile(reference, EXCELLENT) ? "excellent" : "normal";
};

/** The points whose conditions are nearest: checkpoint, engine, concurrency, then context. */
const nearest = (alike, checkpoint, load, engine, judging) => {
  const family = familyOf(judging, engine);
  const distance = (point) => [
    Number(point.checkpoint !== checkpoint),
    Number(familyOf(judging, point.engine) !== family),
    Math.abs(Math.log2(point.concurrency / load.concurrency)),
    Math.abs(Math.log2((point.context_tokens + 1024) / (load.context_tokens + 1024))),
    point.measurement, point.point,
  ];
  const order = (one, other) => {
    for (let index = 0; index < one.length; index += 1) {
      if (one[index] !== other[index]) return one[index] < other[index] ? -1 : 1;
    }
    return 0;
  };
  return alike.map((point) => [distance(point), point]).sort(([one], [other]) => order(one, other))
    .slice(0, MOST_SHOWN).map(([, { nodes, load: _, ...similar }]) => similar);
};

/** The place among points of like concurrency by measured over expected; null below five of them. */
const placeAmong = (alike, law, load, data, machine, ratio) => {
  if (law === null || ratio === null) return null;
  const ratios = [];
  for (const point of alike) {
    const factor = point.concurrency / load.concurrency;
    if (point.load === null || factor < 1 / LIKE_CONCURRENCY || factor > LIKE_CONCURRENCY) continue;
    const composition = data.checkpoints[point.checkpoint];
    try {
      const drafter = drafterFor(data, composition.model, point.load.draft);
      const answer = ceiling(composition, point.load, { ...machine, drafter });
      ratios.push(point.tokens_per_s / expectedTokensPerS(law, composition, answer, point.load));
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
    }
  }
  return ratios.length >= FEWEST_ALIKE ? percentileOf(ratios, ratio) : null;
};

/** The share of a plain step's weights that is kept in 16 bit. */
export const wideShare = (composition) => {
  let wide = 0;
  let all = 0;
  for (const module of composition.modules) {
    if (module.read === "never" || module.draft) continue;
    const touched = module.num_experts ? module.top_k / module.num_experts : 1;
    const amount = ((module.params * module.read_bits) / 8) * touched;
    all += amount;
    if (module.read_bits >= 16) wide += amount;
  }
  return wide / all;
};

/** Whether an input meets a predicate: a value, a list of values, or bounds. */
export const holds = (value, wanted) => {
  if (Array.isArray(wanted)) return wanted.includes(value);
  if (wanted !== null && typeof wanted === "object") {
    const { at_least: low = null, at_most: high = null } = wanted;
    return (low === null || value >= low) && (high === null || value <= high);
  }
  return value === wanted;
};

/** A composition whose layers outside the experts and drafts are kept in other bits. */
const withBits = (composition, read_bits) => ({
  ...composition,
  modules: composition.modules.map((module) => (module.draft || module.read === "experts" ? module : { ...module, read_bits })),
});

/** Measured over expected under a cause; 1 where it is no sum, null where it changes nothing. */
const shareOf = (cause, law, composition, load, drafter) => {
  if (cause.explains === null) return 1;
  const seconds = (of, under) =>
    step(of, under, { drafter }).total_bytes / load.nodes / (law.usable_gb_per_s * 1e9) + (law.fixed_ms_per_layer * of.num_layers) / 1e3;
  const own = seconds(composition, load);
  const plain = { ...load, draft: PLAIN.draft, draft_tokens: PLAIN.draft_tokens, acceptance_length: PLAIN.acceptance_length };
  const share = {
    "launch-floor": () => own / Math.max(own, (cause.floor_ms_per_layer * composition.num_layers) / 1e3),
    "one-token-a-step": () => 1 / load.acceptance_length,
    "plain-speed": () => own / seconds(composition, plain) / load.acceptance_length,
    "layers-in-16-bit": () => own / seconds(withBits(composition, WIDE_BITS), load),
    "layers-in-4-bit": () => own / seconds(withBits(composition, NARROW_BITS), load),
  }[cause.explains]();
  return NO_CHANGE[0] <= share && share <= NO_CHANGE[1] ? null : share;
};

/** The causes whose predicate holds: computed shares first, then narrow ranges whose middle is near. */
const causesOf = (causes, ratio, inputs, share, reference) => {
  const apart = inputs.nodes === 1 && (inputs.concurrency > 1 || inputs.draft === "dflash");
  const usual = apart && reference.length ? [quantile(reference, NORMAL), quantile(reference, EXCELLENT)] : UNREMARKABLE;
  if (ratio === null || (usual[0] <= ratio && ratio <= usual[1])) return [];
  const found = [];
  for (const cause of causes) {
    if (!Object.entries(cause.applies).every(([name, wanted]) => holds(inputs[name], wanted))) continue;
    const times = share(cause);
    if (times === null) continue;
    const low = Math.max(times * cause.low_ratio, times > 1 ? NO_CHANGE[1] : 0);
    const high = Math.min(times * cause.high_ratio, times < 1 ? NO_CHANGE[0] : Infinity);
    const miss = Math.max(Math.log(low / ratio), Math.log(ratio / high), 0);
    if (miss > Math.log(MOST_MISSED)) continue;
    const width = Math.log(high / low);
    const offCentre = Math.abs(Math.log(ratio / Math.sqrt(low * high))) / (width / 2);
    found.push([[miss, Number(cause.explains === null), width + offCentre, cause.id], { cause: cause.id, low_ratio: low, high_ratio: high }]);
  }
  found.sort(([one], [other]) => {
    const index = one.findIndex((value, position) => value !== other[position]);
    return index < 0 ? 0 : one[index] < other[index] ? -1 : 1;
  });
  return found.map(([, cause]) => cause);
};

/** Whether one request's speed, as stated, is normal for a checkpoint under a load in an engine. */
export const judge = (data, judging, { checkpoint, tokens_per_s, load, engine, acceptance_is_stated = true, hardware = "dgx-spark" }) => {
  const composition = data.checkpoints[checkpoint];
  const machine = data.hardware[hardware];
  const drafter = drafterFor(data, composition.model, load.draft);
  const answer = ceiling(composition, load, { ...machine, drafter });
  const speed = Number(tokens_per_s);
  const law = lawOf(data, judging, engine);
  const reference = ratiosOf(judging, engine, load, acceptance_is_stated);
  const assumed = acceptance_is_stated ? load : withTypicalAcceptance(data, load);
  const expected = law && expectedTokensPerS(law, composition, answer, assumed);
  const ratio = expected ? speed / expected : null;
  const alike = Object.keys(judging.points)
    .filter((id) => data.checkpoints[id].model === composition.model)
    .flatMap((id) => judging.points[id])
    .filter((point) => point.nodes === load.nodes && point.draft === load.draft);
  return {
    verdict: verdictOf(tokens_per_s, answer, ratio, reference),
    acceptance_length: assumed.acceptance_length,
    share_of_ceiling: speed / answer.ceiling_tokens_per_s,
    ceiling_tokens_per_s: answer.ceiling_tokens_per_s,
    expected_tokens_per_s: expected,
    ratio_to_expected: ratio,
    percentile: placeAmong(alike, law, load, data, machine, ratio),
    similar_measurements: nearest(alike, checkpoint, load, engine, judging),
    likely_causes: causesOf(judging.causes, ratio, {
      draft: load.draft,
      concurrency: load.concurrency,
      context_tokens: load.context_tokens,
      engine: familyOf(judging, engine),
      nodes: load.nodes,
      has_state: composition.state_bytes > 0,
      has_draft_layers: composition.modules.some((module) => module.draft),
      above_ceiling: speed > answer.highest_tokens_per_s,
      wide_share: wideShare(composition),
    }, (cause) => shareOf(cause, law, composition, assumed, drafter), reference),
  };
};
