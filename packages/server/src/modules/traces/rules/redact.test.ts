import { JsonText } from '@mem-service/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutText, MAX_REDACT_CHARS, redactText } from './redact.ts';
import { redactJson } from './redact-json.ts';

const key = ['gh', 'p_', 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6'].join('');
const begin = ['-----BEGIN', ' PRIVATE KEY-----'].join('');
const end = ['-----END', ' PRIVATE KEY-----'].join('');

/** Fragments of secrets and of their context. */
const pieces = fc.constantFrom(
  ...['password', 'TOKEN', 'api_key', 'secret', 'Authorization', 'Cookie', 'pwd', '--token', 'x-api-key', 'const '],
  ...['=', ':', ': ', ' = ', '=>', '"', "'", '`', '\\"', '\\\\"', '\\n', '\n', ' ', ',', ';', '&', '<', '>', '</', ')'],
  ...[
    '[',
    ']',
    '{',
    '}',
    '$',
    '@',
    '/',
    '://',
    '+',
    '-',
    '.',
    '*',
    '***',
    '|',
    '_',
    '%',
    '?',
    '#',
    'é',
    '😀',
    '\ud83d',
  ],
  ...[
    'hunter2',
    'abc',
    'A1b2C3d4E5f6',
    '1',
    '4111 1111 1111 1111',
    '4111111111111111',
    'Bearer ',
    'Basic ',
    'dXNlcjpwYXNz',
  ],
  ...[
    'postgres://u:',
    'https://',
    'twilio',
    'SK0123456789abcdef0123456789abcdef',
    'curl -u a:b',
    'aws ',
    key,
    begin,
    end,
  ],
  ...['[REDACTED:', '[REDACTED:assignment]', '[REDACTED:github_token]', 'mem_sk_abcdefgh', 'eyJhbGciOiJI.eyJzdWIi.x'],
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
);
const madeText = fc.array(pieces, { maxLength: 24 }).map((parts) => parts.join(''));
const anyText = fc.oneof(madeText, fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 60 }));

