import { describe, expect, it } from 'vitest';
import { readAnswer, render } from '../../packages/server/src/cli/render/index.ts';

const time = '2026-01-31T12:00:00.000Z';
const edge = (source: string, relation: string, target: string) => {
  const [source_type, source_name] = source.split(' ');
  const [target_type, target_name] = target.split(' ');
  const ends = { source: source_name, source_type, relation, target: target_name, target_type };
  return { ...ends, confidence: 1, evidence_count: 1, first_seen: time, last_seen: time };
};
const node = (given: string, depth: number) => {
  const [type, name] = given.split(' ');
  return { type, name, depth };
};
const show = (name: 'graph.neighbors' | 'graph.link', answer: object) =>
  render(name, readAnswer(name, JSON.stringify(answer)), { width: 80, colour: false }).out;

describe('the graph for people', () => {
  it('is a tree in which every edge stands once', () => {
    const answer = {
      entity: 'svc/k',
      edges: [
        { ...edge('entry svc/k', 'references', 'pattern retry'), depth: 1 },
        { ...edge('agent a', 'wrote', 'entry svc/k'), evidence_count: 3, depth: 1 },
        { ...edge('agent a', 'wrote', 'entry svc/l'), depth: 2 },
        { ...edge('entry svc/l', 'references', 'pattern retry'), confidence: 0.7, depth: 2 },
        { ...edge('entry svc/k', 'is', 'entry svc/k'), depth: 1 },
      ],
      nodes: [node('entry svc/k', 0), node('pattern retry', 1), node('agent a', 1), node('entry svc/l', 2)],
      count: 5,
      truncated: true,
    };
    expect(show('graph.neighbors', answer)).toBe(
      [
        'entry svc/k',
        '  → references  pattern retry',
        '    ← references  entry svc/l  (confidence 0.7)',
        '  ← wrote       agent a  (3 times)',
        '    → wrote       entry svc/l',
        '  → is          entry svc/k',
        'there is more: narrow it down, or raise --limit',
        '',
      ].join('\n'),
    );
  });

  it('says so when there is nothing', () => {
    const nothing = { entity: 'x\u001b[2J', edges: [], nodes: [], count: 0, truncated: false };
    expect(show('graph.neighbors', nothing)).toBe('nothing is known to be connected with x\\u001b[2J\n');
  });

  it('shows an edge that was stated', () => {
    const stated = { edge_id: 'e', ...edge('agent a', 'trusts', 'agent b'), shared: true, branch: 'main', seq: 1 };
    expect(show('graph.link', { ...stated, evidence_count: 2 })).toBe('agent a → trusts → agent b  (2 times)\n');
  });
});
