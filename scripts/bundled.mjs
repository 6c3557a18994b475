// What goes into the bundles from other packages, so that ours need none of them when they are installed.
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const SQLITE = '@photostructure/sqlite';

/** The driver stays a file of its own beside the bundle: it looks for its binaries in the folder above its own. */
export const sqliteBeside = {
  name: 'sqlite-beside',
  setup(given) {
    given.onResolve({ filter: /^@photostructure\/sqlite$/ }, () => ({
      path: './sqlite/dist/index.mjs',
      external: true,
    }));
  },
};

/** The SQLite driver with its binaries for all platforms: as a dependency it would bring an install script. */
export async function driverFiles() {
  const folder = dirname(require.resolve(`${SQLITE}/package.json`));
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'dist', 'index.mjs')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outfile: 'index.mjs',
    logLevel: 'warning',
    banner: { js: `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);` },
  });
  const binaries = (await readdir(join(folder, 'prebuilds'), { recursive: true })).filter((file) =>
    file.endsWith('.node'),
  );
  const copied = ['LICENSE', ...binaries.map((file) => `prebuilds/${file}`)];
  return [
    { path: 'sqlite/dist/index.mjs', contents: outputFiles[0].contents },
    ...(await Promise.all(
      copied.map(async (file) => ({ path: `sqlite/${file}`, contents: await readFile(join(folder, file)) })),
    )),
  ];
}

/** The files that the page of the documentation loads. */
export async function pageFiles() {
  const folder = dirname(require.resolve('@fastify/swagger-ui/package.json'));
  const files = {
    LICENSE: 'LICENSE',
    'swagger-ui.css': 'static/swagger-ui.css',
    'swagger-ui-bundle.js': 'static/swagger-ui-bundle.js',
  };
  return Promise.all(
    Object.entries(files).map(async ([name, file]) => ({
      path: `swagger-ui/${name}`,
      contents: await readFile(join(folder, file)),
    })),
  );
}

/** The licences of all packages in a bundle, in one file. */
export async function licensesOf({ inputs }) {
  const folders = new Set(
    Object.keys(inputs).flatMap(
      (file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll(sep, '/'))?.[1] ?? [],
    ),
  );
  if (folders.size === 0) return [];
  const texts = await Promise.all([...folders].sort().map(licenseOf));
  return [{ path: 'THIRD-PARTY-LICENSES.txt', contents: texts.join('\n') }];
}

async function licenseOf(folder) {
  const at = join(root, folder);
  const { name, version, license } = JSON.parse(await readFile(join(at, 'package.json'), 'utf8'));
  const file = (await readdir(at)).find((one) => /^licen[cs]e/i.test(one));
  const text = file ? (await readFile(join(at, file), 'utf8')).trim() : 'The package has no file with the text.';
  return `${name} ${version} (${license})\n\n${text}\n\n${'-'.repeat(80)}\n`;
}
