import { randomUUID } from 'node:crypto';
import type { Charge, OnAccount, Work } from '../../kernel/index.ts';
import type { UsageTallies } from './tallies.ts';
import type { UsageTally } from './tally.ts';

type LeaseOptions = {
  tallies: UsageTallies;
  onAccount: OnAccount;
  /** Leases at most what the plan has left. */
  isBounded: boolean;
};

/** Small blocks of ops, charged before they are spent; unspent ones are returned. */
export class Leases {
  readonly #options: LeaseOptions;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  take(tally: UsageTally): Promise<void> {
    const { onAccount } = this.#options;
    tally.leasing ??= onAccount(tally.account_id, (work) => this.#takeWithin(tally, work)).finally(() => {
      tally.leasing = undefined;
    });
    return tally.leasing;
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
    try {
      await this.#options.onAccount(tally.account_id, run);
    } catch (error) {
      tally.returning -= ops;
      tally.left += ops;
      throw error;
    }
  }
}
