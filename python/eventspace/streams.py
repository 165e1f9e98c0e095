"""The ends of networks of streams (docs/streams.md): a front-end sends packets down a tree of processes to many
back-ends, and their answers are combined on the way up.

    front = eventspace.streams.FrontEnd("2x4")             # the tool; its internal processes are threads here
    start_back_ends(front.attach_text())
    front.wait_for(timeout=30)
    with_maximum = front.open(up=["max"])
    with_maximum.send([0])
    print(with_maximum.receive(timeout=30).values)

    back = eventspace.streams.BackEnd(text, rank=3)        # in another process
    for packet in back:
        packet.answer([measure()])

Values of packets are int, float, str, lists of str, and numpy arrays of one dimension of numbers, at most 64 in a packet;
arrays arrive as numpy arrays that own their memory. An end is for the thread that made it.
"""

from typing import Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from eventspace import _eventspace, arguments


_MOST_RANK = 2**31 - 1


class Packet(NamedTuple):
    """A packet that was received."""

    stream: "Stream"
    tag: int
    values: Tuple[Any, ...]
    missing: List[int]  # of a packet that came up: the ranks of the back-ends whose part is missing
    wave: int  # its number on the stream

    def answer(self, values: Sequence[Any], *, tag: int = 0, timeout: Optional[float] = None) -> bool:
        """In a back-end: answers the packet, once. The answers of all back-ends to one packet are one wave. Returns
        whether the answer was sent within `timeout` seconds."""
        return self.stream._end.answer(self.stream.number, self.wave, *_given(values, tag), timeout)


class Stream:
    """One end of a stream: a logical channel between the front-end and back-ends."""

    def __init__(self, end: Any, number: int) -> None:
        self._end = end
        self.number = number

    def send(self, values: Sequence[Any], *, tag: int = 0, timeout: Optional[float] = None) -> bool:
        """Sends a packet; `tag` is for the receiver. Waits while the stream's window is full; returns whether it was
        sent within `timeout` seconds."""
        return self._end.send(self.number, *_given(values, tag), timeout)

    def receive(self, timeout: Optional[float] = None) -> Optional[Packet]:
        """The next packet of this stream; None after `timeout` seconds, or when the network has ended."""
        return _packet(self._end, self._end.receive(self.number, timeout))


def _packet(end: Any, received: Optional[Tuple[int, int, Tuple[Any, ...], List[int], int]]) -> Optional[Packet]:
    if received is None:
        return None
    number, *rest = received
    return Packet(Stream(end, number), *rest)


class FrontEnd:
    """The front-end of a network, with its internal processes as threads of this process. It serves the network, also
    back-ends that attach, while one of its functions waits. Close it, or use it in a `with` statement: that ends the
    network."""

    def __init__(self, topology: str, *, session: str = "") -> None:
        """topology: such as "flat:16" or "8x8" (docs/streams.md, "Topologies"). session: back-ends find the network
        by the name of this session."""
        self._end = _eventspace.FrontEnd(arguments.name("topology", topology), arguments.text("session", session))

    @property
    def ranks(self) -> List[int]:
        """The ranks of the back-ends that are attached."""
        return self._end.ranks

    def attach_point(self, rank: int) -> str:
        """Where the back-end of this rank attaches, as a text for BackEnd."""
        return self._end.attach_point(arguments.count("rank", rank, _MOST_RANK))

    def attach_text(self) -> str:
        """Where all back-ends attach, as a text for BackEnd or the variable EVENTSPACE_STREAM."""
        return self._end.attach_text()

    def wait_for(self, back_ends: Optional[int] = None, timeout: Optional[float] = None) -> bool:
        """Waits until so many back-ends, or all, have attached; False if they have not after `timeout` seconds."""
        count = self._end.back_ends if back_ends is None else arguments.count("back_ends", back_ends)
        return self._end.wait_for(count, timeout)

    def open(self, *, up: Union[str, Sequence[str]] = (), down: Union[str, Sequence[str]] = (),
             synchronise: str = "wait_for_all", time_out: float = 1.0, members: Sequence[int] = ()) -> Stream:
        """Opens a stream.

        up, down: names of the filters on the way (docs/streams.md, "Filters"), such as "max" or "concat"
        synchronise: "wait_for_all", "time_out" (after `time_out` seconds) or "do_not_wait"
        members: ranks of its back-ends; without any, all
        """
        ranks = arguments.counts("members", members, _MOST_RANK)
        return Stream(self._end, self._end.open(_names("up", up), _names("down", down),
                                                arguments.name("synchronise", synchronise),
                                                arguments.seconds("time_out", time_out), ranks))

    def receive(self, timeout: Optional[float] = None) -> Optional[Packet]:
        """The next packet of any stream; None after `timeout` seconds."""
        return _packet(self._end, self._end.receive(None, timeout))

    def events(self) -> Iterator[Tuple[str, List[int], str]]:
        """What has happened to the network since the last call: kind, ranks and text (docs/streams.md, "Events")."""
        while True:
            event = self._end.next_event()
            if event is None:
                return
            yield event

    def close(self) -> None:
        """Ends the network, and its back-ends with it."""
        self._end.close()

    def __enter__(self) -> "FrontEnd":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


class BackEnd:
    """A back-end of a network: an iterator of the packets that arrive, until the network ends."""

    def __init__(self, point: Optional[str] = None, *, rank: Optional[int] = None, session: str = "",
                 timeout: float = 30.0) -> None:
        """Attaches within `timeout` seconds.

        point: a text of FrontEnd.attach_point or attach_text; without one, by `session` or $EVENTSPACE_STREAM
        rank: the rank to take; None: that of the text, or any
        """
        self._end = _eventspace.BackEnd(None if point is None else arguments.name("point", point),
                                        None if rank is None else arguments.count("rank", rank, _MOST_RANK),
                                        arguments.text("session", session), arguments.seconds("timeout", timeout))

    @property
    def rank(self) -> int:
        """The rank of this back-end."""
        return self._end.rank

    @property
    def has_ended(self) -> bool:
        """Whether the network has ended."""
        return self._end.has_ended

    def receive(self, timeout: Optional[float] = None) -> Optional[Packet]:
        """The next packet; None after `timeout` seconds, or when the network has ended."""
        return _packet(self._end, self._end.receive(None, timeout))

    def __iter__(self) -> "BackEnd":
        return self

    def __next__(self) -> Packet:
        packet = self.receive()
        if packet is None:
            raise StopIteration
        return packet

    def close(self) -> None:
        """Leaves the network."""
        self._end.close()

    def __enter__(self) -> "BackEnd":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


def _names(argument: str, names: Union[str, Sequence[str]]) -> List[str]:
    return [names] if isinstance(names, str) else arguments.texts(argument, names)


def _given(values: Sequence[Any], tag: int) -> Tuple[Tuple[Any, ...], int]:
    return arguments.values("values", values), arguments.whole("tag", tag, -2**31, 2**31 - 1)
