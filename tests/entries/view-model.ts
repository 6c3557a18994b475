import { type Glob, matchesGlob } from '@mem-service/contract';
import type { EntryView } from '../../packages/server/src/kernel/index.ts';
import type { Including } from '../../packages/server/src/modules/entries/index.ts';

/** A version as it was written, on a branch of a model in memory. */
export type ModelVersion = {
  branch: string;
  entity_path: string;
  key: string;
  entry_id: number;
  version: number;
  seq: number;
  deleted: number;
  shared: number;
  agent_id: string;
  ttl_at: number | null;
  confidence: number;
  memory_type: string;
  is_artifact: number;
  pattern_refs: string;
};

/** The standing of an entry from a `seq` on, until its next version with another value. */
type Judged = { seq: number; confidence: number };

export type ModelRow = ModelVersion & { standing_no: number };

/** What the service's relation has to agree with, written as plainly as possible. */
export class ViewModel {
  readonly versions: ModelVersion[] = [];
  readonly #heads = new Map<string, ModelRow>();
  readonly #judged = new Map<number, Judged>();

  write(version: ModelVersion, standing: { confidence: number; standing_no: number }): void {
    this.versions.push(version);
    this.#heads.set(nameOf(version), { ...version, ...standing });
  }

  judge(at: Pick<ModelVersion, 'branch' | 'entity_path' | 'key'>, judged: Judged): void {
    const head = this.#heads.get(nameOf(at)) as ModelRow;
    head.confidence = judged.confidence;
    head.standing_no++;
    this.#judged.set(head.entry_id, judged);
  }

  head(at: Pick<ModelVersion, 'branch' | 'entity_path' | 'key'>): ModelRow | undefined {
    return this.#heads.get(nameOf(at));
  }

  /** Every entry of a branch as it was at a `seq`. */
  #branchAt(branch: string, upTo: number): Map<string, ModelRow> {
    const rows = new Map<string, ModelRow>();
    for (const version of this.versions)
      if (version.branch === branch && version.seq <= upTo) rows.set(keyOf(version), { ...version, standing_no: 0 });
    for (const [key, { entry_id, version }] of rows) {
      const head = [...this.#heads.values()].find((one) => one.entry_id === entry_id) as ModelRow;
      // Its standing is known only while no write and no outcome has changed it since.
      const isSame = head.version === version && (this.#judged.get(entry_id)?.seq ?? 0) <= upTo;
      if (isSame) rows.set(key, head);
    }
    return rows;
  }

  rows(view: EntryView, including: Including, paths: readonly Glob[] | undefined): ModelRow[] {
    const overlaid = new Map<string, ModelRow>();
    for (const { branch, up_to_seq } of view.lineage)
      for (const [key, row] of this.#branchAt(branch, up_to_seq ?? Number.MAX_SAFE_INTEGER))
        if (!overlaid.has(key)) overlaid.set(key, row);
    const isInScope = ({ entity_path }: ModelRow) =>
      (view.scope ?? []).every((globs) => globs.some((glob) => matchesGlob(glob, entity_path))) &&
      (paths === undefined || paths.some((glob) => matchesGlob(glob, entity_path)));
    const isIncluded = (row: ModelRow) => {
      if (including === 'all') return true;
      if (row.shared === 0 && row.agent_id !== view.agent_id) return false;
      if (including === 'visible') return true;
      if (row.deleted === 1) return false;
      return including === 'undeleted' || row.ttl_at === null || row.ttl_at > view.at;
    };
    return [...overlaid.values()]
      .filter((row) => isInScope(row) && isIncluded(row))
      .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }
}

const keyOf = ({ entity_path, key }: Pick<ModelVersion, 'entity_path' | 'key'>) => `${entity_path} ${key}`;
const nameOf = (at: Pick<ModelVersion, 'branch' | 'entity_path' | 'key'>) => `${at.branch} ${keyOf(at)}`;
