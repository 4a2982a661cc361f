"""What is secret in the settings of servers and in variables."""

from __future__ import annotations

from base64 import b64encode

from maverick_tui.masking.redact import without
from maverick_tui.masking.settings import given_to_server, secret_inputs, secret_variables, server_secrets
from tests.masking.examples import RANDOM
from tests.support.cases import each

IN_BASE64 = b64encode(b"bob:Tr0ub4dor&3").decode()


def test_what_is_secret_in_settings() -> None:
    stdio = {"args": ["--verbose", "--api-key", "aaaaaaaa", "--token=bbbbbbbb", "file.txt"], "env": {"X": "cccccccc"}}
    assert given_to_server(stdio) == {"aaaaaaaa", "bbbbbbbb", "cccccccc"}
    remote = {"url": "https://me:dddddddd@host/mcp?id=eeeeeeee&x=1", "headers": {"Authorization": "Bearer ffffffff"}}
    assert given_to_server(remote) == {"dddddddd", "eeeeeeee", "id=eeeeeeee&x=1", "Bearer ffffffff", "ffffffff"}
    assert given_to_server({"url": "http://[broken", "env": {"DEBUG": "1"}}) == given_to_server(object()) == set()


def test_headers_addresses_and_values_that_look_like_names_are_secret_in_arguments() -> None:
    arguments = ["mcp-remote", "https://x.example/mcp", "--header", "Authorization: Bearer aaaaaaaa"]
    assert given_to_server({"args": arguments}) == {"Bearer aaaaaaaa", "aaaaaaaa"}
    assert given_to_server({"args": ["--header=X-Api-Key: bbbbbbbb"]}) == {"bbbbbbbb"}
    named = ["--token", "my-secret-cccc", "serve-this", "--password", "Summer2024!Password"]
    assert given_to_server({"args": named}) == {"my-secret-cccc", "Summer2024!Password"}
    assert given_to_server({"args": ["postgresql://bob:Tr0ub4dor%263@db/x", "--db=mysql://u:w0rd-7777@h/x"]}) == {
        "Tr0ub4dor&3",
        "w0rd-7777",
    }
    named = ["--dsn", "host=db password='two words'", "me:b#ee7eeeee@h"]
    assert {"two words", "b#ee7eeeee"} <= given_to_server({"args": named})
    assert "a#dddd7ddd" in given_to_server({"url": "http://me:a#dddd7ddd@host/mcp"})
    packages = ["-y", "github:acme/shop-tools@v1.2", "npm:@scope/pkg-name@1.2.0", "ns:image/name1@latest"]
    assert given_to_server({"args": [*packages, "mcp:shop-2@1.2.0-rc1", "-v", "cache:/root/.npm@x"]}) == set()
    assert given_to_server({"args": ["me:a/b7777777@h:1", "me:a7777777@10.0.0.1"]}) >= {"a/b7777777", "a7777777"}
    assert given_to_server({"args": ["--secrets", "C:\\Users", "a:b", "http://[broken"]}) in (set(), {"C:\\Users"})


def test_words_numbers_and_paths_of_a_server_are_secret_only_under_a_telling_name() -> None:
    env = {"MODE": "production", "PORT": "8080.8080", "ROOT": "/srv/shop", "SHOP_TOKEN": "turquoise", "A": "word-77"}
    assert server_secrets({"env": env}) == {"turquoise", "word-77"}
    assert server_secrets(object()) == set()


def test_variables_are_secret_by_their_name_or_that_of_a_header() -> None:
    env = {"SHOP_TOKEN": "a", "COLOUR": "b", "ANTHROPIC_CUSTOM_HEADERS": "x-agent: c\nx-api-key: d \nno header"}
    assert list(secret_variables(env)) == ["a", "d"]


