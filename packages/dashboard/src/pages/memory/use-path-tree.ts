import { type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { client, type Output, type Request } from '../../data/client.ts';
import { onBranch } from './memory-address.ts';

/** A segment of a path, with what is known of the entries at and below it. */
export type PathNode = {
  name: string;
  path: string;
  /** Entries at the path and below it, as far as they were counted. */
  entries: number;
  /** There are more paths below it than were looked at. */
  isMore: boolean;
  hasBelow: boolean;
};

/** Where the next question about a level begins. */
type Jump = { cursor: string } | { from_path: string };
export type PathLevel = { nodes: readonly PathNode[]; next: Jump | undefined };

const PAGE = 200;
/** So many segments of a level are shown at once, and so many calls are made for them at most. */
const STEP = 200;
const MOST_CALLS = 24;
/** The character after the slash: `a0` begins after everything below `a`. */
const AFTER_SLASH = '0';

/** Which segments are asked for: those below a path, on a branch, so many. */
type LevelQuestion = { prefix: string; branch: string; want: number };

/**
 * The next segments below a path. A segment with very many paths below it is skipped over, so that the cost grows with what
 * is shown and not with what is stored.
 */
async function askLevel({ prefix, branch, want }: LevelQuestion, known: PathLevel, signal: AbortSignal) {
  const nodes = new Map(known.nodes.map((node) => [node.name, { ...node }]));
  let { next } = known;
  for (let calls = 0; calls < MOST_CALLS; calls++) {
    const input: Request<'entities.list'> = {
      ...(prefix === '' ? {} : { entity_path: `${prefix}/**` }),
      ...onBranch(branch),
      limit: PAGE,
      ...next,
    };
    const answer = await client().call('entities.list', input, { signal });
    for (const entity of answer.entities) count(nodes, prefix, entity);
    next = jumpAfter(answer, prefix, nodes);
    if (next === undefined || nodes.size >= want) break;
  }
  const sorted = [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { nodes: sorted, next } satisfies PathLevel;
}

type Entity = Output<'entities.list'>['entities'][number];

function count(nodes: Map<string, PathNode>, prefix: string, { entity_path, entry_count }: Entity): void {
  const start = prefix === '' ? 0 : prefix.length + 1;
  const end = entity_path.indexOf('/', start);
  const name = end < 0 ? entity_path.slice(start) : entity_path.slice(start, end);
  const node = nodes.get(name) ?? {
    name,
    path: entity_path.slice(0, start) + name,
    entries: 0,
    isMore: false,
    hasBelow: false,
  };
  node.entries += entry_count;
  node.hasBelow ||= end >= 0;
  nodes.set(name, node);
}

function jumpAfter(answer: Output<'entities.list'>, prefix: string, nodes: Map<string, PathNode>): Jump | undefined {
  const last = answer.entities.at(-1)?.entity_path;
  if (!answer.has_more || answer.next_cursor === null || last === undefined) return undefined;
  const start = prefix === '' ? 0 : prefix.length + 1;
  const end = last.indexOf('/', start);
  // At the segment itself: what follows it, such as `a-b`, may come before what is below it.
  if (end < 0) return { cursor: answer.next_cursor };
  const node = nodes.get(last.slice(start, end));
  if (node) node.isMore = true;
  return { from_path: last.slice(0, end) + AFTER_SLASH };
}

const START: PathLevel = { nodes: [], next: undefined };
const keyOf = ({ branch, prefix, want }: LevelQuestion) => ['entities.list', 'level', branch, prefix, want];

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
