"""What a run will likely take, and what one call costs at the most."""

from decimal import Decimal

import pytest

from backend.corpus.models import Collection
from backend.generation import estimating, services
from backend.generation.estimating import UnknownPrice, estimate, reserve, tokens
from backend.generation.models import Brief, Call, Generation, LanguageModel, Run
from tests.backend.generation.conftest import AddModel, StartRun, shelf, write_all
from tests.backend.generation.fake_provider import FakeProvider

pytestmark = pytest.mark.django_db

TENTH_OF_A_CENT = Decimal(1000)  # a token, as prices are for a million


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    estimating.forget()


def answered(model: LanguageModel, *lengths: int) -> None:
    Call.objects.bulk_create(
        Call(model=model, state="answered", request={}, tokens_output=length) for length in lengths
    )


def expected(collection: Collection, *models: LanguageModel, **options: object):  # type: ignore[no-untyped-def]
    poems = collection.poems.order_by("pk")
    return estimate(poems=poems, template="poemetric", models=models, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "number"),
    [("", 0), ("word", 1), ("words", 2), ("床前明月光", 5), ("床前明月光 moon", 7)],
)
def test_four_letters_are_a_token_and_a_chinese_character_is_one(text: str, number: int) -> None:
    assert tokens(text) == number


def test_calls_are_models_times_briefs_times_samples(
    collection: Collection, add_model: AddModel
) -> None:
    models = [add_model("ok", name=name) for name in ("A", "B")]
    found = expected(collection, *models, samples=4)
    assert found.calls == found.to_ask == 2 * 3 * 4
    assert [row.calls for row in found.rows] == [12, 12]


def test_what_was_sent_and_will_be_written_is_multiplied_by_the_prices(
    collection: Collection, add_model: AddModel
) -> None:
    model = add_model("ok", price_input=Decimal(2), price_output=Decimal(10))
    found = expected(collection, model, max_tokens=500)
    (row,) = found.rows
    assert row.tokens_input == 3 * 20  # each prompt has 78 letters
    assert row.tokens_output == 1500
    assert row.cost == found.cost == Decimal(60 * 2 + 1500 * 10) / 1_000_000


def test_one_price_that_is_not_known_makes_the_sum_unknown_not_smaller(
    collection: Collection, add_model: AddModel
) -> None:
    priced = add_model("ok", name="Priced", price_input=Decimal(1), price_output=Decimal(1))
    half = add_model("ok", name="Half", price_input=Decimal(1))
    found = expected(collection, priced, half)
    assert found.cost is None
    assert found.known_cost == found.rows[0].cost
    assert found.unknown == [half]


def test_built_in_writers_cost_nothing(collection: Collection) -> None:
    found = expected(collection, *services.built_in_models())
    assert (found.cost, found.unknown) == (0, [])


def test_a_models_own_answers_say_how_long_its_next_will_be(
    collection: Collection, add_model: AddModel
) -> None:
    model = add_model("ok")
    answered(model, 100, 200, 300, 400)
    assert expected(collection, model).rows[0].tokens_output == 3 * 300
    answered(model, 10_000)
    assert expected(collection, model).rows[0].tokens_output == 3 * 300  # their median by now
    answered(model, 10_000, 10_000)
    (row,) = expected(collection, model).rows
    assert row.tokens_output == 3 * 400
    assert "last 7 answers" in row.basis
    (row,) = expected(collection, model, max_tokens=50).rows
    assert row.tokens_output == 3 * 50


def test_a_model_that_thinks_is_taken_to_write_ten_times_as_much(
    collection: Collection, add_model: AddModel
) -> None:
    found = expected(collection, add_model("ok"), add_model("ok", name="T", thinks=True))
    assert [row.tokens_output for row in found.rows] == [3 * 300, 3 * 3000]


def test_poems_that_cannot_be_put_as_a_brief_are_named(
    collection: Collection, add_model: AddModel
) -> None:
    collection.poems.filter(title="Noon").update(form="")
    found = expected(collection, add_model("ok"))
    assert found.calls == 2
    assert [(poem.title, why) for poem, why in found.left_out] == [("Noon", "it has no form")]


def test_nothing_is_written_by_an_estimate(collection: Collection, add_model: AddModel) -> None:
    expected(collection, add_model("ok"), samples=3, fresh=True)
    assert not Brief.objects.exists()
    assert not Run.objects.exists()


