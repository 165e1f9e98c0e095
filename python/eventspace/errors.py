"""The exceptions of EventSpace. Their texts have the found value, its place, and what is allowed or can be done."""


class Error(Exception):
    """The base of all exceptions of this package. Wrong types raise TypeError, as everywhere in Python."""


class ConfigurationError(Error, ValueError):
    """The caller asked for something invalid: a wrong name, condition, range or file content."""


class EnvironmentError(Error, OSError):
    """The machine refused a valid request: no such session or file, no permission, no space, port in use."""


class UsageError(Error, RuntimeError):
    """An object was used where it cannot be: in another thread, or in a process that was forked since."""


class Closed(Error):
    """The session was closed, or the process or server with the element has ended or cannot be reached."""


class Refused(Error):
    """The element refused the operation: a tuple of the wrong type or too large, or an unknown element."""


class Gone(Error, LookupError):
    """The tuple with this number was taken or discarded before."""


class TimedOut(Error, TimeoutError):
    """The timeout of an operation passed. Nothing was done; but an exchange that times out breaks its collective."""
