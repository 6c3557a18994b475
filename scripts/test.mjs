// Runs types, lint rules and build at the same time, then the tests. Arguments go to vitest. The last line counts the tests.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(root, 'node_modules', '.bin');
const failures = [];

// One checker: more would check what files share once each, which takes as long on two cores and twice the processor.
await Promise.all([
  check('typecheck', join(bin, 'tsc'), ['--noEmit', '-p', '.', '--checkers', '1']),
  check('types of the dashboard', join(bin, 'tsc'), ['--noEmit', '-p', 'packages/dashboard', '--checkers', '1']),
  check('lint', join(bin, 'biome'), ['check', '--error-on-warnings', '.']),
  check('owners', process.execPath, ['scripts/check-owners.mjs']),
  check('names', process.execPath, ['scripts/check-names.mjs']),
  check('build', process.execPath, ['scripts/build.mjs']),
]);
const { passed, failed } = runTests(process.argv.slice(2));

for (const name of failures) console.log(`failed: ${name}`);
const total = failed + failures.length;
console.log(`\n${passed} passed, ${total} failed`);
process.exitCode = total === 0 ? 0 : 1;

/** Checks run at the same time; the output of each stays together. */
async function check(name, command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
  const status = await new Promise((resolve) => child.once('error', resolve).once('close', resolve));
  process.stdout.write(Buffer.concat(printed));
  if (status !== 0) failures.push(name);
}

/** Tests of what is built need not build it again. */
function run(command, args) {
  const built = failures.includes('build') ? {} : { TESTS_BUILT: '1' };
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...built } }).status;
}

function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'mem-test-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    // A machine that others use too may be slow at the wrong moment. What passes only the second time is marked in the output.
    const again = process.env.CI === undefined ? [] : ['--retry=1'];
    const status = run(join(bin, 'vitest'), ['run', ...reporters, ...again, ...args]);
    const counts = existsSync(report) ? count(JSON.parse(readFileSync(report, 'utf8'))) : { passed: 0, failed: 0 };
    if (status !== 0 && counts.failed === 0) failures.push('vitest');
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A test file that cannot be loaded counts as one failure. */
function count({ numPassedTests, numFailedTests, testResults }) {
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}
