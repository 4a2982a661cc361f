"""Secrets as they turn up: the one table that the masker and all that keeps or shows something are held against."""

from __future__ import annotations

from typing import Any

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
RANDOM = "q7Rt2LmX9vKp4Zs8"
ASSIGNED = [
    "password: {}", 'api_key = "{}"', "API_KEY = '{}'", "{{'password': '{}'}}", "Server=db;Password={};Port=1",
    "AccountName=a;AccountKey={}==;", "SharedAccessKey={}", '"pass": "{}"', "X-Auth-Token: {}", "run --token {}",
    "run --api-key={}", "machine a login b password {}", "login with password {}", "\n  password {}\n",
    "curl -u me:{} host", "password:\u00a0{}", "API_KEY\u2003=\u2003{}",
    "\n 12\tlogin me\n 13\t  password {}\n", "\n+password {}\n",
    "<password>{}</password>", "curl --user me:{} host", "curl -s -ume:{} host", "curl -x p --proxy-user 'me:{}' host",
    "mysqldump -uroot -p{} shop", "mysql -h db -p'{}' shop", "sshpass -p {} ssh host", "sshpass -p'{}' ssh host",
    "redis-cli -h db -a {} ping", "docker run --user me:{}",
    "docker login -u me -p {} host", "docker --config c login -p'{}'", "helm registry login host -u me -p {}",
    "podman login --password={} host",
    "db.host:5432:shop:me:{}\n", "*:*:*:me:{}", "    1\tlocalhost:5432:*:postgres:{}",
    "os.environ['DB_PASSWORD'] = '{}'", "aws_secret_access_key={}", "Authorization: {}", "GET /x?token={}&a=b",
    "export DB_PW={}", "SSHPASS={}", "SMTP_PASSWORD=Xy7({}", "ADMIN_PASSWORD='Xy$1{}'", "BOT_TOKEN=OTk.GaBcDe.{}",
    "postgresql://me:{}/x@host/db", "postgresql://me:{}@x@host/db", "http://me:12/{}#[x]@proxy:8080", "a://me:%40{}?@h",
    "HTTPS_PROXY=me:{}#x@proxy:8080", "https_proxy: 'me:a/{}@proxy:8080'", '"proxy": "me:?{}@proxy"',
    "host=db user=me password='two {}'", "password='a \\' {}' host=db", "jdbc:oracle:thin:me/{}@db:1521:x",
    "Driver={{x}};UID=me;PWD={{a;b {}}};Server=db", "Server=db;Uid=me;Pwd={};",
    "https://hooks.slack.com/services/T0/B0/{}", "https://discord.com/api/webhooks/9988776655/{}",
    "Authorization: ApiKey {}", "curl -H 'authorization: Bot {}' host", "x?password={{a {}}};",
    "curl -b sid={} host", "curl --cookie 'a=b; sid={}' host", "curl -x me:{}@proxy:1 host",
    '{{"Cookie": "sid={}"}}', "echo {} | docker login -u me --password-stdin", "echo '{}' | sudo -S make",
    "mongodump -u me -p {} --db x", "twine upload -u me -p {} dist", "az login -u me -p {}", "sqlcmd -U sa -P '{}'",
    "keytool -list -storepass {}", "ldapsearch -x -w {} -D me", "openssl rsa -passin pass:{}", "zip -P {} a.zip b",
    "7z x -p{} a.7z", "smbclient -U me%{} //db/x", "htpasswd -b .htpasswd me {}", "ssh-keygen -t rsa -N {} -f x",
    "vault login {}", "npm config set //r.example/:_authToken {}", "gpg --batch --passphrase {} -d x",
    "\nrequirepass {}\n", "CREATE USER me IDENTIFIED BY '{}'", "ALTER ROLE me WITH PASSWORD '{}';",
    "- name: DB_PASSWORD\n  value: {}\n", '{{"name": "API_KEY", "value": "{}"}}',
    '<add key="Password" value="{}" />', "me:$apr1$abc$abc/{}", "me:$6$rounds=5000$salt$a./{}:19000:0",
    "\nDB_PASSWORD='Hx7Qk2\\{}'\n", "\nexport FTP_PASSWORD=\"Kx7Qk2'{}\"\n", "\nSSH_PASSWORD=Lx7Qk2&{}\n",
    "\npassword: Nx7Qk2${}\n", "\n  - api_key: Mx7({} # of the shop\n",
    "\n     3\tpassword = Gx7Qk2[{}\n", "\n+token: Cx{{2}}{}\n",
    "\n.env:12:DB_PASS=Jx7Qk2;{}\n", '{{"a": "B=1\\nDB_PASSWORD=\\"Fx7`{}\\"\\nC=2"}}', '{{"a": "API_KEY=Ex7<{}\\n"}}',
    "\n- name: DB_PASSWORD\n  value: Dx7Qk2({}\n", "\ndb.password=Bx7Qk2,{}>\n",
    '"args": ["-y", "--api-key", "{}"]', "run(['x', '--token', '{}'])", "args:\n  - --api-key\n  - {}\n",
    "run --api-key \\\n  {}", '"args": [\n  "--auth-token",\n  "{}"\n]',
    "the token token={} is new", "check('token', 'auth_token={}')",
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
    f"GOCSPX-{RANDOM}-{RANDOM}", f"ops_eyJ{RANDOM * 4}", f"fm2_{RANDOM * 4}", f"HRKU-AA{RANDOM * 3}",
    f"CCIPAT_{RANDOM}_{RANDOM * 2}", f"lsv2_pt_{RANDOM * 2}_0a1b2c3d4e", f"tvly-dev-{RANDOM * 2}", f"phx_{RANDOM * 2}",
    f"CFPAT-{RANDOM * 3}", f"AKCp{RANDOM * 4}", "bkua_" + "0a1b" * 10, "squ_" + "0a1b" * 10, "CLOJARS_" + "0a1b" * 15,
    f"rnd_{RANDOM * 2}", f"glcbt-{RANDOM}", f"glimt-{RANDOM}", f"glsoat-{RANDOM}", "doo_v1_" + "0a1b" * 16,
    f"hvb.{RANDOM * 2}", f"sntryu_{RANDOM * 2}", f"sb_secret_{RANDOM * 2}", f"ATBB{RANDOM * 2}",
    "key-" + "0a1b" * 8, f"glft-{RANDOM}", f"glagent-{RANDOM * 2}", f"pcsk_{RANDOM * 2}", f"tgp_v1_{RANDOM * 2}",
    f"ory_at_{RANDOM * 2}", f"duffel_live_{RANDOM * 2}", "pat-na1-0a1b0a1b-0a1b-0a1b-0a1b-0a1b0a1b0a1b",
    "access_token$production$0a1b0a1b0a1b0a1b$" + "0a1b" * 8, f"sk.eyJ{RANDOM * 2}.{RANDOM}", f"sl.{RANDOM * 7}",
    f"1//0{RANDOM * 3}", f"vcp_{RANDOM * 2}", f"pnu_{RANDOM * 2}", f"tfp_{RANDOM * 2}",
]  # fmt: skip
PHRASE = "correct horse battery staple"
SAID = [
    'DB_PASSWORD="{}"',
    "export GPG_PASSPHRASE='{}'",
    "passphrase: '{}'",
    'ssh_passphrase = "{}"',
    "ADMIN_PASS='{}'",
]
LOGIN = "bWFydmluOmh1bnRlcjItaHVudGVyMg=="
CONCEALED = "only-a-server-knows"
VARIABLE = "hunter2-hunter2"

