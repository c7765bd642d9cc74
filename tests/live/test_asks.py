"""The asks of a study in columns, which grow."""

import numpy as np

from trueward.live.asks import ROOM, Asked, Asks

ASKS = [Asked(n % 2, [1.0 / n, 1.0 - 1.0 / n], [True, n % 3 > 0]) for n in range(1, 2 * ROOM + 2)]


def filled(how_many=None):
    asks = Asks(2)
    for asked in ASKS[:how_many]:
        asks.append(asked)
    return asks


def as_lists(asks):
    return [(asked.arm, asked.p.tolist(), asked.available.tolist()) for asked in asks]


def test_all_asks_are_there_however_often_the_room_was_doubled():
    asks = filled()
    assert as_lists(asks) == ASKS
    assert [asks.arm_of(n) for n in (1, 2, len(ASKS))] == [1, 0, 1]


def test_one_rating_and_many_are_the_same_rows():
    asks, numbers = filled(), [5, 1, 2 * ROOM]
    many = asks.rated(numbers, [1.0, 2.0, np.nan], {})
    for i, number in enumerate(numbers):
        one = asks.rated([number], [[1.0, 2.0, np.nan][i]], {})
        for column, row in zip(many[:5], one[:5], strict=True):
            assert np.array_equal(column[i : i + 1], row, equal_nan=column.dtype == np.float64)
            assert row.flags.c_contiguous  # as compiled code takes for granted


def test_a_copy_stays_as_it_is():
    asks = filled(ROOM)
    copy, again = asks.copy(), Asks.from_columns(*asks.columns())
    asks.append(ASKS[ROOM])
    assert as_lists(copy) == as_lists(again) == ASKS[:ROOM]
    again.append(ASKS[ROOM])
    assert as_lists(again) == as_lists(asks) == ASKS[: ROOM + 1]


def test_asks_before_an_arm_was_added_could_not_show_it():
    asks = filled(3)
    asks.add_arm()
    asks.append(Asked(2, [0.0, 0.5, 0.5], [False, True, True]))
    assert as_lists(asks) == [(a, [*p, 0.0], [*was, False]) for a, p, was in ASKS[:3]] + [
        (2, [0.0, 0.5, 0.5], [False, True, True])
    ]
