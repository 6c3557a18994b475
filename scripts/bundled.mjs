// What goes into the bundles from other packages, so that ours need none of them when they are installed.
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, sep } from 'node:path';
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
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(folder, 'dist', 'index.mjs')],
    bundle: true,
    write: false,
    metafile: true,
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
  const copied = binaries.map(async (file) => ({
    path: `prebuilds/${file}`,
    contents: await readFile(join(folder, 'prebuilds', file)),
  }));
  const files = [
    { path: 'dist/index.mjs', contents: outputFiles[0].contents },
    ...(await licensesOf(metafile)),
    ...(await Promise.all(copied)),
  ];
  return files.map(({ path, contents }) => ({ path: `sqlite/${path}`, contents }));
}

const PDF_READER = `pdfjs.mjs is PDF.js, Copyright Mozilla and others, under the Apache License 2.0. It comes from the package unpdf, whose
licence is in the file LICENSE.
`;

/** The reader of PDF stays a file of its own, which only the process that reads a PDF loads. */
export const pdfBeside = {
  name: 'pdf-beside',
  setup(given) {
    given.onResolve({ filter: /^unpdf\/pdfjs$/ }, () => ({ path: './pdf/pdfjs.mjs', external: true }));
  },
};

export async function pdfFiles() {
  const folder = join(dirname(fileURLToPath(import.meta.resolve('unpdf'))), '..');
  const files = ['LICENSE', 'dist/pdfjs.mjs'].map(async (file) => ({
    path: `pdf/${basename(file)}`,
    contents: await readFile(join(folder, file)),
  }));
  return [{ path: 'pdf/NOTICE.txt', contents: PDF_READER }, ...(await Promise.all(files))];
}

const SWAGGER_UI = `swagger-ui.css and swagger-ui-bundle.js are parts of Swagger UI, Copyright SmartBear Software Inc., under the
Apache License 2.0. They come from the package @fastify/swagger-ui, whose licence is in the file LICENSE.
`;

/** The files that the page of the documentation loads. */
export async function pageFiles() {
  const folder = dirname(require.resolve('@fastify/swagger-ui/package.json'));
  const files = ['LICENSE', 'static/swagger-ui.css', 'static/swagger-ui-bundle.js'].map(async (file) => ({
    path: `swagger-ui/${basename(file)}`,
    contents: await readFile(join(folder, file)),
  }));
  return [{ path: 'swagger-ui/NOTICE.txt', contents: SWAGGER_UI }, ...(await Promise.all(files))];
}

/** The licences of all packages in a bundle, in one file. The files of the bundle are named from the project's folder. */
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
