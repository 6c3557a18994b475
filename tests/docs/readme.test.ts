import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memCommand } from './blocks.ts';
import { matchesText } from './compare.ts';
import { blocksOf, readDoc } from './markdown.ts';

const readme = readDoc('README.md');
const blocks = blocksOf(readme);

test('the README is short beside its pictures', () => {
  const text = readme.replaceAll(/<picture>.*?<\/picture>\n/gs, '');
  expect(text.split('\n').length).toBeLessThanOrEqual(180);
});

test('the commands that are not run name scripts that exist', () => {
  const { scripts } = JSON.parse(readDoc('package.json')) as { scripts: Record<string, string> };
  for (const { text } of blocks.filter(({ kind }) => kind === 'console'))
    for (const [, name = ''] of text.matchAll(/npm (?:run )?(start|test|(?<=run )\S+)/g))
      expect(scripts).toHaveProperty([name]);
});

test('the first screen is the one in the README', async () => {
  const expected = blocks.find(({ section, kind }) => section === 'Start' && kind === 'text')?.text ?? '';
  const cwd = mkdtempSync(join(tmpdir(), 'mem-docs-'));
  const [node, program] = await memCommand();
  const child = spawn(node, [program, 'serve'], { cwd, env: { PATH: process.env.PATH, MEM_HTTP_PORT: '0' } });
  try {
    let screen = '';
    let trouble = '';
    child.stderr.on('data', (chunk) => {
      trouble += chunk;
    });
    for await (const chunk of child.stdout) {
      screen += chunk;
      if (screen.endsWith('\n\n') && screen.includes('open to')) break;
    }
    const onDefaultPort = screen.replaceAll(/localhost:\d+/g, 'localhost:8080').trim();
    expect(matchesText(expected.trim(), onDefaultPort), screen + trouble).toBe(true);
  } finally {
    child.kill('SIGKILL');
    rmSync(cwd, { recursive: true, force: true });
  }
});

test('the Python that is not run is Python', () => {
  const programs = blocksOf(readDoc('docs/python.md')).filter(({ kind }) => kind === 'py');
  expect(programs.length).toBeGreaterThan(0);
  for (const { text, line } of programs) {
    // `async with` stands at the top level there, as in a notebook.
    const check = "import ast, sys; compile(sys.stdin.read(), 'block', 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)";
    const { status, stderr } = spawnSync('python3', ['-c', check], { input: text, encoding: 'utf8' });
    expect(status, `line ${line}: ${stderr}`).toBe(0);
  }
});
