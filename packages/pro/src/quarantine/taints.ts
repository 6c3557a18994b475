import type { EntryAddress } from '@mem-service/server/module';

/** A version that something bad is in, or was made with. Without a number, every version of the entry. */
export type Taint = EntryAddress & { entry_id: number; version: number | undefined; depth: number };

/** What a search has found so far. */
export class Taints {
  readonly #byEntry = new Map<number, Map<number | undefined, Taint>>();
  #fresh: Taint[] = [];

  /** Whether it is new. */
  add(taint: Taint): boolean {
    const versions = this.#byEntry.get(taint.entry_id) ?? new Map<number | undefined, Taint>();
    this.#byEntry.set(taint.entry_id, versions);
    if (versions.has(taint.version) || versions.has(undefined)) return false;
    versions.set(taint.version, taint);
    this.#fresh.push(taint);
    return true;
  }

  /** Those that were added since this was asked last. */
  takeFresh(): Taint[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  get size(): number {
    return this.#byEntry.size;
  }

  get entries(): number[] {
    return [...this.#byEntry.keys()];
  }

  of(entryId: number, version: number | null): Taint | undefined {
    const versions = this.#byEntry.get(entryId);
    return versions?.get(version ?? undefined) ?? versions?.get(undefined);
  }
}
