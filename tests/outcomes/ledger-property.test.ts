import { randomUUID } from 'node:crypto';
import { traceShapes } from '@mem-service/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAccount } from '../../packages/server/src/kernel/index.ts';
import { rowsOf } from '../entries/support.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const agent_id = fc.constantFrom('agent/a', 'agent/b');
const who = { agent_id, session_id: fc.constantFrom('one', 'two', null) };
const place = fc.record({ entity_path: fc.constantFrom('p', 'p/q'), key: fc.constantFrom('1', '2') });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const outcome_type = fc.constantFrom(...traceShapes.outcomeTypes);
const cause = fc
  .tuple(place, fc.constantFrom(undefined, undefined, undefined, 1, 2))
  .map(([at, version]) => (version === undefined ? at : { ...at, version }));
const named = fc.array(cause, { minLength: 1, maxLength: 3 });
const act = <N extends string, I>(name: N, input: fc.Arbitrary<I>) =>
  fc.record({ name: fc.constant(name), input, as: fc.record(who) });

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: act(
      'entries.write',
      fc
        .tuple(
          place,
          fc.record({
            value: fc.constantFrom({ claim: 1 }, { claim: 2 }),
            confidence: maybe(fc.constantFrom(0, 0.3, 0.7, 1)),
            shared: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, true, false),
          }),
        )
        .map(([at, rest]) => ({ ...at, ...rest })),
    ),
  },
  { weight: 7, arbitrary: act('entries.read', place) },
  { weight: 2, arbitrary: act('sessions.record_attempt', fc.record({ outcome_type })) },
  {
    weight: 12,
    arbitrary: act(
      'outcomes.commit',
      fc.record({
        outcome_ref: fc.constantFrom(...'abcdefgh'),
        outcome_type,
        causal_entry_keys: fc.oneof(fc.constant(undefined), named),
        causal_confidence: fc.constantFrom(0, 0.25, 1),
      }),
    ),
  },
  { weight: 1, arbitrary: act('entries.delete', place) },
  {
    weight: 1,
    arbitrary: act(
      'entries.restore',
      fc.tuple(place, fc.constantFrom(1, 2, 3)).map(([at, version]) => ({ ...at, version })),
    ),
  },
);
type LedgerStep = typeof step extends fc.Arbitrary<infer S> ? S : never;

type LedgerLineRow = {
  seq: number;
  entry_id: number;
  agent_id: string;
  outcome_type: string;
  causal_confidence: number;
  n_causal: number;
  at: number;
};
type VersionHashRow = {
  seq: number;
  entry_id: number;
  deleted: number;
  confidence: number;
  content_hash: string;
};
type EntryStanding = {
  entry_id: number;
  confidence: number;
  standing: string | null;
  entity_path: string;
  key: string;
};

const SEVERITY: Record<string, number> = {
  success: 1,
  clean_deploy: 1,
  minor_failure: 1.5,
  regression: 1.5,
  failure: 2,
  p2_incident: 2,
  critical_failure: 3,
  p1_incident: 3,
};

type ModelStanding = {
  confidence: number;
  prior: number | null;
  won: number;
  lost: number;
  s: number;
  f: number;
  by: string[];
};
const fresh = (confidence: number): ModelStanding => ({ confidence, prior: null, won: 0, lost: 0, s: 0, f: 0, by: [] });

/** One outcome, straight from the formula. */
function learn(
  standing: ModelStanding,
  { outcome_type, causal_confidence, n_causal, agent_id }: LedgerLineRow,
): ModelStanding {
  const severity = SEVERITY[outcome_type] as number;
  const isGood = severity === 1;
  const isFirstStrike = !isGood && standing.lost === 0 && standing.won >= 3;
  const surprise = isFirstStrike ? 1 : 1 + Math.abs(Number(isGood) - standing.confidence);
  const weight = ((severity * causal_confidence) / n_causal) * surprise;
  const prior = standing.prior ?? standing.confidence;
  const s = 0.8 * standing.s + (isGood ? weight : 0);
  const f = 0.8 * standing.f + (isGood ? 0 : weight);
  return {
    confidence: (2 * prior + s) / (2 + s + f),
    prior,
    won: standing.won + Number(isGood),
    lost: standing.lost + Number(!isGood),
    s,
    f,
    by: isGood ? [...standing.by.filter((name) => name !== agent_id), agent_id] : standing.by,
  };
}

