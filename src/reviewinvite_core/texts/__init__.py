"""All texts for customers, in each language that has a catalogue (ADR-37).

Code and templates contain English sentences, which the catalogues in `locale` translate. Dates and numbers follow CLDR.
"""

from reviewinvite_core.texts.catalogue import Texts as Texts, gettext_noop as gettext_noop, texts_in as texts_in
from reviewinvite_core.texts.templates import templates_in as templates_in
