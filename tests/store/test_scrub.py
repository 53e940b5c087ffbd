"""Every kind of secret, in every disguise, out of a text; everything else untouched."""

import json
import os
import pathlib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memkit.store.scrub import Scrubber
from memkit.store.scrub_marks import MARK_PATTERN
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.scrub_views import views
from tests.store.scrub_disguises import DISGUISES
from tests.store.scrub_harmless import harmless
from tests.store.scrub_samples import Sample, samples

SCRUBBER = Scrubber(shipped_patterns())
SAMPLES = samples()
FRAGMENT = 6
VALUE = "aB3dE" + "fG7hJ" + "kL9m"


def leaks(sample: Sample, text: str) -> list[str]:
    """The fragments of a secret that can still be read in a text, however it is read."""
    n = min(FRAGMENT, len(sample.secret))
    seen = [view.text for view in views(MARK_PATTERN.sub("\x01", text))]
    fragments = {sample.secret[i : i + n] for i in range(len(sample.secret) - n + 1)}
    return sorted(fragment for fragment in fragments if any(fragment in text for text in seen))


@pytest.mark.parametrize("kind", SCRUBBER.kinds)
def test_no_disguise_saves_a_secret_of_this_kind(kind):
    failed = {}
    for sample in SAMPLES[kind]:
        for name, disguise in DISGUISES.items():
            written = disguise(sample)
            scrubbed = SCRUBBER.scrub_text(written)
            again = SCRUBBER.scrub_text(scrubbed.text)
            if leaks(sample, scrubbed.text) or not scrubbed.counts or again.counts or again.text != scrubbed.text:
                failed[name] = (written, scrubbed.text)
    assert failed == {}


def test_the_matrix_is_as_large_as_promised():
    assert len(SCRUBBER.kinds) >= 45
    assert len(DISGUISES) >= 12
    assert set(SAMPLES) == set(SCRUBBER.kinds)


@pytest.mark.parametrize("kind", SCRUBBER.kinds)
def test_a_secret_is_counted_under_its_kind(kind):
    sample = SAMPLES[kind][0]
    scrubbed = SCRUBBER.scrub_text(f"first\n{sample.text}\nlast")
    assert scrubbed.counts == {kind: 1}
    assert f"[scrubbed:{kind}]" in scrubbed.text
    assert scrubbed.text.startswith("first\n")
    assert scrubbed.text.endswith("\nlast")


def test_each_secret_counts_once():
    one, two = SAMPLES["github-token"][0].text, SAMPLES["jwt"][0].text
    assert SCRUBBER.scrub_text(f"{one} {two} {one}").counts == {"github-token": 2, "jwt": 1}


def test_findings_say_where_the_secret_stands():
    sample = SAMPLES["npm-token"][0]
    text = f"before {sample.text} after"
    assert [(text[f.start : f.end], f.kind) for f in SCRUBBER.findings(text)] == [(sample.text, "npm-token")]


def test_a_secret_hidden_by_something_unseen_is_masked_where_it_was_written():
    token = "gh" + "p_" + "A1b2C3d4" * 4
    text = "x " + "\u200b".join(token) + " y"
    assert SCRUBBER.scrub_text(text).text == "x [scrubbed:github-token] y"


def test_what_scrubbing_off_lets_through_is_everything():
    off = Scrubber(shipped_patterns(), enabled=False)
    text = SAMPLES["jwt"][0].text
    assert off.scrub_text(text).text == text
    assert off.scrub_json({"password": "x"}) == ({"password": "x"}, {})
    assert off.findings(text) != []


# --- forms in which values are given to names ------------------------------------------------------------------------

