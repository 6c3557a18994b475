import { describe, expect, it } from 'vitest';
import { redactText } from './redact.ts';

/** Nothing in this file is a secret. Each is assembled here, so that secret scanners do not flag this file. */
const join = (...parts: string[]) => parts.join('');
const ALNUM = 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6dE9fG2hJ5kL8mN1pQ4rS7tU0vW3xY6';
const HEX = '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
const random = (length: number) => ALNUM.repeat(4).slice(0, length);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');

const AWS_ID = join('AK', 'IA', 'Q3XAMPLE7KEYID42');
const AWS_SECRET = join('wJalrXUtnFEMI/K7MDENG', '/bPxRfiCYz3XAMPL3KY');
const GCP = join('AI', 'za', random(35));
const GITHUB = join('gh', 'p_', random(36));
const OPENAI = join('s', 'k-', random(48));
const ANTHROPIC = join('s', 'k-ant-', 'api03-', random(60));
const MEM = join('mem', '_sk_', random(32));
const JWT = join(base64url('{"alg":"HS256"}'), '.', base64url('{"sub":"1234567890"}'), '.', random(43));
const PASSWORD = join('hunt', 'er2!');
const WORD = join('let', 'mein');
const PEM_BODY = [1, 2, 3].map((n) => random(64 - n)).join('\n');
const pem = (kind: string) => ({
  begin: join('-----BEG', `IN ${kind}PRIVATE KEY-----`),
  end: join('-----E', `ND ${kind}PRIVATE KEY-----`),
});
const PEM = pem('');
const CARD = join('4111', '1111', '1111', '1111');

