import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PendingMarks } from './database.ts';

const PREFIX = 'pending-notes-';
/** Nothing that a mark could be about is kept for longer. */
const OUTDATED_MS = 8 * 24 * 60 * 60 * 1000;

/**
 * A file in the folder of the store for as long as a process holds something in memory that is not in the store yet. What
 * ends without taking its mark down has lost something; what takes it down has lost nothing.
 */
export class FolderMarks implements PendingMarks {
  readonly #folder: string;
  readonly #name = `${PREFIX}${randomBytes(6).toString('hex')}`;
  #isRaised = false;

  constructor(folder: string) {
    this.#folder = folder;
    for (const { name, since } of this.#all())
      if (since < Date.now() - OUTDATED_MS) rmSync(join(folder, name), { force: true });
  }

  raise(): void {
    this.#isRaised = true;
    // A disk that is full keeps nobody from reading.
    attempt(() => writeFileSync(join(this.#folder, this.#name), ''));
  }

  lower(): void {
    if (!this.#isRaised) return;
    this.#isRaised = false;
    attempt(() => rmSync(join(this.#folder, this.#name), { force: true }));
  }

  others(): { since: number }[] {
    return this.#all().filter(({ name }) => name !== this.#name);
  }

  #all(): { name: string; since: number }[] {
    const names = attempt(() => readdirSync(this.#folder)) ?? [];
    return names
      .filter((name) => name.startsWith(PREFIX))
      .flatMap((name) => {
        const stat = attempt(() => statSync(join(this.#folder, name)));
        return stat ? [{ name, since: stat.mtimeMs }] : [];
      });
  }
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
