import { Fault } from '@mem-service/contract';
import type { Row } from '../../db/index.ts';
import { addStored, exported, restoreProjections, type TenantTable, type Work } from '../../kernel/index.ts';
import { insertKept } from './kept-entries.ts';
import { MOVED, unusedName } from './migrations.ts';
import { type EntryRow, fromDocument, type VersionRow, versionColumns } from './rows.ts';
import { type HeadChange, saveHeads } from './save-heads.ts';
import { insertStandings, standingRow, stoodRelation } from './standings.ts';
import { headProblem, versionProblem } from './stored-version.ts';
import { findWholeVersions, insertVersions } from './version-queries.ts';

/** The columns of an entry besides those of its newest version; all but the first three may be those of its standing. */
const exportedColumns = {
  account_id: 'text',
  entry_id: 'int',
  version: 'int',
  confidence: 'real',
  standing: 'text',
  standing_no: 'int',
  recall_count: 'int',
} as const;

type HeadRow = Pick<EntryRow, keyof typeof exportedColumns>;

/** Rebuilds the heads from the newest versions, which are restored by now, and applies the projections. */
async function restoreHeads(work: Work, rows: readonly Row[]): Promise<void> {
  const heads = rows as unknown as readonly HeadRow[];
  const keys = heads.map(({ entry_id, version }) => [work.account_id, entry_id, version]);
  const versions = await work.tx.findMany<VersionRow>(findWholeVersions, keys);
  const restored = heads.map((head, i) => toChange(head, versions[i]));
  addStored(work, { storage_entries: restored.filter(({ after }) => after.deleted === 0).length });
  await saveHeads(work, restored);
  const stood = heads.filter(({ standing, recall_count }) => standing !== null || recall_count > 0);
  const standings = stood.map((head) => ({ ...standingRow(head), recall_count: head.recall_count }));
  if (standings.length > 0) work.send(work.tx.insertMany(insertStandings, standings));
  await restoreProjections(work, restored);
}

function toChange(head: HeadRow, version: VersionRow | undefined): HeadChange {
  if (!version) throw new Fault('conflict', `entry ${head.entry_id} has no version ${head.version} in the import`);
  const { commit_id: _, ...newest } = version;
  const { origin, value, memory_type, is_artifact, pattern_refs } = fromDocument(version);
  const { branch, entity_path, key } = origin;
  const after = { ...newest, branch, entity_path, key, memory_type, is_artifact, pattern_refs, ...head };
  const parsed = version.deleted === 1 ? undefined : JSON.parse(value);
  return { before: undefined, after, value: parsed, replaced: undefined };
}

export const tables: readonly TenantTable[] = [
  exported(insertVersions, {
    kind: 'version',
    key: ['entry_id', 'version'],
    nullable: ['ttl_at', 'commit_id'],
    json: ['document'],
    check: versionProblem,
    stored: ({ document }) => [document as string | null],
    agents: { agent_id: { erased: 'by its owner' } },
    planner: {
      sqlite_autoindex_versions_1: '2000000 2000000 2 1',
      versions_by_commit: '1000000 1000000 10',
    },
  }),
  exported(
    { table: 'entries', columns: exportedColumns },
    {
      kind: 'entry',
      key: ['entry_id'],
      nullable: ['standing'],
      json: ['standing'],
      // Without these statistics SQLite scans all entries of a scope for each number it looks up.
      planner: {
        sqlite_autoindex_entries_1: '1000000 1000000 1000000 20 1',
        entries_by_seq: '1000000 1000000 1000000 1',
        entries_by_agent: '1000000 1000000 1000000 1000 1',
        entries_by_id: '1000000 1000000 1',
      },
      derived: [
        ...Object.keys(versionColumns).filter((name) => name !== 'commit_id' && !(name in exportedColumns)),
        ...['branch', 'entity_path', 'key', 'memory_type', 'is_artifact', 'pattern_refs'],
        ...['search_words', 'word_count'],
        ...MOVED.map(unusedName),
      ],
      agents: { agent_id: { erased: 'by its owner' } },
      entries: { entity_path: 'by its owner', key: 'by its owner' },
      rights: { maintenance: ['SELECT (account_id, branch, entity_path, key, ttl_at, deleted)'] },
      check: headProblem,
      relation: (accountId) => stoodRelation(Object.keys(exportedColumns), accountId),
      restore: restoreHeads,
    },
  ),
  {
    table: 'standings',
    key: ['entry_id'],
    left_out: 'exported with its entry',
    erased_with: 'its entry, and validators are renamed in it',
    // More rows than any account has: a statement must begin with what it looks for, and not with this.
    planner: { standings: '1000000 1000000 1', standings_by_evidence: '1000000 1000000 300000 1' },
  },
  exported(insertKept, {
    kind: 'kept_entry',
    key: ['entry_id', 'until_seq'],
    nullable: ['ttl_at', 'standing', 'line_seq', 'line_no'],
    json: ['standing'],
    check: headProblem,
    agents: { agent_id: { erased: 'by its owner' } },
    entries: { entity_path: 'by its owner', key: 'by its owner' },
    planner: {
      kept_entries: '1000000 1000000 2 1',
      kept_entries_by_name: '1000000 1000000 1000000 20 2 1',
      kept_entries_by_seq: '1000000 1000000 1000000 2 1',
    },
  }),
];
