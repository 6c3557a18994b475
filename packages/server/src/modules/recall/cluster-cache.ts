import type { Services } from '../../kernel/index.ts';

/** The vectors in bits of one owner, and what they were when they were read. */
type KnownScope = { stamp: string; clusters: Map<number, Uint8Array> };

const MAX_BYTES = 32 * 1024 * 1024;
/** After this time without a question they are dropped. */
const IDLE_MS = 120_000;

/**
 * Keeps clusters of vectors in bits that questions were compared with, since reading them takes longer than comparing them.
 * They are outside of the heap and shared with the thread that compares them. What is kept is valid as long as its stamp is
 * the same, which changes with the vectors. An old one could only lack what is new: all that is found is looked up.
 */
export class ClusterCache {
  readonly #scopes = new Map<string, KnownScope>();
  readonly #most: number;
  #bytes = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(most = MAX_BYTES) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Those of the clusters that are known. */
  find(scope: string, stamp: string, clusters: readonly number[]): Map<number, Uint8Array> {
    const own = this.#scopeOf(scope, stamp);
    const found = new Map<number, Uint8Array>();
    for (const cluster of clusters) {
      const records = own.clusters.get(cluster);
      if (records === undefined) continue;
      own.clusters.delete(cluster);
      own.clusters.set(cluster, records);
      found.set(cluster, records);
    }
    return found;
  }

  keep(scope: string, stamp: string, clusters: ReadonlyMap<number, Uint8Array>): void {
    const own = this.#scopeOf(scope, stamp);
    for (const [cluster, records] of clusters) {
      this.#bytes += records.length - (own.clusters.get(cluster)?.length ?? 0);
      own.clusters.set(cluster, records);
    }
    this.#dropOldest();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.clear(), IDLE_MS).unref();
  }

  clear(): void {
    clearTimeout(this.#idle);
    this.#scopes.clear();
    this.#bytes = 0;
  }

  #scopeOf(scope: string, stamp: string): KnownScope {
    const known = this.#scopes.get(scope);
    this.#scopes.delete(scope);
    const isSame = known?.stamp === stamp;
    if (known && !isSame) for (const { length } of known.clusters.values()) this.#bytes -= length;
    const own = known && isSame ? known : { stamp, clusters: new Map<number, Uint8Array>() };
    this.#scopes.set(scope, own);
    return own;
  }

  #dropOldest(): void {
    for (const [scope, { clusters }] of this.#scopes) {
      for (const [cluster, { length }] of clusters) {
        if (this.#bytes <= this.#most && this.#scopes.size <= MAX_SCOPES) return;
        clusters.delete(cluster);
        this.#bytes -= length;
      }
      if (clusters.size === 0) this.#scopes.delete(scope);
    }
  }
}

const MAX_SCOPES = 1_000;

/** One per service. */
const caches = new WeakMap<Services, ClusterCache>();

export function clusterCacheOf(services: Services): ClusterCache {
  const known = caches.get(services) ?? new ClusterCache();
  caches.set(services, known);
  return known;
}
