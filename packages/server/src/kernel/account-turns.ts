import { Fault } from '@mem-service/contract';

type Line = { length: number; last: Promise<unknown> };

/** Lets each account do one piece of long work at a time. */
export class AccountTurns {
  readonly #lines = new Map<string, Line>();
  readonly #waiting: number;
  readonly #what: string;

  /** `waiting` is how many pieces of an account's work may wait for their turn, `what` names them in a refusal. */
  constructor(waiting: number, what: string) {
    this.#waiting = waiting;
    this.#what = what;
  }

  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(accountId) ?? { length: 0, last: Promise.resolve() };
    if (line.length > this.#waiting)
      throw new Fault('unavailable', `too many ${this.#what} are waiting`, { retry_after: 1 });
    this.#lines.set(accountId, line);
    line.length++;
    const turn = line.last.then(work);
    line.last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      if (--line.length === 0) this.#lines.delete(accountId);
    }
  }
}
