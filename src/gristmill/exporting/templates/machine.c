/* What follows is the same in every exported file. */

#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1) || \
    DBL_MANT_DIG != 53
#error "doubles must be those of IEEE 754: compile without -ffast-math, for 32-bit x86 with -msse2 -mfpmath=sse"
#endif

/* Known features that a row may have: each takes four bytes of the stack. */
#ifndef MODEL_LONGEST
#define MODEL_LONGEST (MODEL_FEATURES < 4096 ? MODEL_FEATURES : 4096)
#endif

typedef struct {
  uint32_t ranks[MODEL_LONGEST + 1]; /* of the known features, ascending, none twice; one more while it is read */
  size_t size;
  int64_t sums[MODEL_OUTPUTS]; /* in units */
  size_t found;                /* conjunctions */
} model_row;

/* The rank of a feature, or MODEL_FEATURES. */
static uint32_t model_rank_of(uint32_t id) {
#if MODEL_DENSE_IDS
  return id < MODEL_DENSE_IDS ? model_ranks[id] : MODEL_FEATURES;
#else
  size_t begin = 0, end = MODEL_FEATURES;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (model_ids[middle] < id) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin < MODEL_FEATURES && model_ids[begin] == id ? model_ranks[begin] : MODEL_FEATURES;
#endif
}

static void model_sort(uint32_t *values, size_t size) {
  size_t gap = 1;
  while (gap < size / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3) {
    for (size_t i = gap; i < size; ++i) {
      const uint32_t value = values[i];
      size_t at = i;
      for (; at >= gap && values[at - gap] > value; at -= gap) values[at] = values[at - gap];
      values[at] = value;
    }
  }
}

static void model_drop_repeated(model_row *row) {
  size_t kept = 0;
  for (size_t i = 0; i < row->size; ++i) {
    if (kept == 0 || row->ranks[kept - 1] != row->ranks[i]) row->ranks[kept++] = row->ranks[i];
  }
  row->size = kept;
}

static void model_sort_ranks(model_row *row) {
  model_sort(row->ranks, row->size);
  model_drop_repeated(row);
}

static int model_read(const uint32_t *ids, size_t size, model_row *row) {
  row->size = 0;
  for (size_t i = 0; i < size; ++i) {
    const uint32_t rank = model_rank_of(ids[i]);
    if (rank == MODEL_FEATURES) continue;
    row->ranks[row->size++] = rank;
    if (row->size > MODEL_LONGEST) model_sort_ranks(row);
    if (row->size > MODEL_LONGEST) return MODEL_TOO_LONG;
  }
  model_sort_ranks(row);
  return 0;
}

static void model_add(const model_level *level, uint32_t at, model_row *row) {
  ++row->found;
#if MODEL_OUTPUTS == 1
  row->sums[0] += level->weights[at];
#else
  for (uint32_t i = level->first[at]; i < level->first[at + 1]; ++i) row->sums[level->outputs[i]] += level->weights[i];
#endif
}

#if MODEL_DEGREE > 1
/* Adds what extends a conjunction by one of the `count` most frequent features of the row. */
static void model_extend(size_t depth, uint32_t node, size_t count, model_row *row) {
  const model_level *level = &model_levels[depth];
  const uint32_t home = node * level->step;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t rank = row->ranks[i], bucket = (home + rank) & level->mask, end = level->starts[bucket + 1];
    uint32_t at = level->starts[bucket];
    while (at < end && level->ranks[at] != rank) ++at;
    if (at == end) continue;
    model_add(level, at, row);
    if (depth + 1 < MODEL_DEGREE) model_extend(depth + 1, at, i, row);
  }
}
#endif

static int model_sum(const uint32_t *ids, size_t size, model_row *row) {
  if (model_read(ids, size, row) != 0) return MODEL_TOO_LONG;
  memcpy(row->sums, model_base, sizeof row->sums);
  row->found = 0;
  for (size_t i = 0; i < row->size; ++i) {
    model_add(&model_levels[0], row->ranks[i], row);
#if MODEL_DEGREE > 1
    model_extend(1, row->ranks[i], i, row);
#endif
  }
  return 0;
}

/* How far sums may be from the definition's scores, in units. */
static double model_doubt(const model_row *row) {
  const double found = (double)row->found;
  return model_doubts[0] + found * (model_doubts[1] + found * model_doubts[2]);
}

int model_score(const uint32_t *ids, size_t size, double *scores, double *bound) {
  model_row row;
  if (model_sum(ids, size, &row) != 0) return MODEL_TOO_LONG;
  for (size_t o = 0; o < MODEL_OUTPUTS; ++o) scores[o] = (double)row.sums[o] * MODEL_UNIT;
  if (bound != NULL) *bound = model_doubt(&row) * MODEL_UNIT;
  return 0;
}

