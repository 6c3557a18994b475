// Bundles the dashboard: scripts and styles with hashed names, compressed, and the page that loads them.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import { licensesOf } from './bundled.mjs';
import { reactAsModules } from './dashboard-react.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const packageFolder = join(root, 'packages', 'dashboard');
const packageFile = join(packageFolder, 'package.json');
/** Where the page finds its files, from its own address. */
const BELOW = './dashboard/';

const settings = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  platform: 'browser',
  target: 'es2022',
  conditions: ['source'],
  jsx: 'automatic',
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

/**
 * Split by page, with all that two of them share in one file: alone, the bundler would make one for each group of pages that
 * has something in common, dozens of small ones. What is shared is seen in a first build.
 */
async function bundleApp(source) {
  const { outputs: first } = (await bundleSplit(source, { start: await startOf(source), shared: [] })).metafile;
  const toFile = (input) => resolve(root, input);
  const shared = Object.values(first)
    .filter(({ entryPoint }) => entryPoint === undefined)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .filter((input) => /^[^:]+\.(tsx?|css)$/.test(input));
  // Styles stay in the order of the first build.
  const ordered = Object.keys(first[mainOf(first)[1].cssBundle]?.inputs ?? {});
  const start = [...ordered.map(toFile), './main.tsx'];
  const { outputFiles, metafile, workers } = await bundleSplit(source, { start, shared: shared.map(toFile) });
  const [main, { imports, cssBundle }] = mainOf(metafile.outputs);
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

const mainOf = (outputs) => Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(START));

/** The app, and the styles of pages that are loaded later, each of them once. */
async function startOf(source) {
  const names = (await readdir(source, { recursive: true })).map((name) => name.replaceAll(sep, '/'));
  return ['main.tsx', ...names.filter((name) => name.endsWith('.css')).sort()].map((name) => `./${name}`);
}

async function bundleSplit(source, { start, shared }) {
  const workers = { files: [], inputs: {} };
  const built = await build({
    ...settings,
    format: 'esm',
    splitting: true,
    banner: { js: COMPILED_AT_ONCE },
    plugins: [reactAsModules(packageFile), sharingOneFile(source, { start, shared }), workersBeside(source, workers)],
    entryPoints: [{ in: START, out: 'main' }],
  });
  return { ...built, workers };
}

/**
 * Asks the browser to compile all functions of a file while it arrives, beside the main thread. Most of what Overview loads runs
 * before it is drawn; function by function, the main thread would compile it meanwhile. Browsers that do not know it see a comment.
 */
const COMPILED_AT_ONCE = '//# allFunctionsCalledOnLoad';
const START = 'dashboard-start';
const SHARED = 'dashboard-shared';
const LATER = 'dashboard-later';

const LOADED = [START, SHARED, LATER];

/** Whatever is loaded later also needs all of the shared files: those of the start are one file, and the others another. */
const sharingOneFile = (source, { start, shared }) => ({
  name: 'sharing-one-file',
  setup(given) {
    given.onResolve({ filter: new RegExp(`^(${START}|${SHARED})$`) }, ({ path }) => ({ path, namespace: path }));
    given.onResolve({ filter: /^\.+\// }, async ({ path, kind, importer, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const { path: file, errors } = await given.resolve(path, { kind: 'import-statement', importer, resolveDir });
      return { path: file, errors, namespace: LATER };
    });
    const importing = (files) => files.map((file) => `import ${JSON.stringify(file)};`).join('\n');
    const contentsOf = {
      [START]: () => importing(start),
      [SHARED]: () => importing(shared),
      [LATER]: (path) => `${importing([SHARED])}\nexport * from ${JSON.stringify(path)};`,
    };
    for (const namespace of LOADED)
      given.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: contentsOf[namespace](path),
        resolveDir: source,
      }));
  },
});

/** A classic script of its own, which runs before anything is painted: it sets the theme and asks the first questions. */
async function bundleFirst(source) {
  const file = join(source, 'first.ts');
  if (!existsSync(file)) return [];
  const { outputFiles } = await build({ ...settings, format: 'iife', entryPoints: [file] });
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
        const { outputFiles, metafile } = await build({ ...settings, format: 'esm', entryPoints });
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