@each(
    ("header", "secrets"),
    [
        (f"Authorization: Bearer {RANDOM}", {f"Bearer {RANDOM}", RANDOM}),
        ("Proxy-Authorization: Token word-of-a-gateway", {"Token word-of-a-gateway", "word-of-a-gateway"}),
        (f"Authorization: Basic {IN_BASE64}", {f"Basic {IN_BASE64}", IN_BASE64, "Tr0ub4dor&3"}),
        (f"X-Gateway: {RANDOM}", {RANDOM}),
        (f"X-Gateway: Bearer {RANDOM}", {RANDOM}),
        ("X-Gateway: apikey word-of-77", {"word-of-77"}),
        ("X-Tenant: 3f2b8a10-7c44-4a51-9d0e-5b6f7a8c9d01", {"3f2b8a10-7c44-4a51-9d0e-5b6f7a8c9d01"}),
        ("anthropic-beta: context-1m-2025-08-07,interleaved-thinking-2025-05-14", set()),
        ("X-Model: us.anthropic.claude-sonnet-4-20250514-v1:0", set()),
        ("X-Team: platform and internationalisation", set()),
        ("X-Account: 123456789012345678", set()),
    ],
)  # fmt: skip
def test_what_a_gateway_is_told_in_headers_is_secret_without_the_scheme_before_it(
    header: str, secrets: set[str]
) -> None:
    assert {*secret_variables({"ANTHROPIC_CUSTOM_HEADERS": f"x-colour: blue\n{header}\nx-size: 7"})} == secrets


def test_the_password_of_an_address_is_secret_unless_it_is_one_to_try_things_out() -> None:
    env = {"DATABASE_URL": "postgres://bob:Tr0ub4dor%263@db/x", "TRY_URL": "postgres://postgres:postgres@localhost/x"}
    assert list(secret_variables(env | {"BAD_URL": "http://[broken", "SITE_URL": "https://x.example"})) == [
        "Tr0ub4dor&3"
    ]


@each(
    ("name", "value"),
    [
        ("HTTPS_PROXY", f"http://me:{RANDOM}@proxy:8080"),
        ("https_proxy", f"http://me:{RANDOM}@proxy:8080"),
        ("HTTPS_PROXY", f"me:#{RANDOM}@proxy.example:8080"),
        ("HTTPS_PROXY", f"me:{RANDOM}?@proxy.example"),
        ("HTTPS_PROXY", f"http://me:12/{RANDOM}@proxy.example:8080"),
        ("DATABASE_URL", f"postgres://me:[#{RANDOM}]@db/shop?mail=a@b.example"),
        ("DATABASE_URL", f"postgres://me:a@{RANDOM}/b@db/shop"),
        ("DATABASE_URL", f"jdbc:oracle:thin:me/{RANDOM}@db:1521:shop"),
        ("CELERY_RESULT_BACKEND", f"redis://:%2f{RANDOM}@db:6379/0"),
        ("PG_CONNINFO", f"host=db user=me password='{RANDOM} \\' x' sslmode=require"),
        ("DB_CONNECTION_STRING", f"Driver={{x}};Uid=me;PWD={{{RANDOM};}}}}x}};Encrypt=true"),
        ("GOPROXY", f"https://a.example,https://me:{RANDOM}@go.example,direct"),
        ("PIP_EXTRA_INDEX_URL", f"https://a.example/simple https://me:{RANDOM}@b.example/simple"),
        ("UV_INDEX", f"inside=https://me:{RANDOM}@b.example/simple"),
        ("DATABASE_URL", f"postgres://db/shop?user=me&password={RANDOM}"),
        ("SENTRY_DSN", f"https://{RANDOM}abcd@o1.ingest.sentry.io/1"),
        ("MYSQL_DSN", f"me:{RANDOM}@tcp(db:3306)/shop"),
        ("PG_DSN", f"host=db user=me password={RANDOM} sslmode=require"),
        ("AIRFLOW_CONN_SHOP", f"postgres://me:{RANDOM}@db/shop"),
        ("SLACK_WEBHOOK_URL", f"https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/{RANDOM}"),
        ("AZURE_STORAGE_CONNECTION_STRING", f"AccountName=shop;AccountKey={RANDOM}/ab+c==;EndpointSuffix=core.example"),
        ("ConnectionStrings__Shop", f"Server=db;User Id=me;Pwd={RANDOM};Encrypt=true"),
        ("OTEL_EXPORTER_OTLP_HEADERS", f"x-team=blue,authorization=Bearer {RANDOM},x-colour=red"),
        ("OTEL_EXPORTER_OTLP_HEADERS", f"authorization=Bearer%20{RANDOM}"),
        ("OTEL_EXPORTER_OTLP_HEADERS", f"x-honeycomb-team={RANDOM}"),
        ("HTTP_AUTHORIZATION", f"Bearer {RANDOM}"),
        ("AUTH_HEADER", f"Authorization: Token {RANDOM}"),
        ("AUTH_HEADER", f"Bearer {RANDOM}"),
        ("GIT_CONFIG_VALUE_0", f"AUTHORIZATION: basic {RANDOM}"),
        ("GIT_CONFIG_PARAMETERS", f"'http.https://x.example/.extraheader'='AUTHORIZATION: bearer {RANDOM}'"),
        ("DOCKER_AUTH_CONFIG", f'{{"auths": {{"registry.example": {{"auth": "{RANDOM}"}}}}}}'),
        ("DOCKER_AUTH_CONFIG", f'{{"auths": {{"r": {{"auth": "{b64encode(f"me:{RANDOM}".encode()).decode()}"}}}}}}'),
        ("SERVICE_ACCOUNT_JSON", f'{{"type": "service_account", "client_secret": "{RANDOM}"}}'),
        ("NPM_CONFIG__AUTH", b64encode(f"me:{RANDOM}".encode()).decode()),
    ],
)  # fmt: skip
def test_a_secret_within_the_value_of_a_variable_is_known_by_itself(name: str, value: str) -> None:
    found = {*secret_variables({name: value})}
    assert any(RANDOM in one for one in found), found
    assert all(RANDOM not in without(value, found) for value in (value, value.partition("@")[0]))
    words = {"me", "db", "blue", "red", "shop", "direct", "require", "true", "service_account", "registry.example"}
    assert not words & found


