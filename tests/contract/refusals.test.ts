import { type OperationName, operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Backend, backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import {
  addresses,
  type HttpAnswer,
  type HttpRequest,
  labelled,
  type OperationAddress,
  requestFor,
  send,
  takesBody,
} from '../support/wire.ts';
import { layTeams } from './branching.ts';
import { type Dump, dump } from './dump.ts';
import { createExamples, fieldsOf, type JsonObject, type KnownIds, markedInput, namedInPath } from './table.ts';

const MARK = 'refusals';
/** What a sender delivers is its own; tests/http/webhooks.test.ts has what is refused of it. */
const isOwnForm = ({ name }: OperationAddress) => !operations[name].http.webhook;
const withBody = labelled(addresses.filter((address) => takesBody(address.route) && isOwnForm(address)));
const withQuery = labelled(addresses.filter(({ route }) => !takesBody(route)));
const all = labelled(addresses);
/** OTLP requires unknown fields to be ignored. */
const strict = all.filter(([, address]) => !operations[address.name].http.otlp && isOwnForm(address));
const typed = all.filter(([, address]) => isOwnForm(address));

/** The same input with names of entries that do not exist, at any depth. */
function withoutKeys(input: JsonObject): JsonObject {
  const text = JSON.stringify(input, (field, value) => (field === 'key' ? `nothing-${value}` : value));
  return JSON.parse(text) as JsonObject;
}

/**
 * Fields that identify things in addresses, except entries, which have path and key, and agents, which need not exist.
 * A decision is one of two words, a type of grantee one of three; branches have an error of their own.
 */
const NAMES = [...new Set(addresses.flatMap(({ name }) => namedInPath(name)))].filter(
  (field) => !['entity_path', 'key', 'decision', 'grantee_type', 'name'].includes(field) && !field.endsWith('agent_id'),
);

/** What is named elsewhere than in the address, and what does not go with it. */
const NAMED_IN_BODY: Partial<Record<OperationName, Record<string, string | string[] | undefined>>> = {
  'rooms.discuss': { reply_to: 'nothing' },
  'rooms.add_topic': { entity_path: 'nothing/**' },
  'keys.create': { member_id: 'nothing', connector: undefined },
  'rollback.run': { tag: 'nothing', seq: undefined },
  'conflicts.resolve': { no: undefined },
  'tags.delete': { name: 'nothing' },
  'backfills.create': { behavior_id: undefined },
  'segments.list': { behavior_id: undefined },
  'failures.attribute': { behavior_id: undefined },
  'cases.create': { expected: undefined, judge_id: undefined },
  'cases.update': { expected: undefined, judge_id: undefined },
  'case_runs.create': { set_id: 'nothing', results: undefined },
  'fixes.propose': { trace_id: undefined, judge_id: undefined, behavior_id: undefined, incident_id: undefined },
  'traces.compare': { trace_ids: ['nothing', 'nothing-either'] },
};

/** What has to be said beside a name that does not exist. */
const BESIDE_NAMES: Partial<Record<OperationName, JsonObject>> = {
  'alert_rules.create': { metric: 'failure_rate', above: 0.5 },
  'negotiations.create': { participants: ['agent/nobody@nothing'] },
  'room_invitations.redeem': { token: 'nothing' },
};

/** Names that have a form. */
const OF_NOTHING: Readonly<Record<string, unknown>> = { no: 999_999, document_id: 'doc_0000000000000000' };

/** The input of an operation, naming things that do not exist. */
function namesOfNothing(name: OperationName): Record<string, unknown> {
  // A room that is not there has an answer of its own; here something in it is not.
  const named = NAMES.filter((field) => field in fieldsOf(name) && field !== 'room_id' && field !== 'label');
  const ofNothing = (field: string) => OF_NOTHING[field] ?? 'nothing';
  return { ...Object.fromEntries(named.map((field) => [field, ofNothing(field)])), ...NAMED_IN_BODY[name] };
}

type RefusalAnswer = { code: string; errors: { path: string; message: string }[] };

/** A server with what the examples of the table need, which refusals must leave as it is. */
function useServer(backend: Backend) {
  let app: TestApp;
  let server: TestServer;
  let known: KnownIds;
  let before: Dump;
  beforeAll(async () => {
    app = await openTestApp(backend);
    server = await listen(app);
    const as = { agent_id: 'mem-http-server' };
    known = await createExamples(app, { mark: MARK, as });
    await layTeams(app, { as }, known);
    before = await dump(app);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });
  return {
    inputFor: ({ name }: OperationAddress): JsonObject => markedInput(name, MARK, known),
    ask: (sent: HttpRequest): Promise<HttpAnswer> => send(server.url, sent),
    async expectUnchanged() {
      expect(await dump(app)).toEqual(before);
    },
  };
}

function expectProblem(answer: HttpAnswer, status: number, code: string): RefusalAnswer {
  expect(answer.headers.get('content-type'), answer.text).toBe('application/problem+json; charset=utf-8');
  expect(answer.json, answer.text).toMatchObject({ status, code, type: `urn:mem:error:${code}` });
  expect(answer.json).toEqual(expect.objectContaining({ title: expect.any(String), detail: expect.any(String) }));
  expect(answer.status).toBe(status);
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/);
  return answer.json as RefusalAnswer;
}

