"""What a line sets a telling name to is masked to its end, whatever signs it has; code and references are left."""

from __future__ import annotations

import json

from maverick_tui.journal.masked_text import PiecewiseMask
from maverick_tui.masking.redact import redact
from tests.support.cases import each
from tests.support.effort import effort

LINES = [
    "DB_PASSWORD='{}'", 'DB_PASSWORD="{}"', "DB_PASSWORD={}", "password: {}", "password = {}", "export API_KEY='{}'",
    "  - api_key: '{}'", "     3\tpassword: {}", " 12\u2192DB_PASSWORD={}", 'db_pass = "{}"', "-SMTP_PASSWORD={}",
    "config/.env:12:SMTP_PASSWORD={}", "spring.datasource.password={}", "ENV DB_PASSWORD={}", "# secret: {}",
    "DB_PASSWORD='{}' # of the shop", '  "db_password": "{}",', "- name: DB_PASSWORD\n  value: {}",
]  # fmt: skip
SIGNS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
VALUES = [f"Hx7Qk2Lm{sign}Zp9Wv4Tn8" for sign in SIGNS]


def _leaks(value: str, text: str) -> bool:
    return any(value[at : at + 6] in text for at in range(len(value) - 5))


def _in_pieces(text: str, size: int) -> str:
    mask, kept = PiecewiseMask(list), dict[int, str]()
    for at in range(0, len(text), size):
        known = mask.add([(at, text[at : at + size])])
        kept |= {**dict(known.late), at: known.now[0]}
    kept |= dict(mask.end())
    return "".join(text for _, text in sorted(kept.items()))


@each("line", LINES)
def test_a_value_is_masked_to_the_end_of_its_line_whatever_signs_it_has(line: str) -> None:
    for value in VALUES:
        text = f"A=1\n{line.format(value)}\nB=2\n"
        masked = redact(text)
        assert not _leaks(value, masked), text
        assert (masked[:4], masked[-5:]) == ("A=1\n", "\nB=2\n")
        coded = json.dumps({"content": text}, ensure_ascii=False)
        masked = redact(coded)
        assert not _leaks(json.dumps(value)[1:-1], masked), coded
        assert masked.startswith('{"content": "A=1\\n')
        assert masked.endswith('\\nB=2\\n"}')


@each("line", LINES)
def test_what_comes_in_pieces_is_masked_as_if_it_came_at_once(line: str) -> None:
    for value in ("Hx7Qk2Lm'Zp9Wv4Tn8", "Hx7Qk2Lm\\nZp9Wv4Tn8"):
        plain = f"A=1\n{line.format(value)}\nB=2\n"
        for text in (plain, json.dumps(plain)):
            assert [_in_pieces(text, size) for size in (2, 7)] == [redact(text)] * 2


@each(
    ("text", "masked"),
    [
        ("DB_PASSWORD='Hx7Qk2Lm\\Zp9", "DB_PASSWORD='[secret]"),  # cut off
        ("token=Hx7Qk2Lm(Zp9&user=joe", "token=[secret]&user=joe"),
        ("password: Hx7Qk2Lm$Zp9 # it's new\n", "password: [secret] # it's new\n"),
        ("<p>\ntoken: Hx7Qk2Lm$Zp9</p>", "<p>\ntoken: [secret]</p>"),
        ("password: 'it\"s1nice'", "password: '[secret]'"),
    ],
)
def test_only_the_value_is_masked(text: str, masked: str) -> None:
    assert redact(text) == masked


ORDINARY = r"""
token: Optional[Str2]
password: process.env.DB_PASSWORD1[0],
token: str='default1'
password?: string | null;
apiKey: config.get<string>('API_KEY2'),
token: Map<String,Int64>
secret: &'a[u8],
secret: [u8;32],
secret := []byte("abc1")
token:=strings.Split(auth,"")[1]
password: <%= ENV["DB_PASSWORD_2"] %>
password: ENV.fetch('DB_PASSWORD1')
$password=$_ENV['DB_PASS1'];
$token = $this->getToken2();
PASSWORD=$(openssl rand -base64 32)
DB_PASSWORD=${DB_PASSWORD:-changeme1}
DB_PASSWORD="$DB_PASSWORD1"
api_key: {{ .Values.apiKey1 }}
api_key: ${{secrets.API_KEY1}}
password: ENC[AES256_GCM,data:Tr7o1=,iv:1==,tag:xx==,type:str]
password: {cipher}0a1b2c3d4e5f60718293a4b5c6d7e8f9
token: '^[A-Za-z0-9_]{20,}$'
HTTP_TOKEN = /^[!#$%&'*+\-.^_|~A-Za-z0-9]+$/
secret: "input[name='pw1']"
password: "//input[@id='pw1']"
password: {type:String,required:true,min:8}
password: bcrypt.hashSync('x1',10),
const token=jwt.sign({id:1},secret)
const token = req.headers["x-token-2"];
var token=$('#token1').val();
var apiKey = data["key1"]||"";
secret: process.env['SECRET_1']??'',
    token=tokens[0])
    api_key=f"{prefix}-{n1}",
key = "\u0041\u0042"
secret=hashlib.sha256(
token = a1[i]+b2[j]
token = {'a1':b2}
token: (a1:string)=>void
token: function(a1){return
token = decode("Hx7Qk2LmZp9Wv4Tn8")
private_key = rust_openssl.MLKEM768X25519PrivateKey
auth: basic,oauth2,jwt
auth: https://example.org/x?a=b1;c=d2
token: C:\Users\me1\token.txt
token: 'App\Models\Token2'
password: "********", secret: "--------"
password: ********
token=3,password=4;key=5
T_SECRET = re.compile(r"x[0-9]y")
TOKEN=$1;shift
TOKEN="${TOKEN%%[0-9]*}"
password: "\(user.pw1)"
password=&lt;abc1&gt;
token: `str2`
token: abc123</td>
# password=foo1(bar)
"token": [1,2,3],
password: the one of db_2(see below)
"""


def test_code_references_and_placeholders_are_left() -> None:
    assert redact(ORDINARY) == ORDINARY
    assert [line for line in ORDINARY.split("\n") if redact(line) != line] == []
    assert [_in_pieces(ORDINARY, size) for size in (3,)] == [ORDINARY]


COSTLY = ["(", "a.", "a(", "\\", "a<b>", "x1(", "${", "[(?", "'a", "{}", "a,", "x1('", "a1(\"'`", "a|a=", "<[%(s", ")"]
SET = ["password={}", "password='{}", "password='{}'", "\\npassword={}\\n", "1:1:1:token_key_auth={}"]


def test_what_a_line_costs_grows_with_its_length() -> None:
    texts = ["\n".join(line.format(value * (990 // len(value))) for line in SET) for value in COSTLY]
    texts += [f"password={value * 9_000}" for value in (*COSTLY, "password='", "\\npassword=(")]
    assert effort(lambda: [redact(text) for text in texts]) < 60
