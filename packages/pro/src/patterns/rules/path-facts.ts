export const DAY_MS = 86_400_000;
/** Outcomes and versions that are older say nothing about how things are now. */
export const RECENT_DAYS = 30;
/** What is hot is so within this time. */
export const HOT_DAYS = 7;

/** What a scan was asked for, and when. */
export type ScanTerms = {
  /** When it began: what it finds depends on this time and not on how long it takes. */
  at: number;
  /** The first place in the log within the time in which something can be hot, and within that of recent outcomes. */
  hot_seq: number;
  recent_seq: number;
  stale_days: number;
  orphan_days: number;
  pr_stale_days: number;
  similarity_threshold: number;
  incident_threshold: number;
};

/** What an outcome did to an entry. */
export type OutcomeLineFacts = {
  seq: number;
  /** The version that it rested on. */
  version: number | null;
  confidence_before: number;
  confidence_after: number;
  failed: boolean;
  critical: boolean;
  at: number;
  trace_id: string | null;
};

export type VersionOfEntry = { version: number; agent_id: string; written_at: number; content_hash: string };

/** An entry that everyone may see, as the rules look at it. */
export type LookedEntry = {
  entry_id: number;
  key: string;
  /** How its key is written alike by everybody: `timeoutMs` and `timeout_ms` are one family. */
  family: string;
  version: number;
  seq: number;
  agent_id: string;
  written_at: number;
  /** When its first version was written, where that is known. */
  created_at: number;
  memory_type: string;
  content_hash: string;
  confidence: number;
  evidence_status: string;
  recall_count: number;
  /** When an outcome last spoke for it; a failure confirms nothing. */
  confirmed_at: number | null;
  /** Undefined where it is too long to be compared. */
  text: string | undefined;
  /** The newest first, the current one too; empty where there is no other, or none that is recent. */
  versions: readonly VersionOfEntry[];
  /** The newest first. */
  lines: readonly OutcomeLineFacts[];
};

/** So many entries of a path are compared with each other; of all others only the figures of the path are known. */
export const MAX_COMPARED = 1000;
/** Authors of a path that are counted. */
const MAX_AUTHORS = 100;

/** What is known of a path when the last of its entries was looked at. */
export class PathFacts {
  readonly entity_path: string;
  readonly entries: LookedEntry[] = [];
  readonly authors = new Map<string, number>();
  count = 0;
  newest_seq = 0;
  oldest_seq = Number.MAX_SAFE_INTEGER;
  /** When something there was last written, or confirmed by an outcome. */
  touched_at = 0;
  recalls = 0;

  constructor(entityPath: string) {
    this.entity_path = entityPath;
  }

  get isFull(): boolean {
    return this.entries.length >= MAX_COMPARED;
  }

  add(entry: LookedEntry): void {
    this.count += 1;
    this.newest_seq = Math.max(this.newest_seq, entry.seq);
    this.oldest_seq = Math.min(this.oldest_seq, entry.seq);
    this.touched_at = Math.max(this.touched_at, touchedAt(entry));
    this.recalls += entry.recall_count;
    const known = this.authors.get(entry.agent_id);
    if (known !== undefined || this.authors.size < MAX_AUTHORS) this.authors.set(entry.agent_id, (known ?? 0) + 1);
    if (!this.isFull) this.entries.push(entry);
  }
}

export const touchedAt = ({ written_at, confirmed_at }: LookedEntry): number => Math.max(written_at, confirmed_at ?? 0);
