import { type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { client, type Output, type Request } from '../../data/client.ts';
import { onBranch } from './memory-address.ts';

/** A segment of a path, with what is at and below it. */
export type PathSegment = {
  name: string;
  path: string;
  /** Entries at the path and below it, as far as the service counted them. */
  entries: number;
  /** There is more below it than was counted. */
  isMore: boolean;
  hasBelow: boolean;
};

export type PathLevel = { nodes: readonly PathSegment[]; cursor: string | undefined };

/** So many rows of a level are asked for at once. */
const STEP = 200;
const MOST_CALLS = 12;

/** Which segments are asked for: those below a path, on a branch, so many. */
type LevelQuestion = { prefix: string; branch: string; want: number };

/** The next segments of a level, after those that are known. */
async function askLevel({ prefix, branch, want }: LevelQuestion, known: PathLevel, signal: AbortSignal) {
  const nodes = new Map(known.nodes.map((node) => [node.path, { ...node }]));
  let { cursor } = known;
  // A page that had to count very much is short.
  for (let calls = 0; calls < MOST_CALLS; calls++) {
    const input: Request<'entities.tree'> = {
      ...(prefix === '' ? {} : { entity_path: prefix }),
      ...onBranch(branch),
      limit: STEP,
      ...(cursor === undefined ? {} : { cursor }),
    };
    const answer = await client().call('entities.tree', input, { signal });
    for (const row of answer.nodes) add(nodes, row);
    cursor = answer.next_cursor ?? undefined;
    if (cursor === undefined || nodes.size >= want) break;
  }
  const sorted = [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { nodes: sorted, cursor } satisfies PathLevel;
}

type TreeAnswerRow = Output<'entities.tree'>['nodes'][number];

/** What is at a path and what is below it are one segment of the tree. */
function add(
  nodes: Map<string, PathSegment>,
  { entity_path: path, below, entry_count, complete }: TreeAnswerRow,
): void {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const node = nodes.get(path) ?? { name, path, entries: 0, isMore: false, hasBelow: false };
  node.entries += entry_count;
  node.isMore ||= !complete;
  node.hasBelow ||= below;
  nodes.set(path, node);
}

const START: PathLevel = { nodes: [], cursor: undefined };
const keyOf = ({ branch, prefix, want }: LevelQuestion) => ['entities.tree', branch, prefix, want];

const levelQuery = (queries: QueryClient, question: LevelQuestion) => ({
  queryKey: keyOf(question),
  queryFn: ({ signal }: { signal: AbortSignal }) => {
    const { want } = question;
    const before = want > STEP && queries.getQueryData<PathLevel>(keyOf({ ...question, want: want - STEP }));
    return askLevel(question, before || START, signal);
  },
  staleTime: 60_000,
});

/** The paths above a path, the shortest first, with that of everything. */
export const pathsAbove = (path: string): string[] => {
  if (path === '') return [];
  const parts = path.split('/');
  return ['', ...parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'))];
};

/** The levels of the tree that are open: those above the selected path, and those that somebody opened. */
export function usePathTree(selected: string, branch: string) {
  const [folded, setFolded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [wants, setWants] = useState<ReadonlyMap<string, number>>(new Map());
  const queries = useQueryClient();
  const open = useMemo(() => {
    const paths = new Set(['', ...pathsAbove(selected)]);
    for (const [path, isOpen] of folded) {
      if (isOpen) paths.add(path);
      else if (path !== '') paths.delete(path);
    }
    return [...paths];
  }, [selected, folded]);
  const answers = useQueries({
    queries: open.map((prefix) => levelQuery(queries, { prefix, branch, want: wants.get(prefix) ?? STEP })),
  });
  const levels = new Map(open.map((prefix, i) => [prefix, answers[i]]));
  return {
    levels,
    fold: (path: string, isOpen: boolean) => setFolded((before) => new Map(before).set(path, isOpen)),
    more: (prefix: string) => setWants((before) => new Map(before).set(prefix, (before.get(prefix) ?? STEP) + STEP)),
  };
}

/** How many entries are at a path and below it, as far as that is known. */
export function useCountBelow(path: string, branch: string): { entries: number; isMore: boolean } | undefined {
  const queries = useQueryClient();
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const level = useQuery({ ...levelQuery(queries, { prefix: parent, branch, want: STEP }), enabled: path !== '' });
  return level.data?.nodes.find((node) => node.path === path);
}
