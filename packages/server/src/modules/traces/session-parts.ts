import type { Query } from '../../db/index.ts';
import {
  EVERYONE,
  type LogEvent,
  listSessionWrites,
  listUnnamedWrites,
  type SessionWrite,
  sessionIdOf,
  toIso,
  type Work,
} from '../../kernel/index.ts';
import { evidenceStatus, type Standing } from '../entries/index.ts';
import type { ItemRow, OpenSession, SessionKey, SessionReadRow } from '../sessions/index.ts';
import * as queries from './queries.ts';
import { redactText } from './rules/redact.ts';
import { redactJson } from './rules/redact-json.ts';
import type { TracePart } from './shape.ts';

const PARTS_PER_STEP = 16;

/** The content of a session, as parts of a trace, in steps: each is parsed, and some are redacted. */
export function* partsInSteps({ reads, items }: Pick<OpenSession, 'reads' | 'items'>): Generator<void, TracePart[]> {
  const parts: TracePart[] = [];
  for (const read of reads) {
    parts.push(readPart(read));
    if (parts.length % PARTS_PER_STEP === 0) yield;
  }
  for (const item of items) {
    parts.push(itemPart(item));
    if (parts.length % PARTS_PER_STEP === 0) yield;
  }
  return parts;
}

/** An entry with its standing when it was read. Its value stays in its version, and can be erased there. */
export function readPart(
  read: Omit<SessionReadRow, 'account_id' | 'agent_id' | 'session' | 'standing'> & {
    standing: string | Standing | null;
  },
): TracePart {
  const { confidence } = read;
  const standing = typeof read.standing === 'string' ? (JSON.parse(read.standing) as Standing) : read.standing;
  return {
    kind: 'read',
    visible_to: read.visible_to,
    entity_path: read.entity_path,
    key: read.key,
    entry_id: read.entry_id,
    data: {
      branch: read.branch,
      version: read.version,
      confidence,
      evidence_status: standing ? evidenceStatus(standing, confidence) : 'untested',
      success_count: standing?.success_count ?? 0,
      failure_count: standing?.failure_count ?? 0,
      written_by: read.written_by,
      attempt: read.attempt,
      read_at: toIso(read.read_at),
      duration_ms: read.duration_ms,
    },
  };
}

/** The name of the time in each kind of item. */
const TIME_NAMES = {
  query: 'occurred_at',
  error: 'occurred_at',
  context: 'recorded_at',
  attempt: 'recorded_at',
  action: 'recorded_at',
  llm_call: 'recorded_at',
  span: 'recorded_at',
} as const;

export function itemPart({
  kind,
  at,
  entity_path,
  data,
}: Pick<ItemRow, 'kind' | 'at' | 'entity_path' | 'data'>): TracePart {
  const { visible_to, ...noted } = NOTED[kind]?.(JSON.parse(data)) ?? { ...JSON.parse(data), visible_to: EVERYONE };
  return { kind, visible_to, entity_path, data: { ...noted, [TIME_NAMES[kind]]: toIso(at) } };
}

type NotedData = Record<string, unknown> & { visible_to?: string };

/** Notes hold the caller's words as they came, so they are redacted when the session is sealed. */
const NOTED: Partial<Record<ItemRow['kind'], (data: NotedData) => NotedData & { visible_to: string }>> = {
  query: ({ shown, ...data }) => {
    const numbers = Array.isArray(shown) && shown.length > 0 ? { shown } : {};
    return { visible_to: EVERYONE, ...data, ...numbers, parameters: redactJson(data.parameters) };
  },
  error: (data) => ({ visible_to: EVERYONE, ...data, message: redactText(String(data.message)) }),
};

/** The end of a session's chain, and what it wrote since. */
export type SessionPast = { last: queries.LastTrace | undefined; rows: readonly SessionWrite[] };

export async function loadPast(query: Query, key: SessionKey): Promise<SessionPast> {
  const last = await queries.getLastTrace(query, key);
  const list = sessionIdOf(key.session) === null ? listUnnamedWrites : listSessionWrites;
  return { last, rows: await list(query, key, last?.seq ?? 0) };
}

/** The session's writes up to a `seq`; those of this transaction are not in the table yet. */
export function writeParts(
  { events }: Work,
  key: SessionKey,
  { last, rows, seq }: SessionPast & { seq: number },
): TracePart[] {
  const isNew = (event: LogEvent) => event.seq > (last?.seq ?? 0) && (event.seq > seq || !isLesson(event));
  const pending = events.filter((event) => isWriteOf(event, key) && isNew(event)) as SessionWrite[];
  return [...rows, ...pending].map(({ event_type, entity_path, key, version, visible_to, created_at }) => ({
    kind: 'write',
    visible_to,
    entity_path,
    key,
    data: { event_type, version, written_at: toIso(created_at) },
  }));
}

/** A lesson belongs to its outcome, although its `seq` comes after it. */
const isLesson = ({ details }: LogEvent): boolean => details.includes('"lesson_of":');

const isWriteOf = ({ event_type, entity_path, agent_id, session }: LogEvent, key: SessionKey): boolean =>
  agent_id === key.agent_id &&
  session === key.session &&
  entity_path !== null &&
  (event_type === 'write' || event_type === 'delete');

/** When the session first read, recorded or wrote something. Notes are written slightly later. */
export function startOf({ row, reads, items }: OpenSession, writes: readonly TracePart[] = []): number | null {
  const times = [
    ...(row ? [row.opened_at] : []),
    ...reads.slice(0, 1).map(({ read_at }) => read_at),
    ...items.slice(0, 1).map(({ at }) => at),
    ...writes.slice(0, 1).map(({ data }) => Date.parse((data as { written_at: string }).written_at)),
  ];
  return times.length === 0 ? null : Math.min(...times);
}
