"""Tokens and values behind telling names are known by their shape; code and prose are left as they are."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from maverick_tui.masking import shapes
from maverick_tui.masking.redact import redact
from tests.masking.examples import ASSIGNED, RANDOM, SERVICES, SHAPED
from tests.support.cases import each

ROOT = Path(__file__).parents[2]


@each("secret", SHAPED)
@pytest.mark.parametrize("place", ["{}", "refused: {}, and more", "https://{}@host/x", '{{"a": "{}"}}', "x={}"])
def test_tokens_of_well_known_services_are_masked_wherever_they_stand(secret: str, place: str) -> None:
    masked = redact(place.format(secret))
    assert secret not in masked
    assert secret[8:] not in masked
    assert "[secret]" in masked


DJANGO = "x!3h(k$4d&a*2zq^9w_5+e@r7t=y8u-i1o(p0a#s6d%f"


@each(
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
        ("http://me:pa#s/s?w@rd[1]@proxy:8080", "http://[secret]@proxy:8080"),
        ("proxy=me:pa#ss@proxy:8080", "proxy=me:[secret]@proxy:8080"),
        ("host=db user=me password='two words' port=1", "host=db user=me password=[secret] port=1"),
        ("host=db password=words port=1", "host=db password=[secret] port=1"),
        ("Uid=me;PWD={two; }}words};Encrypt=yes", "Uid=me;PWD=[secret];Encrypt=yes"),
        ("Server=db;Uid=me;Password=words;x=1", "Server=db;Uid=me;Password=[secret];x=1"),
        ("jdbc:sqlserver://db;user=me;password=words;x=1", "jdbc:sqlserver://db;user=me;password=[secret];x=1"),
        ("jdbc:mysql://db/x?user=me&password=words&y=1", "jdbc:mysql://db/x?user=me&password=[secret]&y=1"),
        ("curl -u me:lettersonly host", "curl -u me:[secret] host"),
        ("sshpass -p 'two words' ssh host", "sshpass -p '[secret]' ssh host"),
        ("ALTER USER x IDENTIFIED BY 'two words'", "ALTER USER x IDENTIFIED BY '[secret]'"),
        ("- name: PGPASSWORD\n  value: 'two words'", "- name: PGPASSWORD\n  value: '[secret]'"),
        ('{"DB_PASSWORD": "lettersonly"}', '{"DB_PASSWORD": "[secret]"}'),
        ("  POSTGRES_PASSWORD: lettersonly\n", "  POSTGRES_PASSWORD: [secret]\n"),
        ('psk="lettersonly"', "psk=[secret]"),
        (f"SECRET_KEY = '{DJANGO}'", "SECRET_KEY = '[secret]'"),
        (f'"django-insecure-{DJANGO}"', '"[secret]"'),
        ("mysql --password=words db", "mysql --password=[secret] db"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = [secret]"),
        ("DB_PASSWORD='hunter2,hunter2'", "DB_PASSWORD='[secret]'"),
        ("GET /v1?key=abcdefgh12", "GET /v1?key=[secret]"),
        ('"client_secret": "a b"', '"client_secret": "[secret]"'),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----", "[secret]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAA", "[secret]"),
    ],
)
def test_what_stands_after_a_telling_name_is_masked(text: str, masked: str) -> None:
    assert redact(text) == masked


@each(
    "text",
    [
        "a plain sentence, sk-ant",
        "the task-management of https://example.org/a:b",
        "Unexpected token: something else",
        "unknown key: allowed_tools",
        "max_tokens=4096 is too many",
        "Basic information about risk-management",
        "TOKEN=$OTHER_ONE",
        "PASSWORD=........",
        "-----BEGIN CERTIFICATE-----",
    ],
)
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert redact(text) == text


@each("place", ASSIGNED)
def test_a_random_value_behind_a_telling_name_is_masked(place: str) -> None:
    masked = redact(place.format(RANDOM))
    assert RANDOM not in masked
    assert "[secret]" in masked


@each("secret", SERVICES)
def test_tokens_of_more_services_are_masked(secret: str) -> None:
    assert redact(f"it is {secret}, so") == "it is [secret], so"


KEY_LINES = "\n".join([f"{RANDOM}{RANDOM}"] * 3 + ["aB3="])


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"x:\n{KEY_LINES}\n-----END RSA PRIVATE KEY-----\ny", "x:\n[secret]\ny"),
        (f"{KEY_LINES}\n-----END PRIVATE KEY-----".replace("\n", "\\n"), "[secret]"),
        (f"     2\u2192{KEY_LINES}\n-----END PRIVATE KEY-----".replace("\n", "\n     9\u2192"), "     2\u2192[secret]"),
        (f"b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n{KEY_LINES}", "[secret]"),
        (f"Private-Lines: 4\n{KEY_LINES}\nPrivate-MAC: 0a", "Private-Lines: 4\n[secret]\nPrivate-MAC: 0a"),
    ],
)
def test_a_private_key_is_masked_from_its_second_line_on(text: str, masked: str) -> None:
    assert redact(text) == masked


def test_the_lines_of_a_key_are_masked_without_its_first_whatever_the_length_of_its_last() -> None:
    line = "MHcCAQEEIObtUQz0wZ8hvVn7y1mWkUe9oAoGCCqGSM49AwEHoUQDQgAEd1Vl4fRx"
    for lines in [(line,) * above + (line[:last],) for last in range(1, len(line) + 1) for above in (1, 2)]:
        text = "\n".join((*lines, "-----END EC PRIVATE KEY-----"))
        assert redact(text) == "[secret]"
        assert redact(text.replace("\n", "\n-")) == "[secret]"  # in a diff


def test_ordinary_code_and_prose_come_back_unchanged() -> None:
    lines = """
    user = User(password=settings.password_hash, token=self.token2, secret=get_secret(1234567))
    client = Client(api_key=os.environ['X'], auth_token=tokens[0], password=hash_v2_salted)
    def login(password: str, token: OAuth2Token, api_key: SecretStr | None = None) -> None:
    headers = {"Authorization": f"Bearer {token}", "x": f"https://{user}:{password}@example.org"}
    the cookie: accept everything; Bearer authentication, the bearer presented a ticket
    password: at least 12 characters, with 2 digits. The secret: use 2fa. Run --token TOKEN.
    add("--token", "--token2"); f(token, "abc2"), ("--password-file", "a1.txt"); x --token --y2zabcdef, [--auth, b]
    sorted(names, key=item2.by_length); cache_key: linux-pip-3a4b5c6d; primary_key=user_id_2
    max_tokens=4096, token_count: 123456ab, key: ArrowUp2Left, docker://alpine:3.18@sha256:0a1b2c3d4e
    curl -u user:password https://x; curl --user "$USER:$PASS" x; docker run --user 1000:1000 -p8080:80 alpine
    mysql -p shop; mysql -u root -p$PASSWORD; sshpass -p <password> ssh x; sshpass -p "$PASS" ssh; sshpass -e ssh x
    docker login -p "$PASS"; docker login -u me --password-stdin; docker login -p <password>; docker run -p 80:8080 x
    mysql -pPASSWORD; mysql --port 3306 -pYOUR_PASSWORD; redis-cli -a your-password; redis-cli -p 6379 --pass $X
    lin_api_key_from_the_environment_2, secret_access_key_of_the_2nd_account, tskey-authentication-and-more-of-it
    12:30:45:AA, dp.step.by_step, r8_unorm, pul-request, notes at -----END PRIVATE KEY----- and NRAL
    a login and password combination, the login or password provided, login with password authentication
    "auth": "basic", "auth": "oauth2Client", PASSWORD="$(pass show my key)", a passphrase: "none"
    api.py:5432:in load:db:12, ls a:*:b, **:*:c, primary-key-0a1b2c3d4e, passphrase=" ", MIN_PASSWORD_LENGTH="a b c d e"
    nobody:*:-2:-2:Unprivileged User:/var/empty:/usr/bin/false index:*:read:write:delete
    INVALID_TOKEN="The token is not valid" ERR_PASSWORD="The password is wrong" FIRST_PASS="run the first pass"
    "passphrase": "Enter the passphrase for your key", PASSWORD="\\$(cat x) y z" NO_PASSWORD='No password was given.'
    docker run --name mongo -p 27017:27017; mongodump -p $PW; sqlcmd -P <password>; openssl rsa -passin pass:$PW
    curl -b cookies.txt x; curl --cookie "sid=$SID" x; curl -u username:password x; echo "$PW" | docker --password-stdin
    echo done | tee x; keytool -storepass PASSWORD; ssh-keygen -N "" -f x; ldapsearch -w "$PW"; zip -r x y; 7z x -y a
    IDENTIFIED BY '<password>'; ALTER USER x WITH PASSWORD '%s'; name: password, value: "Enter yours, please";
    - name: TOKEN value: ${TOKEN} - name: token valueFrom: # requirepass foobared, it costs $5$ or $6$
    DB_PASSWORD: the one of the database
    password_encryption = scram-sha-256
    DB_PASSWORD: required
    DB_PASSWORD: ${DB_PASSWORD}
    MYSQL_ALLOW_EMPTY_PASSWORD: true
    DB_PASSWORD: SecretStr
    DB_PASSWORD: process.env.DB_PASSWORD
    FORGOT_PASSWORD: Vergessen
    GNUTLS_PKCS_NULL_PASSWORD: Added
    "FORGOT_PASSWORD": "Forgot it?", "PASSWORD": "Passwort", "DB_PASSWORD": "process.env.DB_PASSWORD"
    Header(name="X-Api-Key", value=api_key); {{ name: 'API_KEY', value: config.api2.key }}
    name: 'token',
    value: token2,
    <button name="token" value="refresh">, {"key": "auth_key", "value": "primary"}, (name="DB_PASSWORD", value=db_pass)
    psk=psk_value
    each row is identified by 'its key', identified as "a name"; problem identified by "somebody"
    echo hello | prettier --stdin; echo 'some text' | git hash-object -w --stdin; echo a/b.js | git check-ignore --stdin
    wget https://example.org/a.zip -P downloads; rsync a.zip -P host:/srv; find . -name '*.7z' -print; ssh 7z.de -p22022
    find . -name 'mysql*' -print0; docker run --name mysql -p3306:3306 x; docker run --name login -p 8080:80 x
    docker run --name mongo -p 127.0.0.1:27017:27017 x; docker exec mongo mkdir -p /data/db; az login -p cert.pem
    the $y$-coordinate-of-the-first-point-in-it, $6$/month-per-user-for-the-first-year
    SECRET_KEY = "/run/secrets/of/the/shop/django/key2"
    SECRET_KEY = "this-should-be-changed-in-production-please"; gpg --passphrase string; vault login role=developer-2-of
    <input name="password" value="{{ old }}">, {"name": "city", "value": "Hamburg-22087"}
    connect(host="db", user=user, password=password); connect("host=db password=" + word, f"&password={pw}&x=1")
    host=db password=$PGPASSWORD port=1; host=%s user=%s password=%s; Pwd={password};x=1; Password={Binding Password};
    PWD=/srv/shop; OLDPWD=/srv;PWD=$HOME; cmd;PWD={pw.value};x --password=PASSWORD --password=<yours> ?password=secret
    a proxy: see https://example.org/x@y, proxy=proxy.example:3128, proxy = me:$PASSWORD@proxy.example:1, x?pwd=token
    cd /a; PWD=/b/c make; apptainer exec --pwd=/data/work, --passwd=/etc/passwd x?pwd=~/dir; Pwd=C:\\Users\\me;
    x; Password=model.Password; y; Password=Request.Form["p"]; host=a user=b password=args.password
    --password=none --password=False x?password=reset --password=file:/run/secrets/db --password=@file.txt ?pwd=/a/b
    nginx-proxy: nginx:1.27@sha256:0a1b, "http-proxy": "npm:http-proxy-fork@1.0", haproxy: backend:srv1@zone
    http://localhost:3000?mail=a@b.example, postgres://me:{pw}@db/x, http://me:%s@db:1, mysql://me:$PW@db:1, a:b@c.de
    https://example.org:8080/a/@scope/pkg and the line -----BEGIN RSA PRIVATE KEY----- and then more text
    """
    assert redact(lines) == lines


@pytest.mark.parametrize("folder", ["maverick_tui", "agents", "docs", "styles"])
def test_our_own_sources_come_back_unchanged(folder: str) -> None:
    files = [file for file in (ROOT / folder).rglob("*") if file.suffix in (".py", ".md", ".yaml", ".tcss")]
    assert files
    assert [file for file in files if redact(text := file.read_text("utf-8")) != text] == []


@each(("text", "kept"), [
    ("`Set-Cookie: theme=dark; HttpOnly` without Secure, so", "`Set-Cookie: [secret]` without Secure, so"),
    ("curl -H 'Cookie: a=b1c2; d=e' host && make", "curl -H 'Cookie: [secret]' host && make"),
    ('Cookie: sid="q7Rt2LmX9vKp"; b=c\nmore', "Cookie: [secret]\nmore"),
    ('{"h": "Cookie: sid=q7Rt2LmX9vKp", "ok": 1}', '{"h": "Cookie: [secret]", "ok": 1}'),
])  # fmt: skip
def test_only_the_cookie_itself_is_masked(text: str, kept: str) -> None:
    assert redact(text) == kept


def test_all_that_secrets_begin_with_is_found_in_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    heads, cut = [*shapes.SHAPES], [head[:-1] for head in shapes.SHAPES]
    texts = [f"{sep}".join([*cut * 3, *some, *cut]) for sep in " \n\0\xe9\ud800" for some in (heads, heads[::7], [])]
    wanted = [[head for head in heads if head in text] for text in texts]
    assert [[*shapes._heads_in(text)] for text in texts] == wanted
    for found in (None, [3]):  # as it answers when it has no room
        monkeypatch.setattr(shapes, "_each_head", lambda found=found: SimpleNamespace(Match=lambda _text: found))
        assert [[*shapes._heads_in(text)] for text in texts] == wanted
