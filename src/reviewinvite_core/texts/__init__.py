"""Everything that customers read, in each language that has a catalogue (ADR-37).

The sentences in code and templates are English; the catalogues in `locale` translate them. Dates and numbers are
written as CLDR says.
"""

from reviewinvite_core.texts.catalogue import (
    Texts as Texts,
    gettext_noop as gettext_noop,
    texts_in as texts_in,
)
from reviewinvite_core.texts.templates import templates_in as templates_in
