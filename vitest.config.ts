import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { bundledThread } from './tests/support/bundled-thread.ts';
import { LongestFirst } from './tests/support/longest-first.ts';
import { keepTemporaryFilesInMemory } from './tests/support/memory-folder.ts';

// `module` is for bundlers: Node cannot run what packages keep under it.
const conditions = ['source', ...defaultServerConditions.filter((name) => name !== 'module')];

keepTemporaryFilesInMemory();

export default defineConfig({
  plugins: [bundledThread()],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
    globalSetup: ['tests/support/postgres.ts'],
    // These bring sources under the same condition as our packages do.
    server: { deps: { inline: [/eventsource/, /@modelcontextprotocol/] } },
    pool: 'threads',
    isolate: false,
    // Many tests wait for processes and databases: a third thread uses what two leave of two cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // As long as a browser waits: a busy machine is late, not wrong.
    expect: { poll: { timeout: 30_000 } },
  },
});
