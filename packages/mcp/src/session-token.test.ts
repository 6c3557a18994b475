import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { newToken, readToken } from './session-token.ts';

it('a session says by its id whose it is', () => {
  const token = newToken('claude-code/ädä');
  expect(token).toMatch(/^[\x21-\x7e]+$/);
  expect(readToken(token)).toMatchObject({ agent_id: 'claude-code/ädä', session_id: expect.stringMatching(/^sess-/) });
  expect(newToken('a')).not.toBe(newToken('a'));
});

it('what only looks like a session is none', () => {
  const forge = (text: string) => {
    const body = Buffer.from(text).toString('base64url');
    const check = createHash('sha256').update(`mem-mcp ${body}`).digest('base64url').slice(0, 12);
    return `${body}.${check}`;
  };
  expect(readToken(forge('{"agent_id":"a","session_id":"s"}'))).toEqual({ agent_id: 'a', session_id: 's' });
  for (const text of ['', 'no json', '{}', '{"agent_id":"","session_id":"s"}', '{"agent_id":7,"session_id":"s"}'])
    expect(readToken(forge(text))).toBeUndefined();
  expect(readToken(newToken('a').slice(0, -1))).toBeUndefined();
});
