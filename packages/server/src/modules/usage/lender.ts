import { randomUUID } from 'node:crypto';
import type { Charge, Replica } from '../../kernel/index.ts';

/** What a server that only reads asks for; `room` is what the plan leaves as far as it knows. */
export type AskedOps = { account_id: string; period: string; ops: number; room: number };
/** Where plans are enforced: the account as it is with this lease. */
export type HeldPlan = { plan: string | null; has_plan: boolean; limit: number | null; no: number; ops_used: number };
export type LentOps = { ops: number; lease_id: string; held?: HeldPlan };
export type ReturnedOps = { account_id: string; charge: Charge };

/**
 * Leases of a server that only reads come from one that writes. While that cannot be reached, reads go on within what the
 * plan left when it was last seen, and are charged later.
 */
export class Lender {
  readonly #replica: Replica;
  /** By account and period: ops that were given out and not charged. */
  readonly #owed = new Map<string, number>();

  constructor(replica: Replica) {
    this.#replica = replica;
  }

  async take({ room, ...asked }: AskedOps): Promise<LentOps> {
    const place = nameOf(asked.account_id, asked.period);
    const owed = this.#owed.get(place) ?? 0;
    try {
      const { link } = this.#replica;
      if (!link) return this.#lend(place, Math.min(asked.ops, room - owed));
      const lent = await link.hand<LentOps>('lease', { ...asked, ops: asked.ops + owed });
      const paid = Math.min(owed, lent.ops);
      this.#owe(place, -paid);
      return { ...lent, ops: lent.ops - paid };
    } catch {
      return this.#lend(place, Math.min(asked.ops, room - owed));
    }
  }

  /** Without a charge for now. */
  #lend(place: string, most: number): LentOps {
    const ops = Math.max(0, most);
    this.#owe(place, ops);
    if (!this.#replica.link) this.#replica.miss('ops', ops);
    return { ops, lease_id: randomUUID() };
  }

  async giveBack({ account_id, charge }: ReturnedOps): Promise<void> {
    const place = nameOf(account_id, charge.period ?? '');
    const owed = this.#owed.get(place) ?? 0;
    // What was never charged need not be returned.
    const uncharged = charge.ops < 0 ? Math.min(owed, -charge.ops) : 0;
    const ops = charge.ops + uncharged;
    const { link } = this.#replica;
    if (ops !== 0 && link) await link.hand('charge', { account_id, charge: { ...charge, ops } });
    this.#owe(place, -uncharged);
  }

  #owe(place: string, ops: number): void {
    const owed = (this.#owed.get(place) ?? 0) + ops;
    if (owed === 0) this.#owed.delete(place);
    else this.#owed.set(place, owed);
  }

  /** Charges what is owed, for the last time. */
  async close(): Promise<void> {
    for (const [place, ops] of this.#owed) {
      const [account_id = '', period = ''] = place.split(' ');
      const charge: Charge = { class: 'lease', ops, requests: 0, period, lease_id: randomUUID() };
      const { link } = this.#replica;
      if (link) await link.hand('charge', { account_id, charge }).catch(() => this.#replica.miss('ops', ops));
    }
    this.#owed.clear();
  }
}

const nameOf = (account_id: string, period: string): string => `${account_id} ${period}`;
