import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, most of it in processes that they start and wait for. */
const LONG = [
  'tests/contract/recipe.test.ts',
  'tests/contract/statement-counts.test.ts',
  'tests/packages/install.test.ts',
  'tests/docs/tour.test.ts',
  'tests/hosted/partitions.test.ts',
  'tests/faults/workers.test.ts',
  'tests/stream/processes.test.ts',
  'tests/stream/delivery.test.ts',
  'tests/consumers/processes.test.ts',
  'tests/http/docs-first-click-browser.test.ts',
  'tests/faults/disk.test.ts',
  'tests/mcp/inspector.test.ts',
  'tests/mcp/stdio.test.ts',
  'tests/contract/plans.test.ts',
  'tests/transfer/cli.test.ts',
  'tests/faults/kill.test.ts',
  'tests/faults/shutdown.test.ts',
  'tests/init/running.test.ts',
  'tests/outcomes/causes-complete.test.ts',
  'tests/docs/sdk.test.ts',
  'tests/cli/stream.test.ts',
  'tests/cli/store-trust.test.ts',
  'tests/hosted/poolers.test.ts',
  'tests/cli/one-memory.test.ts',
  'tests/packages/runtimes.test.ts',
  'tests/hosted/crash.test.ts',
  'tests/cli/doctor-postgres.test.ts',
];

/** No long file runs alone at the end. Without it, a first run takes the files by their size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONG.findIndex((file) => moduleId.endsWith(`/${file}`));
      return rank === -1 ? LONG.length : rank;
    };
    const sorted = await super.sort(files);
    return sorted
      .map((file) => ({ file, rank: rankOf(file) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ file }) => file);
  }
}
