import {
  type InfiniteData,
  keepPreviousData,
  MutationCache,
  notifyManager,
  QueryCache,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type CallOptions, client, isMemError, type OperationName, type Output, type Request } from './client.ts';
import { useIsDue } from './first-paint.ts';
import { idle } from './idle.ts';
import { refuseKey } from './key-store.ts';
import { onceAFrame } from './once-a-frame.ts';
import { setOnline } from './online.ts';

/** A refused key and a lost server are one thing wherever they are met: the shell says so once. */
const onError = (error: unknown) => {
  if (!isMemError(error)) return;
  if (error.status === 401) refuseKey();
  setOnline(error.status !== 0);
};
const onSuccess = () => setOnline(true);

notifyManager.setScheduler(onceAFrame);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError, onSuccess }),
  mutationCache: new MutationCache({ onError, onSuccess }),
  // The client itself retries what may pass. A browser without a network may still reach a server on its own machine.
  defaultOptions: {
    queries: { retry: false, staleTime: 10_000, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

type QuestionOptions = {
  /** Not asked while false. */
  enabled?: boolean;
  /** Nobody waits for it: asked when the first page is drawn and the browser has time left. */
  isLater?: boolean;
  /** Ask again after so many milliseconds. */
  refetchMs?: number;
  /** Show the old answer while that to a new input is on its way. Default true. */
  keepPrevious?: boolean;
};

/** A question under the name by which its answer is kept. */
export const questionOf = <N extends OperationName>(name: N, input: Request<N>) => ({
  queryKey: [name, input] as const,
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<Output<N>> => client().call(name, input, { signal }),
});

/** The answer of an operation, with wire names: `useOperation('entries.list', { entity_path: 'checkout/**' })`. */
export function useOperation<N extends OperationName>(
  name: N,
  input: Request<N>,
  { enabled = true, isLater = false, refetchMs, keepPrevious = true }: QuestionOptions = {},
): UseQueryResult<Output<N>, unknown> {
  const { queryKey, queryFn } = questionOf(name, input);
  const isDue = useIsDue(isLater);
  return useQuery<Output<N>, unknown>({
    queryKey,
    queryFn: isLater ? (context) => idle().then(() => queryFn(context)) : queryFn,
    enabled: enabled && isDue,
    ...(refetchMs === undefined ? {} : { refetchInterval: refetchMs }),
    ...(keepPrevious ? { placeholderData: keepPreviousData as never } : {}),
  });
}

/** Asks once, outside of a component; the answer is not kept. */
export const ask = <N extends OperationName>(name: N, input: Request<N>): Promise<Output<N>> =>
  queryClient.fetchQuery<Output<N>, unknown>({
    queryKey: ['ask', name, input],
    queryFn: ({ signal }) => client().call(name, input, { signal }),
    gcTime: 0,
    staleTime: 0,
  });

/** Operations that answer in pages with a cursor. */
export type PagedName = {
  [N in OperationName]: Output<N> extends { next_cursor: string | null; has_more: boolean } ? N : never;
}[OperationName];

/** The pages of an operation as they are asked for; `fetchNextPage` brings the next. */
export function usePages<N extends PagedName>(
  name: N,
  input: Request<N>,
  { enabled = true, keepPrevious = false }: Pick<QuestionOptions, 'enabled' | 'keepPrevious'> = {},
): UseInfiniteQueryResult<InfiniteData<Output<N>>, unknown> {
  return useInfiniteQuery<Output<N>, unknown, InfiniteData<Output<N>>, readonly unknown[], string | undefined>({
    queryKey: [name, 'pages', input],
    queryFn: ({ signal, pageParam }) =>
      client().call(name, (pageParam === undefined ? input : { ...input, cursor: pageParam }) as Request<N>, {
        signal,
      }),
    initialPageParam: undefined,
    getNextPageParam: (page) => {
      const { has_more, next_cursor } = page as { has_more: boolean; next_cursor: string | null };
      return has_more && next_cursor !== null ? next_cursor : undefined;
    },
    enabled,
    ...(keepPrevious ? { placeholderData: keepPreviousData as never } : {}),
  });
}

type ActionOptions<N extends OperationName> = {
  /** Operations whose answers this changes; they are asked again. */
  changes?: readonly OperationName[];
  /** Who acts, where it is not the dashboard. */
  call?: CallOptions;
  onDone?: (output: Output<N>, input: Request<N>) => void;
};

/** An operation that changes something: `const write = useAction('entries.write', { changes: ['entries.list'] })`. */
export function useAction<N extends OperationName>(
  name: N,
  { changes = [], call = {}, onDone }: ActionOptions<N> = {},
): UseMutationResult<Output<N>, unknown, Request<N>> {
  const queries = useQueryClient();
  return useMutation<Output<N>, unknown, Request<N>>({
    mutationFn: (input) => client().call(name, input, call),
    onSuccess: async (output, input) => {
      onDone?.(output, input);
      await Promise.all(changes.map((changed) => queries.invalidateQueries({ queryKey: [changed] })));
    },
  });
}
