import { describe, expect, it } from 'vitest';
import { entriesAfter, ordersOf, resultsOf } from '../../../../../tests/connectors/deliveries.ts';
import type { ConnectorResult, EntryResult, ResultItem } from '../types.ts';
import { SlackConnector } from './index.ts';

const CHANNEL = 'C024BE91L';
const ROOT = '1600000000.000100';
const REPLY = '1600000010.000200';
const PATH = `comms/slack/${CHANNEL}`;

type ThreadEvent = Record<string, unknown>;

const slack = new SlackConnector();
const sent = (event: ThreadEvent) => ({ type: 'event_callback', event: { channel: CHANNEL, ...event } });
const transformed = (event: ThreadEvent): ConnectorResult[] => resultsOf(slack, sent(event));
const threadAfter = (...list: readonly ThreadEvent[]) => entriesAfter(slack, list.map(sent))[`${PATH}/thread-${ROOT}`];
const messagesAfter = (...list: readonly ThreadEvent[]) => threadAfter(...list)?.messages as ResultItem[] | undefined;
const textsAfter = (...list: readonly ThreadEvent[]) => messagesAfter(...list)?.map(({ text }) => text);

const root = { type: 'message', user: 'U1', text: 'db-1 is down', ts: ROOT };
const reply = { type: 'message', user: 'U2', text: 'looking', ts: REPLY, thread_ts: ROOT };
const posted = (message: ThreadEvent) => ({ ...message, event_ts: message.ts });

function changed(before: ThreadEvent, after: ThreadEvent, time: string): ThreadEvent {
  const message = { ...before, ...after };
  return { type: 'message', subtype: 'message_changed', message, previous_message: before, event_ts: time, ts: time };
}
const edited = (before: ThreadEvent, text: string, time: string): ThreadEvent =>
  changed(before, { text, edited: { user: before.user, ts: `${time.split('.')[0]}.000000` } }, time);
const deleted = (before: ThreadEvent, time: string): ThreadEvent => ({
  type: 'message',
  subtype: 'message_deleted',
  deleted_ts: before.ts,
  previous_message: before,
  event_ts: time,
  ts: time,
});
/** What Slack sends when the message that began a thread with replies is deleted. */
const buried = (before: ThreadEvent, time: string): ThreadEvent =>
  changed(before, { subtype: 'tombstone', text: 'This message was deleted.', user: 'USLACKBOT', reply_count: 1 }, time);
const withPreview = (before: ThreadEvent, time: string): ThreadEvent =>
  changed(before, { attachments: [{ from_url: 'https://a.example', text: 'a preview' }] }, time);

