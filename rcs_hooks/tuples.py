"""Defines NamedTuple for the hook path: the same to a type checker, and without `typing` at run time.

`typing` and `collections` cost a hook more to import than all else it does, and both compile code for every class.
"""

__all__ = ["NamedTuple"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from _operator import itemgetter  # built in; `operator` is a file

    class _Fields(tuple):
        """The base of all named tuples, with the methods that `collections.namedtuple` gives to each."""

        __slots__ = ()
        _fields = ()
        _field_defaults = {}  # noqa: RUF012 - never changed, and ClassVar is in `typing`

        def __new__(cls, *values, **named):
            if named or len(values) != len(cls._fields):
                values = _complete(cls, values, named)
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def __repr__(self):
            fields = (f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({', '.join(fields)})"

        def __getnewargs__(self):
            return tuple(self)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **changes):
            values = [changes.pop(field, value) for field, value in zip(self._fields, self, strict=True)]
            return type(self)(*values, **changes) if changes else tuple.__new__(type(self), values)

    def _complete(cls, values, named):
        """Return the values of all fields, or their defaults. Raises TypeError as a function would."""
        missing = len(cls._fields) - len(values)
        if not named and 0 < missing <= len(cls._field_defaults):  # a prompt may hold a hundred thousand tokens
            return (*values, *[*cls._field_defaults.values()][-missing:])
        others = cls._fields[len(values) :]
        if len(values) > len(cls._fields) or not named.keys() <= set(others):
            raise TypeError(f"{cls.__name__}() takes {', '.join(cls._fields)}; got {len(values)} and {[*named]}")
        named = cls._field_defaults | named
        if missing := [field for field in others if field not in named]:
            raise TypeError(f"{cls.__name__}() is missing {', '.join(missing)}")
        return (*values, *[named[field] for field in others])

    class _NamedTupleMeta(type):
        def __new__(meta, name, bases, namespace):
            """Make a subclass of `_Fields` with the body of this class, in which each field reads its place."""
            if not bases:
                return super().__new__(meta, name, bases, namespace)
            fields = tuple(namespace.pop("__annotations__"))
            defaults = {field: namespace[field] for field in fields if field in namespace}
            getters = {field: property(itemgetter(place)) for place, field in enumerate(fields)}
            common = {"__slots__": (), "__match_args__": fields, "_fields": fields, "_field_defaults": defaults}
            return type(name, (_Fields,), namespace | getters | common)

    class NamedTuple(metaclass=_NamedTupleMeta):
        """The base class of named tuples: a subclass declares its fields with annotations and defaults."""
