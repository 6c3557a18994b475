// Emits the declarations of the packages that others install, in the order in which they need each other.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Loads the server where it is installed; its declarations come later, so it cannot be checked here, and has been already. */
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
      // The packages it needs are read as others will see them: by their declarations.
      customConditions: [],
      noCheck: unchecked.has(name),
      rootDir: '../src',
      outDir: '.',
    },
    include: ['../src/**/*.ts'],
    exclude: ['../src/**/*.test.ts'],
  };
}
