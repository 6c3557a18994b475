import { type OperationName, operationNames, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SELF_HOSTED_ACCOUNT } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { dump, newRowsOf, rowsOf, untilStill } from './dump.ts';
import {
  createExamples,
  definition,
  fieldsOf,
  type JsonObject,
  type KnownIds,
  markedInput,
  newInput,
  reading,
  restoreExamplesAfter,
  writing,
} from './table.ts';

const CHARGE = { none: 0, read: 1, write: 2, control: 0 } as const;

describe('what an operation costs', () => {
  it.each(operationNames)('%s is charged by what it does', (name) => {
    const { cost, free, effect } = definition(name);
    expect(cost).toBe(free ? 0 : CHARGE[effect]);
  });

  it('an operation that answers GET changes nothing', () => {
    const changing = operationNames.filter(
      (name) =>
        operations[name].effect === 'write' &&
        [operations[name].http, ...(operations[name].http.aliases ?? [])].some(({ method }) => method === 'GET'),
    );
    expect(changing).toEqual([]);
  });
});

describe.each(backends)('what operations do on %s', (backend) => {
  const as = {
    actor: 'key/7',
    agent_id: 'agent/effects',
    session_id: 'sess-9',
    address: '203.0.113.9',
    request_id: 'req-77',
  };
  let app: TestApp;
  let known: KnownIds;
  beforeAll(async () => {
    app = await openTestApp(backend);
    known = await createExamples(app, { mark: 'effects', as });
  });
  afterAll(() => app.close());

  async function callCharged(name: OperationName, input: JsonObject): Promise<JsonObject> {
    const before = app.kernel.usage.ops_charged;
    const output = (await app.call(name, input as never, as)) as JsonObject;
    expect(app.kernel.usage.ops_charged - before).toBe(operations[name].cost);
    return output;
  }

  it.each(reading.filter((name) => !definition(name).admin))('%s is charged once and changes no row', async (name) => {
    const before = await dump(app);
    await callCharged(name, markedInput(name, 'effects', known));
    expect(await dump(app)).toEqual(before);
  });

  it.each(reading.filter((name) => definition(name).admin))('%s is charged once and audited', async (name) => {
    const before = await dump(app);
    await callCharged(name, markedInput(name, 'effects', known));
    const after = await dump(app);
    expect(newRowsOf(after, before, { table: 'audit', number: 'no' })).toEqual([
      expect.objectContaining({ action: name, actor: 'key/7', request_id: 'req-77' }),
    ]);
    const others = (all: Awaited<ReturnType<typeof dump>>) =>
      Object.fromEntries(Object.entries(all).filter(([table]) => table !== 'audit' && table !== 'accounts'));
    expect(others(after)).toEqual(others(before));
  });

  it.each(writing)('%s is charged once, appends to the log and leaves one line in the audit trail', async (name) => {
    const input = newInput(name, 'effects', known);
    const { in_room = 'paths' } = definition(name);
    const account_id = in_room === 'paths' ? SELF_HOSTED_ACCOUNT : `room:${input.room_id}`;
    const before = await dump(app, account_id);
    const output = await callCharged(name, input);
    const after = await dump(app, account_id);

    const events = newRowsOf(after, before, { table: 'events', number: 'seq' });
    expect(events).not.toEqual([]);

    const audit = newRowsOf(after, before, { table: 'audit', number: 'no' });
    expect(audit).toEqual([
      expect.objectContaining({
        actor: 'key/7',
        agent_id: in_room === 'paths' ? 'agent/effects' : expect.stringMatching(/^agent\/effects@/),
        action: name,
        address: '203.0.113.9',
        request_id: 'req-77',
      }),
    ]);
    const resource = audit[0]?.resource as string;
    expect(resource).not.toBe('');
    for (const part of [input.entity_path, input.key]) if (part) expect(resource).toContain(part);
    if (!input.entity_path)
      expect([resource, resource.split('/').at(-1)].some((name) => Object.values(output).includes(name))).toBe(true);

    const account = rowsOf(after, 'accounts')[0];
    expect(account?.seq).toBe(Math.max(...events.map((row) => row.seq as number)));
    expect(account?.audit_no).toBe(audit[0]?.no);
    Object.assign(known, await restoreExamplesAfter(name, app, { mark: 'effects', as }));
  });

  describe('when it is refused', () => {
    beforeAll(() => untilStill(app));

    it.each(writing)('%s that is refused leaves the store as it was', async (name) => {
      const before = await dump(app);
      const input = { ...markedInput(name, 'effects', known), branch: 'no-such-branch' };
      const code = 'branch' in fieldsOf(name) ? 'branch_not_found' : 'invalid_input';
      await expect(app.call(name, input as never, as)).rejects.toMatchObject({ code });
      expect(await dump(app)).toEqual(before);
    });
  });
});
