import { sql } from '@mem-service/server/module';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

type RecordedRun = {
  agent?: string;
  task?: string;
  tool?: string;
  args?: unknown;
  fails?: boolean;
  attributes?: Record<string, string | number | boolean>;
  span?: { name: string; kind: 'tool' | 'agent' | 'context'; input?: unknown };
  model?: string;
  cost?: number;
  read?: { entity_path: string; key: string };
  error?: string;
};

/** More than a search puts in order by itself, half of which are odd. */
const MANY = 1100;

describe.each(backends)('search of traces on %s', (backend) => {
  let app: TestApp;
  let made = 0;

  beforeEach(async () => {
    app = await openTestApp(backend);
    made = 0;
  });

  afterEach(() => app.close());

  async function work(given: RecordedRun): Promise<string> {
    const session_id = `s${++made}`;
    const by = { agent_id: given.agent ?? 'agent/one', session_id };
    if (given.read) await app.call('entries.read', given.read, by);
    app.clock.advance(1000);
    if (given.tool)
      await app.call('sessions.record_action', { ...by, tool_name: given.tool, arguments: given.args ?? {} });
    if (given.span) await app.call('sessions.record_span', { ...by, ...given.span, status: 'ok' });
    if (given.model)
      await app.call('sessions.record_llm_call', { ...by, model: given.model, cost_usd: given.cost ?? null });
    if (given.error) await app.call('sessions.record_error', { ...by, error_type: 'Timeout', message: given.error });
    app.clock.advance(made * 1000);
    const { trace_id } = await app.call('outcomes.commit', {
      ...by,
      outcome_ref: `run-${made}`,
      outcome_type: given.fails ? 'failure' : 'success',
      task_input: given.task ?? 'something else',
      attributes: given.attributes ?? {},
    });
    return trace_id as string;
  }

  const search = async (input: object, as: object = {}) =>
    (await app.call('traces.search', input, as)).traces.map(({ trace_id }) => trace_id);

  /** Before and after the index has them. */
  async function eachWay(check: () => Promise<void>): Promise<void> {
    await check();
    await app.jobs.sweep();
    await check();
  }

  it('words are found in tasks, tool arguments, spans and errors, and all have to be there', async () => {
    const a = await work({ task: 'Why do payments time out?', tool: 'deploy', args: { region: 'eu-west' } });
    const b = await work({
      task: 'Refund an order',
      span: { name: 'look up', kind: 'tool', input: { sql: 'select ledger' } },
    });
    const c = await work({ task: 'Refund a payment', error: 'the gateway refused' });
    await eachWay(async () => {
      expect(await search({})).toEqual([c, b, a]);
      expect(await search({ query: 'payment' })).toEqual([c, a]);
      expect(await search({ query: 'eu west' })).toEqual([a]);
      expect(await search({ query: 'ledger' })).toEqual([b]);
      expect(await search({ query: 'gateway refund' })).toEqual([c]);
      expect(await search({ query: 'gateway order' })).toEqual([]);
      expect(await search({ query: 'refu*' })).toEqual([c, b]);
      expect(await search({ query: '???' })).toEqual([]);
    });
  });

  it('facts narrow it down: attributes, spans, model, tool, agent, outcome, errors', async () => {
    const a = await work({ attributes: { team: 'payments', tries: 1 }, model: 'big-model', cost: 0.5, tool: 'deploy' });
    const b = await work({
      attributes: { team: 'search' },
      span: { name: 'look up customer', kind: 'tool' },
      fails: true,
    });
    const c = await work({
      agent: 'agent/two',
      span: { name: 'plan', kind: 'agent' },
      error: 'no',
      attributes: { tries: '1' },
    });
    await eachWay(async () => {
      expect(await search({ attributes: { Team: 'payments' } })).toEqual([a]);
      expect(await search({ attributes: { tries: 1 } })).toEqual([a]);
      expect(await search({ attributes: { tries: '1' } })).toEqual([c]);
      expect(await search({ attributes: { team: 'payments', tries: 2 } })).toEqual([]);
      expect(await search({ span_name: 'look' })).toEqual([b]);
      expect(await search({ span_name: 'look up' })).toEqual([b]);
      expect(await search({ span_name: 'up look' })).toEqual([]);
      expect(await search({ span_name: 'plan', span_kind: 'tool' })).toEqual([]);
      expect(await search({ span_kind: 'llm' })).toEqual([a]);
      expect(await search({ model: 'big-model' })).toEqual([a]);
      expect(await search({ tool_name: 'deploy' })).toEqual([a]);
      expect(await search({ agent_id: 'agent/two' })).toEqual([c]);
      expect(await search({ outcome_type: 'failure' })).toEqual([b]);
      expect(await search({ has_error: true })).toEqual([c]);
      expect(await search({ has_error: false })).toEqual([b, a]);
      expect(await search({ min_cost_usd: 0.4 })).toEqual([a]);
      expect(await search({ max_cost_usd: 0.4 })).toEqual([]);
    });
  });

  it('traces are found by what they read, down to the version', async () => {
    const limit = { entity_path: 'svc/web', key: 'limit' };
    await app.call('entries.write', { ...limit, value: 1 });
    const a = await work({ read: limit });
    await app.call('entries.write', { ...limit, value: 2 });
    const b = await work({ read: limit, task: 'second' });
    await work({});
    await eachWay(async () => {
      expect(await search({ entity_path: 'svc/**' })).toEqual([b, a]);
      expect(await search({ entity_path: 'svc/web' })).toEqual([b, a]);
      expect(await search({ ...limit, version: 1 })).toEqual([a]);
      expect(await search({ ...limit, query: 'second' })).toEqual([b]);
      expect(await search({ entity_path: 'other' })).toEqual([]);
    });
    await expect(search({ key: 'limit' })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(search({ entity_path: 'svc/web', version: 1 })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('pages follow each other in every order, and facets count all matches', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++)
      ids.push(
        await work({ task: 'payments again', model: i % 2 ? 'm1' : 'm2', cost: i, attributes: { even: i % 2 === 0 } }),
      );
    const pages = async (sort_by: string) => {
      const found: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await app.call('traces.search', {
          ...{ query: 'payments', limit: 3, sort_by },
          ...(cursor ? { cursor } : {}),
        } as never);
        expect(page.complete).toBe(true);
        found.push(...page.traces.map(({ trace_id }) => trace_id));
        cursor = page.next_cursor;
      } while (cursor);
      return found;
    };
    await eachWay(async () => {
      expect(await pages('newest')).toEqual(ids.toReversed());
      expect(await pages('oldest')).toEqual(ids);
      expect(await pages('cost')).toEqual(ids.toReversed());
      expect(await pages('duration')).toEqual(ids.toReversed());
      const counted = await app.call('traces.search', {
        ...{ query: 'payments', limit: 1, facets: ['model', 'outcome_type', 'has_error', 'attributes'] },
      });
      expect(counted).toMatchObject({ counted: 7, complete: true, has_more: true });
      const [model, outcome, error, ...attributes] = counted.facets;
      const values = [
        { value: 'm2', count: 4 },
        { value: 'm1', count: 3 },
      ];
      expect(model).toEqual({ name: 'model', values, other_values: 0 });
      expect(outcome).toMatchObject({ name: 'outcome_type', values: [{ value: 'success', count: 7 }] });
      expect(error).toMatchObject({ name: 'has_error', values: [{ value: false, count: 7 }] });
      expect(attributes.find(({ name }) => name === 'attributes.even')?.values).toEqual([
        { value: true, count: 4 },
        { value: false, count: 3 },
      ]);
    });
    const [first] = (await app.call('traces.search', { query: 'payments', limit: 1 })).traces;
    expect(first).toMatchObject({
      ...{ trace_id: ids[6], models: ['m2'], total_cost_usd: 6, total_llm_calls: 1, has_error: false },
      task_input: 'payments again',
    });
  });

  it('the first page is right and pages reach all, however many match', async () => {
    const begun = app.clock.now();
    const create = async (no: number, cost_usd: number | null, took_ms: number) => {
      const ended = begun - 1000 * (MANY - no);
      const { trace_id } = await app.call(
        'traces.create',
        {
          ...{ outcome_type: 'success', task_input: `order ${no}`, llm_calls: [{ model: 'm', cost_usd }] },
          ...{ session_started_at: new Date(ended - took_ms).toISOString() },
          ...{ session_ended_at: new Date(ended).toISOString(), attributes: { odd: no % 2 === 1 } },
        },
        { session_id: `many-${no}` },
      );
      return trace_id;
    };
    const made = [await create(0, 99, 90_000)];
    for (let no = 1; no < MANY; no++) {
      // The last ones are not in the index at first.
      if (no === MANY - 50) {
        app.clock.advance(5000);
        await app.jobs.sweep();
      }
      made.push(await create(no, no === 5 ? null : 0.001, no));
    }
    const rest = Array.from({ length: MANY - 1 }, (_, i) => i + 1).toReversed();
    const expected: Record<string, number[]> = {
      oldest: [0, ...rest.toReversed()],
      cost: [0, ...rest.filter((no) => no !== 5), 5],
      duration: [0, ...rest],
    };
    const numberOf = new Map(made.map((id, no) => [id, no]));
    const pages = async (sort_by: string, asked: object) => {
      const found: (number | undefined)[] = [];
      let cursor: string | null | undefined;
      do {
        const input = { ...asked, sort_by, limit: 100, ...(cursor ? { cursor } : {}) };
        const page = await app.call('traces.search', input as never);
        found.push(...page.traces.map(({ trace_id }) => numberOf.get(trace_id)));
        cursor = page.next_cursor;
      } while (cursor);
      return found;
    };
    const isOdd = (no: number) => no % 2 === 1;
    app.clock.advance(5000);
    await eachWay(async () => {
      for (const [sort_by, all] of Object.entries(expected)) {
        expect(await pages(sort_by, {})).toEqual(all);
        expect(await pages(sort_by, { query: 'order' })).toEqual(all);
        expect(await pages(sort_by, { attributes: { odd: true } })).toEqual(all.filter(isOdd));
        expect(await pages(sort_by, { query: '"order 7"' })).toEqual([7]);
      }
    });
  }, 120_000);

  it('a trace that rests on a private entry alone is found by its agent only', async () => {
    const secret = { entity_path: 'own', key: 'note' };
    await app.call('entries.write', { ...secret, value: 1, shared: false, agent_id: 'agent/one' });
    const a = await work({ read: secret, task: 'payments in private' });
    const other = { agent_id: 'agent/other' };
    await eachWay(async () => {
      expect(await search({ query: 'payments' }, { agent_id: 'agent/one' })).toEqual([a]);
      expect(await search({ entity_path: 'own' }, { agent_id: 'agent/one' })).toEqual([a]);
      const seen = await search({ query: 'payments' }, other);
      const listed = await app.call('traces.list', {}, other);
      expect(seen).toEqual(listed.traces.map(({ trace_id }) => trace_id));
      expect(await search({ entity_path: 'own' }, other)).toEqual([]);
    });
  });

  it('an erased agent and old traces are not found any more', async () => {
    const a = await work({ agent: 'agent/doomed', task: 'payments' });
    const b = await work({ task: 'payments too', tool: 'deploy', attributes: { team: 'x' } });
    await app.jobs.sweep();
    expect(await search({ query: 'payments' })).toEqual([b, a]);
    await app.call('agents.erase', { agent_id: 'agent/doomed' });
    expect(await search({ query: 'payments' })).toEqual([b]);
    expect(await search({ agent_id: 'agent/doomed' })).toEqual([]);
    const DAY_MS = 86_400_000;
    app.clock.advance(31 * DAY_MS);
    await app.call('retention.set', { payloads_days: 30 });
    await app.jobs.sweep();
    expect(await search({ query: 'payments' })).toEqual([]);
    expect(await search({ tool_name: 'deploy' })).toEqual([]);
    expect(await search({ attributes: { team: 'x' } })).toEqual([b]);
    await app.call('retention.set', { traces_days: 30 });
    await app.jobs.sweep();
    expect(await search({})).toEqual([]);
  });

  it.runIf(backend === 'sqlite')('parts of the index are merged, so that a search looks into few of them', async () => {
    const parts = sql`SELECT count(DISTINCT segid) AS n FROM indexed_trace_words_idx`;
    const known: string[] = [];
    // Each time one trace is indexed: eleven parts, of eight, two and one after the merges.
    for (let run = 0; run < 11; run++) {
      known.unshift(await work({ task: 'water the lawn' }));
      await app.jobs.sweep();
    }
    const found = await app.kernel.services.database.scan.get<{ n: number }>(parts);
    expect(found?.n).toBeLessThanOrEqual(3);
    expect(await search({ query: 'lawn' })).toEqual(known);
  });
});
