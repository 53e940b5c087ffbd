"""Texts without a secret in them, most of which talk about secrets. Scrubbing has to leave every one alone."""

from __future__ import annotations

import hashlib
import itertools
import uuid

# One text a line; `\\n` stands for a line break.
WRITTEN = r"""
password is required
The password is required.
Password: required
the password is incorrect
password is case-sensitive
The password is 12 characters long.
the password is at least 8 characters
passwords are hashed with bcrypt
passwords are hashed with argon2id before storage
the password is hashed with PBKDF2-SHA256
The password is SHA-256 hashed
The password is stored in 1Password
password is base64-encoded
the token is refreshed hourly
the token is a JWT
The token is signed with RS256.
The token is 256-bit random
the token is base64url-encoded
The secret is rotated every 90 days.
secret is 32-byte
token is OAuth2 bearer
Token: opaque
Token: JWT (RS256)
Token: a short-lived credential
API key: see 1Password
api_key: str
api_key: string;
api_key: Optional[str] = None
password=None
password = None
password: str
password: string
password: str | None = None
token = get_token()
token = await self.get_token(user_id)
token = request.headers.get("Authorization")
token = os.environ["GITHUB_TOKEN"]
token = os.getenv("API_TOKEN")
token: ${{ secrets.GITHUB_TOKEN }}
password: ${DB_PASSWORD}
password: $DB_PASSWORD
password: {{ vault_db_password }}
password=<your password>
password=<redacted>
password: "********"
password: xxxxxxxx
password=args.password
password=password
connect(user=user, password=password, host=host)
User(password=hash_password(password))
self.password = password
secret_key = settings.SECRET_KEY
secret = hmac.new(key, msg, hashlib.sha256)
secret: database-credentials
secretName: db-credentials-v2
secretKeyRef:\n  name: db\n  key: password
imagePullSecrets:\n  - name: regcred
tokens: 4096
max_tokens=4096
max_tokens: 128000
tokenizer = "cl100k_base"
token_count = 1234567890
total tokens: 12,345
token budget is 200k
n_tokens=17
next_page_token: str
token_url: https://auth.example.com/oauth/token
tokenUrl: https://auth.example.com/oauth/token
password_hash: str
password_file: /run/secrets/db_password
PASSWORD_FILE=/run/secrets/db
PWD=/home/user/project
OLDPWD=/root/work
+ cd /root/project\n+ PWD=/root/project
public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDummyKeyMaterialHere user@host
primary key: id
foreign key: user_id
key: value
cache key: user:1234:profile
idempotency key is a UUIDv7
sort key = created_at
partition key: tenant_id
Bearer tokens are used for the API
Bearer authentication is required
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${TOKEN}
Authorization: Bearer {token}
Authorization: Basic <credentials>
authorization: role-based
Authorization is handled by the gateway
Basic authentication over TLS
basic understanding of SQL
Cookie: a small piece of data
Cookies: HttpOnly, Secure, SameSite=Lax
Set-Cookie: SameSite=Strict; Secure
cookie = request.cookies.get("session")
https://example.com/path?x=1
http://localhost:8080/@user
https://example.com:443/@scope/package
git@github.com:org/repo.git
ssh://git@github.com/org/repo.git
postgres://localhost:5432/db
postgres://user:password@localhost/db
postgres://user:<password>@host/db
postgres://${USER}:${PASSWORD}@host/db
mysql://user:***@host
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
commit 476cfcc3a1b2c4d5e6f708192a3b4c5d6e7f8091
550e8400-e29b-41d4-a716-446655440000
The token 550e8400-e29b-41d4-a716-446655440000 identifies the request
md5 d41d8cd98f00b204e9800998ecf8427e
see https://github.com/org/repo/commit/476cfcc3a1b2c4d5e6f708192a3b4c5d6e7f8091
sk-learn is not scikit-learn
task-based routing for risk-averse teams-with-long-names
sk-some-long-kebab-name-here-with-many-parts
the risk-adjusted-return-on-capital measure
hf_hub_download("bert-base-uncased")
npm_config_registry=https://registry.example.org
npm_lifecycle_event=test
ghp_ is the prefix of GitHub tokens
tokens beginning with sk-ant- are Anthropic's
AKIA is the prefix of AWS key ids
AIza... keys
xoxb-... is a bot token
eyJ is how a JWT begins
-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----
-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END CERTIFICATE-----
look for -----BEGIN RSA PRIVATE KEY----- in the repository
between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY----- lines
private key is kept in the HSM
the private key never leaves the enclave
SELECT * FROM users WHERE password = ?
WHERE token = $1
UPDATE users SET password = :password
CREATE USER app IDENTIFIED BY :password
INSERT INTO secrets (name, value) VALUES (?, ?)
password VARCHAR(255) NOT NULL
"password": null
"password": ""
"password": true
"password": {"type": "string"}
{"type": "password"}
<input type="password" name="password" autocomplete="current-password">
<label for="password">Password</label>
type: password
password: Enter your password
"password": "Enter your password"
"password": "must be at least 8 characters"
forgot_password = True
reset_password=true
password_reset_token_ttl = 3600
has_password: false
is_token_valid = check(token)
--password flag
--password-file path
use --token to pass the token
the --api-key option
API_TOKEN environment variable
set GITHUB_TOKEN before running
export GITHUB_TOKEN=$(gh auth token)
export TOKEN=$TOKEN
export TOKEN="$(cat token.txt)"
export API_KEY=<your-api-key>
export API_KEY=your-api-key-here
export OPENAI_API_KEY=sk-...
OPENAI_API_KEY=
api key rotation policy
API keys are scoped per tenant
our API key: none
secret scanning: enabled
secret sharing (Shamir)
client_secret: optional
client_secret_basic
"token_endpoint_auth_method": "client_secret_post"
access_token, refresh_token and id_token
access token lifetime: 15 minutes
refresh token: 30d
token: 15m
session token: HttpOnly cookie
CSRF token: double-submit
credentials: include
credentials: 'same-origin'
fetch(url, {credentials: "include"})
credentials = Credentials.from_file(path)
{"token": "auth", "field": "question", "value": 0.3}
token auth in field question
| password | string | required |
| token | string | The access token |
| api_key | str | None |
Passwort: erforderlich
Das Passwort ist falsch
le mot de passe est requis
la contraseña es obligatoria
a senha é obrigatória
パスワードは必須です
密码不能为空
la clave primaria es compuesta
la clave es la simplicidad
chave primária
article: la clé du succès
the compass: north
passed: 120
passes: 3
tests pass: 12
PASS: TestLogin2
passage: chapter2
bypass=true
compassion
pass through the proxy
secretary: Maria
SECRETARIAT=office
tokenization is lossy
tokenize("hello world 123456789")
detokenize=False
passwordless login
password-protected zip
password manager: 1Password
password policy: NIST SP800-63B
password entropy: 80bits
password=hashlib.sha256(pw).hexdigest()
password = bcrypt.hashpw(pw, bcrypt.gensalt())
token = secrets.token_urlsafe(32)
token = jwt.encode(payload, key, algorithm="HS256")
secret: !Ref DbSecret
secret: !vault |
password: !secret wifi_password
secret: projects/123/secrets/foo/versions/latest
secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:db-AbCdEf
password: op://vault/item/password
password: vault:secret/data/db#password
key_id: 1234567890
kid: 2024-01-key
signing key: RSA-4096
encryption key: AES-256-GCM
encryption key is derived with HKDF-SHA256
master key is wrapped by KMS
private key: ~/.ssh/id_ed25519
private_key_path: /etc/ssl/private/server.key
ssh key: ed25519
access key: F2
shared secret: derived via X25519
Decided 2026-11-30T12:00:00Z
duckdb.sql("select * from read_parquet('data/*.parquet')")
CREATE SECRET my_secret (TYPE s3, PROVIDER credential_chain)
SET s3_region='us-east-1'
ATTACH 'dbname=postgres user=postgres host=127.0.0.1' AS db (TYPE postgres)
We chose UUIDv7 over ULID because DuckDB 2.0 has uuidv7()
The answer: 42
curl -u user https://example.com
curl -X POST https://example.com/token
curl https://example.com -o file
wget https://example.com/file.tar.gz
docker login -u user --password-stdin
mysql -u root -p
psql "host=localhost user=postgres"
chmod 600 ~/.ssh/id_rsa
login with your password
Please enter the password to continue
change the password to something strong
reset password to default
we moved the token to Vault
map token to user
token for the staging database is in Vault
the API key for Maps is restricted by referrer
the password was leaked in 2019
her password was never rotated
passwords in git are a bad idea
password="password"
password='secret'
password="changeme"
password: test
secret="..."
token="***"
api_key="YOUR_API_KEY"
api_key="<API_KEY>"
"api_key": "{{api_key}}"
apikey: %API_KEY%
token = "%s" % token
f"token={token}"
f"Bearer {token}"
"Bearer " + token
"Authorization": "Bearer " + token
`Authorization: Bearer ${token}`
headers["Authorization"] = f"Bearer {token}"
secret santa
open secret: everyone knows
the key is to keep it simple
key takeaway: ship early
A3-sized paper
AC-3 is an algorithm
SKU SK-1234
1/2 of the cases, 0/1 knapsack
v1.0-beta and v1.0-rc1
sl.no, SG. and other abbreviations
re_compile and re_match
fw_update available
pa-rt of the whole
key-value stores
api-gateway and sdk-tools
pat-terns and pat-hways
cio and cto agreed
oy2k
EAAA ratings
dapibus nulla
dose-response curve
"""

