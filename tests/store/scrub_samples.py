"""One invented secret of every kind, put together from pieces so that no text in this file is one."""

from __future__ import annotations

import base64
import random
import string
from dataclasses import dataclass

HEX = "0123456789abcdef"
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"


@dataclass(frozen=True)
class Sample:
    """A secret and how it is written where it is found: `text` holds `secret`."""

    text: str
    secret: str


class Maker:
    """Random characters, the same ones in every run."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def of(self, alphabet: str, n: int) -> str:
        text = "".join(self.random.choice(alphabet) for _ in range(n - 2))
        letter = (
            "f" if alphabet == HEX else "Q" if alphabet == UPPER else "k"
        )  # a letter first and last, a digit inside
        middle = len(text) // 2
        return letter + text[:middle] + "7" + text[middle + 1 :] + letter

    def uuid(self) -> str:
        return "-".join(self.of(HEX, n) for n in (8, 4, 4, 4, 12))


def userpass(m: Maker) -> str:
    return base64.b64encode(f"deploy:{m.of(ALNUM, 16)}".encode()).decode().rstrip("=")


def armour(m: Maker, name: str) -> str:
    body = "\n".join(m.of(BASE64, 64) for _ in range(6))
    return f"-----BEGIN {name}-----\n{body}\n{m.of(BASE64, 20)}==\n-----END {name}-----"


def samples() -> dict[str, list[Sample]]:
    """Samples by kind, the usual form first."""
    table: dict[
        str, list[str | tuple[str, ...]]
    ] = {}  # all secret; or what stands before, the secret, what stands after

    def put(kind: str, *texts: str | tuple[str, ...]) -> None:
        table[kind] = list(texts)

    m = Maker("memkit")
    put(
        "private-key-block",
        armour(m, "RSA PRIVATE" + " KEY"),
        armour(m, "OPENSSH PRIVATE" + " KEY"),
        armour(m, "PGP PRIVATE" + " KEY BLOCK"),
        armour(m, "ENCRYPTED PRIVATE" + " KEY"),
    )
    put("putty-private-key", ("Private-" + "Lines: 2\n", m.of(BASE64, 64) + "\n" + m.of(BASE64, 64)))
    put("age-secret-key", "AGE-SECRET-" + "KEY-1" + m.of(UPPER, 58))
    put("anthropic-key", "sk-" + "ant-api03-" + m.of(URLSAFE, 93) + "AA")
    put("openai-project-key", "sk-" + "proj-" + m.of(URLSAFE, 120), "sk-" + "svcacct-" + m.of(URLSAFE, 60))
    put("openrouter-key", "sk-" + "or-v1-" + m.of(HEX, 64))
    put("langfuse-key", "sk-" + "lf-" + m.uuid())
    put("openai-key", "sk-" + m.of(ALNUM, 48), "sk-" + "FAKE" * 8, "sk-" + "sp-FAKE" * 3 + "." + "fake" * 6 + "_XYZ")
    put("groq-key", "gsk" + "_" + m.of(ALNUM, 52))
    put("xai-key", "xai" + "-" + m.of(ALNUM, 80))
    put("perplexity-key", "pplx" + "-" + m.of(HEX, 48))
    put("replicate-token", "r8" + "_" + m.of(ALNUM, 37))
    put("huggingface-token", "hf" + "_" + m.of(ALNUM, 34), "api_org" + "_" + m.of(ALNUM, 34))
    put("google-api-key", "AI" + "za" + m.of(URLSAFE, 35))
    put("nvidia-key", "nvapi" + "-" + m.of(URLSAFE, 64))
    put("pinecone-key", "pcsk" + "_" + m.of(ALNUM, 60))
    put("tavily-key", "tvly" + "-" + m.of(ALNUM, 32))
    put("langsmith-key", "lsv2" + "_pt_" + m.of(HEX, 32) + "_" + m.of(HEX, 10))
    put("cerebras-key", "csk" + "-" + m.of(LOWER, 48))
    put("fireworks-key", "fw" + "_" + m.of(ALNUM, 24))
    put("jina-key", "jina" + "_" + m.of(ALNUM, 60))
    put("voyage-key", "pa" + "-" + m.of(URLSAFE, 43))
    put("elevenlabs-key", "sk" + "_" + m.of(HEX, 48))
    put("wandb-key", ("wandb login ", m.of(HEX, 40)))
    put("github-fine-grained-token", "github" + "_pat_" + m.of(ALNUM, 22) + "_" + m.of(ALNUM, 59))
    put("github-token", *("gh" + letter + "_" + m.of(ALNUM, 36) for letter in "pousr"))
    put(
        "gitlab-token",
        "gl" + "pat-" + m.of(URLSAFE, 20),
        "gl" + "dt-" + m.of(URLSAFE, 20),
        "gl" + "rt-" + m.of(URLSAFE, 20),
    )
    put("gitlab-runner-token", "GR13" + "48941" + m.of(URLSAFE, 20))
    put("atlassian-token", "ATATT" + "3" + m.of(URLSAFE, 180) + "=" + m.of(UPPER, 8), "ATB" + "B" + m.of(ALNUM, 28))
    put("sourcegraph-token", "sgp" + "_" + m.of(HEX, 16) + "_" + m.of(HEX, 40))
    put("circleci-token", "CCI" + "PAT_" + m.of(ALNUM, 22) + "_" + m.of(HEX, 40))
    put("buildkite-token", "bk" + "ua_" + m.of(HEX, 40))
    put("npm-token", "npm" + "_" + m.of(ALNUM, 36))
    put("pypi-token", "pypi" + "-" + "AgEIcHlwaS5vcmc" + m.of(URLSAFE, 150))
    put("rubygems-token", "ruby" + "gems_" + m.of(HEX, 48))
    put("packagist-token", "packagist" + "_ort_" + m.of(HEX, 68))
    put("docker-token", "dckr" + "_pat_" + m.of(URLSAFE, 27))
    put("crates-token", "ci" + "o" + m.of(ALNUM, 32))
    put("nuget-key", "oy" + "2" + m.of(LOWER, 43))
    put("sonar-token", "sq" + "p_" + m.of(HEX, 40))
    put("artifactory-token", "AK" + "Cp" + m.of(ALNUM, 69))
    put("aws-access-key-id", "AK" + "IA" + m.of(UPPER, 16), "AS" + "IA" + m.of(UPPER, 16), "AK" + "IA" + "FAKE" * 4)
    put("aws-bedrock-key", "AB" + "SK" + m.of(BASE64, 128))
    put("aws-secret-key", ("aws credentials: secret ", m.of(BASE64, 40)))
    put("gcp-private-key-id", ('"private' + '_key_id": "', m.of(HEX, 40)))
    put("google-oauth-token", "ya" + "29." + m.of(URLSAFE, 140))
    put("google-refresh-token", "1/" + "/0" + m.of(URLSAFE, 60))
    put("google-client-secret", "GOC" + "SPX-" + m.of(URLSAFE, 28))
    put("firebase-messaging-key", m.of(URLSAFE, 11) + ":APA" + "91b" + m.of(URLSAFE, 134))
    put(
        "azure-account-key",
        ("AccountName=acme;Account" + "Key=", m.of(BASE64, 86) + "=="),
        ("Endpoint=sb://x/;SharedAccess" + "Key=", m.of(BASE64, 43) + "="),
    )
    put("azure-signature", ("https://acme.blob.invalid/c?sv=2022-11-02&sr=c&si" + "g=", m.of(ALNUM, 40) + "%3D"))
    put("azure-client-secret", m.of(ALNUM, 3) + "8Q" + "~" + m.of(ALNUM + "_~.-", 34))
    put("aws-signature", ("https://b.s3.invalid/k?X-Amz-Date=20260101T000000Z&X-Amz-Signa" + "ture=", m.of(HEX, 64)))
    put("aws-security-token", ("https://b.s3.invalid/k?X-Amz-Secu" + "rity-Token=", m.of(ALNUM, 200)))
    put("digitalocean-token", "dop" + "_v1_" + m.of(HEX, 64), "doo" + "_v1_" + m.of(HEX, 64))
    put("heroku-key", "HR" + "KU-" + m.of(URLSAFE, 60))
    put("heroku-legacy-key", ("heroku auth:token ", m.uuid()))
    put("cloudflare-origin-key", "v1" + ".0-" + m.of(HEX, 24) + "-" + m.of(HEX, 146))
    put("cloudflare-token", ("Cloudflare token ", m.of(URLSAFE, 40)))
    put("fly-token", "fo1" + "_" + m.of(URLSAFE, 43), "fm2" + "_" + m.of(BASE64, 200))
    put("render-key", "rnd" + "_" + m.of(ALNUM, 32))
    put("vercel-token", "vcp" + "_" + m.of(ALNUM, 56), "vercel" + "_blob_rw_" + m.of(ALNUM, 48))
    put("netlify-token", "nfp" + "_" + m.of(ALNUM, 40))
    put("planetscale-token", "pscale" + "_tkn_" + m.of(URLSAFE, 43), "pscale" + "_pw_" + m.of(URLSAFE, 43))
    put("supabase-key", "sbp" + "_" + m.of(HEX, 40), "sb" + "_secret_" + m.of(ALNUM, 31))
    put("neon-key", "napi" + "_" + m.of(LOWER, 64))
    put("databricks-token", "da" + "pi" + m.of(HEX, 32), "da" + "pi" + m.of(HEX, 32) + "-2")
    put("doppler-token", *("dp" + f".{part}." + m.of(ALNUM, 43) for part in ("pt", "st.prod", "ct", "scim", "audit")))
    put("pulumi-token", "pul" + "-" + m.of(HEX, 40))
    put("terraform-cloud-token", m.of(ALNUM, 14) + ".atlas" + "v1." + m.of(ALNUM, 67))
    put("vault-token", "hv" + "s." + m.of(URLSAFE, 95), "hv" + "b." + m.of(URLSAFE, 140))
    put("vault-legacy-token", ("VAULT root token: ", "s" + "." + m.of(ALNUM, 24)))
    put("tailscale-key", "tskey" + "-auth-" + m.of(ALNUM, 12) + "-" + m.of(ALNUM, 32))
    put("scaleway-key", "SC" + "W" + m.of(UPPER, 17))
    put("alibaba-key", "LT" + "AI" + m.of(ALNUM, 20))
    put("tencent-key", "AK" + "ID" + m.of(ALNUM, 32))
    put("yandex-key", "AQ" + "VN" + m.of(URLSAFE, 36))
    put("mongodb-atlas-secret", "mdb" + "_sa_sk_" + m.of(URLSAFE, 40))
    put("cockroach-key", "CC" + "DB1_" + m.of(ALNUM, 22) + "_" + m.of(ALNUM, 40))
    put("grafana-token", "gl" + "c_" + m.of(ALNUM, 60), "gl" + "sa_" + m.of(ALNUM, 32) + "_" + m.of(HEX, 8))
    put("sentry-token", "sntry" + "s_" + m.of(ALNUM, 120), "sntry" + "u_" + m.of(HEX, 64))
    put("sentry-dsn", ("https://", m.of(HEX, 32), "@o4505.ingest.sentry.invalid/45"))
    put("newrelic-key", "NR" + "AK-" + m.of(UPPER, 27))
    put("datadog-key", ("datadog api key ", m.of(HEX, 32)), ("DD-APP-KEY is ", m.of(HEX, 40)))
    put("honeycomb-key", "hca" + "ik_" + m.of(LOWER, 58))
    put("posthog-key", "ph" + "x_" + m.of(ALNUM, 43))
    put("mapbox-token", "sk." + "eyJ" + m.of(ALNUM, 60) + "." + m.of(URLSAFE, 22))
    put("slack-app-token", "xa" + "pp-1-" + m.of(UPPER, 11) + "-" + "1" * 13 + "-" + m.of(HEX, 64))
    put("slack-token", *("xo" + f"x{letter}-" + "2" * 12 + "-" + m.of(ALNUM, 24) for letter in "bpars"))
    put(
        "slack-webhook",
        ("https://hooks.slack" + ".com/services/", m.of(UPPER, 9) + "/" + m.of(UPPER, 11) + "/" + m.of(ALNUM, 24)),
    )
    put("discord-webhook", ("https://discord.com/api" + "/webhooks/", "1" * 18 + "/" + m.of(URLSAFE, 68)))
    put("discord-token", "M" + m.of(ALNUM, 23) + "." + m.of(ALNUM, 6) + "." + m.of(URLSAFE, 38))
    put(
        "teams-webhook",
        ("https://acme.webhook.office" + ".com/webhookb2/", m.uuid() + "@" + m.uuid() + "/Incoming/" + m.of(HEX, 32)),
    )
    put("telegram-token", "7" * 10 + ":A" + "A" + m.of(URLSAFE, 33))
    put("twilio-key", "S" + "K" + m.of(HEX, 32), "A" + "C" + m.of(HEX, 32))
    put("twilio-auth-token", ("Twilio auth token ", m.of(HEX, 32)))
    put("sendgrid-key", "S" + "G." + m.of(URLSAFE, 22) + "." + m.of(URLSAFE, 43))
    put("mailgun-key", "ke" + "y-" + m.of(HEX, 32))
    put("mailchimp-key", m.of(HEX, 32) + "-u" + "s14")
    put("brevo-key", "xkey" + "sib-" + m.of(HEX, 64) + "-" + m.of(ALNUM, 16))
    put("resend-key", "re" + "_" + m.of(ALNUM, 8) + "_" + m.of(ALNUM, 24))
    put("stripe-key", *(f"{letter}k" + f"_{mode}_" + m.of(ALNUM, 24) for letter in "sr" for mode in ("live", "test")))
    put("stripe-webhook-secret", "wh" + "sec_" + m.of(ALNUM, 32))
    put("square-token", "sq0" + "atp-" + m.of(URLSAFE, 22), "EA" + "AA" + m.of(ALNUM, 60))
    put("shopify-token", *("shp" + f"{part}_" + m.of(HEX, 32) for part in ("at", "ca", "pa", "ss")))
    put("braintree-token", "access" + "_token$production$" + m.of(LOWER, 16) + "$" + m.of(HEX, 32))
    put("razorpay-key", "rzp" + "_live_" + m.of(ALNUM, 14))
    put("plaid-token", "access" + "-production-" + m.uuid())
    put("flutterwave-key", "FLW" + "SECK-" + m.of(HEX, 32) + "-X")
    put("easypost-key", "EZ" + "AK" + m.of(ALNUM, 54))
    put("shippo-token", "shippo" + "_live_" + m.of(HEX, 40))
    put("duffel-token", "duffel" + "_live_" + m.of(URLSAFE, 43))
    put("hubspot-token", "pat" + "-na1-" + m.uuid())
    put("linear-key", "lin" + "_api_" + m.of(ALNUM, 40))
    put("notion-token", "nt" + "n_" + m.of(ALNUM, 46), "sec" + "ret_" + m.of(ALNUM, 43))
    put("postman-key", "PM" + "AK-" + m.of(HEX, 24) + "-" + m.of(HEX, 34))
    put("figma-token", "fig" + "d_" + m.of(URLSAFE, 40))
    put("airtable-token", "pa" + "t" + m.of(ALNUM, 14) + "." + m.of(HEX, 64))
    put("asana-token", "1" + "/" + "12" * 8 + ":" + m.of(HEX, 32))
    put("dropbox-token", "s" + "l." + m.of(URLSAFE, 138))
    put("typeform-token", "tf" + "p_" + m.of(ALNUM, 44) + "_" + m.of(ALNUM, 12))
    put("readme-key", "rd" + "me_" + m.of(LOWER, 70))
    put("contentful-token", "CFP" + "AT-" + m.of(URLSAFE, 43))
    put("prefect-key", "pn" + "u_" + m.of(ALNUM, 36))
    put("launchdarkly-key", "sd" + "k-" + m.uuid())
    put("onepassword-token", "ops" + "_eyJ" + m.of(BASE64, 250))
    put("onepassword-secret-key", "A" + "3-" + "-".join(m.of(UPPER, n) for n in (6, 6, 5, 5, 5)))
    put("facebook-token", "EA" + "AC" + m.of(ALNUM, 120))
    put("twitter-bearer", "A" * 21 + m.of(ALNUM, 80))
    put("okta-token", ("SS" + "WS ", "00" + m.of(URLSAFE, 40)))
    put(
        "jwt",
        "ey" + "J" + m.of(URLSAFE, 33) + "." + "ey" + "J" + m.of(URLSAFE, 90) + "." + m.of(URLSAFE, 43),
        "ey"
        "J"
        + m.of(URLSAFE, 33)
        + "."
        + m.of(URLSAFE, 90)
        + "."
        + m.of(URLSAFE, 22)
        + "."
        + m.of(URLSAFE, 60)
        + "."
        + m.of(URLSAFE, 22),
    )
    put(
        "url-password",
        ("postgres://app" + ":", m.of(ALNUM, 18), "@db.invalid"),
        ("redis://" + ":", m.of(ALNUM, 12), "@cache.invalid"),
    )
    put("url-user-token", ("https:/" + "/", m.of(HEX, 40), "@git.invalid"))
    put(
        "authorization-header",
        ("Authori" + "zation: Bearer ", m.of(LOWER, 24)),
        ("authori" + "zation: token ", m.of(HEX, 16)),
    )
    put("bearer-token", ("curl with Bear" + "er ", m.of(ALNUM, 32)))
    put("basic-credentials", ("header Ba" + "sic ", userpass(m)))
    put(
        "cookie",
        ("Coo" + "kie: ", "sid=" + m.of(ALNUM, 24) + "; csrf=" + m.of(ALNUM, 16)),
        ("Set-Coo" + "kie: ", "sid=" + m.of(ALNUM, 24)),
    )
    put("curl-cookie", ("curl -s -b si" + "d=", m.of(ALNUM, 24)))
    put("url-key", ("https://maps.invalid/js?k" + "ey=", m.of(ALNUM, 32)))
    put("netrc-password", ("machine git.invalid login deploy pass" + "word ", m.of(ALNUM, 14)))
    put("curl-user", ("curl -s -u deploy" + ":", m.of(ALNUM, 14)))
    put("sshpass-password", ("sshp" + "ass -p ", m.of(ALNUM, 14)))
    put(
        "sql-password",
        ("CREATE USER app IDENTIFIED B" + "Y '", m.of(ALNUM, 14), "'"),
        ("ALTER ROLE app WITH PASSWOR" + "D '", m.of(ALNUM, 14), "'"),
    )
    put("crypt-hash", "$2" + "b$12$" + m.of(ALNUM, 53), "$6" + "$" + m.of(ALNUM, 12) + "$" + m.of(ALNUM, 86))
    put("wallet-private-key", ("private ke" + "y 0x", m.of(HEX, 64)))
    put(
        "password",
        ("the pass" + "word is ", m.of(ALNUM, 14)),
        ("pass" + "word=", "hunter" + "2"),
        ("DB_PASS" + "WORD: ", m.of(ALNUM + "!@%", 14)),
        ("das Pass" + "wort lautet ", m.of(ALNUM, 12)),
        ("Kenn" + "wort: ", m.of(ALNUM, 12)),
        ("le mot de pas" + "se est ", m.of(ALNUM, 12)),
        ("contra" + "seña: ", m.of(ALNUM, 12)),
        ("a sen" + "ha é ", m.of(ALNUM, 12)),
        ("パス" + "ワード：", m.of(ALNUM, 12)),
        ("パス" + "ワードは", m.of(ALNUM, 12)),
        ("密" + "码：", m.of(ALNUM, 12)),
        ("密" + "碼是 ", m.of(ALNUM, 12)),
        ("MYSQL_P" + "WD=", "let" + "mein"),
        ("pass" + "phrase = '", "correct horse battery" + " staple", "'"),
    )
    put(
        "api-key",
        ("api_" + "key=", m.of(ALNUM, 32)),
        ("API " + "key: ", m.of(HEX, 40) + "." + m.of(ALNUM, 6)),
        ("api_" + "key ", m.of(HEX, 40) + "." + m.of(ALNUM, 6)),
    )
    put("api-key-phrase", ("la clave secre" + "ta es ", m.of(ALNUM, 24)), ("cl" + "é API : ", m.of(ALNUM, 24)))
    put(
        "secret",
        ("DEPLOY_TO" + "KEN=", "FAKE" * 10),
        ("client_sec" + "ret: ", m.of(URLSAFE, 32)),
        ("the access to" + "ken is ", m.of(ALNUM, 24)),
        ("--to" + "ken ", m.of(ALNUM, 24)),
    )
    return {
        kind: [Sample(t, t) if isinstance(t, str) else Sample("".join(t), t[1]) for t in texts]
        for kind, texts in table.items()
    }
