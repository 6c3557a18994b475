import { createHash } from 'node:crypto';
import { Fault, type FieldError, type Input, invalidInput } from '@mem-service/contract';
import type { Query } from '../../db/index.ts';
import {
  type AuditedChange,
  addStored,
  bytesOfTexts,
  changed,
  type ExportedTable,
  type Handlers,
  prepares,
  readAccount,
  reads,
  requireRoom,
  type Services,
  unaudited,
  unchanged,
  WHOLE_ACCOUNT,
  type Work,
  writes,
} from '../../kernel/index.ts';
import { pause } from '../../turns.ts';
import { exportedTables } from './export.ts';
import { deleteLines, getLastLine, getLine, insertLines, listLines, sumLines } from './queries.ts';
import { type ExportHeader, type ExportRecord, LineProblem, readHeader, readRecord } from './rules/format.ts';
import { orderProblem } from './rules/order.ts';

const status = reads<'transfer.status'>(async ({ read, caller: { account_id } }) => {
  const [account, first, last] = await Promise.all([
    readAccount(read, account_id),
    getLine(read, account_id, 0),
    getLastLine(read, account_id),
  ]);
  return {
    received: last ? last.no + 1 : 0,
    header: first ? knownHeader(first.line) : null,
    last_line_hash: last ? createHash('sha256').update(last.line).digest('hex') : null,
    seq: account?.seq ?? 0,
    is_empty: account?.seq === 0 && account.audit_no === 0,
  };
});

/** A header that another release received may have a format that this one does not support. */
function knownHeader(line: string): ExportHeader | null {
  try {
    return readHeader(line);
  } catch {
    return null;
  }
}

/** Every change of an account is audited except notes of reads, and those are no reason to refuse. */
export function checkEmpty({ account }: Work): void {
  if (account.seq === 0 && account.audit_no === 0) return;
  const message = 'an export goes into an empty account, and this one is not empty';
  throw new Fault('conflict', message, { seq: account.seq });
}

/** Received lines are stored beside the account until all have arrived. */
const LINES: AuditedChange = { resource: WHOLE_ACCOUNT, before: null, after: null };

const add = writes<'transfer.add'>(async (work, { input, prepared }) => {
  const { from, lines, dry_run } = input;
  const read = prepared as readonly ReadLine[];
  await work.locked;
  const { account_id, tx } = work;
  const last = await getLastLine(tx, account_id);
  const received = last ? last.no + 1 : 0;
  if (dry_run) {
    checkLines(work, { from, read, last: undefined });
    return unchanged({ dry_run, received });
  }
  checkEmpty(work);
  if (from + lines.length <= received && (await isKnown(tx, account_id, input)))
    return unchanged({ dry_run, received });
  if (from !== received)
    throw new Fault(
      'conflict',
      `${received} lines have been received, so the next is number ${received}, not ${from}`,
      {
        received,
      },
    );
  checkLines(work, { from, read, last: last?.line });
  const bytes = bytesOfTexts(lines);
  requireRoom(work, { bytes });
  addStored(work, { storage_bytes: bytes });
  const rows = lines.map((line, i) => ({ account_id, no: from + i, line }));
  await tx.insertMany(insertLines, rows);
  return changed({ dry_run, received: from + lines.length }, LINES);
});

/** How many stored lines are compared at once. */
const COMPARED = 500;

/** Whether the call is a retry whose lines are already stored. */
async function isKnown(query: Query, accountId: string, { from, lines }: Input<'transfer.add'>): Promise<boolean> {
  for (let at = 0; at < lines.length; at += COMPARED) {
    const some = lines.slice(at, at + COMPARED);
    const known = await listLines(query, accountId, { after: from + at - 1, limit: some.length });
    if (some.some((line, i) => known[i]?.line !== line)) return false;
  }
  return true;
}

/** The limit of reported problems, however many lines are invalid. */
const MAX_PROBLEMS = 20;

/** The key of the record in a line, or what is wrong with it; the header is no record. */
type ReadLine = { record?: ExportRecord; problem?: string };

/** Beside other requests, as a call may bring much to check. */
async function readLines(services: Services, { from, lines }: Input<'transfer.add'>): Promise<readonly ReadLine[]> {
  const tables = exportedTables(services);
  const read: ReadLine[] = [];
  let problems = 0;
  for (const [i, line] of lines.entries()) {
    await pause();
    const one = readLine(tables, line, from + i === 0);
    read.push(one);
    if (one.problem !== undefined && ++problems === MAX_PROBLEMS) break;
  }
  return read;
}

function readLine(tables: readonly ExportedTable[], line: string, isHeader: boolean): ReadLine {
  try {
    if (!isHeader) return { record: keyOf(readRecord(tables, line)) };
    readHeader(line);
    return {};
  } catch (error) {
    if (!(error instanceof LineProblem)) throw error;
    return { problem: error.message };
  }
}

/** The rest of a record is not kept in memory. */
const keyOf = ({ table, row }: ExportRecord): ExportRecord => ({
  table,
  row: Object.fromEntries(table.key.map((name) => [name, row[name] ?? null])),
});

type LinesAfter = { from: number; read: readonly ReadLine[]; last: string | undefined };

/** Lines are counted from 1, as editors do. */
function checkLines({ services }: Work, { from, read, last }: LinesAfter): void {
  const tables = exportedTables(services);
  const errors: FieldError[] = [];
  let before: ExportRecord | undefined = from > 1 && last !== undefined ? readRecord(tables, last) : undefined;
  for (const [i, { record, problem }] of read.entries()) {
    const wrong = problem ?? (record && orderProblem(tables, before, record));
    if (wrong === undefined) {
      before = record ?? before;
      continue;
    }
    errors.push({ path: `lines.${i}`, message: `line ${from + i + 1} of the file ${wrong}` });
    if (errors.length === MAX_PROBLEMS) break;
  }
  if (errors.length > 0) throw invalidInput(errors);
}

const discard = writes<'transfer.discard'>(async (work) => {
  const bytes = await sumLines(work.tx, work.account_id);
  addStored(work, { storage_bytes: -bytes });
  return changed({ discarded: await deleteLines(work.tx, work.account_id) }, LINES);
});

/** Writes no audit line: the exported account does not have it. */
export const receiveHandlers: Handlers = {
  'transfer.status': unaudited(status),
  'transfer.add': unaudited(prepares<'transfer.add'>(readLines, add)),
  'transfer.discard': unaudited(discard),
};