/** The standing of an entry, computed from its versions and the ledger. */
function recompute(versions: readonly VersionHashRow[], lines: readonly LedgerLineRow[]): ModelStanding {
  let standing = fresh(1);
  let before: VersionHashRow | undefined;
  for (const one of [...versions, ...lines].sort((a, b) => a.seq - b.seq)) {
    if ('outcome_type' in one) standing = learn(standing, one);
    else {
      const isSame = before?.deleted === 0 && before.content_hash === one.content_hash;
      if (!isSame) standing = fresh(one.confidence);
      else if (standing.won + standing.lost === 0) standing.confidence = one.confidence;
      before = one;
    }
  }
  return standing;
}

describe.each(backends)('the ledger on %s', (backend) => {
  let app: TestApp;
  let applied = 0;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  async function run(steps: readonly LedgerStep[], account_id: string): Promise<void> {
    const writes = ['p', 'p/q'].flatMap((entity_path) =>
      ['1', '2'].map((key) => ({ entity_path, key, value: { claim: 1 }, confidence: 0.7 })),
    );
    await app.call('commits.create', { message: 'to begin with', writes }, { account_id, agent_id: 'agent/a' });
    for (const { name, input, as } of steps) {
      app.clock.advance(500);
      // Some are refused: what is not there cannot be read, what is private cannot be changed.
      await app.call(name, input as never, { ...as, account_id }).catch((error) => expect(error.code).toBeDefined());
    }
  }

  async function compare(account_id: string): Promise<void> {
    const all = <T>(columns: string, rest: string) =>
      rowsOf<T>(app, `SELECT ${columns} FROM ${rest} ORDER BY seq`, account_id);
    const versions = await all<VersionHashRow>(
      'seq, entry_id, deleted, confidence, content_hash',
      'versions WHERE account_id = ?',
    );
    const lines = await rowsOf<LedgerLineRow>(
      app,
      `SELECT seq, entry_id, agent_id, outcome_type, causal_confidence, n_causal, at FROM evidence
       WHERE account_id = ? AND applied = 1 ORDER BY seq, no`,
      account_id,
    );
    applied += lines.length;
    const entries = await all<EntryStanding>(
      'seq, e.entry_id, coalesce(s.confidence, e.confidence) AS confidence, s.standing, entity_path, key',
      `entries AS e LEFT JOIN standings AS s ON s.account_id = e.account_id AND s.entry_id = e.entry_id
        WHERE e.account_id = ? AND deleted = 0`,
    );
    for (const entry of entries) {
      const own = <T extends { entry_id: number }>(rows: readonly T[]) =>
        rows.filter(({ entry_id }) => entry_id === entry.entry_id);
      const recomputed = recompute(own(versions), own(lines));
      const stored = JSON.parse(entry.standing ?? '{}');
      expect(entry.confidence).toBeCloseTo(recomputed.confidence, 12);
      expect(stored.evidence_success ?? 0).toBeCloseTo(recomputed.s, 12);
      expect(stored.evidence_failure ?? 0).toBeCloseTo(recomputed.f, 12);
      expect([stored.success_count ?? 0, stored.failure_count ?? 0]).toEqual([recomputed.won, recomputed.lost]);
      expect(stored.validators ?? []).toEqual(recomputed.by);
      expect(stored.prior_confidence ?? null).toEqual(recomputed.prior);
    }
  }

  async function explainAll(account_id: string): Promise<void> {
    for (const agent_id of ['agent/a', 'agent/b']) {
      const as = { account_id, agent_id };
      const { entries } = await app.call('entries.list', {}, as);
      for (const { entity_path, key, confidence } of entries) {
        const at = { entity_path, key };
        const story = await app.call('entries.confidence', at, as);
        expect(story.recomputed).toEqual({ confidence, matches: true });
        expect(story.confidence).toBe(confidence);
        expect(await app.call('entries.read', at, as)).toMatchObject({
          confidence,
          evidence_status: story.evidence_status,
          evidence_success: story.evidence_success,
          evidence_failure: story.evidence_failure,
        });
      }
    }
  }

  it('explains every confidence exactly, whatever was written, read, tried and ended', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 30 }), async (steps) => {
        const account_id = randomUUID();
        await app.kernel.services.database.transaction((tx) => insertAccount(tx, account_id, app.clock.now()));
        await run(steps, account_id);
        await compare(account_id);
        await explainAll(account_id);
        const as = { account_id, agent_id: 'agent/a' };
        expect(await app.call('traces.verify', {}, as)).toMatchObject({ problems: [] });
        expect(await app.call('entries.verify', {}, as)).toMatchObject({ corrupted: [], chain_breaks: [] });
      }),
      { numRuns: 20 },
    );
    expect(applied).toBeGreaterThan(100);
  });
});
