import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createExamples } from '../contract/table.ts';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import { exportLines, importLines } from './support.ts';

const as = { agent_id: 'agent/x' };

type ExportedRow = Record<string, unknown> & { document: Record<string, unknown> };

/** A change to the first record of a kind that has the member. */
const wrong: [what: string, kind: string, change: (row: ExportedRow) => void, message: RegExp][] = [
  [
    'a confidence of 7',
    'version',
    (row) => Object.assign(row, { confidence: 7 }),
    /confidence must be a number from 0/,
  ],
  ['a confidence of an entry of -1', 'entry', (row) => Object.assign(row, { confidence: -1 }), /confidence must be/],
  [
    'a path with an empty segment',
    'version',
    ({ document }) => Object.assign(document, { entity_path: 'p//a' }),
    /document\.entity_path: must not hold empty segments/,
  ],
  [
    'such a path in the log',
    'event',
    (row) => Object.assign(row, { entity_path: 'p//a' }),
    /entity_path must not hold empty/,
  ],
  [
    'a path that is not in NFC',
    'version',
    ({ document }) => Object.assign(document, { entity_path: 'cafe\u0301' }),
    /must be in Unicode NFC/,
  ],
  [
    'a key that is none',
    'version',
    ({ document }) => Object.assign(document, { key: '..' }),
    /document\.key: must not/,
  ],
  [
    'an unknown memory type',
    'version',
    ({ document }) => Object.assign(document, { memory_type: 'dream' }),
    /document\.memory_type/,
  ],
  ['no value', 'version', ({ document }) => delete document.value, /document\.value: /],
  ['a member too many', 'version', ({ document }) => Object.assign(document, { confidence: 1 }), /document: Unrec/],
  [
    'another version in its document',
    'version',
    ({ document }) => Object.assign(document, { version: 9 }),
    /document: version differs/,
  ],
  [
    'a time beyond all calendars',
    'version',
    (row) => Object.assign(row, { written_at: 9e15 }),
    /written_at must be a ti/,
  ],
  ['a flag of 2', 'version', (row) => Object.assign(row, { shared: 2 }), /shared must be 0 or 1/],
  [
    'an agent with a control character',
    'version',
    (row) => Object.assign(row, { agent_id: 'a\u0007' }),
    /agent_id must/,
  ],
  [
    'an unknown type of event',
    'event',
    (row) => Object.assign(row, { event_type: 'dreamt' }),
    /event_type must be one of/,
  ],
  [
    'an unknown type of outcome',
    'outcome',
    (row) => Object.assign(row, { outcome_type: 'fine' }),
    /outcome_type must be/,
  ],
  [
    'an unknown type of node',
    'edge',
    (row) => Object.assign(row, { source_type: 'planet' }),
    /source_type must be one of/,
  ],
  ['an unknown kind of count', 'count', (row) => Object.assign(row, { kind: 'guess' }), /kind must be one of/],
  ['an unknown kind of note', 'session_item', (row) => Object.assign(row, { kind: 'guess' }), /kind must be one of/],
  ['a standing that is none', 'entry', (row) => Object.assign(row, { standing: { tier: 9 } }), /standing\.\w+: /],
  [
    'a number for a document',
    'event',
    (row) => Object.assign(row, { details: '5' }),
    /details must be JSON: an object/,
  ],
  [
    'capabilities that are none',
    'agent_profile',
    (row) => Object.assign(row, { capabilities: [{ name: 5 }] }),
    /capabilities\.0\.name/,
  ],
];

describe.each(backends)('a record of an export on %s', (backend) => {
  let source: TestApp;
  let lines: string[];
  let app: TestApp;
  beforeAll(async () => {
    source = await openTestApp(backend);
    await createExamples(source, { mark: 'checked', as });
    await source.call('agents.set_profile', { agent_id: 'agent/x', description: 'Deploys' } as never, as);
    // Queries and errors are noted as they came.
    const noted = { ...as, session_id: 'looking' };
    await source.call('entries.list', { entity_path: 'checked/**' }, noted);
    await source.call('entries.search', { query: 'a', entity_path: 'checked/*' }, noted);
    await source.call('entries.erase', { entity_path: 'nothing/**' }, noted);
    await expect(source.call('entries.read', { entity_path: 'no', key: 'such' }, noted)).rejects.toThrow();
    const parameters = { entity_path: 'p//a' };
    await source.call('traces.create', { query_events: [{ operation: 'search', parameters }] } as never, as);
    lines = await exportLines(source);
  });
  afterAll(() => source.close());
  beforeEach(async () => {
    app = await openTestApp(backend, { clock: source.clock });
  });
  afterEach(() => app.close());

  it.each(wrong)('with %s is refused by its number, and nothing is kept', async (...[, kind, change, message]) => {
    const at = lines.findIndex((line) => line.startsWith(`{"record":"${kind}"`));
    expect(at).toBeGreaterThan(0);
    const row = JSON.parse(lines[at] as string);
    change(row);
    const changed = lines.with(at, JSON.stringify(row));
    const refused = importLines(app, changed);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input', status: 422 });
    await expect(refused).rejects.toThrow(`line ${at + 1} of the file`);
    await expect(refused).rejects.toThrow(message);
    expect((await app.call('entries.list', {}, as)).entries).toEqual([]);
    expect(await app.call('transfer.status', {})).toMatchObject({ is_empty: true });
  });

  it('that was written by the service is taken, of an erased agent too', async () => {
    expect(lines.some((line) => /"kind":"query".*"entity_path":"checked\/\*\*"/.test(line))).toBe(true);
    expect(lines.some((line) => /"record":"trace_item".*"entity_path":"p\/\/a"/.test(line))).toBe(true);
    await source.call('agents.erase', { agent_id: 'agent/x' } as never, { agent_id: 'agent/other' });
    const after = await exportLines(source);
    await importLines(app, after);
    expect(await exportLines(app)).toEqual(after);
  });
});
