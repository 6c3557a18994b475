import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'vite';
import { BUNDLE_OPTIONS } from './bundle-options.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'node_modules', '.cache', 'mem-tests');
/** Threads that run from TypeScript, by the file that names them. */
const NAMED = new Map([
  ['/modules/text/file/words-thread.ts', './words.thread.mjs'],
  ['/modules/recall/embedder-thread.ts', './embedder.thread.mjs'],
  ['/modules/recall/models/model-client.ts', './model.thread.mjs'],
]);
const STARTED = ['/modules/text/file/words-thread.ts', '/modules/recall/task-thread.ts'];
const FROM_SOURCE = `import.meta.url.endsWith('.ts')`;

/**
 * Stores of tests start their threads from one file each, as they are built for users. From its sources, each thread would
 * load a compiler and translate them again, which takes longer than most tests.
 */
export function bundledThread(): Plugin {
  const bundles = new Map<string, Promise<string>>();
  const bundleOf = (source: string): Promise<string> => {
    const bundle = bundles.get(source) ?? makeBundle(source);
    bundles.set(source, bundle);
    return bundle;
  };
  return {
    name: 'bundled-thread',
    enforce: 'pre',
    async transform(code, id) {
      const thread = [...NAMED].find(([file]) => id.endsWith(file))?.[1];
      const isStart = STARTED.some((file) => id.endsWith(file));
      if (!thread && !isStart) return undefined;
      const place = `new URL('${thread}', import.meta.url)`;
      if ((thread && !code.includes(place)) || (isStart && !code.includes(FROM_SOURCE)))
        throw new Error(`${id} starts its thread in another way`);
      const bundled = thread && pathToFileURL(await bundleOf(join(dirname(id), thread))).href;
      const named = bundled ? code.replace(place, `new URL(${JSON.stringify(bundled)})`) : code;
      return { code: isStart ? named.replace(FROM_SOURCE, 'false') : named, map: null };
    },
  };
}

async function makeBundle(source: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const table = join(folder, 'table');
  // The embedder looks for its table beside the bundle.
  if (!existsSync(table)) symlinkSync(join('..', '..', '..', 'packages', 'embedder', 'table'), table);
  const outfile = join(folder, basename(source).replace(/^[^.]*/, `$&-${process.pid}`));
  process.once('exit', () => rmSync(outfile, { force: true }));
  await build({
    entryPoints: [source],
    outfile,
    ...BUNDLE_OPTIONS,
    external: ['@photostructure/sqlite'],
  });
  return outfile;
}
