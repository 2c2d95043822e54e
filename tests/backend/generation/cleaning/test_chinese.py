"""Chinese replies: title, author, notes and translation go; the verse stays as it stands."""

import pytest

from backend.generation.cleaning import find_poem

MOON = "床前明月光，\n疑是地上霜。\n举头望明月，\n低头思故乡。"
SNOW = "雪落在无人的街上\n像一封没有写完的信\n\n我站在窗前\n听见远处的钟声\n慢慢融化"
BOAT = "孤舟一夜雨声寒，灯火江村客梦残。\n欲寄故人千里信，梅花落尽不曾看。"


@pytest.mark.parametrize(
    ("reply", "title", "poem"),
    [
        (f"好的，以下是一首诗：\n\n《静夜思》\n\n{MOON}", "静夜思", MOON),
        (f"《静夜思》\n唐·李白\n\n{MOON}", "静夜思", MOON),
        (f"《静夜思》 李白\n\n{MOON}", "静夜思", MOON),
        (f"静夜思\n[唐] 李白\n{MOON}", "静夜思", MOON),
        (f"静夜思\n李白\n{MOON}", "静夜思", MOON),
        (f"静夜思\n{MOON}", "静夜思", MOON),
        (f"**静夜思**\n作者：李白\n\n{MOON}", "静夜思", MOON),
        (f"静夜思\n\n{MOON.replace('，', '').replace('。', '')}", "静夜思", None),
        (f"标题：雪\n\n{SNOW}", "雪", SNOW),
        (f"雪\n\n{SNOW}", "雪", SNOW),
        (f"希望\n\n{SNOW}", "希望", SNOW),
        (f"【七绝·寄友】\n{BOAT}\n\n【注】本诗押寒韵。", "七绝·寄友", BOAT),
        (f"寄友\n\n{BOAT.replace(chr(10), '')}", "寄友", BOAT.replace("\n", "")),
        (f"{MOON}\n\n注释：\n1. 床：井栏。\n2. 疑：好像。\n\n译文：\n明亮的月光。", "", MOON),
        (f"**雪**\n\n{SNOW}\n\n**赏析：**\n这首诗以雪为意象，表达了孤独。", "雪", SNOW),
        (f"{SNOW}\n\n---\n\n创作说明：本诗以雪为中心意象。", "", SNOW),
        (f"{SNOW}\n\n（注：这是一首现代诗）", "", SNOW),
        (f"当然可以！这是一首关于雪的现代诗：\n\n{SNOW}\n\n希望您喜欢这首诗！", "", SNOW),
        (f"以下是根据您的要求创作的绝句：\n\n{BOAT}\n\n这首诗通过雨夜抒发了思乡之情。", "", BOAT),
        (f"诗歌：\n{SNOW}", "", SNOW),
        (f"用户：写一首诗\n助手：\n{SNOW}", "", SNOW),
        ("我为你写下这首诗\n在没有灯的夜里\n用雪的声音\n用河的沉默", "", None),
        ("希望你在春天回来\n希望你带着雨", "", None),
    ],
)
def test_the_verse_stays_and_the_rest_goes(reply: str, title: str, poem: str | None) -> None:
    found = find_poem(reply)
    expected = poem if poem is not None else reply.removeprefix(f"{title}\n\n")
    assert (found.title, found.text) == (title, expected)


def test_a_line_of_several_verses_is_not_split_but_flagged() -> None:
    line = BOAT.replace("\n", "")
    found = find_poem(line)
    assert found.text == line
    assert {flag.rule for flag in found.flags} == {"verses_in_a_line"}


def test_a_rendering_in_english_is_cut_and_flagged() -> None:
    found = find_poem(f"{MOON}\n\n**English translation:**\nBefore my bed\nthe moon")
    assert found.text == MOON
    assert {flag.rule for flag in found.flags} == {"translation"}


def test_parts_of_a_poem_keep_their_numbers() -> None:
    poem = f"（一）\n\n{SNOW}\n\n（二）\n\n{MOON}"
    assert find_poem(poem).text == poem
