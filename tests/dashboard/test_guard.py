"""Who may read and act: Host, Origin, the page's token, the key of an open address; and the headers of every answer."""

from __future__ import annotations

from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse

from rcs_hooks.dashboard.guard import CODES, AccessRules
from tests.dashboard.support import HERE, KEY, PORT, Board
from tests.support import error_json
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Iterator


POLICY = (
    f"default-src 'self'; connect-src 'self' ws://127.0.0.1:{PORT} wss://127.0.0.1:{PORT}; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

HOSTS = [
    # host that is bound, Host header, known
    ("127.0.0.1", "127.0.0.1:8727", True),
    ("127.0.0.1", "[::1]:8727", True),
    ("127.0.0.1", "localhost:9000", True),  # a tunnel
    ("127.0.0.1", "evil.example:8727", False),
    ("127.0.0.1", "127.0.0.1.evil.example:8727", False),
    ("127.0.0.1", "evil.example:8727@127.0.0.1", False),
    ("127.0.0.1", "", False),
    ("127.0.0.2", "127.0.0.2:8727", True),
    ("::1", "[::1]:8727", True),
    ("0.0.0.0", "192.168.1.5:8727", True),
    ("0.0.0.0", "[fe80::1]:8727", True),
    ("0.0.0.0", "evil.example:8727", False),
    ("box.example", "box.example:8727", True),
]


@each_row(("bound", "host", "known"), HOSTS)
def test_the_hosts_that_are_known(bound: str, host: str, known: bool) -> None:
    assert AccessRules(bound, key=None).knows(host) is known


READS = ["/", "/static/index.html", "/api/runs", "/api/token", "/nowhere"]


ORIGINS = [
    ("http://evil.example", 403),
    ("null", 403),
    (f"http://localhost:{PORT}", 403),  # another origin than the one in Host
    ("http://127.0.0.1:3000", 403),
    (f"http://127.0.0.1:{PORT}.evil.example", 403),
    ("", 403),
    (HERE, 200),
]


@each_row(("origin", "status"), ORIGINS)
@each_row("address", ["/api/runs", "/api/token"])
def test_a_foreign_origin_reads_nothing(shown: Board, address: str, origin: str, status: int) -> None:
    answer = shown.client.get(address, headers={"Origin": origin})
    assert answer.status_code == status
    assert "access-control-allow-origin" not in answer.headers


@each_row("method", ["OPTIONS", "PUT", "DELETE"])
def test_no_other_method_is_taken(shown: Board, method: str) -> None:
    words = error_json("method_not_allowed", f"{method} is not allowed here")
    headers = {"Origin": HERE, "X-RCS-Token": shown.rules.token, "Content-Type": "application/json"}
    answer = shown.client.request(method, "/api/runs", headers=headers)
    assert (answer.status_code, answer.json()) == (405, words)


FETCHES = [
    # Sec-Fetch-Site, -Mode, -Dest, address, status
    ("same-origin", "cors", "empty", "/api/runs", 200),
    ("none", "navigate", "document", "/api/runs", 200),
    ("cross-site", "no-cors", "image", "/api/runs", 403),
    ("same-site", "cors", "empty", "/api/runs", 403),
    ("cross-site", "navigate", "document", "/api/runs", 403),
    ("cross-site", "navigate", "document", "/runs", 200),
    ("cross-site", "navigate", "iframe", "/runs", 403),
    ("cross-site", "no-cors", "script", "/static/app.js", 403),
]


@each_row(("site", "mode", "dest", "address", "status"), FETCHES)
def test_what_a_browser_says_of_a_request_counts(
    shown: Board, site: str, mode: str, dest: str, address: str, status: int
) -> None:
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
    assert shown.client.get(address, headers=headers).status_code == status


POSTS = [
    # name, headers that are other than a page of ours sends them, status, sentence
    ("no origin", {"Origin": None}, 403, "a page of 'no origin' may neither read nor act here"),
    ("a foreign origin", {"Origin": "http://evil.example"}, 403,
     "a page of 'http://evil.example' may neither read nor act here"),
    ("an origin without a name", {"Origin": "null"}, 403, "a page of 'null' may neither read nor act here"),
    ("a foreign host", {"Host": "evil.example"}, 403,
     "the host 'evil.example' is not this server's; open the address that rcs dashboard says"),
    ("no token", {"X-RCS-Token": None}, 403, "the page's token is missing or of an earlier start; reload the page"),
    ("a wrong token", {"X-RCS-Token": "wrong"}, 403,
     "the page's token is missing or of an earlier start; reload the page"),
    ("a form", {"Content-Type": "application/x-www-form-urlencoded"}, 415,
     "the body is 'application/x-www-form-urlencoded'; send application/json"),
    ("plain text", {"Content-Type": "text/plain"}, 415, "the body is 'text/plain'; send application/json"),
    ("no type", {"Content-Type": None}, 415, "the body is 'nothing'; send application/json"),
]  # fmt: skip
ACTIONS = [
    ("/api/questions/q-1/answer", '{"root": "ROOT", "session": "s1", "answer": "yes"}'),
    ("/api/runs/r1/end", '{"status": "failed"}'),
    ("/api/modes/clear", '{"root": "ROOT", "session": "s1", "mode": "forge"}'),
]


@pytest.fixture(scope="module")
def acted_on(shown: Board) -> Board:
    """There is something that each action could change."""
    shown.project.emit("requirements")
    shown.workspace.prompt("$forge go")
    return shown


@each_row(("address", "body"), ACTIONS)
@each_row(
    ("changed", "status", "words"), [pytest.param(*row[1:], id=row[0]) for row in POSTS]
)  # fmt: skip
def test_an_action_that_does_not_come_from_a_page_of_ours_changes_nothing(
    acted_on: Board, address: str, body: str, changed: dict[str, str | None], status: int, words: str
) -> None:
    board = acted_on
    stored, kept = board.project.dump(), board.workspace.snapshot()
    headers = {"Origin": HERE, "X-RCS-Token": board.rules.token, "Content-Type": "application/json"} | changed
    given = {name: value for name, value in headers.items() if value is not None}
    answer = board.client.post(address, content=body.replace("ROOT", board.root), headers=given)
    assert (answer.status_code, answer.json()) == (status, error_json(CODES[status], words))
    assert (board.project.dump(), board.workspace.snapshot()) == (stored, kept)


@each_row(("address", "status"), [("/", 200), ("/api/runs", 200), ("/api/nowhere", 404), ("/ws", 404),
                                                 ("/api/runs/none", 404), ("/static/none.js", 404)])  # fmt: skip
def test_every_answer_carries_the_same_headers(shown: Board, address: str, status: int) -> None:
    answer = shown.client.get(address)
    assert answer.status_code == status
    assert {name: answer.headers.get(name) for name in (
        "content-security-policy", "x-content-type-options", "referrer-policy", "x-frame-options",
        "cross-origin-opener-policy", "cross-origin-resource-policy", "access-control-allow-origin",
    )} == {
        "content-security-policy": POLICY, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
        "x-frame-options": "DENY", "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin", "access-control-allow-origin": None,
    }  # fmt: skip


def test_a_foreign_host_does_not_get_into_the_policy(shown: Board) -> None:
    answer = shown.client.get("/", headers={"Host": "evil.example; script-src *"})
    policy = POLICY.replace(f"'self' ws://127.0.0.1:{PORT} wss://127.0.0.1:{PORT}", "'self' ")
    assert answer.headers["content-security-policy"] == policy


# --- the WebSocket

SOCKET = f"ws://127.0.0.1:{PORT}/ws"
SOCKETS = [
    # headers that are other than a page of ours sends them, status, sentence
    ({"Origin": ""}, 403, "a page of 'no origin' may neither read nor act here"),
    ({"Origin": "http://evil.example"}, 403, "a page of 'http://evil.example' may neither read nor act here"),
    ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403,
     "a page of another origin may not read this"),
    ({"Host": "evil.example"}, 403,
     "the host 'evil.example' is not this server's; open the address that rcs dashboard says"),
]  # fmt: skip


