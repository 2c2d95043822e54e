"""What is the case when a step does not fit the state that a study is in."""


class WrongState(ValueError):
    """The study is not in the state that this step needs; the message says what to do."""


DISCARDED = "This draft was discarded meanwhile."