ASSIGNED = r"""
export DEPLOY_TOKEN=@
DEPLOY_TOKEN='@'
set DEPLOY_TOKEN=@
setx DEPLOY_TOKEN "@"
$env:DEPLOY_TOKEN = "@"
$env:DEPLOY_TOKEN="@"
[Environment]::SetEnvironmentVariable("DEPLOY_TOKEN", "@")
+ export DEPLOY_TOKEN=@
ENV DEPLOY_TOKEN @
ARG DEPLOY_TOKEN=@
docker run -e DEPLOY_TOKEN=@ app
app --token=@
app --token @ --verbose
app --password @
app --api-key=@
password: @
password: "@"
  password : '@'  # the old one
password = @
password := "@"
password => '@'
password -> @
"password" => "@",
:password => '@'
{"password": "@"}
{'password': '@'}
{"user":"x","password":"@","host":"h"}
{"db": {"password": "@", "user": "x"}}
{\"password\":\"@\"}
{\\\"password\\\":\\\"@\\\"}
{"name": "DB_PASSWORD", "value": "@"}
- name: DB_PASSWORD\n  value: @
<password>@</password>
<db:password>@</db:password>
<add key="ApiToken" value="@"/>
<property name="password" value="@"/>
Server=h;User Id=sa;Password=@;Encrypt=yes
Pwd=@;
DefaultEndpointsProtocol=https;AccountKey=@@;EndpointSuffix=core
jdbc:postgresql://h/db?user=u&password=@&ssl=true
https://svc.invalid/q?apikey=@
https://svc.invalid/q?a=1&api_key=@&b=2
https://svc.invalid/q?access_token=@#top
postgres://app:@@db.invalid:5432/app
mongodb+srv://app:@@db.invalid/app
amqp://guest:@@mq.invalid:5672/
redis://:@@cache.invalid:6379/0
Authorization: Bearer @
"Authorization": "Bearer @"
'Authorization': f'Bearer @'
curl -H 'Authorization: Token @' https://svc.invalid
curl -H "X-Api-Key: @" https://svc.invalid
curl -s -u admin:@ https://svc.invalid
X-Auth-Token: @
PRIVATE-TOKEN: @
Cookie: sid=@; theme=dark
Set-Cookie: session=@; Path=/; HttpOnly
api_key: str = "@"
password: Optional[str] = "@"
self.password = "@"
config["password"] = "@"
config['api_key']='@'
os.environ["API_TOKEN"] = "@"
process.env.API_TOKEN = '@'
os.getenv("API_TOKEN", "@")
password = SecretStr("@")
Client(api_key="@")
connect(user="u", password="@", host="h")
set_password("@")
the password is @
the password is "@", said Maria
the password is `@`
the password for the staging database is @.
the password was @ until May
my password's @
Password: @
passphrase: @
the API key is @
api key: @
apiKey: "@"
"clientSecret": "@"
client_secret=@
secret_key_base: @
SECRET_KEY = '@'
AWS_SECRET_ACCESS_KEY=@
aws_secret_access_key = @
aws configure set aws_secret_access_key @
private_key = @
PGPASSWORD=@ psql
MYSQL_PWD=@
DB_PASS=@
user=u pass=@
ansible_ssh_pass: @
machine git.invalid login u password @
CREATE USER app IDENTIFIED BY '@'
ALTER ROLE app WITH PASSWORD '@'
sshpass -p '@' ssh h
Passwort: @
Das Passwort ist @
Kennwort: @
mot de passe : @
le mot de passe est @
contraseña: @
la contraseña es @
senha: @
a senha é @
パスワード: @
パスワードは@です
パスワードは「@」です
密码：@
密码是@
密碼: @
비밀번호: @
пароль: @
| password | @ |
password: |\n  @
password: >-\n    @
password\t@
changed the password to @
spring.datasource.password=@
//registry.example.invalid/:_authToken=@
//registry.example.invalid/:_password=@
password%3D@
password=%22@%22
password=@!$^*()~
the root password "@"
"""


