import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operations } from '@mem-service/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readForeign } from '../../packages/server/src/import/index.ts';
import type { System } from '../../packages/server/src/import/systems.ts';
import { makeClaudeMem, makeMem0History, makeMem0TypeScriptHistory } from './databases.ts';

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mem-foreign-'));
  cpSync(fixtures, folder, { recursive: true });
  await makeMem0History(join(folder, 'mem0', 'history.db'));
  writeFileSync(join(folder, 'mem0', 'config.json'), '{"user_id":"somebody"}');
  await makeMem0TypeScriptHistory(join(folder, 'memory.db'));
  await makeClaudeMem(join(folder, 'claude-mem.db'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function read(system: System, path: string, into: string = system) {
  const found = await readForeign(system, { path: join(folder, path), into });
  const { entries, links } = found;
  // The service accepts everything that a reader returns.
  const input = operations['entries.import'].input.safeParse({ source: system, entries, links });
  expect(input.error?.issues ?? []).toEqual([]);
  return found;
}

describe('files of server-memory', () => {
  it('become an entry for each entity and an edge for each relation', async () => {
    const { entries, links } = await read('server-memory', 'memory.jsonl');
    expect(entries.map(({ entity_path, key, value }) => ({ entity_path, key, value }))).toEqual([
      {
        entity_path: 'server-memory/person',
        key: 'Ada Marsh',
        value: { name: 'Ada Marsh', observations: ['Leads the payments team', 'Prefers short reports'] },
      },
      {
        entity_path: 'server-memory/service',
        key: 'checkout-api',
        value: { name: 'checkout-api', observations: ['Written in Go'] },
      },
    ]);
    expect(links).toMatchObject([
      {
        source: 'server-memory/person/Ada Marsh',
        relation: 'maintains',
        target: 'server-memory/service/checkout-api',
        target_type: 'entry',
      },
      { relation: 'depends on', target: 'Northwind Bank', target_type: 'entity' },
    ]);
  });

  it('are refused by the number of a line that is none', async () => {
    writeFileSync(
      join(folder, 'broken.jsonl'),
      '{"type":"entity","name":"a","entityType":"b","observations":[]}\n{oops\n',
    );
    await expect(read('server-memory', 'broken.jsonl')).rejects.toThrow('line 2 is not a JSON object');
  });
});

describe('files of mem0', () => {
  it('become an entry for each memory, with its history and who it is about', async () => {
    const { entries, links, notes, similar, repeated } = await read('mem0', 'mem0');
    const id = '6f0c1f0a-0000-4000-8000-00000000000';
    expect(entries).toMatchObject([
      {
        entity_path: 'mem0/users/ada',
        key: `${id}1`,
        value: { memory: 'Drinks tea', metadata: { topic: 'drinks' } },
        agent_id: 'assistant',
        written_at: '2024-03-01T10:00:00.000Z',
      },
      {
        key: `${id}1`,
        value: { memory: 'Drinks coffee now' },
        agent_id: 'ada',
        written_at: '2024-06-01T10:00:00.000Z',
      },
      { key: `${id}2`, value: { memory: 'Works at night' }, agent_id: 'mem0', written_at: '2024-04-01T00:00:00.000Z' },
      { key: `${id}4`, value: { memory: 'works at night.' } },
    ]);
    expect(links).toMatchObject([{ source: 'ada', relation: 'works_at', target: 'northwind' }]);
    expect(notes).toEqual([
      expect.stringContaining('config.json holds no memories and was passed over'),
      '1 memory was left behind: deleted there',
    ]);
    expect(repeated).toBe(1);
    expect(similar).toMatchObject([{ key: `${id}4`, like: { key: `${id}2` } }]);
  });

  it('are read from the history alone, in either edition', async () => {
    expect((await read('mem0', 'mem0/history.db')).entries.map(({ entity_path }) => entity_path)).toEqual([
      'mem0/memories',
      'mem0/memories',
    ]);
    expect((await read('mem0', 'memory.db')).entries).toMatchObject([
      { key: 't1', value: { memory: 'Cycles to work' }, written_at: '2025-01-01T00:00:00.000Z' },
    ]);
  });
});

describe('notes of basic-memory', () => {
  it('become entries with their observations, tags and times', async () => {
    const { entries, links } = await read('basic-memory', 'basic-memory', 'notes');
    expect(entries.map(({ entity_path, key }) => `${entity_path} ${key}`)).toEqual([
      'notes Bank Gateway',
      'notes plain',
      'notes/projects/checkout retry-policy',
    ]);
    expect(entries[2]).toMatchObject({
      written_at: '2025-04-05T08:30:00.000Z',
      pattern_refs: ['payments', 'resilience'],
      value: {
        title: 'Retry Policy',
        type: 'decision',
        metadata: { status: 'agreed' },
        observations: [
          {
            category: 'decision',
            content: 'Three attempts with back-off #retries',
            tags: ['retries'],
            context: 'agreed with the bank',
          },
          { content: 'A remark with a tag #later', tags: ['later'] },
        ],
      },
    });
    expect(entries[0]).toMatchObject({ pattern_refs: ['payments', 'outside'] });
    expect(links.map(({ relation, target, target_type }) => [relation, target, target_type])).toEqual([
      ['links_to', 'Ledger', 'entity'],
      ['depends_on', 'notes/Bank Gateway', 'entry'],
      ['is part of', 'Checkout', 'entity'],
    ]);
  });
});

describe('the database of claude-mem', () => {
  it('becomes an entry for each observation and each summary', async () => {
    const { entries, notes } = await read('claude-mem', 'claude-mem.db');
    expect(entries).toMatchObject([
      {
        entity_path: 'claude-mem/checkout',
        key: 'observation-1',
        agent_id: 'claude',
        session_id: 'ms-1',
        written_at: '2025-10-01T10:05:00.000Z',
        pattern_refs: ['gotcha', 'problem-solution'],
        value: {
          type: 'bugfix',
          title: 'Retries end',
          facts: ['The cap was never read'],
          files_read: ['src/retry.ts'],
        },
      },
      { key: 'summary-1', value: { request: 'Fix the retries', learned: 'Caps need tests' } },
    ]);
    expect(notes).toEqual(['1 prompts of the user are left behind']);
  });

  it('is refused where it is another one', async () => {
    await expect(read('claude-mem', 'memory.db')).rejects.toThrow('holds no observations of claude-mem');
  });
});

describe('agent files of letta', () => {
  it('become entries for blocks and messages', async () => {
    const { entries, notes } = await read('letta', 'letta.af');
    expect(
      entries.map(({ entity_path, key, agent_id, written_at }) => [entity_path, key, agent_id, written_at]),
    ).toEqual([
      ['letta/support-desk/blocks', 'persona', 'support-desk', '2025-06-02T12:00:00.000Z'],
      ['letta/support-desk/blocks', 'human', 'support-desk', '2025-06-02T12:00:00.000Z'],
      ['letta/support-desk/messages', '2025-06-01T08:00:05.000Z message-1', 'user', '2025-06-01T08:00:05.000Z'],
      ['letta/support-desk/messages', '2025-06-01T08:00:09.000Z message-2', 'support-desk', '2025-06-01T08:00:09.000Z'],
    ]);
    expect(entries[0]?.value).toEqual({ value: 'Patient and exact.', description: 'How the agent is' });
    expect(entries[2]?.value).toEqual({ role: 'user', content: 'My parcel is late.' });
    expect(notes).toEqual(['1 system messages are left behind']);
  });

  it('are read in the first format too', async () => {
    const { entries } = await read('letta', 'letta-first.af');
    expect(entries).toMatchObject([
      { entity_path: 'letta/old-desk/blocks', key: 'human', written_at: '2025-03-02T09:00:00.000Z' },
      { entity_path: 'letta/old-desk/messages', value: { role: 'user', content: 'Where is Tromsø?' } },
    ]);
  });
});

describe('a file of something else', () => {
  it('is refused', async () => {
    await expect(read('mem0', 'mem0/config.json')).rejects.toThrow('holds no memories of mem0');
    await expect(read('zep', 'mem0/config.json')).rejects.toThrow('holds nothing of zep');
    await expect(read('letta', 'mem0/config.json')).rejects.toThrow('is no agent file');
    await expect(read('claude-mem', 'mem0')).rejects.toThrow('there is no claude-mem.db');
  });
});

describe('answers of Zep', () => {
  it('become entries for messages, facts, nodes and episodes, and edges', async () => {
    const { entries, links } = await read('zep', 'zep');
    const shown = entries.map(({ entity_path, key, agent_id }) => `${entity_path} ${key.slice(0, 8)} ${agent_id}`);
    expect(shown).toEqual([
      'zep/sessions/chat-7 22222222 ada',
      'zep/sessions/chat-7 22222222 concierge',
      'zep/users/ada 33333333 zep',
      'zep/nodes Ada zep',
      'zep/nodes Bistro zep',
      'zep/facts 55555555 zep',
      'zep/episodes 66666666 zep',
    ]);
    expect(entries[2]).toMatchObject({ value: { fact: 'Ada has a usual table' }, confidence: 0.7 });
    expect(entries[5]).toMatchObject({ value: { name: 'DINES_AT', valid_at: '2024-09-01T08:00:00Z' } });
    expect(links).toMatchObject([{ source: 'zep/nodes/Ada', relation: 'DINES_AT', target: 'zep/nodes/Bistro' }]);
  });
});
