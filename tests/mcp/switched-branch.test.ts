import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../packages/mcp/src/settings.ts';

describe('the branch of an MCP server', () => {
  let home: string;
  let project: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'mem-switched-'));
    project = join(home, 'project');
    mkdirSync(join(project, 'src'), { recursive: true });
    mkdirSync(join(home, '.mem'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const keep = (text: string) => writeFileSync(join(home, '.mem', 'branches.json'), text);
  const switchTo = (branch: string, memory = join(home, '.mem', 'store')) =>
    keep(JSON.stringify({ folders: [{ folder: project, memory, branch, previous: null }] }));
  const branchIn = (folder: string, env = {}) => readSettings({ HOME: home, ...env }, folder).branch;

  it('is that of the folder it is started in, or of a parent', () => {
    switchTo('experiment/retries');
    expect(branchIn(project)).toBe('experiment/retries');
    expect(branchIn(join(project, 'src'))).toBe('experiment/retries');
    expect(branchIn(home)).toBeUndefined();
  });

  it('is that of MEM_BRANCH, if it is set', () => {
    switchTo('experiment/retries');
    expect(branchIn(project, { MEM_BRANCH: 'main' })).toBe('main');
  });

  it('says nothing about another memory', () => {
    switchTo('experiment/retries', 'http://elsewhere.example');
    expect(branchIn(project)).toBeUndefined();
    expect(branchIn(project, { MEM_HTTP_URL: 'http://elsewhere.example' })).toBe('experiment/retries');
  });

  it.each(['', 'no JSON', '[]', '{"folders": [1, {"folder": 2}]}'])(
    'is left to the service by a file with %j',
    (text) => {
      keep(text);
      expect(branchIn(project)).toBeUndefined();
    },
  );
});
