import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, most of it in processes that they start and wait for. */
const LONG = [
  'tests/contract/recipe.test.ts',
  'tests/docs/tour.test.ts',
  'tests/contract/statement-counts.test.ts',
  'tests/packages/install.test.ts',
  'tests/transfer/cli.test.ts',
  'tests/faults/workers.test.ts',
  'tests/stream/processes.test.ts',
  'packages/pro/test/past.test.ts',
  'tests/stream/delivery.test.ts',
  'tests/contract/plans.test.ts',
  'tests/cli/values.test.ts',
  'tests/cli/store-trust.test.ts',
  'tests/http/docs-first-click-browser.test.ts',
  'tests/faults/disk.test.ts',
  'tests/consumers/processes.test.ts',
  'tests/cli/stream.test.ts',
  'tests/init/running.test.ts',
  'tests/outcomes/causes-complete.test.ts',
  'tests/contract/keys.test.ts',
  'tests/mcp/inspector.test.ts',
  'tests/faults/kill.test.ts',
  'tests/mcp/stdio.test.ts',
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
