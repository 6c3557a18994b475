import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memProgram } from '../../../tests/faults/support/mem-process.ts';

describe('a server with the package beside it', () => {
  let folder: string;
  let program: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mem-test-'));
    program = await memProgram();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const mem = (args: string[], env: Record<string, string> = {}) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const options = { cwd: folder, env: { PATH: process.env.PATH, MEM_DATA_DIR: join(folder, 'store'), ...env } };
      execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      );
    });

  it('loads its modules, and knows their refusals', async () => {
    await mem(['write', 'svc', 'k', '1']);
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
