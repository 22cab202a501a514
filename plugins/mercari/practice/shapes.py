"""One simple drawing for each kind of goods, in units of a square of 100 by 100."""

from collections.abc import Callable

from .brush import Brush


def camera(b: Brush) -> None:
    """A compact camera."""
    b.rect(34, 27, 22, 12, "dark", round_by=3)
    b.rect(15, 34, 70, 40, "body", round_by=6)
    b.rect(15, 44, 70, 20, "dark", round_by=1)
    b.disc(50, 55, 19, "light")
    b.disc(50, 55, 15, "dark")
    b.disc(50, 55, 9, "accent")
    b.disc(46, 51, 3, "paper")
    b.rect(66, 37, 13, 5, "paper", round_by=1)
    b.disc(24, 39, 3, "accent")


def lens(b: Brush) -> None:
    """A lens, standing."""
    b.rect(30, 28, 40, 46, "dark", round_by=4)
    for y in range(38, 56, 3):
        b.rect(30, y, 40, 1.4, "body")
    b.rect(27, 60, 46, 16, "body", round_by=3)
    b.disc(50, 28, 20, "light", flat=0.4)
    b.disc(50, 28, 16, "dark", flat=0.4)
    b.disc(50, 28, 10, "accent", flat=0.4)


def record(b: Brush) -> None:
    """A record half out of its sleeve."""
    b.disc(60, 50, 30, "dark")
    for r in (27, 24, 21, 18, 15):
        b.ring(60, 50, r, "body", width=0.5)
    b.disc(60, 50, 10, "accent")
    b.disc(60, 50, 1.6, "paper")
    b.rect(12, 20, 52, 60, "body", round_by=1)
    b.disc(38, 46, 15, "light")
    b.poly([(12, 80), (12, 62), (34, 50), (50, 66), (64, 56), (64, 80)], "accent")
    b.rect(12, 20, 7, 60, "paper")


def figure(b: Brush) -> None:
    """A figure on its stand."""
    b.disc(50, 82, 24, "dark", flat=0.25)
    b.poly([(36, 82), (42, 52), (58, 52), (64, 82), (53, 82), (50, 66), (47, 82)], "body")
    b.poly([(34, 60), (42, 38), (58, 38), (66, 60)], "accent")
    b.line([(42, 42), (28, 54), (24, 46)], "light", width=4)
    b.line([(58, 42), (74, 34), (80, 22)], "light", width=4)
    b.disc(50, 26, 13, "light")
    b.poly([(36, 28), (38, 12), (62, 12), (65, 30), (57, 19), (48, 22)], "dark")
    b.disc(46, 28, 1.6, "dark")
    b.disc(55, 28, 1.6, "dark")


def plush(b: Brush) -> None:
    """A round animal."""
    for x in (30, 70):
        b.disc(x, 26, 11, "body")
        b.disc(x, 26, 6, "accent")
    b.disc(50, 68, 27, "body")
    b.disc(50, 70, 18, "light")
    b.disc(50, 40, 24, "body")
    for x in (41, 59):
        b.disc(x, 38, 2.6, "dark")
    b.disc(50, 47, 8, "light", flat=0.75)
    b.disc(50, 44, 2.6, "dark", flat=0.7)
    b.arc(50, 46, 4, "dark", start=20, end=160, width=0.9)


def watch(b: Brush) -> None:
    """A wrist watch at a random time."""
    b.rect(39, 6, 22, 88, "dark", round_by=5)
    b.rect(70, 47, 6, 6, "light", round_by=1)
    b.disc(50, 50, 26, "light")
    b.disc(50, 50, 22, "body")
    for hour in range(12):
        b.hand(50, 50, 20, hour * 30, "paper", width=1)
    b.disc(50, 50, 17, "body")
    b.hand(50, 50, 11, b.rng.randrange(360), "paper", width=2.2)
    b.hand(50, 50, 17, b.rng.randrange(360), "paper", width=1.4)
    b.hand(50, 50, 18, b.rng.randrange(360), "accent", width=0.7)
    b.disc(50, 50, 1.8, "accent")


