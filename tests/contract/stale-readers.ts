import type { EntryKey } from '@mem-service/contract';
import type { TestApp } from '../support/app.ts';
import type { Many } from './many.ts';
import { markedInput } from './table.ts';

/** Agents that read an entry before it is changed, and then say how their work ended. */
export async function layStaleReaders(app: TestApp, { as, mark, count }: Many): Promise<void> {
  const at = markedInput('entries.readers', mark) as EntryKey;
  const readers = Array.from({ length: count }, (_, i) => {
    const agent_id = `agent/${'reader'.repeat(30)}-${i}`;
    return { ...as, agent_id, session_id: `stale-${i}` };
  });
  for (const reader of readers) await app.call('entries.read', { entity_path: at.entity_path, key: at.key }, reader);
  await app.kernel.services.noteBuffer.flushAll();
  const { entity_path, key } = at;
  await app.call('entries.write', { entity_path, key, value: { max_attempts: 7, note: `about ${mark}, again` } }, as);
  for (const [i, reader] of readers.entries())
    await app.call('outcomes.commit', { outcome_ref: `stale-${i}`, outcome_type: 'success' }, reader);
}
