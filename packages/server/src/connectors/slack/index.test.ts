import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entityPathProblem, keyProblem } from '../../../../contract/src/glob.ts';
import { loadInProcess } from '../in-process.ts';
import { requireManifest } from '../manifest.ts';
import type { ConnectorResult } from '../types.ts';
import { SlackConnector } from './index.ts';

type SlackBody = Record<string, unknown>;
type Sample = { name: string; payload: { event: SlackBody } & SlackBody };

const folder = new URL('../../../../../tests/connectors/fixtures/slack/', import.meta.url);
const samples: Sample[] = readFileSync(new URL('events.jsonl', folder), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const manifest = requireManifest(readFileSync(new URL('connector.yaml', import.meta.url), 'utf8'));

const slack = new SlackConnector();
const transform = (payload: unknown): ConnectorResult[] =>
  slack.transform({ event_type: '', payload, headers: {}, id: 'Ev1', received_at: '2020-09-13T13:00:00.000Z' });

const VALUES: Readonly<Record<string, string>> = {
  ts: '1600000010.000200',
  thread_ts: '1600000000.000100',
  event_ts: '1600000020.000300',
  deleted_ts: '1600000010.000200',
  text: 'the deploy of <https://a.example|api> is done',
  reaction: 'eyes',
  id: 'C024BE91L',
  name: 'general',
  topic: 'incidents',
  purpose: 'to talk',
  old_channel_id: 'C1',
  new_channel_id: 'C2',
};

/** The samples have the shapes of Slack, but empty strings. */
function filled(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, key)]));
  if (value === '0000000000.000000') return VALUES[name] ?? VALUES.ts;
  if (value !== '' || name === 'subtype') return value;
  return VALUES[name] ?? (/channel/.test(name) ? 'C024BE91L' : 'U2147483697');
}
const filledSamples = samples.map(({ name, payload }) => [name, filled(payload) as Sample['payload']] as const);
const sample = (name: string) => filledSamples.find(([one]) => one === name)?.[1];

function expectFit(results: readonly ConnectorResult[]): void {
  for (const result of results) {
    expect(entityPathProblem(result.entity_path ?? '')).toBeUndefined();
    if (result.operation === 'write') expect(keyProblem(result.key)).toBeUndefined();
    else {
      expect(result.label).not.toMatch(/\p{Cc}/u);
      for (const text of [result.label, result.summary, result.source]) expect(text.trim()).not.toBe('');
    }
    // Half a surrogate pair is escaped, a whole one is not. PostgreSQL refuses NUL.
    expect(JSON.stringify(result)).not.toMatch(/\\ud[89a-f]|\\u0000/);
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
  }
}

describe('the events that Slack publishes', () => {
  it('are 96', () => {
    expect(samples).toHaveLength(96);
  });

  it.each(filledSamples)('%s gives something', (_, payload) => {
    const results = transform(payload);
    expect(results.length).toBeGreaterThan(0);
    expectFit(results);
  });

  it.each(samples.map(({ name, payload }) => [name, payload]))(
    '%s with empty strings gives something',
    (_, payload) => {
      const results = transform(payload);
      expect(results.length).toBeGreaterThan(0);
      expectFit(results);
    },
  );

  it('are named in the manifest', () => {
    expect(new Set(manifest.event_types).size).toBe(manifest.event_types.length);
    for (const { payload } of samples) expect(manifest.event_types).toContain(slack.identify(payload).event_type);
  });

  it('pass the checks of the host, with subtypes that Slack may add; other types that it adds are left to the service', async () => {
    const facts = { manifest, secrets: [], unsigned: false, records_outcomes: false, missing_variables: [] };
    const loaded = loadInProcess(facts, slack, { max_value_bytes: 1024 * 1024 });
    const resultsOf = async (payload: unknown) => {
      const name = await loaded.identify(payload, { body: Buffer.from('x'), headers: {} });
      const [made] = await loaded.transform([
        { ...name, payload, headers: {}, received_at: '2020-09-13T13:00:00.000Z' },
      ]);
      return made && 'results' in made ? made.results : made?.failure;
    };
    for (const [, payload] of filledSamples) expect(await resultsOf(payload)).not.toHaveLength(0);
    const message = { type: 'message', subtype: 'new', channel: 'C1', user: 'U1', text: 'hi', ts: VALUES.ts };
    expect(await resultsOf({ event: message })).toMatchObject([{ key: `thread-${VALUES.ts}` }]);
    expect(await resultsOf({ event: { type: 'canvas_glowed', channel: 'C1' } })).toEqual([]);
  });

  it.each([
    ['Message', 'thread-1600000000.000100'],
    ['MessageBot', 'thread-1600000000.000100'],
    ['MessageChanged', 'thread-1600000000.000100'],
    ['MessageDeleted', 'thread-1600000000.000100'],
    ['MessageFileShare', 'thread-1600000000.000100'],
    ['MessageMe', 'thread-1600000010.000200'],
    ['MessageReplied', 'thread-1600000010.000200'],
    ['MessageThreadBroadcast', 'thread-1600000000.000100'],
    ['AppMention', 'thread-1600000000.000100'],
    ['ChannelCreated', 'channel'],
    ['ChannelRename', 'channel'],
    ['ChannelArchive', 'channel'],
    ['GroupUnarchive', 'channel'],
    ['MessageChannelTopic', 'channel'],
    ['MessageGroupTopic', 'channel'],
  ])('%s is written to %s', (name, key) => {
    expect(transform(sample(name))[0]).toMatchObject({ operation: 'write', entity_path: 'comms/slack/C024BE91L', key });
  });

  it.each([
    ['MessageChannelJoin', 'U2147483697 joined in C024BE91L'],
    ['MemberJoinedChannel', 'U2147483697 joined, invited by U2147483697 in C024BE91L'],
    ['ReactionAdded', 'U2147483697 reacted with :eyes: to a message of U2147483697 (1600000010.000200) in C024BE91L'],
    ['PinAdded', 'U2147483697 pinned a message of U2147483697 (https://www.example.com/) in C024BE91L'],
    ['FileShared', 'file shared U2147483697 by U2147483697 in C024BE91L'],
    ['AppUninstalled', 'app uninstalled'],
  ])('%s is a context', (name, summary) => {
    expect(transform(sample(name))).toMatchObject([{ operation: 'record_context', source: 'slack', summary }]);
  });
});

