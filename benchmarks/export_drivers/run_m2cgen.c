/* run ROWS CLASSES SCORES: the same for the C that m2cgen writes, which takes a number for each feature. */
#define _POSIX_C_SOURCE 199309L
#include "peer.c"
#include "peer.h"
#include "rows.h"

int main(int count, char **words) {
  if (count != 4) return 2;
  const rows_t rows = read_rows(words[1]);
  double *dense = calloc(rows.size * FEATURES, sizeof *dense), sum = 0;
  for (size_t i = 0; i < rows.size; ++i) {
    for (size_t at = rows.starts[i]; at < rows.starts[i + 1]; ++at) {
      if (rows.ids[at] < FEATURES) dense[i * FEATURES + rows.ids[at]] = 1;
    }
  }
  const double begin = seconds();
  for (size_t i = 0; i < rows.size; ++i) sum += score(dense + i * FEATURES);
  printf("%.9f\n", seconds() - begin);
  FILE *out = fopen(words[2], "w");
  fprintf(out, "%g\n", sum); /* or nothing would be computed */
  return fclose(out);
}
