"""The diagrams of the documentation: `python -m tools.diagrams` draws all of them into docs/diagrams as plain SVG."""