// These are refused before the store is used, so one engine is enough.
describe('a request that cannot be read or does not fit its operation', () => {
  const { inputFor, ask, expectUnchanged } = useServer('sqlite');
  const sentFor = (
    address: OperationAddress,
    change: (input: JsonObject) => JsonObject = (input) => input,
  ): HttpRequest => requestFor(address, change(inputFor(address)));

  it.each(withBody)('%s refuses what is not JSON', async (_, address) => {
    for (const body of ['{', '{"a":1,}', '{"entity_path":}', 'undefined', '{"a":NaN}', "{'a':1}", '\ufeff{}', '{} {}'])
      expectProblem(await ask({ ...sentFor(address), body }), 400, 'invalid_json');
  });

  it.each(withBody)('%s refuses a body that is not an object', async (_, address) => {
    for (const body of ['[]', '"text"', '1', 'null', 'true', '[{}]'])
      expectProblem(await ask({ ...sentFor(address), body }), 422, 'invalid_input');
  });

  it.each(withBody)('%s takes JSON alone', async (_, address) => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'json',
      'application/jsonp',
    ]) {
      const sent = { ...sentFor(address), headers: { 'content-type': type } };
      expectProblem(await ask(sent), 415, 'unsupported_media_type');
    }
    if (operations[address.name].http.otlp) return;
    const zipped = { ...sentFor(address), headers: { 'content-encoding': 'gzip' } };
    expectProblem(await ask(zipped), 415, 'unsupported_media_type');
  });

  it.each(strict)('%s refuses a field it does not know, by name', async (_, address) => {
    for (const stranger of ['colour', 'entityPathh', 'constructor', 'toString']) {
      const answer = await ask(sentFor(address, (input) => ({ ...input, [stranger]: 'x' })));
      const { errors } = expectProblem(answer, 422, 'invalid_input');
      expect(errors).toEqual([{ path: stranger, message: expect.stringMatching(/^is not a known field/) }]);
    }
  });

  it.each(withBody)('%s refuses a field in the query that it does not know', async (_, address) => {
    const sent = sentFor(address);
    const { errors } = expectProblem(await ask({ ...sent, path: `${sent.path}?colour=red` }), 422, 'invalid_input');
    expect(errors).toEqual([{ path: 'colour', message: 'is not a known field' }]);
  });

  /** The fields of the input that the address itself does not give. */
  const givenFields = ({ name, route }: OperationAddress) =>
    Object.keys(fieldsOf(name)).filter((field) => !route.path.includes(`{${field}}`));

  const fits = ({ name }: OperationAddress, input: JsonObject) => operations[name].input.safeParse(input).success;

  it.each(typed)('%s refuses a field of the wrong type, by name', async (_, address) => {
    const wrong = takesBody(address.route) ? { not: 'this' } : '\u0001';
    const input = inputFor(address);
    for (const field of givenFields(address)) {
      const changed = { ...input, [field]: wrong };
      if (fits(address, changed)) continue;
      const { errors } = expectProblem(await ask(requestFor(address, changed)), 422, 'invalid_input');
      expect(errors.map(({ path }) => path.split('.')[0])).toContain(field);
    }
  });

  it.each(typed)('%s refuses a request without a field it needs, by name', async (_, address) => {
    const input = inputFor(address);
    for (const field of givenFields(address)) {
      const { [field]: _missing, ...rest } = input;
      if (fits(address, rest)) continue;
      const { errors } = expectProblem(await ask(requestFor(address, rest)), 422, 'invalid_input');
      expect(errors.map(({ path }) => path)).toContain(field);
    }
  });

  it.each(withQuery.filter(([, { name }]) => Object.keys(fieldsOf(name)).length > 0))(
    '%s refuses a field that is given twice',
    async (_, address) => {
      const sent = sentFor(address);
      const field = Object.keys(fieldsOf(address.name))[0] as string;
      const twice = `${sent.path}${sent.path.includes('?') ? '&' : '?'}${field}=main&${field}=main`;
      const { errors } = expectProblem(await ask({ ...sent, path: twice }), 422, 'invalid_input');
      expect(errors).toEqual([{ path: field, message: 'is given twice' }]);
    },
  );

  it('changes nothing, and none of these did', expectUnchanged);
});

