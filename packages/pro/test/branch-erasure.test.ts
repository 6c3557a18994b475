import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../../../tests/support/app.ts';

const at = { entity_path: 'people/ada', key: 'phone' };
const other = { entity_path: 'people/bob', key: 'phone' };

describe.each(backends)('erasure with branches on %s', (backend) => {
  let app: TestApp;

  beforeEach(async () => {
    app = await openTestApp(backend);
  });

  afterEach(() => app.close());

  const write = (value: unknown, branch: string, place = at) => app.call('entries.write', { ...place, value, branch });
  const fork = (name: string) => app.call('branches.create', { name });
  const read = (branch: string, place = at) => app.call('entries.read', { ...place, branch });

  it('reaches what branches and tags have of an entry of main', async () => {
    await write('first', 'main');
    await write('other', 'main', other);
    for (const name of ['inherits', 'writes', 'judges']) await fork(name);
    await app.call('tags.create', { name: 'v1' });
    await write('second', 'writes');
    await app.call('outcomes.commit', {
      outcome_ref: 'run-1',
      outcome_type: 'success',
      branch: 'judges',
      causal_entry_keys: [`${at.entity_path}/${at.key}`],
    });
    await write('third', 'main');
    const { erased: counted } = await app.call('entries.erase', { ...at, dry_run: true });
    const { erased } = await app.call('entries.erase', at);
    expect(erased).toEqual(counted);
    expect(erased).toMatchObject({ entries: 3, versions: 4 });
    for (const branch of ['main', 'inherits', 'writes', 'judges', 'tags/v1']) {
      await expect(read(branch)).rejects.toMatchObject({ code: 'not_found' });
      expect(await read(branch, other)).toMatchObject({ value: 'other' });
    }
  });

  it('stays on a branch that is named', async () => {
    await write('first', 'main');
    await fork('exp');
    await write('second', 'exp');
    await app.call('entries.erase', { ...at, branch: 'exp' });
    expect(await read('main')).toMatchObject({ value: 'first' });
  });
});
