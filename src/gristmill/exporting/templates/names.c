
int64_t model_feature(const char *name) {
  size_t begin = 0, end = MODEL_NAMES;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    const int order = strcmp(model_names[middle], name);
    if (order == 0) return model_named_ids[middle];
    if (order < 0) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return -1;
}
