"""How dates are written, by language, where that is not as Django has it."""
