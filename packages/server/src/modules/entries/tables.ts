import { Fault } from '@mem-service/contract';
import type { Find, Row } from '../../db/index.ts';
import { exported, type TenantTable, type Work } from '../../kernel/index.ts';
import { indexWords } from '../text/index.ts';
import { insertVersions, upsertEntries, upsertEntriesWithWords } from './queries.ts';
import { type EntryRow, fromDocument, type VersionRow, versionColumns } from './rows.ts';

/** What an entry is beyond its newest version. */
const headColumns = {
  account_id: 'text',
  entry_id: 'int',
  version: 'int',
  confidence: 'real',
  standing: 'text',
  standing_no: 'int',
  recall_count: 'int',
} as const;

type Head = Pick<EntryRow, keyof typeof headColumns>;

const findVersions: Find = {
  table: 'versions',
  select: Object.keys(versionColumns).join(', '),
  by: { account_id: 'text', entry_id: 'int', version: 'int' },
};

/** Makes the current rows from the newest versions, which are there by now, and finds them by their words again. */
async function restoreHeads(work: Work, rows: readonly Row[]): Promise<void> {
  const heads = rows as unknown as readonly Head[];
  const keys = heads.map(({ entry_id, version }) => [work.account_id, entry_id, version]);
  const versions = await work.tx.findMany<VersionRow>(findVersions, keys);
  const restored = heads.map((head, i) => toEntry(head, versions[i]));
  const words = indexWords(work, restored.map(wordChange));
  const entries = restored.map(({ entry }, i) => ({ ...entry, ...words?.[i] }));
  work.send(work.tx.insertMany(words ? upsertEntriesWithWords : upsertEntries, entries));
}

type Restored = { entry: EntryRow; value: unknown };

function toEntry(head: Head, version: VersionRow | undefined): Restored {
  if (!version) throw new Fault('conflict', `entry ${head.entry_id} has no version ${head.version} in the import`);
  const { commit_id: _, ...newest } = version;
  const { origin, value, memory_type, is_artifact, pattern_refs } = fromDocument(version);
  const { branch, entity_path, key } = origin;
  const entry = { ...newest, branch, entity_path, key, memory_type, is_artifact, pattern_refs, ...head };
  return { entry, value: version.deleted === 1 ? undefined : JSON.parse(value) };
}

const wordChange = ({ entry, value }: Restored) => ({
  oldSeq: undefined,
  seq: entry.seq,
  entity_path: entry.entity_path,
  key: entry.key,
  value,
});

export const tables: readonly TenantTable[] = [
  exported(insertVersions, {
    kind: 'version',
    key: ['entry_id', 'version'],
    nullable: ['ttl_at', 'commit_id'],
    json: ['document'],
  }),
  exported(
    { table: 'entries', columns: headColumns },
    {
      kind: 'entry',
      key: ['entry_id'],
      nullable: ['standing'],
      json: ['standing'],
      derived: [
        ...Object.keys(versionColumns).filter((name) => name !== 'commit_id' && !(name in headColumns)),
        ...['branch', 'entity_path', 'key', 'memory_type', 'is_artifact', 'pattern_refs'],
        ...['search_words', 'word_count', 'line_seq', 'line_no'],
      ],
      words: 'entry_words',
      restore: restoreHeads,
    },
  ),
];
