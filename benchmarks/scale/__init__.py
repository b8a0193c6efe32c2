"""How far it goes: `python -m benchmarks.scale PART`; a part is a file with `main(arguments)`."""
