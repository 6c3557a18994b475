import { JsonText, type OperationName, type Output, type Request } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reserveCall } from '../../packages/pro/src/budgets/reserve.ts';
import { randomIds, SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { layTeams } from '../contract/branching.ts';
import { createExamples, type JsonObject, nthInput } from '../contract/table.ts';
import { type Backend, caller, openTestApp, type TestApp } from '../support/app.ts';
import { exportLines, importLines } from './support.ts';

const X = { agent_id: 'agent/x', session_id: 'sess-1' };
const Y = { agent_id: 'agent/y' };

/** An account with every kind of record. */
async function live(app: TestApp): Promise<void> {
  await layTeams(app, { as: X }, await createExamples(app, { mark: 'first', as: X }));
  // Of two deliveries, the one with the odd number is a dead letter.
  const delivery = nthInput('webhooks.receive', 2, { mark: 'first' });
  await app.call('webhooks.receive', delivery as never, X);
  // Of traces that are removed for their age, the end of their chain is left.
  await app.call('retention.set', { traces_days: 1 }, X);
  await app.call('retrieval.set', { fit_weights: true }, X);
  await app.call('budgets.set', { day_calls: 10, month_usd: 2.5 }, X);
  await app.call('fixes.set_policy', { set_id: 'smoke' }, X);
  await reserveCall(app.kernel.services, { account_id: SELF_HOSTED_ACCOUNT, model: 'm', usd: 0.1 });
  app.clock.advance(25 * 3_600_000);
  await app.jobs.sweep();
  await createExamples(app, { mark: 'hidden', as: Y, extra: { shared: false } });
  const at = { entity_path: 'odd/naïve-路径', key: 'a/b%c' };
  const write = (value: unknown, more: object = {}) => app.call('entries.write', { ...at, value, ...more } as never, X);
  await write({ first: true });
  app.clock.advance(1000);
  await app.call('entries.delete', at, Y);
  await write('again', { ttl_seconds: 5 });
  const exact = '{\n  "pretty": 1.0,\r\n  "big": 12345678901234567890, "line": "\\u2028"\n}';
  const input = { entity_path: 'odd', key: 'exact', value: new JsonText(exact) };
  await app.kernel.invoke('entries.write', input, caller(X));
  await app.call('entries.write', { entity_path: 'odd', key: 'gone', value: 1 }, X);
  await app.call('entries.erase', { entity_path: 'odd', key: 'gone' }, X);
  await app.call('entries.write', { entity_path: 'odd', key: 'bad', value: 1, agent_id: 'agent/importer' }, X);
  await app.call('quarantine.create', { written_by: 'agent/importer' }, X);
  for (const value of [1, 2]) await app.call('entries.write', { entity_path: 'odd', key: 'stale', value }, X);
  const led = { causal_entry_keys: ['odd/stale'], causal_entry_versions: { 'odd/stale': 1 } };
  await app.call('outcomes.commit', { outcome_ref: 'stale', outcome_type: 'minor_failure', ...led }, Y);
  const [trace] = (await app.call('traces.list', {}, Y)).traces;
  const judged = { trace_id: trace?.trace_id as string, judge_id: 'judge-of-first' };
  await app.call('verdicts.overrule', { ...judged, result: 'fail', reason: 'it was stale' }, Y);
  await app.call('backfills.create', {}, Y);
  await countVerdict(app);
  app.clock.advance(60_000);
  await app.jobs.sweep();
  await app.call('entries.search', { query: 'first' }, X);
  await app.call('entries.read', { entity_path: 'odd', key: 'exact' }, Y);
}

/** A verdict that counts as evidence, and what a person says in its place. */
async function countVerdict(app: TestApp): Promise<void> {
  const checks = [{ check: 'most' as const, of: 'failed_tool_calls' as const, limit: 0 }];
  const counting = { judge_id: 'counting', evidence_weight: 0.3, definition: { kind: 'code' as const, checks } };
  await app.call('judges.create', counting, Y);
  await app.call('entries.read', { entity_path: 'odd', key: 'exact' }, Y);
  const { trace_id } = await app.call('outcomes.commit', { outcome_ref: 'counted', outcome_type: 'success' }, Y);
  for (const result of [null, 'fail'] as const) {
    if (result) await app.call('verdicts.overrule', { trace_id: trace_id as string, judge_id: 'counting', result }, Y);
    app.clock.advance(60_000);
    await app.jobs.sweep();
    await app.jobs.sweep();
  }
  const { steps } = await app.call('entries.confidence', { entity_path: 'odd', key: 'exact' }, Y);
  expect(steps.flatMap(({ verdict }) => verdict ?? [])).toEqual(['pass', 'fail']);
}

/** What an account answers, but for the numbers that engines work out in their own way. */
async function answersOf(app: TestApp): Promise<JsonObject> {
  const found: JsonObject = {};
  const ask = async <N extends OperationName>(name: N, input: Request<N>, as: object): Promise<Output<N>> => {
    const output = await app.call(name, input, as);
    const unsteady = new Set(['score', 'duration_ms', 'recall_count']);
    found[`${name} ${JSON.stringify([input, as])}`] = JSON.parse(
      JSON.stringify(output, (field, value) => (unsteady.has(field) ? undefined : value)),
    );
    return output;
  };
  for (const as of [X, Y]) {
    const { entries } = await ask('entries.list', { limit: 1000 }, as);
    for (const { entity_path, key } of entries) {
      await ask('entries.history', { entity_path, key }, as);
      await ask('entries.confidence', { entity_path, key }, as);
    }
    await ask('entries.search', { query: 'about' }, as);
    await ask('entities.list', {}, as);
    await ask('entries.list', { evidence_status: 'validated' }, as);
    await ask('stale_reads.list', {}, as);
    await ask('series.read', { unit: 'day' }, as);
    await ask('patterns.list', {}, as);
    await ask('stats.read', {}, as);
    await ask('outcomes.list', {}, as);
    await ask('sessions.explain', {}, as);
    await ask('agents.timeline', { agent_id: 'agent/x' }, as);
    await ask('commits.list', {}, as);
    await ask('tags.list', {}, as);
    const { quarantines } = await ask('quarantine.list', {}, as);
    for (const { quarantine_id } of quarantines) await ask('quarantine.read', { quarantine_id }, as);
    await ask('entries.list', { entity_path: 'odd', include_quarantined: true }, as);
    await ask('entries.list', { branch: 'tags/before-the-move' }, as);
    await ask('agents.list', {}, as);
    await ask('log.list', { limit: 1000 }, as);
    await ask('graph.neighbors', { entity: 'agent/x', depth: 3 }, as);
    const { traces } = await ask('traces.list', {}, as);
    for (const { trace_id } of traces) await ask('traces.read', { trace_id }, as);
    expect(await ask('entries.verify', {}, as)).toMatchObject({ corrupted: [], chain_breaks: [] });
    expect(await ask('traces.verify', {}, as)).toMatchObject({ problems: [] });
  }
  return found;
}

/** An import is a log of its own, with stamps of its own: here they are the same. */
const ids = { ...randomIds, stamp: () => 1 };

const ways: [from: Backend, to: Backend][] = [
  ['sqlite', 'sqlite'],
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
  ['postgres', 'postgres'],
];

describe.each(ways)('an account that is taken from %s to %s', (from, to) => {
  let source: TestApp;
  let target: TestApp;
  let lines: string[];
  beforeAll(async () => {
    source = await openTestApp(from, { ids });
    target = await openTestApp(to, { clock: source.clock, ids });
    await live(source);
    await source.call('tags.create', { name: 'before-the-move' }, X);
    lines = await exportLines(source);
    await importLines(target, lines);
  });
  afterAll(() => Promise.all([source.close(), target.close()]));

  it('is exported as the same bytes', async () => {
    const again = await exportLines(target);
    expect(again).toEqual(lines);
    const { counts } = JSON.parse(lines[0] as string);
    for (const [kind, n] of Object.entries(counts)) expect({ [kind]: n }).not.toEqual({ [kind]: 0 });
  });

  it('answers as before', async () => {
    const before = await answersOf(source);
    expect(Object.keys(before).length).toBeGreaterThan(30);
    expect(await answersOf(target)).toEqual(before);
  });

  it('goes on where it was', async () => {
    const at = { entity_path: 'odd', key: 'exact' };
    const [one, two] = await Promise.all(
      [source, target].map((app) => app.call('entries.write', { ...at, value: 7 }, X)),
    );
    expect({ ...two, recall_count: 0 }).toEqual({ ...one, recall_count: 0 });
    expect(two).toMatchObject({ version: 2 });
    const found = await target.call('entries.search', { query: '7', entity_path: 'odd' }, X);
    expect(found.entries.map(({ key }: { key: string }) => key)).toEqual(['exact']);
    expect(await target.call('entries.verify', {}, X)).toMatchObject({ corrupted: [], chain_breaks: [] });
  });
});
