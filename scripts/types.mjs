// Emits the declarations of the published packages, in the order of their dependencies.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Not type-checked here: it loads the server, whose declarations come later, and it was checked before. */
const unchecked = new Set(['mcp']);

for (const name of ['contract', 'sdk', 'mcp', 'server', 'pro']) {
  const folder = join(root, 'packages', name);
  if (existsSync(join(folder, 'src', 'index.ts'))) emit(folder, name);
}

function emit(folder, name) {
  const dist = join(folder, 'dist');
  const project = join(dist, 'tsconfig.json');
  mkdirSync(dist, { recursive: true });
  writeFileSync(project, JSON.stringify(projectOf(name)));
  try {
    const { status } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  } finally {
    rmSync(project);
  }
}

function projectOf(name) {
  return {
    extends: '../../../tsconfig.json',
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      // Dependencies are resolved by their declarations, as their users will see them.
      customConditions: [],
      noCheck: unchecked.has(name),
      rootDir: '../src',
      outDir: '.',
    },
    include: ['../src/**/*.ts'],
    exclude: ['../src/**/*.test.ts'],
  };
}
