"""Write, list, moderate and reply to reviews, and compute scores."""

from reviewinvite_core.usecases.reviews.browse import browse_reviews as browse_reviews
from reviewinvite_core.usecases.reviews.hide import hide_review as hide_review
from reviewinvite_core.usecases.reviews.list import count_reviews as count_reviews, list_reviews as list_reviews
from reviewinvite_core.usecases.reviews.list_changes import list_review_changes as list_review_changes
from reviewinvite_core.usecases.reviews.note_opened import note_opened_link as note_opened_link
from reviewinvite_core.usecases.reviews.recount import recount as recount
from reviewinvite_core.usecases.reviews.reply import reply_to_review as reply_to_review
from reviewinvite_core.usecases.reviews.show import show_review as show_review
from reviewinvite_core.usecases.reviews.show_again import show_review_again as show_review_again
from reviewinvite_core.usecases.reviews.show_link import show_review_link as show_review_link
from reviewinvite_core.usecases.reviews.show_public import show_shop_reviews as show_shop_reviews
from reviewinvite_core.usecases.reviews.withdraw import withdraw_review as withdraw_review
from reviewinvite_core.usecases.reviews.write import write_review as write_review
