import { compare, median, WARM_UP_SECONDS } from '../compare.mjs';
import { entryOf, noteOf } from '../corpus.mjs';
import { ask, newRun } from '../harness.mjs';
import { listFolder, readEntry, searchRare, writeEntries } from '../requests.mjs';

const TINY = 1000;
const OWN_CHANGES = 100;
const CHANGES_OF_MAIN = 1000;
const CHANGES = 1000;
const OPEN_BRANCHES = 20;
const CREATED = 20;

const post = (service, path, body) => ask(service, { method: 'POST', path, body: JSON.stringify(body) });

async function createBranch(service) {
  const name = `bench/${newRun()}`;
  await post(service, '/api/v1/branches', { name });
  return name;
}

/** New values for entries of a store, spread over all of it. */
const changesOf = ({ size }, count) =>
  Array.from({ length: count }, (_, i) => {
    const { entity_path, key } = entryOf(Math.floor((i * size) / count));
    return { entity_path, key, value: { note: noteOf(2 ** 30 + i), step: newRun() } };
  });

const commit = (service, writes, branch = 'main') => post(service, '/api/v1/commits', { writes, branch });

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** A service on a copy of a store, as branches stay. */
async function serviceOn(harness, store, name) {
  const place = harness.copyOf(store, name);
  return { ...(await harness.service(place)), size: store.size };
}

const sizesOf = (large, small) =>
  `${large.size.toLocaleString('en-US')} entries against ${small.size.toLocaleString('en-US')}`;

async function* measureSizes(harness, { name, most, sizes, measure }) {
  const stores = [await harness.sqlite(sizes[0]), await harness.sqlite(sizes[1])];
  const small = await serviceOn(harness, stores[0], 'branches-small');
  const large = await serviceOn(harness, stores[1], 'branches-large');
  const [ofSmall, ofLarge] = [await measure(small), await measure(large)];
  for (const one of [ofSmall, ofLarge]) for (let i = 0; i < 3; i++) await one();
  const result = await compare(harness.options.repeats, ofSmall, ofLarge);
  yield { figure: `${name}, ${sizesOf(large, small)}, SQLite`, unit: 'ms', target: { most }, ...result };
  await harness.stopServers();
}

/** The median time of one of several new branches. */
const creation = async (service) => async () => {
  const times = [];
  for (let i = 0; i < CREATED; i++) times.push(await timed(() => createBranch(service)));
  return { value: median(times), non2xx: 0 };
};

/** All pages of what a branch changed. */
const diffing = async (service) => {
  const branch = await createBranch(service);
  await commit(service, changesOf(service, CHANGES), branch);
  return async () => ({
    non2xx: 0,
    value: await timed(async () => {
      let found = 0;
      for (let cursor = ''; cursor !== null; ) {
        const path = `/api/v1/branches/${branch}/diff?limit=1000${cursor && `&cursor=${cursor}`}`;
        const { entries, next_cursor } = JSON.parse(await ask(service, { path }));
        found += entries.length;
        cursor = next_cursor;
      }
      if (found !== CHANGES) throw new Error(`${found} of ${CHANGES} changes were found`);
    }),
  });
};

