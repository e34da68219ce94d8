"""Double arrays and YamCha files put together field by field, slowly and plainly."""

from __future__ import annotations

import struct


def double_array(entries):
    """{key: value} as Darts keeps it, every node at the first gap."""
    units, bases = {0: [1, 0]}, set()

    def place(unit, prefix):
        below = {key[len(prefix) :] for key in entries if key.startswith(prefix)}
        codes = sorted({rest[0] + 1 if rest else 0 for rest in below})
        base = 1
        while unit and (base in bases or any(base + code in units for code in codes)):
            base += 1
        bases.add(base)
        units[unit][0] = base
        for code in codes:
            units[base + code] = [-entries[prefix] - 1 if code == 0 else 0, base]
        for code in codes[codes[0] == 0 :]:
            place(base + code, prefix + bytes([code - 1]))

    if entries:
        place(0, b"")
    return b"".join(struct.pack("<iI", *units.get(unit, (0, 0))) for unit in range(max(units) + 2))


def look_up(array, key):
    """The value of a key, or None: the walk as the program does it."""
    units = list(struct.iter_unpack("<iI", array))

    def step(base, code):
        inside = 0 <= base + code < len(units)
        return units[base + code] if inside and units[base + code][1] == base else None

    base = units[0][0]
    for byte in key:
        unit = step(base, byte + 1)
        if unit is None:
            return None
        base = unit[0]
    end = step(base, 0)
    return -end[0] - 1 if end is not None and end[0] < 0 else None


def header(solver, one_vs_rest, degree, r, s, sizes, parameters):
    """Everything up to the parameters, of format 0.4."""
    fields = (b"0.4", solver, one_vs_rest, b"polynomial", degree, 1.0, r, s, *sizes, 0, 0, len(parameters))
    return struct.pack("<32sII32sIddd11I", *fields) + parameters


def names_and_classifiers(classes, classifiers):
    names = b"".join(struct.pack("32s", name) for name in classes)
    return names + b"".join(struct.pack("<IId", *classifier) for classifier in classifiers)


def pke(classes, classifiers, degree, features, vectors, one_vs_rest=0, marks=True):
    """A PKE file. features: {name: id}; vectors: {tuple of ids: {classifier: weight}}; marks: end each vector by -1."""
    owners, weights, starts = [], [], {}
    for ids, vector in vectors.items():
        starts[b"".join(struct.pack("<I", feature) for feature in ids)] = len(owners)
        owners += [*sorted(vector), *([-1] * marks)]
        weights += [*(vector[number] for number in sorted(vector)), *([0.0] * marks)]
    owners.append(0)
    weights.append(0.0)
    array, keys = double_array(features), double_array(starts)
    parameters = b"parsing_direction\0forward\0".ljust(40, b"\0")
    sizes = (len(classifiers), len(classes), 9, 9, len(array), 0, len(keys), len(owners))
    body = array + keys + struct.pack(f"<{len(owners)}i", *owners) + struct.pack(f"<{len(weights)}d", *weights)
    head = header(2, one_vs_rest, degree, 1.0, 1.0, sizes, parameters)
    return head + names_and_classifiers(classes, classifiers) + body


def pki(classes, classifiers, kernel, features, weights, one_vs_rest=0):
    """A PKI file. kernel: degree, r, s; features: {name: support vectors}; weights: {vector: weight} per classifier."""
    table, starts = [], {}
    for name, vectors in features.items():
        starts[name] = len(table)
        table += [*vectors, -1]
    owners = [number for vector in weights for number in (*vector, -1)]
    values = [value for vector in weights for value in (*vector.values(), 0.0)]
    array = double_array(starts)
    vectors = 1 + max(owners)
    sizes = (len(classifiers), len(classes), 9, 9, len(array), vectors + 1, len(table), len(owners))
    body = (
        array + struct.pack(f"<{len(table) + len(owners)}i", *table, *owners) + struct.pack(f"<{len(values)}d", *values)
    )
    return (
        header(1, one_vs_rest, *kernel, sizes, b"column_size\01\0") + names_and_classifiers(classes, classifiers) + body
    )


def older(classes, classifiers, kernel, features, weights):
    """The same in the format of YamCha 0.2x."""
    table, starts = [], []
    for vectors in features.values():
        starts.append(len(table))
        table += [*vectors, -1]
    array = double_array({name: number for number, name in enumerate(features)})
    entries = [(number, value) for vector in weights for number, value in (*vector.items(), (-1, 0.0))]
    vectors = 1 + max(number for number, _ in entries)
    sizes = (len(classifiers), len(classes), len(entries) - len(classifiers), vectors, len(table), len(starts), 9)
    degree, r, s = kernel
    head = struct.pack("<32s32sIddd8Ii", b"0.2", b"polynomial", degree, 1.0, r, s, *sizes, len(array), 4)
    body = b"".join(struct.pack("<id", *entry) for entry in entries)
    body += struct.pack(f"<{len(starts) + len(table)}i", *starts, *table) + array
    return head + b"a\0b\0" + names_and_classifiers(classes, classifiers) + body
