import type { Request } from '../../data/client.ts';
import { textParameter } from '../../router/router.tsx';

/** What is asked is in the address, all of it. */
export const parameters = {
  q: textParameter(),
  by: textParameter('words'),
  path: textParameter(),
  agent: textParameter(),
  type: textParameter(),
  min: textParameter(),
  since: textParameter(),
  until: textParameter(),
  sort: textParameter(),
  branch: textParameter('main'),
  hit: textParameter(),
};

export const FILTERS = ['path', 'agent', 'type', 'min', 'since', 'until', 'branch'] as const;

type Values = { [K in keyof typeof parameters]: string };

const PAGE = 30;

/** The filters as both questions take them. A path stands for itself and everything below it. */
export function filtersOf({ path, agent, type, min, since, until, branch }: Values) {
  const least = min === '' ? Number.NaN : Number(min);
  const isGlob = path.includes('*');
  return {
    ...(path === '' ? {} : { entity_path: path, ...(isGlob ? {} : { include_descendants: true }) }),
    ...(agent === '' ? {} : { agent_id: agent }),
    ...(type === '' ? {} : { memory_type: type as NonNullable<Request<'entries.search'>['memory_type']> }),
    ...(least >= 0 && least <= 1 ? { min_confidence: least } : {}),
    ...(since === '' ? {} : { since }),
    ...(until === '' ? {} : { until }),
    ...(branch === 'main' || branch === '' ? {} : { branch }),
  };
}

type Order = NonNullable<Request<'entries.search'>['sort_by']>;

export const wordsInput = (values: Values): Request<'entries.search'> => ({
  ...(values.q.trim() === '' ? {} : { query: values.q.trim() }),
  ...filtersOf(values),
  ...(values.sort === '' ? {} : { sort_by: values.sort as Order }),
  limit: PAGE,
});

export const meaningInput = (values: Values): Request<'entries.retrieve'> => ({
  query: values.q.trim(),
  ...filtersOf(values),
  limit: PAGE,
});
