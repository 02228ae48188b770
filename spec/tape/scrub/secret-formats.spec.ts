/**
 * Every secret format in the tables is hidden; ordinary text stays unchanged.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { scrubber } from "../../../lib/tape/index.ts";
import { innerFormats, tokenFormats } from "../../../lib/tape/scrub/secret-formats.ts";
import { assertLinear } from "../../support/growth.ts";

const scrub = scrubber({ env: {}, home: undefined });

// Assembled at run time, so that no secret scanner takes this file for a leak.
const hex = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0".repeat(2);
const word = "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2Yz3Ab4Cd5Ef6Gh7Ij8Kl9Mn0Op1Qr2St3".repeat(2);
const upper = word.toUpperCase();
const lower = word.toLowerCase();
const uuid = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";

/** One or more example secrets for each row of the tables. */
const examples: Readonly<Record<keyof typeof tokenFormats | keyof typeof innerFormats, readonly string[]>> = {
  "1Password": [`ops_eyJ${word.slice(0, 40)}`],
  Adafruit: [`aio_${word.slice(0, 28)}`],
  age: [`AGE-SECRET-KEY-1${upper.slice(0, 58)}`],
  Airtable: [`pat${word.slice(0, 14)}.${hex.slice(0, 64)}`],
  Artifactory: [`AKCp${word.slice(0, 69)}`, `cmVmdGtu${word.slice(0, 56)}`],
  Asana: [`1/1234567890123456:${hex.slice(0, 32)}`],
  Atlassian: [
    `ATATT3xFfGF0${word.slice(0, 60)}=0A1B2C3D`,
    `ATBB${word.slice(0, 32)}`,
    `ATCTT3xFfGN0${word.slice(0, 40)}`,
  ],
  "AWS access key": [`AKIA${upper.slice(0, 16)}`, `ASIA${upper.slice(0, 16)}`],
  "AWS Bedrock": [`ABSK${word.slice(0, 60)}==`],
  "Azure client secret": [`abc8Q~${word.slice(0, 31)}.~-`],
  Buildkite: [`bkua_${hex.slice(0, 40)}`],
  Cerebras: [`csk-${lower.slice(0, 48)}`],
  CircleCI: [`CCIPAT_${word.slice(0, 22)}_${hex.slice(0, 40)}`],
  Clojars: [`CLOJARS_${lower.slice(0, 60)}`],
  "Cloudflare origin CA": [`v1.0-${hex.slice(0, 24)}-${hex}`],
  Contentful: [`CFPAT-${word.slice(0, 43)}`],
  "crates.io": [`cio${word.slice(0, 32)}`],
  Databricks: [`dapi${hex.slice(0, 32)}`, `dapi${hex.slice(0, 32)}-2`],
  Deno: [`ddp_${word.slice(0, 36)}`],
  DigitalOcean: [`dop_v1_${hex.slice(0, 64)}`, `doo_v1_${hex.slice(0, 64)}`],
  "Discord bot": [
    `MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.${word.slice(0, 27)}`,
    `Bot ${word.slice(0, 24)}.${word.slice(0, 6)}.${word.slice(0, 27)}`,
  ],
  "Discord webhook": [`https://discord.com/api/webhooks/123456789012345678/${word.slice(0, 68)}`],
  Docker: [`dckr_pat_${word.slice(0, 27)}`],
  Doppler: [`dp.pt.${word.slice(0, 43)}`],
  Duffel: [`duffel_test_${word.slice(0, 43)}`],
  Dynatrace: [`dt0c01.${upper.slice(0, 24)}.${upper.slice(0, 64)}`],
  EasyPost: [`EZAK${word.slice(0, 54)}`],
  Figma: [`figd_${word.slice(0, 40)}`],
  Fly: [`fo1_${word.slice(0, 43)}`, `FlyV1 fm2_${word.slice(0, 60)}`],
  Flutterwave: [`FLWSECK_TEST-${hex.slice(0, 32)}-X`],
  GitHub: ["p", "o", "u", "s", "r"]
    .map((kind) => `gh${kind}_${word.slice(0, 36)}`)
    .concat(`github_pat_${word.slice(0, 22)}_${word.slice(0, 59)}`),
  GitLab: ["glpat", "gldt", "glptt", "glrt", "glsoat", "glcbt", "glft", "glimt", "glagent"].map(
    (kind) => `${kind}-${word.slice(0, 20)}`,
  ),
  "Google API key": [`AIza${word.slice(0, 35)}`],
  "Google OAuth": [`GOCSPX-${word.slice(0, 28)}`, `ya29.${word.slice(0, 60)}`, `1//0${word.slice(0, 40)}`],
  Grafana: [`glsa_${word.slice(0, 32)}_0a1b2c3d`, `glc_${word.slice(0, 60)}=`],
  Groq: [`gsk_${word.slice(0, 52)}`],
  Heroku: [`HRKU-${uuid}`, `HRKU-AA${word.slice(0, 58)}`],
  HuggingFace: [`hf_${word.slice(0, 34)}`, `api_org_${word.slice(0, 34)}`],
  Infracost: [`ico-${word.slice(0, 32)}`],
  JWT: [`eyJhbGciOiJIUzI1NiJ9.eyJ${word.slice(0, 20)}.${word.slice(0, 30)}`],
  LangSmith: [`lsv2_pt_${hex.slice(0, 32)}_${hex.slice(0, 10)}`],
  LaunchDarkly: [`sdk-${uuid}`],
  Linear: [`lin_api_${word.slice(0, 40)}`, `lin_oauth_${hex.slice(0, 64)}`],
  Mailchimp: [`${hex.slice(0, 32)}-us12`],
  Mailgun: [`key-${hex.slice(0, 32)}`],
  Neon: [`napi_${word.slice(0, 60)}`],
  Netlify: [`nfp_${word.slice(0, 36)}`],
  "New Relic": [`NRAK-${upper.slice(0, 27)}`, `NRII-${word.slice(0, 32)}`],
  Notion: [`ntn_${word.slice(0, 46)}`, `secret_${word.slice(0, 43)}`],
  npm: [`npm_${word.slice(0, 36)}`],
  NuGet: [`oy2${lower.slice(0, 43)}`],
  NVIDIA: [`nvapi-${word.slice(0, 64)}`],
  Octopus: [`API-${upper.slice(0, 26)}`],
  "OpenAI, Anthropic and others": [
    `sk-${word.slice(0, 48)}`,
    `sk-ant-api03-${word.slice(0, 60)}`,
    `sk-proj-${word.slice(0, 60)}`,
  ],
  "password hash": [
    `$2y$10$${word.slice(0, 53)}`,
    `$6$salt$${word.slice(0, 86)}`,
    `$apr1$salt$${word.slice(0, 22)}`,
    `$argon2id$v=19$m=65536,t=3,p=4$${word.slice(0, 22)}$${word.slice(0, 43)}`,
    `{SHA}${word.slice(0, 27)}=`,
  ],
  PayPal: [`access_token$production$${lower.slice(0, 16)}$${hex.slice(0, 32)}`],
  Perplexity: [`pplx-${word.slice(0, 48)}`],
  Pinecone: [`pcsk_${word.slice(0, 60)}`],
  PlanetScale: [
    `pscale_tkn_${word.slice(0, 43)}`,
    `pscale_pw_${word.slice(0, 43)}`,
    `pscale_oauth_${word.slice(0, 43)}`,
  ],
  Postman: [`PMAK-${hex.slice(0, 24)}-${hex.slice(0, 34)}`],
  Prefect: [`pnu_${word.slice(0, 36)}`],
  Pulumi: [`pul-${hex.slice(0, 40)}`],
  PyPI: [`pypi-AgEIcHlwaS5vcmc${word.slice(0, 60)}`],
  ReadMe: [`rdme_${lower.slice(0, 70)}`],
  Replicate: [`r8_${word.slice(0, 37)}`],
  Render: [`rnd_${word.slice(0, 32)}`],
  Resend: [`re_${word.slice(0, 8)}_${word.slice(0, 24)}`],
  RubyGems: [`rubygems_${hex.slice(0, 48)}`],
  SendGrid: [`SG.${word.slice(0, 22)}.${word.slice(0, 43)}`],
  Sendinblue: [`xkeysib-${hex.slice(0, 64)}-${word.slice(0, 16)}`],
  Sentry: [`sntrys_eyJ${word.slice(0, 60)}`, `sntryu_${hex.slice(0, 64)}`],
  Shippo: [`shippo_live_${hex.slice(0, 40)}`],
  Shopify: ["shpat", "shpca", "shppa", "shpss"].map((kind) => `${kind}_${hex.slice(0, 32)}`),
  Slack: [
    `xoxb-123456789012-1234567890123-${word.slice(0, 24)}`,
    `xoxe.xoxp-1-${word.slice(0, 40)}`,
    `xapp-1-A0123456789-1234567890123-${hex.slice(0, 64)}`,
  ],
  "Slack webhook": [
    `https://hooks.slack.com/services/T0${upper.slice(0, 8)}/B0${upper.slice(0, 8)}/${word.slice(0, 24)}`,
  ],
  Snyk: [`snyk_uat.${word.slice(0, 40)}`],
  SonarQube: [`sqp_${hex.slice(0, 40)}`],
  Square: [`sq0atp-${word.slice(0, 22)}`, `EAAA${word.slice(0, 60)}`],
  Stripe: [`sk_live_${word.slice(0, 24)}`, `rk_test_${word.slice(0, 24)}`, `whsec_${word.slice(0, 32)}`],
  Supabase: [`sbp_${hex.slice(0, 40)}`, `sb_secret_${word.slice(0, 31)}`],
  Tailscale: [`tskey-auth-k${word.slice(0, 12)}CNTRL-${word.slice(0, 32)}`],
  Tavily: [`tvly-${word.slice(0, 32)}`],
  "Telegram bot": [`123456789:AA${word.slice(0, 33)}`],
  Terraform: [`${word.slice(0, 14)}.atlasv1.${word.slice(0, 67)}`],
  Twilio: [`SK${hex.slice(0, 32)}`],
  Typeform: [`tfp_${word.slice(0, 44)}`],
  Vault: [`hvs.${word.slice(0, 24)}`, `hvb.${word.slice(0, 60)}`, `s.${word.slice(0, 24)}`],
  Vercel: [`vcp_${word.slice(0, 40)}`, `vercel_blob_rw_${word.slice(0, 40)}`],
  xAI: [`xai-${word.slice(0, 80)}`],
};

