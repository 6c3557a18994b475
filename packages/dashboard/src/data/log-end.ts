import { queryClient, questionOf } from './query.ts';

/** All that came since is sent by the stream: it may not be long. */
export const RECENT_MS = 60_000;

/** Where the log ends, as it was known this long ago at most; undefined where the service does not say. */
export const logEnd = (staleTime = RECENT_MS): Promise<string | undefined> =>
  queryClient.fetchQuery({ ...questionOf('stats.read', {}), staleTime }).then(
    ({ last_seq }) => String(last_seq),
    () => undefined,
  );
