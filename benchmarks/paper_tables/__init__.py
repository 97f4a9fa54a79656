"""The papers' main tables on data at hand: ``python -m benchmarks.paper_tables TABLE --data DATA --out FOLDER``.

A module a paper, by its key in docs/references.md, declares tables; ``frame`` runs them and keeps every cell.
"""
