// Bundles the packages: all, or those that are named. With --out a package goes into that folder instead of its dist.
// Development does not need it: sources run directly.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { driverFiles, licensesOf, pageFiles, pdfBeside, pdfFiles, sqliteBeside } from './bundled.mjs';
import { dashboardFiles } from './dashboard.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const packages = join(root, 'packages');

/** CommonJS dependencies inside an ES module bundle still need these. */
const commonJs = `import { createRequire as $createRequire } from 'node:module';
import { fileURLToPath as $fileURLToPath } from 'node:url';
const require = $createRequire(import.meta.url);
const __filename = $fileURLToPath(import.meta.url);
const __dirname = $fileURLToPath(new URL('.', import.meta.url));`;

const programs = new Set(['mem.js', 'mem-mcp.js']);

const shared = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  metafile: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['source'],
  splitting: true,
  chunkNames: '[name]-[hash]',
  logLevel: 'warning',
};

// Libraries also run in browsers: imports of a single runtime are not resolved in them.
const library = { ...shared, external: ['zod'], platform: 'neutral' };
const onNode = { ...shared, banner: { js: commonJs } };

const builders = {
  contract: () => bundle(library, 'contract'),
  sdk: () => bundle(library, 'sdk'),
  embedder: () => bundle(shared, 'embedder'),
  /** The package of the server opens the store; it is loaded only when no server is running. */
  mcp: () => bundle({ ...onNode, external: ['@mem-service/server'] }, 'mcp', { 'mem-mcp': 'main.ts' }),
  server: () => bundleService(['@mem-service/pro'], 'server'),
  /** The package runs inside a server and uses the server's copy of shared code. */
  pro: () => bundle({ ...shared, external: ['@mem-service/*'] }, 'pro'),
  /** The pages of a browser, which the server and the cli have inside. */
  dashboard: dashboardOnce,
  /** The whole service in one program, with the modules of pro. */
  cli: () => bundleService([], 'cli', { mem: 'main.ts' }),
};

let dashboard;
/** Built once for all packages that hold it. */
function dashboardOnce() {
  dashboard ??= dashboardFiles();
  return dashboard;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });

try {
  const names = positionals.length > 0 ? positionals : Object.keys(builders);
  if (values.out && names.length !== 1) throw new Error('--out takes one package');
  await Promise.all(
    names.map(async (name) => {
      if (!builders[name]) throw new Error(`there is no package ${name}`);
      await publish(values.out ?? join(packages, name, 'dist'), await builders[name]());
    }),
  );
} catch (error) {
  // esbuild has already printed its errors.
  if (!error.errors) throw error;
  process.exitCode = 1;
}

/** The files of a package, by their paths from its dist. */
async function bundle(options, name, further = {}) {
  const folder = join(packages, name);
  const entryPoints = entriesOf(join(folder, 'src'), { ...(await exportsOf(folder)), ...further });
  // The folder is only for the names: nothing is written.
  const outdir = join(folder, 'dist');
  const { outputFiles, metafile } = await build({ ...options, entryPoints, outdir });
  const files = outputFiles.map(({ path, contents }) => ({ path: path.slice(outdir.length + 1), contents }));
  return [...files, ...(await licensesOf(metafile))];
}

/** All chunks are in one folder, so that a path relative to a module is the same in all. */
async function bundleService(external, name, further) {
  const options = {
    ...onNode,
    external: [...external, 'pg-native'],
    plugins: [sqliteBeside],
    // The main file of this package requires its parts at run time, where a bundler cannot see them.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  };
  const beside = [driverFiles(), pdfFiles(), pageFiles(), dashboardBeside(), tableFiles(), manifestFiles()];
  const parts = [bundle(options, name, further), bundleThreads(), ...beside];
  return (await Promise.all(parts)).flat();
}

/** The dashboard in the folder that the server looks for beside its bundle. */
async function dashboardBeside() {
  return (await dashboardOnce()).map(({ path, contents }) => ({ path: `dashboard/${path}`, contents }));
}

/** The exported files of a package, by the names of their bundles. Those without a default are for this build alone. */
async function exportsOf(folder) {
  const { exports = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const sources = Object.values(exports).flatMap(({ source, default: built }) => (built ? [basename(source)] : []));
  return Object.fromEntries(sources.map((file) => [basename(file, '.ts'), file]));
}

function entriesOf(folder, files) {
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, join(folder, file)]));
}

/** The table of the embedder, which its thread reads from a folder beside it. */
async function tableFiles() {
  const folder = join(packages, 'embedder', 'table');
  const names = await readdir(folder);
  return Promise.all(
    names.map(async (name) => ({ path: join('table', name), contents: await readFile(join(folder, name)) })),
  );
}

/** The manifests of the built-in connectors as JSON, checked by the code that reads those of others. */
async function manifestFiles() {
  const folder = join(packages, 'server', 'src', 'connectors');
  const options = { ...shared, splitting: false, banner: { js: commonJs }, entryPoints: [join(folder, 'manifest.ts')] };
  const { outputFiles } = await build({ ...options, outdir: folder });
  const part = join(tmpdir(), `mem-manifest-${process.pid}-${randomUUID()}.mjs`);
  await writeFile(part, outputFiles[0].contents);
  try {
    const { MANIFEST_FILE, requireManifest } = await import(pathToFileURL(part));
    const files = (await readdir(folder, { recursive: true })).filter((file) => basename(file) === MANIFEST_FILE);
    return await Promise.all(
      files.map(async (file) => {
        const manifest = requireManifest(await readFile(join(folder, file), 'utf8'), file);
        return { path: join(dirname(file), 'connector.json'), contents: JSON.stringify(manifest) };
      }),
    );
  } finally {
    await rm(part, { force: true });
  }
}

/** A worker thread or a process is started from its own file, which must be next to the bundle. */
async function bundleThreads() {
  const source = join(packages, 'server', 'src');
  const found = {};
  for (const file of await readdir(source, { recursive: true })) {
    if (!/\.(thread|process)\.mjs$/.test(file)) continue;
    const name = basename(file, '.mjs');
    if (found[name]) throw new Error(`two files are called ${name}`);
    found[name] = join(source, file);
  }
  const { outputFiles } = await build({
    ...shared,
    splitting: false,
    plugins: [sqliteBeside, pdfBeside],
    outdir: source,
    entryPoints: found,
    outExtension: { '.js': '.mjs' },
  });
  return outputFiles.map(({ path, contents }) => ({ path: basename(path), contents }));
}

/**
 * Writes whole files only, and removes old ones last, so that a build never disturbs another build or a running server.
 */
async function publish(outdir, files) {
  for (const { path, contents } of files) {
    const part = join(outdir, `${path}.${process.pid}.part`);
    await mkdir(dirname(part), { recursive: true });
    await writeFile(part, contents, { mode: programs.has(path) ? 0o755 : 0o644 });
    await rename(part, join(outdir, path));
  }
  const current = new Set(files.map(({ path }) => path));
  const isOurs = (name) => /^[^/]*\.(js|mjs)(\.map)?$|-[A-Z0-9]{8}\.(js|css|svg|png)(\.gz|\.br)?$/.test(name);
  for (const name of (await readdir(outdir, { recursive: true })).map((one) => one.replaceAll(sep, '/'))) {
    if (isOurs(name) && !current.has(name)) await rm(join(outdir, name), { force: true });
  }
}
