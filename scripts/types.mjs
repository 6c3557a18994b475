// Writes the declarations of the packages into their dist: all, or those that are named. A package holds the declarations
// of ours that its own need, and nothing that its exports do not reach.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const packages = join(root, 'packages');
const manifestOf = (name) => JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));

const published = ['contract', 'sdk', 'embedder', 'server', 'pro'];
/** The server shows types of the MCP package, which has none of its own to offer. */
const reached = [...published, 'mcp'];
const asked = process.argv.slice(2);
// In the folder of the project, so that dependencies are found.
const emitted = mkdtempSync(join(root, 'node_modules', '.declarations-'));
try {
  emit();
  for (const name of asked.length > 0 ? asked : published) collect(name);
} finally {
  rmSync(emitted, { recursive: true, force: true });
}

/** The declarations of all packages at once: emitted/<package>/src/<file>.d.ts. */
function emit() {
  const project = join(emitted, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    // Checked by the type check of the project.
    noCheck: true,
    rootDir: packages,
    outDir: emitted,
  };
  const include = reached.map((name) => join(packages, name, 'src', '**', '*.ts'));
  const exclude = reached.map((name) => join(packages, name, 'src', '**', '*.test.ts'));
  writeFileSync(project, JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include, exclude }));
  const { status } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project, '--checkers', '1'], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the declarations could not be made');
}

/** Copies what the exports of a package reach into its dist. */
function collect(name) {
  const { exports = {}, ...manifest } = manifestOf(name);
  const dist = join(packages, name, 'dist');
  mkdirSync(dist, { recursive: true });
  for (const file of readdirSync(dist, { recursive: true })) if (file.endsWith('.d.ts')) rmSync(join(dist, file));
  const done = new Set();
  const waiting = Object.values(exports).flatMap(({ source, types }) => (types ? [`${name}/${source.slice(2)}`] : []));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (done.has(file)) continue;
    done.add(file);
    const text = declarationsOf(file).replaceAll(/(?<=\b(?:from |import\()(['"]))[^'"]+(?=\1)/g, (specifier) => {
      const target = targetOf(specifier, { file, manifest });
      if (target === undefined) return specifier;
      waiting.push(target);
      return relativeTo(placeOf(file, name), placeOf(target, name));
    });
    const at = join(dist, placeOf(file, name).replace(/\.ts$/, '.d.ts'));
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
  }
}

function declarationsOf(file) {
  const at = join(emitted, file.replace(/\.ts$/, '.d.ts'));
  if (!existsSync(at)) throw new Error(`there are no declarations of ${file}`);
  return readFileSync(at, 'utf8');
}

/** The source file that an import leads to, or undefined where it leads out of ours. */
function targetOf(specifier, { file, manifest }) {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier);
  if (isBuiltin(specifier)) return undefined;
  const { dependencies = {}, peerDependencies = {} } = manifest;
  const [, scope, name] = /^(@[^/]+\/)?([^/]+)/.exec(specifier);
  if (`${scope ?? ''}${name}` in { ...dependencies, ...peerDependencies }) return undefined;
  if (scope !== '@mem-service/') throw new Error(`${file} needs ${specifier}, which is not installed with it`);
  const { source } = manifestOf(name).exports[`.${specifier.slice(scope.length + name.length)}`];
  return `${name}/${source.slice(2)}`;
}

/** Where a source file is in the dist of a package: those of other packages are in folders with their names. */
function placeOf(file, name) {
  const [owner, , ...path] = file.split('/');
  return [...(owner === name ? [] : [owner]), ...path].join('/');
}

function relativeTo(from, to) {
  const path = posix.join(posix.relative(posix.dirname(from), posix.dirname(to)), basename(to, '.ts'));
  return `${path.startsWith('.') ? '' : './'}${path}.js`;
}