@each_row(("changed", "status", "words"), SOCKETS)
def test_a_websocket_of_another_page_is_refused(shown: Board, changed: dict[str, str], status: int, words: str) -> None:
    with pytest.raises(WebSocketDenialResponse) as caught:
        shown.client.websocket_connect(SOCKET, headers={"Origin": HERE} | changed).__enter__()
    assert (caught.value.status_code, caught.value.json()) == (status, error_json(CODES[status], words))
    assert caught.value.headers["content-type"] == "application/json"
    assert caught.value.headers["cache-control"] == "no-store"
    assert caught.value.headers["x-frame-options"] == "DENY"


def hears_hello(board: Board, headers: dict[str, str]) -> bool:
    """Open the WebSocket. At its end the test client cancels the server's side, perhaps in the middle of a send."""
    said = ""
    with suppress(CancelledError), board.client.websocket_connect(SOCKET, headers=headers) as socket:
        said = socket.receive_json()["type"]
    return said == "hello"


def test_a_page_of_this_origin_opens_the_websocket_without_the_token_of_actions(shown: Board) -> None:
    assert hears_hello(shown, {"Origin": HERE})


# --- the key


@pytest.fixture(scope="module")
def served_open(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    made = Board(Path(tmp_path_factory.mktemp("open")), host="0.0.0.0", key=KEY)
    yield made
    made.close()


@pytest.fixture
def open_board(served_open: Board) -> Board:
    """Nobody has the cookie yet."""
    served_open.client.cookies.clear()
    return served_open


COOKIE = "f9a29b85d9ad8261b9afae88c2a3b32ac909db502c36f6a9dda132654c08ffe0"
"""HMAC-SHA256 of `port 8727`, with the key."""
WRONG = ["", "x", KEY[:-1], f"{KEY}x", KEY.upper(), "ключ"]


@each_row("given", WRONG)
def test_a_wrong_key_is_none(open_board: Board, given: str) -> None:
    words = error_json("unauthorized", "a token is needed; open the address that rcs dashboard said when it started")
    for answer in (
        open_board.client.get("/", params={"token": given}),
        open_board.client.get("/api/runs", headers={b"Authorization": f"Bearer {given}".encode()}),
        open_board.client.get("/api/runs", headers={b"Cookie": f"rcs-dashboard-{PORT}={given}".encode()}),
        open_board.client.get("/api/runs", headers={"Cookie": f"rcs-dashboard-{PORT}={KEY}"}),
    ):
        assert (answer.status_code, answer.json()) == (401, words)
        assert "set-cookie" not in answer.headers


@each_row("address", READS)
def test_without_a_key_nothing_is_shown(open_board: Board, address: str) -> None:
    assert open_board.client.get(address).status_code == 401


def test_a_key_in_the_address_becomes_a_cookie(open_board: Board) -> None:
    answer = open_board.client.get("/", params={"token": KEY})
    assert answer.status_code == 200
    assert answer.headers["set-cookie"] == f"rcs-dashboard-{PORT}={COOKIE}; HttpOnly; SameSite=Strict; Path=/"
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "content='0;url=/'" in answer.text
    assert KEY not in answer.text
    assert open_board.client.get("/api/runs").status_code == 200  # the client has kept the cookie
    open_board.client.cookies.clear()
    assert open_board.client.get("/api/runs", params={"token": KEY}).status_code == 401, "an address of data"
    assert open_board.client.get("/api/runs", headers={"Authorization": f"Bearer {KEY}"}).status_code == 200


def test_a_cookie_opens_no_other_port_with_the_same_key(open_board: Board) -> None:
    """A browser shows it to every server of this name: it holds neither the key nor what another port takes."""
    open_board.client.get("/", params={"token": KEY})
    cookie = f"rcs-dashboard-9000={COOKIE}"
    answer = open_board.client.get("/api/runs", headers={"Host": "127.0.0.1:9000", "Cookie": cookie})
    assert answer.status_code == 401


def test_a_code_opens_a_page_once_and_no_data(open_board: Board) -> None:
    used: list[str] = []
    code = open_board.rules.new_code(lambda: used.append("used"))
    assert open_board.client.get("/api/runs", params={"token": code}).status_code == 401
    assert open_board.client.get("/api/runs", headers={"Authorization": f"Bearer {code}"}).status_code == 401
    assert used == []
    assert open_board.client.get("/runs/r1", params={"token": code}).status_code == 200
    assert open_board.client.get("/api/runs").status_code == 200
    assert used == ["used"]
    open_board.client.cookies.clear()
    assert open_board.client.get("/", params={"token": code}).status_code == 401
    assert used == ["used"]


def test_the_key_alone_lets_no_foreign_page_act(open_board: Board) -> None:
    client: TestClient = open_board.client
    headers = {
        "Authorization": f"Bearer {KEY}", "Origin": "http://evil.example", "Content-Type": "application/json",
        "X-RCS-Token": open_board.rules.token,
    }  # fmt: skip
    assert client.post("/api/modes/clear", content="{}", headers=headers).status_code == 403
