// Bundles the dashboard: scripts and styles with hashed names, compressed, and the page that loads them.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { licensesOf } from './bundled.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'packages', 'dashboard');
const source = join(folder, 'src');
const entryPoint = join(source, 'main.tsx');
const resolver = createRequire(join(folder, 'package.json'));
/** Where the page finds its files, from its own address. */
const BELOW = './dashboard/';

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  platform: 'browser',
  target: 'es2022',
  conditions: ['source'],
  jsx: 'automatic',
  // Other packages bring another React to the root; a page must have one only.
  alias: Object.fromEntries(
    ['react', 'react-dom'].map((name) => [name, dirname(resolver.resolve(`${name}/package.json`))]),
  ),
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  logLevel: 'warning',
  outdir: join(folder, 'dist'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.svg': 'file', '.png': 'file' },
};

/** The files of the dashboard, all in one folder, each with its compressed forms. */
export async function dashboardFiles() {
  const [app, first] = await Promise.all([bundleApp(), bundleFirst()]);
  const page = { path: 'index.html', contents: await pageOf(app, first) };
  const files = [page, ...app.files, ...first];
  return [...files, ...(await Promise.all(files.map(compressed))).flat(), ...(await licensesOf(app))];
}

async function bundleApp() {
  const workers = { files: [], inputs: {} };
  const { outputFiles, metafile } = await build({
    ...shared,
    format: 'esm',
    splitting: true,
    plugins: [workersBeside(workers)],
    entryPoints: [entryPoint],
  });
  const main = Object.keys(metafile.outputs).find((file) => metafile.outputs[file].entryPoint?.endsWith('/main.tsx'));
  const { imports, cssBundle } = metafile.outputs[main];
  const styles = cssBundle && basename(cssBundle);
  const early = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
  return {
    files: [...filesOf(outputFiles).filter(({ path }) => !path.endsWith('.css') || path === styles), ...workers.files],
    inputs: { ...metafile.inputs, ...workers.inputs },
    main: basename(main),
    styles,
    early,
  };
}

/** A classic script of its own, which runs before anything is painted: it sets the theme. */
async function bundleFirst() {
  const file = join(source, 'theme-first.ts');
  if (!existsSync(file)) return [];
  const { outputFiles } = await build({ ...shared, format: 'iife', entryPoints: [file] });
  return filesOf(outputFiles);
}

/** Makes `new URL('./name.ts', import.meta.url)`, the script of a worker, the address of its bundle. */
const workersBeside = ({ files, inputs }) => ({
  name: 'workers-beside',
  setup(given) {
    given.onLoad({ filter: /[\\/]dashboard[\\/]src[\\/].*\.tsx?$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      if (path === entryPoint) contents += await importsOfStyles();
      for (const [whole, worker] of contents.matchAll(/new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g)) {
        const entryPoints = [resolve(dirname(path), worker)];
        const { outputFiles, metafile } = await build({ ...shared, format: 'esm', entryPoints });
        files.push(...filesOf(outputFiles));
        Object.assign(inputs, metafile.inputs);
        contents = contents.replace(whole, whole.replace(worker, `./${basename(outputFiles[0].path)}`));
      }
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
});

/**
 * Imports of all modules of styles, for the entry: styles of a page that is loaded later would otherwise be in a file that
 * nothing loads.
 */
async function importsOfStyles() {
  const names = await readdir(source, { recursive: true });
  const sheets = names.filter((name) => name.endsWith('.module.css')).sort();
  return sheets.map((name) => `\nimport './${name.replaceAll('\\', '/')}';`).join('');
}

const filesOf = (outputFiles) => outputFiles.map(({ path, contents }) => ({ path: basename(path), contents }));

/** The page names its files relative to its own address, so that it works below any path. */
async function pageOf({ main, styles, early }, first) {
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  const tags = [
    ...first.map(({ path }) => `<script src="${BELOW}${path}"></script>`),
    ...(styles ? [`<link rel="stylesheet" href="${BELOW}${styles}">`] : []),
    ...early.map((path) => `<link rel="modulepreload" href="${BELOW}${path}">`),
    `<script type="module" src="${BELOW}${main}"></script>`,
  ];
  return html.replace('<!-- files -->', () => tags.join('\n'));
}

const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

/** Made once here, and not for each request. */
async function compressed({ path, contents }) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length };
  const [gz, br] = await Promise.all([toGzip(contents, { level: 9 }), toBrotli(contents, { params })]);
  return [
    { path: `${path}.gz`, contents: gz },
    { path: `${path}.br`, contents: br },
  ];
}
