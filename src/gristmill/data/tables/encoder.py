"""TableEncoder: tables as discrete fields with readable names, a transformer of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from gristmill.base.arrays import Flags, Int64s
from gristmill.base.checks import check_flag, is_whole
from gristmill.data.tables.coders import Codes
from gristmill.data.tables.encoding import Encoding
from gristmill.data.tables.fields import Field
from gristmill.data.tables.learning import MAX_OWN_BINS, Kind, Settings, levels_of

_VERSION = 1


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Columns of numbers, categories, booleans and dates as discrete fields: each row is in one bin of each field.

    Tables are pandas and polars frames (any eager frame that narwhals knows), lists of dicts, structured arrays, 2-D
    arrays and lists of rows; the same content gives the same codes.

    Parameters
    ----------
    bins : int
        A column of numbers with more different values gets at most so many bins of about equal mass. A value with more
        than its share is a bin of its own.
    min_frequency : int
        Categories with fewer rows become one bin, 'other'.
    kinds : dict or None
        What columns are, where that is not what they look like: 'number', 'category', 'ordered', 'boolean', 'date', or
        the list of levels of an ordered category, by the name of the column (x0, x1, ... where the table has no names).
    sparse_output : bool
        Whether `transform` gives a CSR matrix or an array. Where `set_output` asks for frames, it gives frames.

    Attributes
    ----------
    fields_ : tuple of Field
        Name, column, kind and bins of each field.
    starts_ : int64 array, one more than there are fields
        The first one-hot column of each field.
    encoding_ : Encoding
        What was learned; it needs no scikit-learn.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Numbers are read as float64; infinite ones are values like others. A value that training did not have falls into the
    bin whose range it is in. Values that were alone in their bin give it their name, and numbers between two such bins
    go to the nearer one. None, NaN, NaT and pandas.NA are missing: a bin of its own if training has such values; else
    they go to 'other' where there are categories, and otherwise to the bin of most rows. A category is known by its
    text, so 1, 1.0 and '1' are one; unseen ones go to 'other', which each field of categories has. `unseen` tells which
    cells these are. A date gives the year, the month, the day of week and, where there are times, the hour; parts that
    are constant in training are left out.

    Where both tables have names, columns are matched by them, in any order. Missing and additional columns are refused;
    a row that is a dict may lack a key where training had missing values.

    Examples
    --------
    >>> import gristmill as gm
    >>> rows = [{"age": 20 + n % 7, "housing": "own" if n % 3 else "rent"} for n in range(40)]
    >>> encoder = gm.TableEncoder(bins=3).fit(rows)
    >>> print(*encoder.get_feature_names_out(), sep="; ")
    age <= 21; age 22-23; age >= 24; housing = own; housing = rent; housing = other
    >>> encoder.codes([{"housing": "own", "age": 23}, {"housing": "boat", "age": 99}]).tolist()
    [[1, 0], [2, 2]]
    >>> encoder.unseen([{"housing": "boat", "age": 99}]).tolist()
    [[False, True]]
    """

    def __init__(
        self,
        bins: int = 32,
        *,
        min_frequency: int = 5,
        kinds: Mapping[str, Kind] | None = None,
        sparse_output: bool = True,
    ) -> None:
        self.bins = bins
        self.min_frequency = min_frequency
        self.kinds = kinds
        self.sparse_output = sparse_output

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn the bins of each column; y is not used."""
        self._take(Encoding.learn(X, self._settings(), self.kinds))
        return self

    def codes(self, X: Any) -> Codes:
        """The bin of each row in each field: a uint16 array in Fortran order."""
        return self._fitted().codes(X)

    def unseen(self, X: Any) -> Flags:
        """Which cells hold what training did not have: a category, or a missing value. A column for each field."""
        return self._fitted().unseen(X)

    def transform(self, X: Any) -> Any:
        """One-hot columns: a 1 for the bin of each field."""
        encoding = self._fitted()
        found = encoding.one_hot(encoding.codes(X))
        return found if self.sparse_output and not self._gives_frames() else found.toarray()

    def inverse_transform(self, X: Any) -> NDArray[np.object_]:
        """The words of bins, a column for each field, from codes or one-hot columns.

        Parameters
        ----------
        X : whole numbers, a column for each field; or one-hot columns: a sparse matrix, an array or a frame
        """
        encoding = self._fitted()
        given = X if sp.issparse(X) else np.asarray(X)
        if sp.issparse(X) or given.dtype.kind not in "iu" or given.ndim != 2 or given.shape[1] != len(encoding.fields):
            return encoding.words(encoding.codes_of_one_hot(given))
        if (given < 0).any() or (given >= np.diff(encoding.starts)).any():
            raise ValueError("codes must be numbers of bins, from 0 up to one less than the bins of their field")
        return encoding.words(given)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the one-hot columns: 'age 37-41', 'housing = own'."""
        encoding = self._fitted()
        _check_feature_names_in(self, input_features)
        return np.array(encoding.feature_names, dtype=object)

    # --- state --------------------------------------------------------------------------------------------------------

    def to_spec(self) -> dict[str, Any]:
        """What was learned and the parameters as plain data, which JSON holds.

        Examples
        --------
        >>> import json
        >>> import gristmill as gm
        >>> encoder = gm.TableEncoder().fit([[1.5, "a"], [2.5, "a"]])
        >>> again = gm.TableEncoder.from_spec(json.loads(json.dumps(encoder.to_spec())))
        >>> again.fields_ == encoder.fields_
        True
        """
        encoding = self._fitted()
        kinds = {name: kind if isinstance(kind, str) else levels_of(kind) for name, kind in (self.kinds or {}).items()}
        parameters = {
            "bins": int(self.bins),
            "min_frequency": int(self.min_frequency),
            "kinds": kinds or None,
            "sparse_output": bool(self.sparse_output),
        }
        return {"version": _VERSION, "parameters": parameters} | encoding.to_spec()

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> TableEncoder:
        """The fitted encoder that `to_spec` was asked of."""
        if not isinstance(spec, Mapping) or spec.get("version") != _VERSION:
            raise ValueError(f"expected the state of a table encoder of version {_VERSION}, got {str(spec)[:100]}")
        encoding = Encoding.from_spec(spec)
        try:
            made = cls(**spec["parameters"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"the parameters of a table encoder are damaged: {error}") from error
        made._settings()
        made._take(encoding)
        return made

    # --- scikit-learn -------------------------------------------------------------------------------------------------

    def _settings(self) -> Settings:
        """The checked parameters."""
        if not is_whole(self.bins) or not 2 <= self.bins <= MAX_OWN_BINS:
            raise ValueError(f"bins must be a whole number from 2 to {MAX_OWN_BINS}, got {self.bins!r}")
        if not is_whole(self.min_frequency) or self.min_frequency < 1:
            raise ValueError(f"min_frequency must be a whole number from 1 on, got {self.min_frequency!r}")
        if self.kinds is not None and not isinstance(self.kinds, Mapping):
            raise ValueError(f"kinds must be a dict from names of columns to kinds, got {self.kinds!r}")
        check_flag("sparse_output", self.sparse_output)
        return Settings(int(self.bins), int(self.min_frequency))

    def _take(self, encoding: Encoding) -> None:
        self.encoding_: Encoding = encoding
        self.fields_: tuple[Field, ...] = encoding.fields
        self.starts_: Int64s = encoding.starts
        self.n_features_in_ = len(encoding.names)
        if encoding.is_named:
            self.feature_names_in_ = np.array(encoding.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _fitted(self) -> Encoding:
        check_is_fitted(self, "encoding_")
        return self.encoding_

    def _gives_frames(self) -> bool:
        from sklearn.utils._set_output import _get_output_config

        return bool(_get_output_config("transform", self)["dense"] != "default")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