const onBranch = (branch) => (request) =>
  request.body
    ? { ...request, body: JSON.stringify({ ...JSON.parse(request.body), branch }) }
    : { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}branch=${branch}` };

/** Reads on a branch against the same on main. */
async function* measureReads(harness) {
  const store = await harness.sqlite(harness.options.medium);
  const service = await serviceOn(harness, store, 'branches-reads');
  const branch = await createBranch(service);
  await commit(service, changesOf(service, OWN_CHANGES), branch);
  await commit(service, changesOf(service, CHANGES_OF_MAIN));
  const cases = [
    { name: 'read', requests: readEntry, least: 0.7 },
    { name: 'list page (100)', requests: listFolder, least: 0.6 },
    { name: 'search for two rare words', requests: searchRare(store.size), least: 0.5 },
  ];
  for (const { name, requests, least } of cases) {
    const measure = async (side, seconds) => {
      const plan = { requests: side === 'main' ? requests : requests.map(onBranch(branch)), connections: 16 };
      const given = { ...plan, count: service.size, ...(seconds ? { seconds } : {}) };
      const { requests_per_s: value, non2xx } = await harness.load(service, given);
      return { value, non2xx };
    };
    for (const side of ['main', 'branch']) await measure(side, WARM_UP_SECONDS);
    const result = await compare(
      harness.options.repeats,
      () => measure('main'),
      () => measure('branch'),
    );
    const figure = `${name} on a branch, against main, ${service.size.toLocaleString('en-US')} entries, SQLite`;
    yield { figure, unit: 'req/s', target: { least }, ...result };
  }
  await harness.stopServers();
}

const changeEntries = () =>
  Array.from({ length: 64 }, (_, i) => ({
    method: 'POST',
    path: '/api/v1/entries',
    body: JSON.stringify({ entity_path: 'bench/p{g}', key: 'k{r}', value: { note: noteOf(2 ** 31 + i), step: '{n}' } }),
  }));

/** Writes to main with open branches against none. */
async function* measureWrites(harness) {
  const store = await harness.sqlite(harness.options.medium);
  const unbranched = await serviceOn(harness, store, 'branches-none');
  const branched = await serviceOn(harness, store, 'branches-open');
  for (let i = 0; i < OPEN_BRANCHES; i++) await createBranch(branched);
  const cases = [
    { name: 'new entry', requests: writeEntries },
    { name: 'change of an entry', requests: changeEntries },
  ];
  for (const { name, requests } of cases) {
    const measure = async (service, seconds) => {
      const plan = { requests: requests(), connections: 16, count: service.size, ...(seconds ? { seconds } : {}) };
      const { requests_per_s: value, non2xx } = await harness.load(service, plan);
      return { value, non2xx };
    };
    for (const service of [unbranched, branched]) await measure(service, WARM_UP_SECONDS);
    const result = await compare(
      harness.options.repeats,
      () => measure(unbranched),
      () => measure(branched),
    );
    const figure = `${name} on main with ${OPEN_BRANCHES} open branches, against none, SQLite`;
    yield { figure, unit: 'req/s', target: { least: 0.85 }, ...result };
  }
  await harness.stopServers();
}

/** A merge of changes against the same changes as one commit. */
async function* measureMerges(harness) {
  const store = await harness.sqlite(harness.options.small);
  const service = await serviceOn(harness, store, 'branches-merges');
  const committing = async () => {
    const writes = changesOf(service, CHANGES);
    return { value: await timed(() => commit(service, writes)), non2xx: 0 };
  };
  const merging = async () => {
    const branch = await createBranch(service);
    await commit(service, changesOf(service, CHANGES), branch);
    const path = `/api/v1/branches/${branch}/merge`;
    return { value: await timed(() => post(service, path, { strategy: 'THREE_WAY' })), non2xx: 0 };
  };
  for (const one of [committing, merging]) for (let i = 0; i < 3; i++) await one();
  const result = await compare(harness.options.repeats, committing, merging);
  const figure = `merge of ${CHANGES.toLocaleString('en-US')} changes, against the same as one commit, SQLite`;
  yield { figure, unit: 'ms', target: { most: 3 }, ...result };
  await harness.stopServers();
}

export async function* measureBranches(harness) {
  const { small, large } = harness.options;
  yield* measureReads(harness);
  yield* measureWrites(harness);
  yield* measureMerges(harness);
  yield* measureSizes(harness, { name: 'diff of 1,000 changes', most: 1.5, sizes: [small, large], measure: diffing });
  yield* measureSizes(harness, { name: 'create a branch', most: 1.2, sizes: [TINY, large], measure: creation });
}
