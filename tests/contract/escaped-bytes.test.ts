import type { OperationName } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backends, openTestApp, type TestApp } from '../support/app.ts';
import type { JsonObject } from './table.ts';

const PAGE_BYTES = 20_000;
const COUNT = 40;
/** Each character is stored as one byte, and takes six in an answer. All of them are within a page as they are stored. */
const escaped = (i: number) => `${'\u0001'.repeat(300)}${i}`;

describe.each(backends)('texts that JSON makes longer on %s', (backend) => {
  let app: TestApp;
  const ask = (name: OperationName, input: JsonObject): Promise<JsonObject> => app.call(name, input as never);
  beforeAll(async () => {
    app = await openTestApp(backend, { trackReads: false, maxPageBytes: PAGE_BYTES });
    const texts = Array.from({ length: COUNT }, (_, i) => escaped(i));
    const writes = texts.map((group, i) => ({ entity_path: 'escaped', key: `k${i}`, value: { group } }));
    await ask('commits.create', { writes });
    for (const [i, text] of texts.entries()) {
      await ask('tags.create', { name: `t${i}`, description: text });
      await ask('commits.create', { writes: [{ entity_path: 'one', key: 'k', value: i }], message: text });
    }
  });
  afterAll(() => app.close());

  it.each([
    ['tags.list', 'tags', COUNT],
    ['commits.list', 'commits', COUNT + 1],
  ] as const)('%s has pages of the bytes that it sends', async (name, member, count) => {
    let found = 0;
    for (let cursor: unknown = undefined; cursor !== null; ) {
      const page = await ask(name, { limit: 100, ...(cursor === undefined ? {} : { cursor }) });
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(1.5 * PAGE_BYTES);
      found += (page[member] as unknown[]).length;
      cursor = page.next_cursor;
    }
    expect(found).toBe(count);
  });

  it('groups are as many as an answer has room for', async () => {
    const input = { entity_path: 'escaped', op: 'count', group_by: 'group' };
    await expect(ask('entries.aggregate', input)).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