NOUNS = (
    "password",
    "passphrase",
    "token",
    "access token",
    "refresh token",
    "secret",
    "client secret",
    "API key",
    "private key",
    "signing key",
    "credential",
    "session cookie",
    "bearer token",
)
PREDICATES = (
    "is required",
    "is refreshed hourly",
    "is rotated every 90 days",
    "is read from the environment",
    "is never logged",
    "is stored in Vault",
    "is 32 bytes long",
    "is at least 12 characters",
    "is hashed with Argon2id",
    "is signed with RS256 and checked at the gateway",
    "was leaked by a misconfigured proxy",
    "must not reach the index",
    "for the staging cluster is kept by operations",
    "belongs to the deployment, not to a person",
    "expires after 15 minutes",
    "is the same on py311 and py312",
    "is compared in constant time",
    "is shown once",
    "is out of scope for ADR-0017",
    "(see RFC 6750, section 2.1) travels in a header",
    "is to be moved to AWS Secrets Manager by Q3",
    "is described in docs/how-to/rotate-credentials.md",
    "is optional, default: none",
    "was introduced in v2.14.0",
    "is per-tenant and per-environment",
    "to be used in CI comes from the runner",
)
CODE = (
    "def check({n}: str) -> bool:",
    "def check({n}: str | None = None) -> bool:",
    "{n} = get_{n}()",
    "{n} = self._{n}",
    "{n} = settings.{n}",
    "{n}=None",
    "{n}={n}",
    "{n} = os.environ['{N}']",
    "{n}: ${{{{ secrets.{N} }}}}",
    "{n}: ${N}",
    "{N}=${N}",
    "{N}=",
    "{n} = config.get('{n}')",
    "if not {n}: raise ValueError('{n} is required')",
    "{n} VARCHAR(255) NOT NULL",
    'parser.add_argument("--{n}", help="the {n} to use")',
    '"{n}": null,',
    '"{n}": {{"type": "string", "minLength": 12}}',
    "select count(*) from t where {n} is not null",
    "{n}_count = 1700000000",
    "{n}_hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'",
    "{n}_file: /run/secrets/{n}",
    "test_{n}_is_rejected",
    "{n}Provider: VaultProvider",
    "from acme.{n}s import {n}_store",
)
CODE_NAMES = ("password", "token", "secret", "api_key", "access_token", "client_secret")
DUCKDB = (
    "CREATE SECRET lake (TYPE s3, PROVIDER credential_chain, REGION 'eu-central-1');",
    "SELECT * FROM duckdb_secrets();",
    "The secrets manager keeps persistent secrets in ~/.duckdb/stored_secrets.",
    "ATTACH 'ducklake:metadata.ducklake' AS lake (DATA_PATH 's3://bucket/lake/');",
    "SET enable_external_access = false; SET lock_configuration = true;",
    "COPY (SELECT * FROM entries) TO 'out.parquet' (FORMAT parquet, COMPRESSION zstd, ENCRYPTION_CONFIG {footer_key: 'key256'});",
    "PRAGMA add_parquet_key('key256', getenv('PARQUET_KEY'));",
    "hash(id) = 12345678901234567890 and md5(text) is a fingerprint, not a key",
    "read_json('logs/*.jsonl', columns = {id: 'VARCHAR', token_count: 'BIGINT'})",
    "SUMMARIZE SELECT token, document_frequency FROM postings",
)
RECORDS = (
    "# 14. Use short-lived tokens\n\nDate: 2026-03-01\n\n## Status\n\nAccepted\n\n## Context\n\nLong-lived tokens end up in logs. The token is "
    "the password of a machine.\n\n## Decision\n\nWe issue tokens of 15 minutes, refreshed by the gateway.\n\n## Consequences\n\nThe API key "
    "of each service goes away; secrets rotate by themselves.\n",
    '---\nstatus: accepted\ndate: 2026-05-02\n---\n# Keep secrets out of the index\n\nChosen option: "scrub before writing", because a '
    "secret that is never stored needs no erasing.\n\n### Confirmation\n\n* Good, because `password=None` passes\n* Bad, because it is no boundary\n",
    "Tripwire conditions\n- Revisit if token refresh fails for more than 0.1% of requests for 7 days\n- Revisit by 2027-01-31\n",
    "> The key question: who holds the key? The key holder holds the key.\n",
)


