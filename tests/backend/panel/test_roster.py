"""A list of experts is taken whole, or each line that cannot be is named with its remedy."""

import pytest

from backend.panel.roster import InvalidRoster, read_roster

TAKEN = {"emails": ["old@reader.example", ""], "names": ["Old Hand"]}


def people(text: str) -> list[tuple[int, str, str, str]]:
    read = read_roster(text, emails=[], names=[])
    return [(one.line, one.name, one.email, one.language) for one in read]


@pytest.mark.parametrize(
    "text",
    [
        "Ada,ada@reader.example,en\nBen\n",
        "name,email,language\nAda,ada@reader.example,en\nBen,,",
        "Email;NAME;Language\r\nada@reader.example;Ada;EN\r\n;Ben;\r\n",
        "\ufeffname\temail\tlanguage\nAda\tada@reader.example\ten\n\n  \t\t\nBen",
        '"Ada" , ada@reader.example , en\n  Ben  ',
    ],
)
def test_names_addresses_and_languages_are_read(text):
    assert [row[1:] for row in people(text)] == [
        ("Ada", "ada@reader.example", "en"),
        ("Ben", "", ""),
    ]


def test_a_name_with_a_comma_stands_in_quotation_marks_and_breaks_become_spaces():
    assert people('"Blake, William",w@reader.example\n"Ada\nB.",') == [
        (1, "Blake, William", "w@reader.example", ""),
        (2, "Ada B.", "", ""),
    ]


def test_lines_are_counted_as_an_editor_does():
    assert people("name\n\nAda\n\n\nBen")[1][0] == 6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["The list is empty. Write one expert a line."]),
        ("name,email\n", ["The list is empty. Write one expert a line."]),
        (",ada@reader.example", ["Line 1: The name is missing. Write one."]),
        ("x" * 121, ["Line 1: The name has 121 characters. Use at most 120."]),
        (
            "Ada,ada\nBen,ben@reader.example,fr",
            [
                "Line 1: ada is no e-mail address. Correct it, or leave it empty.",
                "Line 2: The language fr is not known. "
                "Write one of en, zh-hans, or leave it empty.",
            ],
        ),
        (
            "Ada,a@reader.example\nBen,A@reader.example",
            ["Line 2: A@reader.example stands on line 1, too. Take the line out."],
        ),
        (
            "Ada,OLD@reader.example",
            ["Line 1: OLD@reader.example is on the panel already. Take the line out."],
        ),
        (
            "old hand\nOld Hand,new@reader.example",
            [
                "Line 1: old hand is on the panel already. Take the line out, or add an address "
                "or a word that tells the two apart."
            ],
        ),
        (
            "Blake, William, w@reader.example, en",
            [
                "Line 1: It has 4 columns. Write name, email, language; put quotation marks around "
                "what holds a comma."
            ],
        ),
        (
            "name,mail\nAda,a@reader.example",
            [
                "Line 1: The columns are named name, mail. Name each once: name, email, language.",
            ],
        ),
        ("Ada\n" * 501, ["These are 501 people. Send 500 at a time."]),
    ],
)
def test_what_cannot_be_taken_is_named_with_its_remedy(text, said):
    with pytest.raises(InvalidRoster) as refused:
        read_roster(text, **TAKEN)
    assert [str(problem) for problem in refused.value.problems] == said


GROUPS = ("Poets", "Scholars")


@pytest.mark.parametrize(
    "text",
    ["Ada,,en,poets\nBen", "group;name\nPOETS;Ada\n;Ben", "name,group\nAda,Poets\nBen,"],
)
def test_where_a_study_has_groups_a_column_names_them(text):
    read = read_roster(text, emails=[], names=[], groups=GROUPS)
    assert [(one.name, one.group) for one in read] == [("Ada", "Poets"), ("Ben", "")]


@pytest.mark.parametrize(
    ("text", "groups", "said"),
    [
        (
            "Ada,,,critics",
            GROUPS,
            "Line 1: The study has no group critics. Write one of Poets, Scholars, or leave it "
            "empty.",
        ),
        (
            "name,group\nAda,Poets",
            (),
            "Line 1: The columns are named name, group. Name each once: name, email, language.",
        ),
    ],
)
def test_a_group_that_is_not_there_is_refused(text, groups, said):
    with pytest.raises(InvalidRoster) as refused:
        read_roster(text, emails=[], names=[], groups=groups)
    assert str(refused.value) == said