describe('redactText', () => {
  it('changes nothing when it is done again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = redactText(text);
        expect(redactText(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves no key behind, whatever surrounds it', () => {
    fc.assert(
      fc.property(madeText, madeText, (a, b) => !redactText(`${a} ${key} ${b}`).includes(key)),
      {
        numRuns: 1000,
      },
    );
  });

  it('names what two patterns find by the more exact one, and replaces all that either found', () => {
    expect(redactText(`token="${key} and more"`)).toBe('token="[REDACTED:github_token]"');
  });

  it('cuts a long text', () => {
    expect(redactText('a'.repeat(MAX_REDACT_CHARS))).toHaveLength(MAX_REDACT_CHARS);
    expect(redactText('a '.repeat(MAX_REDACT_CHARS))).toBe('a '.repeat(MAX_REDACT_CHARS / 2));
    expect(redactText(`a${'😀'.repeat(MAX_REDACT_CHARS)}`)).toBe(`a${'😀'.repeat(MAX_REDACT_CHARS / 2 - 1)}`);
  });

  it('knows a secret that lies across the cut', () => {
    const before = ' '.repeat(MAX_REDACT_CHARS - 10);
    expect(redactText(`${before}${key}`)).toBe(before);
    expect(redactText(`${before}${key}`.slice(100))).toBe(`${before.slice(100)}[REDACTED:github_token]`);
  });

  it('stays within the limit where marks are longer than what they replace', () => {
    const redacted = redactText('pwd=abc '.repeat(MAX_REDACT_CHARS / 8));
    expect(redacted.length).toBeLessThanOrEqual(MAX_REDACT_CHARS);
    expect(redacted).not.toContain('abc');
    expect(redactText(redacted)).toBe(redacted);
  });

  const long = (piece: string) => piece.repeat(Math.ceil(MAX_REDACT_CHARS / piece.length)).slice(0, MAX_REDACT_CHARS);

  it.each([
    ...[
      'a',
      '1 ',
      '4-',
      '"',
      '\\',
      '-----BEGIN ',
      'a://b:',
      'postgres://a:',
      'eyJ-',
      'eyJaaaaaaaa.',
      'sk-proj-',
      'ask-proj-',
    ],
    ...[
      'token',

      'token: ',
      'token=f(',
      'password ',
      'password = ',
      'password:a ',
      '<password>',
      '--token ',
      'your_',
    ],
    ...[
      'bearer ',
      'basic ',
      'cookie: ',
      'curl -u ',
      'SG.aaaaaaaaaaaaaaaaaaaaaa.',
      'aws ',
      `${begin}\nAa: `,
      'token: a-v1-',
    ],
  ])('reads 200,000 characters of %j in one go', (piece) => {
    expect(redactText(long(piece))).toBe(long(piece));
  });

  it.each([
    'token="a',
    'password=abc,',
    'token:',
    'token=xyz&a',
    `${begin}\n${'A'.repeat(64)}\n`,
    'a://b:c@',
    'Cookie: a=b ',
  ])('replaces in 200,000 characters of %j in one go', (piece) => {
    const redacted = redactText(long(piece));
    expect(redacted).toContain('[REDACTED:');
    expect(redactText(redacted)).toBe(redacted);
  });
});

describe('cutText', () => {
  it('splits neither a character nor a mark', () => {
    expect(cutText('abc', 3)).toBe('abc');
    expect(cutText('abcd', 3)).toBe('abc');
    expect(cutText('ab😀', 3)).toBe('ab');
    for (let most = 3; most < 'ab [REDACTED:card]'.length; most++) {
      expect(cutText('ab [REDACTED:card] c', most)).toBe('ab ');
    }
    expect(cutText('ab [REDACTED:card] c', 18)).toBe('ab [REDACTED:card]');
    expect(cutText('ab [RED apples', 7)).toBe('ab [RED');
  });
});

describe('redactJson', () => {
  it('walks through lists and members', () => {
    expect(redactJson({ a: [`x ${key}`, { b: `password=${'hunter2'}` }], n: 1, t: true, z: null })).toEqual({
      a: ['x [REDACTED:github_token]', { b: 'password=[REDACTED:assignment]' }],
      n: 1,
      t: true,
      z: null,
    });
  });

  it.each([
    ...['password', 'passwd', 'secret', 'client_secret', 'token', 'access_token', 'refresh_token', 'api_key', 'apikey'],
    ...[
      'authorization',
      'private_key',
      'credential',
      'cookie',
      'set-cookie',
      'x-api-key',
      'x-mem-api-key',
      'X-MEM-API-Key',
    ],
    ...['Password', 'dbPassword', 'accessToken', 'AWS_SECRET_ACCESS_KEY', 'credentials', 'pass', 'api key', 'token2'],
  ])('replaces all of a text under the name %s', (name) => {
    expect(redactJson({ [name]: 'two words', other: 'two words' })).toEqual({
      [name]: '[REDACTED:assignment]',
      other: 'two words',
    });
  });

  it.each([
    ...[
      'token_count',
      'max_tokens',
      'tokens',
      'key',
      'action_key',
      'nextPageToken',
      'next_token',
      'tokenizer',
      'compass',
    ],
    ...[
      'password_reset',
      'secretary',
      'api_key_id',
      'author',
      'cookie_name',
      'public_key',
      'price_per_token',
      'eosToken',
    ],
  ])('keeps a text under the name %s', (name) => {
    expect(redactJson({ [name]: 'two words' })).toEqual({ [name]: 'two words' });
  });

  it('names a secret under such a name where it is known', () => {
    expect(redactJson({ token: key })).toEqual({ token: '[REDACTED:github_token]' });
    expect(redactJson({ authorization: `Bearer ${key}` })).toEqual({ authorization: '[REDACTED:assignment]' });
  });

  it('looks into what is no text under such a name', () => {
    expect(redactJson({ cookies: ['a=b', 'c=d'], token: 42, secret: true, password: 12345678, passcode: 0 })).toEqual({
      cookies: ['[REDACTED:assignment]', '[REDACTED:assignment]'],
      token: 42,
      secret: true,
      password: '[REDACTED:assignment]',
      passcode: 0,
    });
    expect(redactJson({ credentials: { user: 'u', pass: 'p', n: [1] }, password: '', secret: null })).toEqual({
      credentials: { user: 'u', pass: '[REDACTED:assignment]', n: [1] },
      password: '',
      secret: null,
    });
  });

  it('redacts names too, and loses no member by it', () => {
    const other = `${key}X`;
    expect(redactJson({ [key]: 1, [other]: 2, '[REDACTED:github_token] 2': 3, [`${key}Y`]: 4 })).toEqual({
      '[REDACTED:github_token]': 1,
      '[REDACTED:github_token] 2': 2,
      '[REDACTED:github_token] 2 2': 3,
      '[REDACTED:github_token] 3': 4,
    });
  });

  it('keeps a member called __proto__ a member', () => {
    const redacted = redactJson(JSON.parse(`{"__proto__": {"a": "${key}"}}`)) as object;
    expect(JSON.stringify(redacted)).toBe('{"__proto__":{"a":"[REDACTED:github_token]"}}');
    expect(Object.getPrototypeOf(redacted)).toBe(Object.prototype);
  });

  it('reads JSON that is kept as text', () => {
    const kept = new JsonText(`{"a": "${key}", "n": 1.0}`);
    expect(redactJson({ kept, token: new JsonText('"abc"') })).toEqual({
      kept: { a: '[REDACTED:github_token]', n: 1 },
      token: '[REDACTED:assignment]',
    });
  });

  it('gives up on what is nested too deep, and not on the stack', () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect(redactJson(nested(128))).toEqual(nested(128));
    const redacted = JSON.stringify(redactJson(nested(5000)));
    expect(redacted).toBe(`${'['.repeat(128)}"[REDACTED:too_deep]"${']'.repeat(128)}`);
  });

  it('changes nothing when it is done again', () => {
    const names = fc.oneof(anyText, fc.constantFrom('password', 'token', 'pass', '__proto__', 'a'));
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, anyText, fc.integer(), fc.constant(null), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(names, tie('value'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(json.value, (value) => {
        const once = redactJson(value);
        expect(redactJson(once)).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });
});
