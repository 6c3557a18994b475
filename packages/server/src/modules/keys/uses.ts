import type { Kernel } from '../../kernel/index.ts';
import { touchKey } from './queries.ts';

/** Now and then: when each key was last used. */
export async function noteUses({ services: { keys, database } }: Kernel): Promise<void> {
  const uses = keys.takeUses();
  if (uses.length === 0) return;
  await database.upkeep(async (tx) => {
    await Promise.all(uses.map((use) => touchKey(tx, use)));
  });
}
