import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

export type Conformance = {
  /** Runs every scenario against the address; those that fail must be exactly the expected ones. */
  run(url: string, expected: readonly string[]): Promise<{ code: number | null; out: string; passed: string[] }>;
  remove(): void;
};

/** The suite of the protocol's authors. As modules it asks for an export that Node 20 does not have, and never uses it. */
export async function conformance(): Promise<Conformance> {
  const folder = mkdtempSync(join(tmpdir(), 'mem-conformance-'));
  const program = join(folder, 'conformance.cjs');
  await build({
    entryPoints: ['node_modules/@modelcontextprotocol/conformance/dist/index.js'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
  });
  return {
    async run(url, expected) {
      const list = join(folder, 'expected.yml');
      writeFileSync(list, `server:\n${expected.map((name) => `  - ${name}\n`).join('')}`);
      const { code, out } = await node([
        program,
        'server',
        '--url',
        url,
        '--suite',
        'all',
        '--expected-failures',
        list,
      ]);
      const passed = [...out.matchAll(/^✓ ([\w-]+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name as string);
      return { code, out, passed };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function node(args: readonly string[]): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk) => {
      out += chunk;
    });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out })));
}
