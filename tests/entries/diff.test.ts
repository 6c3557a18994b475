import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { exact, refusal, textOf } from './support.ts';

describe.each(backends)('comparing versions on %s', (backend) => {
  let app: TestApp;
  let n = 0;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  afterAll(() => app.close());

  /** An entry with these values as its versions; `undefined` is a delete. */
  async function entryOf(...values: unknown[]) {
    const at = { entity_path: 'diff', key: `k${++n}` };
    for (const value of values)
      if (value === undefined) await app.call('entries.delete', at);
      else await app.call('entries.write', { ...at, value });
    return at;
  }

  it('by default the current version is held against the one before it', async () => {
    const at = await entryOf({ a: 1, b: 1 }, { a: 2, c: 3 });
    expect(await app.call('entries.diff', at)).toEqual({
      ...at,
      branch: 'main',
      old_version: 1,
      new_version: 2,
      diff_type: 'modified',
      changes: [
        { path: '/a', operation: 'replace', old_value: 1, new_value: 2 },
        { path: '/b', operation: 'remove', old_value: 1 },
        { path: '/c', operation: 'add', new_value: 3 },
      ],
    });
  });

  it('any two versions can be compared, in either direction', async () => {
    const at = await entryOf('one', 'two', 'three');
    const changes = async (old_version: number, new_version: number) =>
      (await app.call('entries.diff', { ...at, old_version, new_version })).changes;
    expect(await changes(1, 3)).toEqual([{ path: '', operation: 'replace', old_value: 'one', new_value: 'three' }]);
    expect(await changes(3, 1)).toEqual([{ path: '', operation: 'replace', old_value: 'three', new_value: 'one' }]);
    expect(await app.call('entries.diff', { ...at, new_version: 2 })).toMatchObject({ old_version: 1, new_version: 2 });
    expect(await app.call('entries.diff', { ...at, old_version: 1 })).toMatchObject({ old_version: 1, new_version: 3 });
  });

  it('the first version is all new', async () => {
    const at = await entryOf({ a: 1 });
    expect(await app.call('entries.diff', at)).toMatchObject({
      old_version: null,
      new_version: 1,
      diff_type: 'added',
      changes: [{ path: '', operation: 'add', new_value: { a: 1 } }],
    });
  });

  it('a delete removes all, and what is written after it is all new', async () => {
    const at = await entryOf('gone', undefined, 'back', undefined);
    const diff = (old_version: number, new_version: number) =>
      app.call('entries.diff', { ...at, old_version, new_version });
    const removed = [{ path: '', operation: 'remove', old_value: 'gone' }];
    expect(await diff(1, 2)).toMatchObject({ diff_type: 'deleted', changes: removed });
    const added = [{ path: '', operation: 'add', new_value: 'back' }];
    expect(await diff(2, 3)).toMatchObject({ old_version: 2, diff_type: 'added', changes: added });
    expect(await diff(2, 4)).toMatchObject({ diff_type: 'unchanged', changes: [] });
    expect(await diff(1, 3)).toMatchObject({ diff_type: 'modified' });
  });

  it('the same content in two versions is unchanged', async () => {
    const at = await entryOf({ a: 1 }, { a: 2 }, { a: 1 });
    const same = await app.call('entries.diff', { ...at, old_version: 1, new_version: 3 });
    expect(same).toMatchObject({ diff_type: 'unchanged', changes: [] });
    const itself = await app.call('entries.diff', { ...at, old_version: 2, new_version: 2 });
    expect(itself).toMatchObject({ diff_type: 'unchanged', changes: [] });
  });

  it('paths are JSON Pointers, with their signs escaped', async () => {
    const at = await entryOf(
      exact('{"a/b":1,"c~d":1,"":1,"~1":1,"x":{"y":[1,2]},"__proto__":1}'),
      exact('{"a/b":2,"c~d":2,"":2,"~1":2,"x":{"y":[1,3]},"__proto__":2}'),
    );
    const { changes } = await app.call('entries.diff', at);
    expect(changes.map((change) => change.path).sort()).toEqual(
      ['/', '/__proto__', '/a~1b', '/c~0d', '/x/y/1', '/~01'].sort(),
    );
  });

  it.each([
    ['1', '1.0'],
    ['12345678901234567890', '12345678901234567891'],
    ['1e400', '1e401'],
    ['0', '-0'],
    ['1e2', '100'],
  ])('numbers are compared and told to the last digit: %s and %s', async (before, after) => {
    const at = await entryOf(exact(`{"n":[${before}]}`), exact(`{"n":[${after}]}`));
    const text = await textOf(app, 'entries.diff', at);
    expect(text).toContain(`[{"path":"/n/0","operation":"replace","old_value":${before},"new_value":${after}}]`);
    expect(JSON.parse(text)).toMatchObject({ diff_type: 'modified' });
  });

  it('numbers that JavaScript cannot hold are equal to themselves, and come out exactly in what was added', async () => {
    const big = '{"id":12345678901234567890,"price":1.50}';
    const at = await entryOf(exact(`{"same":${big}}`), exact(`{"same":${big},"more":${big}}`));
    const text = await textOf(app, 'entries.diff', at);
    expect(text).toContain(`"changes":[{"path":"/more","operation":"add","new_value":${big}}]`);
  });

  it('a version that is not there, or not to be seen, is not found', async () => {
    const at = await entryOf(1, 2);
    for (const versions of [{ new_version: 3 }, { old_version: 7 }, { old_version: 1, new_version: 9 }])
      expect(await refusal(app.call('entries.diff', { ...at, ...versions }))).toMatchObject({
        code: 'not_found',
        ...at,
      });
    const hidden = { entity_path: 'diff', key: 'hidden' };
    await app.call('entries.write', { ...hidden, value: 'secret', shared: false });
    const other = { agent_id: 'agent/other' };
    expect(await refusal(app.call('entries.diff', hidden, other))).toMatchObject({ code: 'not_found' });
    await app.call('entries.write', { ...hidden, value: 'public', shared: true });
    const named = app.call('entries.diff', { ...hidden, old_version: 1 }, other);
    expect(await refusal(named)).toMatchObject({ code: 'not_found' });
    expect(await app.call('entries.diff', hidden, other)).toMatchObject({
      old_version: null,
      diff_type: 'added',
      changes: [{ path: '', operation: 'add', new_value: 'public' }],
    });
  });
});
