"""The library's own model file: safetensors with a versioned JSON header and a SHA-256 over everything.

The tensors are the machine's arrays. The header stands under the metadata key "gristmill". Files of older versions keep
loading (tests/golden).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from gristmill.base.arrays import Arrays, Bytes
from gristmill.base.errors import UNSOUND, FormatError
from gristmill.base.files import PathLike, write_bytes
from gristmill.data.examples import arrays_of, from_arrays, layout_of
from gristmill.data.rows import NO_VALUES, Rows
from gristmill.kernels import PolynomialKernel, from_spec, to_spec
from gristmill.machines.collection import MachineGroups, Machines
from gristmill.machines.machine import Machine
from gristmill.machines.probability import KINDS, Softmax
from gristmill.machines.probability import arrays_of as probability_arrays

if TYPE_CHECKING:
    from gristmill.data.tables.encoding import Encoding

VERSION = 3
_OF_TABLES = 2  # with an encoding of tables, or softmax
_OF_GROUPS = 3  # machines in groups; other files are of version 1, which older releases read
KEY = "gristmill"


_OTHERS = {  # files of ours by their metadata keys, and what takes them
    KEY: "a model, which `gristmill train --online --init` starts from",
    "gristmill-checkpoint": "a checkpoint of online learning, which `gristmill train --online --resume` goes on from",
    "gristmill-scorer": "a compiled scorer, a cache: name the model that it lies beside",
}


def save(machine: Machine | Machines, path: PathLike) -> None:
    """Write a machine, or many, to a file of our own format."""
    write_bytes(path, to_bytes(machine))


def to_bytes(machine: Machine | Machines) -> bytes:
    """A machine, or many, as the bytes of a model file. Equal machines give equal bytes."""
    return pack(*_parts_of(machine), KEY)


def from_bytes(data: bytes) -> Machine | Machines:
    """What is in the bytes of a model file; FormatError for anything that is not one."""
    header, arrays = unpack(data, KEY, VERSION, "machine")
    with sound("machine"):
        return _groups(header, arrays) if header["kind"] == "groups" else _found(header, arrays)


def pack(header: dict[str, Any], arrays: Arrays, key: str) -> bytes:
    """A safetensors file of arrays, with a header under a metadata key and a checksum over everything."""
    from safetensors.numpy import save as to_safetensors

    signed = {**header, "sha256": _digest(header, arrays)}
    packed: bytes = to_safetensors(arrays, metadata={key: _json(signed)})
    return packed


def unpack(data: bytes, key: str, newest: int, what: str) -> tuple[dict[str, Any], Arrays]:
    """What `pack` has packed; FormatError where it is damaged, of a newer version or something else."""
    header, arrays = _unpack(data, key, what)
    version = header.get("version")
    if type(version) is not int or not 1 <= version <= newest:
        name = "model file" if what == "machine" else what
        raise FormatError(f"{name} version {version!r}; this release reads versions up to {newest}: upgrade gristmill")
    try:
        fits = header.pop("sha256", None) == _digest(header, arrays)
    except UnicodeEncodeError:  # JSON can spell half a character, UTF-8 cannot
        fits = False
    if not fits:
        raise FormatError("the checksum does not fit: the file is damaged or was changed")
    return header, arrays


@contextlib.contextmanager
def sound(what: str) -> Iterator[None]:
    """Whatever goes wrong in building something from a file is the file's fault."""
    try:
        yield
    except FormatError:
        raise
    except UNSOUND as error:
        raise FormatError(f"not a sound {what}: {type(error).__name__}: {error}") from error


def digest_of(machine: Machine) -> str:
    """The checksum of a machine: equal machines have equal ones."""
    return _digest(*_parts(machine))


