import { afterEach, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';

const TOKEN = ['gh', 'p_', 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA3bC6'].join('');
const at = (key: string) => ({ entity_path: 'shop/pay', key });

describe.each(backends)('a value that looks like a secret, on %s', (backend) => {
  let app: TestApp;
  afterEach(() => app.close());

  const open = async (secrets?: 'warn' | 'refuse' | 'off') => {
    app = await openTestApp(backend, secrets ? { settings: { secrets } } : {});
  };
  const write = (value: unknown, key = 'note') => app.call('entries.write', { ...at(key), value });

  it('is stored, and the answer warns without repeating it', async () => {
    await open();
    const { warnings, version } = await write(`push with ${TOKEN}`);
    expect(version).toBe(1);
    expect(warnings).toEqual([
      {
        type: 'looks_like_secret',
        ...at('note'),
        kinds: ['github_token'],
        message: expect.stringContaining('looks like a secret (github_token)'),
      },
    ]);
    expect(JSON.stringify(warnings)).not.toContain(TOKEN);
    expect((await write({ retries: 3, note: 'the token: see docs' })).warnings).toEqual([]);
    expect((await write({ db: { password: 'hunter2' } })).warnings).toMatchObject([{ kinds: ['assignment'] }]);
    expect((await write('correct horse', 'db-password')).warnings).toMatchObject([{ kinds: ['assignment'] }]);
    expect((await write('Users get a link by mail.', 'reset-password')).warnings).toEqual([]);
  });

  it('is warned of with what takes it out: the command of a person, as no tool can', async () => {
    await open();
    const messageOf = async (key: string) => (await write(`push with ${TOKEN}`, key)).warnings[0]?.message;
    expect(await messageOf('note')).toMatch(
      /: ask a person to run: mem erase shop\/pay note; mem_delete keeps it in the history$/,
    );
    expect(await messageOf("it's *")).toContain(`run: mem erase shop/pay 'it'\\''s *'; mem_delete`);
    expect(await messageOf('-x')).toContain(`run: mem erase -- shop/pay '-x'; mem_delete`);
  });

  it('is warned of in a commit and in an import', async () => {
    await open();
    const writes = [
      { ...at('a'), value: 'fine' },
      { ...at('b'), value: `token: ${TOKEN}` },
    ];
    expect((await app.call('commits.create', { writes })).warnings).toMatchObject([{ ...at('b') }]);
    const entries = writes.map((one) => ({ ...one, key: `${one.key}2` }));
    expect((await app.call('entries.import', { source: 'notes', entries })).warnings).toMatchObject([{ ...at('b2') }]);
  });

  it('is refused where the operator says so, with nothing stored', async () => {
    await open('refuse');
    await expect(write(`push with ${TOKEN}`)).rejects.toMatchObject({
      code: 'looks_like_secret',
      status: 422,
      detail: { ...at('note'), kinds: ['github_token'], errors: [{ path: 'value' }] },
    });
    const writes = [
      { ...at('a'), value: 'fine' },
      { ...at('b'), value: `token: ${TOKEN}` },
    ];
    await expect(app.call('commits.create', { writes })).rejects.toMatchObject({
      detail: { errors: [{ path: 'writes.1.value' }] },
    });
    await expect(app.call('entries.import', { source: 'x', entries: writes })).rejects.toMatchObject({
      code: 'looks_like_secret',
    });
    expect(await app.call('entries.list', {})).toMatchObject({ entries: [] });
    expect(await write('nothing secret here')).toMatchObject({ version: 1, warnings: [] });
  });

  it('is not looked at where that is off', async () => {
    await open('off');
    expect((await write(`push with ${TOKEN}`)).warnings).toEqual([]);
  });
});