@pytest.mark.parametrize("form", ASSIGNED.strip("\n").split("\n"))
def test_a_value_given_to_a_name_is_masked(form):
    form = form.replace("\\n", "\n").replace("\\t", "\t")
    text = form.replace("@@", VALUE + "@", 1) if "://" in form and "@@" in form else form.replace("@", VALUE)
    scrubbed = SCRUBBER.scrub_text(text)
    assert leaks(Sample(text, VALUE), scrubbed.text) == []
    assert scrubbed.counts != {}


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        pytest.param("PASSWORD=", "a1&b2c3d4e5f6", "\nX=1", id="an-ampersand-inside"),
        pytest.param("PASSWORD=", "ab\"cd'ef123456", "\nX=1", id="quotes-inside"),
        pytest.param("PASSWORD=", "ab<cd>ef123456", "\nX=1", id="angle-brackets-inside"),
        pytest.param("PASSWORD=", "ab;cd;ef123456", "\nX=1", id="semicolons-inside"),
        pytest.param("password='", "it\\'s " + VALUE, "'", id="an-escaped-quote-inside"),
        pytest.param('password="', 'a\\"b\\\\' + VALUE, '"', id="escaped-backslashes-inside"),
        pytest.param('{"password": "', "correct horse battery staple", '"}', id="a-passphrase-of-words"),
        pytest.param("password: ", "correct-horse-battery-staple", "\n", id="a-passphrase-of-a-slug"),
        pytest.param("password: ", "let" + "mein", "\n", id="one-word-on-a-line-of-yaml"),
        pytest.param("api_key=", "Q7" * 700, " end", id="longer-than-what-is-read-at-first"),
        pytest.param("api_key = '", "Q7" * 700, "'", id="longer-than-what-is-read-at-first-in-quotes"),
        pytest.param("api_key: ", "sk-" + "sp-FAKE" * 3 + "." + "fake" * 6 + "_XYZ", "", id="dots-and-underscores"),
        pytest.param("api_key ", "0a1b2c3d" * 5 + ".AbC12x", " was it", id="bare-beside-the-name"),
        pytest.param("GET https://svc.invalid/q?apikey=", "0" * 32, "", id="digits-in-a-query"),
        pytest.param("note\u2028token ", "sk-" + "FAKE" * 8, "", id="after-a-line-separator"),
        pytest.param("export DEPLOY_TOKEN=", "FAKE" * 10, "", id="letters-only"),
        pytest.param("401 bad key ", "sk-" + "FAKE" * 8, " for url", id="in-the-text-of-an-error"),
        pytest.param(
            "key ", "gh" + "p_" + "A1b2C3d4" * 4 + "." + "tail" * 5 + "_end", ".", id="what-continues-a-token"
        ),
    ],
)
def test_the_whole_value_goes_and_nothing_around_it(before, value, after):
    scrubbed = SCRUBBER.scrub_text(before + value + after)
    assert MARK_PATTERN.sub("@", scrubbed.text) == f"{before}@{after}"


@pytest.mark.parametrize(
    "word", ["hunter" + "2", "Tr0ub4dor" + "&3", "Sup3r-S" + "3cret", "Winter" + "2026!", "xK9#mP" + "2$vL"]
)
@pytest.mark.parametrize(
    "form", ["password is {}", "password: {}", "password={}", "password = {}", "--password {}", "PASSWORD='{}'"]
)
def test_weak_passwords_are_masked_too(form, word):
    assert word.rstrip("!") not in SCRUBBER.scrub_text(form.format(word)).text


# --- armour ----------------------------------------------------------------------------------------------------------

BODY = "\n".join(line * 8 for line in ("MIIEvQ1b", "aB3+dE/f", "kL9mN0pQ", "zZ8yY7xX"))
BEGIN, END = "-----BEGIN RSA PRIVATE" + " KEY-----", "-----END RSA PRIVATE" + " KEY-----"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param(f"a\n{BEGIN}\n{BODY}\n{END}\nb", "a\n@\nb", id="whole"),
        pytest.param(f"a\n{BEGIN}\n{BODY}\n\nAnd so we decided.", "a\n@\n\nAnd so we decided.", id="end-cut-off"),
        pytest.param(f"a\n{BEGIN}\n{BODY}\naB3", "a\n@", id="cut-off-within-a-line"),
        pytest.param(f"{BODY}\naB3==\n{END}\nb", "@\nb", id="beginning-cut-off"),
        pytest.param(f"We saw: {BODY}\n{END}\nb", "We saw: @\nb", id="beginning-cut-off-after-prose"),
        pytest.param(f"{BEGIN}\n{BODY}\n{END}\n{BEGIN}\n{BODY}\n{END}", "@\n@", id="two"),
        pytest.param(f"{BEGIN}\n{BODY}\n{BEGIN}\n{BODY}\n{END}", "@\n@", id="one-cut-off-before-another"),
        pytest.param(
            f"{BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,ABCDEF\n\n{BODY}", "@", id="with-headers-cut-off"
        ),
        pytest.param(json.dumps({"k": f"{BEGIN}\n{BODY}\n{END}\n"}), '{"k": "@\\n"}', id="in-json"),
        pytest.param(f"look for {BEGIN} in the repository", f"look for {BEGIN} in the repository", id="a-mention"),
        pytest.param(f"between {BEGIN} and {END} lines", f"between {BEGIN} and {END} lines", id="a-mention-of-both"),
    ],
)
def test_an_armoured_key_goes_as_a_block(text, left):
    assert MARK_PATTERN.sub("@", SCRUBBER.scrub_text(text).text) == left


