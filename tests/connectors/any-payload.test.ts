import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entityPathProblem, keyProblem, utf8Length } from '../../packages/contract/src/glob.ts';
import { JiraConnector } from '../../packages/server/src/connectors/jira/index.ts';
import { PagerDutyConnector } from '../../packages/server/src/connectors/pagerduty/index.ts';
import type { Connector, ConnectorResult, EntryResult } from '../../packages/server/src/connectors/types.ts';
import { payloadsOf, resultsOf } from './deliveries.ts';

const connectors: [string, Connector][] = [
  ['pagerduty', new PagerDutyConnector()],
  ['jira', new JiraConnector()],
];

/** Texts that are nothing but trouble for paths, keys and addresses. */
const ODD_TEXTS = [
  ...' ./*\0\n\ud800',
  '',
  '..',
  '__proto__',
  'toString',
  'é'.repeat(3000),
  'https://a.example/rest/\ud800',
];
const ODD = [...ODD_TEXTS, null, 7, -1, 1e308, true, {}, [], [[]], [null], { id: {} }, { name: 7 }];
const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(...ODD),
  fc.string({ unit: 'binary' }),
  fc.double(),
);

type Edit = { at: number; value: unknown };

/** A payload with some of its members, anywhere, replaced. */
function edited(payload: unknown, edits: readonly Edit[]): unknown {
  const copy = structuredClone(payload);
  for (const { at, value } of edits) {
    const places = [...placesIn(copy)];
    const place = places[at % Math.max(1, places.length)];
    // A copy of the value, since a later edit may change it.
    const written = { value: structuredClone(value), enumerable: true, configurable: true, writable: true };
    if (place) Object.defineProperty(place.parent, place.name, written);
  }
  return copy;
}

function* placesIn(value: unknown): Iterable<{ parent: object; name: string }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    yield { parent: value, name };
    yield* placesIn(member);
  }
}

function expectStorable(result: ConnectorResult) {
  if (result.operation === 'write' && result.key.startsWith('raw-')) return;
  expect(entityPathProblem(result.entity_path ?? '')).toBeUndefined();
  const text = JSON.stringify(result);
  expect(text.length).toBeLessThan(500_000);
  // How JSON writes half a surrogate pair, and NUL.
  expect(text).not.toMatch(/\\u(d[89a-f]|0000)/);
  if (result.operation === 'write') expectWrite(result);
  else expect(result.summary.length).toBeLessThanOrEqual(300);
}

function expectWrite({ key, links = [], items = {}, occurred_at, artifact_refs = [], outcome }: EntryResult) {
  expect(keyProblem(key)).toBeUndefined();
  if (occurred_at !== undefined) expect(new Date(occurred_at).toISOString()).toBe(occurred_at);
  for (const { relation, to } of links) {
    expect(relation).toMatch(/^[a-z0-9_]{1,64}$/);
    expect(utf8Length(to)).toBeLessThanOrEqual(2500);
  }
  for (const item of Object.values(items).flatMap((list) => Object.values(list)))
    if (item) expect(Number.isNaN(Date.parse(item.at))).toBe(false);
  for (const page of artifact_refs) expect(URL.canParse(page)).toBe(true);
  if (outcome) expect(outcome.outcome_ref.length).toBeLessThanOrEqual(500);
}

describe.each(connectors)('%s', (name, connector) => {
  const recorded = fc.constantFrom(...payloadsOf(name).values());

  test('any JSON has results that can be stored', () => {
    fc.assert(fc.property(anyJson, (payload) => resultsOf(connector, payload).forEach(expectStorable)));
  });

  test('a recorded delivery with anything anywhere in it has results that can be stored', () => {
    const edit = fc.record({ at: fc.nat(2000), value: anyJson });
    fc.assert(
      fc.property(recorded, fc.array(edit, { minLength: 1, maxLength: 8 }), (payload, edits) =>
        resultsOf(connector, edited(payload, edits)).forEach(expectStorable),
      ),
      { numRuns: 300 },
    );
  });

  test('each member of a delivery may be anything', () => {
    const smallest = name === 'jira' ? 'mattermost-issue-assigned-empty-changelog' : 'resolved_v3';
    const payload = payloadsOf(name).get(smallest);
    const count = [...placesIn(payload)].length;
    for (const value of ODD)
      for (let at = 0; at < count; at++) resultsOf(connector, edited(payload, [{ at, value }])).forEach(expectStorable);
  });

  test('a delivery that is nested deeply has results', () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 50_000; depth++) deep = { content: [deep], type: 'paragraph' };
    const payloads = [
      deep,
      { id: deep },
      { event: { event_type: 'incident.annotated', data: deep } },
      { issue: { key: 'A-1', fields: { description: deep } } },
    ];
    for (const payload of payloads) expect(() => resultsOf(connector, payload)).not.toThrow();
  });
});