describe('a thread', () => {
  it('is one entry with its messages in order, each with who wrote it', () => {
    expect(threadAfter(posted(reply), posted(root))).toEqual({
      title: 'db-1 is down',
      started_by: 'U1',
      started_at: '2020-09-13T12:26:40.000100Z',
      channel: CHANNEL,
      messages: [
        { id: ROOT, at: '2020-09-13T12:26:40.000100Z', user: 'U1', text: 'db-1 is down' },
        { id: REPLY, at: '2020-09-13T12:26:50.000200Z', user: 'U2', text: 'looking' },
      ],
    });
    const links = [root, reply].flatMap((message) => (transformed(posted(message))[0] as EntryResult).links ?? []);
    expect(links).toEqual([
      { relation: 'started_by', to: 'people/slack/U1' },
      { relation: 'replied_by', to: 'people/slack/U2' },
    ]);
  });

  const later = (seconds: number) => `16000000${seconds}.000300`;
  it.each([
    [
      'the reply is deleted',
      [edited(reply, 'found it', later(20)), deleted({ ...reply, text: 'found it' }, later(30))],
      1,
    ],
    [
      'the root is deleted',
      [edited(root, 'db-1 is back', later(20)), buried({ ...root, text: 'db-1 is back' }, later(30))],
      1,
    ],
    [
      'the root of replies is deleted',
      [edited(root, 'x', later(20)), deleted({ ...root, reply_count: 1 }, later(30))],
      1,
    ],
    [
      'a preview is added',
      [
        edited(root, 'see a.example', later(20)),
        withPreview({ ...root, text: 'see a.example', edited: { ts: '1600000020.000000' } }, later(30)),
      ],
      2,
    ],
    ['it is edited twice', [edited(root, 'one', later(20)), edited({ ...root, text: 'one' }, 'two', later(21))], 2],
    [
      'it is edited in the second of its post',
      [edited(root, 'one', '1600000000.000200'), edited({ ...root, text: 'one' }, 'two', '1600000000.900000')],
      2,
    ],
  ])('ends in the same state in all 24 orders when %s', (_, changes, count) => {
    const list = [posted(root), posted(reply), ...changes];
    const right = threadAfter(...list);
    expect(messagesAfter(...list)).toHaveLength(count);
    const orders = [...ordersOf(list)];
    expect(orders).toHaveLength(24);
    for (const order of orders) expect(threadAfter(...order)).toEqual(right);
  });

  it('is deleted with its only message, in all orders, and nothing older brings it back', () => {
    const list = [
      posted(root),
      edited(root, 'db-1 is back', '1600000020.000300'),
      withPreview(root, '1600000021.000300'),
    ];
    for (const order of ordersOf([...list, deleted(root, '1600000030.000300')]))
      expect(threadAfter(...order), JSON.stringify(order)).toBeUndefined();
  });

  it('stays when the message that began it is deleted, without its text', () => {
    for (const removal of [
      buried(root, '1600000030.000300'),
      deleted({ ...root, reply_count: 1 }, '1600000030.000300'),
    ])
      for (const order of ordersOf([posted(root), posted(reply), removal])) {
        const value = threadAfter(...order);
        expect(value?.title).toBe('deleted message');
        expect(value?.messages).toHaveLength(1);
        expect(JSON.stringify(value)).not.toContain('db-1');
      }
  });
});

describe('a deleted message', () => {
  const secret = 'the word is swordfish';
  const message = {
    ...reply,
    text: secret,
    files: [{ id: 'F1', title: 'swordfish.txt', permalink: 'https://x.slack.com/files/U2/F1/swordfish.txt' }],
  };
  const removal = deleted(message, '1600000030.000300');
  const around: readonly ThreadEvent[] = [
    {
      type: 'reaction_added',
      user: 'U3',
      reaction: 'eyes',
      item: { type: 'message', channel: CHANNEL, ts: REPLY },
      event_ts: '1600000031.000100',
    },
    {
      type: 'pin_added',
      user: 'U3',
      channel_id: CHANNEL,
      item: { type: 'message', channel: CHANNEL, message },
      event_ts: '1600000031.000200',
    },
    {
      type: 'star_added',
      user: 'U3',
      item: { type: 'message', channel: CHANNEL, message },
      event_ts: '1600000031.000300',
    },
    withPreview(message, '1600000031.000400'),
    { ...message, type: 'app_mention', event_ts: REPLY },
    edited(message, `${secret}!`, '1600000020.000000'),
    { type: 'message', subtype: 'message_replied', message, event_ts: '1600000031.000500' },
  ];

  it.each(around.map((event) => [event.subtype ?? event.type, event]))('is not brought back by %s', (_, event) => {
    for (const order of ordersOf([posted(root), posted(message), removal, event as ThreadEvent])) {
      expect(textsAfter(...order)).toEqual(['db-1 is down']);
      expect(JSON.stringify(threadAfter(...order))).not.toContain('swordfish');
    }
  });

  it('is quoted by no context', () => {
    const contexts = around.flatMap(transformed).filter(({ operation }) => operation === 'record_context');
    expect(contexts).toHaveLength(3);
    expect(JSON.stringify(contexts)).not.toContain('swordfish');
  });
});