def harmless() -> list[str]:
    """More than 500 texts, each of them once."""
    texts = [line.replace("\\n", "\n") for line in WRITTEN.strip("\n").split("\n")]
    texts += [f"The {noun} {predicate}." for noun, predicate in itertools.product(NOUNS, PREDICATES)]
    texts += [template.format(n=name, N=name.upper()) for template, name in itertools.product(CODE, CODE_NAMES)]
    for i in range(25):
        seed = f"harmless {i}".encode()
        sha1, sha256 = hashlib.sha1(seed).hexdigest(), hashlib.sha256(seed).hexdigest()
        texts += [
            sha256,
            f"sha256:{sha256}",
            f"commit {sha1}",
            f"Fixed in {sha1[:10]} by #{i}",
            f"https://git.invalid/acme/app/commit/{sha1}",
            f"image: registry.invalid/app@sha256:{sha256}",
            str(uuid.UUID(bytes=hashlib.md5(seed).digest())),
            f"run 0192{sha1[:4]}-7{sha1[4:7]}-8{sha1[7:10]}-{sha1[10:22]} finished",
            f"https://example.invalid/docs/{i}/tokens?page={i}&sort=asc#section-{i}",
            f"entry {hashlib.md5(seed).hexdigest()} replaces {sha256[:32]}",
            f"--hash=sha256:{sha256}",
            f'"integrity": "sha512-{sha256}{sha256}"',
        ]
    texts += [*DUCKDB, *RECORDS]
    return list(dict.fromkeys(texts))
