import { pinned } from '../machine.mjs';
import { run } from '../processes.mjs';

const FILL_AND_SEARCH_MS = 2 * 3600 * 1000;
const MOST_BUFFERS = 5_000;

/** Searches in one of two accounts of a PostgreSQL, wherever its rows lie, whatever the planner knows of them. */
export async function* measureSearchPostgres(harness) {
  const { large, repeats } = harness.options;
  const postgres = await harness.postgres();
  const { dataDir } = harness.emptyPlace('search-postgres');
  const size = `${large.toLocaleString('en-US')} of ${(2 * large).toLocaleString('en-US')} entries`;
  for (const layout of ['interleaved', 'blocks']) {
    const order = JSON.stringify({ postgresDsn: postgres.dsn, dataDir, entries: large, layout, rounds: repeats });
    const [command, args] = pinned('server', process.execPath, [harness.programs.searchPostgres, order]);
    const { stdout } = await run(command, args, { timeoutMs: FILL_AND_SEARCH_MS, showErrors: true });
    for (const { statistics, rowSecurity, searches } of JSON.parse(stdout)) {
      const scanned = new Set(searches.flatMap((search) => search.scanned));
      const times = searches.map(({ words, filter, ms, sum }) => `${words}, ${filter}: ${ms.toFixed(1)} ms, ${sum}`);
      yield {
        figure: `search on PostgreSQL, ${size}, ${layout}, ${statistics}, row-level security ${rowSecurity}`,
        unit: 'buffers',
        ours: Math.max(...searches.map(({ buffers }) => buffers)),
        limit: scanned.size > 0 ? 0 : MOST_BUFFERS,
        note: `most of one statement${scanned.size > 0 ? `; scanned: ${[...scanned].join(', ')}` : ''}; each search in all: ${times.join('; ')}`,
      };
    }
  }
}
