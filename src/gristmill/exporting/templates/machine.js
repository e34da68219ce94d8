// What follows is the same in every exported file.

const TYPES = {
  u8: ["Uint8", 1, Uint8Array], u16: ["Uint16", 2, Uint16Array], u32: ["Uint32", 4, Uint32Array],
  i8: ["Int8", 1, Int8Array], i16: ["Int16", 2, Int16Array], i32: ["Int32", 4, Int32Array],
  f64: ["Float64", 8, Float64Array],
};

// Numbers, of their bytes in base 64, the lowest byte of each first.
function numbers([type, text]) {
  const [name, width, Numbers] = TYPES[type], bytes = atob(text), view = new DataView(new ArrayBuffer(bytes.length));
  for (let i = 0; i < bytes.length; ++i) view.setUint8(i, bytes.charCodeAt(i));
  const made = new Numbers(bytes.length / width), get = view["get" + name].bind(view);
  for (let i = 0; i < made.length; ++i) made[i] = get(i * width, true);
  return made;
}

// 0, and the sums of the first number, of the first two, ...
function starts(packed) {
  const counts = numbers(packed), made = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) made[i + 1] = made[i] + counts[i];
  return made;
}

const outputs = DATA.base.length;
const levels = DATA.levels.map((level) => ({
  mask: level.mask,
  step: level.step,
  starts: starts(level.counts),
  ranks: numbers(level.ranks),
  weights: numbers(level.weights),
  first: outputs > 1 ? starts(level.widths) : null,
  outputs: outputs > 1 ? numbers(level.outputs) : null,
}));

const rankOf = new Map();
numbers(DATA.features).forEach((id, rank) => rankOf.set(id, rank));

// The known features of a row, ascending by rank, none twice.
function ranksOf(ids) {
  const found = new Uint32Array(ids.length);
  let size = 0;
  for (let i = 0; i < ids.length; ++i) {
    const rank = rankOf.get(ids[i]);
    if (rank !== undefined) found[size++] = rank;
  }
  const sorted = found.subarray(0, size).sort();
  let kept = 0;
  for (let i = 0; i < size; ++i) if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[kept++] = sorted[i];
  return sorted.subarray(0, kept);
}

function add(level, at, row) {
  ++row.found;
  if (outputs === 1) {
    row.sums[0] += level.weights[at];
    return;
  }
  for (let i = level.first[at]; i < level.first[at + 1]; ++i) row.sums[level.outputs[i]] += level.weights[i];
}

// Adds what extends a conjunction by one of the `count` most frequent features of the row.
function extend(depth, node, count, row) {
  const level = levels[depth], home = Math.imul(node, level.step), ranks = row.ranks;
  for (let i = 0; i < count; ++i) {
    const rank = ranks[i], bucket = (home + rank) & level.mask, end = level.starts[bucket + 1];
    let at = level.starts[bucket];
    while (at < end && level.ranks[at] !== rank) ++at;
    if (at === end) continue;
    add(level, at, row);
    if (depth + 1 < levels.length) extend(depth + 1, at, i, row);
  }
}

// The sums of a row, in units: whole numbers below 2^53, so no order of adding them rounds.
function sum(ids) {
  const row = { ranks: ranksOf(ids), sums: Float64Array.from(DATA.base), found: 0 };
  for (let i = 0; i < row.ranks.length; ++i) {
    add(levels[0], row.ranks[i], row);
    if (levels.length > 1) extend(1, row.ranks[i], i, row);
  }
  return row;
}

// How far sums may be from the definition's scores, in units.
function doubt(row) {
  return DATA.doubts[0] + row.found * (DATA.doubts[1] + row.found * DATA.doubts[2]);
}

// --- decisions: the class that scores mean, or -1 where another one is possible if each is off by up to `doubt` ------

const isOpen = (score, doubt) => doubt > 0 && score >= -doubt && score <= doubt;
const isPositive = (score) => score > 0 || (score === 0 && DATA.zeroClass === 1);

function firstLargest(values) {
  let best = 0;
  for (let i = 1; i < values.length; ++i) if (values[i] > values[best]) best = i;
  return best;
}

function bySign(scores, doubt) {
  return isOpen(scores[0], doubt) ? -1 : Number(isPositive(scores[0]));
}

