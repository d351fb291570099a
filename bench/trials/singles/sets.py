"""All wrong singles, by id."""
import importlib

SETS = ("mistakes", "more", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "spare")
SINGLES = {}
for one in SETS:
    SINGLES.update(importlib.import_module(one).MISTAKES)
