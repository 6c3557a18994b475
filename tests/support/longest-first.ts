import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest. */
const LONG = [
  'tests/contract/recipe.test.ts',
  'tests/contract/statement-counts.test.ts',
  'tests/packages/install.test.ts',
  'tests/hosted/partitions.test.ts',
  'tests/contract/scopes.test.ts',
  'tests/faults/disk.test.ts',
  'tests/docs/tour.test.ts',
  'tests/stream/processes.test.ts',
  'tests/faults/workers.test.ts',
  'tests/contract/privacy.test.ts',
  'tests/http/docs-first-click-browser.test.ts',
  'tests/stream/delivery.test.ts',
  'tests/cli/commands.test.ts',
  'tests/faults/recall.test.ts',
  'tests/contract/large-plans.test.ts',
  'tests/transfer/cli.test.ts',
  'tests/mcp/stdio.test.ts',
  'tests/faults/migrations.test.ts',
  'tests/recall/model-change.test.ts',
  'tests/http/fuzz.test.ts',
  'tests/contract/outputs.test.ts',
  'tests/hosted/isolation.test.ts',
  'tests/contract/agent-keys.test.ts',
  'tests/contract/plans.test.ts',
  'tests/stream/events.test.ts',
  'tests/contract/answers.test.ts',
  'tests/faults/kill.test.ts',
  'tests/mcp/inspector.test.ts',
  'tests/contract/effects.test.ts',
  'tests/transfer/account.test.ts',
  'tests/mcp/live.test.ts',
  'tests/init/running.test.ts',
  'tests/faults/shutdown.test.ts',
  'tests/recall/rerank.test.ts',
  'tests/outcomes/causes-complete.test.ts',
  'tests/sessions/holds.test.ts',
  'tests/outcomes/ledger-property.test.ts',
  'tests/cortex/worker.test.ts',
  'tests/hosted/poolers.test.ts',
  'tests/faults/postgres-away.test.ts',
  'tests/contract/accounts.test.ts',
  'tests/consumers/failures.test.ts',
  'tests/packages/runtimes.test.ts',
  'tests/faults/merges.test.ts',
  'tests/faults/deliveries.test.ts',
  'tests/sessions/holders.test.ts',
  'tests/sessions/durable.test.ts',
  'tests/faults/many-processes.test.ts',
  'tests/entries/verify.test.ts',
  'tests/faults/answers-memory.test.ts',
  'tests/consumers/processes.test.ts',
  'tests/cortex/digests.test.ts',
  'tests/graph/privacy.test.ts',
  'tests/faults/log-order.test.ts',
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