function byLargest(scores, doubt) {
  const best = firstLargest(scores);
  const near = (score, c) => c !== best && !(scores[best] - score > 2 * doubt);
  return doubt > 0 && Array.from(scores).some(near) ? -1 : best;
}

function byVotes(scores, doubt) {
  const classes = DATA.classes.length, votes = new Array(classes).fill(0), open = new Array(classes).fill(0);
  for (let i = 0, at = 0; i < classes; ++i) {
    for (let j = i + 1; j < classes; ++j, ++at) {
      if (isOpen(scores[at], doubt)) {
        ++open[i];
        ++open[j];
      } else {
        ++votes[isPositive(scores[at]) ? i : j];
      }
    }
  }
  const best = firstLargest(votes);
  const wins = (c) => c !== best && (votes[c] + open[c] > votes[best] || (votes[c] + open[c] === votes[best] && c < best));
  return votes.some((_, c) => wins(c)) ? -1 : best;
}

const decideScores = { sign: bySign, largest: byLargest, votes: byVotes }[DATA.rule];

// --- the definition, as gristmill's engine `direct` adds it up -------------------------------------------------------

let unpacked = null;

function support() {
  const packed = DATA.definition;
  unpacked ??= {
    starts: starts(packed.lengths), ranks: numbers(packed.ranks), first: starts(packed.widths),
    outputs: numbers(packed.outputs), coef: numbers(packed.coef), kernel: numbers(packed.kernel),
    intercept: numbers(packed.intercept),
  };
  return unpacked;
}

function shared(ranks, others, begin, end) {
  let count = 0;
  for (let i = 0; i < ranks.length && begin < end;) {
    const own = ranks[i], other = others[begin];
    if (own === other) ++count;
    if (own <= other) ++i;
    if (other <= own) ++begin;
  }
  return count;
}

function define(ranks) {
  const { starts, ranks: others, first, outputs: places, coef, kernel, intercept } = support();
  const scores = new Float64Array(outputs);
  for (let i = 0; i + 1 < starts.length; ++i) {
    const count = shared(ranks, others, starts[i], starts[i + 1]);
    const value = kernel.length ? kernel[count] : Number(count === starts[i + 1] - starts[i]);
    for (let c = first[i]; c < first[i + 1]; ++c) scores[places[c]] += value * coef[c];
  }
  return scores.map((score, o) => score + intercept[o]);
}

// --- the interface ----------------------------------------------------------------------------------------------------

const classes = DATA.classes;

function classOf(row) {
  const found = decideScores(row.sums, doubt(row));
  if (found >= 0) return { found, certain: true };
  const scores = DATA.definition ? define(row.ranks) : row.sums;
  return { found: decideScores(scores, 0), certain: DATA.definition !== null };
}

// Scores of a row, an array of feature ids: a number for each output. They are off by up to `bound`.
function score(ids) {
  const row = sum(ids);
  return { scores: Array.from(row.sums, (total) => total * DATA.unit), bound: doubt(row) * DATA.unit };
}

// The number of the class of a row, and whether that is gristmill's for certain.
function decide(ids) {
  const { found, certain } = classOf(sum(ids));
  return { class: found, certain };
}

// The class of a row; of regression its values.
function predict(ids) {
  if (DATA.rule !== "none") return classes[decide(ids).class];
  const { scores } = score(ids);
  return scores.length === 1 ? scores[0] : scores;
}

// FNV-1a over a sum as 8 bytes, the lowest first.
function digested(digest, total) {
  for (const half of [total >>> 0, Math.floor(total / 4294967296) >>> 0]) {
    for (let shift = 0; shift < 32; shift += 8) digest = Math.imul(digest ^ ((half >>> shift) & 255), 16777619);
  }
  return digest;
}

// Embedded rows against what gristmill says of them.
function selfTest() {
  let digest = 2166136261, wrong = 0;
  DATA.test.rows.forEach((ids, i) => {
    const row = sum(ids);
    for (const total of row.sums) digest = digested(digest, total);
    if (DATA.rule !== "none" && classOf(row).found !== DATA.test.classes[i]) ++wrong;
  });
  const found = digest >>> 0, expected = DATA.test.digest;
  return { ok: found === expected && wrong === 0, rows: DATA.test.rows.length, wrong, digest: found, expected };
}
