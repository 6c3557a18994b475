// Bundles the dashboard: scripts and styles with hashed names, compressed, and the page that loads them.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { licensesOf } from './bundled.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const packageFolder = join(root, 'packages', 'dashboard');
const resolver = createRequire(join(packageFolder, 'package.json'));
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
  // Only for the names: nothing is written.
  outdir: join(packageFolder, 'dist'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.svg': 'file', '.png': 'file' },
};

/** The files of the dashboard, all in one folder, each with its compressed forms. */
export async function dashboardFiles(folder = packageFolder) {
  const source = join(folder, 'src');
  const [app, first] = await Promise.all([bundleApp(source), bundleFirst(source)]);
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  const page = { path: 'index.html', contents: pageOf(html, app, first) };
  const files = [page, ...app.files, ...first];
  return [...files, ...(await Promise.all(files.map(compressed))).flat(), ...(await licensesOf(app))];
}

async function bundleApp(source) {
  const workers = { files: [], inputs: {} };
  const { outputFiles, metafile } = await build({
    ...shared,
    format: 'esm',
    splitting: true,
    plugins: [withAllStyles(source), workersBeside(source, workers)],
    entryPoints: [{ in: START, out: 'main' }],
  });
  const outputs = Object.entries(metafile.outputs);
  const [main, { imports, cssBundle }] = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith(START));
  const early = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
  const styles = cssBundle && basename(cssBundle);
  return {
    // Nothing loads the styles of a single page: they are in those of the whole.
    files: [...filesOf(outputFiles).filter(({ path }) => !path.endsWith('.css') || path === styles), ...workers.files],
    inputs: { ...metafile.inputs, ...workers.inputs },
    main: basename(main),
    styles,
    early,
  };
}

const START = 'dashboard-start';

/** Starts the app, and has the styles of pages that are loaded later in the one file of styles, each of them once. */
const withAllStyles = (source) => ({
  name: 'with-all-styles',
  setup(given) {
    given.onResolve({ filter: new RegExp(`^${START}$`) }, ({ path }) => ({ path, namespace: START }));
    given.onLoad({ filter: /.*/, namespace: START }, async () => {
      const names = (await readdir(source, { recursive: true })).map((name) => name.replaceAll(sep, '/'));
      const imported = ['main.tsx', ...names.filter((name) => name.endsWith('.css')).sort()];
      return { contents: imported.map((name) => `import './${name}';`).join('\n'), resolveDir: source };
    });
  },
});

/** A classic script of its own, which runs before anything is painted: it sets the theme. */
async function bundleFirst(source) {
  const file = join(source, 'theme-first.ts');
  if (!existsSync(file)) return [];
  const { outputFiles } = await build({ ...shared, format: 'iife', entryPoints: [file] });
  return filesOf(outputFiles);
}

/** Makes `new URL('./name.ts', import.meta.url)`, the script of a worker, the address of its bundle. */
const workersBeside = (source, { files, inputs }) => ({
  name: 'workers-beside',
  setup(given) {
    given.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      if (!path.startsWith(source + sep)) return undefined;
      let contents = await readFile(path, 'utf8');
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

const filesOf = (outputFiles) => outputFiles.map(({ path, contents }) => ({ path: basename(path), contents }));

/** The page names its files relative to its own address, so that it works below any path. */
function pageOf(html, { main, styles, early }, first) {
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
