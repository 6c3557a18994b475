import type { Output } from '@mem-service/contract';
import type { ReadContext } from '../../kernel/index.ts';
import * as queries from './queries.ts';
import { chainHash, contentHash, type VersionRow } from './rows.ts';
import { mayAgentSee } from './rules/next.ts';

type Report = Omit<Output<'entries.verify'>, 'next_cursor' | 'has_more'>;
type Break = Report['chain_breaks'][number];

/** Walks versions in order of path, key and number, and holds each against the one before it. */
export class Verification {
  readonly report: Report = { total_checked: 0, valid: 0, corrupted: [], chain_breaks: [] };
  readonly #context: ReadContext;
  readonly #branch: string;
  #previous: VersionRow | undefined;

  constructor(context: ReadContext, branch: string) {
    this.#context = context;
    this.#branch = branch;
  }

  /** Takes up where an earlier call ended. */
  async resume([entity_path, key, version]: readonly [string, string, number]): Promise<void> {
    this.#previous = await queries.getVersion(this.#context.scan, this.#at({ entity_path, key }), version);
  }

  async add(rows: readonly VersionRow[]): Promise<void> {
    for (const row of rows) {
      const before =
        this.#previous?.entity_path === row.entity_path && this.#previous.key === row.key ? this.#previous : undefined;
      if (!before) await this.end();
      this.#check(row, before);
      this.#previous = row;
    }
  }

  /** The current entry must be the newest version, and hold its value. */
  async end(): Promise<void> {
    const last = this.#previous;
    if (!last) return;
    const entry = await queries.getEntry(this.#context.scan, this.#at(last));
    if (entry && entry.version > last.version)
      this.#break(last, { version: last.version + 1, reason: 'missing_version' });
    else if (!entry || entry.integrity_chain !== last.integrity_chain || contentHash(entry.value) !== last.content_hash)
      this.#break(last, {
        version: last.version,
        reason: 'head_mismatch',
        actual_chain: entry?.integrity_chain ?? null,
      });
  }

  #at({ entity_path, key }: { entity_path: string; key: string }): queries.Address {
    return { account_id: this.#context.caller.account_id, branch: this.#branch, entity_path, key };
  }

  #isVisible(row: VersionRow): boolean {
    return mayAgentSee(row, this.#context.caller.agent_id);
  }

  #break(row: VersionRow, found: Pick<Break, 'version' | 'reason'> & Partial<Break>): void {
    const { entity_path, key, integrity_chain } = row;
    if (!this.#isVisible(row)) return;
    this.report.chain_breaks.push({ entity_path, key, expected_chain: integrity_chain, actual_chain: null, ...found });
  }

  #check(row: VersionRow, before: VersionRow | undefined): void {
    const { entity_path, key, version } = row;
    const actual_hash = contentHash(row.value);
    const intact = actual_hash === row.content_hash;
    if (!intact && this.#isVisible(row))
      this.report.corrupted.push({ entity_path, key, version, expected_hash: row.content_hash, actual_hash });
    const linked = this.#checkLink(row, before);
    if (!this.#isVisible(row)) return;
    this.report.total_checked++;
    if (intact && linked) this.report.valid++;
  }

  #checkLink(row: VersionRow, before: VersionRow | undefined): boolean {
    const next = (before?.version ?? 0) + 1;
    const actual_chain = row.integrity_chain;
    if (row.version !== next) {
      this.#break(row, { version: next, reason: 'missing_version', expected_chain: null, actual_chain });
      return false;
    }
    const expected_chain = chainHash(row, before?.integrity_chain ?? '');
    if (expected_chain === actual_chain) return true;
    this.#break(row, { version: row.version, reason: 'chain_mismatch', expected_chain, actual_chain });
    return false;
  }
}
