"""Reads documents by their ending, and says what they mean: a line of JSON each."""
import json
import sys
import tomllib

for path in sys.argv[1:]:
    with open(path, encoding="utf-8-sig") as file:
        text = file.read()
    value = tomllib.loads(text) if path.endswith(".toml") else json.loads(text)
    print(json.dumps({"value": value}))
