// Bundles every package that has an entry. Development does not need it: sources run directly. With a folder as
// argument, bundles only the server, or the package named after it, into that folder.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const packages = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages');

/** CommonJS dependencies inside an ES module bundle still need these. */
const commonJs = `import { createRequire as $createRequire } from 'node:module';
import { fileURLToPath as $fileURLToPath } from 'node:url';
const require = $createRequire(import.meta.url);
const __filename = $fileURLToPath(import.meta.url);
const __dirname = $fileURLToPath(new URL('.', import.meta.url));`;

const programs = new Set(['mem.js', 'mem-mcp.js']);

const shared = {
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  conditions: ['source'],
  logLevel: 'warning',
};

const [folder, name = 'server'] = process.argv.slice(2);

try {
  if (folder) await (name === 'pro' ? buildPro(folder) : buildServer(folder));
  else
    await Promise.all([
      buildLibrary('contract'),
      buildLibrary('sdk'),
      buildMcp(join(packages, 'mcp', 'dist')),
      buildServer(join(packages, 'server', 'dist')),
      buildPro(join(packages, 'pro', 'dist')),
    ]);
} catch (error) {
  // esbuild has already printed the errors.
  if (!error.errors) throw error;
  process.exitCode = 1;
}

async function buildLibrary(name) {
  const entryPoints = await exportsOf(name);
  if (Object.keys(entryPoints).length === 0) return;
  const outdir = join(packages, name, 'dist');
  // Libraries also run in browsers: imports of a single runtime are not resolved here.
  const { outputFiles } = await build({ ...shared, outdir, entryPoints, packages: 'external', platform: 'neutral' });
  await publish(outdir, outputFiles);
}

/** The exported files of a package, by the names of their bundles. */
async function exportsOf(name) {
  const { exports } = JSON.parse(await readFile(join(packages, name, 'package.json'), 'utf8'));
  const sources = Object.values(exports).map(({ source }) => basename(source, '.ts'));
  return entriesOf(join(packages, name, 'src'), Object.fromEntries(sources.map((file) => [file, `${file}.ts`])));
}

/** The package of the server opens the store; it is loaded only when no server is running. */
async function buildMcp(outdir) {
  const source = join(packages, 'mcp', 'src');
  const entryPoints = entriesOf(source, { 'mem-mcp': 'main.ts', index: 'index.ts', location: 'location.ts' });
  if (Object.keys(entryPoints).length === 0) return;
  const { outputFiles } = await build({
    ...shared,
    outdir,
    entryPoints,
    external: ['@mem-service/server'],
    splitting: true,
    chunkNames: '[name]-[hash]',
    banner: { js: commonJs },
  });
  await publish(outdir, outputFiles);
}

/** The package runs inside a server and uses the server's copy of shared code. */
async function buildPro(outdir) {
  const entryPoints = entriesOf(join(packages, 'pro', 'src'), { index: 'index.ts' });
  const { outputFiles } = await build({ ...shared, outdir, entryPoints, packages: 'external' });
  await publish(outdir, outputFiles);
}

async function buildServer(outdir) {
  const source = join(packages, 'server', 'src');
  const external = ['@photostructure/sqlite', '@fastify/swagger-ui', 'pg-native'];
  // The main file of this package requires its parts at run time, where a bundler cannot see them.
  const alias = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };
  const entryPoints = entriesOf(source, { mem: 'main.ts', index: 'index.ts', module: 'module.ts' });
  if (Object.keys(entryPoints).length === 0) return;
  // All entries share chunks in the same folder, so that a path relative to a module is the same in all.
  const main = build({
    ...shared,
    outdir,
    external,
    alias,
    entryPoints,
    splitting: true,
    chunkNames: '[name]-[hash]',
    banner: { js: commonJs },
  });
  const threads = build({
    ...shared,
    outdir,
    external,
    entryPoints: await threadsOf(source),
    outExtension: { '.js': '.mjs' },
  });
  await publish(outdir, [...(await main).outputFiles, ...(await threads).outputFiles]);
}

function entriesOf(source, files) {
  const present = Object.entries(files).map(([name, file]) => [name, join(source, file)]);
  return Object.fromEntries(present.filter(([, path]) => existsSync(path)));
}

/** A worker thread is started from its own file, which must be next to the bundle. */
async function threadsOf(source) {
  const found = {};
  for (const file of await readdir(source, { recursive: true })) {
    if (!file.endsWith('.thread.mjs')) continue;
    const name = basename(file, '.mjs');
    if (found[name]) throw new Error(`two threads are called ${name}`);
    found[name] = join(source, file);
  }
  return found;
}

/**
 * Writes whole files only, and removes old ones last, so that a build never disturbs another build or a running server.
 */
async function publish(outdir, files) {
  await mkdir(outdir, { recursive: true });
  for (const { path, contents } of files) {
    const part = `${path}.${process.pid}.part`;
    await writeFile(part, contents, { mode: programs.has(basename(path)) ? 0o755 : 0o644 });
    await rename(part, path);
  }
  const current = new Set(files.map(({ path }) => basename(path)));
  for (const name of await readdir(outdir)) {
    if (/\.(js|mjs)(\.map)?$/.test(name) && !current.has(name)) await rm(join(outdir, name), { force: true });
  }
}