/** Text and its redacted form. */
const SECRETS: readonly (readonly [string, string])[] = [
  // Keys recognised by their form
  [`id ${AWS_ID}.`, 'id [REDACTED:aws_access_key].'],
  [`${join('AS', 'IA')}${AWS_ID.slice(4)}`, '[REDACTED:aws_access_key]'],
  [`aws_secret_access_key = ${AWS_SECRET}`, 'aws_secret_access_key = [REDACTED:aws_secret_key]'],
  [`The AWS secret is ${AWS_SECRET} for now`, 'The AWS secret is [REDACTED:aws_secret_key] for now'],
  [`?key=${GCP}&q=1`, '?key=[REDACTED:gcp_api_key]&q=1'],
  [join('ya', '29.', random(60)), '[REDACTED:gcp_oauth_token]'],
  [`push with ${GITHUB}`, 'push with [REDACTED:github_token]'],
  ...['o', 'u', 's', 'r'].map((kind) => [join('gh', kind, '_', random(36)), '[REDACTED:github_token]'] as const),
  [join('github', '_pat_', random(22), '_', random(59)), '[REDACTED:github_token]'],
  [`line one\\n${GITHUB}\\n`, 'line one\\n[REDACTED:github_token]\\n'],
  [join('gl', 'pat-', random(20)), '[REDACTED:gitlab_token]'],
  [join('xo', 'xb-', '123456789012-', random(24)), '[REDACTED:slack_token]'],
  [join('xa', 'pp-', '1-A012-', random(30)), '[REDACTED:slack_token]'],
  [
    join('https://hooks.slack.com/serv', 'ices/', 'T0123/B0456/', random(24)),
    'https://hooks.slack.com/services/[REDACTED:slack_webhook]',
  ],
  [
    join('https://discord.com/api/web', 'hooks/1234567890/', random(60)),
    'https://discord.com/api/webhooks/1234567890/[REDACTED:discord_webhook]',
  ],
  [join('sk', '_live_', random(24)), '[REDACTED:stripe_key]'],
  [join('rk', '_live_', random(24)), '[REDACTED:stripe_key]'],
  [join('sk', '_test_', random(24)), '[REDACTED:stripe_key]'],
  [`use ${OPENAI} here`, 'use [REDACTED:openai_key] here'],
  [join('s', 'k-proj-', random(30), '-', random(30)), '[REDACTED:openai_key]'],
  [`"${ANTHROPIC}"`, '"[REDACTED:anthropic_key]"'],
  [join('h', 'f_', random(34)), '[REDACTED:huggingface]'],
  [join('np', 'm_', random(36)), '[REDACTED:npm_token]'],
  [
    join('//registry.example/:_auth', 'Token=np', 'm_', random(36)),
    '//registry.example/:_authToken=[REDACTED:npm_token]',
  ],
  [join('py', 'pi-', 'AgEIcHlwaS5vcmc', random(60)), '[REDACTED:pypi_token]'],
  [join('S', 'G.', random(22), '.', random(43)), '[REDACTED:sendgrid]'],
  [`Twilio key ${join('S', 'K', HEX.slice(0, 32))}`, 'Twilio key [REDACTED:twilio]'],
  [
    `DefaultEndpointsProtocol=https;AccountName=a;Account${join('Key=', random(60), '+/', random(24), '==')};EndpointSuffix=b`,
    'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=[REDACTED:azure_storage_key];EndpointSuffix=b',
  ],
  [`X-MEM-API-Key: ${MEM}`, 'X-MEM-API-Key: [REDACTED:mem_key]'],
  [join('hv', 's.', random(90)), '[REDACTED:vault_token]'],
  [`session ${JWT} ok`, 'session [REDACTED:jwt] ok'],

  // Headers
  [`Authorization: Bearer ${random(20)}`, 'Authorization: Bearer [REDACTED:bearer]'],
  [
    `curl -H "Authorization: Bearer ${JWT}" https://a.example`,
    'curl -H "Authorization: Bearer [REDACTED:jwt]" https://a.example',
  ],
  [`{"Authorization": "Bearer ${random(12)}"}`, '{"Authorization": "Bearer [REDACTED:bearer]"}'],
  [`bearer ${random(32)}`, 'bearer [REDACTED:bearer]'],
  [`Authorization: Basic ${base64('user:pass')}`, 'Authorization: Basic [REDACTED:basic]'],
  [`-H 'Basic ${base64('admin:hunter2')}'`, "-H 'Basic [REDACTED:basic]'"],
  [`Cookie: session=${random(20)}; theme=dark\nHost: a`, 'Cookie: [REDACTED:cookie]\nHost: a'],
  [`Set-Cookie: sid=${random(20)}; HttpOnly`, 'Set-Cookie: [REDACTED:cookie]'],
  [`x-api-key: ${WORD}`, 'x-api-key: [REDACTED:assignment]'],

  // Private keys
  [`a\n${PEM.begin}\n${PEM_BODY}\n${PEM.end}\nb`, 'a\n[REDACTED:private_key]\nb'],
  [`${pem('RSA ').begin}\n${PEM_BODY}\n${pem('RSA ').end}`, '[REDACTED:private_key]'],
  [`${pem('OPENSSH ').begin}\n${PEM_BODY}\n${pem('OPENSSH ').end}`, '[REDACTED:private_key]'],
  [JSON.stringify({ k: `${PEM.begin}\n${PEM_BODY}\n${PEM.end}\n` }), '{"k":"[REDACTED:private_key]\\n"}'],
  [`log: ${PEM.begin}\n${PEM_BODY}`, 'log: [REDACTED:private_key]'],
  [`${PEM.begin}\\n${PEM_BODY.replaceAll('\n', '\\n')}\\nab`, '[REDACTED:private_key]'],
  [
    `${pem('RSA ').begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${HEX.slice(0, 32)}\n\n${PEM_BODY}\n-----END R`,
    '[REDACTED:private_key]',
  ],

  // Addresses
  [`postgres://app:${PASSWORD}@db.example:5432/app`, 'postgres://app:[REDACTED:connection_string]@db.example:5432/app'],
  [`redis://:${WORD}@cache:6379/0`, 'redis://:[REDACTED:connection_string]@cache:6379/0'],
  [`mongodb+srv://u:p@${WORD}@h.example/db?a=b`, 'mongodb+srv://u:[REDACTED:connection_string]@h.example/db?a=b'],
  [`mysql://root:a/b${WORD}@localhost/x`, 'mysql://root:[REDACTED:connection_string]@localhost/x'],
  [
    `git clone https://oauth2:${random(20)}@git.example/a.git`,
    'git clone https://oauth2:[REDACTED:connection_string]@git.example/a.git',
  ],
  [`"url":"https:\\/\\/u:${WORD}@h\\/p"`, '"url":"https:\\/\\/u:[REDACTED:connection_string]@h\\/p"'],

  // Cards
  [`card ${CARD}`, 'card [REDACTED:card]'],
  ['card 4111 1111 1111 1111 exp 12/27', 'card [REDACTED:card] exp 12/27'],
  ['5500-0000-0000-0004', '[REDACTED:card]'],
  ['3782 822463 10005', '[REDACTED:card]'],
  ['4111 1111 1111 1111 123', '[REDACTED:card] 123'],
  ['{"pan":"6011000990139424"}', '{"pan":"[REDACTED:card]"}'],

  // Assignments
  [`password=${PASSWORD}`, 'password=[REDACTED:assignment]'],
  [`PASSWORD=${WORD}`, 'PASSWORD=[REDACTED:assignment]'],
  ['PASSWORD=changeme', 'PASSWORD=[REDACTED:assignment]'],
  [`{"secret": "${WORD}", "a": 1}`, '{"secret": "[REDACTED:assignment]", "a": 1}'],
  [`{\\"client_secret\\":\\"${WORD}\\",\\"a\\":1}`, '{\\"client_secret\\":\\"[REDACTED:assignment]\\",\\"a\\":1}'],
  [`{"password":"a\\"${WORD}"}`, '{"password":"[REDACTED:assignment]"}'],
  [`"password": "correct horse battery"`, '"password": "[REDACTED:assignment]"'],
  [`API_KEY=${random(16)}`, 'API_KEY=[REDACTED:assignment]'],
  [`export TOKEN='${random(10)}'`, "export TOKEN='[REDACTED:assignment]'"],
  [`mysql --password ${WORD} -h db`, 'mysql --password [REDACTED:assignment] -h db'],
  ['--password foo', '--password [REDACTED:assignment]'],
  [`--api-key="${random(9)}"`, '--api-key="[REDACTED:assignment]"'],
  [`https://a.example/?token=${random(8)}&x=1`, 'https://a.example/?token=[REDACTED:assignment]&x=1'],
  [
    `grant_type=password&username=u&password=${WORD}&scope=a`,
    'grant_type=password&username=u&password=[REDACTED:assignment]&scope=a',
  ],
  [`db:\n  password: ${PASSWORD}\n  port: 1`, 'db:\n  password: [REDACTED:assignment]\n  port: 1'],
  [`  password: ${WORD}\n`, '  password: [REDACTED:assignment]\n'],
  [`spring.datasource.password=${WORD}`, 'spring.datasource.password=[REDACTED:assignment]'],
  [`password = ${PASSWORD}`, 'password = [REDACTED:assignment]'],
  [`DB_PASS=${WORD}\\nPORT=1`, 'DB_PASS=[REDACTED:assignment]\\nPORT=1'],
  [
    `Server=db;User Id=sa;Password=${PASSWORD};Encrypt=true`,
    'Server=db;User Id=sa;Password=[REDACTED:assignment];Encrypt=true',
  ],
  [`const apiKey = "${random(12)}";`, 'const apiKey = "[REDACTED:assignment]";'],
  [`password: str = "${WORD}"`, 'password: str = "[REDACTED:assignment]"'],
  [`connect(user="u", password='${WORD}')`, 'connect(user="u", password=\'[REDACTED:assignment]\')'],
  [`<password>${WORD}</password>`, '<password>[REDACTED:assignment]</password>'],
  [`user[password]=${WORD}`, 'user[password]=[REDACTED:assignment]'],
  [`:password => "${WORD}"`, ':password => "[REDACTED:assignment]"'],
  [`**Password:** ${PASSWORD}`, '**Password:** [REDACTED:assignment]'],
  [`MEM_API_KEYS=${random(12)},${random(14)}`, 'MEM_API_KEYS=[REDACTED:assignment]'],
  [`refresh_token: ${random(24)}`, 'refresh_token: [REDACTED:assignment]'],
  ['token: deadbeef', 'token: [REDACTED:assignment]'],
  ['the api key: cafebabe, then', 'the api key: [REDACTED:assignment], then'],
  ['DB_PASSWORD: correct horse', 'DB_PASSWORD: [REDACTED:assignment]'],
  ['env:\n  DB_PASSWORD: correct horse battery staple # old\n', 'env:\n  DB_PASSWORD: [REDACTED:assignment] # old\n'],
  ['a: 1\\ndb_password: correct horse\\nb: 2', 'a: 1\\ndb_password: [REDACTED:assignment]\\nb: 2'],
  ['- smtp-password: correct horse', '- smtp-password: [REDACTED:assignment]'],
  ['secret: s3cr3t', 'secret: [REDACTED:assignment]'],
  ['a: 1\n  api_token: abc123\n', 'a: 1\n  api_token: [REDACTED:assignment]\n'],
  [`curl -u admin:${WORD} https://a.example`, 'curl -u admin:[REDACTED:password] https://a.example'],
  [`ALTER USER a WITH PASSWORD '${WORD}';`, "ALTER USER a WITH PASSWORD '[REDACTED:password]';"],
];

