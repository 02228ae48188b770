/**
 * Finds secrets in the command lines of programs that take them in options without a telling
 * name (`curl -u user:…`, `mysql -p…`), as plain arguments (`cargo login …`), as a list of
 * variables (`heroku config:set A=…`) or on stdin (`echo … | docker login --password-stdin`).
 *
 * The rules examine a bounded part of one command, so they take time proportional to the text.
 */
import { ordinaryWords } from "./secret-names.ts";
import type { Replacer, SecretRule } from "./secret-rule.ts";

/** The rest of a command, up to a separator; it may go on in the next line. */
const inCommand = String.raw`(?:[^\r\n|;&\\]|\\{1,3}["']|\\\r?\n)`;
const gap = String.raw`${inCommand}{0,200}?\s`;
const blank = String.raw`[ \t]{1,3}`;
const quote = String.raw`\\*["']?`;
/** A value after `quote`: up to the same quote, or one word that is no option, variable or redirection. */
const secret = String.raw`((?<=")[^"\\\r\n]+|(?<=')[^'\\\r\n]+|(?<!["'])(?![-$<>|])[^\s"'\\|;&]+)`;
const someWord = String.raw`[^\s|;&]{1,200}${blank}`;
const flags = String.raw`(?:-[\w-]{1,30}(?:=\S{1,60})?${blank}){0,3}`;
const login = String.raw`(?:docker|podman|nerdctl|buildah|skopeo|helm|az|cf|oc|ibmcloud|expo)\b${inCommand}{0,60}?\slogin`;
const passwordStart = String.raw`[\w.@-]{1,60}:`;

/** Programs, and their options before a secret. */
const options: readonly (readonly [programs: string, options: string])[] = [
  [
    `${login}|twine|poetry${blank}publish|mongo\\w{0,8}|cqlsh|cypher-shell|couchbase-cli|ncftp\\w{0,3}|rdesktop|psexec|altool|security${blank}[a-z]{1,20}-keychain|user(?:mod|add)|dotnet${blank}nuget`,
    "-p",
  ],
  ["zip|unzip|zipinfo|sqlcmd|bcp|mosquitto_\\w{3}|ipmitool|security|ssh-keygen", "-P"],
  ["ldap\\w{3,8}|security|kadmin(?:\\.local)?", "-w"],
  ["ldappasswd", "-s"],
  ["ssh-keygen", "-N"],
  ["snmp\\w{2,10}", "-A"],
  ["snmp\\w{2,10}", "-X"],
  ["gem|nuget|openssl|ossutil", "-k"],
  [`vercel|doctl|codecov|uv${blank}publish|influx`, "-t"],
  ["pscp|psftp|plink|putty|addprinc|cpw", "-pw"],
  ["swaks|sendemail", "-ap|-xp"],
  ["signtool|schtasks", "/r?p"],
  ["redis-cli", "-a"],
  ["sshpass", "-p"],
  [`aws${blank}ssm|eas`, "--value"],
  [`aws${blank}secretsmanager`, "--secret-string"],
  [`gh${blank}secret`, "-b|--body"],
  ["netlify", "--auth"],
  ["nmcli", "password"],
  ["rclone", "pass"],
];

/** Options with the secret in the same word. */
const joined: readonly (readonly [programs: string, options: string])[] = [
  ["sshpass|mysql\\w{0,10}|mariadb[\\w-]{0,12}|7z[arz]?|(?:un)?rar", "-h?p"],
  [`gh${blank}secret`, "-b"],
  ["[xw]freerdp\\d?", "\\\\*[\"']?/p:"],
  ["(?:smb|rpc)\\w{3,8}", `-U${blank}${quote}[\\w./@-]{1,60}%`],
  ["lftp", `-u${blank}${quote}[\\w.@-]{1,60},`],
  ["skopeo|buildah|crictl|podman", `--(?:src-|dest-)?creds(?:=|${blank})${quote}${passwordStart}`],
  ["https?|xh|hey|ab|jenkins-cli\\S{0,4}", `(?:-a|-A|--?auth)(?:=|${blank})${quote}${passwordStart}`],
];

