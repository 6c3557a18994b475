import { Fault, invalidInput } from '@mem-service/contract';
import { type Find, isConstraintError, type Row } from '../../db/index.ts';
import {
  addStored,
  bytesOfTexts,
  changed,
  type ExportedTable,
  exclusive,
  NOTHING_STORED,
  requireRoom,
  setAccountCounters,
  unaudited,
  WHOLE_ACCOUNT,
  type Work,
  writes,
} from '../../kernel/index.ts';
import { turnEnd } from '../../turns.ts';
import { exportedTables } from './export.ts';
import * as queries from './queries.ts';
import { checkEmpty } from './receive.ts';
import { LineProblem, readHeader, readRecord } from './rules/format.ts';

const ROWS = 500;

const isNoted = ({ kind }: ExportedTable) => kind.startsWith('session');

const finish = writes<'transfer.finish'>(async (work) => {
  const { tx, account_id, services } = work;
  checkEmpty(work);
  const first = await queries.getLine(tx, account_id, 0);
  if (!first) throw new Fault('conflict', 'no import is under way');
  const header = fitting(() => readHeader(first.line), 0);
  const tables = exportedTables(services);
  // Deletes notes of reads that found nothing; what was counted so far are these and the lines.
  Object.assign(work.account, NOTHING_STORED);
  for (const table of tables.filter(isNoted)) await queries.deleteRows(tx, account_id, table);
  const found = await restoreAll(work, tables);
  checkCounts(header.counts, found);
  await queries.deleteLines(tx, account_id);
  const { seq, audit_no, audit_hash, item_no, last_at } = header;
  Object.assign(work.account, { seq, audit_no, audit_hash, item_no, last_at });
  requireRoom(work, { bytes: 0, entries: 0 });
  await setAccountCounters(tx, account_id, work.account);
  return changed({ seq, counts: header.counts }, { resource: WHOLE_ACCOUNT, before: null, after: null });
});

type RecordCounts = Record<string, number>;

async function restoreAll(work: Work, tables: readonly ExportedTable[]): Promise<RecordCounts> {
  const { tx, account_id } = work;
  const found: RecordCounts = Object.fromEntries(tables.map(({ kind }) => [kind, 0]));
  for (let after = 0, more = true; more; ) {
    const lines = await queries.listLines(tx, account_id, { after, limit: ROWS });
    let part: TableRows | undefined;
    for (const { line, no } of lines) {
      await turnEnd();
      const { table, row } = fitting(() => readRecord(tables, line), no);
      if (part && part.table !== table) await restorePart(work, part);
      if (part?.table !== table) part = { table, rows: [], first: no };
      part.rows.push({ account_id, ...row });
      found[table.kind] = (found[table.kind] ?? 0) + 1;
    }
    if (part) await restorePart(work, part);
    after = lines.at(-1)?.no ?? after;
    more = lines.length === ROWS;
    // SQLite works on this thread: lets requests run in between.
    await new Promise(setImmediate);
  }
  return found;
}

/** Lines were checked when they arrived, but perhaps by another release. */
function fitting<T>(read: () => T, no: number): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LineProblem)) throw error;
    throw new Fault('conflict', `line ${no + 1} ${error.message}: discard the import and begin again`);
  }
}

/** Rows of successive lines, from one on. */
type TableRows = { table: ExportedTable; rows: Row[]; first: number };

async function restorePart(work: Work, part: TableRows): Promise<void> {
  const { table, rows } = part;
  for (const name of Object.keys(table.refers)) await requireNamed(work, part, name);
  try {
    const { stored } = table;
    if (stored) addStored(work, { storage_bytes: bytesOfTexts(rows.flatMap(stored)) });
    if (table.restore) await table.restore(work, rows);
    else work.send(work.tx.insertMany(insertOf(table), rows));
    // Waits before the next page is read, so that at most one page is pending.
    await work.waitForSent();
  } catch (error) {
    if (!isConstraintError(error)) throw error;
    throw new Fault('conflict', `records of the kind ${table.kind} contradict each other`, { kind: table.kind });
  }
}

/** What the rows name is restored by now. */
async function requireNamed(
  { tx, account_id, services }: Work,
  { table, rows, first }: TableRows,
  name: string,
): Promise<void> {
  const named = exportedTables(services).find(({ kind }) => kind === table.refers[name]);
  const naming = rows.flatMap((row, i) => (row[name] === null ? [] : [{ value: row[name] ?? null, no: first + i }]));
  if (!named || naming.length === 0) return;
  const found = await tx.findMany(
    findByKey(named),
    naming.map(({ value }) => [account_id, value]),
  );
  const unknown = naming.find((_, i) => found[i] === undefined);
  if (unknown === undefined) return;
  const { value, no } = unknown;
  const message = `line ${no + 1} of the file ${name} names ${JSON.stringify(value)}, which no line before it has: discard the import`;
  throw invalidInput([{ path: `lines.${no}`, message }]);
}

const finds = new Map<ExportedTable, Find>();

/** Returns the same object each time, as with inserts. */
function findByKey(table: ExportedTable): Find {
  const [column = ''] = table.key;
  const by = { account_id: 'text', [column]: 'text' } as const;
  const known = finds.get(table) ?? { table: table.table, select: column, by };
  finds.set(table, known);
  return known;
}

const inserts = new Map<ExportedTable, { table: string; columns: ExportedTable['columns'] }>();

/** Returns the same object each time, because statements derived from it are cached. */
function insertOf(table: ExportedTable) {
  const known = inserts.get(table) ?? { table: table.table, columns: table.columns };
  inserts.set(table, known);
  return known;
}

function checkCounts(declared: RecordCounts, found: RecordCounts): void {
  const wrong = Object.keys({ ...found, ...declared }).find((kind) => (declared[kind] ?? 0) !== (found[kind] ?? 0));
  if (wrong === undefined) return;
  const message = `the header declares ${declared[wrong] ?? 0} records of the kind ${wrong}, but ${found[wrong] ?? 0} were received`;
  throw new Fault('conflict', message, { kind: wrong });
}

/** Exclusive: no other write runs meanwhile, and earlier notes are stored, so that they can be deleted. */
export const finishImport = unaudited(exclusive(finish));
