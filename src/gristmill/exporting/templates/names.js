
const idOf = new Map(DATA.names);

// The id of a feature by its name; undefined for a name that the machine does not know.
function feature(name) {
  return idOf.get(name);
}
