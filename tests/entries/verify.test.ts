import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { changeRows, follow } from './support.ts';

type VerifyAnswer = Awaited<ReturnType<typeof verifyAll>>;

/** Each test has a tree of its own. */
let root = 'v0';

async function verifyAll(app: TestApp, agent_id = 'agent/test') {
  return app.call('entries.verify', { entity_path: `${root}/**` }, { agent_id });
}

const breaks = ({ chain_breaks }: Pick<VerifyAnswer, 'chain_breaks'>) =>
  chain_breaks
    .map(({ entity_path, key, version, reason }) => `${entity_path.slice(root.length + 1)}/${key} ${version} ${reason}`)
    .sort();

describe.each(backends)('verifying on %s', (backend) => {
  let app: TestApp;
  let n = 0;
  beforeAll(async () => {
    app = await openTestApp(backend);
  });
  beforeEach(async () => {
    root = `v${++n}`;
    for (const key of ['a', 'b', 'c'])
      for (const value of [1, 2, 3])
        await app.call('entries.write', { entity_path: `${root}/one`, key, value: { key, value } });
    await app.call('entries.delete', { entity_path: `${root}/one`, key: 'c' });
    await app.call('entries.write', { entity_path: `${root}/two`, key: 'secret', value: 1, shared: false });
  });
  afterAll(() => app.close());

  const named = (key: string) => `entity_path LIKE '${root}/%' AND key = '${key}'`;

  /** Changes the rows of one key, past the service. */
  const change = (statement: string, key: string, more = '') => {
    const entries = `SELECT entry_id FROM entries WHERE ${named(key)}`;
    const where = statement.includes('versions') ? `entry_id IN (${entries})` : named(key);
    return changeRows(app, `${statement} WHERE ${where}${more}`);
  };

  /** A change within the document of a row. */
  const inDocument = (table: string, before: string, after: string) =>
    `UPDATE ${table} SET document = replace(document, '${before}', '${after}')`;

  it('finds nothing where nothing was done', async () => {
    const report = await verifyAll(app);
    expect(report).toEqual({
      total_checked: 11,
      valid: 11,
      corrupted: [],
      chain_breaks: [],
      has_more: false,
      next_cursor: null,
    });
    expect(await app.call('entries.verify', { entity_path: `${root}/two` })).toMatchObject({ total_checked: 1 });
    expect(await verifyAll(app, 'agent/other')).toMatchObject({ total_checked: 10, valid: 10 });
  });

  it.each([1, 3])('names the version whose value was changed by a byte (%i)', async (version) => {
    const { content_hash } = await app.call('entries.read', { entity_path: `${root}/one`, key: 'a', version });
    await change(inDocument('versions', '"value":{"key":"a"', '"value":{"key":"x"'), 'a', ` AND version = ${version}`);
    const report = await verifyAll(app);
    expect(report.corrupted).toMatchObject([
      { entity_path: `${root}/one`, key: 'a', version, expected_hash: content_hash },
    ]);
    expect(report.corrupted[0]?.actual_hash).not.toBe(content_hash);
    expect(report).toMatchObject({ total_checked: 11, valid: 10, chain_breaks: [] });
  });

  it('is not deceived by a hash that was changed with the value', async () => {
    const { content_hash } = await app.call('entries.read', { entity_path: `${root}/one`, key: 'b', version: 2 });
    const both = `${inDocument('versions', '"value":{"key":"a"', '"value":{"key":"b"')}, content_hash = '${content_hash}'`;
    await change(both, 'a', ' AND version = 2');
    expect(breaks(await verifyAll(app))).toEqual(['one/a 2 chain_mismatch']);
  });

  it.each([
    ['confidence', '0.5'],
    ['agent_id', `'agent/liar'`],
    ['shared', '0'],
    ['written_at', '1'],
    ['ttl_at', '5'],
    ['commit_id', `'c'`],
  ])('sees that column %s of a version was changed', async (column, value) => {
    await change(`UPDATE versions SET ${column} = ${value}`, 'b', ' AND version = 2');
    expect(breaks(await verifyAll(app))).toEqual(['one/b 2 chain_mismatch']);
  });

  it.each([
    ['"memory_type":"fact"', '"memory_type":"belief"'],
    ['"shared":true', '"shared":false'],
    ['"agent_id":"agent/test"', '"agent_id":"agent/liar"'],
    ['"session_id":null', '"session_id":"s"'],
    ['"pattern_refs":[]', '"pattern_refs":["p"]'],
    ['"artifact_refs":[]', '"artifact_refs":[{"uri":"x"}]'],
    ['"ttl_at":null', '"ttl_at":"2030-01-01T00:00:00.000Z"'],
  ])('sees that %s of a version was changed', async (given, lie) => {
    await change(inDocument('versions', given, lie), 'b', ' AND version = 2');
    const report = await verifyAll(app);
    expect(breaks(report)).toEqual(['one/b 2 chain_mismatch']);
    expect(report.corrupted).toEqual([]);
  });

  it('sees that a version in the middle is missing', async () => {
    await change('DELETE FROM versions', 'b', ' AND version = 2');
    expect(breaks(await verifyAll(app))).toEqual(['one/b 2 missing_version']);
  });

  it('sees that the first version is missing', async () => {
    await change('DELETE FROM versions', 'b', ' AND version = 1');
    expect(breaks(await verifyAll(app))).toEqual(['one/b 1 missing_version']);
  });

  it.each(['a', 'c'])('sees that the newest version is missing (%s)', async (key) => {
    await change('DELETE FROM versions', key, ' AND version >= 3');
    expect(breaks(await verifyAll(app))).toEqual([`one/${key} 3 missing_version`]);
  });

  it.each(['a', 'b', 'c'])('sees that all versions of an entry are missing (%s)', async (key) => {
    await change('DELETE FROM versions', key);
    expect(breaks(await verifyAll(app))).toEqual([`one/${key} 1 missing_version`]);
  });

  it('sees that all versions of all entries are missing', async () => {
    for (const key of ['a', 'b', 'c', 'secret']) await change('DELETE FROM versions', key);
    const report = await verifyAll(app);
    expect(report.total_checked).toBe(0);
    expect(breaks(report)).toEqual(
      ['a', 'b', 'c'].map((key) => `one/${key} 1 missing_version`).concat('two/secret 1 missing_version'),
    );
    expect(breaks(await verifyAll(app, 'agent/other'))).toHaveLength(3);
  });

  it('sees that a version was given to another key', async () => {
    await change(`UPDATE entries SET key = 'z'`, 'a');
    expect(breaks(await verifyAll(app))).toContain('one/z 1 chain_mismatch');
  });

  it.each([
    ['document', `replace(document, '3', '4')`],
    ['memory_type', `'belief'`],
    ['confidence', '0.1'],
    ['shared', '0'],
    ['agent_id', `'agent/test '`],
    ['deleted', '1'],
    ['version', '2'],
  ])('sees that %s of the current entry was changed', async (column, value) => {
    await change(`UPDATE entries SET ${column} = ${value}`, 'b');
    expect(breaks(await verifyAll(app))).toEqual(['one/b 3 head_mismatch']);
  });

  it('sees that the current entry is missing', async () => {
    await change('DELETE FROM entries', 'b');
    expect(breaks(await verifyAll(app))).toEqual(['one/b 3 head_mismatch']);
  });

  it('does not report private entries of other agents', async () => {
    await change(inDocument('versions', '"value":1', '"value":2'), 'secret');
    expect((await verifyAll(app)).corrupted).toHaveLength(1);
    expect(await verifyAll(app, 'agent/other')).toMatchObject({
      total_checked: 10,
      valid: 10,
      corrupted: [],
      chain_breaks: [],
    });
  });

  it.each([1, 2, 3, 5, 11, 50])('pages of %i say the same as one call', async (limit) => {
    await change('DELETE FROM versions', 'a', ' AND version = 3');
    await change('DELETE FROM versions', 'b');
    await change(inDocument('versions', '"value":2', '"value":0'), 'c', ' AND version = 2');
    await change(inDocument('entries', '"value":1', '"value":0'), 'secret');
    const whole = await verifyAll(app);
    expect(breaks(whole)).toHaveLength(3);
    const pages = await follow((cursor) => app.call('entries.verify', { entity_path: `${root}/**`, limit, cursor }));
    expect(pages.reduce((sum, page) => sum + page.total_checked, 0)).toBe(whole.total_checked);
    expect(pages.reduce((sum, page) => sum + page.valid, 0)).toBe(whole.valid);
    expect(pages.flatMap((page) => page.corrupted)).toEqual(whole.corrupted);
    expect(pages.flatMap(breaks).sort()).toEqual(breaks(whole));
  });

  it('raises no alarm while others write, delete and erase', async () => {
    const disturb = async () => {
      for (let i = 0; i < 30; i++) {
        await app.call('entries.write', { entity_path: `${root}/one`, key: 'a', value: i });
        await app.call('entries.write', { entity_path: `${root}/busy`, key: `k${i}`, value: i });
        if (i % 5 === 4) await app.call('entries.erase', { entity_path: `${root}/busy`, key: `k${i - 2}` });
        if (i % 7 === 6) await app.call('entries.delete', { entity_path: `${root}/busy`, key: `k${i}` });
      }
      return true;
    };
    let done = false;
    const disturbed = disturb().then((ended) => {
      done = ended;
    });
    while (!done) {
      const pages = await follow((cursor) =>
        app.call('entries.verify', { entity_path: `${root}/**`, limit: 7, cursor }),
      );
      expect(pages.flatMap((page) => [...page.corrupted, ...page.chain_breaks])).toEqual([]);
    }
    await disturbed;
    expect(await verifyAll(app)).toMatchObject({ corrupted: [], chain_breaks: [] });
  });
});
