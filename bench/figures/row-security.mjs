import { compare } from '../compare.mjs';
import { listFolder, readEntry, searchRare, writeEntries } from '../requests.mjs';

const kinds = (entries) => [
  { name: 'GET entry', requests: () => readEntry, target: { least: 0.85 } },
  { name: 'search of two rare words', requests: () => searchRare(entries) },
  { name: 'list page (100)', requests: () => listFolder },
  { name: 'POST entry, durable', requests: writeEntries },
];

/** PostgreSQL with row-level security, against an identical store and server without it. */
export async function* measureRowSecurity(harness) {
  const { small, repeats } = harness.options;
  const open = async (mode) => {
    const place = await harness.postgresStore(small, `_rows_${mode}`);
    return harness.service(place, { env: { MEM_ROW_SECURITY: mode } });
  };
  const [off, on] = [await open('off'), await open('on')];
  for (const { name, requests, target } of kinds(small)) {
    const rate = async (target, seconds) => {
      const plan = { requests: requests(), count: small, ...(seconds ? { seconds } : {}) };
      const { requests_per_s: value, non2xx } = await harness.load(target, plan);
      return { value, non2xx };
    };
    for (const target of [off, on]) await rate(target, 2);
    const result = await compare(
      repeats,
      () => rate(off),
      () => rate(on),
    );
    const figure = `${name}, row-level security, ${small.toLocaleString('en-US')} entries, 64 connections`;
    yield { figure, unit: 'req/s', ...(target ? { target } : {}), ...result };
  }
}
