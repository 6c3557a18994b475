import { AccountTurns, type Services } from '../../kernel/index.ts';

/** What waits for its turn at most, for each account. */
const MAX_WAITING = 4;

/** One per service. */
const turns = new WeakMap<Services, AccountTurns>();

/** An account looks for what could be consolidated once at a time, since each look compares up to 200 entries with all others. */
export function lookInTurn<T>(services: Services, accountId: string, look: () => Promise<T>): Promise<T> {
  const known = turns.get(services) ?? new AccountTurns(MAX_WAITING, 'consolidations');
  turns.set(services, known);
  return known.run(accountId, look);
}
