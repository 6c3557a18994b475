import { type Glob, matchesGlob, parseGlob } from '@mem-service/contract';

export type Capability = { name: string; description: string; entity_paths: readonly string[] };
export type DiscoveryQuery = {
  capability?: string | undefined;
  entity_path?: string | undefined;
  tag?: string | undefined;
};
export type AgentCandidate = { agent_id: string; tags: readonly string[]; capabilities: readonly Capability[] };
export type WriteShare = { n: number; of: number };

export type AgentMatch = {
  agent_id: string;
  score: number;
  why: string[];
  capabilities: string[];
  entries_here: number;
};

/** How well an agent fits the query; undefined where nothing matches. Declared and observed capabilities count alike. */
export function matchAgent(wanted: DiscoveryQuery, agent: AgentCandidate, written: WriteShare): AgentMatch | undefined {
  if (wanted.tag !== undefined && !agent.tags.includes(wanted.tag)) return undefined;
  const declared = agent.capabilities
    .map((capability) => ({ capability, fit: fitOf(wanted, capability) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit);
  const why = declared.map(({ capability }) => `declares ${capability.name}${where(capability)}`);
  if (written.n > 0) why.push(`wrote ${written.n} of ${written.of} entries at ${wanted.entity_path} and below`);
  const asksForTagOnly = wanted.capability === undefined && wanted.entity_path === undefined;
  if (wanted.tag !== undefined && (why.length > 0 || asksForTagOnly)) why.push(`is tagged ${wanted.tag}`);
  if (why.length === 0) return undefined;
  const share = written.n === 0 ? 0 : written.n / written.of;
  const score = Math.round(((declared[0]?.fit ?? 0) + share) * 1000) / 1000;
  const { agent_id } = agent;
  return {
    agent_id,
    score,
    why,
    capabilities: declared.map(({ capability }) => capability.name),
    entries_here: written.n,
  };
}

const where = ({ entity_paths }: Capability) => (entity_paths.length === 0 ? '' : ` for ${entity_paths.join(', ')}`);

/** From 0 for no match to 1 for an exact one. */
function fitOf({ capability, entity_path }: DiscoveryQuery, declared: Capability): number {
  const byName = capability === undefined ? 1 : nameFit(capability, declared);
  const byPath = entity_path === undefined ? 1 : pathFit(entity_path, declared.entity_paths);
  return byName * byPath;
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function nameFit(wanted: string, { name, description }: Capability): number {
  const words = wordsOf(wanted);
  const named = wordsOf(name);
  const reasons = new Set([...named, ...wordsOf(description)]);
  if (words.length === 0) return 0;
  if (words.join(' ') === named.join(' ')) return 1;
  if (words.every((word) => named.some((one) => one.startsWith(word)))) return 0.8;
  return words.every((word) => [...reasons].some((one) => one.startsWith(word))) ? 0.5 : 0;
}

const PATH_FIT: Record<Glob['kind'], number> = { exact: 1, children: 0.9, below: 0.8, all: 0.5 };

/** A capability without paths applies everywhere. */
function pathFit(path: string, globs: readonly string[]): number {
  const fits = (globs.length === 0 ? ['*'] : globs).map((text) => {
    const glob = parseGlob(text);
    return glob && matchesGlob(glob, path) ? PATH_FIT[glob.kind] : 0;
  });
  return Math.max(...fits);
}

/** The best first; equal ones by name. */
export const byScore = (a: AgentMatch, b: AgentMatch): number =>
  b.score - a.score || (a.agent_id < b.agent_id ? -1 : a.agent_id > b.agent_id ? 1 : 0);
