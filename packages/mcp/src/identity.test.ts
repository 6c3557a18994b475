import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createIdentity } from './identity.ts';
import { readSettings } from './settings.ts';

function newIdentity() {
  const home = mkdtempSync(join(tmpdir(), 'mem-identity-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  let time = 0;
  const identity = createIdentity(readSettings({ HOME: home, USER: 'ada' }), () => time);
  identity.meet('Claude Code');
  const change = identity.change as NonNullable<typeof identity.change>;
  return { identity, change, wait: (seconds: number) => (time += seconds * 1000) };
}

it('a name that is in use is not taken away by another conversation', () => {
  const { identity, change, wait } = newIdentity();
  expect(identity.caller().agent_id).toBe('claude-code/ada');
  expect(change.set('one')).toEqual({ previous: 'claude-code/ada', isNew: true });
  wait(20);
  const { session_id } = identity.caller();
  wait(20);
  expect(change.set('two')).toEqual({ busy: 'one', idleMs: 20_000, coolDownMs: 30_000 });
  expect(identity.caller()).toEqual({ agent_id: 'one', session_id });
  expect(readFileSync(change.file(), 'utf8')).toBe('one\n');
  expect(change.set('one')).toEqual({ previous: 'one', isNew: false });
});

it('a name that has rested, or was given back, makes room for another', () => {
  const { identity, change, wait } = newIdentity();
  change.set('one');
  wait(30);
  expect(change.set('two')).toEqual({ previous: 'one', isNew: true });
  change.reset();
  expect(change.set('three')).toEqual({ previous: 'claude-code/ada', isNew: true });
  expect(identity.caller().agent_id).toBe('three');
});
