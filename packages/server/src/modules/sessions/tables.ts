import type { Row } from '../../db/index.ts';
import { exported, kindIn, type TenantTable, type Work } from '../../kernel/index.ts';
import { countSession } from './counters.ts';
import { insertItems, insertPages, itemKinds, type SessionRow, upsertSessions } from './queries.ts';

const { bytes: _, recorded: __, ...exportedColumns } = upsertSessions.columns;

/** The bytes of restored sessions are not counted: they go when the session is sealed. */
async function restoreSessions(work: Work, rows: readonly Row[]): Promise<void> {
  const sessions = (rows as unknown as readonly SessionRow[]).map((row) => {
    const isReader = row.items === 0 && row.attempt === 0 && row.attributes === '{}';
    return { ...row, bytes: 0, recorded: Number(!isReader) };
  });
  for (const row of sessions) countSession(work, row);
  work.send(work.tx.insertMany(upsertSessions, sessions));
}

export const tables: readonly TenantTable[] = [
  exported(
    { table: 'sessions', columns: exportedColumns },
    {
      kind: 'session',
      derived: ['bytes', 'recorded'],
      restore: restoreSessions,
      key: ['agent_id', 'session'],
      nullable: ['branch'],
      json: ['attributes'],
      agents: { agent_id: { erased: 'delete the row', counted_as: 'sessions' } },
      rights: { maintenance: ['SELECT (account_id, agent_id, session, last_at)'] },
    },
  ),
  exported(insertPages, {
    kind: 'session_reads',
    key: ['agent_id', 'session', 'no'],
    nullable: ['branch'],
    json: ['reads'],
    agents: { agent_id: { erased: 'delete the row' } },
  }),
  exported(insertItems, {
    kind: 'session_item',
    key: ['agent_id', 'session', 'no'],
    nullable: ['entity_path'],
    json: ['data'],
    check: kindIn(itemKinds),
    agents: { agent_id: { erased: 'delete the row' } },
    entries: { entity_path: 'by its owner' },
  }),
];
