import { exportedEvents, insertAudit, insertEvents, touchAgents } from './queries.ts';
import { exported, type SharedTable, type TenantTable } from './tables.ts';

/** The `details` of an erased event. */
export const ERASED_DETAILS = '{"erased":true}';

export const kernelTables: readonly TenantTable[] = [
  exported(touchAgents, {
    kind: 'agent',
    key: ['agent_id', 'visible_to'],
    agents: { agent_id: { erased: 'delete the row' }, visible_to: { erased: 'delete the row' } },
  }),
  exported(exportedEvents, {
    kind: 'event',
    key: ['seq'],
    derived: ['stamp'],
    // An import is a log of its own: positions in the exported one are not positions in it.
    async restore(work, rows) {
      const stamped = rows.map((row) => ({ ...row, stamp: work.services.ids.stamp() }));
      work.account.seq_stamp = stamped.at(-1)?.stamp ?? work.account.seq_stamp;
      work.send(work.tx.insertMany(insertEvents, stamped));
    },
    nullable: ['entity_path', 'key', 'version', 'actor_agent_id'],
    json: ['details'],
    agents: {
      // The event stays, so that `seq` has no gaps; the name of the agent is removed.
      agent_id: {
        erased: 'rename',
        counted_as: 'log_events',
        also: () => ({ entity_path: null, key: null, version: null, details: ERASED_DETAILS, session: '' }),
      },
      actor_agent_id: { erased: 'rename', also: () => ({ details: ERASED_DETAILS }) },
      visible_to: { erased: 'rename' },
    },
    entries: { entity_path: 'by its owner', key: 'by its owner' },
    // Consumers need the length of each log and its event types.
    rights: { maintenance: ['SELECT (account_id, seq, event_type)'] },
    planner: {
      events: '1000000 1000000 1',
      events_by_agent: '1000000 1000000 1000 1',
      events_by_session: '500000 500000 1000 20 1',
      events_of_reads: '100000 100000 20 4 1',
      events_of_digests: '100000 100000 20',
      events_of_deliveries: '500000 500000 100 5',
      events_of_clock: '10 10 1',
    },
  }),
  exported(insertAudit, {
    kind: 'audit',
    key: ['no'],
    nullable: [
      ...['address', 'key_id', 'key_name', 'user_name', 'before_hash', 'after_hash'],
      ...['subject_salt', 'subject_hash', 'agent_salt', 'agent_hash', 'hash'],
    ],
    agents: { agent_id: { erased: 'by its owner', counted_as: 'audit_lines' } },
    unrelated: {
      actor: 'the key, or what stood in for one',
      agent_hash: 'a salted hash, which says nothing once the salt is gone',
      agent_salt: 'random, and taken out with the name',
      key_id: 'an API key',
      key_name: 'what people call an API key',
      user_name: 'somebody who signed in, and no agent',
      subject_hash: 'a salted hash, which says nothing once the salt is gone',
      subject_salt: 'random, and taken out with the resource',
    },
    rights: {
      // A line never changes, except that an erasure removes its subject or the name of an agent.
      own: ['SELECT', 'INSERT', 'UPDATE (resource, before_hash, after_hash, subject_salt, agent_id, agent_salt)'],
      // Lines are never removed one by one, only together with their account.
      maintenance: ['SELECT (account_id, no)', 'DELETE'],
      ended_accounts_only: true,
    },
  }),
  {
    table: 'accounts',
    key: [],
    left_out: 'the first line of an export has its counters',
    rights: {
      own: ['SELECT', 'UPDATE'],
      maintenance: [
        'SELECT (account_id, number, name, plan, status, created_at, seq, item_no, exported_seq, exported_item_no)',
        'SELECT (deleted_at, purged_at, storage_bytes, storage_entries)',
        'INSERT',
      ],
    },
  },
  {
    table: 'consumer_cursors',
    key: ['consumer'],
    left_out: 'how far this service has worked through the log',
    unrelated: { claimed_by: 'a server' },
    rights: { maintenance: ['SELECT (account_id, consumer, seq, claimed_by)', 'INSERT', 'UPDATE (seq)'] },
  },
  {
    table: 'consumer_dead_letters',
    key: ['consumer', 'seq'],
    left_out: 'numbers of events that this service could not work through',
    rights: { maintenance: ['SELECT (account_id, consumer, retry)'] },
  },
  {
    table: 'stored_answers',
    key: ['idempotency_key'],
    left_out: 'answers to retries, kept for a day',
    entries: { entity_path: 'by its owner' },
    unrelated: { idempotency_key: 'what a client calls one request', is_named: 'whether `answer_names` has its names' },
    rights: { maintenance: ['SELECT (account_id, created_at)', 'DELETE'] },
  },
  {
    table: 'answer_names',
    key: ['name_hash', 'idempotency_key'],
    left_out: 'what stored answers name, kept as long as they',
    unrelated: {
      idempotency_key: 'what a client calls one request',
      name_hash: 'a hash of the name of an agent or an entry, deleted when that is erased',
    },
    rights: { maintenance: ['SELECT (account_id, created_at)', 'DELETE'] },
  },
];

export const kernelSharedTables: readonly SharedTable[] = [
  { table: 'consumers', shared: 'who consumes the log of all accounts', rights: ['SELECT', 'INSERT', 'UPDATE'] },
  { table: 'servers', shared: 'which servers are on the store', rights: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] },
  {
    table: 'maintenance_tasks',
    shared: 'when each task ran last',
    rights: ['SELECT', 'INSERT', 'UPDATE'],
    unrelated: { claimed_by: 'a server' },
  },
];
