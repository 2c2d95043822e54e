"""Studies are built here, and here the sealed key lies."""
