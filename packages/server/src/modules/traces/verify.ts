import type { Output } from '@mem-service/contract';
import {
  cursorsOf,
  cutPage,
  groupBySeq,
  listReadable,
  pageBytes,
  type ReadContext,
  reads,
} from '../../kernel/index.ts';
import { traceNotFound } from './not-found.ts';
import * as queries from './queries.ts';
import { listTracesInOrder } from './read-queries.ts';
import { headerHash, keyIdOf, partHash, signatureOf, traceHash } from './seal.ts';
import type { TraceHeader } from './shape.ts';
import { viewerOf } from './viewer.ts';

type TraceProblem = Output<'traces.verify'>['problems'][number];

const cursors = cursorsOf('traces.verify', ['number']);

/** Oldest first, so that each chain is followed from its beginning. */
export const verify = reads<'traces.verify'>(async (context, input) => {
  const { scan, services, dialect } = context;
  const after = input.cursor === undefined ? 0 : cursors.from(input.cursor)[0];
  const asked = { after, trace_id: input.trace_id, limit: input.limit + 1, bytes: pageBytes(services) };
  const found = await listReadable(context, { columns: ['branch'], dialect }, (filters) =>
    listTracesInOrder(scan, viewerOf(context), { ...asked, filters }),
  );
  if (input.trace_id !== undefined && found.rows.length === 0) throw traceNotFound(input.trace_id);
  const { items, ...page } = cutPage(found, input.limit, (row) => cursors.to([row.seq]));
  const problems: TraceProblem[] = [];
  const before = await hashesBefore(context, items);
  for (let at = 0; at < items.length; at += TRACES_AT_ONCE)
    problems.push(...(await problemsOf(context, items.slice(at, at + TRACES_AT_ONCE), before)));
  return { total_checked: items.length, valid: items.length - problems.length, problems, ...page };
});

/** A trace may have thousands of parts. */
const TRACES_AT_ONCE = 100;

/** The hashes of the previous traces in their sessions, where there are any. */
type HashesBefore = ReadonlyMap<queries.TraceRow, string>;

async function hashesBefore({ scan }: ReadContext, rows: readonly queries.TraceRow[]): Promise<HashesBefore> {
  const sessions = rows.map((row) => [row.account_id, row.agent_id, row.session]);
  const [before, ends] = await Promise.all([
    scan.findMany<{ hash: string }>(
      queries.findInChain,
      rows.map((row, i) => [...(sessions[i] as string[]), row.sequence - 1]),
    ),
    scan.findMany<queries.ChainEnd>(queries.findChainEnds, sessions),
  ]);
  const hashes = new Map<queries.TraceRow, string>();
  for (const [i, row] of rows.entries()) {
    const end = ends[i]?.sequence === row.sequence - 1 ? ends[i]?.hash : undefined;
    const hash = before[i]?.hash ?? end;
    if (hash !== undefined) hashes.set(row, hash);
  }
  return hashes;
}

async function problemsOf(
  context: ReadContext,
  rows: readonly queries.TraceRow[],
  hashes: HashesBefore,
): Promise<TraceProblem[]> {
  const partsOf = groupBySeq(await checkedParts(context, rows));
  return rows.flatMap((row) => {
    const problem = problemOf(context, row, { parts: partsOf.get(row.seq) ?? [], before: hashes.get(row) });
    return problem ? [{ trace_id: row.trace_id, ...problem }] : [];
  });
}

/** A part without its data. */
type CheckedPart = Pick<queries.TraceItemRow, 'seq' | 'no' | 'kind' | 'hash'> & { isChanged: boolean };

/** Parts read before other requests get a turn. */
const TURN_BYTES = 1024 * 1024;

/** Checks the parts of traces a few at a time, so that their data is never in memory all at once. */
async function checkedParts({ scan, caller }: ReadContext, rows: readonly queries.TraceRow[]): Promise<CheckedPart[]> {
  const seqs = new Set(rows.map(({ seq }) => seq));
  const [first, last] = [rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? 0];
  const parts: CheckedPart[] = [];
  for (let after: queries.PartPosition | undefined = { seq: first, no: -1 }; after; ) {
    const page = { after, last_seq: last, bytes: TURN_BYTES };
    const found = await queries.listPartsInOrder(scan, caller.account_id, page);
    for (const part of found.rows) {
      const { seq, no, kind, hash, data } = part;
      if (seqs.has(seq)) parts.push({ seq, no, kind, hash, isChanged: data !== null && partHash(part) !== hash });
    }
    after = found.more || found.rows.length === queries.PARTS_AT_ONCE ? found.rows.at(-1) : undefined;
  }
  return parts;
}

/** The parts of a trace, and the hash of the trace before it in its session. */
type Around = { parts: readonly CheckedPart[]; before: string | undefined };

function problemOf(
  context: ReadContext,
  row: queries.TraceRow,
  { parts, before }: Around,
): Omit<TraceProblem, 'trace_id'> | undefined {
  const changed = parts.find((part) => part.isChanged);
  if (changed) return { reason: 'part_changed', detail: `part ${changed.no} (${changed.kind}) is not what was sealed` };
  const missing = parts.findIndex((part, i) => part.no !== i);
  if (missing >= 0) return { reason: 'part_missing', detail: `part ${missing} is missing` };
  const hashes = parts.map((part) => part.hash);
  const isErased = (JSON.parse(row.header) as TraceHeader).payloads_erased === true;
  if (!isErased && row.header_hash !== null && headerHash(row.header) !== row.header_hash)
    return { reason: 'changed', detail: 'its head is not what was sealed' };
  // An older seal covers the header itself, so after erasure only the trace's place in the chain can be verified.
  const isReported = !isErased || row.header_hash !== null;
  if (isReported && traceHash(row, hashes) !== row.hash)
    return { reason: 'changed', detail: 'the trace or the number of its parts is not what was sealed' };
  return chainProblem(row, before) ?? signatureProblem(context, row);
}

function chainProblem(row: queries.TraceRow, before: string | undefined) {
  const isWhole = row.sequence === 1 ? row.parent_hash === null && !before : before === row.parent_hash;
  if (isWhole) return undefined;
  return { reason: 'chain_broken' as const, detail: `it does not follow number ${row.sequence - 1} of its session` };
}

function signatureProblem({ services }: ReadContext, row: queries.TraceRow) {
  const signingKey = services.settings.trace_signing_key;
  // Sealed before there was a signing key.
  if (row.key_id === null && row.signature === null) return undefined;
  if (signingKey === null || keyIdOf(signingKey) !== row.key_id)
    return { reason: 'unknown_key' as const, detail: `it was signed with the key ${row.key_id}` };
  if (signatureOf(signingKey, row.hash) === row.signature) return undefined;
  return { reason: 'bad_signature' as const, detail: 'the signature does not fit' };
}
