import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtIns } from '../../packages/server/src/connectors/built-in.ts';
import { openConnectors } from '../../packages/server/src/connectors/host.ts';
import { backends, listen, openTestApp, type TestApp, type TestServer } from '../support/app.ts';
import { newFolder } from './support.ts';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const CHANNEL = 'C024BE91L';
const PATH = `comms/slack/${CHANNEL}`;

type StoredMembers = Record<string, unknown>;

describe.each(backends)('the connector of Slack, over HTTP on %s', (backend) => {
  let app: TestApp;
  let server: TestServer;
  let sent = 0;
  beforeAll(async () => {
    const variables = { MEM_CONNECTOR_SLACK_SECRET: SECRET };
    app = await openTestApp(backend, {
      connectors: await openConnectors({ folder: newFolder(), variables, builtIns }),
    });
    server = await listen(app);
  });
  afterAll(async () => {
    await server.close();
    await app.close();
  });

  const second = () => Math.floor(app.clock.now() / 1000);

  async function post(payload: unknown, { time = second(), headers = {} }: { time?: number; headers?: object } = {}) {
    const body = JSON.stringify(payload);
    const signature = `v0=${createHmac('sha256', SECRET).update(`v0:${time}:${body}`).digest('hex')}`;
    const signed = { 'x-slack-request-timestamp': String(time), 'x-slack-signature': signature };
    const response = await fetch(`${server.url}/api/v1/webhooks/slack`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed, ...headers },
      body,
    });
    return {
      status: response.status,
      json: (await response.json()) as { results: { status: string }[] } & StoredMembers,
    };
  }
  const envelope = (event: StoredMembers) => ({
    type: 'event_callback',
    event_id: `Ev${++sent}`,
    event: { channel: CHANNEL, ...event },
  });
  const statusAfter = async (event: StoredMembers) =>
    (await post(envelope(event))).json.results.map(({ status }) => status);
  const threadAt = async (ts: string) => {
    const found = await app.call('entries.history', { entity_path: PATH, key: `thread-${ts}` });
    return found.versions;
  };

  it('answers the question whether the address is ours', async () => {
    const { status, json } = await post({
      type: 'url_verification',
      challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
      token: 'x',
    });
    expect({ status, json }).toEqual({
      status: 200,
      json: { challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P' },
    });
  });

  it('refuses what was signed too long ago, and what others signed', async () => {
    const event = envelope({ type: 'message', ts: `${second()}.000001`, text: 'late' });
    expect((await post(event, { time: second() - 301 })).status).toBe(401);
    expect((await post(event, { headers: { 'x-slack-signature': `v0=${'0'.repeat(64)}` } })).status).toBe(401);
    expect((await app.call('entries.list', { entity_path: PATH })).entries).toEqual([]);
  });

  it('keeps the life of a thread as the versions of one entry, and a retry counts once', async () => {
    const [root, reply] = [`${second()}.000100`, `${second()}.000200`];
    const message = { type: 'message', user: 'U1', text: 'db-1 is down, see PAY-12', ts: root };
    const first = envelope({ ...message, event_ts: root });
    expect((await post(first)).status).toBe(202);
    const again = await post(first, { headers: { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' } });
    expect(again).toMatchObject({ status: 200, json: { duplicate: true } });
    const answer = { type: 'message', user: 'U2', text: 'looking', ts: reply, thread_ts: root };
    expect(await statusAfter({ ...answer, event_ts: reply })).toEqual(['written']);
    const preview = { ...message, attachments: [{ from_url: 'https://a.example', text: 'a preview' }] };
    const changed = {
      type: 'message',
      subtype: 'message_changed',
      previous_message: message,
      event_ts: `${second()}.000300`,
    };
    expect(await statusAfter({ ...changed, message: preview })).toEqual(['out_of_date']);
    const edited = { ...message, text: 'db-2 is down', edited: { user: 'U1', ts: `${second()}.000000` } };
    expect(await statusAfter({ ...changed, message: edited })).toEqual(['written']);
    const removal = { type: 'message', subtype: 'message_deleted', deleted_ts: reply, previous_message: answer };
    expect(await statusAfter({ ...removal, event_ts: `${second()}.000400` })).toEqual(['written']);
    expect(await statusAfter({ ...answer, event_ts: reply })).toEqual(['out_of_date']);
    const texts = (await threadAt(root)).map(({ value }) =>
      (value as { messages: StoredMembers[] }).messages.map(({ text }) => text),
    );
    expect(texts).toEqual([
      ['db-2 is down'],
      ['db-2 is down', 'looking'],
      ['db-1 is down, see PAY-12', 'looking'],
      ['db-1 is down, see PAY-12'],
    ]);
    const { edges } = await app.call('graph.neighbors', { entity: `${PATH}/thread-${root}` });
    expect(edges.map(({ relation, target }) => `${relation} ${target}`)).toEqual(
      expect.arrayContaining([
        'started_by people/slack/U1',
        'replied_by people/slack/U2',
        'mentions projects/jira/PAY/issue-PAY-12',
      ]),
    );
  });

  it('deletes the entry with its only message, and no older event brings it back', async () => {
    const ts = `${second()}.000500`;
    const message = { type: 'message', user: 'U1', text: 'oops', ts };
    expect(await statusAfter(message)).toEqual(['written']);
    const removal = { type: 'message', subtype: 'message_deleted', deleted_ts: ts, previous_message: message };
    expect(await statusAfter({ ...removal, event_ts: `${second()}.000600` })).toEqual(['deleted']);
    expect(await statusAfter(message)).toEqual(['out_of_date']);
    await expect(app.call('entries.read', { entity_path: PATH, key: `thread-${ts}` })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('keeps a type that Slack adds as it came, at the path of its channel', async () => {
    expect((await post(envelope({ type: 'canvas_glowed' }))).json.results).toMatchObject([
      { status: 'raw', entity_path: PATH },
    ]);
  });

  it.each([
    ['of no envelope', { hello: 'world' }],
    ['of no envelope that names a type', { event_type: 'message', event_id: 'Ev-odd', channel: CHANNEL }],
    ['a list', [1, 2]],
  ])('keeps a body %s as it came', async (_, body) => {
    const { status, json } = await post(body);
    expect(status).toBe(202);
    expect(json.results).toMatchObject([{ operation: 'write', entity_path: expect.stringMatching(/^comms\/slack/) }]);
  });
});
