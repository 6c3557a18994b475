import { randomUUID } from 'node:crypto';
import { type Charge, isAccountGone, type OnAccount, type Work } from '../../kernel/index.ts';
import type { AskedOps, Lender, LentOps, ReturnedOps } from './lender.ts';
import type { UsageTallies } from './tallies.ts';
import type { UsageTally } from './tally.ts';

type LeaseOptions = {
  tallies: UsageTallies;
  onAccount: OnAccount;
  /** Leases at most what the plan has left. */
  isBounded: boolean;
  /** Set on a server that only reads. */
  lender?: Lender | undefined;
};

/** Small blocks of ops, charged before they are spent; unspent ones are returned. */
export class Leases {
  readonly #options: LeaseOptions;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  take(tally: UsageTally): Promise<void> {
    const { onAccount, lender, isBounded } = this.#options;
    const take = () =>
      lender ? borrow(tally, lender, isBounded) : onAccount(tally.account_id, (work) => this.#takeWithin(tally, work));
    tally.leasing ??= take().finally(() => {
      tally.leasing = undefined;
    });
    return tally.leasing;
  }

  /** A lease for a server that only reads. */
  async lend({ account_id, period, ops }: Omit<AskedOps, 'room'>): Promise<LentOps> {
    const { onAccount, isBounded, tallies } = this.#options;
    const lent: LentOps = { ops, lease_id: randomUUID() };
    await onAccount(account_id, async (work) => {
      if (isBounded) {
        const held = await tallies.lockUsage(work);
        if (held.limit !== null) lent.ops = Math.min(ops, Math.max(0, held.limit - held.used));
        const { plan, hasPlan: has_plan, limit, no } = held;
        lent.held = { plan, has_plan, limit, no, ops_used: held.used + lent.ops };
      }
      if (lent.ops > 0) work.charge({ class: 'lease', ops: lent.ops, requests: 0, period, lease_id: lent.lease_id });
    });
    return lent;
  }

  /** What such a server returns of its lease, or has spent beyond it. */
  async charge({ account_id, charge }: ReturnedOps): Promise<void> {
    try {
      await this.#options.onAccount(account_id, async (work) => work.charge(charge));
    } catch (error) {
      // An account that was deleted has no usage any more.
      if (!isAccountGone(error)) throw error;
    }
  }

  async #takeWithin(tally: UsageTally, work: Work): Promise<void> {
    const size = tally.nextSize();
    const ops = Math.min(size + Math.max(0, -tally.left), await this.#room(tally, work));
    if (ops === 0) return;
    const lease_id = randomUUID();
    work.charge({ class: 'lease', ops, requests: 0, period: tally.period.name, lease_id });
    work.afterCommit(() => tally.leased({ ops, size, lease_id }));
  }

  async #room(tally: UsageTally, work: Work): Promise<number> {
    const { isBounded, tallies } = this.#options;
    if (!isBounded) return Number.POSITIVE_INFINITY;
    const held = await tallies.lockUsage(work);
    work.afterCommit(() => {
      tally.setPlan(held.plan, held.hasPlan ? held.limit : undefined);
      tally.see({ no: held.no, ops_used: held.used });
    });
    return held.limit === null ? Number.POSITIVE_INFINITY : Math.max(0, held.limit - held.used);
  }

  /** Also charges ops that were spent before they were leased. */
  async giveBack(tally: UsageTally): Promise<void> {
    while (tally.givingBack !== undefined) await tally.givingBack;
    if (tally.left === 0) return;
    tally.givingBack = this.#giveBack(tally).finally(() => {
      tally.givingBack = undefined;
    });
    await tally.givingBack;
  }

  async #giveBack(tally: UsageTally): Promise<void> {
    const ops = tally.left;
    tally.left = 0;
    tally.returning += ops;
    const charge: Charge = {
      class: ops > 0 ? 'return' : 'lease',
      ops: -ops,
      requests: 0,
      period: tally.period.name,
      ...(tally.lease_id === undefined ? {} : { lease_id: tally.lease_id }),
    };
    const run = async (work: Work) => {
      work.charge(charge);
      work.afterCommit(() => {
        tally.returning -= ops;
      });
    };
    const { onAccount, lender } = this.#options;
    try {
      if (lender) await lender.giveBack({ account_id: tally.account_id, charge });
      else await onAccount(tally.account_id, run);
      if (lender) tally.returning -= ops;
    } catch (error) {
      tally.returning -= ops;
      if (isAccountGone(error)) return;
      tally.left += ops;
      throw error;
    }
  }
}

async function borrow(tally: UsageTally, lender: Lender, isBounded: boolean): Promise<void> {
  const size = tally.nextSize();
  const { account_id, period, limit, used } = tally;
  const room = limit === null || !isBounded ? Number.POSITIVE_INFINITY : Math.max(0, limit - used);
  const ops = size + Math.max(0, -tally.left);
  const lent = await lender.take({ account_id, period: period.name, ops, room });
  const { held } = lent;
  if (held) {
    tally.setPlan(held.plan, held.has_plan ? held.limit : undefined);
    tally.see(held);
  } else if (isBounded && lent.ops === 0 && limit !== null) tally.see({ no: tally.no, ops_used: limit });
  if (lent.ops > 0) tally.leased({ ops: lent.ops, size, lease_id: lent.lease_id });
}
