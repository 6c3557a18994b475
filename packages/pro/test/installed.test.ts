import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');

/** Two packages as npm would lay them beside each other, with the rest of the dependencies above them. */
describe('a server with the package beside it', () => {
  let folder: string;
  beforeAll(() => {
    const cache = join(root, 'node_modules', '.cache');
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(join(cache, 'mem-installed-'));
    for (const name of ['server', 'pro']) {
      const at = join(folder, 'node_modules', '@mem-service', name);
      mkdirSync(at, { recursive: true });
      cpSync(join(root, 'packages', name, 'package.json'), join(at, 'package.json'));
      execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), join(at, 'dist'), name], { stdio: 'pipe' });
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const mem = (args: string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const program = join(folder, 'node_modules', '@mem-service', 'server', 'dist', 'mem.js');
      const options = { cwd: folder, env: { PATH: process.env.PATH, MEM_DATA_DIR: join(folder, 'store'), ...env } };
      execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      );
    });

  it('loads its modules, and knows their refusals', async () => {
    expect(await mem(['tag', 'v1', '--json'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('"branch":"tags/v1"'),
    });
    expect(await mem(['tag', 'v1'])).toMatchObject({ output: expect.stringContaining('there is a tag "v1" already') });
  });

  it('leaves them out where MEM_PRO is off, and the store stays usable with and without', async () => {
    const off = await mem(['tags'], { MEM_PRO: 'off' });
    expect(off.code).not.toBe(0);
    expect(off.output).toContain('tags.list needs the module tags');
    expect((await mem(['tags'])).output).toContain('v1');
  });
});