def test_what_was_answered_before_costs_nothing_and_is_not_asked_again(
    start: StartRun, collection: Collection, provider: FakeProvider
) -> None:
    run = start("ok", temperature=0.5)
    LanguageModel.objects.update(price_input=1, price_output=1)
    write_all(run)
    model = LanguageModel.objects.get(name="ok")
    found = expected(collection, model, temperature=0.5, samples=2)
    assert (found.calls, found.answered_before, found.to_ask) == (6, 3, 3)
    assert found.rows[0].tokens_output == 3 * 300
    again = expected(collection, model, temperature=0.5)
    assert (again.to_ask, again.cost) == (0, 0)
    # Other words to the model are another call.
    assert expected(collection, model, temperature=0.6).answered_before == 0
    assert expected(collection, model, temperature=0.5, seed=1).answered_before == 0
    second = services.start_run(
        name="Same again",
        collection=collection,
        models=[model],
        template="poemetric",
        temperature=0.5,
        samples=2,
    ).run
    write_all(second)
    assert provider.asked("ok") == 3 + found.to_ask


def test_a_fresh_run_begins_after_all_samples_that_exist(
    start: StartRun, collection: Collection, provider: FakeProvider
) -> None:
    write_all(start("ok", samples=2))
    model = LanguageModel.objects.get(name="ok")
    found = expected(collection, model, fresh=True)
    assert (found.first_sample, found.to_ask, found.answered_before) == (3, 3, 0)
    run = services.start_run(
        name="Fresh", collection=collection, models=[model], template="poemetric", fresh=True
    ).run
    assert set(run.generations.values_list("sample", flat=True)) == {3}
    write_all(run)
    assert provider.asked("ok") == 9


def test_samples_of_another_models_or_briefs_run_do_not_count_for_a_fresh_one(
    start: StartRun, add_model: AddModel
) -> None:
    start("ok", samples=7)
    other = shelf("Other", "Night")
    assert expected(other, LanguageModel.objects.get(name="ok"), fresh=True).first_sample == 1
    assert Generation.objects.count() == 21


def test_a_call_reserves_what_it_may_cost_at_the_most(add_model: AddModel) -> None:
    model = add_model("ok", price_input=Decimal(1), price_output=Decimal(2))
    body = {"model": "ok", "messages": [{"role": "user", "content": "x" * 4000}], "max_tokens": 700}
    held = reserve(model, body)
    assert held is not None
    # Never below its prompt and the longest answer that it allows.
    assert held >= (1000 * 1 + 700 * 2) / Decimal(1_000_000)
    assert held < (5000 * 1 + 700 * 2) / Decimal(1_000_000)


@pytest.mark.parametrize(
    "body",
    [
        {"max_completion_tokens": 9},
        {"max_output_tokens": 9},
        {"generationConfig": {"maxOutputTokens": 9}},
        {"longest": 9},
    ],
)
def test_the_limit_is_found_in_the_body_of_each_wire(
    add_model: AddModel, body: dict[str, object]
) -> None:
    model = add_model(
        "ok", price_input=Decimal(0), price_output=TENTH_OF_A_CENT, max_tokens_name="longest"
    )
    assert reserve(model, body) == Decimal(9) / 1000


def test_without_a_limit_four_times_the_typical_or_the_longest_seen_is_reserved(
    add_model: AddModel,
) -> None:
    model = add_model("ok", price_input=Decimal(0), price_output=TENTH_OF_A_CENT)
    assert reserve(model, "Write.") == Decimal(4 * 300) / 1000
    answered(model, 100, 100, 100, 100, 100)
    assert reserve(model, "Write.") == Decimal(4 * 100) / 1000
    answered(model, 5000)
    assert reserve(model, "Write.") == Decimal(5000) / 1000
    thinking = add_model(
        "ok", name="T", thinks=True, price_input=Decimal(0), price_output=TENTH_OF_A_CENT
    )
    assert reserve(thinking, "Write.") == Decimal(8 * 3000) / 1000


def test_nothing_is_reserved_where_the_price_is_not_known(
    add_model: AddModel,
    django_assert_num_queries,  # type: ignore[no-untyped-def]
) -> None:
    unknown, half = add_model("ok"), add_model("ok", name="Half", price_output=Decimal(3))
    built_in = services.built_in_models()[0]
    with django_assert_num_queries(0):
        assert reserve(unknown, "Write.") is None
        assert reserve(half, "Write.") is None
        assert reserve(built_in, "Write.") == 0


def test_many_answers_are_not_counted_before_every_call(
    add_model: AddModel,
    django_assert_num_queries,  # type: ignore[no-untyped-def]
) -> None:
    model = add_model("ok", price_input=Decimal(0), price_output=TENTH_OF_A_CENT)
    answered(model, *([100] * 60))
    reserve(model, "Write.")
    with django_assert_num_queries(0):
        assert reserve(model, "Write.") == Decimal(400) / 1000


def test_a_cap_needs_every_price(collection: Collection, add_model: AddModel) -> None:
    models = [
        add_model("ok", name="B"),
        add_model("ok", name="A"),
        add_model("ok", name="Priced", price_input=Decimal(0), price_output=Decimal(0)),
    ]
    with pytest.raises(UnknownPrice, match=r"A, B\."):
        services.start_run(
            name="Capped",
            collection=collection,
            models=models,
            template="poemetric",
            cap=Decimal(5),
        )
    assert not Run.objects.exists()