describe.each(backends)('a request for what is not there, on %s', (backend) => {
  const { inputFor, ask, expectUnchanged } = useServer(backend);
  const sentFor = (address: OperationAddress, change: (input: JsonObject) => JsonObject): HttpRequest =>
    requestFor(address, change(inputFor(address)));

  it.each(all.filter(([, { name }]) => 'branch' in fieldsOf(name)))(
    '%s knows no branch but main',
    async (_, address) => {
      const answer = await ask(sentFor(address, (input) => ({ ...input, branch: 'experiment/x' })));
      expectProblem(answer, 404, 'branch_not_found');
    },
  );

  it.each(all.filter(([, { name }]) => 'cursor' in fieldsOf(name)))(
    '%s refuses a cursor it did not make',
    async (_, address) => {
      const made = [
        '',
        'x',
        Buffer.from('["a"]').toString('base64url'),
        Buffer.from('[1.5]').toString('base64url'),
        Buffer.from('["a\\u0000","b"]').toString('base64url'),
        Buffer.from('{"a":1}').toString('base64url'),
      ];
      for (const cursor of made) {
        const answer = await ask(sentFor(address, (input) => ({ ...input, cursor })));
        expectProblem(answer, 400, 'invalid_cursor');
      }
    },
  );

  it.each(all.filter(([, { name }]) => operations[name].errors.includes('not_found')))(
    '%s says what is not there',
    async (_, address) => {
      const named = namesOfNothing(address.name);
      const nowhere = (input: JsonObject): JsonObject =>
        JSON.parse(JSON.stringify({ ...withoutKeys(input), ...BESIDE_NAMES[address.name], ...named })) as JsonObject;
      const { code: _code, ...rest } = expectProblem(await ask(sentFor(address, nowhere)), 404, 'not_found');
      const asked = nowhere(inputFor(address));
      // A pattern chooses among what there is, and names nothing.
      const about = ['entity_path', 'key', ...Object.keys(named)].filter(
        (field) => field in asked && !Array.isArray(asked[field]) && !String(asked[field]).includes('*'),
      );
      expect(rest).toMatchObject(Object.fromEntries(about.map((field) => [field, asked[field]])));
    },
  );

  it('changes nothing, and none of these did', expectUnchanged);
});
