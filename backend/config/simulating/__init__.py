"""Simulated studies: made-up poems and judges of known truth, on the same path as any other study.

The poems are imported, the study is built, opened, dealt and answered through the services that
people's studies pass through. Nothing here reads the sealed key: a simulated judge knows a poem by
its text.
"""