/** The last third of a secret, which must not appear in the output. */
function tailOf(secret: string): string {
  return secret.slice(Math.ceil((secret.length * 2) / 3)).replace(/-us12$/, "");
}

describe("secret formats", () => {
  for (const [service, secrets] of Object.entries(examples)) {
    it(`the secrets of ${service} are hidden`, () => {
      for (const secret of secrets) {
        for (const text of [
          secret,
          `use ${secret} here`,
          `"${secret}"`,
          `KEY=${secret};`,
          `(${secret}).`,
          `x: ${secret}\n`,
        ]) {
          assert.ok(!scrub.text(text).includes(tailOf(secret)), `${text} became ${scrub.text(text)}`);
        }
      }
    });
  }

  const kube = word.slice(0, 60);
  /** Text, and the secret in it. */
  const named: readonly (readonly [text: string, secret: string])[] = [
    ["db_password=letters", "letters"],
    ["client_secret=letters", "letters"],
    ["password: letters", "letters"],
    ["Server=db;User Id=sa;Password=letters;Encrypt=true", "letters"],
    ["Server=db;Uid=sa;Pwd=letters;", "letters"],
    ["https://x.example/login?user=a&password=letters", "letters"],
    ["DB_PASS=letters", "letters"],
    ["MYSQL_PWD=letters", "letters"],
    ["PGPASSWORD=abc psql", "abc"],
    ["export API_TOKEN=xyz", "xyz"],
    ["SECRET_KEY='django insecure'", "insecure"],
    ['SECRET_KEY="abc"', "abc"],
    ["  password: hunter # the old one\n", "hunter"],
    ["database:\n  user: a\n  password: letters\n  port: 1", "letters"],
    ["[client]\nuser = a\npassword = letters\n", "letters"],
    ['{"password":"abc","user":"x"}', "abc"],
    ['{"db_pass":"abc"}', "abc"],
    ["aws_secret_access_key = wJalrXUtnFEMIbPxRfiCYEXAMPLEKEYabcdefghij", "wJalrXUtn"],
    [`DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${kube}==;EndpointSuffix=x`, kube],
    [`SharedAccessSignature=sr=x&sig=${kube}%3D&se=1`, kube],
    [`Endpoint=sb://x/;SharedAccessKeyName=R;SharedAccessKey=${kube}=`, kube],
    [`    client-key-data: ${kube}==`, kube],
    ["curl -u admin:letters https://x.example", "letters"],
    ["curl -s --user 'admin:letters' https://x.example", "letters"],
    ["sshpass -p letters ssh host", "letters"],
    ["sshpass -p 'letters' ssh host", "letters"],
    ["mysql -u root -pletters db", "letters"],
    ["redis-cli -h x -a letters ping", "letters"],
    ["machine api.example login me password letters", "letters"],
    ["machine api.example\n  login me\n  password letters\n", "letters"],
    ["localhost:5432:db:me:letters", "letters"],
    ["*:*:*:postgres:letters", "letters"],
    ["postgres://me:letters@db/x", "letters"],
    ["redis://:letters@db", "letters"],
    [`git clone https://${word.slice(0, 30)}@host.example/x.git`, word.slice(0, 30)],
    ["tool --password letters", "letters"],
    ["tool --password=abc", "abc"],
    ["tool --db-pass letters", "letters"],
    ['tool --token "two words"', "two words"],
    ["Authorization: token letters", "letters"],
    ["Proxy-Authorization: Basic letters", "letters"],
    ["Set-Cookie: sid=letters; Path=/", "letters"],
    ["X-Vault-Token: letters", "letters"],
    ["DD_API_KEY=abcdef", "abcdef"],
    ["COHERE_API_KEY=letters", "letters"],
    ["MISTRAL_API_KEY: letters", "letters"],
    ['mistral_api_key: "letters"', "letters"],
    ["//registry.example/:_authToken=letters", "letters"],
    ['{"auths":{"x.example":{"auth":"dXNlcjpsZXR0ZXJz"}}}', "dXNlcjpsZXR0ZXJz"],
    ["//registry.example/:_auth=dXNlcjpsZXR0ZXJz", "dXNlcjpsZXR0ZXJz"],
    ["setenv DB_PASSWORD letters", "letters"],
    ["set -x API_TOKEN letters", "letters"],
    ["set -g --export API_KEY 'letters'", "letters"],
    ["<password>two letters</password>", "letters"],
    ['<apiKey type="x">letters</apiKey>', "letters"],
    ['<add key="ApiKey" value="letters" />', "letters"],
    ["root:$6$salt$" + word.slice(0, 86) + ":19000:0", word.slice(60, 86)],
    ["pwd: letters", "letters"],
    ["-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nletters\n-----END PGP PRIVATE KEY BLOCK-----", "letters"],
    ["-----BEGIN OPENSSH PRIVATE KEY-----\nletters\n-----END OPENSSH PRIVATE KEY-----", "letters"],
    ["-----BEGIN ENCRYPTED PRIVATE KEY-----\nletters\n-----END ENCRYPTED PRIVATE KEY-----", "letters"],
    ["---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nletters\n---- END SSH2 ENCRYPTED PRIVATE KEY ----", "letters"],
    ["secret_key_base: letters", "letters"],
    ["SECRET_KEY_BASE=letters", "letters"],
    ["password: |\n  letters\n  of it\n\n  more\nuser: a", "letters"],
    ["password: |\n  letters\n  of it\n\n  more\nuser: a", "more"],
    ["  api_key: >-\r\n    letters\r\n", "letters"],
    ["token: |+ # old\n\tletters", "letters"],
    ['"a":"password: |\\n  letters\\n  more\\nuser: a"', "more"],
    ['password := "letters"', "letters"],
    ["apiKey := 'two words'", "two words"],
    ['const apiKey: string = "letters";', "letters"],
    ['password: str = "letters"', "letters"],
    ['let token: &\'static str = "letters";', "letters"],
    ['private readonly secret?: string | undefined = "letters";', "letters"],
    ['var dbPassword string = "letters"', "letters"],
    [':password => "letters"', "letters"],
    ["'api_key' => 'letters',", "letters"],
    ["password => 'letters',", "letters"],
    ["define('DB_PASSWORD', 'letters');", "letters"],
    ['config.setProperty("db.password", "letters")', "letters"],
    ["localStorage.setItem('authToken', 'letters')", "letters"],
    ['config.setPassword("letters")', "letters"],
    ["client.with_api_key('letters')", "letters"],
    ['config.setPassword("MyPassword1")', "MyPassword1"],
    ['builder.host("h").password("letters")', "letters"],
    ["**Password:** `letters`", "letters"],
    ["* **API key**: `abcd1234efgh`", "abcd1234efgh"],
    ["Password: `letters`", "letters"],
    ["The password is `letters`.", "letters"],
    ["**Password:** letters\n", "letters"],
    ["| password | abcd1234 |", "abcd1234"],
    ["| **API key** | `abcd1234efgh` |", "abcd1234efgh"],
    ["| user | bob |\n| Password | abc-de!fg |\n", "abc-de!fg"],
    ["CREATE USER a IDENTIFIED BY 'letters';", "letters"],
    ["create user a identified with mysql_native_password by 'two letters'", "letters"],
    ["CREATE USER a IDENTIFIED BY letters;", "letters"],
    ["ALTER ROLE a WITH PASSWORD 'letters';", "letters"],
    ["create role a with login encrypted password 'letters'", "letters"],
    ["SET PASSWORD FOR 'bob'@'%' = 'letters'", "letters"],
    ['psk="letters"', "letters"],
    ["network={\n  psk=letters\n}", "letters"],
    ['"private_key": "-----BEGIN PRIVATE KEY-----\\nletters\\n-----END PRIVATE KEY-----\\n"', "letters"],
  ];
  for (const [text, secret] of named) {
    it(`the secret in ${JSON.stringify(text.slice(0, 60))} is hidden`, () => {
      assert.ok(!scrub.text(text).includes(secret), scrub.text(text));
      assert.equal(scrub.text(scrub.text(text)), scrub.text(text), "once is enough");
    });
  }

  it("ordinary prose and code stay unchanged", () => {
    for (const text of [
      "Enter your password: it must have twelve letters.",
      "The password is checked on the server; a token is returned.",
      "Tests pass: 12, fail: 0",
      "interface Login { token: string; password: string }",
      "  token: string;\n  apiKey?: string | undefined;\n  secret: Buffer,",
      "function login(password: string, token: Token): Promise<void> {",
      "const token = await getToken(); this.token = token;",
      "password = getpass.getpass()",
      "def login(user, password=None, token=None):",
      "token=token, password=password",
      "const { token } = options; if (!token) throw new Error('no token');",
      "commit 0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
      "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
      "session 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
      `data:image/png;base64,iVBORw0KGgo${"Ab1+".repeat(40)}=`,
      "import { s } from './s.ts'; s.length; b.toString()",
      "PWD=/srv/project\nPATH=/usr/bin",
      "pwd: /srv/project\npwd: prints the directory",
      "setenv PATH /usr/bin; set -x EDITOR vim; set -e; set key value",
      '<token>, <key>name</key>, <p>password</p>, <add key="Theme" value="dark" />',
      '{"auth":"none"} and auth: basic',
      "$1$2$3 costs $6$, app.module.component",
      "max_tokens: 4096, input_tokens=12, cache_read_input_tokens: 0",
      "the key: value pairs of a map; press any key: Enter",
      "docker run -u 1000:1000 image",
      "git clone git@github.com:a/b.git and ssh://git@host/x",
      "https://example.com/@user/post?page=2",
      "API_KEY=$OTHER_KEY and TOKEN=${TOKEN}",
      "use --password to sign in, or --token for a token",
      "the fig_tree and re_export of lin_alg and patterns, glossary, shape_of",
      "12:30:45 localhost:8080 a:b:c",
      "monkey: banana, turkey=sandwich",
      "risk-based, task-oriented, disk-space-left",
      "a curl of smoke and a default value, machine learning",
      "password := getPassword()",
      "password, err := reader.ReadString('x'); token := os.Getenv(name)",
      'tokens.map(token => "a word"), keys.filter((key) => "x"), (token) => "y"',
      "const apiKey: string = process.env.API_KEY; password: str = None",
      "function f(token: string, kind = 'plain'): string {",
      '<input type="password" name="user"><input type=password name="user">',
      'setLabel("password", "Your password"); setPassword(""); setToken(token)',
      "fields = ['password', 'username', 'email']",
      "| token | string | required |\n| password | The password of the user |",
      "| name | type |\n|---|---|\n| password | varchar(255) |\n| api_key | TEXT |",
      "**Password:** required\n**Token:** `string`, **API key:** `GITHUB_API_KEY`",
      "The token is `null`; password: `getPassword()`; **Key:** `Enter`; `--token`: `-t`",
      "**Password:** must have twelve letters",
      "A user is identified by email; the password 'must' be long",
      "token: |\n  The token that the server expects in each of the requests\n",
      "description: |\n  letters\n",
      "the psk of a network",
    ]) {
      assert.equal(scrub.text(text), text);
    }
  });

  it("text made of beginnings of secrets takes time proportional to its length", () => {
    const units = [
      "password=",
      "token: ",
      "curl -u a ",
      "machine x login ",
      "--token ",
      "a:1:b:",
      "eyJa.",
      "M.",
      "https://a",
      "s.aB1",
      "1/",
      "0f",
      "PASS=",
      "key='",
      "-----BEGIN ",
      "redis-cli ",
      "Q~",
      ":AA",
      "password := ",
      "password: |\n ",
      "token: string ",
      "set('token',",
      "setpassword",
      "password:** `",
      "| password ",
      "identified by ",
      "password for a ",
      ":token => ",
    ];
    for (const unit of units) {
      assertLinear(unit, 10_000, (size) => {
        const text = unit.repeat(Math.ceil(size / unit.length));
        scrub.text(text);
        scrub.undecidedFrom(text);
      });
    }
  });
});
