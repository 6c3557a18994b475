import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { PendingMarks } from './database.ts';

const PREFIX = 'pending-notes-';
const RAISED = '1';
const LOWERED = '0';
/** Marks older than this are removed: no note is kept that long. */
const OUTDATED_MS = 8 * 24 * 60 * 60 * 1000;
/**
 * After this long without raising its mark, a process checks that the file still exists; others may remove it later.
 */
const UNSURE_MS = 60 * 60 * 1000;

/** A file system may give changes as close together as this the same time. */
const CLOCK_TICK_MS = 2000;

type Mark = { name: string; since: number; isRaised: boolean };

/**
 * A one-byte file in the folder of the store that shows whether a process holds unwritten notes in memory. A process
 * that ends with its mark raised has lost notes; with its mark lowered it has lost nothing.
 */
export class FolderMarks implements PendingMarks {
  readonly #folder: string;
  readonly #name = `${PREFIX}${randomBytes(6).toString('hex')}`;
  #file: number | undefined;
  #raisedAt = 0;
  #isRaised = false;
  #otherNames: string[] = [];
  #listedFolder = 0;

  constructor(folder: string) {
    this.#folder = folder;
    for (const { name, since, isRaised } of this.#readOthers())
      if (since < Date.now() - (isRaised ? OUTDATED_MS : 2 * UNSURE_MS)) this.#remove(name);
  }

  /** A full disk must not prevent reads. */
  raise(): void {
    const now = Date.now();
    if (now - this.#raisedAt > UNSURE_MS) this.#open();
    this.#raisedAt = now;
    this.#isRaised = true;
    this.#write(RAISED);
  }

  lower(): void {
    if (!this.#isRaised) return;
    this.#isRaised = false;
    this.#write(LOWERED);
  }

  others(): { since: number }[] {
    return this.#readOthers().filter(({ isRaised }) => isRaised);
  }

  close(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    if (!this.#isRaised) this.#remove(this.#name);
  }

  #open(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = attempt(() => openSync(join(this.#folder, this.#name), 'w', 0o600));
  }

  #write(byte: string): void {
    const file = this.#file;
    if (file !== undefined) attempt(() => writeSync(file, byte, 0));
  }

  #remove(name: string): void {
    attempt(() => rmSync(join(this.#folder, name), { force: true }));
  }

  /** The marks of other processes, which each outcome looks at. */
  #readOthers(): Mark[] {
    return this.#listOthers().flatMap((name) => attempt(() => this.#read(name)) ?? []);
  }

  /** The folder is listed again when a file was added or removed, or may have been within the tick of its clock. */
  #listOthers(): string[] {
    const changedAt = attempt(() => statSync(this.#folder).mtimeMs) ?? 0;
    if (changedAt === this.#listedFolder) return this.#otherNames;
    const isQuiet = Date.now() - changedAt > CLOCK_TICK_MS;
    const names = attempt(() => readdirSync(this.#folder)) ?? [];
    this.#otherNames = names.filter((name) => name.startsWith(PREFIX) && name !== this.#name);
    this.#listedFolder = isQuiet ? changedAt : 0;
    return this.#otherNames;
  }

  #read(name: string): Mark {
    const path = join(this.#folder, name);
    return { name, isRaised: readFileSync(path, 'latin1') === RAISED, since: statSync(path).mtimeMs };
  }
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