def console(b: Brush) -> None:
    """A handheld game console."""
    b.rect(8, 30, 84, 42, "body", round_by=16)
    b.rect(28, 34, 44, 33, "dark", round_by=2)
    b.rect(31, 37, 38, 27, "light", round_by=1)
    b.poly([(31, 64), (40, 50), (48, 60), (57, 46), (69, 64)], "accent")
    b.rect(16, 46.5, 10, 3.4, "dark", round_by=0.5)
    b.rect(19.3, 43, 3.4, 10, "dark", round_by=0.5)
    b.disc(83, 44, 3, "accent")
    b.disc(77, 51, 3, "accent")
    b.rect(76, 62, 8, 1.6, "dark", round_by=0.5)


def game(b: Brush) -> None:
    """A game cartridge."""
    b.rect(25, 18, 50, 64, "body", round_by=4)
    b.rect(31, 28, 38, 36, "paper", round_by=2)
    b.poly([(31, 64), (31, 54), (44, 40), (54, 52), (62, 45), (69, 54), (69, 64)], "accent")
    b.disc(60, 36, 4, "light")
    for x in range(33, 68, 5):
        b.rect(x, 74, 3, 8, "light")


def bowl(b: Brush) -> None:
    """A tea bowl."""
    b.rect(40, 74, 20, 6, "dark", round_by=1)
    b.poly([(18, 42), (82, 42), (76, 62), (64, 76), (36, 76), (24, 62)], "body")
    b.disc(50, 42, 32, "light", flat=0.28)
    b.disc(50, 42, 28, "dark", flat=0.24)
    b.disc(50, 44, 22, "accent", flat=0.2)
    b.line([(22, 54), (36, 60), (52, 55), (66, 61), (79, 54)], "light", width=1.6)


def headphones(b: Brush) -> None:
    """Over-ear headphones."""
    b.arc(50, 48, 33, "dark", start=180, end=360, width=5)
    b.arc(50, 48, 29, "light", start=190, end=350, width=2)
    for x in (19, 81):
        b.rect(x - 9, 46, 18, 32, "body", round_by=8)
        b.rect(x - 5, 51, 10, 22, "accent", round_by=5)


def guitar(b: Brush) -> None:
    """A guitar."""
    b.rect(47, 8, 6, 46, "dark")
    b.rect(44, 3, 12, 11, "body", round_by=2)
    b.disc(50, 55, 15, "body")
    b.disc(50, 77, 20, "body")
    b.disc(50, 62, 7, "dark")
    b.rect(41, 81, 18, 3, "light", round_by=1)
    for x in (48.4, 50, 51.6):
        b.line([(x, 10), (x, 82)], "paper", width=0.3)


def synth(b: Brush) -> None:
    """A keyboard instrument, also used for typing keyboards' big sister."""
    b.rect(7, 32, 86, 40, "body", round_by=3)
    for n in range(9):
        b.disc(15 + n * 8.7, 40, 2.2, "accent" if n % 3 == 0 else "light")
    b.rect(10, 48, 80, 21, "paper", round_by=1)
    for n in range(1, 14):
        b.rect(10 + n * 80 / 14, 48, 0.4, 21, "dark")
        if n % 7 not in (0, 3):
            b.rect(8.6 + n * 80 / 14, 48, 2.8, 12, "dark")


def sneaker(b: Brush) -> None:
    """A low shoe."""
    b.poly([(12, 40), (34, 34), (46, 50), (72, 58), (88, 66), (88, 74), (12, 74)], "body")
    b.rect(9, 70, 82, 9, "paper", round_by=4)
    b.poly([(18, 66), (40, 60), (62, 68), (34, 68)], "accent")
    for n in range(4):
        b.line([(37 + n * 5, 46 + n * 3), (45 + n * 5, 42 + n * 3)], "paper", width=1.4)


def bag(b: Brush) -> None:
    """A bag with a handle."""
    b.arc(50, 36, 19, "dark", start=180, end=360, width=3.4)
    b.rect(18, 36, 64, 46, "body", round_by=6)
    b.rect(18, 36, 64, 17, "light", round_by=5)
    b.rect(44, 48, 12, 10, "accent", round_by=2)


