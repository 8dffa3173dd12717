"""All texts for customers, in each language that has a catalogue (ADR-37).

Code and templates contain English sentences, which the catalogues in `locale` translate. Dates and numbers follow CLDR.
"""
