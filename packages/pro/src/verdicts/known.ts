import type { Dialect, Query } from '@mem-service/server/module';
import { type EarlierVerdict, listHuman, listKnown, type VerdictKey } from './queries.ts';

type Looking = { query: Query; dialect: Dialect; account_id: string };

const nameOf = ({ trace_seq, judge_id, judge_version }: VerdictKey): string =>
  `${trace_seq} ${judge_version} ${judge_id}`;

/** Which of many verdicts there are already, in two lookups however many they are. */
export async function findKnown(
  { query, dialect, account_id }: Looking,
  keys: readonly VerdictKey[],
): Promise<(key: VerdictKey) => EarlierVerdict | undefined> {
  const traces = dialect.numbers([...new Set(keys.map(({ trace_seq }) => trace_seq))]);
  const judges = dialect.texts([...new Set(keys.map(({ judge_id }) => judge_id))]);
  const versions = dialect.numbers([...new Set(keys.map(({ judge_version }) => judge_version))]);
  const found = keys.length === 0 ? [] : await listKnown(query, { account_id, traces, judges, versions });
  const known = new Map(found.map((row) => [nameOf(row), row]));
  return (key) => known.get(nameOf(key));
}

type Overruled = Pick<VerdictKey, 'trace_seq' | 'judge_id'>;

/** What people say in place of many verdicts. */
export async function findResultsOfPeople(
  { query, dialect, account_id }: Looking,
  keys: readonly Overruled[],
): Promise<(key: Overruled) => string | undefined> {
  const traces = dialect.numbers([...new Set(keys.map(({ trace_seq }) => trace_seq))]);
  const judges = dialect.texts([...new Set(keys.map(({ judge_id }) => judge_id))]);
  const found = await listHuman(query, { account_id, traces, judges });
  const results = new Map(found.map(({ trace_seq, judge_id, result }) => [`${trace_seq} ${judge_id}`, result]));
  return ({ trace_seq, judge_id }) => results.get(`${trace_seq} ${judge_id}`);
}
