from gristmill.machines.machine import Machine


class _Meta(type):
    def __instancecheck__(cls, one):
        return isinstance(one, Machine) and not one.is_polynomial


class StructuredMachine(metaclass=_Meta):
    pass
