"""Records wrong implementations, by id; each is a patch of base.py."""
MISTAKES = {}


def wrong(name, truth, touches, **patch):
    """touches: the operations whose answers may change, if the set says so."""
    assert name not in MISTAKES, name
    MISTAKES[name] = {"truth": truth, "touches": touches, "patch": patch}
