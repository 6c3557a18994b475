import type { MaintenanceTask } from '../../kernel/index.ts';
import { deleteExpiredSecrets, deleteReplacedSecrets, NO_SECRETS, type SigningSecrets } from './queries.ts';

/** The secrets that count now: none, one, or two while one is replaced. */
export const secretsAt = (
  { secret, secret_before, secret_before_ends_at }: SigningSecrets,
  now: number,
): readonly string[] => [
  ...(secret === null ? [] : [secret]),
  ...(secret_before === null || (secret_before_ends_at ?? 0) <= now ? [] : [secret_before]),
];

type Replacing = { secret: string | undefined; now: number; ends: number };

/**
 * The secrets of a key that replaces another, and those of the other from then on. A new secret counts at both addresses while
 * the one before still does, so that the sender may be given either first. An address that had none goes on without.
 */
export function replaceSecrets(
  before: SigningSecrets,
  { secret, now, ends }: Replacing,
): { next: SigningSecrets; old: SigningSecrets } {
  const isReplaced = secret !== undefined && before.secret !== null && before.secret !== secret && ends > now;
  const next: SigningSecrets =
    secret === undefined || secret === before.secret
      ? before
      : {
          secret,
          secret_before: isReplaced ? before.secret : null,
          secret_before_ends_at: isReplaced ? ends : null,
        };
  if (ends <= now) return { next: { ...NO_SECRETS, secret: next.secret }, old: NO_SECRETS };
  return { next, old: before.secret === null ? before : next };
}

/** Removes secrets that no longer count. */
export const dropSecrets: MaintenanceTask = {
  name: 'keys.drop_secrets',
  async run({ services: { database, clock } }) {
    const now = clock.now();
    await database.maintenanceTransaction(async (tx) => {
      await deleteExpiredSecrets(tx, now);
      await deleteReplacedSecrets(tx, now);
    });
  },
};
