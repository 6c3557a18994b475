import { findSecrets } from '../../packages/server/src/modules/traces/rules/redact-find.ts';
import { secretPatterns } from '../../packages/server/src/modules/traces/rules/redact-patterns.ts';
import { countSteps } from '../support/regex-steps.ts';

/** Run by itself, as counting changes `RegExp`: prints the patterns whose work grows faster than the text, with the text. */

const CHARS = 700;
const PIECES = [
  ...[
    'a',
    '1',
    '1 ',
    '4-',
    '"',
    '\\',
    '\\n',
    ' ',
    '-',
    '.',
    '/',
    ':',
    '=',
    ',a',
    '&a',
    'A1b2',
    'é',
    '_',
    '+',
    '(a.',
    '<a',
  ],
  ...[
    'a://b:',
    'eyJ-',
    'eyJaaaaaaaa.',
    'token',
    'token: ',
    'token=f(',
    'password = ',
    '--token ',
    'cookie: ',
    'curl -u ',
  ],
  ...[
    'bearer ',
    'basic ',
    'authorization: basic ',
    '-----BEGIN ',
    'SG.aaaaaaaaaaaaaaaaaaaaaa.',
    'your_',
    'token="a',
    'sk-proj-',
  ],
];
/** Texts that may come before a long run of a piece. */
const OPENINGS = [
  'token="',
  'password=',
  'Cookie: a=',
  'postgres://a:',
  `${'-----BEGIN'} PRIVATE KEY-----\n`,
  'basic ',
];
const SHORT_PIECES = ['a', '1 ', '\\', '\\n', ' ', '.', ':', ',a', 'A1b2', '(a.'];

const texts = [
  ...PIECES.map((piece) => ['', piece] as const),
  ...OPENINGS.flatMap((opening) => SHORT_PIECES.map((piece) => [opening, piece] as const)),
  ...secretPatterns.flatMap(({ caught }) =>
    caught.slice(0, 1).map((text) => ['', text.replaceAll(/[«»]/g, '')] as const),
  ),
];

const stepsFor = ([opening, piece]: readonly [string, string], chars: number) =>
  countSteps(() => findSecrets(opening + piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars)));

const patterns = new Set<string>();
const worse: string[] = [];
for (const text of texts) {
  const [once, twice] = [stepsFor(text, CHARS), stepsFor(text, 2 * CHARS)];
  for (const [pattern, steps] of twice) {
    patterns.add(pattern);
    // Twice the text is twice the work; a window of up to 512 characters that is not yet full may add to that.
    if (steps > 3 * (once.get(pattern) ?? 0) + 10 * CHARS) worse.push(`${pattern} on ${JSON.stringify(text)}`);
  }
}
console.log(JSON.stringify({ patterns: [...patterns], worse }));
