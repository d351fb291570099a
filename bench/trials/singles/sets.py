"""All wrong singles, by id."""
import importlib

from recording import MISTAKES as SINGLES  # noqa: F401

SETS = ("mistakes", "more", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth",
        "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth", "twentyfirst", "twentysecond",
        "twentythird", "twentyfourth", "twentyfifth", "twentysixth",
        "twentyseventh", "twentyeighth", "twentyninth", "thirtieth", "thirtyfirst", "thirtysecond", "thirtythird",
        "thirtyfourth", "thirtyfifth", "spare")
for one in SETS:
    importlib.import_module(one)
