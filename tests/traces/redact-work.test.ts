import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { secretPatterns } from '../../packages/server/src/modules/traces/rules/redact-patterns.ts';
import { programOf } from '../support/program.ts';

const source = fileURLToPath(new URL('redact-steps.ts', import.meta.url));

it('no pattern of the redaction does more than twice the work on a hostile text of twice the length', async () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--stack-size=4000', await programOf(source)], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const { patterns, worse } = JSON.parse(stdout) as { patterns: string[]; worse: string[] };
  expect(worse).toEqual([]);
  expect(patterns).toEqual(expect.arrayContaining(secretPatterns.map(({ pattern }) => String(pattern))));
});