def jacket(b: Brush) -> None:
    """A jacket, laid flat."""
    b.poly([(34, 20), (10, 38), (17, 72), (27, 70), (29, 46), (29, 84), (71, 84), (71, 46), (73, 70), (83, 72),
            (90, 38), (66, 20)], "body")  # fmt: skip
    b.poly([(34, 20), (50, 34), (66, 20), (60, 15), (40, 15)], "dark")
    b.rect(49.2, 32, 1.6, 52, "paper")
    b.rect(56, 46, 10, 1.6, "accent")


def card(b: Brush) -> None:
    """A trading card in a sleeve."""
    b.rect(25, 12, 50, 74, "paper", round_by=3)
    b.rect(28, 15, 44, 68, "body", round_by=2)
    b.rect(32, 22, 36, 32, "light", round_by=1)
    b.poly([(36, 54), (44, 34), (50, 27), (56, 34), (64, 54)], "accent")
    b.disc(50, 36, 3, "dark")
    for y in (60, 66, 72):
        b.rect(33, y, 30 if y < 72 else 20, 2, "light")


def book(b: Brush) -> None:
    """A stack of books."""
    for n, colour in enumerate(("body", "accent", "light", "dark")):
        shift = b.rng.uniform(-4, 4)
        b.rect(18 + shift, 66 - n * 14, 64, 13, colour, round_by=1.5)
        b.rect(22 + shift, 69 - n * 14, 60, 7, "paper")


def keyboard(b: Brush) -> None:
    """A typing keyboard."""
    b.rect(6, 32, 88, 38, "body", round_by=4)
    for row in range(4):
        for n in range(12):
            wide = row == 3 and n == 4
            colour = "accent" if (row, n) in {(0, 0), (2, 11)} else "paper"
            if not (row == 3 and 4 < n < 8):
                b.rect(9.5 + n * 6.8, 35.5 + row * 8, 26 if wide else 5.8, 6.8, colour, round_by=1)


def bicycle(b: Brush) -> None:
    """A bicycle."""
    for x in (25, 75):
        b.ring(x, 64, 18, "dark", width=2)
        b.ring(x, 64, 15, "light", width=0.5)
    b.line([(25, 64), (42, 38), (66, 38), (50, 64), (25, 64)], "body", width=2.6)
    b.line([(50, 64), (40, 32)], "body", width=2.6)
    b.line([(75, 64), (64, 30), (72, 26)], "body", width=2.6)
    b.rect(34, 29, 13, 4, "dark", round_by=2)
    b.disc(50, 64, 4, "accent")


def lamp(b: Brush) -> None:
    """A table lamp."""
    b.disc(50, 82, 20, "dark", flat=0.25)
    b.rect(48, 46, 4, 36, "body")
    b.poly([(36, 18), (64, 18), (80, 50), (20, 50)], "accent")
    b.poly([(42, 18), (50, 18), (46, 50), (30, 50)], "light")


def pen(b: Brush) -> None:
    """A fountain pen, lying aslant."""
    b.poly([(20, 26), (28, 18), (66, 56), (58, 64)], "body")
    b.poly([(56, 62), (64, 54), (72, 62), (64, 70)], "light")
    b.poly([(64, 70), (72, 62), (84, 82)], "accent")
    b.line([(70, 68), (82, 80)], "dark", width=0.6)
    b.line([(26, 24), (48, 46)], "accent", width=1.6)


def box(b: Brush) -> None:
    """A parcel, for goods without a drawing of their own."""
    b.poly([(20, 36), (50, 24), (80, 36), (50, 48)], "light")
    b.poly([(20, 36), (50, 48), (50, 84), (20, 70)], "body")
    b.poly([(80, 36), (50, 48), (50, 84), (80, 70)], "dark")
    b.poly([(33, 31), (38, 29), (68, 41), (63, 43)], "accent")


SHAPES: dict[str, Callable[[Brush], None]] = {
    shape.__name__: shape
    for shape in (
        camera, lens, record, figure, plush, watch, console, game, bowl, headphones, guitar, synth, sneaker, bag,
        jacket, card, book, keyboard, bicycle, lamp, pen,
    )
}  # fmt: skip
