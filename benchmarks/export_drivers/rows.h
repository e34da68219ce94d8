/* Rows of a file: a line each, the number of ids and the ids. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
  size_t size;
  size_t *starts;
  uint32_t *ids;
} rows_t;

static rows_t read_rows(const char *path) {
  rows_t rows = {0, malloc(sizeof(size_t)), NULL};
  size_t room = 0, lines = 0;
  FILE *in = fopen(path, "r");
  if (in == NULL) exit(2);
  rows.starts[0] = 0;
  for (size_t length; fscanf(in, "%zu", &length) == 1; ++rows.size) {
    const size_t begin = rows.starts[rows.size], end = begin + length;
    if (end >= room) rows.ids = realloc(rows.ids, (room = 2 * end + 1024) * sizeof *rows.ids);
    if (rows.size >= lines) rows.starts = realloc(rows.starts, (2 + (lines = 2 * rows.size + 64)) * sizeof *rows.starts);
    for (size_t i = begin; i < end; ++i) {
      if (fscanf(in, "%u", rows.ids + i) != 1) exit(2);
    }
    rows.starts[rows.size + 1] = end;
  }
  fclose(in);
  return rows;
}

/* Of processor time, which other programs leave alone. */
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
