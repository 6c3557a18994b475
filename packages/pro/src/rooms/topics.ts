import {
  changed,
  cursorsOf,
  cutPage,
  type EntryRow,
  EntrySet,
  exclusive,
  Fault,
  type Handlers,
  hashedBy,
  isLive,
  pageBytes,
  pause,
  prepares,
  type RoomMember,
  reads,
  roomShapes,
  toIso,
  type Work,
  withinPage,
  writes,
} from '@mem-service/server/module';
import { requireRoom } from './accounts.ts';
import { saveRoom } from './directory-card.ts';
import { emitRoomEvent } from './events.ts';
import { MAX_TOPICS } from './limits.ts';
import { readShared, type Shared, topicPath } from './share.ts';
import * as queries from './topic-queries.ts';

const cursors = cursorsOf('room_topics', ['string']);

const toTopic = (row: queries.TopicRow, room_id: string) => ({
  topic_id: row.topic_id,
  room_id,
  title: row.title,
  entity_path: topicPath({ room_id, label: row.label }),
  shared_path: row.shared_path,
  label: row.label,
  agent: row.agent_id,
  entry_count: row.entry_count,
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

/** What the same account shared by the same name. */
const sameTopic = (topics: readonly queries.TopicRow[], { label }: RoomMember, entity_path: string) =>
  topics.find((one) => one.label === label && one.shared_path === entity_path);

const add = writes<'rooms.add_topic'>(async (work, { caller, input, prepared }) => {
  const { tx, account_id, now, services } = work;
  const member = caller.room as RoomMember;
  const { room_id, entity_path } = input;
  const shared = prepared as Shared | Fault;
  if (shared instanceof Fault) throw shared;
  const { left_out, shared_seq } = shared;
  const room = await requireRoom(work);
  const topics = await queries.listAllTopics(tx, account_id);
  const known = sameTopic(topics, member, entity_path);
  if (!known && topics.length >= MAX_TOPICS)
    throw new Fault('conflict', `the room has ${MAX_TOPICS} topics, and can have no more`, { max_topics: MAX_TOPICS });
  const topic_id = known?.topic_id ?? services.ids.next(now);
  const details = { room_id, label: member.label, topic_id, shared_path: entity_path };
  emitRoomEvent(work, caller, { event_type: 'room_topic_added', details });
  const { added_versions, entry_count } = await copyInto(work, member, { shared, known });
  const row: queries.TopicRow = {
    ...{ account_id, topic_id, title: input.title ?? known?.title ?? entity_path, label: member.label },
    ...{ agent_id: caller.agent_id, shared_path: entity_path, shared_seq, entry_count },
    ...{ created_at: known?.created_at ?? now, updated_at: now },
  };
  work.send(tx.insertMany(queries.upsertTopic, [row]));
  if (row.title !== known?.title) {
    const titles = [...topics.filter((one) => one !== known).map(({ title }) => title), row.title];
    await saveRoom(work, { ...room, updated_at: now }, titles);
  }
  const topic = { ...toTopic(row, room_id), added_versions, left_out };
  return changed(topic, { resource: entity_path, ...hashedBy(topic) });
});

type TopicCopy = { shared: Shared; known: queries.TopicRow | undefined };

/** Writes the versions in their order. Counts those that the room did not have, and the entries that it has now. */
async function copyInto(work: Work, { label }: RoomMember, { shared, known }: TopicCopy) {
  const { versions, places } = shared;
  // Those that were shared since they were read are there.
  const drafts = versions.filter(({ seq }) => seq > (known?.shared_seq ?? 0)).map(({ draft }) => draft);
  const entries = await EntrySet.load(work, [...drafts, ...places]);
  const isCopy = (row: EntryRow | undefined): row is EntryRow =>
    isLive(row, work.now) && row.agent_id.endsWith(roomShapes.ROOM_SIGN + label);
  const there = drafts.map((draft) => entries.get(draft));
  let added_versions = 0;
  for (const [i, draft] of drafts.entries()) {
    await pause();
    const row = there[i];
    // A topic that was removed left its entries, and they are not written a second time. What others wrote there is no copy.
    if (!known && isCopy(row) && row.written_at >= draft.written_at) continue;
    await entries.compare(draft);
    if (!entries.apply(draft).unchanged) added_versions++;
  }
  await entries.save();
  return { added_versions, entry_count: places.filter((at) => isCopy(entries.get(at))).length };
}

const remove = writes<'rooms.remove_topic'>(async (work, { caller, input }) => {
  const { tx, account_id, now } = work;
  const { label, role } = caller.room as RoomMember;
  const { room_id, topic_id } = input;
  const [room, topics] = await Promise.all([requireRoom(work), queries.listAllTopics(tx, account_id)]);
  const row = topics.find((one) => one.topic_id === topic_id);
  if (!row) throw new Fault('not_found', `there is no topic ${JSON.stringify(topic_id)} in this room`, { topic_id });
  if (row.label !== label && role !== 'owner')
    throw new Fault('forbidden', 'only the account that shared a topic removes it, and the owner of the room', {
      needs: 'owner',
    });
  emitRoomEvent(work, caller, { event_type: 'room_topic_removed', details: { room_id, topic_id } });
  await queries.deleteTopic(tx, account_id, topic_id);
  const titles = topics.filter((one) => one !== row).map(({ title }) => title);
  await saveRoom(work, { ...room, updated_at: now }, titles);
  const answer = { topic_id, room_id, removed: true as const };
  return changed(answer, { resource: topic_id, ...hashedBy(answer) });
});

const list = reads<'rooms.topics'>(async ({ read, caller, services }, { room_id, limit, cursor }) => {
  const [after] = cursor === undefined ? [''] : cursors.from(cursor);
  const wanted = { account_id: caller.account_id, after, limit: limit + 1, bytes: pageBytes(services) };
  const rows = await queries.listTopics(read, wanted);
  const found = withinPage(services, rows, (one) => [one.title, one.agent_id, one.shared_path, one.shared_path]);
  const { items, ...page } = cutPage(found, limit, ({ topic_id }) => cursors.to([topic_id]));
  return { topics: items.map((row) => toTopic(row, room_id)), ...page };
});

export const topicHandlers: Handlers = {
  'rooms.add_topic': exclusive(
    prepares(async (services, { entity_path }, caller) => {
      const { account_id, room } = caller;
      const topics = await queries.listAllTopics(services.database.forAccount(account_id).read, account_id);
      const known = sameTopic(topics, room as RoomMember, entity_path);
      return readShared(services, caller, { entity_path, after: known?.shared_seq ?? 0 });
    }, add),
  ),
  'rooms.topics': list,
  'rooms.remove_topic': remove,
};
