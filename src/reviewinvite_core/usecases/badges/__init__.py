"""Show badges and count their views."""

from reviewinvite_core.usecases.badges.configure import set_badge as set_badge
from reviewinvite_core.usecases.badges.show import show_badge as show_badge
from reviewinvite_core.usecases.badges.show_views import show_views as show_views
