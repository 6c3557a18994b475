import { type OperationName, operationNames, operations } from '@mem-service/contract';
import { routes } from '@mem-service/contract/client';
import { type Client, createClient, JsonText, type MemError } from '@mem-service/sdk';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { rename } from '../../packages/sdk/src/rename.ts';
import { listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';

type AnyMethod = (input: Record<string, unknown>) => Promise<Record<string, unknown>>;
const methodOf = (client: Client, name: OperationName): AnyMethod => {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const [group, method] = camel.split('.') as [string, string];
  return (client as unknown as Record<string, Record<string, AnyMethod>>)[group]?.[method] as AnyMethod;
};

describe('the client against the service', () => {
  let app: TestApp;
  let server: TestServer;
  let client: Client;
  beforeAll(async () => {
    app = await openTestApp('sqlite');
    const internalKey = 'internal-key-of-the-tests';
    server = await listen(app, { apiKeys: ['a-secret-key'], internalKey });
    const identity = { agentId: 'agent/sdk', sessionId: 'sess-1' };
    client = createClient({ url: server.url, apiKey: 'a-secret-key', internalKey, ...identity });
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  const commit = () => client.commits.create({ message: 'm', writes: [{ entityPath: 'c', key: 'k', value: 1 }] });
  const trace = () => client.outcomes.commit({ outcomeRef: `r-${Math.random()}`, outcomeType: 'success' });
  const key = () => client.keys.create({ name: 'made to go' });
  const account = async () => ({ account_id: (await client.accounts.create({ name: 'Example' })).accountId });
  const golden = async () => {
    await commit();
    return client.golden.create({ question: 'how often?', entityPath: 'c', key: 'k' });
  };
  const sources = async () => {
    const keys = [0, 1].map((i) => `p-${Math.random()}-${i}`);
    await client.commits.create({ message: 'm', writes: keys.map((key) => ({ entityPath: 'c', key, value: 1 })) });
    return keys.map((key) => ({ entityPath: 'c', key }));
  };
  const proposal = async () => client.consolidation.propose({ sources: await sources() });
  let failing = 1001;
  const letter = async () => {
    failing += 2;
    await app.call('webhooks.receive', operations['webhooks.receive'].example(failing) as never);
    return (await app.call('dead_letters.list', {})).dead_letters[0]?.letter_id;
  };
  const own = { ...operations['agents.recall'].example(0), agent_id: 'agent/test' };
  let made = 0;
  const branch = async () => ({ name: (await client.branches.create({ name: `made/${++made}` })).name });
  const closed = async () => client.branches.close(await branch());
  const tag = async () => ({ name: (await client.tags.create({ name: `made-${++made}` })).name });
  const quarantined = async () => ({
    quarantine_id: (await client.quarantine.create({ writtenBy: 'agent/nobody' })).quarantineId,
  });
  const grant = async () => ({
    ...(await branch()),
    grantee_type: 'api_key' as const,
    grantee_id: (await key()).keyId,
  });
  const granted = async () => {
    const { name, grantee_type: granteeType, grantee_id: granteeId } = await grant();
    await client.access.grant({ name, granteeType, granteeId });
    return { name, grantee_type: granteeType, grantee_id: granteeId };
  };
  /** A merge that was refused for a conflict. */
  const refused = async () => {
    const { name } = await branch();
    const entry = { entityPath: 'made', key: name };
    await client.entries.write({ ...entry, value: 1, branch: name });
    await client.entries.write({ ...entry, value: 2 });
    const merge_id = `merge-${made}`;
    await client.branches.merge({ name, strategy: 'THREE_WAY', mergeId: merge_id }).catch(() => undefined);
    return { merge_id };
  };
  const proposed = async () => {
    const { name } = await branch();
    await client.entries.write({ entityPath: 'proposed', key: name, value: 1, branch: name });
    return { title: 'made', source_branch: name };
  };
  const pullRequest = async () => {
    const { title, source_branch: sourceBranch } = await proposed();
    return { id: (await client.pullRequests.create({ title, sourceBranch })).id };
  };
  const NAMED: Partial<Record<OperationName, () => Promise<object> | object>> = {
    'commits.read': async () => ({ commit_id: (await commit()).commitId }),
    'traces.read': async () => ({ trace_id: (await trace()).traceId }),
    'traces.list_spans': async () => ({ trace_id: (await trace()).traceId }),
    'traces.read_span': async () => {
      const { spanId: span_id } = await client.sessions.recordSpan({ name: 'a span' });
      return { trace_id: (await trace()).traceId, span_id };
    },
    'traces.compare': async () => ({ trace_ids: [(await trace()).traceId, (await trace()).traceId] }),
    'keys.revoke': async () => ({ key_id: (await key()).keyId }),
    'keys.rotate': async () => ({ key_id: (await key()).keyId }),
    'accounts.read': () => account(),
    'accounts.update': () => account(),
    'accounts.create_key': () => account(),
    'golden.delete': async () => ({ golden_id: (await golden()).goldenId }),
    'consolidation.propose': async () => ({
      sources: (await sources()).map(({ entityPath, key }) => ({ entity_path: entityPath, key })),
    }),
    'consolidation.decide': async () => ({ proposal_id: (await proposal()).proposalId, decision: 'reject' }),
    'dead_letters.replay': async () => ({ letter_id: await letter() }),
    'branches.read': branch,
    'branches.update': async () => ({ ...(await branch()), description: 'd' }),
    'branches.close': branch,
    'branches.reopen': async () => ({ name: (await closed()).name }),
    'branches.diff': branch,
    'branches.merge': branch,
    'branches.refresh': branch,
    'merges.read': refused,
    'merges.abort': refused,
    'conflicts.list': refused,
    'conflicts.read': async () => ({ ...(await refused()), no: 0 }),
    'conflicts.resolve': async () => ({ ...(await refused()), no: 0, take: 'source' }),
    'pull_requests.create': proposed,
    'pull_requests.read': pullRequest,
    'pull_requests.update': async () => ({ ...(await pullRequest()), title: 'other' }),
    'pull_requests.review': async () => ({ ...(await pullRequest()), decision: 'commented' }),
    'pull_requests.check': async () => ({ ...(await pullRequest()), check: 'acceptance', status: 'passed' }),
    'pull_requests.close': pullRequest,
    'pull_requests.reopen': pullRequest,
    'pull_requests.merge': pullRequest,
    'quarantine.read': quarantined,
    'quarantine.undo': quarantined,
    'access.grant': grant,
    'access.list': branch,
    'access.revoke': granted,
    'tags.delete': tag,
    'agents.recall': () => own,
    'agents.read_from': () => ({ ...own, agent_id: 'agent/sdk', source_agent_id: 'agent/test' }),
  };
  let n = 0;
  const refresh = () =>
    app.call('entries.write', { ...operations['entries.write'].example(0), value: { max_attempts: Math.random() } });

  // What is about the whole account needs an empty one: tests/transfer.
  // The end of an account, and usage that only a hosted service counts, have tests of their own.
  const elsewhere = new Set<string>(['accounts.delete', 'accounts.export', 'usage.record']);
  const forAgents = operationNames.filter(
    (name) => !operations[name].stream && !operations[name].admin && !elsewhere.has(name),
  );
  it.each(forAgents)('route and client agree on %s', async (name) => {
    const countOf = () => app.kernel.usage.calls.get(name)?.count ?? 0;
    // The examples of these name what is not there.
    const input = await (NAMED[name]?.() ?? operations[name].example(++n));
    await refresh();
    const before = countOf();
    const output = await methodOf(
      client,
      name,
    )(rename(routes[name].input, input, 'fromWire') as Record<string, unknown>);
    expect(countOf()).toBe(before + 1);
    expect(Object.keys(output).filter((key) => key.includes('_'))).toEqual([]);
    await refresh();
    const wire = await client.call(name, (await (NAMED[name]?.() ?? operations[name].example(++n))) as never);
    expect(operations[name].output.safeParse(wire).error).toBeUndefined();
  });

  it('declared names are camelCase in and out, at every depth', async () => {
    const written = await client.entries.write({
      entityPath: 'svc/pay',
      key: 'retry',
      value: 1,
      memoryType: 'belief',
      patternRefs: ['p1'],
      artifactRefs: [{ uri: 's3://bucket/file', mediaType: 'text/plain', sizeBytes: 3 }],
    });
    expect(written).toMatchObject({
      entityPath: 'svc/pay',
      memoryType: 'belief',
      isArtifact: false,
      provenance: { agentId: 'agent/sdk', sessionId: 'sess-1', patternRefs: ['p1'] },
      artifactRefs: [{ uri: 's3://bucket/file', mediaType: 'text/plain', sizeBytes: 3 }],
    });
    expectTypeOf(written.provenance.agentId).toEqualTypeOf<string>();
    expectTypeOf(written.artifactRefs[0]?.mediaType).toEqualTypeOf<string | undefined>();
    expectTypeOf<Parameters<Client['entries']['write']>[0]>().toHaveProperty('ifVersion');
    // @ts-expect-error: health has no pages
    expect(client.health.read.all).toBeUndefined();
    // @ts-expect-error: two lists, so that no one item could be meant
    expect(client.entries.verify.all).toBeUndefined();
  });

  it('events of a batch are named as one event is, and each is still refused by itself', async () => {
    const { accepted, rejected, results } = await client.events.sendBatch({
      events: [
        { source: 'ci', entityPath: 'sdk/builds', key: 'b', value: { step_no: 1 }, eventType: 'build.failed' },
        { source: 'ci', entityPath: 'sdk/builds', key: '', value: 1 },
      ],
    });
    expect({ accepted, rejected }).toEqual({ accepted: 1, rejected: 1 });
    expect(results[0]).toMatchObject({ entityPath: 'sdk/builds', eventType: 'build.failed' });
    expect(results[1]).toMatchObject({ index: 1, error: { status: 422 } });
    expect(await client.entries.read({ entityPath: 'sdk/builds', key: 'b' })).toMatchObject({ value: { step_no: 1 } });
  });

  it('groups are camelCase too', async () => {
    expect(Array.isArray((await client.deadLetters.list()).deadLetters)).toBe(true);
    expect(client).not.toHaveProperty('dead_letters');
  });

  it("a user's JSON is never renamed", async () => {
    const value = { snake_name: { inner_name: 1 }, camelName: [{ both_ways: 'x', entity_path: 'y', entityPath: 'z' }] };
    const at = { entityPath: 'svc/json', key: 'own_names' };
    const written = await client.entries.write({ ...at, value });
    expect(written.value).toEqual(value);
    await client.entries.write({ ...at, value: { ...value, more_names: true } });
    expect((await client.entries.read({ ...at, version: 1 })).value).toEqual(value);
    const { changes } = await client.entries.diff(at);
    expect(changes).toEqual([{ path: '/more_names', operation: 'add', newValue: true }]);
    const { writes: _, ...done } = { writes: 0, ...(await client.commits.create({ writes: [{ ...at, value }] })) };
    expect(done.entries).toMatchObject([{ entityPath: 'svc/json', key: 'own_names', version: 3 }]);
    expect((await client.entries.read(at)).value).toEqual(value);
  });

  it('keys of records stay as they are', async () => {
    const stats = await client.stats.read();
    expect(stats.memoryTypeCounts).toMatchObject({ fact: expect.any(Number) });
    const { events } = await client.log.list({ limit: 1000 });
    const made = events.find((event) => event.eventType === 'commit');
    expect(made?.details).toMatchObject({ commit_id: expect.any(String), entries_written: expect.any(Number) });
  });

  it('exact JSON text goes in as it is, and comes out of callText as it is', async () => {
    const text = '{"b":1.0,"a":12345678901234567890}';
    await client.entries.write({ entityPath: 'svc/exact', key: 'k', value: new JsonText(text) });
    expect(await client.callText('entries.read', { entity_path: 'svc/exact', key: 'k' })).toContain(`"value":${text}`);
  });

  it.each(['history', 'a/b', 'ключ 文 ?#%', 'entries', "it's (*)"])(
    'a key called %s is written, read, listed and deleted',
    async (key) => {
      const at = { entityPath: 'odd/päth +&', key };
      await client.entries.write({ ...at, value: 1 });
      expect(await client.entries.read(at)).toMatchObject(at);
      expect((await client.entries.history(at)).versions).toHaveLength(1);
      expect(await client.entries.delete(at)).toMatchObject({ ...at, deleted: true });
      await expect(client.entries.read(at)).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  it.each([
    ['', 'k', 'must not be empty'],
    ['a/../b', 'k', 'must not hold the segment ..'],
    ['a', '..', 'must not be ..'],
    ['a', '\ud800', 'must be well-formed Unicode'],
  ])('the address %j %j is refused as what it is', async (entityPath, key, message) => {
    const refusal = await client.entries.read({ entityPath, key }).catch((error: MemError) => error);
    expect(refusal).toMatchObject({ code: 'invalid_input', status: 422, message: expect.stringContaining(message) });
    await expect(client.commits.read({ commitId: '..' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('a refusal is a typed error with the whole problem', async () => {
    const refused = client.entries.write({ entityPath: 'svc', key: 'k', value: 1, confidence: 2 });
    await expect(refused).rejects.toMatchObject({
      name: 'MemError',
      code: 'invalid_input',
      status: 422,
      problem: { errors: [{ path: 'confidence' }] },
    });
    await client.entries.write({ entityPath: 'svc', key: 'k', value: 1 });
    await expect(client.entries.write({ entityPath: 'svc', key: 'k', value: 2, ifVersion: 7 })).rejects.toMatchObject({
      code: 'version_conflict',
      status: 409,
    });
    const stranger = createClient({ url: server.url, apiKey: 'another-key' });
    await expect(stranger.stats.read()).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
    expect(await stranger.health.read()).toMatchObject({ status: 'ok' });
    expectTypeOf<MemError['code']>().toExtend<string>();
  });

  it('agent and session can be given for one call, in any script', async () => {
    const input = { entityPath: 'svc/who', key: 'k', value: 1 };
    const { provenance } = await client.entries.write(input, { agentId: 'агент/文', sessionId: 'other' });
    expect(provenance).toMatchObject({ agentId: 'агент/文', sessionId: 'other' });
    await expect(client.stats.read({}, { agentId: 'a\nb' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('the same idempotency key gives the same answer', async () => {
    const call = () => client.commits.create({ writes: [] as never[] }, { idempotencyKey: 'once' });
    await expect(call()).rejects.toMatchObject({ code: 'invalid_input' });
    const write = (value: number) =>
      client.entries.write({ entityPath: 'svc/once', key: 'k', value }, { idempotencyKey: 'twice' });
    expect(await write(1)).toEqual(await write(1));
    await expect(write(2)).rejects.toMatchObject({ code: 'idempotency_mismatch' });
  });

  it('everything that takes a cursor, or a number to go on after, comes in pages', () => {
    const paged = operationNames.filter((name) => {
      const shape = Object.keys((operations[name].input as { shape?: object }).shape ?? {});
      return (shape.includes('cursor') || shape.includes('after')) && !operations[name].stream;
    });
    expect(paged.length).toBeGreaterThan(10);
    for (const name of paged) expect(methodOf(client, name), name).toHaveProperty('pages');
  });

  it('all() gives the items of every page, pages() the pages', async () => {
    const writes = Array.from({ length: 7 }, (_, i) => ({ entityPath: 'many', key: `k${i}`, value: i }));
    await client.commits.create({ writes });
    const keys: string[] = [];
    for await (const entry of client.entries.list.all({ entityPath: 'many', limit: 3 })) keys.push(entry.key);
    expect(keys).toEqual(writes.map(({ key }) => key));

    const sizes: number[] = [];
    for await (const page of client.entries.list.pages({ entityPath: 'many', limit: 3 }))
      sizes.push(page.entries.length);
    expect(sizes).toEqual([3, 3, 1]);

    const seqs: number[] = [];
    for await (const event of client.log.list.all({ limit: 2 })) seqs.push(event.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(seqs.length).toBeGreaterThan(7);

    let checked = 0;
    for await (const page of client.entries.verify.pages({ entityPath: 'many', limit: 2 }))
      checked += page.totalChecked;
    expect(checked).toBe(7);
  });
});
