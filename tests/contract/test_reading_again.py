import pytest

from monitor_site.contract import LayoutChanged, ReadBefore


class Reader:
    """Counts what it reads."""

    def __init__(self) -> None:
        self.read: list[bytes] = []
        self.before: ReadBefore[list[bytes]] = ReadBefore(most=2)

    def __call__(self, content: bytes, *beside: object) -> list[bytes]:
        return self.before.of(content, *beside, read=lambda: self._read(content))

    def _read(self, content: bytes) -> list[bytes]:
        self.read.append(content)
        return [content]


def test_the_same_bytes_are_read_once_and_give_the_very_same_value():
    reader = Reader()

    assert reader(b"page") is reader(b"page")
    assert reader.read == [b"page"]


def test_one_other_byte_is_read_anew():
    reader = Reader()

    assert reader(b"page") == [b"page"]
    assert reader(b"pagf") == [b"pagf"]


def test_the_same_bytes_for_another_question_are_read_anew():
    reader = Reader()

    reader(b"page", "camera"), reader(b"page", "lens")

    assert reader.read == [b"page", b"page"]


def test_it_never_holds_more_than_twice_what_it_was_told_to():
    reader = Reader()

    for number in range(100):
        reader(str(number).encode())
        assert len(reader.before) <= 4


def test_what_comes_again_and_again_stays_while_others_come_and_go():
    reader = Reader()

    for number in range(100):
        reader(b"usual"), reader(str(number).encode())

    assert reader.read.count(b"usual") == 1


def test_what_cannot_be_read_is_tried_again_each_time():
    before, tries = ReadBefore[str](most=2), []

    def read() -> str:
        tries.append(1)
        raise LayoutChanged("odd")

    for _ in range(2):
        with pytest.raises(LayoutChanged):
            before.of(b"odd", read=read)
    assert len(tries) == 2