/** Commands before a secret that is a plain argument. */
const positional: readonly string[] = [
  `cargo${blank}login`,
  `vault${blank}(?:login|operator${blank}unseal)`,
  `snyk${blank}auth`,
  `ngrok${blank}(?:config${blank}add-)?authtoken`,
  `cloudflared${blank}service${blank}install`,
  `bw${blank}(?:unlock|login${blank}\\S{1,100})`,
  `rclone${blank}obscure`,
  `cf${blank}auth${blank}\\S{1,100}`,
  `neo4j-admin${blank}(?:dbms${blank})?set-initial-password`,
  `wpa_passphrase${blank}\\S{1,100}`,
  `samba-tool${blank}user${blank}(?:create|add)${blank}\\S{1,100}`,
  `gcloud${blank}auth${blank}activate-refresh-token${blank}\\S{1,100}`,
  `rabbitmqctl${blank}(?:add_user|change_password|authenticate_user)${blank}\\S{1,100}`,
  `mc${blank}(?:alias${blank}set|config${blank}host${blank}add)${blank}(?:${someWord}){2}\\S{1,200}`,
  `(?:composer|poetry)${blank}config${blank}${flags}http-basic\\.\\S{1,100}${blank}\\S{1,100}`,
  `(?:composer|poetry)${blank}config${blank}${flags}(?:git(?:hub|lab)-(?:oauth|token)|bearer|pypi-token)\\.\\S{1,100}`,
  `bundle${blank}config${blank}(?:set${blank})?${flags}\\S{1,100}${blank}(?=[^\\s:]{1,60}:)[^\\s:]{1,60}:`,
  `netlify${blank}env:set${blank}\\w{1,100}`,
  `dotnet${blank}user-secrets${blank}set${blank}\\S{1,100}`,
  `ansible-vault${blank}encrypt_string(?:${blank}--name${blank}\\S{1,60})?`,
  `pulumi${blank}config${blank}set${blank}--secret${blank}\\S{1,100}`,
  `smbclient${blank}//\\S{1,100}`,
  `(?:config(?:ure)?|npm)${blank}set${blank}${flags}\\S{0,150}(?:[Tt]oken|[Pp]assw(?:or)?d|[Ss]ecret|_auth|_key)`,
  `consul${blank}kv${blank}put${blank}\\S{0,150}(?:token|password|passwd|secret|key)`,
];

/** Commands that take variables and their secret values. */
const lists = [
  `heroku${blank}config:(?:set|add)`,
  `(?:fly|flyctl|supabase)${blank}secrets${blank}set`,
  `railway${blank}variables`,
  `vault${blank}(?:kv${blank}(?:put|patch)|write)`,
  `kubectl${blank}create${blank}secret`,
].join("|");
const listed = new RegExp(`(\\s${quote}(?:--from-literal[= ]${quote})?(?!-)[\\w.:/-]{1,80}=${quote})${secret}`, "g");

/** Commands that read a secret from stdin. */
const reader = `(?:(?:docker|podman|nerdctl|buildah|skopeo|helm|gh|glab|vercel|wrangler|gcloud|kubectl|heroku|fly|flyctl|az|vault)\\b${inCommand}{0,80}?(?:\\blogin\\b|\\bsecrets?\\b|env${blank}add|--with-token|stdin)|sudo${blank}-S\\b|(?:sudo${blank})?(?:\\w{0,8}passwd|cryptsetup|kinit)\\b)`;
/** A short word after a command may be one of a sentence. */
const isProse = /^[a-z]{1,7}[.,:]?$/;

