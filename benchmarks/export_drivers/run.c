/* run ROWS CLASSES SCORES: labels all rows of a file with the exported model.c, and prints the seconds that it took.
 * Of the first 5000 rows the bound and the scores are written, too. */
#define _POSIX_C_SOURCE 199309L
#include "model.c"
#include "rows.h"

int main(int count, char **words) {
  if (count != 4) return 2;
  const rows_t rows = read_rows(words[1]);
  int *classes = malloc((rows.size + 1) * sizeof *classes);
  const double begin = seconds();
  for (size_t i = 0; i < rows.size; ++i) {
    classes[i] = model_predict(rows.ids + rows.starts[i], rows.starts[i + 1] - rows.starts[i]);
  }
  printf("%.9f\n", seconds() - begin);
  FILE *out = fopen(words[2], "w");
  for (size_t i = 0; i < rows.size; ++i) fprintf(out, "%d\n", classes[i]);
  fclose(out);
  out = fopen(words[3], "w");
  for (size_t i = 0; i < rows.size && i < 5000; ++i) {
    double scores[MODEL_OUTPUTS], bound;
    if (model_score(rows.ids + rows.starts[i], rows.starts[i + 1] - rows.starts[i], scores, &bound) != 0) return 3;
    fprintf(out, "%.17g", bound);
    for (size_t o = 0; o < MODEL_OUTPUTS; ++o) fprintf(out, " %.17g", scores[o]);
    fputc('\n', out);
  }
  return fclose(out);
}
