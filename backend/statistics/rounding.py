"""How finely scores are told apart: means carry float noise that would break ties."""

DECIMALS = 9
