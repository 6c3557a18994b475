import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dump } from '../contract/dump.ts';
import { createExamples, newAccount } from '../contract/table.ts';
import { backends, caller, openTestApp, type TestApp } from '../support/app.ts';
import { exportLines, importLines } from './support.ts';

const as = { agent_id: 'agent/x' };
const OTHER = 'bbbbbbbb-0000-4000-8000-00000000000b';

describe.each(backends)('an export on %s', (backend) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp(backend);
    await createExamples(app, { mark: 'whole', as });
  });
  afterAll(() => app.close());

  it('is of one moment, whatever is written while it is read', async () => {
    const before = await exportLines(app);
    const reading = await app.kernel.list('transfer.export', {}, caller(as));
    const lines = [(await reading.next()).value as string];
    await createExamples(app, { mark: 'meanwhile', as });
    await app.call('entries.erase', { entity_path: 'whole/**' }, as);
    for await (const line of reading) lines.push(line);
    expect(lines).toEqual(before);
    expect(await exportLines(app)).not.toEqual(before);
  });

  it('that is not read to its end releases its connection', async () => {
    for (let i = 0; i < 12; i++) {
      const reading = await app.kernel.list('transfer.export', {}, caller(as));
      await reading.next();
      await reading.return();
    }
    await app.call('entries.write', { entity_path: 'a', key: 'b', value: 1 }, as);
  });

  it('is not for a key that is kept to a part of the account', async () => {
    const part = [[{ kind: 'below' as const, base: 'a' }]];
    const key = { key_id: 'k', name: 'k', type: 'admin' as const, read: part, write: part };
    const scoped = { ...as, key };
    await expect(app.call('transfer.export', {}, scoped)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(app.call('transfer.status', {}, scoped)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(app.call('transfer.finish', {}, scoped)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(app.call('transfer.discard', {}, scoped)).rejects.toMatchObject({ code: 'forbidden' });
    const add = app.call('transfer.add', { from: 0, lines: ['{}'] }, scoped);
    await expect(add).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('contains only one account', async () => {
    await newAccount(app, OTHER);
    await app.call('entries.write', { entity_path: 'of', key: 'other', value: 'othermark' }, { account_id: OTHER });
    expect((await exportLines(app)).join('\n')).not.toContain('othermark');
    const lines = await exportLines(app, { account_id: OTHER });
    expect(lines.join('\n')).toContain('othermark');
    expect(lines.join('\n')).not.toContain('whole');
  });
});

describe.each(backends)('an import on %s', (backend) => {
  let source: TestApp;
  let lines: string[];
  let app: TestApp;
  beforeAll(async () => {
    source = await openTestApp(backend);
    await createExamples(source, { mark: 'moved', as });
    lines = await exportLines(source);
  });
  afterAll(() => source.close());
  beforeEach(async () => {
    app = await openTestApp(backend, { clock: source.clock });
  });
  afterEach(() => app.close());

  const empty = async () => {
    // Notes of reads advance the clock of an account.
    const { import_lines: _, stored_answers: __, accounts: ___, ...tables } = await dump(app);
    return tables;
  };

  it('into an account that holds something is refused', async () => {
    await app.call('entries.write', { entity_path: 'a', key: 'b', value: 1 }, as);
    const before = await dump(app);
    await expect(importLines(app, lines)).rejects.toMatchObject({ code: 'conflict', status: 409 });
    await expect(app.call('transfer.finish', {})).rejects.toMatchObject({ code: 'conflict' });
    expect(await dump(app)).toEqual(before);
  });

  it('into an account that was only looked at is taken', async () => {
    await app.call('entries.list', {}, { ...as, session_id: 'looking' });
    await app.call('entries.search', { query: 'anything' }, as);
    await app.kernel.services.noteBuffer.flushAll();
    await importLines(app, lines);
    expect(await exportLines(app)).toEqual(lines);
  });

  it('shows nothing before it is finished, and everything after', async () => {
    const before = await empty();
    const half = Math.floor(lines.length / 2);
    await app.call('transfer.add', { from: 0, lines: lines.slice(0, half) });
    expect(await empty()).toEqual(before);
    expect((await app.call('entries.list', {}, as)).entries).toEqual([]);
    expect(await app.call('transfer.status', {})).toMatchObject({ received: half, is_empty: true, seq: 0 });
    await app.call('transfer.add', { from: half, lines: lines.slice(half) });
    expect(await empty()).toEqual(before);
    expect(await app.call('transfer.finish', {})).toMatchObject({ seq: JSON.parse(lines[0] as string).seq });
    expect(await exportLines(app)).toEqual(lines);
    expect(await app.call('transfer.status', {})).toMatchObject({ received: 0, is_empty: false, header: null });
  });

  it('goes on after the service was stopped in the middle', async () => {
    const half = Math.floor(lines.length / 2);
    const { place } = app;
    const first = await openTestApp(backend, { place, clock: source.clock });
    await first.call('transfer.add', { from: 0, lines: lines.slice(0, half) });
    await first.close();
    const { received } = await app.call('transfer.status', {});
    await app.call('transfer.add', { from: received, lines: lines.slice(received) });
    await app.call('transfer.finish', {});
    expect(await exportLines(app)).toEqual(lines);
  });

  it('takes lines that come again once, and none with a gap', async () => {
    await app.call('transfer.add', { from: 0, lines: lines.slice(0, 10) });
    expect(await app.call('transfer.add', { from: 0, lines: lines.slice(0, 10) })).toMatchObject({ received: 10 });
    const gap = app.call('transfer.add', { from: 12, lines: lines.slice(12, 20) });
    await expect(gap).rejects.toMatchObject({ code: 'conflict', detail: { received: 10 } });
    const other = app.call('transfer.add', { from: 5, lines: lines.slice(6, 11) });
    await expect(other).rejects.toMatchObject({ code: 'conflict' });
  });

  it('that is not whole is not finished, and can be dropped', async () => {
    await app.call('transfer.add', { from: 0, lines: lines.slice(0, -1) });
    await expect(app.call('transfer.finish', {})).rejects.toMatchObject({ code: 'conflict' });
    expect(await app.call('transfer.discard', {})).toEqual({ discarded: lines.length - 1 });
    await expect(app.call('transfer.finish', {})).rejects.toThrow('no import is under way');
    await importLines(app, lines);
    expect(await exportLines(app)).toEqual(lines);
  });

  it('whose records do not fit to each other leaves the account empty', async () => {
    const before = await empty();
    const isVersion = (line: string) => line.startsWith('{"record":"version",');
    const { entry_id } = JSON.parse(lines.find(isVersion) as string);
    const isNewest = (line: string) => isVersion(line) && JSON.parse(line).entry_id === entry_id;
    const without = lines.filter((line) => !isNewest(line));
    const header = JSON.parse(without[0] as string);
    header.counts.version -= lines.length - without.length;
    await expect(importLines(app, [JSON.stringify(header), ...without.slice(1)])).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await empty()).toEqual(before);
  });

  const record = (change: (row: Record<string, unknown>) => void) => (line: string) => {
    const row = JSON.parse(line);
    change(row);
    return JSON.stringify(row);
  };
  const wrong: [what: string, change: (line: string) => string, message: RegExp][] = [
    ['no JSON', (line) => line.slice(0, -1), /is not JSON/],
    ['no record', () => '[1]', /is not an object with a `record`/],
    ['of an unknown kind', () => '{"record":"dream"}', /unknown kind "dream"/],
    ['without a member', record((row) => delete row.entry_id), /entry_id is missing/],
    ['with a member too many', record((row) => Object.assign(row, { extra: 1 })), /unknown member "extra"/],
    ['with a text for a number', record((row) => Object.assign(row, { seq: '1' })), /seq must be a whole number/],
    ['with a number for a text', record((row) => Object.assign(row, { agent_id: 1 })), /agent_id must be a text/],
    ['with null where none may be', record((row) => Object.assign(row, { agent_id: null })), /agent_id must be a text/],
    ['with a NUL', record((row) => Object.assign(row, { agent_id: 'a\0' })), /without NUL/],
    ['with half a character', record((row) => Object.assign(row, { agent_id: '\ud800' })), /well-formed/],
    ['with a document that is none', record((row) => Object.assign(row, { document: '{' })), /document must be JSON/],
    [
      'too deep',
      record((row) => Object.assign(row, { document: JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`) })),
      /nested deeper/,
    ],
  ];

  it.each(wrong)('names the number of a line that is %s, and stores nothing', async (_, change, message) => {
    const at = lines.findIndex((line) => line.startsWith('{"record":"version"'));
    const changed = [...lines];
    changed[at] = change(lines[at] as string);
    const refused = app.call('transfer.add', { from: 0, lines: changed });
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(refused).rejects.toThrow(`line ${at + 1} of the file`);
    await expect(refused).rejects.toThrow(message);
    expect((await app.call('transfer.status', {})).received).toBe(0);
  });

  it('refuses records that come twice or in another order', async () => {
    for (const other of [
      [lines[1], lines[1]],
      [lines[2], lines[1]],
      [lines.at(-1), lines[1]],
    ] as string[][])
      await expect(app.call('transfer.add', { from: 0, lines: [lines[0] as string, ...other] })).rejects.toThrow(
        /line 3 of the file is/,
      );
    await app.call('transfer.add', { from: 0, lines: lines.slice(0, 3) });
    await expect(app.call('transfer.add', { from: 3, lines: [lines[1] as string] })).rejects.toThrow(
      /line 4 of the file/,
    );
  });

  it('refuses a format that it does not know', async () => {
    const header = JSON.parse(lines[0] as string);
    for (const [change, message] of [
      [{ version: 2 }, 'is of version 2 of the format; this service knows 1'],
      [{ format: 'other' }, 'is not the header of an export'],
      [{ seq: -1 }, 'seq must be a whole number'],
      [{ counts: { version: 'x' } }, 'counts must hold'],
    ] as const)
      await expect(
        app.call('transfer.add', { from: 0, lines: [JSON.stringify({ ...header, ...change })] }),
      ).rejects.toThrow(message);
  });

  it('can be tried without anything being kept', async () => {
    const before = await dump(app);
    expect(await app.call('transfer.add', { from: 0, lines, dry_run: true })).toEqual({ dry_run: true, received: 0 });
    await expect(app.call('transfer.add', { from: 0, lines: ['{}'], dry_run: true })).rejects.toThrow('line 1');
    expect(await dump(app)).toEqual(before);
  });

  it('can be tried in an account that is in use', async () => {
    await app.call('entries.write', { entity_path: 'in', key: 'use', value: 1 });
    expect(await app.call('transfer.add', { from: 0, lines, dry_run: true })).toEqual({ dry_run: true, received: 0 });
    await expect(app.call('transfer.add', { from: 0, lines })).rejects.toThrow('not empty');
  });

  it('leaves another account as it is', async () => {
    await newAccount(app, OTHER);
    await app.call('entries.write', { entity_path: 'of', key: 'other', value: 'othermark' }, { account_id: OTHER });
    const before = await dump(app, OTHER);
    await importLines(app, lines);
    expect(await dump(app, OTHER)).toEqual(before);
    const found = await app.call('entries.search', { query: 'othermark' }, as);
    expect(found.entries).toEqual([]);
  });
});
