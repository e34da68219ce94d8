
// --- probabilities ----------------------------------------------------------------------------------------------------

const probability = DATA.probability;

function normalised(logarithms) {
  const top = Math.max(...logarithms), shares = logarithms.map((value) => Math.exp(value - top));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

const bySoftmax = (scores) => normalised(scores.length === 1 ? [0, scores[0]] : scores);

function byDensity([score]) {
  const marks = probability.marks, passed = marks.filter((mark) => mark <= score).length;
  const inside = passed === 0 ? 0.001 : passed === marks.length ? 0.999 : passed / marks.length;
  return [1 - inside, inside];
}

const exponentOf = (score, output) => score * probability.a[output] + probability.b[output];

// Sigmoids of the classes, made to add up to 1 also where each is too small for a double.
function bySigmoids(scores) {
  const logarithm = (e) => -(e > 0 ? e + Math.log1p(Math.exp(-e)) : Math.log1p(Math.exp(e)));
  return normalised(scores.map((score, output) => logarithm(exponentOf(score, output))));
}

// Of a pair the share of the first class.
function pairShare(score, output) {
  const exponent = exponentOf(score, output), small = Math.exp(-Math.abs(exponent));
  const share = (exponent >= 0 ? small : 1) / (1 + small);
  return Math.min(Math.max(DATA.rule === "votes" ? share : 1 - share, 1e-7), 1 - 1e-7);
}

// The second method of Wu, Lin and Weng (2004), step by step as LIBSVM has it.
function sweep(Q, p, Qp, pQp) {
  for (let t = 0; t < p.length; ++t) {
    const step = (pQp - Qp[t]) / Q[t][t], grown = 1 + step;
    p[t] += step;
    pQp = (pQp + step * (step * Q[t][t] + 2 * Qp[t])) / grown / grown;
    for (let j = 0; j < p.length; ++j) {
      Qp[j] = (Qp[j] + step * Q[t][j]) / grown;
      p[j] /= grown;
    }
  }
}

function couple(Q) {
  const count = Q.length, p = new Array(count).fill(1 / count);
  const dot = (one, other) => one.reduce((sum, value, i) => sum + value * other[i], 0);
  for (let round = 0; round < Math.max(100, count); ++round) {
    const Qp = Q.map((line) => dot(line, p)), pQp = dot(p, Qp);
    if (Math.max(...Qp.map((value) => Math.abs(value - pQp))) < 0.005 / count) break;
    sweep(Q, p, Qp, pQp);
  }
  return p;
}

function byPairs(scores) {
  const count = classes.length, Q = classes.map(() => new Array(count).fill(0));
  for (let i = 0, output = 0; i < count; ++i) {
    for (let j = i + 1; j < count; ++j, ++output) {
      const one = pairShare(scores[output], output), other = 1 - one;
      Q[i][i] += other * other;
      Q[j][j] += one * one;
      Q[i][j] = Q[j][i] = -one * other;
    }
  }
  return couple(Q);
}

function byPair([score]) {
  const first = pairShare(score, 0);
  return [first, 1 - first];
}

const shares = { softmax: bySoftmax, density: byDensity, sigmoids: bySigmoids, pair: byPair, pairs: byPairs };

// The probabilities of the classes of a row, in the order of `classes`.
function probabilities(ids) {
  return shares[probability.kind](score(ids).scores);
}
