import {
  type Caller,
  Fault,
  findEntriesByNumber,
  mayAgentSee,
  type Output,
  type Query,
  readableBranches,
  type Services,
} from '@mem-service/server/module';
import { type DetectedRow, getPattern } from './queries.ts';
import { evidenceIn } from './render.ts';

export type PatternReader = { caller: Caller; services: Services; read: Query };

export const readerOf = (services: Services, caller: Caller): PatternReader => ({
  ...{ caller, services },
  read: services.database.forAccount(caller.account_id).read,
});

type EvidenceEntry = Output<'detected_patterns.read'>['entries'][number];

/** The entries that each pattern was found in, as far as the caller may see them now. */
export async function entriesOf(
  { read, caller }: PatternReader,
  rows: readonly DetectedRow[],
): Promise<EvidenceEntry[][]> {
  const lists = rows.map((row) => evidenceIn(row).entries);
  const heads = await findEntriesByNumber(read, caller.account_id, lists.flat());
  let at = 0;
  return lists.map((list) =>
    list.flatMap(({ version, group = null }) => {
      const head = heads[at++];
      if (head?.deleted !== 0 || !mayAgentSee(head, caller.agent_id)) return [];
      const { entity_path, key, branch, agent_id } = head;
      return [{ entity_path, key, branch, version, newest_version: head.version, agent_id, group }];
    }),
  );
}

/** Of a path where the caller can see nothing any more, not even the name is shown. */
export const isShown = (row: DetectedRow, entries: readonly EvidenceEntry[]): boolean =>
  row.entity_path === null || entries.length > 0;

export async function requirePattern(reader: PatternReader, patternId: string): Promise<DetectedRow> {
  const row = await getPattern(reader.read, reader.caller.account_id, patternId);
  const asked = row && readableBranches(reader, [row.branch]);
  const readable = asked && (await asked);
  const isReadable = row !== undefined && (readable?.has(row.branch) ?? true);
  const [entries] = isReadable ? await entriesOf(reader, [row]) : [];
  if (!isReadable || !entries || !isShown(row, entries))
    throw new Fault('not_found', `there is no pattern ${patternId}`, { pattern_id: patternId });
  return row;
}
