"""Small texts of the tests' own, and writers trained on them."""

import pytest

from backend.generation.builtin.writer import ORDERS, Writer

ENGLISH = [
    """The boat went out upon the tide
With nets of hemp and tar,
And no one on the harbour side
Could tell the mast from star.

The wind came down upon the bay
And turned the water white,
The gulls that followed all the day
Went inland with the light.

My father stood upon the stone
And held the lamp of oil,
And every wave that broke alone
Came back to him as toil.""",
    """I keep the garden that she made,
The roses and the rue,
And in the evening in the shade
I say her name to you.

The summer night is soft and long,
The river slow and deep,
And I remember half a song
That sang the town to sleep.

The winter morning cold and grey
Has frozen every stone,
And all the birds have gone away
And left the tree alone.""",
    """The king rode home across the hill
With silver on his hand,
And every wheel of every mill
Stood quiet in the land.

There was a baker of the town
Who baked a loaf of snow;
He sold it for the king's own crown
And would not let it go.

O love, the night is dark and deep,
The moon is on the sea,
The promise that I could not keep
Is keeping watch on me.""",
]
CHINESE = [
    "空山新雨後，天氣晚來秋。明月松間照，清泉石上流。竹喧歸浣女，蓮動下漁舟。隨意春芳歇，王孫自可留。",
    "白日依山盡，黃河入海流。\n欲窮千里目，更上一層樓。",
    "朝辭白帝彩雲間，千里江陵一日還。兩岸猿聲啼不住，輕舟已過萬重山。",
    "故人西辭黃鶴樓，煙花三月下揚州。孤帆遠影碧空盡，唯見長江天際流。",
]


@pytest.fixture(scope="session")
def english() -> list[str]:
    return ENGLISH


@pytest.fixture(scope="session")
def chinese() -> list[str]:
    return CHINESE


@pytest.fixture(scope="session")
def writers(english: list[str], chinese: list[str]) -> dict[str, Writer]:
    return {
        name: Writer(name, order=order, english=english, chinese=chinese)
        for name, order in ORDERS.items()
    }
