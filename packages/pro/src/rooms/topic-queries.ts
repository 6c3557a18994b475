import {
  type Dialect,
  type EntryView,
  entriesIn,
  type FirstRows,
  fragment,
  type Glob,
  type Insert,
  type Query,
  sql,
  type Transaction,
  type VersionRow,
  versionsIn,
} from '@mem-service/server/module';
import type { RoomPage } from './queries.ts';

export type TopicRow = {
  account_id: string;
  topic_id: string;
  title: string;
  /** The account that shared it. */
  label: string;
  agent_id: string;
  /** A path of that account, or a pattern of paths. */
  shared_path: string;
  /** Up to which place in the log of that account the room has it. */
  shared_seq: number;
  entry_count: number;
  created_at: number;
  updated_at: number;
};

export const upsertTopic: Insert = {
  table: 'room_topics',
  columns: {
    account_id: 'text',
    topic_id: 'text',
    title: 'text',
    label: 'text',
    agent_id: 'text',
    shared_path: 'text',
    shared_seq: 'int',
    entry_count: 'int',
    created_at: 'int',
    updated_at: 'int',
  },
  suffix: `ON CONFLICT (account_id, topic_id) DO UPDATE SET title = excluded.title, agent_id = excluded.agent_id,
    shared_seq = excluded.shared_seq, entry_count = excluded.entry_count, updated_at = excluded.updated_at`,
};

const TOPIC = fragment(Object.keys(upsertTopic.columns).join(', '));

export function getTopic(query: Query, accountId: string, id: string): Promise<TopicRow | undefined> {
  return query.get(sql`SELECT ${TOPIC} FROM room_topics WHERE account_id = ${accountId} AND topic_id = ${id}`);
}

export function listTopics(query: Query, page: RoomPage): Promise<FirstRows<TopicRow>> {
  const { account_id, after, limit, bytes } = page;
  return query.first(
    sql`SELECT ${TOPIC} FROM room_topics WHERE account_id = ${account_id} AND topic_id > ${after}
        ORDER BY topic_id LIMIT ${limit}`,
    { columns: ['title', 'agent_id', 'shared_path'], bytes },
  );
}

/** Their number is bounded. */
export function listAllTopics(query: Query, accountId: string): Promise<TopicRow[]> {
  return query.all(sql`SELECT ${TOPIC} FROM room_topics WHERE account_id = ${accountId} ORDER BY topic_id`);
}

export function deleteTopic(tx: Transaction, accountId: string, id: string): Promise<number> {
  return tx.run(sql`DELETE FROM room_topics WHERE account_id = ${accountId} AND topic_id = ${id}`);
}

export type SharedHead = { entry_id: number; entity_path: string; key: string };

/** Entries at a path of the account that shares them. */
export function listSharedHeads(query: Query, view: EntryView, of: { glob: Glob; limit: number }) {
  return query.all<SharedHead>(
    sql`SELECT entry_id, entity_path, key FROM ${entriesIn(view, { paths: [of.glob] })}
        ORDER BY entity_path, key LIMIT ${of.limit}`,
  );
}

export type SharedVersion = Pick<VersionRow, 'entry_id' | 'version' | 'deleted' | 'confidence' | 'document'> & {
  seq: number;
};

type WantedVersions = { heads: readonly SharedHead[]; after: number; each: number; limit: number; bytes: number };

/** Their newest versions that every agent may see, in the order in which they were written. */
export function listSharedVersions(
  query: Query,
  view: EntryView & { dialect: Dialect },
  { heads, after, each, limit, bytes }: WantedVersions,
): Promise<FirstRows<SharedVersion>> {
  const ids = view.dialect.numbers(heads.map(({ entry_id }) => entry_id));
  return query.first(
    sql`SELECT versions.entry_id, versions.version, versions.deleted, versions.confidence, versions.document, versions.seq
        FROM ${versionsIn(view)} WHERE entries.entry_id IN (SELECT value FROM ${ids})
          AND versions.version > entries.version - ${each} AND versions.seq > ${after}
          AND versions.shared = 1 AND versions.deleted = 0 ORDER BY versions.seq LIMIT ${limit}`,
    { columns: ['document'], bytes },
  );
}
