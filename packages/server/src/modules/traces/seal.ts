import { createHmac, hash } from 'node:crypto';
import { addStored, EVERYONE, startWithin, type Work } from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import * as queries from './queries.ts';
import type { TraceHeader, TracePart } from './shape.ts';
import { indexTraces } from './text.ts';

export type NewTrace = {
  trace_id: string;
  /** The `seq` of the event that seals it. */
  seq: number;
  agent_id: string;
  session: string;
  branch: string;
  outcome_ref: string | null;
  outcome_type: string | null;
  visible_to: string;
  header: TraceHeader;
  parts: readonly TracePart[];
  /** The ledger lines of the same outcome, see `ledgerKey`. */
  ledger?: ReadonlySet<string>;
};

export const ledgerKey = (line: { entry_id?: number | null; visible_to: string }): string =>
  `${line.entry_id} ${line.visible_to}`;

const sha256 = (text: string): string => hash('sha256', text, 'hex');

type HashedPart = Pick<queries.TraceItemRow, 'kind' | 'visible_to' | 'entity_path' | 'key' | 'entry_id' | 'data'>;

export const partHash = ({ kind, visible_to, entity_path, key, entry_id, data }: HashedPart): string =>
  sha256(JSON.stringify([kind, visible_to, entity_path, key, entry_id, data]));

export const headerHash = (header: string): string => sha256(header);

/**
 * Covers a trace's parts, the trace before it and the key it is signed with. An erased part is still represented by its
 * hash.
 */
export function traceHash(row: Omit<queries.TraceRow, 'hash' | 'signature'>, parts: readonly string[]): string {
  return sha256(
    JSON.stringify([
      row.trace_id,
      row.agent_id,
      row.session,
      row.sequence,
      row.branch,
      row.outcome_ref,
      row.outcome_type,
      row.visible_to,
      row.created_at,
      row.header_hash ?? row.header,
      row.parent_hash,
      row.key_id,
      parts,
    ]),
  );
}

export const signatureOf = (signingKey: string, hash: string): string =>
  createHmac('sha256', signingKey).update(hash).digest('hex');

/** Distinguishes signing keys without revealing them. */
export const keyIdOf = (signingKey: string): string => sha256(`mem trace key\n${signingKey}`).slice(0, 16);

/** A trace that is ready to be written, and the bytes of its texts. */
export type SealedTrace = {
  row: queries.TraceRow;
  items: queries.NewTraceItem[];
  header: TraceHeader;
  bytes: number;
};

const PARTS_PER_STEP = 16;
/** A longer part is a step of its own. */
const STEP_CHARS = 16 * 1024;
/** Parts that are written with one statement have up to so many characters, or are one. */
const STATEMENT_CHARS = 512 * 1024;
const PARTS_PER_STATEMENT = 2000;

/** Builds an immutable trace, the next of its session after the `last` one. */
export async function sealTrace(
  work: Work,
  trace: NewTrace,
  last: queries.LastTrace | undefined,
): Promise<SealedTrace> {
  const { parts, header, ledger, ...rest } = trace;
  const { account_id, now, services } = work;
  const items: queries.NewTraceItem[] = [];
  let bytes = 0;
  for (const [no, part] of parts.entries()) {
    const { kind, visible_to = EVERYONE, entity_path = null, key = null, entry_id = null } = part;
    const in_ledger = Number(entry_id !== null && ledger?.has(ledgerKey({ entry_id, visible_to })) === true);
    const data = JSON.stringify(part.data);
    const hash = partHash({ kind, visible_to, entity_path, key, entry_id, data });
    items.push({ account_id, seq: trace.seq, no, kind, visible_to, entity_path, key, entry_id, data, hash, in_ledger });
    bytes += Buffer.byteLength(data);
    if (no % PARTS_PER_STEP === PARTS_PER_STEP - 1 || data.length > STEP_CHARS) await pause();
  }
  const signingKey = services.settings.trace_signing_key;
  const text = JSON.stringify(header);
  const unsealed = {
    account_id,
    sequence: (last?.sequence ?? 0) + 1,
    created_at: now,
    header: text,
    header_hash: headerHash(text),
    parent_hash: last?.hash ?? null,
    key_id: signingKey === null ? null : keyIdOf(signingKey),
    has_error: Number(items.some(({ kind }) => kind === 'error')),
    ...rest,
  };
  const sealed = traceHash(
    unsealed,
    items.map((item) => item.hash),
  );
  const signature = signingKey === null ? null : signatureOf(signingKey, sealed);
  return { row: { hash: sealed, signature, ...unsealed }, items, header, bytes: bytes + Buffer.byteLength(text) };
}

/** Sends the rows together; the transaction waits for them before it ends. */
export async function saveTraces(work: Work, traces: readonly SealedTrace[]): Promise<void> {
  if (traces.length === 0) return;
  addStored(work, { storage_bytes: traces.reduce((sum, { bytes }) => sum + bytes, 0) });
  await indexTraces(work, traces);
  const items = traces.flatMap((trace) => trace.items);
  for (let at = 0; at < items.length; ) {
    const some = startWithin(
      items.slice(at, at + PARTS_PER_STATEMENT),
      STATEMENT_CHARS,
      ({ data }) => data?.length ?? 0,
    );
    work.send(work.tx.insertMany(queries.insertTraceItems, some));
    at += some.length;
  }
}