describe('a channel', () => {
  it('has a state, a name and a topic, each by its own event', () => {
    expect(transform(sample('ChannelCreated'))[0]).toMatchObject({
      value: { state: 'active', name: 'general', id: 'C024BE91L' },
      merge: true,
      occurred_at: '2020-09-13T12:27:00.000Z',
      rank: 300,
      links: [{ relation: 'created_by', to: 'people/slack/U2147483697' }],
    });
    expect(transform(sample('ChannelArchive'))[0]).toMatchObject({ value: { state: 'archived', id: 'C024BE91L' } });
    expect(transform(sample('ChannelRename'))[0]).toMatchObject({ value: { name: 'general', id: 'C024BE91L' } });
    expect(transform(sample('MessageChannelTopic'))[0]).toMatchObject({ value: { topic: 'incidents' } });
  });

  it('that gets another id is known by both', () => {
    expect(transform(sample('ChannelIdChanged'))).toMatchObject([
      { entity_path: 'comms/slack/C1', value: { state: 'moved', moved_to: 'C2' } },
      { entity_path: 'comms/slack/C2', value: { state: 'active', moved_from: 'C1' } },
    ]);
  });
});

describe('a delivery', () => {
  it('has the id of its event, also when it is sent again', () => {
    const payload = {
      type: 'event_callback',
      event_id: 'Ev08MFMKH6',
      event: { type: 'message', subtype: 'bot_message' },
    };
    expect(slack.identify(payload)).toEqual({ id: 'Ev08MFMKH6', event_type: 'message.bot_message' });
    expect(slack.identify({ type: 'block_actions', trigger_id: '1.2.x' })).toEqual({
      id: '1.2.x',
      event_type: 'block_actions',
    });
    expect(slack.identify({ command: '/deploy' })).toEqual({ event_type: 'command' });
    expect(slack.identify('x')).toEqual({});
  });

  it('that asks for a challenge gets it', () => {
    expect(slack.reply({ type: 'url_verification', challenge: 'abc', token: 't' })).toEqual({ challenge: 'abc' });
    expect(slack.reply({ type: 'event_callback', challenge: 'abc' })).toBeUndefined();
    expect(slack.reply({ type: 'url_verification', challenge: 7 })).toBeUndefined();
    expect(slack.reply(null)).toBeUndefined();
  });

  it('of a command or a button is a context of its channel', () => {
    const command = {
      command: '/deploy',
      text: 'api to &lt;prod&gt;',
      user_id: 'U1',
      channel_id: 'C1',
      channel_name: 'ops',
      token: 't',
    };
    expect(transform(command)).toEqual([
      {
        operation: 'record_context',
        label: 'command',
        summary: 'U1 ran /deploy api to <prod>',
        source: 'slack',
        entity_path: 'comms/slack/C1',
      },
    ]);
    expect(
      transform({ type: 'block_actions', user: { id: 'U1', name: 'ada' }, channel: { id: 'C1', name: 'ops' } }),
    ).toMatchObject([{ label: 'block_actions', summary: 'block actions of ada (U1)', entity_path: 'comms/slack/C1' }]);
  });

  it('that is nothing of Slack is kept as it came, without the token', () => {
    for (const payload of [null, [], 'x', 7, {}, { event: null }, { event: { type: '' } }])
      expect(transform(payload)).toEqual([
        { operation: 'write', entity_path: 'comms/slack', key: 'raw-Ev1', value: payload, raw: true },
      ]);
    expect(transform({ token: 'swordfish', channel: 'C1', n: 1 })).toMatchObject([
      { entity_path: 'comms/slack/C1', value: { channel: 'C1', n: 1 } },
    ]);
  });

  it('keeps no token of the request', () => {
    for (const [, payload] of filledSamples)
      expect(JSON.stringify(transform({ ...payload, token: 'swordfish' }))).not.toContain('swordfish');
  });

  it('of any JSON gives results that fit, and never throws', () => {
    fc.assert(fc.property(fc.jsonValue(), (payload) => expectFit(transform(payload))));
    fc.assert(fc.property(fc.jsonValue(), (event) => expectFit(transform({ event }))));
  });

  it('of a sample in which anything was replaced gives results that fit', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        '..',
        '.',
        '/',
        '*',
        '\ud800',
        '\u0000',
        '__proto__',
        'https://a.example/\ud800\u0000',
        'constructor',
        'x'.repeat(5000),
        '<'.repeat(9000),
      ),
      fc.constantFrom(-1, 1e300, '9999999999.999999', '0.0', '1600000000.1234567'),
    );
    const choice = fc.record({ index: fc.nat(95), odd, at: fc.nat(60) });
    fc.assert(
      fc.property(choice, ({ index, odd: other, at }) => {
        let left = at;
        const mutated = JSON.parse(JSON.stringify(filledSamples[index]?.[1].event), (_, one) =>
          left-- === 0 ? other : one,
        );
        const payload = { ...filledSamples[index]?.[1], event: mutated };
        slack.identify(payload);
        expectFit(transform(payload));
      }),
      { numRuns: 3000 },
    );
  });
});
