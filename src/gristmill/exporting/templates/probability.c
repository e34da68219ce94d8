
#include <math.h>

#if MODEL_PROBABILITY == MODEL_SOFTMAX
static void model_shares(const double *scores, double *out) {
  double all[MODEL_CLASSES] = {0}, top, total = 0;
  memcpy(all + MODEL_CLASSES - MODEL_OUTPUTS, scores, MODEL_OUTPUTS * sizeof *scores);
  top = all[0];
  for (int c = 1; c < MODEL_CLASSES; ++c) top = all[c] > top ? all[c] : top;
  for (int c = 0; c < MODEL_CLASSES; ++c) total += out[c] = exp(all[c] - top);
  for (int c = 0; c < MODEL_CLASSES; ++c) out[c] /= total;
}

#elif MODEL_PROBABILITY == MODEL_DENSITY
static void model_shares(const double *scores, double *out) {
  int passed = 0;
  while (passed < MODEL_MARKS && model_marks[passed] <= scores[0]) ++passed;
  out[1] = passed == 0 ? 0.001 : passed == MODEL_MARKS ? 0.999 : (double)passed / MODEL_MARKS;
  out[0] = 1 - out[1];
}

#elif MODEL_PROBABILITY == MODEL_SIGMOIDS
/* Sigmoids of the classes, made to add up to 1 also where each is too small for a double. */
static void model_shares(const double *scores, double *out) {
  double top = -INFINITY, total = 0;
  for (int c = 0; c < MODEL_CLASSES; ++c) {
    const double exponent = scores[c] * model_slopes[c] + model_offsets[c];
    out[c] = -(exponent > 0 ? exponent + log1p(exp(-exponent)) : log1p(exp(exponent)));
    top = out[c] > top ? out[c] : top;
  }
  for (int c = 0; c < MODEL_CLASSES; ++c) total += out[c] = exp(out[c] - top);
  for (int c = 0; c < MODEL_CLASSES; ++c) out[c] /= total;
}

#else
static double model_sigmoid(double score, size_t output) {
  const double exponent = score * model_slopes[output] + model_offsets[output], small = exp(-fabs(exponent));
  const double share = (exponent >= 0 ? small : 1) / (1 + small);
  const double first = MODEL_RULE == 2 ? share : 1 - share; /* of two classes: of the first one */
  return first < 1e-7 ? 1e-7 : first > 1 - 1e-7 ? 1 - 1e-7 : first;
}

#if MODEL_PROBABILITY == MODEL_PAIRS
/* The second method of Wu, Lin and Weng (2004), step by step as LIBSVM has it. */
static void model_sweep(double Q[MODEL_CLASSES][MODEL_CLASSES], double *p, double *Qp, double pQp) {
  for (int t = 0; t < MODEL_CLASSES; ++t) {
    const double step = (pQp - Qp[t]) / Q[t][t], grown = 1 + step;
    p[t] += step;
    pQp = (pQp + step * (step * Q[t][t] + 2 * Qp[t])) / grown / grown;
    for (int j = 0; j < MODEL_CLASSES; ++j) {
      Qp[j] = (Qp[j] + step * Q[t][j]) / grown;
      p[j] /= grown;
    }
  }
}

static void model_couple(double Q[MODEL_CLASSES][MODEL_CLASSES], double *p) {
  for (int c = 0; c < MODEL_CLASSES; ++c) p[c] = 1.0 / MODEL_CLASSES;
  for (int round = 0; round < 100 || round < MODEL_CLASSES; ++round) {
    double Qp[MODEL_CLASSES] = {0}, pQp = 0, off = 0;
    for (int i = 0; i < MODEL_CLASSES; ++i) {
      for (int j = 0; j < MODEL_CLASSES; ++j) Qp[i] += Q[i][j] * p[j];
      pQp += p[i] * Qp[i];
    }
    for (int i = 0; i < MODEL_CLASSES; ++i) off = fabs(Qp[i] - pQp) > off ? fabs(Qp[i] - pQp) : off;
    if (off < 0.005 / MODEL_CLASSES) break;
    model_sweep(Q, p, Qp, pQp);
  }
}

static void model_shares(const double *scores, double *out) {
  double Q[MODEL_CLASSES][MODEL_CLASSES] = {{0}};
  size_t output = 0;
  for (int i = 0; i < MODEL_CLASSES; ++i) {
    for (int j = i + 1; j < MODEL_CLASSES; ++j, ++output) {
      const double one = model_sigmoid(scores[output], output), other = 1 - one;
      Q[i][i] += other * other;
      Q[j][j] += one * one;
      Q[i][j] = Q[j][i] = -one * other;
    }
  }
  model_couple(Q, out);
}
#else
static void model_shares(const double *scores, double *out) {
  out[0] = model_sigmoid(scores[0], 0);
  out[1] = 1 - out[0];
}
#endif
#endif

int model_probabilities(const uint32_t *ids, size_t size, double *out) {
  double scores[MODEL_OUTPUTS];
  if (model_score(ids, size, scores, NULL) != 0) return MODEL_TOO_LONG;
  model_shares(scores, out);
  return 0;
}
