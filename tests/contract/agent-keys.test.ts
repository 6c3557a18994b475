import { type OperationName, operationNames } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, Principal } from '../../packages/server/src/kernel/index.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { dump } from './dump.ts';
import {
  createExamples,
  definition,
  fieldsOf,
  forAgents,
  type JsonObject,
  type KnownIds,
  markedInput,
  newInput,
  outcomeOf,
  reading,
  restoreExamplesAfter,
  writing,
} from './table.ts';

const SECRET = 'secretmark';
const OWN = 'ownmark';
const OTHER = { agent_id: 'agent/other' };
const key: Principal = { key_id: 'k1', name: 'bound', type: 'agent', agent_ids: ['team/ci-*', 'agent/own'] };
/** Branches are open to the key that made them. */
const MAKER: Partial<Caller> = { agent_id: 'agent/own', actor: 'key/k1', holder: 'key/k1' };
const bound = (agent_id: string): Partial<Caller> => ({ agent_id, key, actor: 'key/k1', holder: 'key/k1' });

const isForAll = (name: OperationName): boolean => {
  const { admin, whole, needs_full_scope } = definition(name);
  return Boolean(admin || whole || needs_full_scope);
};
const within = forAgents.filter((name) => definition(name).effect !== 'none' && !isForAll(name));
/** Events are those of their source, which the key has to be bound to. */
const isSending = (name: OperationName): boolean => name.startsWith('events.send');
const forbidden = { refused: { code: 'forbidden', status: 403 } };

/** By keys of other types, which are bound to no agent. */
const POSTED: readonly string[] = ['pull_requests.check'];

describe.each(backends)('a key that is bound to agents, on %s', (backend) => {
  let app: TestApp;
  let known: KnownIds;
  const tryAs = (name: OperationName, as: Partial<Caller>, input: JsonObject) => outcomeOf(app, name, { input, as });
  beforeAll(async () => {
    app = await openTestApp(backend);
    await createExamples(app, { mark: SECRET, as: OTHER, extra: { shared: false }, without_open_entries: true });
    known = await createExamples(app, { mark: OWN, as: MAKER });
  });
  afterAll(() => app.close());

  it.each(within)('%s is refused as another agent, and changes nothing', async (name) => {
    const before = await dump(app);
    for (const agent_id of [OTHER.agent_id, 'team/ci-1/below', 'team/cix', 'agent/own2']) {
      const seen = await tryAs(name, bound(agent_id), newInput(name, SECRET, known));
      expect(seen, agent_id).toMatchObject({ refused: { ...forbidden.refused, agent_id } });
    }
    expect(await dump(app)).toEqual(before);
  });

  it.each(writing.filter((name) => !isForAll(name) && 'agent_id' in fieldsOf(name)))(
    '%s is refused on behalf of another agent, and changes nothing',
    async (name) => {
      const before = await dump(app);
      const seen = await tryAs(name, bound('agent/own'), { ...newInput(name, OWN, known), ...OTHER });
      expect(seen).toMatchObject(forbidden);
      expect(await dump(app)).toEqual(before);
    },
  );

  it.each(reading.filter((name) => !isForAll(name) && definition(name).effect === 'read'))(
    '%s shows nothing that another agent keeps to itself, however it is asked',
    async (name) => {
      const input = markedInput(name, SECRET);
      const asked = [input, 'agent_id' in fieldsOf(name) ? { ...input, ...OTHER } : input];
      for (const one of asked) {
        const seen = JSON.stringify(await tryAs(name, bound('agent/own'), one));
        expect(seen).not.toContain(`about ${SECRET}`);
        expect(seen).not.toContain(`pattern-${SECRET}"`);
      }
    },
  );

  it.each(operationNames.filter((name) => isForAll(name) && definition(name).effect !== 'control'))(
    '%s is refused: it concerns all agents',
    async (name) => {
      const admin = { ...bound('agent/own'), key: { ...key, type: 'admin' as const } };
      expect(await tryAs(name, admin, newInput(name, OWN, known))).toMatchObject(forbidden);
    },
  );

  it.each(within.filter((name) => !isSending(name) && !POSTED.includes(name)))(
    '%s works as one of its agents',
    async (name) => {
      for (const agent_id of ['agent/own', 'team/ci-1']) {
        if (definition(name).in_room === 'agent')
          await app.call('rooms.join', { room_id: known.room_id } as never, { ...MAKER, agent_id });
        // Those who are in the room when it begins take part.
        if (name === 'negotiations.propose')
          Object.assign(known, await restoreExamplesAfter('negotiations.cancel', app, { mark: OWN, as: MAKER }));
        const input = newInput(name, OWN, { ...known, agent_id });
        const { refused } = (await tryAs(name, bound(agent_id), input)) as { refused?: { code: string } };
        expect(['not_found', undefined]).toContain(refused?.code);
        Object.assign(known, await restoreExamplesAfter(name, app, { mark: OWN, as: MAKER }));
      }
    },
  );

  it('imports nothing on behalf of another agent, in entries or links', async () => {
    const entry = { entity_path: 'imported', key: 'k', value: 1 };
    const link = { source: 'a', source_type: 'entity', relation: 'x', target: 'b', target_type: 'entity' };
    for (const input of [
      { source: 's', entries: [{ ...entry, ...OTHER }] },
      { source: 's', entries: [entry], links: [{ ...link, ...OTHER }] },
    ])
      expect(await tryAs('entries.import', bound('agent/own'), input)).toMatchObject(forbidden);
  });

  it('sends spans for no other agent: names of others in them are passed over', async () => {
    const span = (name: string, spanId: string) => ({
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [
                {
                  traceId: '5b8efff798038103d269b633813fc60c',
                  spanId,
                  name: 'chat',
                  startTimeUnixNano: '1767225600000000000',
                  attributes: [
                    { key: 'mem.agent_id', value: { stringValue: name } },
                    { key: 'mem.session_id', value: { stringValue: 'otel' } },
                    { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
    const sent = await tryAs('sessions.ingest_otlp', bound('agent/own'), span(OTHER.agent_id, 'eee19b7ec3c1b174'));
    expect(sent).toMatchObject({ recorded: [{ agent_id: 'agent/own', session_id: 'otel' }] });
    // Another key sends the same span of the same trace: that is its own, and moves nothing.
    const elsewhere = { agent_id: 'agent/own', actor: 'key/k2', holder: 'key/k2' };
    const again = await tryAs('sessions.ingest_otlp', elsewhere, span('agent/own', 'eee19b7ec3c1b174'));
    expect(again).toMatchObject({ duplicate_spans: 0, recorded: [{ session_id: 'otel', spans: 1 }] });
    const open = await app.call('sessions.explain', {}, { ...bound('agent/own'), session_id: 'otel' });
    expect(open.spans).toHaveLength(1);
  });
});