/** Texts that resemble a secret, or mention one. */
const HARMLESS: readonly string[] = [
  // Public numbers and names
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  'aws deploy of 3f786850e387550fdab836ed7e6dc881de23001b',
  `sha256:${HEX}`,
  'id 550e8400-e29b-41d4-a716-446655440000',
  '12345678-1234-4234-8234-123456789012',
  `![x](data:image/png;base64,${base64(random(300))})`,
  'order 4111 1111 1111 1112',
  'order 4111111111111112',
  'order 9999 0000 0000 0005',
  'tracking 41111111111111110000000',
  'call +49 151 12345678 or (555) 010-9999',
  '2026-01-31T12:00:00.000Z',
  'at 1769860800000 and 1769860800000000',
  'score 0.4111111111111111',
  '411111111111111.5',
  'a4111111111111111f',
  'v1.2.3-beta.4+build.5',
  'arn:aws:iam::123456789012:role/deploy',
  'AIDAQ3XAMPLE7USERID2',
  'pk_live_51Habcdefghijklmnop',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk3 me@host',
  `-----BEGIN CERTIFICATE-----\n${PEM_BODY}\n-----END CERTIFICATE-----`,
  `-----BEGIN PUBLIC KEY-----\n${PEM_BODY}\n-----END PUBLIC KEY-----`,
  `if (text.includes('${PEM.begin}')) warn()`,
  `It goes from ${PEM.begin} to ${PEM.end}.`,
  `etag "${HEX.slice(0, 32)}"`,
  'SK0123456789abcdef0123456789abcdef',
  'npm_config_registry=https://registry.example npm_package_version=1.0.0',

  // Addresses without credentials
  'https://user@host.example/path',
  'http://localhost:8080/a@b',
  'postgres://db.example:5432/app',
  'mongodb://h1:27017,h2:27017/db?authSource=a@b',
  'git@github.com:owner/repo.git',
  'mail bob@example.com: hello',
  join('postgres://app:$', '{DB_PASSWORD}@db/app'),
  'postgres://app:<password>@db/app',
  'amqp://guest:***@mq',
  '/var/run/secrets/kubernetes.io/serviceaccount/token',
  'C:\\Users\\me\\token.txt',
  'src/auth/password-reset.ts:42:7',

  // Prose
  'Please reset your password before Monday.',
  'The token expired, so the secret was rotated and the API key revoked.',
  'Password: required',
  'password: must be at least 12 characters',
  'Password: Must contain a digit',
  'Token: see the docs',
  'the token: see docs',
  'API_TOKEN: see vault',
  'DB_PASSWORD: the password of the database',
  'DB_PASSWORD: stored in the vault',
  'DB_PASSWORD: set by ops, never in code',
  'db_password: ask the platform team',
  'db_password: at least 12 characters',
  'the db_password: nobody knows',
  'my token: feedback is welcome',
  'cookie: step12 of the guide',
  'secret: prod-db-1',
  'Authorization: Bearer authentication is used',
  'Use Bearer tokens or Basic authentication.',
  'Set the Authorization header.',
  'Basic configuration of the service',
  'use the --password flag or the --token option',
  'wrong password: try again',
  'cookie: a small text that a site keeps',

  // Names that hold no secret
  'token_count: 42',
  'max_tokens=512',
  '{"input_tokens": 1200, "output_tokens": 300, "total_tokens": 1500}',
  'next_page_token=CAUQAA1234567',
  '"nextPageToken": "CAUQAA1234567"',
  'eos_token: "<|endoftext|>"',
  'price_per_token = 0.0000025',
  'token_type=bearer',
  'tokenizer=cl100k_base2',
  'password_reset_url=https://a.example/reset1',
  'api_key_id=key-1234567',
  'secret_name: prod-db-1',
  'PWD=/root',
  'OLDPWD=/home/me/work1',
  'primary_key=id12345',
  'passwordless=enabled1',
  '"cookie": "^1.1.1"',
  'the header x-api-key: forward it as it is',

  // Code
  'const token = getToken()',
  'let password = input;',
  'token = await getToken(request)',
  'token := os.Getenv("TOKEN")',
  'apiKey: process.env.API_KEY,',
  'password=os.environ["DB_PASSWORD"]',
  'login(user=user, password=password)',
  'login(user=user, password=user_password)',
  'this.token = token;',
  'function login(user: string, password: string): void',
  'def login(user: str, password: Optional[str] = None)',
  'interface A { token: Token; secret?: string }',
  'tokens.map((token) => token.id)',
  'if (password === expected) return',
  '"Bearer " + token',
  join('`Bearer $', '{token}`'),
  'url = "https://a.example/?token=" + token + "&x=1"',
  'print("password:", password)',
  'input("Password: ")',
  '<input type="password" name="password" autocomplete="current-password">',
  'input[type=password]:focus { color: red1 }',
  "fetch(url, { credentials: 'same-origin' })",
  'UPDATE users SET password = $1 WHERE id = $2',
  'WHERE token = :token AND password = ?',
  'docker run -u 1000:1000 image',
  'case Token::Ident1 => parse()',

  // Placeholders and empty values
  'password=',
  'PASSWORD=""',
  "TOKEN=''",
  '"secret": ""',
  'password=<password>',
  'password: <your password>',
  join('PASSWORD=$', '{PASSWORD}'),
  'PASSWORD=$PASSWORD',
  'token: {{ token }}',
  'password=***',
  'api_key: sk-****abcd',
  'TOKEN=xxxxxxxx',
  'API_KEY=your-api-key-here',
  'Authorization: Bearer sk-...',
  '?api_key=AIza…',
  '"password": null',
  'password: none',
  '--token $TOKEN',
  'Authorization: Bearer <token>',
  'Authorization: Bearer $TOKEN',
  'sk-your-api-key-goes-here-please',
  'password=[REDACTED:assignment]',
  'postgres://app:[REDACTED:connection_string]@db',
];

describe('the corpus of secrets', () => {
  it.each(SECRETS)('secret %# is replaced and the text around it stays', (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
    expect(redactText(redacted)).toBe(redacted);
  });
});

describe('the corpus of harmless texts', () => {
  it.each(HARMLESS)('text %# stays as it is', (text) => {
    expect(redactText(text)).toBe(text);
  });
});
