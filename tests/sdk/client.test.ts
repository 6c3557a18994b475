import { type OperationName, operationNames, operations } from '@mem-service/contract';
import { routes } from '@mem-service/contract/client';
import { type Client, createClient, JsonText, type MemError } from '@mem-service/sdk';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { rename } from '../../packages/sdk/src/rename.ts';
import { layAlerts } from '../contract/alerts.ts';
import { layFixes } from '../contract/fixes.ts';
import { layIncidents } from '../contract/incidents.ts';
import { layPatterns } from '../contract/patterns.ts';
import { layInvitations } from '../contract/rooms.ts';
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
  const judge = async () => {
    const { definition } = operations['judges.create'].example(0);
    return { judge_id: (await client.judges.create({ judgeId: `made-${++made}`, definition } as never)).judgeId };
  };
  const judged = async () => ({ ...(await judge()), trace_id: (await trace()).traceId as string });
  const verdict = async () => {
    const { judge_id: judgeId, trace_id: traceId } = await judged();
    return { verdict_id: (await client.verdicts.judge({ judgeId, traceId })).verdictId };
  };
  const behavior = async () => {
    const { matcher } = operations['behaviors.create'].example(0);
    const defined = { behaviorId: `made-${++made}`, matcher, backfill: false };
    return { behavior_id: (await client.behaviors.create(defined as never)).behaviorId };
  };
  const kept = async () => ({ case_id: (await client.cases.create({ caseId: `made-${++made}` })).caseId });
  const rule = async () => {
    const { ruleId } = await client.alertRules.create({ ruleId: `made-${++made}`, metric: 'cost_usd', above: 1 });
    return { rule_id: ruleId };
  };
  const run = async () => {
    const { case_id: caseId } = await kept();
    await client.cases.update({ caseId, setId: caseId });
    return { case_run_id: (await client.caseRuns.create({ setId: caseId })).caseRunId };
  };
  const incident = async () => {
    const { judge_id, trace_id } = await judged();
    const [incident_id] = await layIncidents(app, { as: {} }, { trace_id, judge_ids: [judge_id] });
    return { incident_id: incident_id as string };
  };
  const alert = async () => {
    const known: Record<string, unknown> = {};
    await layAlerts(app, { as: {}, known: known as never }, { ids: [`made-${++made}`] });
    return { alert_id: known.alert_id as string };
  };
  const pattern = async () => {
    const known: Record<string, unknown> = {};
    await layPatterns(app, { as: {}, known: known as never }, { paths: [`made/${++made}`] });
    return { pattern_id: known.pattern_id as string };
  };
  const room = async () => ({ room_id: (await client.rooms.create({ name: 'Made' })).roomId });
  const shared = async () => {
    await client.entries.write({ entityPath: 'shared/made', key: 'k', value: 'made' });
    return { entity_path: 'shared/**' };
  };
  const roomOfTwo = async () => {
    const { room_id } = await room();
    await client.rooms.join({ roomId: room_id, agentId: 'agent/second' });
    return { room_id };
  };
  const negotiation = async () => {
    const { room_id } = await roomOfTwo();
    const { negotiationId } = await client.negotiations.create({ roomId: room_id, title: 'Made' });
    return { room_id, negotiation_id: negotiationId };
  };
  const document = async () => {
    const { room_id } = await room();
    const added = await client.roomDocuments.add({ roomId: room_id, name: 'plan.md', content: 'Ship it.' });
    return { room_id, document_id: added.documentId };
  };
  const invitation = async (name: OperationName) => {
    const known: Record<string, unknown> = {};
    await layInvitations(app, { as: {} }, known);
    return known[name] as object;
  };
  const scan = async () => ({ scan_id: (await client.patternScans.create({})).scanId });
  const fix = async () => {
    const [fix_id] = await layFixes(app, { as: {}, mark: 'made' }, { keys: [`fixed-${++made}`] });
    return { fix_id: fix_id as string };
  };
  const backfill = async () => ({ backfill_id: (await client.backfills.create({})).backfillId });
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
    'judges.dry_run': async () => {
      const { judge_id, trace_id } = await judged();
      return { judge_id, trace_ids: [trace_id] };
    },
    'judges.read': judge,
    'judges.update': async () => ({ ...(await judge()), name: 'other' }),
    'judges.history': judge,
    'judges.diff': judge,
    'judges.delete': judge,
    'judges.detection_rate': judge,
    'verdicts.judge': judged,
    'verdicts.list': async () => ({ trace_id: (await judged()).trace_id }),
    'verdicts.read': verdict,
    'verdicts.overrule': async () => ({ ...(await judged()), result: 'pass' }),
    'alerts.acknowledge': alert,
    'detected_patterns.read': pattern,
    'detected_patterns.resolve': pattern,
    'pattern_scans.read': scan,
    'pattern_scans.cancel': scan,
    'rooms.read': room,
    'rooms.join': room,
    'rooms.leave': async () => ({ ...(await room()), agent_id: 'agent/sdk' }),
    'negotiations.create': async () => ({ ...(await roomOfTwo()), title: 'Made' }),
    'negotiations.list': room,
    'negotiations.read': negotiation,
    'negotiations.propose': async () => ({ ...(await negotiation()), proposal: { release: 'friday' } }),
    'negotiations.cancel': negotiation,
    'room_documents.add': async () => ({ ...(await room()), name: 'plan.md', content: 'Ship it.' }),
    'room_documents.list': room,
    'room_documents.read': document,
    'room_documents.read_text': document,
    'room_documents.delete': document,
    'rooms.update': async () => ({ ...(await room()), description: 'd' }),
    'rooms.members': room,
    'rooms.remove_account': async () => ({ ...(await room()), label: 'others' }),
    'rooms.updates': room,
    'rooms.discuss': async () => ({ ...(await room()), content: 'made' }),
    'rooms.discussions': room,
    'rooms.invite': room,
    'rooms.list_invitations': room,
    'rooms.withdraw_invitation': async () => {
      const { room_id } = await room();
      return { room_id, invitation_id: (await client.rooms.invite({ roomId: room_id })).invitationId };
    },
    'room_invitations.accept': () => invitation('room_invitations.accept'),
    'room_invitations.decline': () => invitation('room_invitations.decline'),
    'room_invitations.redeem': () => invitation('room_invitations.redeem'),
    'room_directory.read': async () => {
      const { room_id } = await room();
      await client.rooms.update({ roomId: room_id, discoverable: true });
      return { room_id };
    },
    'room_directory.request_access': () => invitation('room_directory.request_access'),
    'rooms.list_access_requests': room,
    'rooms.approve_access': () => invitation('rooms.approve_access'),
    'rooms.decline_access': () => invitation('rooms.decline_access'),
    'rooms.grant_access': () => invitation('rooms.grant_access'),
    'rooms.add_topic': async () => ({ ...(await room()), ...(await shared()) }),
    'rooms.topics': room,
    'rooms.remove_topic': async () => {
      const { room_id } = await room();
      const { topicId } = await client.rooms.addTopic({ roomId: room_id, entityPath: (await shared()).entity_path });
      return { room_id, topic_id: topicId };
    },
    'rooms.close': room,
    'alert_rules.read': rule,
    'alert_rules.update': async () => ({ ...(await rule()), above: 2 }),
    'alert_rules.mute': async () => ({ ...(await rule()), until: null }),
    'alert_rules.delete': rule,
    'behaviors.create_from_trace': async () => {
      await trace();
      const { traceId } = await client.outcomes.commit({
        ...{ outcomeRef: 'with a tool', outcomeType: 'success' },
        toolCalls: [{ toolName: 'deploy', arguments: {} }],
      });
      return { behavior_id: `made-${++made}`, trace_id: traceId as string };
    },
    'behaviors.read': behavior,
    'behaviors.update': async () => ({ ...(await behavior()), name: 'other' }),
    'behaviors.list_traces': behavior,
    'behaviors.blast_radius': behavior,
    'behaviors.delete': behavior,
    'cases.read': kept,
    'cases.update': async () => ({ ...(await kept()), name: 'other' }),
    'cases.delete': kept,
    'case_runs.create': async () => {
      const { case_id } = await kept();
      return { results: [{ case_id, result: 'pass' }] };
    },
    'case_runs.read': run,
    'backfills.read': backfill,
    'backfills.cancel': backfill,
    'incidents.read': incident,
    'incidents.acknowledge': incident,
    'incidents.resolve': incident,
    'incidents.mute': async () => ({ ...(await incident()), until: null }),
    'fixes.read': fix,
    'fixes.read_handover': fix,
    'fixes.read_prevention': fix,
    'fixes.approve': fix,
    'fixes.dismiss': fix,
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
  // Lines are no answer that is parsed at once: packages/pro/test/training-export.test.ts.
  const elsewhere = new Set<string>([
    'accounts.delete',
    'accounts.export',
    'usage.record',
    'training.export',
    'investigations.run',
  ]);
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

  it('what is missing from an address is refused as missing', async () => {
    const refused = client.rooms.read({} as { roomId: string });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input', message: 'room_id: is required' });
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