@each(
    ("name", "value"),
    [
        ("HTTPS_PROXY", "http://proxy.example:8080"),
        ("DATABASE_URL", "postgres://me:postgres@db/shop?password=postgres"),
        ("PG_CONNECTION_STRING", "host=db user=postgres password=postgres sslkey=/etc/ssl/db.key key=/etc/ssl/a.key"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=platform,x-model=claude-sonnet-4-20250514"),
        ("BUILD_JSON", '{"key": "name", "tokens": 4096, "keyboard": "a1b2c3d4e5f6"}'),
        ("GIT_CONFIG_VALUE_0", "https://github.com/"),
        ("ISSUE_URL", "https://example.org/blob/0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d/a.py?line=7"),
        ("CONTACT_URL", "mailto:bob.smith-1@example.org"),
        ("SITE_URL", "https://example.org:8080/a1/@scope-2/pkg"),
        ("SITE_URL", "http://me:${DB_PASSWORD}@db"),
        ("UPSTREAM", "github:acme/shop-2@main"),
        ("REGISTRY", "localhost:5000/my-image@v2"),
        ("IMAGE_URL", "shop:1.2-slim@sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
        ("IMAGE_URL", "registry.example/shop:1.2@sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
    ],
)
def test_what_else_such_values_hold_is_no_secret(name: str, value: str) -> None:
    assert not {*secret_variables({name: value})}


def test_a_passphrase_of_several_words_is_known_as_a_whole_alone() -> None:
    assert {*secret_variables({"DB_PASSWORD": "correct horse battery"})} == {"correct horse battery"}


def test_a_secret_within_what_a_server_or_an_agent_is_given_is_known_by_itself() -> None:
    assert RANDOM in server_secrets({"env": {"HTTP_AUTHORIZATION": f"Bearer {RANDOM}"}})
    assert RANDOM in {*secret_inputs({"authorization": f"Bearer {RANDOM}"})}


def test_inputs_are_secret_by_their_name() -> None:
    given = {"password": "Sup3rS3cretValue99", "api_token": "short", "color": "turquoise", "token": 7}
    assert list(secret_inputs(given)) == ["Sup3rS3cretValue99"]


def test_how_a_key_begins_is_no_secret() -> None:
    key = '{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBg==\\n"}'
    assert "-----BEGIN" not in set(secret_variables({"GOOGLE_CREDENTIALS": key}))