# --- what stays ------------------------------------------------------------------------------------------------------


def test_harmless_texts_come_through_untouched():
    texts = harmless()
    assert len(texts) >= 500
    assert {text: SCRUBBER.scrub_text(text).text for text in texts if SCRUBBER.scrub_text(text).text != text} == {}


def test_harmless_texts_come_through_untouched_as_one():
    text = "\n\n".join(harmless())
    found = [(text[f.start - 40 : f.end + 10], f.kind) for f in SCRUBBER.findings(text)]
    assert found == []


@pytest.mark.corpora
def test_real_decision_records_come_through_untouched():
    folder = pathlib.Path(os.environ.get("CORPORA", pathlib.Path(__file__).parents[3] / "shared" / "corpora"))
    files = sorted(folder.rglob("*.md"))
    if not files:
        pytest.skip("CORPORA names no folder of real decision records")
    found = {
        file.name: SCRUBBER.scrub_text(file.read_text(encoding="utf-8", errors="replace")).counts for file in files
    }
    assert {name: counts for name, counts in found.items() if counts} == {}


# --- scrubbing again -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "password=[scrubbed:password]",
        "password: [scrubbed:password], next",
        '{"password": "[scrubbed:password]"}',
        "[scrubbed:password]: abc123def",
        "[scrubbed:api-key] = abc123def456ghi",
        "https://[scrubbed:sentry-dsn]@host.invalid/1",
        "https://user:[scrubbed:url-password]@host.invalid",
        "Authorization: Bearer [scrubbed:authorization-header]",
        "Cookie: [scrubbed:cookie]",
        "[scrubbed:jwt][scrubbed:jwt].[scrubbed:password]",
    ],
)
def test_a_mark_is_no_secret(text):
    assert SCRUBBER.scrub_text(text).counts == {}


PIECES = [sample.text for kind in SAMPLES.values() for sample in kind]
GLUE = [
    "",
    " ",
    "\n",
    "=",
    ":",
    '"',
    "'",
    "`",
    "[scrubbed:jwt]",
    "[scrubbed:",
    "\\n",
    '\\"',
    "%20",
    "&",
    "\u200b",
    "|",
    ", ",
    "(",
    ")",
    "<",
    ">",
]
GLUE += [
    "password",
    "token=",
    "api key: ",
    "; ",
    "-",
    "_",
    ".",
    "/",
    "é",
    "字",
    '"password": "',
    "://",
    "@",
    BEGIN,
    END,
]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.one_of(
            st.sampled_from(GLUE),
            st.text(max_size=12),
            st.tuples(st.sampled_from(PIECES), st.integers(5, 120)).map(lambda cut: cut[0][: cut[1]]),
        ),
        max_size=10,
    ).map("".join)
)
@example("[scrubbed:" + "x" * 80)
def test_scrubbing_the_outcome_again_changes_nothing(text):
    once = SCRUBBER.scrub_text(text)
    assert SCRUBBER.scrub_text(once.text).text == once.text
    assert (once.counts == {}) == (once.text == text)


@settings(max_examples=60, deadline=None)
@given(
    before=st.text(max_size=20),
    after=st.text(max_size=20),
    kind=st.sampled_from(["github-token", "aws-access-key-id", "jwt", "stripe-key"]),
)
def test_a_token_between_any_texts_is_masked(before, after, kind):
    sample = SAMPLES[kind][0]
    assert leaks(sample, SCRUBBER.scrub_text(f"{before} {sample.text} {after}").text) == []
