import { Worker } from 'node:worker_threads';
import type { ByteLimit, FirstRows, Query } from './database.ts';
import type { Find, Sql, SqlValue } from './sql.ts';
import { translate } from './sqlite-errors.ts';
import { type FindKey, findChunks, placeRows } from './sqlite-find.ts';
// biome-ignore lint/correctness/useImportExtensions: it is JavaScript, for a thread too
import { compileRowBuilder, type RowBuilder } from './sqlite-first.mjs';
import { plannedOnce } from './sqlite-limit.ts';
import { endOfThread } from './thread-end.ts';

/** With a limit, its first rows are wanted; or how many rows it changed. */
export type ThreadStatement = Sql & { limit?: ByteLimit; isCounted?: true };
/** Where statements are in a transaction. After an error none of its steps are done, until it begins or goes back. */
export type TransactionPart = 'begin' | 'step';
/** What each statement found: its rows, the first of them, or how many it changed. */
type ReaderResults = readonly unknown[];
/** The rows of a statement as JSON: a list of lists of values. */
type PackedRows = { names: readonly string[]; packed: string };
type ReaderAnswer = { id: number; found?: ReaderResults; error?: { message: string; errcode?: number } };
type PendingRead = { resolve: (found: ReaderResults) => void; reject: (error: unknown) => void };
type ReaderThread = { worker: Worker; waiting: Map<number, PendingRead>; ended: Promise<void> };

/**
 * A connection on its own thread, mostly for reads. The thread starts with the first query, and again after a failure.
 */
export class SqliteReader implements Query {
  readonly #file: string;
  readonly #readOnly: boolean;
  readonly #settings: string;
  /** A file that a new thread attaches as the schema `words`. */
  attach: string | undefined;
  #thread: ReaderThread | undefined;
  #nextId = 1;
  #isClosing = false;

  constructor(file: string, { readOnly = true, settings = '' } = {}) {
    this.#file = file;
    this.#readOnly = readOnly;
    this.#settings = settings;
  }

  async all<T>(statement: Sql): Promise<T[]> {
    return (await this.ask([statement]))[0] as T[];
  }

  async first<T>(statement: Sql, limit: ByteLimit): Promise<FirstRows<T>> {
    return (await this.ask([{ ...statement, limit }]))[0] as FirstRows<T>;
  }

  async get<T>(statement: Sql): Promise<T | undefined> {
    return (await this.all<T>(statement))[0];
  }

  async findMany<T>(find: Find, keys: readonly FindKey[], part?: TransactionPart): Promise<(T | undefined)[]> {
    if (keys.length === 0) return [];
    const chunks = findChunks(find, keys);
    const rows = await this.ask(
      chunks.map(({ statement }) => statement),
      part,
    );
    return placeRows<T>(chunks, (_, index) => (rows[index] ?? []) as unknown[], keys.length);
  }

  /** One message in each direction, for any number of statements. */
  ask(statements: readonly ThreadStatement[], part?: TransactionPart): Promise<ReaderResults> {
    this.#thread ??= this.#start();
    const { worker, waiting } = this.#thread;
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({
        id,
        part,
        statements: statements.map((statement) => ({ ...statement, text: plannedOnce(statement.text) })),
      });
    });
  }

  /** Closes after the pending statements are answered. */
  async close(): Promise<void> {
    if (!this.#thread) return;
    const { worker, ended } = this.#thread;
    // The process must stay for the end of the thread, also when its last answer comes in between.
    this.#isClosing = true;
    worker.ref();
    worker.postMessage('close');
    await ended;
  }

  #start(): ReaderThread {
    const worker = new Worker(new URL('./sqlite-reader.thread.mjs', import.meta.url), {
      workerData: { file: this.#file, readOnly: this.#readOnly, settings: this.#settings, attach: this.attach },
    });
    const waiting: ReaderThread['waiting'] = new Map();
    worker.on('message', (answer: ReaderAnswer) => {
      finishRead(waiting, answer);
      if (waiting.size === 0 && !this.#isClosing) worker.unref();
    });
    const dropThread = () => {
      if (this.#thread?.worker === worker) this.#thread = undefined;
    };
    const ended = endOfThread(worker, waiting, { name: 'reader thread', dropThread });
    return { worker, waiting, ended };
  }
}

function finishRead(waiting: ReaderThread['waiting'], { id, found, error }: ReaderAnswer): void {
  const request = waiting.get(id);
  waiting.delete(id);
  if (error) request?.reject(translate(Object.assign(new Error(error.message), error)));
  else request?.resolve((found ?? []).map((one) => (isPacked(one) ? unpack(one) : one)));
}

const isPacked = (found: unknown): found is PackedRows =>
  typeof found === 'object' && found !== null && 'packed' in found;

const builders = new Map<string, RowBuilder>();
const MAX_BUILDERS = 100;

function unpack({ names, packed }: PackedRows): unknown[] {
  const name = names.join('\n');
  let build = builders.get(name);
  if (!build) {
    if (builders.size >= MAX_BUILDERS) builders.clear();
    build = compileRowBuilder(names);
    builders.set(name, build);
  }
  return (JSON.parse(packed) as SqlValue[][]).map(build);
}
