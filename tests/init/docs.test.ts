import { relative } from 'node:path';
import { shapes } from '@mem-service/contract';
import { expect, test } from 'vitest';
import { locateMemory } from '../../packages/mcp/src/location.ts';
import { setHooks } from '../../packages/server/src/cli/init/claude-hooks.ts';
import { clients, type InstallScope, type McpClient } from '../../packages/server/src/cli/init/clients.ts';
import { entryOf, targetOf } from '../../packages/server/src/cli/init/entry.ts';
import { guideOf } from '../../packages/server/src/cli/init/guide.ts';
import { applicationData, type Machine } from '../../packages/server/src/cli/init/machine.ts';
import { hooksFor } from '../../packages/server/src/cli/init/plan.ts';
import { setEntry } from '../../packages/server/src/cli/init/server-entry.ts';
import { blocksOf, readDoc, tableOf } from '../docs/markdown.ts';

const guide = readDoc('docs/clients.md');
const machine: Machine = { platform: 'linux', env: {}, home: '/home/ada', folder: '/home/ada/shop' };

function shown(file: string | undefined, scope: InstallScope): string {
  if (file === undefined) return '';
  if (scope === 'project') return relative(machine.folder, file);
  const data = applicationData(machine);
  return file.startsWith(data) ? `<data>/${relative(data, file)}` : `~/${relative(machine.home, file)}`;
}

test('docs/clients.md has the files of every client', () => {
  const expected = clients.map((client) => [
    client.title,
    client.name,
    shown(client.files(machine, 'user').config, 'user'),
    shown(client.files(machine, 'project').config, 'project'),
  ]);
  expect(tableOf(guide, '## Files')).toEqual(expected);
});

test('docs/clients.md has the guides of every client', () => {
  const guides = (client: McpClient, scope: InstallScope) =>
    client
      .files(machine, scope)
      .guides.map(({ file, kind }) => `${kind === 'skill' ? 'the skill ' : ''}${shown(file, scope)}`)
      .join(' and ');
  const expected = clients.map((client) => [client.name, guides(client, 'user'), guides(client, 'project')]);
  expect(tableOf(guide, '## Guides')).toEqual(expected);
});

const file = '/path/to/mem/packages/cli/dist/mem.js';
const programs = {
  mcp: { command: '/usr/bin/node', args: [file, 'mcp'] },
  mem: { command: '/usr/bin/node', args: [file] },
  typed: 'mem',
};
const clientOf = (name: string) => clients.find((client) => client.name === name) as McpClient;
const ADA = { HOME: machine.home };
const target = (env: Record<string, string>, scope: InstallScope = 'user') =>
  targetOf(locateMemory({ ...ADA, ...env }, machine.folder), {
    env: { ...ADA, ...env },
    folder: machine.folder,
    scope,
  });
const written = (name: string, env: Record<string, string> = {}) => {
  const wanted = entryOf(clientOf(name), target(env), programs.mcp);
  return setEntry(clientOf(name), '', { wanted, isKnown: false });
};

test('docs/clients.md shows what is written for a store', () => {
  const [claude, code, codex] = blocksOf(guide).filter(({ section }) => section === 'The store of this machine');
  expect(JSON.parse(claude?.text ?? '')).toEqual(JSON.parse(written('claude-code')));
  expect(JSON.parse(code?.text ?? '')).toEqual(JSON.parse(written('vscode')));
  expect(codex?.text).toBe(written('codex'));
  for (const name of ['claude-desktop', 'cursor', 'gemini', 'windsurf']) {
    const { type: _, ...entry } = JSON.parse(claude?.text ?? '').mcpServers.mem;
    expect(JSON.parse(written(name))).toEqual({ mcpServers: { mem: entry } });
  }
});

test('docs/clients.md shows what is written for a server', () => {
  const env = { MEM_HTTP_URL: 'https://mem.example.com', MEM_API_KEY: 'the key itself' };
  const [claude] = blocksOf(guide).filter(({ section }) => section === 'A server');
  expect(JSON.parse(claude?.text ?? '')).toEqual(JSON.parse(written('claude-code', env)));
  for (const [name = '', address = '', key = ''] of tableOf(guide, '## A server')) {
    const entry = entryOf(clientOf(name), target(env), programs.mcp) as Record<string, unknown>;
    const [member = '', below] = address.split('.');
    expect(below ? (entry[member] as Record<string, string>)[below] : entry[member]).toContain(
      'https://mem.example.com',
    );
    expect(JSON.stringify(entry)).toContain(`"${key}"`);
  }
  expect(tableOf(guide, '## A server').map(([name]) => name)).toEqual(clients.map(({ name }) => name));
});

test('docs/clients.md shows the hooks of Claude Code', () => {
  const [block] = blocksOf(guide).filter(({ section }) => section === 'Hooks of Claude Code');
  expect(JSON.parse(block?.text ?? '')).toEqual(JSON.parse(setHooks('', hooksFor(programs, target({})))));
});

test.each(['block', 'skill', 'rule', 'instructions'] as const)(
  'the guide of the kind %s explains every word that tools have for evidence',
  (kind) => {
    const { content } = guideOf(kind);
    for (const status of shapes.evidenceStatus.options) expect(content).toContain(`\`${status}\``);
  },
);

test.each(['block', 'skill', 'rule', 'instructions'] as const)(
  'the guide of the kind %s begins with a briefing and a question in plain language',
  (kind) => {
    const named = guideOf(kind).content.match(/\bmem_\w+/g) ?? [];
    expect(named.slice(0, 3)).toEqual(['mem_briefing', 'mem_retrieve', 'mem_search']);
  },
);
