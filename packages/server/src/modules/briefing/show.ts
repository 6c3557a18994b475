import type { JsonText } from '@mem-service/contract';
import { type ReadContext, toIso, toIsoOrNull } from '../../kernel/index.ts';
import { findDocumentsWithin, rawValue, shortValue } from '../entries/index.ts';
import type { BriefingAnswer } from './handlers.ts';
import { type NotableEntry, toKnown } from './known-entries.ts';
import type { BriefedRow } from './queries.ts';

type BriefedEntry = BriefingAnswer['validated'][number];

/** Characters of a value that are shown, and of one in a compact briefing. */
const VALUE_CHARS = 1_000;
const COMPACT_CHARS = 240;
/** Documents of all entries shown; what is beyond is shown without its value. */
const MAX_BYTES = 512 * 1024;

/** Loads the values of entries, and shows each of them in short. */
export async function loadValues(
  { scan, view }: ReadContext,
  rows: readonly BriefedRow[],
  isCompact: boolean,
): Promise<{ show: (row: BriefedRow) => BriefedEntry; rawValueOf: (row: BriefedRow) => unknown }> {
  const numbers = [...new Map(rows.map((row) => [row.entry_id, row])).values()];
  const { documents } = await findDocumentsWithin(scan, view.account_id, { numbers, bytes: MAX_BYTES });
  const values = new Map<number, JsonText>();
  for (const [at, { entry_id }] of numbers.entries()) {
    const document = documents[at];
    if (document !== undefined) values.set(entry_id, rawValue(document));
  }
  const most = isCompact ? COMPACT_CHARS : VALUE_CHARS;
  return {
    show: (row) => toBriefed(row, row.deleted === 1 ? undefined : values.get(row.entry_id), most),
    rawValueOf: ({ entry_id }) => values.get(entry_id)?.value,
  };
}

function toBriefed(row: BriefedRow, value: JsonText | undefined, most: number): BriefedEntry {
  const { standing_now, status }: NotableEntry = toKnown(row);
  return {
    entity_path: row.entity_path,
    key: row.key,
    version: row.version,
    memory_type: row.memory_type as BriefedEntry['memory_type'],
    ...(value ? shortValue(value, most) : { value: null, value_truncated: row.deleted === 0 }),
    confidence: row.confidence,
    evidence_status: status,
    success_count: standing_now.success_count,
    failure_count: standing_now.failure_count,
    last_outcome_at: toIsoOrNull(standing_now.last_outcome_at),
    agent_id: row.agent_id,
    written_at: toIso(row.written_at),
  };
}
