"""Secrets stay out of what is shown and kept."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from urllib.parse import quote

import pytest
from claude_agent_sdk import ClaudeAgentOptions, CLIJSONDecodeError
from claude_agent_sdk import ProcessError as SdkProcessError
from claude_agent_sdk._errors import MessageParseError

from maverick_tui import AgentContext, AgentResult, MalformedResponseError, MaverickAgent, ProcessError
from maverick_tui.agent.engine.failures import api_failure, wrap_sdk_error
from maverick_tui.agent.engine.transport import STDERR_LINE_LENGTH, CliTransport
from maverick_tui.config import MaverickConfig
from maverick_tui.executor.failures import ours
from maverick_tui.inert import inert
from maverick_tui.redact import conceal, holds_secret, is_secret, redact
from maverick_tui.runs import events as ev
from maverick_tui.runs.export import as_markdown
from maverick_tui.runs.failures import failure_of
from maverick_tui.runs.store import RunStore
from maverick_tui.shown import shown

ROOT = Path(__file__).parents[1]
KEY = "sk-ant-api03-abcdefghijklmnop"
OTHER = "hunter2-hunter2"


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DATABASE_PASSWORD", OTHER)


@pytest.mark.parametrize("text", [f"key {KEY} here", f"Authorization: Bearer {KEY}", f"password={OTHER}"])
def test_what_looks_like_a_key_and_what_a_variable_holds_is_masked(text: str) -> None:
    assert KEY not in redact(text)
    assert OTHER not in redact(text)
    assert "[secret]" in redact(text)


SHAPED = [
    "ghp_" + "a1B2" * 9,
    "gho_" + "a1B2" * 9,
    "ghu_" + "a1B2" * 9,
    "ghs_" + "a1B2" * 9,
    "ghr_" + "a1B2" * 9,
    "github_pat_" + "a1B2" * 12,
    "glpat-" + "a1B2-" * 4,
    "xoxb-" + "123456789012-abcdef",
    "xapp-1-" + "A012345-abcdef",
    "AKIA" + "ABCDEFGH12345678",
    "ASIA" + "ABCDEFGH12345678",
    "AIza" + "a1B2_" * 7,
    "npm_" + "a1B2" * 9,
    "pypi-Ag" + "EIcHlwaS5vcmc" * 2,
    "sk_live_" + "a1B2" * 6,
    "rk_live_" + "a1B2" * 6,
    "sk-" + "a1B2" * 12,
    "sk-proj-" + "a1B2_-" * 6,
    "hf_" + "a1B2" * 9,
    "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
]


@pytest.mark.parametrize("secret", SHAPED)
@pytest.mark.parametrize("place", ["{}", "refused: {}, and more", "https://{}@host/x", '{{"a": "{}"}}', "x={}"])
def test_tokens_of_well_known_services_are_masked_wherever_they_stand(secret: str, place: str) -> None:
    masked = redact(place.format(secret))
    assert secret not in masked
    assert secret[8:] not in masked
    assert "[secret]" in masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [secret]"),
        ("authorization: Bearer abc.def-ghi", "authorization: Bearer [secret]"),
        ("{'Authorization': 'token abcdef12'}", "{'Authorization': 'token [secret]'}"),
        ("x-api-key: abcdefg1", "x-api-key: [secret]"),
        ("X-API-Key: abcdefg1", "X-API-Key: [secret]"),
        ("Set-Cookie: session=abc; Path=/", "Set-Cookie: [secret]"),
        ("postgresql://me:pass@host/db", "postgresql://[secret]@host/db"),
        ("redis://:pass@host/1", "redis://[secret]@host/1"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = [secret]"),
        ("DB_PASSWORD='hunter2,hunter2'", "DB_PASSWORD='[secret]'"),
        ("GET /v1?key=abcdefgh12", "GET /v1?key=[secret]"),
        ('"client_secret": "a b"', '"client_secret": "[secret]"'),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----", "[secret]"),
        ("-----BEGIN RSA PRIVATE KEY-----\ncut off", "[secret]"),
    ],
)
def test_what_stands_after_a_telling_name_is_masked(text: str, masked: str) -> None:
    assert redact(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "a plain sentence, sk-ant",
        "the task-management of https://example.org/a:b",
        "Unexpected token: something else",
        "unknown key: allowed_tools",
        "max_tokens=4096 is too many",
        "Basic information about risk-management",
        "TOKEN=$OTHER_ONE",
        "-----BEGIN CERTIFICATE-----",
    ],
)
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert redact(text) == text


RANDOM = "q7Rt2LmX9vKp4Zs8"
ASSIGNED = [
    "password: {}", 'api_key = "{}"', "API_KEY = '{}'", "{{'password': '{}'}}", "Server=db;Password={};Port=1",
    "AccountName=a;AccountKey={}==;", "SharedAccessKey={}", '"pass": "{}"', "X-Auth-Token: {}", "run --token {}",
    "run --api-key={}", "machine a login b password {}", "\n  password {}\n", "curl -u me:{} host",
    "<password>{}</password>", "curl --user me:{} host", "curl -s -ume:{} host", "curl -x p --proxy-user 'me:{}' host",
    "mysqldump -uroot -p{} shop", "mysql -h db -p'{}' shop", "sshpass -p {} ssh host", "sshpass -p'{}' ssh host",
    "redis-cli -h db -a {} ping", "docker run --user me:{}",
    "docker login -u me -p {} host", "docker --config c login -p'{}'", "helm registry login host -u me -p {}",
    "podman login --password={} host",
    "os.environ['DB_PASSWORD'] = '{}'", "aws_secret_access_key={}", "Authorization: {}", "GET /x?token={}&a=b",
    "postgresql://me:{}/x@host/db", "postgresql://me:{}@x@host/db", "https://hooks.slack.com/services/T0/B0/{}",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{}\n-----END PGP PRIVATE KEY BLOCK-----",
]  # fmt: skip
SERVICES = [
    f"SG.{RANDOM}.{RANDOM}", f"ya29.{RANDOM * 2}", f"hvs.{RANDOM * 2}", f"gsk_{RANDOM * 2}", f"xai-{RANDOM * 2}",
    "dop_v1_" + "0a1b" * 16, f"dckr_pat_{RANDOM * 2}", "shpat_" + "0a1b" * 8, f"glsa_{RANDOM * 2}", "dapi" + "0a1b" * 8,
    f"ATATT3{RANDOM * 2}", "AGE-SECRET-KEY-1" + "QZ7P" * 14, f"lin_api_{RANDOM * 2}aB3cD4eF", f"ntn_{RANDOM * 3}",
    f"secret_{RANDOM * 2}abcdefghijk", f"figd_{RANDOM}-{RANDOM}_{RANDOM}", f"r8_{RANDOM * 2}abcde",
    f"nvapi-{RANDOM * 4}", "pul-" + "0a1b" * 10, "sbp_" + "0a1b" * 10, "rubygems_" + "0a1b" * 12,
    f"sq0atp-{RANDOM}abcdef", f"sq0csp-{RANDOM * 3}",
    "NRAK-" + "QZ7" * 9, "0a1b" * 9 + "NRAL", "PMAK-" + "0a1b" * 6 + "-" + "0a" * 17, f"dp.st.dev_eu.{RANDOM * 3}",
    f"dp.pt.{RANDOM * 3}", f"tskey-auth-{RANDOM}-{RANDOM}", f"123456789:AA{RANDOM * 2}x", f"pscale_tkn_{RANDOM * 2}",
]  # fmt: skip


@pytest.mark.parametrize("place", ASSIGNED)
def test_a_random_value_behind_a_telling_name_is_masked(place: str) -> None:
    masked = redact(place.format(RANDOM))
    assert RANDOM not in masked
    assert "[secret]" in masked


@pytest.mark.parametrize("secret", SERVICES)
def test_tokens_of_more_services_are_masked(secret: str) -> None:
    assert redact(f"it is {secret}, so") == "it is [secret], so"


@pytest.mark.parametrize(
    "form",
    [b64encode(f"{'x' * before}{OTHER}é{'y' * after}".encode()).decode() for before in range(4) for after in range(3)]
    + [urlsafe_b64encode(b"??>" + OTHER.encode()).decode(), quote(f"{OTHER}é")],
)
def test_what_a_variable_holds_is_masked_as_it_is_coded_elsewhere(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DATABASE_PASSWORD", f"{OTHER}é")
    monkeypatch.setenv("SHOP_OTHER_PASSWORD", OTHER)
    masked = redact(f"it is {form} so")
    assert "[secret]" in masked
    assert len(masked.replace("[secret]", "")) <= len("it is  so") + 12, "what stands around it stays, and no more"


def test_a_value_that_is_no_text_can_be_concealed() -> None:
    conceal(["\ud800-half-a-pair", "\udcff-not-utf-8"])
    assert redact("\ud800-half-a-pair \udcff-not-utf-8") == "[secret] [secret]"


KEY_LINES = "\n".join([f"{RANDOM}{RANDOM}"] * 3 + ["aB3="])


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"x:\n{KEY_LINES}\n-----END RSA PRIVATE KEY-----\ny", "x:\n[secret]\ny"),
        (f"{KEY_LINES}\n-----END PRIVATE KEY-----".replace("\n", "\\n"), "[secret]"),
        (f"     2\u2192{KEY_LINES}\n-----END PRIVATE KEY-----".replace("\n", "\n     9\u2192"), "     2\u2192[secret]"),
        (f"b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n{KEY_LINES}", "[secret]"),
        (f"Private-Lines: 4\n{KEY_LINES}\nPrivate-MAC: 0a", "Private-Lines: 4\n[secret]Private-MAC: 0a"),
    ],
)
def test_a_private_key_is_masked_from_its_second_line_on(text: str, masked: str) -> None:
    assert redact(text) == masked


CUTS = ["\x1b[m\x1b[K", "\x1b[01;31m", "\u200b", "\u2060", "\xad", "\x1b(B", "\x00"]


def test_the_lines_of_a_key_are_masked_without_its_first_whatever_the_length_of_its_last() -> None:
    line = "MHcCAQEEIObtUQz0wZ8hvVn7y1mWkUe9oAoGCCqGSM49AwEHoUQDQgAEd1Vl4fRx"
    for lines in [(line,) * above + (line[:last],) for last in range(1, len(line) + 1) for above in (1, 2)]:
        text = "\n".join((*lines, "-----END EC PRIVATE KEY-----"))
        assert redact(text) == "[secret]"
        assert redact(text.replace("\n", "\n-")) == "[secret]"  # in a diff


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("secret", [KEY, OTHER, f"password={RANDOM}"])
@pytest.mark.parametrize("at", [3, 7, 10, 12])
def test_a_secret_that_is_cut_by_what_is_not_seen_is_masked(secret: str, at: int, cut: str) -> None:
    text = f"a {cut}{secret[:at]}{cut}{secret[at:]}{cut} z"
    for shown_as in (text, inert(text)):
        masked = redact(shown_as)
        assert secret[at:] not in masked
        assert masked.count("[secret]") == 1
        assert (masked[:2], masked[-2:]) == ("a ", " z")


def test_what_grep_has_coloured_is_masked_in_an_export() -> None:
    coloured = f"\x1b[01;31m\x1b[K{KEY[:7]}\x1b[m\x1b[K{KEY[7:]}"
    store = RunStore()
    for event in (ev.RunStarted(0, "r", "a", "/"), ev.TurnStarted(1, 1, coloured, "p"), ev.BlockStarted(2, 1, "text"),
                  ev.BlockGrew(2, 1, inert(coloured))):  # fmt: skip
        store.apply(event)
    exported = as_markdown(store)
    assert KEY[7:] not in exported
    assert exported.count("[secret]") == 2


def test_ordinary_code_and_prose_come_back_unchanged() -> None:
    lines = """
    user = User(password=settings.password_hash, token=self.token2, secret=get_secret(1234567))
    client = Client(api_key=os.environ['X'], auth_token=tokens[0], password=hash_v2_salted)
    def login(password: str, token: OAuth2Token, api_key: SecretStr | None = None) -> None:
    headers = {"Authorization": f"Bearer {token}", "x": f"https://{user}:{password}@example.org"}
    the cookie: accept everything; Bearer authentication, the bearer presented a ticket
    password: at least 12 characters, with 2 digits. The secret: use 2fa. Run --token TOKEN.
    sorted(names, key=item2.by_length); cache_key: linux-pip-3a4b5c6d; primary_key=user_id_2
    max_tokens=4096, token_count: 123456ab, key: ArrowUp2Left, docker://alpine:3.18@sha256:0a1b2c3d4e
    curl -u user:password https://x; curl --user "$USER:$PASS" x; docker run --user 1000:1000 -p8080:80 alpine
    mysql -p shop; mysql -u root -p$PASSWORD; sshpass -p <password> ssh x; sshpass -p "$PASS" ssh; sshpass -e ssh x
    docker login -p "$PASS"; docker login -u me --password-stdin; docker login -p <password>; docker run -p 80:8080 x
    mysql -pPASSWORD; mysql --port 3306 -pYOUR_PASSWORD; redis-cli -a your-password; redis-cli -p 6379 --pass $X
    lin_api_key_from_the_environment_2, secret_access_key_of_the_2nd_account, tskey-authentication-and-more-of-it
    12:30:45:AA, dp.step.by_step, r8_unorm, pul-request, notes at -----END PRIVATE KEY----- and NRAL
    https://example.org:8080/a/@scope/pkg and the line -----BEGIN RSA PRIVATE KEY----- and then more text
    """
    assert redact(lines) == lines


@pytest.mark.parametrize("folder", ["maverick_tui", "agents", "docs", "styles"])
def test_our_own_sources_come_back_unchanged(folder: str) -> None:
    files = [file for file in (ROOT / folder).rglob("*") if file.suffix in (".py", ".md", ".yaml", ".tcss")]
    assert files
    assert [file for file in files if redact(text := file.read_text("utf-8")) != text] == []


@pytest.mark.parametrize(
    "name",
    ["KEY", "API_KEY", "apiKey", "X-Api-Key", "--api-key", "GITHUB_TOKEN", "authToken", "AUTHTOKEN", "DB_PASSWORD",
     "DB_PASS", "DB_PWD", "passwd", "client_secret", "SECRET_2", "AWS_CREDENTIALS", "SENTRY_DSN", "PROXY_AUTH",
     "Authorization", "SECRET_KEY_BASE"],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    ["MONKEY", "PWD", "OLDPWD", "KEYBOARD", "max_tokens", "TOKENIZERS_PARALLELISM", "SSH_AUTH_SOCK", "TOKEN_FILE",
     "AWS_ACCESS_KEY_ID", "AUTHOR", "COMPASS", "PATH", "", "__"],
)  # fmt: skip
def test_names_of_other_things(name: str) -> None:
    assert not is_secret(name)


def test_a_name_tells_of_its_value_only_if_it_is_a_whole_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONKEY", "banana-banana")
    monkeypatch.setenv("GITLAB_TOKEN", "opaque-word-77")
    assert redact("banana-banana opaque-word-77") == "banana-banana [secret]"


def test_what_was_concealed_is_masked_line_by_line_and_in_json() -> None:
    conceal(['first-line\nsecond"line', "short"])
    assert redact('second"line first-line short') == "[secret] [secret] short"
    assert redact(r'"first-line\nsecond\"line"') == '"[secret]"'


def test_a_text_is_masked_before_it_is_cut() -> None:
    conceal(["0123456789" * 10])
    assert "0123456789" not in shown(f"{'x' * 40}{'0123456789' * 10}")


def test_errors_hold_no_secrets() -> None:
    stderr = f"cannot log in with {KEY}\nnor with {OTHER}"
    process = wrap_sdk_error(SdkProcessError("failed", exit_code=1), stderr=stderr)
    line = wrap_sdk_error(CLIJSONDecodeError(f'{{"key": "{KEY}"', ValueError("cut")))
    message = wrap_sdk_error(MessageParseError("odd", {"token": KEY}))
    refused = api_failure(f"Invalid key {KEY}", status=401)
    assert isinstance(process, ProcessError)
    assert isinstance(line, MalformedResponseError)
    assert isinstance(message, MalformedResponseError)
    for text in (str(process), process.stderr, line.raw_response, message.raw_response, str(refused)):
        assert text is not None
        assert KEY not in text
        assert OTHER not in text


def test_what_the_cli_says_is_masked_before_its_lines_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = CliTransport(ClaudeAgentOptions())
    transport._keep_words("x" * (STDERR_LINE_LENGTH - 6) + OTHER)
    assert "hunter" not in transport.stderr_tail


def test_a_raw_answer_is_masked_before_it_is_cut() -> None:
    doc = "x" * 9_994 + OTHER
    failure = ours(json.JSONDecodeError("no JSON", doc, 0))
    assert isinstance(failure, MalformedResponseError)
    assert failure.raw_response is not None
    assert "hunter" not in failure.raw_response


def test_what_settings_and_servers_are_given_is_concealed() -> None:
    MaverickConfig.load(env={"SHOP_TOKEN": "settings-word", "COLOUR": "turquoise"})

    class Shopper(MaverickAgent):
        system_prompt = "Shop."
        mcp_servers = {
            "shop": {"command": "x", "args": ["--token=args-word"], "env": {"A": "word-77-word", "ROOT": "/srv/shop"}},
            "remote": {"type": "http", "url": "https://x.example", "headers": {"X-Auth": "header-word"}},
        }

        async def execute(self, context: AgentContext) -> AgentResult:
            return await self.run("go", context)

    Shopper()._build_options()
    words = "settings-word args-word word-77-word header-word"
    assert redact(f"{words} turquoise /srv/shop") == "[secret] [secret] [secret] [secret] turquoise /srv/shop"


def test_a_failed_run_and_its_export_hold_no_secrets() -> None:
    conceal(["only-a-server-knows"])
    told = f"refused only-a-server-knows, {KEY} and {OTHER}"
    failure = failure_of(ProcessError(told, stderr=told))
    store = RunStore()
    for event in (
        ev.RunStarted(0, "r", "shopper", "/shop"),
        ev.TurnStarted(1, 1, told, "p"),
        ev.BlockStarted(2, 1, "text"),
        ev.BlockGrew(2, 1, told),
        ev.ConnectFailed(3, failure),
    ):
        store.apply(event)
    exported = as_markdown(store)
    assert exported.count("[secret]") == 9
    for text in (str(failure), exported):
        assert not [secret for secret in ("only-a-server-knows", KEY, OTHER) if secret in text]


@pytest.mark.parametrize(
    ("name", "value", "is_so"),
    [
        ("token", 12345678, True),
        ("secret", {"value": "hunter2"}, True),
        ("passwords", ["hunter2"], True),
        ("API_KEYS", {"shop": "hunter2"}, True),
        ("tokens", ["hunter2"], True),
        ("tokens", 4096, False),
        ("max_tokens", 4096.0, False),
        ("token", None, False),
        ("token", "", False),
        ("secret", True, False),
        ("token_ids", ["a"], False),
        ("files", ["a"], False),
    ],
)
def test_a_field_holds_a_secret_whatever_its_type(name: str, value: object, is_so: bool) -> None:
    assert holds_secret(name, value) is is_so
