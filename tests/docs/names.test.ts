import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'scripts', 'check-names.mjs');

describe('the check of names', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mem-names-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function check(files: Record<string, string>) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
    return { status, lines: stderr.trim().split('\n') };
  }

  it('passes types of different names, and one name used in several files', () => {
    const { status, lines } = check({
      'a.ts': 'export type EntryKey = { key: string };\n',
      'b.ts':
        "import {\n  type EntryKey,\n} from './a.ts';\nexport type { EntryKey } from './a.ts';\nlet key: EntryKey;\n",
    });
    expect(lines).toEqual(['']);
    expect(status).toBe(0);
  });

  it.each([
    'type Place = string;',
    'export interface Place {}',
    'export abstract class Place {}',
    'if (a) {\n  type Place = 1;\n}',
  ])('refuses a second file with the same type: %s', (again) => {
    const { status, lines } = check({ 'a.ts': 'type Place = { path: string };\n', 'deep/b.ts': `${again}\n` });
    expect(status).toBe(1);
    expect(lines[0]).toBe('Place: declared in a.ts, deep/b.ts');
  });

  it('takes no type from texts and comments', () => {
    const quoted = ['const text = `', 'type Place = 1;', '`;', '/*', 'type Place = 2;', '*/', ''].join('\n');
    expect(check({ 'a.ts': 'type Place = 3;\n', 'b.ts': quoted }).status).toBe(0);
  });

  it('finds a word in every kind of identifier, in comments and in docs, and names its line and another word', () => {
    const { status, lines } = check({
      'a.ts': 'const toldText = 1;\nconst TOLD_ONCE = 2;\nthis.#told(of, row.told_by);\n',
      'b.ts': '// Whoever asks\nconst ratio = 4 / 2; // is told `nothing`\n',
      'c.md': 'It stands\nanew.\n',
    });
    expect(status).toBe(1);
    const places = lines.filter((line) => line.includes(' in ')).map((line) => line.split(': ')[0]);
    expect(places.sort()).toEqual(['a.ts:1', 'a.ts:2', 'a.ts:3', 'a.ts:3', 'b.ts:1', 'b.ts:2', 'c.md:2']);
    expect(lines).toContain('c.md:2: "anew" in docs: again, from the start');
  });

  it('leaves texts, names in backticks, blocks and idioms alone', () => {
    const { lines } = check({
      'a.ts': [
        "const a = 'told'; // `told` is told apart",
        `const b = \`told \${untold} told\`;`,
        'const c = /told/.test(a);',
        '',
      ].join('\n'),
      'b.md': 'A name like `told`, [a file](docs/020-told-by-the-ledger.md):\n\n```ts\nconst told = 1;\n```\n',
    });
    expect(lines).toEqual(['']);
  });
});
