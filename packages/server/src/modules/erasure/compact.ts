import type { Kernel } from '../../kernel/index.ts';
import { compactionOf } from './queries.ts';

/** After an erasure: makes the engine let go of the freed pages and of the words in old parts of the index. */
export async function compact({ services: { database } }: Kernel): Promise<void> {
  for (const statement of compactionOf(database.dialect.engine)) await database.maintain(statement);
}