EXAMPLES = [
    *((secret, f"refused: {secret}, and more") for secret in (*SHAPED, *SERVICES)),
    *((RANDOM, place.format(RANDOM)) for place in ASSIGNED),
    *((PHRASE, place.format(PHRASE)) for place in SAID),
    (LOGIN, f'{{"auths": {{"host": {{\n"auth": "{LOGIN}"}}}}}}'),
    *((secret, f"it is _{secret}_") for secret in (f"ya29.{RANDOM * 2}", f"hf_{RANDOM * 2}", f"npm_{RANDOM * 2}")),
    (CONCEALED, f"it said {CONCEALED} aloud"),
    (VARIABLE, f"cannot log in with {VARIABLE}"),
]
"""Each secret, and a text with it."""
FIELDS: list[tuple[str, dict[str, Any]]] = [
    ("12345678", {"token": 12345678}),
    ("hunter2", {"passwords": ["hunter2"]}),
    ("hunter2", {"secret": {"value": "hunter2"}}),
    ("hunter2", {"db_pwd": "hunter2"}),
    ("hunter2", {"env": [{"name": "DB_PASSWORD", "value": "hunter2"}]}),
    ("hunter2", {"deep": [{"API_KEYS": {"shop": "hunter2"}}]}),
]
"""Each secret, and data with it that only the name of a field tells."""
