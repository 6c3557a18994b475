import type { TestApp } from '../support/app.ts';
import type { ExampleSetup, KnownIds } from './table.ts';

/** A fix for each of some entries of its own, with a value that was given. Gives back their ids. */
export async function layFixes(
  app: TestApp,
  { as, mark }: Pick<ExampleSetup, 'as' | 'mark'>,
  { keys, description = '' }: { keys: readonly string[]; description?: string },
): Promise<string[]> {
  const ids: string[] = [];
  for (const key of keys) {
    const at = { entity_path: `${mark}/fixed`, key };
    await app.call('entries.write', { ...at, value: { note: `about ${mark}`, is: 'wrong' } }, as);
    const entries = [{ ...at, value: { note: `about ${mark}`, is: 'right' } }];
    ids.push((await app.call('fixes.propose', { ...at, entries, description }, as)).fix_id);
  }
  return ids;
}

export async function layKnownFixes(
  app: TestApp,
  setup: Pick<ExampleSetup, 'as' | 'mark'>,
  known: KnownIds,
): Promise<void> {
  const [fix_id, second] = await layFixes(app, setup, { keys: ['one', 'two'] });
  const at = { entity_path: `${setup.mark}/fixed`, key: 'three' };
  await app.call('entries.write', { ...at, value: { note: `about ${setup.mark}` } }, setup.as);
  known.fix_id = fix_id;
  known['fixes.propose'] = at;
  // One that is approved is not dismissed.
  known['fixes.dismiss'] = { fix_id: second };
}
