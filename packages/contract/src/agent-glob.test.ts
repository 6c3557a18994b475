import { expect, it } from 'vitest';
import { isAgentGlob, matchesAgent } from './agent-glob.ts';

it.each([
  ['agent/a', ['agent/a'], ['agent/b', 'agent/a/b', 'Agent/a', 'agent']],
  ['ci-*', ['ci-1', 'ci-x.y'], ['ci-', 'ci-1/2', 'xci-1', 'ci']],
  ['team/*', ['team/a'], ['team/', 'team/a/b', 'team', 'teams/a']],
  ['team/**', ['team/a', 'team/a/b'], ['team/', 'team', 'teams/a']],
  ['*', ['anything', 'a/b/c'], []],
  ['**', ['anything', 'a/b/c'], []],
])('%s is what it says', (pattern, those, others) => {
  expect(isAgentGlob(pattern)).toBe(true);
  expect([...those, ...others].filter((agent) => matchesAgent(pattern, agent))).toEqual(those);
});

it.each(['a*b', '*a', 'a***', '**/a', 'a/*/b'])('%s is no pattern', (text) => expect(isAgentGlob(text)).toBe(false));
