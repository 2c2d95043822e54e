"""Instruments as data: the questions asked of a poem, how answers are read and refused."""
