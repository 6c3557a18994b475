import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../packages/server/src/app.ts';
import { type Module, reads } from '../../packages/server/src/kernel/index.ts';

const moduleOf = (name: string, parts: Partial<Module> = {}): Module => ({
  name,
  migrations: [],
  handlers: {},
  ...parts,
});

const table = { table: 'colors', key: ['name'], left_out: 'a test' };
const shared = { table: 'servers', shared: 'a test', rights: [] };
const tagsList = { 'tags.list': reads<'tags.list'>(async () => ({}) as never) };
const stats = { 'stats.read': reads<'stats.read'>(async () => ({}) as never) };

describe('modules that get in the way of each other', () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'mem-test-'));
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  it.each<[string, Module[], RegExp]>([
    ['of one name', [moduleOf('same'), moduleOf('same')], /the module name same .* module \d+ and to module \d+/],
    ['of the name of a module of the service', [moduleOf('entries')], /the module name entries .* module 1 and/],
    ['of the name of the kernel', [moduleOf('kernel')], /the module name kernel .* the kernel and/],
    [
      'that serve one operation',
      [moduleOf('one', { handlers: tagsList }), moduleOf('two', { handlers: tagsList })],
      /the operation tags\.list .* the module one and to the module two/,
    ],
    [
      'that serve an operation of the service',
      [moduleOf('one', { handlers: stats })],
      /the operation stats\.read .* the module counts and to the module one/,
    ],
    [
      'that declare one table',
      [moduleOf('one', { tables: [table] }), moduleOf('two', { tables: [table] })],
      /the table colors .* the module one and to the module two/,
    ],
    [
      'that declare a table of the kernel',
      [moduleOf('one', { sharedTables: [shared] })],
      /the table servers .* the kernel and to the module one/,
    ],
  ])('%s are refused before the store is touched', async (_, modules, message) => {
    await expect(openApp({ dataDir, modules })).rejects.toThrow(message);
    expect(existsSync(dataDir) ? readdirSync(dataDir) : []).toEqual([]);
  });
});
