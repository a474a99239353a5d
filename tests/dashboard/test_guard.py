"""Who may read and act: Host, Origin, the page's token, the key of an open address; and the headers of every answer."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path

import pytest
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from rcs_hooks.dashboard.guard import AT_ONCE, CODES, AccessRules, Guard, is_loopback
from tests.dashboard.support import HERE, KEY, PORT, Board
from tests.support import error_json
from tests.table import each_row

POLICY = (
    f"default-src 'self'; connect-src 'self' ws://127.0.0.1:{PORT} wss://127.0.0.1:{PORT}; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

HOSTS = [
    # host that is bound, Host header, known
    ("127.0.0.1", "127.0.0.1:8727", True),
    ("127.0.0.1", "localhost:8727", True),
    ("127.0.0.1", "LOCALHOST:8727", True),
    ("127.0.0.1", "[::1]:8727", True),
    ("127.0.0.1", "localhost:9000", True),  # a tunnel
    ("127.0.0.1", "127.0.0.1", True),
    ("127.0.0.1", "evil.example:8727", False),
    ("127.0.0.1", "127.0.0.1.evil.example:8727", False),
    ("127.0.0.1", "localhost.evil.example", False),
    ("127.0.0.1", "evil.example:8727@127.0.0.1", False),
    ("127.0.0.1", "192.168.1.5:8727", False),
    ("127.0.0.1", "localhost; localhost", False),
    ("127.0.0.1", "127.0.0.1:8727?", False),
    ("127.0.0.1", "", False),
    ("127.0.0.2", "127.0.0.2:8727", True),
    ("::1", "[::1]:8727", True),
    ("0.0.0.0", "192.168.1.5:8727", True),
    ("0.0.0.0", "[fe80::1]:8727", True),
    ("0.0.0.0", "evil.example:8727", False),
    ("box.example", "box.example:8727", True),
    ("box.example", "evil.example:8727", False),
]


@each_row(("bound", "host", "known"), HOSTS)
def test_the_hosts_that_are_known(bound: str, host: str, known: bool) -> None:
    assert AccessRules(bound, key=None).knows(host) is known


@pytest.mark.parametrize("own", ["Box.Example.Org", "box"])
def test_an_open_server_knows_the_names_of_its_machine_and_another_knows_none(
    own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: own)
    for name in {own, "BOX", "box.local"}:
        assert AccessRules("0.0.0.0", key=None).knows(f"{name}:8727")
        assert not AccessRules("127.0.0.1", key=None).knows(f"{name}:8727")


@each_row(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("::", False),
     ("192.168.1.5", False), ("box.example", False)],
)  # fmt: skip
def test_the_addresses_that_only_this_machine_reaches(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


READS = ["/", "/static/index.html", "/api/runs", "/api/token", "/nowhere"]


@each_row("address", READS)
def test_a_foreign_host_is_refused(shown: Board, address: str) -> None:
    answer = shown.client.get(address, headers={"Host": "evil.example"})
    assert answer.status_code == 403
    assert answer.json() == error_json(
        "forbidden", "the host 'evil.example' is not this server's; open the address that rcs dashboard says"
    )


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


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "PATCH"])
def test_no_other_method_is_taken(shown: Board, method: str) -> None:
    headers = {"Origin": HERE, "X-RCS-Token": shown.rules.token, "Content-Type": "application/json"}
    answer = shown.client.request(method, "/api/runs", headers=headers)
    assert (answer.status_code, answer.json()) == (
        405,
        error_json("method_not_allowed", f"{method} is not allowed here"),
    )
    foreign = shown.client.request(method, "/api/runs", headers={"Origin": "http://evil.example"})
    assert foreign.status_code == 403
    assert not [name for name in foreign.headers if name.startswith("access-control")]


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


def test_a_server_that_can_answer_no_websocket_closes_it_with_the_reason(shown: Board) -> None:
    async def without_answers(scope: Scope, receive: Receive, send: Send) -> None:
        await Guard(shown.client.app, shown.rules)({**scope, "extensions": {}}, receive, send)

    with pytest.raises(WebSocketDisconnect) as caught:
        TestClient(without_answers).websocket_connect(SOCKET, headers={"Origin": "http://evil.example"}).__enter__()
    assert not isinstance(caught.value, WebSocketDenialResponse)
    words = "a page of 'http://evil.example' may neither read nor act here"
    assert (caught.value.code, caught.value.reason) == (1008, words)


def test_a_refusal_says_its_type_and_its_length_and_is_not_stored(shown: Board) -> None:
    answer = shown.client.get("/", headers={"Host": "evil.example"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-length"] == str(len(answer.content))
    assert answer.headers["cache-control"] == "no-store"


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


def test_a_key_that_opens_a_page_leads_to_that_page_and_nowhere_else(open_board: Board) -> None:
    answer = open_board.client.get("/runs/r1", params={"token": KEY})
    assert "content='0;url=/runs/r1'" in answer.text
    for path in ("//evil.example/", "/%22%3E%3Cscript%3E", "/%5C%5Cevil.example"):
        text = open_board.client.get(f"{HERE}{path}?token={KEY}").text
        assert "url=//" not in text
        assert "<script" not in text


def test_a_key_in_an_address_of_data_counts_nothing(open_board: Board) -> None:
    assert open_board.client.get("/api/runs", params={"token": KEY}).status_code == 401


def test_a_program_may_bring_the_key_in_a_header(open_board: Board) -> None:
    assert open_board.client.get("/api/runs", headers={"Authorization": f"Bearer {KEY}"}).status_code == 200


def test_a_websocket_needs_the_cookie_and_takes_no_key_in_its_address(open_board: Board) -> None:
    for address in (SOCKET, f"{SOCKET}?token={KEY}"):
        with pytest.raises(WebSocketDenialResponse) as caught:
            open_board.client.websocket_connect(address, headers={"Origin": HERE}).__enter__()
        assert caught.value.status_code == 401
    cookie = {"Origin": HERE, "Cookie": f"rcs-dashboard-{PORT}={COOKIE}"}
    assert hears_hello(open_board, cookie)


def test_a_cookie_of_another_port_counts_nothing(open_board: Board) -> None:
    answer = open_board.client.get("/api/runs", headers={"Cookie": f"rcs-dashboard-1={KEY}"})
    assert answer.status_code == 401


def test_a_cookie_counts_among_others(open_board: Board) -> None:
    cookies = f"theme=dark; rcs-dashboard-1=x; rcs-dashboard-{PORT}={COOKIE}; last=1"
    assert open_board.client.get("/api/runs", headers={"Cookie": cookies}).status_code == 200


def test_a_host_without_a_port_is_at_port_80(open_board: Board) -> None:
    answer = open_board.client.get("/", params={"token": KEY}, headers={"Host": "127.0.0.1"})
    assert answer.headers["set-cookie"].startswith("rcs-dashboard-80=")


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


PATHS = ["/" + "a" * 5_000, "/api/runs/" + "a" * 5_000, "/static/" + "a" * 5_000 + ".js", "/runs/" + "%61" * 1_700]


@pytest.mark.parametrize("path", PATHS, ids=["page", "data", "static", "escaped"])
def test_a_path_of_5000_letters_is_one_sentence(shown: Board, path: str) -> None:
    answer = shown.client.get(path)
    length = len(path)
    words = error_json("address_too_long", f"the address has {length} letters; 2000 at most are read")
    assert (answer.status_code, answer.json()) == (414, words)


def test_a_file_name_longer_than_any_is_not_there(shown: Board) -> None:
    answer = shown.client.get("/static/" + "a" * 300 + ".js")
    assert answer.status_code == 404
    assert answer.json() == error_json("not_found", answer.json()["message"])


def test_what_the_guard_refuses_takes_nobodys_place(shown: Board) -> None:
    guard = Guard(shown.client.app, shown.rules)
    guard.answering = AT_ONCE
    client = TestClient(guard, base_url=HERE)
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 403
    answer = client.get("/")
    words = error_json("busy", "300 requests are being answered already; close some pages, or try again")
    assert (answer.status_code, answer.json()) == (503, words)
    guard.answering = AT_ONCE - 1
    assert client.get("/").status_code == 200
    assert guard.answering == AT_ONCE - 1


def test_the_key_alone_lets_no_foreign_page_act(open_board: Board) -> None:
    client: TestClient = open_board.client
    headers = {
        "Authorization": f"Bearer {KEY}", "Origin": "http://evil.example", "Content-Type": "application/json",
        "X-RCS-Token": open_board.rules.token,
    }  # fmt: skip
    assert client.post("/api/modes/clear", content="{}", headers=headers).status_code == 403


def test_another_start_has_another_token_and_other_codes_that_nobody_guesses() -> None:
    starts = [AccessRules("127.0.0.1", key=None) for _ in range(2)]
    secrets = {each.token for each in starts} | {each.new_code(lambda: None) for each in starts}
    assert len(secrets) == 4
    assert {len(each) for each in secrets} == {32}, "letters of six random bits each"
