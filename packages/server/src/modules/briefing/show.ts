import { attachRaw, type JsonText } from '@mem-service/contract';
import { type ReadContext, toIso, toIsoOrNull } from '../../kernel/index.ts';
import { findDocumentsWithin } from '../entries/index.ts';
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

function rawValue(document: string): JsonText {
  const parsed = JSON.parse(document) as { value: JsonText };
  attachRaw(document, parsed, [['value']]);
  return parsed.value;
}

function toBriefed(row: BriefedRow, value: JsonText | undefined, most: number): BriefedEntry {
  const { standing_now, status }: NotableEntry = toKnown(row);
  return {
    entity_path: row.entity_path,
    key: row.key,
    version: row.version,
    memory_type: row.memory_type as BriefedEntry['memory_type'],
    ...shortValue(value, row.deleted === 1, most),
    confidence: row.confidence,
    evidence_status: status,
    success_count: standing_now.success_count,
    failure_count: standing_now.failure_count,
    last_outcome_at: toIsoOrNull(standing_now.last_outcome_at),
    agent_id: row.agent_id,
    written_at: toIso(row.written_at),
  };
}

function shortValue(value: JsonText | undefined, isDeleted: boolean, most: number) {
  if (value === undefined) return { value: null, value_truncated: !isDeleted };
  const plain = value.value;
  const text = typeof plain === 'string' ? plain : value.text;
  if (text.length <= most) return { value: value as unknown as BriefedEntry['value'], value_truncated: false };
  return { value: text.slice(0, most).toWellFormed(), value_truncated: true };
}
