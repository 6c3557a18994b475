import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'vite';
import { BUNDLE_OPTIONS } from './bundle-options.ts';

const folder = fileURLToPath(new URL('../../node_modules/.cache/mem-tests/', import.meta.url));
const STARTED = '/modules/text/file/words-thread.ts';
const PLACE = `new URL('./words.thread.mjs', import.meta.url)`;
const LOADER = `import.meta.url.endsWith('.ts') ? 'tsx/esm/api' : undefined`;

/**
 * Stores of tests start the thread of words from one file, as it is built for users. From its sources, each thread would
 * load a compiler and translate them again, which takes longer than most tests.
 */
export function bundledThread(): Plugin {
  let bundle: Promise<string> | undefined;
  return {
    name: 'bundled-thread',
    enforce: 'pre',
    async transform(code, id) {
      if (!id.endsWith(STARTED)) return undefined;
      if (!code.includes(PLACE) || !code.includes(LOADER)) throw new Error(`${id} starts its thread in another way`);
      bundle ??= makeBundle(id.replace(/[^/]*$/, 'words.thread.mjs'));
      const place = `new URL(${JSON.stringify(pathToFileURL(await bundle).href)})`;
      return { code: code.replace(PLACE, place).replace(LOADER, 'undefined'), map: null };
    },
  };
}

async function makeBundle(source: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `words-${process.pid}.thread.mjs`);
  process.once('exit', () => rmSync(outfile, { force: true }));
  await build({
    entryPoints: [source],
    outfile,
    ...BUNDLE_OPTIONS,
    external: ['@photostructure/sqlite'],
  });
  return outfile;
}
