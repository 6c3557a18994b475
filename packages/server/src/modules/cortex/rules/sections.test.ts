import { describe, expect, it } from 'vitest';
import type { CitedEntry } from './cited.ts';
import { confidenceLabel, narrate } from './narrative.ts';
import { chooseEntries, MOST_KEPT, replacementsOf, sectionsOf } from './sections.ts';
import { eventTypesOf, figuresOf, relationsOf } from './summary.ts';

const entry = (n: number, over: Partial<CitedEntry> = {}): CitedEntry => ({
  entry_id: n,
  entity_path: 'shop',
  key: `key-${n}`,
  version: 1,
  seq: n,
  agent_id: 'agent/a',
  memory_type: 'fact',
  confidence: 0.7,
  recall_count: 0,
  written_at: n,
  status: 'untested',
  success_count: 0,
  failure_count: 0,
  last_outcome_at: null,
  pattern_refs: '[]',
  ...over,
});
const many = (n: number) => Array.from({ length: n }, (_, i) => entry(i + 1));
const keys = (entries: readonly CitedEntry[]) => entries.map(({ key }) => key);

describe('the sections of a digest', () => {
  it('have the first five of each order, whatever the order they come in', () => {
    const entries = [...many(8), entry(20, { recall_count: 3 }), entry(21, { confidence: 0.99, key: 'risk-x' })];
    const { newest, most_recalled, top_keys, risks } = sectionsOf(entries);
    expect(keys(newest)).toEqual(['risk-x', 'key-20', 'key-8', 'key-7', 'key-6']);
    expect(keys(most_recalled)).toEqual(['key-20']);
    expect(keys(top_keys)).toEqual(['risk-x', 'key-20', 'key-8', 'key-7', 'key-6']);
    expect(keys(risks)).toEqual(['risk-x']);
    expect(sectionsOf(entries.toReversed())).toEqual(sectionsOf(entries));
  });

  it('put what was refuted apart, with what came instead', () => {
    const refuted = entry(1, { key: 'deploy-order', status: 'discredited', failure_count: 3 });
    const entries = [
      refuted,
      entry(2, { key: 'deploy-steps' }),
      entry(3, { key: 'deploy-doubt', status: 'contested' }),
      entry(4, { key: 'cache' }),
      entry(5, { key: 'deploy-elsewhere', entity_path: 'other' }),
    ];
    expect(keys(replacementsOf(refuted, entries))).toEqual(['deploy-steps']);
    const { top_keys, discredited } = sectionsOf(entries);
    expect(keys(top_keys)).not.toContain('deploy-order');
    expect(discredited.map(({ entry: { key } }) => key)).toEqual(['deploy-order']);
  });

  it('are the same from what is shown as from all candidates', () => {
    const entries = many(300).map((one, i) =>
      entry(one.entry_id, {
        confidence: ((i * 37) % 100) / 100,
        recall_count: (i * 13) % 50,
        agent_id: `agent/${i % 7}`,
      }),
    );
    const { shown, reserve } = chooseEntries(entries);
    expect(shown.length + reserve.length).toBeLessThanOrEqual(MOST_KEPT + 40);
    const visible = entries.filter(({ entry_id }) => shown.includes(entry_id));
    expect(sectionsOf(visible)).toEqual(sectionsOf(entries));
  });
});

describe('the sentences of a digest', () => {
  const described = (entries: readonly CitedEntry[]) => ({
    digest_type: 'entity' as const,
    scope: 'shop',
    entry_count: entries.length,
    avg_confidence: 0.7,
    agents: ['agent/a'],
    sections: sectionsOf(entries),
    outcomes: [],
  });

  it('name only entries that they point at', () => {
    const entries = [entry(1, { status: 'validated' }), entry(2, { status: 'discredited', failure_count: 1 })];
    for (const { text, entries: behind } of narrate(described(entries)))
      for (const { key } of entries) if (text.includes(key)) expect(keys(behind), text).toContain(key);
  });

  it('say nothing where there is nothing', () => {
    expect(narrate(described([]))).toEqual([]);
  });

  it('call an average by its label', () => {
    expect([0.95, 0.8, 0.6, 0.4, 0.1].map(confidenceLabel)).toEqual([
      'very high',
      'high',
      'moderate',
      'low',
      'very low',
    ]);
  });
});

describe('the figures of a digest', () => {
  it('are those of the entries that are visible where not all of them may be counted', () => {
    const parts = { digest_type: 'agent_brief' as const, scope: 'agent/a', outcomes: [], edges: [], ends: [] };
    const entries = [entry(1, { confidence: 0.5 }), entry(2, { confidence: 1 })];
    expect(figuresOf({ ...parts, entries, counted: undefined })).toMatchObject({ total_keys: 2, avg_confidence: 0.75 });
    const counted = { n: 10, confidence_sum: 9, last_at: 4 };
    expect(figuresOf({ ...parts, entries, counted })).toMatchObject({ total_keys: 10, avg_confidence: 0.9 });
  });

  it('count edges by relation and keys by their beginning', () => {
    const known = { side: 'out', relation: 'needs', is_path: true, entry_id: undefined } as const;
    const edge = (target: string, confidence: number) => ({ ...known, target, confidence });
    expect(relationsOf([edge('b', 1), edge('a', 0.5)])).toEqual({
      needs: { count: 2, targets: ['a', 'b'], avg_confidence: 0.75 },
    });
    expect(
      eventTypesOf([entry(1, { key: 'alert-1' }), entry(2, { key: 'alert-2' }), entry(3, { key: 'push' })]),
    ).toEqual({
      alert: 2,
      push: 1,
    });
  });
});