export function commandRules(mask: string): readonly SecretRule[] {
  const hide: Replacer = (whole, before, value) =>
    ordinaryWords.has(value.toLowerCase()) ? whole : before + mask + whole.slice(before.length + value.length);
  const rule = (source: string, flags = "g"): SecretRule => [new RegExp(source, flags), hide];
  const start = String.raw`(?<![\w-])`;
  return [
    [
      /(\b(?:curl|wget|https?)\b[^\r\n]{0,200}?\s(?:-u|-U|--user|--proxy-user)[= ]?\\*["']?[^\s:"'\\]{0,100}:)[^\s"'\\]+/g,
      `$1${mask}`,
    ],
    ...options.map(([programs, names]) =>
      rule(`(${start}(?:${programs})\\b${gap}(?:${names})(?:=|${blank})${quote})${secret}`),
    ),
    ...joined.map(([programs, names]) => rule(`(${start}(?:${programs})\\b${gap}(?:${names})${quote})${secret}`)),
    ...positional.map((command): SecretRule => {
      const pattern = new RegExp(`(${start}${command}${command.endsWith(":") ? "" : blank}${quote})${secret}`, "g");
      return [pattern, (whole, before, value) => (isProse.test(value) ? whole : hide(whole, before, value))];
    }),
    rule(`((?<![\\w-])-(?:src|dest)?(?:store|key)pass(?:=|${blank})${quote})${secret}`),
    rule(`(${start}net${blank}use${blank}(?:${someWord}){1,2}${quote})${secret}(?=${quote}${blank}/user)`, "gi"),
    rule(`(${start}net${blank}user${blank}\\w{1,60}${blank}${quote})${secret}(?=${quote}${blank}/add)`, "gi"),
    rule(
      `(${start}pulumi${blank}config${blank}set${blank}\\S{1,100}${blank}${quote})${secret}(?=${quote}${blank}--secret)`,
    ),
    rule(`(${start}(?:sqlplus|sqlldr|impdp|expdp)${blank}${flags}${quote}\\w{1,60}/)([^\\s@"'\\\\]+)(?=@)`),
    // htpasswd -b file user secret, htpasswd -nb user secret
    rule(
      `(${start}htpasswd${blank}${flags}-\\w{0,8}b\\w{0,8}${blank}${flags}(?:${someWord}){1,2}${quote})${secret}(?=${quote}[ \\t]{0,3}(?:[\\r\\n|;&]|$))`,
    ),
    rule(
      `(${start}(?:echo|printf)${blank}(?:(?:-\\w{1,3}|${quote}%s(?:\\\\{1,2}n)?${quote})${blank}){0,2}${quote})${secret}(?=${quote}[ \\t]{0,3}\\|[ \\t]{0,3}${reader})`,
    ),
    rule(`(${reader}${inCommand}{0,120}?<<<[ \\t]{0,3}${quote})${secret}`),
    [
      new RegExp(`(${start}(?:${lists})\\b)(${inCommand}{0,400})`, "g"),
      (_whole, before, rest) => before + rest.replace(listed, (_one, name: string) => name + mask),
    ],
  ];
}

/** The first words of all commands above. */
const programs = [
  "curl|wget|https?|xh|hey|ab|aws|az|bcp|bundle|bw|cargo|cf|cloudflared|codecov|composer|config(?:ure)?|consul|cpw|cqlsh",
  "addprinc|altool|ansible-vault|buildah|couchbase-cli|crictl|cryptsetup|cypher-shell|docker|doctl|dotnet",
  "eas|echo|env|expdp|expo|fly|flyctl|gcloud|gem|gh|helm|heroku|htpasswd|ibmcloud|impdp|influx|ipmitool",
  "jenkins-cli|kadmin|kinit|kubectl|ldap\\w{3,8}|lftp|login|mariadb|mc|mongo\\w{0,8}|mosquitto_\\w{3}|mysql\\w{0,10}|ncftp\\w{0,3}",
  "neo4j-admin|nerdctl|net|netlify|ngrok|nmcli|npm|nuget|oc|openssl|ossutil|plink|podman|poetry|printf|pscp|psexec|psftp",
  "pulumi|putty|rabbitmqctl|railway|rclone|rdesktop|redis-cli|rpc\\w{3,8}|samba-tool|schtasks|secrets?|security|sendemail|signtool",
  "skopeo|smb\\w{3,8}|snmp\\w{2,10}|snyk|sqlcmd|sqlldr|sqlplus|ssh-keygen|sshpass|sudo|supabase|swaks|twine|unzip|user(?:add|mod)",
  "uv|vault|vercel|wpa_passphrase|wrangler|zip|zipinfo|\\w{0,8}passwd|7z[arz]?|(?:un)?rar|[xw]freerdp\\d?|(?:src|dest)?(?:store|key)pass",
].join("|");

/** The source of a pattern for a line that may still get a password of such a program. */
export const openCommand = `(?<!\\w)(?:(?:${programs})\\b${inCommand}{0,420}|(?:echo|printf|net)\\b[^\\r\\n]{0,420})`;

/** A cheap test that is true for every text in which a rule could match. */
export const commandHints = new RegExp(`(?<!\\w)(?:${programs})\\b|stdin`, "i");
