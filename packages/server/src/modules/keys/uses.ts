import type { Database } from '../../db/index.ts';
import type { Kernel, KeyUse } from '../../kernel/index.ts';
import { findUses, updateUses } from './queries.ts';

/** Runs from time to time: stores when each key was last used. */
export async function saveKeyUses({ services: { keys, database, replica } }: Kernel): Promise<void> {
  const uses = keys.takeUses();
  if (uses.length === 0) return;
  if (!replica) return storeUses(database, uses);
  const miss = () => replica.miss('key_uses', uses.length);
  if (replica.link) await replica.link.hand('key_uses', uses).catch(miss);
  else miss();
}

export async function storeUses(database: Database, uses: readonly KeyUse[]): Promise<void> {
  await database.maintenanceTransaction(async (tx) => {
    const known = await tx.findMany<{ last_used_at: number | null }>(
      findUses,
      uses.map(({ account_id, key_id }) => [account_id, key_id]),
    );
    // Another server may have stored a later use.
    const newer = uses.filter((use, i) => (known[i]?.last_used_at ?? 0) < use.last_used_at);
    await tx.updateMany(updateUses, newer);
  });
}
