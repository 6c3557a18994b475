import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { secretPatterns } from '../../packages/server/src/modules/traces/rules/redact-patterns.ts';

const program = fileURLToPath(new URL('redact-steps.ts', import.meta.url));

it('no pattern of the redaction does more than twice the work on a hostile text of twice the length', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--stack-size=4000', '--conditions=source', '--import', 'tsx', program],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  const { patterns, worse } = JSON.parse(stdout) as { patterns: string[]; worse: string[] };
  expect(worse).toEqual([]);
  expect(patterns).toEqual(expect.arrayContaining(secretPatterns.map(({ pattern }) => String(pattern))));
});