#if MODEL_CLASSES > 0
/* The class that scores mean, or -1 where another one is possible if each is off by up to `doubt`. */
#if MODEL_RULE == 0 /* the sign of one score */
static int model_decide_scores(const double *scores, double doubt) {
  if (doubt > 0 && scores[0] >= -doubt && scores[0] <= doubt) return -1;
  return scores[0] > 0 || (scores[0] == 0 && MODEL_ZERO_CLASS);
}
#elif MODEL_RULE == 1 /* the largest of the classes' scores, the first of equal ones */
static int model_decide_scores(const double *scores, double doubt) {
  int best = 0;
  for (int c = 1; c < MODEL_CLASSES; ++c) {
    if (scores[c] > scores[best]) best = c;
  }
  for (int c = 0; c < MODEL_CLASSES; ++c) {
    if (doubt > 0 && c != best && !(scores[best] - scores[c] > 2 * doubt)) return -1;
  }
  return best;
}
#else /* a score for each pair of classes, which vote; the first of the most voted */
static int model_decide_scores(const double *scores, double doubt) {
  int votes[MODEL_CLASSES] = {0}, open[MODEL_CLASSES] = {0}, best = 0;
  for (int i = 0; i < MODEL_CLASSES; ++i) {
    for (int j = i + 1; j < MODEL_CLASSES; ++j, ++scores) {
      if (doubt > 0 && *scores >= -doubt && *scores <= doubt) {
        ++open[i];
        ++open[j];
      } else {
        ++votes[*scores > 0 || (*scores == 0 && MODEL_ZERO_CLASS) ? i : j];
      }
    }
  }
  for (int c = 1; c < MODEL_CLASSES; ++c) {
    if (votes[c] > votes[best]) best = c;
  }
  for (int c = 0; c < MODEL_CLASSES; ++c) {
    const int most = votes[c] + open[c];
    if (c != best && (most > votes[best] || (most == votes[best] && c < best))) return -1;
  }
  return best;
}
#endif

#if MODEL_DEFINITION
static size_t model_shared(const model_row *row, uint32_t begin, uint32_t end) {
  size_t shared = 0;
  for (size_t i = 0; i < row->size && begin < end;) {
    const uint32_t own = row->ranks[i], other = model_support_ranks[begin];
    shared += own == other;
    i += own <= other;
    begin += other <= own;
  }
  return shared;
}

/* The definition, as gristmill's engine `direct` adds it up: `volatile` keeps compilers from fusing or reordering. */
static void model_define(const model_row *row, double *scores) {
  for (size_t o = 0; o < MODEL_OUTPUTS; ++o) scores[o] = 0;
  for (size_t i = 0; i + 1 < MODEL_SUPPORT_STARTS; ++i) {
    const uint32_t begin = model_support_starts[i], end = model_support_starts[i + 1];
    const size_t shared = model_shared(row, begin, end);
#if MODEL_BY_OVERLAP
    const double kernel = model_kernel[shared];
#else
    const double kernel = shared == end - begin;
#endif
    for (uint32_t c = model_coef_starts[i]; c < model_coef_starts[i + 1]; ++c) {
      volatile double term = kernel * model_coef[c];
      scores[model_coef_outputs[c]] += term;
    }
  }
  for (size_t o = 0; o < MODEL_OUTPUTS; ++o) scores[o] += model_intercept[o];
}
#endif

static int model_class_of(const model_row *row, int *certain) {
  double scores[MODEL_OUTPUTS];
  for (size_t o = 0; o < MODEL_OUTPUTS; ++o) scores[o] = (double)row->sums[o];
  int found = model_decide_scores(scores, model_doubt(row));
  if (certain != NULL) *certain = found >= 0 || MODEL_DEFINITION;
  if (found >= 0) return found;
#if MODEL_DEFINITION
  model_define(row, scores);
#endif
  return model_decide_scores(scores, 0);
}

int model_decide(const uint32_t *ids, size_t size, int *certain) {
  model_row row;
  if (model_sum(ids, size, &row) != 0) return MODEL_TOO_LONG;
  return model_class_of(&row, certain);
}

int model_predict(const uint32_t *ids, size_t size) { return model_decide(ids, size, NULL); }
#endif

#ifdef SELF_TEST
#include <stdio.h>

/* FNV-1a over the sums, 8 bytes each, the lowest first. */
static uint32_t model_digest(uint32_t digest, int64_t sum) {
  const uint64_t bits = (uint64_t)sum;
  for (int shift = 0; shift < 64; shift += 8) digest = (digest ^ (uint32_t)((bits >> shift) & 255)) * UINT32_C(16777619);
  return digest;
}

int main(void) {
  uint32_t digest = UINT32_C(2166136261);
  int wrong = 0;
  for (size_t i = 0; i < MODEL_TEST_ROWS; ++i) {
    const uint32_t *ids = model_test_ids + model_test_starts[i];
    const size_t size = model_test_starts[i + 1] - model_test_starts[i];
    model_row row;
    if (model_sum(ids, size, &row) != 0) return 2;
    for (size_t o = 0; o < MODEL_OUTPUTS; ++o) digest = model_digest(digest, row.sums[o]);
#if MODEL_CLASSES > 0
    wrong += model_class_of(&row, NULL) != model_test_classes[i];
#endif
  }
  const int good = digest == MODEL_TEST_DIGEST && wrong == 0;
  printf("self-test of %d rows: %d wrong labels, digest of scores %08lx, expected %08lx: %s\n", MODEL_TEST_ROWS, wrong,
         (unsigned long)digest, (unsigned long)MODEL_TEST_DIGEST, good ? "ok" : "FAILED");
  return !good;
}
#endif
