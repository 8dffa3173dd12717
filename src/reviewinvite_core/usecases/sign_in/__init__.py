"""Sign members in by single-use links, and keep their sessions."""

from reviewinvite_core.usecases.sign_in.request_link import request_link as request_link
from reviewinvite_core.usecases.sign_in.resume import (
    note_opened as note_opened,
    note_seen as note_seen,
    resume as resume,
)
from reviewinvite_core.usecases.sign_in.sessions import (
    end_other_sessions as end_other_sessions,
    end_session as end_session,
    list_sessions as list_sessions,
    sign_out as sign_out,
)
from reviewinvite_core.usecases.sign_in.show_link import show_link as show_link
from reviewinvite_core.usecases.sign_in.use_link import use_link as use_link
