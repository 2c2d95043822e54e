"""What can be told of a poem by rule: lines, stanzas, words."""