def _unpack(data: bytes, key: str, what: str) -> tuple[dict[str, Any], Arrays]:
    from safetensors import SafetensorError
    from safetensors.numpy import load as from_safetensors

    if not data.strip():
        raise FormatError("the file is empty")
    try:
        arrays: Arrays = from_safetensors(data)
        size = int.from_bytes(data[:8], "little")  # the library has checked it
        metadata = json.loads(data[8 : 8 + size]).get("__metadata__") or {}
        header = json.loads(metadata[key]) if key in metadata else None
    except (SafetensorError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise FormatError(f"a damaged safetensors file: {error}") from error
    if header is None:
        other = next((f": it is {known}" for name, known in _OTHERS.items() if name in metadata), "")
        raise FormatError(f"a safetensors file, but not a gristmill {what}{other}")
    if not isinstance(header, dict):
        raise FormatError(f"the header under {key!r} is not a JSON object")
    return header, arrays


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _digest(header: dict[str, Any], arrays: Arrays) -> str:
    digest = hashlib.sha256(_json(header).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.data)
    return digest.hexdigest()


# --- machine to parts -------------------------------------------------------------------------------------------------


def _parts_of(machine: Machine | Machines) -> tuple[dict[str, Any], Arrays]:
    if isinstance(machine, MachineGroups):
        return _group_parts(machine)
    return _parts(machine) if isinstance(machine, Machine) else _collection_parts(machine)


def _group_parts(machines: MachineGroups) -> tuple[dict[str, Any], Arrays]:
    """The arrays of group number n under names that start with 'n/'."""
    arrays, headers = dict[str, Any](), []
    for number, (name, group) in enumerate(machines.groups.items()):
        header, own = _parts_of(group)
        headers.append({"name": name, **header})
        arrays |= {f"{number}/{key}": array for key, array in own.items()}
    return {"version": _OF_GROUPS, "kind": "groups", "groups": headers}, arrays


def _parts(machine: Machine) -> tuple[dict[str, Any], Arrays]:
    names = {"feature_names": _names_array(machine.feature_names or ())} if _is_named(machine) else {}
    return _header(machine), _arrays(machine) | names


def _collection_parts(machines: Machines) -> tuple[dict[str, Any], Arrays]:
    """The arrays of machine number n under names that start with 'n:'; feature names once."""
    arrays: Arrays = {}
    headers = []
    for number, (name, machine) in enumerate(machines.items()):
        headers.append({"name": name, "named": _is_named(machine), **_header(machine)})
        arrays |= {f"{number}:{key}": array for key, array in _arrays(machine).items()}
    if machines.feature_names is not None:
        arrays["feature_names"] = _names_array(machines.feature_names)
    version = max((header["version"] for header in headers), default=1)
    return {"version": version, "kind": "collection", "machines": headers}, arrays


def _header(machine: Machine) -> dict[str, Any]:
    encoding = {} if machine.encoding is None else {"encoding": machine.encoding.to_spec()}
    return (
        _own_header(machine)
        | {
            "version": _OF_TABLES if machine.encoding is not None or isinstance(machine.probability, Softmax) else 1,
            "scheme": str(machine.scheme),
            "classes": None if machine.classes is None else machine.classes.tolist(),
            "zero_class": machine.zero_class,
            "probability": None if machine.probability is None else machine.probability.kind,
            "provenance": dict(machine.provenance),
        }
        | encoding
    )


def _is_named(machine: Machine) -> bool:
    """Whether feature names are an array of the file; else layouts of other kernels' rows or the encoding hold them."""
    return machine.explains_features and machine.feature_names is not None and machine.encoding is None


def _own_header(machine: Machine) -> dict[str, Any]:
    """The kernel and the support: two layouts, since version 1 has two."""
    kernel = machine.kernel
    if not isinstance(kernel, PolynomialKernel):
        first = {} if machine.first_id is None else {"first_id": machine.first_id}
        return {"kind": "structured", "kernel": to_spec(kernel), "support": _layout(machine), **first}
    return {
        "kind": "polynomial",
        "kernel": {"degree": kernel.degree, "gamma": kernel.gamma, "coef0": kernel.coef0},
        "n_features": machine.n_features,
        "first_id": machine.first_id,
    }


def _layout(machine: Machine) -> dict[str, Any]:
    """The layout of the support, with names where these are no array of the file."""
    return layout_of(replace(machine.rows, feature_names=None) if machine.explains_features else machine.support)


def _arrays(machine: Machine) -> Arrays:
    arrays: Arrays = {"intercept": machine.intercept}
    if not machine.is_polynomial:
        arrays |= {f"support.{name}": array for name, array in arrays_of(machine.support).items()}
    else:
        arrays |= {"support.offsets": machine.rows.offsets, "support.ids": machine.rows.ids}
        if not machine.is_binary_valued:
            arrays["support.values"] = machine.rows.values
    if isinstance(machine.coef, np.ndarray):
        arrays["coef"] = machine.coef
    else:
        arrays["coef.offsets"] = machine.coef.indptr.astype(np.int64)
        arrays["coef.outputs"] = machine.coef.indices.astype(np.int32)
        arrays["coef.values"] = machine.coef.data
    if machine.probability is not None:
        arrays |= {f"probability.{name}": array for name, array in probability_arrays(machine.probability).items()}
    return arrays


def _names_array(names: Sequence[str]) -> Bytes:
    return np.frombuffer(_json(list(names)).encode(), dtype=np.uint8)


# --- parts to machine -------------------------------------------------------------------------------------------------


def _groups(header: dict[str, Any], arrays: Arrays) -> MachineGroups:
    groups, grouped = dict[str, Machine | Machines](), _numbered(arrays, "/")
    for number, one in enumerate(header["groups"]):
        if one["name"] in groups:
            raise FormatError(f"two groups are called {one['name']!r}")
        groups[one["name"]] = _found(one, grouped.get(str(number), {}))
    return MachineGroups(groups)


def _found(header: dict[str, Any], arrays: Arrays) -> Machine | Machines:
    is_collection = header["kind"] == "collection"
    return _collection(header, arrays) if is_collection else _machine(header, arrays, _feature_names(arrays))


def _numbered(arrays: Arrays, mark: str) -> dict[str, Arrays]:
    """Arrays by the number that their names begin with."""
    grouped: dict[str, Arrays] = {}
    for key, array in arrays.items():
        number_text, _, name = key.partition(mark)
        grouped.setdefault(number_text, {})[name] = array
    return grouped


def _collection(header: dict[str, Any], arrays: Arrays) -> Machines:
    machines: dict[str, Machine] = {}
    grouped = _numbered(arrays, ":")
    names: Sequence[str] | None = None
    for number, one in enumerate(header["machines"]):
        if one["named"] and names is None:
            names = _feature_names({"feature_names": _typed(arrays, "feature_names", np.uint8)})
        if one["name"] in machines:
            raise FormatError(f"two machines are called {one['name']!r}")
        machine = _machine(one, grouped.get(str(number), {}), names if one["named"] else None)
        machines[one["name"]] = machine
        names = machine.feature_names if one["named"] else names  # as they have been checked
    return Machines(machines)


def _machine(header: dict[str, Any], arrays: Arrays, names: Sequence[str] | None) -> Machine:
    if header["kind"] not in ("polynomial", "structured"):
        raise FormatError(f"a machine of kind {header['kind']!r}, which this release does not know: upgrade gristmill")
    outputs = {
        "coef": _coef(arrays),
        "intercept": _typed(arrays, "intercept", np.float64),
        "classes": header["classes"],
        "scheme": header["scheme"],
        "zero_class": header["zero_class"],
        "probability": _probability(header["probability"], arrays),
        "provenance": header["provenance"],
        "first_id": header.get("first_id"),
        "encoding": _encoding(header["encoding"]) if "encoding" in header else None,
    }
    if header["kind"] == "structured":
        own = {name.removeprefix("support."): array for name, array in arrays.items() if name.startswith("support.")}
        support = from_arrays(header["support"], own)
        return Machine(from_spec(header["kernel"]), support, feature_names=names, **outputs)
    return Machine(
        PolynomialKernel(**header["kernel"]),
        _support(arrays, int(header["n_features"])),
        feature_names=names,
        **outputs,
    )


def _encoding(spec: Any) -> Encoding:
    from gristmill.data.tables.encoding import Encoding

    return Encoding.from_spec(spec)


def _feature_names(arrays: Arrays) -> list[str] | None:
    if "feature_names" not in arrays:
        return None
    names = json.loads(_typed(arrays, "feature_names", np.uint8).tobytes())
    if not isinstance(names, list):
        raise FormatError("'feature_names' is not a JSON list")
    return names


def _typed(arrays: Arrays, name: str, dtype: type, dimensions: int = 1) -> NDArray[Any]:
    if name not in arrays:
        raise FormatError(f"the array {name!r} is missing")
    array = arrays[name]
    if array.dtype != dtype or array.ndim != dimensions:
        raise FormatError(
            f"the array {name!r} must have {dimensions} dimensions of {dtype.__name__}, got {array.dtype} {array.shape}"
        )
    return array


def _support(arrays: Arrays, n_features: int) -> sp.csr_matrix:
    offsets, ids = _typed(arrays, "support.offsets", np.int64), _typed(arrays, "support.ids", np.int32)
    values = _typed(arrays, "support.values", np.float64) if "support.values" in arrays else NO_VALUES
    if len(values) not in (0, len(ids)):
        raise FormatError(f"{len(values)} support values for {len(ids)} ids")
    return Rows(offsets, ids, values, n_features).to_csr()


def _coef(arrays: Arrays) -> Any:
    if "coef" in arrays:
        return _typed(arrays, "coef", np.float64, dimensions=2)
    offsets, outputs = _typed(arrays, "coef.offsets", np.int64), _typed(arrays, "coef.outputs", np.int32)
    shape = (len(offsets) - 1, len(_typed(arrays, "intercept", np.float64)))
    return sp.csr_matrix((_typed(arrays, "coef.values", np.float64), outputs, offsets), shape=shape)


def _probability(kind: str | None, arrays: Arrays) -> Any:
    if kind is None:
        return None
    prefix = "probability."
    names = [name for name in arrays if name.startswith(prefix)]
    return KINDS[kind](**{name.removeprefix(prefix): _typed(arrays, name, np.float64) for name in names})
