#!/usr/bin/env python3
"""A gateway in Java (Servlet, Spring) that verifies requests.

1. getHeader: of a repeated extra header the first value is verified.
2. Path parameters (everything from an unescaped semicolon on, in each piece of the path) are removed from the URL.
3. The query is decoded by getParameter: a plus is a space.
4. The body is bound to Map<String, Object>: a number below 10^7 with a point or an exponent is verified as Double.toString, 42.0 as 42.0 and 1e2
   as 100.0.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "singles"))
import base  # noqa: E402


def get_header(given, headers, dialect):
    seen, kept = set(), []
    for name, value in headers:
        if base.is_extra(name, dialect):
            if name.lower() in seen:
                continue
            seen.add(name.lower())
        kept.append((name, value))
    return base.header_text(given["method"], given["bucket"], given["key"], kept, dialect)


def request_uri(path):
    pieces = [re.split(";", piece)[0] for piece in path.split("/")]
    return base.unpercent("/".join(pieces), "url-malformed")


def get_parameter(text):
    return base.unpercent(text.replace("+", " "), "query-malformed")


def number_to_string(written):
    """Integer, Long and BigInteger as written, Double by its shortest digits; both texts enter the signed string."""
    if re.fullmatch("-?[0-9]+", written):
        return {"number": written}
    value = float(written)
    return repr(value) if abs(value) < 1e7 else {"number": written}


base.verify_header_text, base.key_of_path, base.query_decode = get_header, request_uri, get_parameter
base.json_number = number_to_string


if __name__ == "__main__":
    base.main()
