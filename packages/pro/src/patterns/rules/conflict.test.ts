import { expect, it } from 'vitest';
import { knowledgeConflict } from './conflict.ts';
import { type LookedEntry, PathFacts, type ScanTerms } from './path-facts.ts';

const TERMS = { at: 0 } as ScanTerms;

type Stated = { text: string; agent_id: string; evidence_status?: string; memory_type?: string };

/** The figures of the conflict among entries whose keys are spellings of one. */
function conflictAmong(stated: readonly Stated[]) {
  const path = new PathFacts('net');
  for (const [i, { evidence_status = 'untested', memory_type = 'fact', ...one }] of stated.entries()) {
    const more = { family: 'timeout ms', content_hash: one.text, versions: [], lines: [], written_at: 0 };
    path.add({
      entry_id: i,
      seq: i,
      version: 1,
      evidence_status,
      memory_type,
      ...more,
      ...one,
    } as never as LookedEntry);
  }
  const steps = knowledgeConflict(path, TERMS, { pairs: [], contradicts: (one, other) => one !== other });
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value?.figures;
}

const amy = { text: '30', agent_id: 'amy' };
const bob = { text: '30', agent_id: 'bob' };

it('each spelling of a key is compared with each other one', () => {
  const both = { conflicts: 1, entries: 2 };
  expect(conflictAmong([amy, bob, { ...amy, text: '60' }])).toEqual(both);
  expect(conflictAmong([amy, bob, { ...bob, text: '60' }])).toEqual(both);
  expect(conflictAmong([amy, bob])).toBeUndefined();
  expect(conflictAmong([amy, { ...amy, text: '60' }, { ...amy, text: '90' }])).toBeUndefined();
});

it('what is no statement any more hides no conflict, and is in none', () => {
  for (const left of [{ evidence_status: 'discredited' }, { memory_type: 'experience' }]) {
    const first = { text: '90', agent_id: 'cat', ...left };
    expect(conflictAmong([first, amy, { ...bob, text: '60' }])).toEqual({ conflicts: 1, entries: 2 });
    expect(conflictAmong([first, amy, bob])).toBeUndefined();
  }
});

it('a family with very many spellings is compared with the first of them', () => {
  const many = Array.from({ length: 1000 }, (_, i) => ({ text: String(i), agent_id: `agent/${i}` }));
  expect(conflictAmong(many)).toMatchObject({ entries: 1000, conflicts: 190 + 980 * 20 });
});
