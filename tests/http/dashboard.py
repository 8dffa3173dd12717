"""A member's browser, as far as tests of HTTP need one: it keeps cookies and sends forms."""

from __future__ import annotations

import re
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urlsplit

from tests.http.page_parser import FORM, Page
from tests.http.service import Answer, Service, http_request

from reviewinvite_core import NewMember, Role, accepted

OWN = {"Sec_Fetch_Site": "same-origin"}


class Visitor:
    """A browser at the dashboard; header fields are given as `http_request` takes them."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.cookies: dict[str, str] = {}
        self.token = ""

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, **headers)

    def page(self, path: str) -> Page:
        """Return a page that is there."""
        answer = self.get(path)
        assert answer.status == 200, (path, answer.status)
        return Page(answer.body)

    def post(self, path: str, fields: dict[str, str] | None = None, /, **headers: str) -> Answer:
        """Send a form as a page of the dashboard does, with the token that the last page had."""
        body = urlencode({"csrf_token": self.token, **(fields or {})}).encode()
        return self.request("POST", path, body, **{"Content_Type": FORM, **OWN, **headers})

    def request(self, method: str, path: str, body: bytes | None = None, /, **headers: str) -> Answer:
        """Send a request with the cookies, and keep those that come back, and the token of a page."""
        if self.cookies:
            headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **headers}
        answer = http_request(self.service.address, method, path, body, **headers)
        for each in answer.headers.get_all("Set-Cookie", []):
            for name, morsel in SimpleCookie(each).items():
                self.cookies[name] = morsel.coded_value
                if morsel["max-age"] == "0":
                    del self.cookies[name]
        if found := re.search(rb'name="csrf_token" value="([0-9a-f]+)"', answer.body):
            self.token = found[1].decode()
        return answer

    def version(self, path: str, action: str) -> str:
        """Return the version that the form with this action has on a page."""
        form = self.get(path).body.decode().partition(f'action="{action}"')[2].partition("</form>")[0]
        found = re.search(r'name="version" value="([^"]*)"', form)
        assert found, action
        return found[1]


def a_link(service: Service, site: str, email: str, role: Role = Role.OWNER) -> str:
    """Make a person a member of a shop, and return the path of the link that signs in."""
    added = accepted(service.app.members.add(site, NewMember(email=email, role=role)))
    assert added.link
    return urlsplit(added.link).path


def a_new_link(service: Service, site: str, email: str) -> str:
    """Return the path of one more link of a member."""
    return urlsplit(accepted(service.app.members.link(site, email)).link).path


def signed_in(service: Service, site: str, email: str, role: Role = Role.OWNER) -> Visitor:
    """Return the browser of a new member of a shop, who has just signed in."""
    return opened(service, a_link(service, site, email, role))


def opened(service: Service, link: str) -> Visitor:
    """Return a browser in which a link was used."""
    visitor = Visitor(service)
    answer = visitor.request("POST", link, b"sign-in=", Content_Type=FORM, **OWN)
    assert answer.status == 303, answer
    visitor.get("/dashboard/sessions")
    return visitor


def where(answer: Answer) -> str:
    """Return where a redirect leads."""
    assert answer.status == 303, (answer.status, Page(answer.body).words)
    return str(answer.headers["Location"])


def words(answer: Answer) -> str:
    """Return the text of a page, with single blanks."""
    return " ".join(Page(answer.body).words.split())