describe('a message', () => {
  const write = (event: ThreadEvent) => transformed(event)[0] as EntryResult;

  it('is the same message when it also mentions the app', () => {
    const mention = { ...root, text: '<@U9> help', type: 'app_mention' };
    const message = { ...mention, type: 'message', channel_type: 'channel', client_msg_id: 'x' };
    const single = threadAfter(posted(message));
    for (const order of ordersOf([posted(mention), posted(message)])) expect(threadAfter(...order)).toEqual(single);
    expect(threadAfter(posted(mention))).toEqual(single);
  });

  it('is as its own event shows it, which tells more than a mention of the app', () => {
    const broadcast = posted({ ...reply, subtype: 'thread_broadcast' });
    for (const order of ordersOf([broadcast, posted({ ...reply, type: 'app_mention' })]))
      expect(messagesAfter(...order)).toMatchObject([{ broadcast: true }]);
  });

  it('is as it was edited, also when another event shows the edit and names the second only', () => {
    const after = { ...root, text: 'db-1 is back', edited: { user: 'U1', ts: '1600000000.000000' }, reply_count: 1 };
    const replied = { type: 'message', subtype: 'message_replied', message: after, event_ts: REPLY, ts: REPLY };
    for (const order of ordersOf([posted(root), replied])) expect(textsAfter(...order)).toEqual(['db-1 is back']);
  });

  it('of Slack itself is a context, also when it is changed or deleted', () => {
    const note = { ...root, subtype: 'channel_join', text: '<@U1> has joined the channel' };
    for (const event of [posted(note), changed(note, { text: 'x' }, REPLY), deleted(note, REPLY)])
      expect(transformed(event)).toMatchObject([{ operation: 'record_context', entity_path: PATH }]);
  });

  it('is no new state when only a preview was added', () => {
    const before = threadAfter(posted(root));
    expect(threadAfter(posted(root), withPreview(root, '1600000001.000100'))).toEqual(before);
    expect(write(withPreview(root, '1600000001.000100')).rank).toBe(99);
  });

  it('has the time of the change when a program changes it without a mark', () => {
    const bot = { ...root, subtype: 'bot_message', bot_id: 'B1', username: 'deploys', text: 'running' };
    const list = [
      posted(bot),
      changed(bot, { text: 'done' }, '1600000005.000100'),
      changed({ ...bot, text: 'done' }, { text: 'checked' }, '1600000006.000100'),
    ];
    for (const order of ordersOf(list)) expect(textsAfter(...order)).toEqual(['checked']);
    expect(messagesAfter(...list)?.[0]).toMatchObject({ user: 'U1', bot: 'deploys' });
  });

  it('of a thread is in it also when it is shown in the channel, with the message that began it', () => {
    const broadcast = { ...reply, subtype: 'thread_broadcast', root: { ...root, thread_ts: ROOT, reply_count: 1 } };
    expect(textsAfter(posted(broadcast))).toEqual(['db-1 is down', 'looking']);
    expect(messagesAfter(posted(broadcast))?.[1]).toMatchObject({ broadcast: true });
  });

  it.each([{ subtype: 'message_replied' }, {}])(
    'that got a reply is known, with and without the subtype',
    (subtype) => {
      const replied = { type: 'message', ...subtype, message: { ...root, reply_count: 1 }, event_ts: REPLY, ts: REPLY };
      expect(textsAfter(replied)).toEqual(['db-1 is down']);
      expect(textsAfter(posted(reply), replied)).toEqual(['db-1 is down', 'looking']);
    },
  );

  it('of the form /me is marked, and one with files has them', () => {
    const files = [
      { id: 'F1', title: 'log.txt', filetype: 'text', permalink: 'https://x.slack.com/files/U1/F1/log.txt' },
      { id: 'F2', mode: 'tombstone' },
    ];
    const { items, artifact_refs } = write(posted({ ...root, subtype: 'me_message', files }));
    expect(items?.messages?.[ROOT]).toMatchObject({ me: true, files: [{ id: 'F1', name: 'log.txt', type: 'text' }] });
    expect(artifact_refs).toEqual(['https://x.slack.com/files/U1/F1']);
  });

  it('has edges to the issues, pull requests, commits and people that it names', () => {
    const sha = 'a'.repeat(39) + 1;
    const text = `<@U7> PAY-12 by <https://github.com/acme/api/pull/42|the fix>, <https://github.com/acme/api/commit/${sha}>`;
    expect(write(posted({ ...root, text })).links).toEqual([
      { relation: 'started_by', to: 'people/slack/U1' },
      { relation: 'mentions', to: 'people/slack/U7' },
      { relation: 'mentions', to: 'repos/acme/api/pr-42' },
      { relation: 'mentions', to: `repos/acme/api/commit-${sha}` },
      { relation: 'mentions', to: 'projects/jira/PAY/issue-PAY-12' },
    ]);
  });
});
